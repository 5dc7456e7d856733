"""C18: the delay of a stream is in its buffer, and a faster chip does not shorten it.

TinyDSOD at 1024 x 640 from RTSP cameras of 15 to 25 frames a second took 500 ms end to end on a Jetson Nano, 300 ms on
a Xavier NX, and 2 s on the fastest of the three, an AGX Xavier: jitter buffer and UDP source were full
(dusty-nv/jetson-inference issue 939; the receiver's default is 2,000 ms, issue 1156). The times of the network are
assumed, each chip twice as fast as the one before; the buffers are what the report leaves for them.
"""

from __future__ import annotations

import pytest
from rich.console import Console

from dse.report.text import show_answer
from tests.cases.folders import catalogue, chosen, solved

CHIP = """\
- id: {chip}
  vendor: Case
  name: {chip}
  class: sbc
  form: soc
  cpu_cores: 6
  units: [{{id: gpu, precisions: [fp16]}}]
  video_decode: {{streams_1080p30: 16}}
"""
NETWORK_MS = {"case-nano": 40, "case-nx": 20, "case-agx": 10}
REPORTED_MS = {"case-nano": 500, "case-nx": 300, "case-agx": 2000}
DECODE_MS = 1000 / (30 * 16) * (1280 * 720) / (1920 * 1080)


@pytest.fixture(scope="module")
def solve(tmp_path_factory):
    size = {"input_h": 640, "input_w": 1024}
    runs = [
        {"chip": chip, "unit": "gpu", "runtime": "case-trt", "model": "case_dsod", "precision": "fp16",
         "time_ms_per_item": time, **size}
        for chip, time in NETWORK_MS.items()
    ]  # fmt: skip
    models = [{"id": "case_dsod", "task": "object-detection", "dataset": "coco-2017", "metric": "map50-95", **size,
               "params_m": 1, "gmacs": 1, "accuracy": 20}]  # fmt: skip
    chips = "".join(CHIP.format(chip=chip) for chip in NETWORK_MS)
    folder = catalogue(tmp_path_factory.mktemp("c18"), chips=chips, models=models, runs=runs, precision="fp16")

    def asked(buffer_ms, *, chip="case-*", deadline="none", objective="{minimize: worst_case_ms}"):
        task = f"task: object-detection, models: [case_dsod], source: cam, deadline_ms: {deadline}"
        rest = (
            f"sources: {{name: cam, rate_hz: 25, width: 1280, height: 720, codec: h264, stages: ["
            f"{{name: buffer, delay_ms: {buffer_ms}}}, {{name: decode, on: video-decoder}}]}}\n"
            f"search: {{chips: ['{chip}']}}\nobjectives: [{objective}]\nlimits: {{utilization: 1}}"
        )
        return solved(folder, task, rest)

    return asked


def worst_of(result):
    return result.data["assignments"][0]["latency"]["worst_case_ms"]


@pytest.mark.parametrize("chip", NETWORK_MS)
def test_the_largest_part_is_the_buffer_on_each_of_them(solve, chip):
    """The path is buffer + decoder + network; nothing queues, since one stream leaves 40 ms a frame."""
    buffer_ms = REPORTED_MS[chip] - NETWORK_MS[chip] - 1
    result = solve(buffer_ms, chip=chip)
    assert worst_of(result) == pytest.approx(buffer_ms + DECODE_MS + NETWORK_MS[chip], abs=1e-3)
    largest = result.data["assignments"][0]["latency"]["largest_part"]
    assert (largest["stage"], largest["part"], largest["ms"]) == ("buffer", "delay", buffer_ms)
    assert largest["share"] == pytest.approx(buffer_ms / worst_of(result), abs=1e-4)
    assert not largest["depends_on_chip"]


def test_twice_the_speed_changes_little(solve):
    slow, fast = solve(2000, chip="case-nx"), solve(2000, chip="case-agx")
    assert 0 < worst_of(slow) - worst_of(fast) == pytest.approx(10)
    assert worst_of(fast) > 0.99 * worst_of(slow)


def test_the_answer_says_so_in_words(solve):
    console = Console(record=True, width=200)
    show_answer(solve(2000).data, console)
    assert "largest part: buffer delay, 99 % of the worst case: a faster chip does not help" in console.export_text()


def test_no_chip_meets_what_the_buffer_alone_exceeds(solve):
    """The fastest chip is of no use against a deadline below the buffer; a shorter buffer is."""
    assert solve(2000, deadline=500).status == "infeasible"
    assert chosen(solve(200, deadline=500, objective="{minimize: worst_case_ms}")) == ("case-agx", "case_dsod")


def test_where_the_network_is_the_largest_part_a_faster_chip_helps(solve):
    largest = solve(5, chip="case-nano").data["assignments"][0]["latency"]["largest_part"]
    assert (largest["stage"], largest["part"], largest["depends_on_chip"]) == ("infer", "service", True)
