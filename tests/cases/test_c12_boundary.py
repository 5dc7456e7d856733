"""C12: a profiler's time of the chip, and the time a host's synchronous calls take.

hailo-ai/Hailo-Application-Code-Examples issue 272: one network, 480x640x1, batch 1: 4.40 ms by the profiler, 28 ms in
single calls.
"""

from __future__ import annotations

import pytest

from tests.cases.folders import catalogue, chosen, solved

CHIPS = """\
- id: case-both
  vendor: Case
  name: both
  class: camera-soc
  form: soc
  cpu_cores: 4
  units: [{id: npu, precisions: [int8]}]
- id: case-chip-only
  vendor: Case
  name: one
  class: camera-soc
  form: soc
  cpu_cores: 4
  units: [{id: npu, precisions: [int8]}]
"""
CHIP_MS, HOST_MS = 4.40, 28.0
SIZE = {"input_h": 480, "input_w": 640}


@pytest.fixture(scope="module")
def solve(tmp_path_factory):
    run = {"unit": "npu", "runtime": "case-rt", "model": "case_own", **SIZE}
    at_chip = {"boundary": "chip", "time_ms_per_item": CHIP_MS}
    runs = [
        run | at_chip | {"chip": "case-both"},
        run | {"chip": "case-both", "boundary": "host", "time_ms_per_item": HOST_MS},
        run | at_chip | {"chip": "case-chip-only"},
    ]
    models = [{"id": "case_own", **SIZE, "params_m": 2, "gmacs": 1, "accuracy": 60}]
    folder = catalogue(tmp_path_factory.mktemp("c12"), chips=CHIPS, models=models, runs=runs)

    def asked(deadline_ms, *, chip="case-both", guard="", rest=""):
        task = f"task: image-classification, models: [case_own], rate_hz: 10, deadline_ms: {deadline_ms}"
        return solved(folder, task, f"search: {{chips: [{chip}]}}\nguard: {{{guard}}}\n{rest}")

    return asked


def readings(found):
    return [(one["boundary"], one["time_ms"], one["meets_deadline"], one["decides"]) for one in found]


def test_the_host_decides_and_the_chip_is_shown_beside_it(solve):
    """A deadline of 10 ms: the chip alone would meet it, the calls of the host do not."""
    result = solve(10)
    assert result.status == "infeasible"
    (miss,) = result.data["nearest_misses"]
    assert readings(miss["readings"]) == [("chip", CHIP_MS, True, False), ("host", HOST_MS, False, True)]
    assert [one["worst_case_ms"] for one in miss["readings"]] == [CHIP_MS, HOST_MS]


def test_asked_for_the_chip_alone_the_answer_turns_and_shows_the_host(solve):
    result = solve(10, guard="boundary: chip")
    assert chosen(result) == ("case-both", "case_own")
    latency = result.data["assignments"][0]["latency"]
    assert readings(latency["readings"]) == [("chip", CHIP_MS, True, True), ("host", HOST_MS, False, False)]
    assert latency["covers_boundary"] is True


def test_beyond_both_the_host_decides_still(solve):
    latency = solve(30).data["assignments"][0]["latency"]
    assert (latency["worst_case_ms"], latency["boundary"]) == (HOST_MS, "host")


def test_where_the_chip_alone_was_measured_the_answer_says_so(solve):
    result = solve(10, chip="case-chip-only")
    latency = result.data["assignments"][0]["latency"]
    assert readings(latency["readings"]) == [("chip", CHIP_MS, True, True)]
    assert latency["covers_boundary"] is False
    assert any("measured at the chip: host calls and copies count only" in line for line in result.data["assumptions"])


def test_own_measurements_at_both_boundaries_are_read_alike(solve):
    """Entered as `known:`, they replace the catalogue's and each other by the same rule."""
    own = "{{model: case_own, chip: case-chip-only, precision: int8, statistic: max, boundary: {}, latency_ms: {}}}"
    rest = f"known: [{own.format('chip', 4.5)}, {own.format('host', 29)}]"
    (miss,) = solve(10, chip="case-chip-only", rest=rest).data["nearest_misses"]
    assert readings(miss["readings"]) == [("chip", 4.5, True, False), ("host", 29, False, True)]
    assert solve(10, chip="case-chip-only", guard="boundary: chip", rest=rest).status == "optimal"


@pytest.mark.parametrize(
    ("deadline_ms", "chip", "said"),
    [
        (10, "case-both", "measured at the chip as well: 4.40 ms, worst case 4.40 ms (the host's share is not in it)"),
        (30, "case-both", "at the host decides"),
        (10, "case-chip-only", "at the chip (the host's share is not in it), grade A"),
    ],
)
def test_the_terminal_shows_both(solve, capsys, deadline_ms, chip, said):
    from rich.console import Console

    from dse.report.text import show_answer

    show_answer(solve(deadline_ms, chip=chip).data, Console(width=240))
    assert said in capsys.readouterr().out
