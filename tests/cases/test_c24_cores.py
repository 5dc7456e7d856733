"""C24: three cores in parallel meet a rate, and none of them meets the latency of a single frame.

YOLOv5s 640 int8 on an RK3588: 40 ms on one core, published about 45 frames per second on its three cores, wanted 37
(rockchip-linux/rknn-toolkit2 issue 233, Qengineering/Rock-5-Ubuntu-22-image issue 2).
"""

from __future__ import annotations

import pytest

from tests.cases.folders import catalogue, chosen, clash, solved

CHIP = """\
- id: {chip}
  vendor: Case
  name: {chip}
  class: camera-soc
  form: soc
  cpu_cores: 8
  units: [{{id: npu, count: 3, precisions: [int8]}}]
"""
ALONE_MS, THREE_HZ, WANTED_HZ = 40, 45, 37
THREE_MS = 1000 / THREE_HZ  # 22.2 ms from one result to the next: 66.7 ms on each of the cores
GUARD = 1.09 ** (0.8416 / 1.6449)  # grade B: spread of a repeated measurement at a confidence of 0.8
SIZE = {"input_h": 640, "input_w": 640}


@pytest.fixture(scope="module")
def solve(tmp_path_factory):
    run = {"unit": "npu", "runtime": "case-rknn", "model": "case_v5s", "boundary": "chip", **SIZE}
    three = [
        {"cores": 3, "time_ms_per_item": ALONE_MS},
        {"cores": 3, "time_ms_per_item": THREE_MS, "quantity": "period"},
    ]
    runs = [run | {"chip": "case-588", "cores": 1, "time_ms_per_item": ALONE_MS}]
    runs += [run | {"chip": chip} | row for chip in ("case-588", "case-566") for row in three]
    chips = "".join(CHIP.format(chip=chip) for chip in ("case-588", "case-566"))
    models = [{"id": "case_v5s", "task": "object-detection", "dataset": "coco-2017", "metric": "map50-95", **SIZE,
               "params_m": 7.2, "gmacs": 8.25, "accuracy": 37}]  # fmt: skip
    folder = catalogue(tmp_path_factory.mktemp("c24"), chips=chips, models=models, runs=runs)

    def asked(*limits, chip="case-588"):
        stated = {"rate_hz": 1, "deadline_ms": "none"} | dict(limit.split(": ") for limit in limits)
        task = ", ".join(f"{name}: {value}" for name, value in stated.items())
        return solved(folder, f"task: object-detection, models: [case_v5s], {task}", f"search: {{chips: [{chip}]}}")

    return asked


def cores_of(result):
    assert chosen(result) == ("case-588", "case_v5s")
    return result.data["assignments"][0]["cores"]


@pytest.mark.parametrize("chip", ["case-588", "case-566"])
def test_one_item_at_a_time_has_the_shorter_latency(solve, chip):
    """On one core, and where all of them were measured alone: what is one item cannot wait for others."""
    result = solve(f"deadline_ms: {ALONE_MS}", chip=chip)
    assert chosen(result) == (chip, "case_v5s")
    assert result.data["assignments"][0]["latency"]["worst_case_ms"] == ALONE_MS


@pytest.mark.parametrize("deadline_ms", [20, 39.9])
def test_no_number_of_cores_makes_one_frame_faster(solve, deadline_ms):
    assert solve(f"deadline_ms: {deadline_ms}").status == "infeasible"


def test_the_rate_takes_three_cores(solve):
    """37 a second: 148 % of one core; 37/45 of three, and a frame is 3 x 22.2 ms on its core."""
    result = solve(f"rate_hz: {WANTED_HZ}")
    assert cores_of(result) == 3
    task = result.data["assignments"][0]
    assert task["rate"]["utilization"] == pytest.approx(WANTED_HZ / THREE_HZ * GUARD, rel=1e-3)
    assert task["latency"]["worst_case_ms"] == pytest.approx(3 * THREE_MS * GUARD, rel=1e-3)
    assert (task["latency"]["grade"], task["latency"]["typical_ms"]) == ("B", ALONE_MS)
    assert "3 cores in parallel" in task["latency"]["basis"]


def test_rate_and_latency_of_a_frame_clash(solve):
    clash(solve, f"rate_hz: {WANTED_HZ}", f"deadline_ms: {ALONE_MS}")


def test_beyond_what_three_cores_do_there_is_nothing(solve):
    assert solve(f"rate_hz: {THREE_HZ}").status == "infeasible"
