"""How many streams fill each resource: two chips' worth of loads worked out by hand, and what a solve says there.

The chip has a decoder of 16 streams 1080p30, that is 1000/(30·16) = 2.0833… ms a frame, and runs one network in 10 ms.
"""

from __future__ import annotations

import io
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import dse
from dse.problem.limits import Limit
from dse.problem.spec import Problem
from dse.report.saturation import saturates, saturation_line
from dse.report.text import show_answer
from tests.cases.folders import catalogue, solved

CHIP = """\
- id: case-dec
  vendor: Case
  name: case-dec
  class: camera-soc
  form: soc
  cpu_cores: 4
  units: [{id: npu, precisions: [int8]}]
  memory: {bandwidth_gbs: 10, capacity_gb: 4}
  video_decode: {streams_1080p30: 16}
"""
NETWORK = "task: image-classification, models: [case_net], deadline_ms: none"
CAMERA = "{name: cam, streams: 4, rate_hz: 10, stages: [{name: decode, on: video-decoder}]}"
ISP = "{name: cam, streams: 4, rate_hz: 50, stages: [{name: isp, on: isp, time_ms: 3}]}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    run = {"chip": "case-dec", "unit": "npu", "runtime": "case-rt", "model": "case_net", "time_ms_per_item": 10}
    models = [{"id": "case_net", "params_m": 3.5, "gmacs": 0.3, "activations_m": 1, "accuracy": 71}]
    runs = [run, run | {"batch": 4, "time_ms_per_item": 5}]
    return catalogue(tmp_path_factory.mktemp("saturation"), chips=CHIP, models=models, runs=runs)


@pytest.fixture(scope="module")
def ask(folder):
    def asked(task, *, source=None, limits="utilization: 0.95", batches="[1]"):
        rest = f"search: {{chips: [case-dec], batches: {batches}}}\nlimits: {{{limits}}}"
        given = "" if source is None else f"\nsources: {source}"
        return solved(folder, f"{NETWORK}, {task}", rest + given)

    return asked


@pytest.fixture(scope="module")
def ask_two(folder):
    def asked(first, second, sources=""):
        file = folder.parent / "two.yaml"
        tasks = "".join(f"  - {{name: {name}, {NETWORK}, {task}}}\n" for name, task in (("a", first), ("b", second)))
        rest = f"{sources}search: {{chips: [case-dec], batches: [1]}}\nlimits: {{utilization: 0.95}}\n"
        file.write_text(f"version: 1\ntasks:\n{tasks}{rest}", encoding="utf-8")
        return dse.solve(dse.load_problem(file, (folder,)), catalogs=(folder,))

    return asked


def found(result):
    assert result.status == "optimal", result.data["killed_by"]
    return [(one["stage"], one["resource"], one["streams"]) for one in result.data["bottleneck"]["saturates"]]


def shown(result):
    out = io.StringIO()
    show_answer(result.data, Console(file=out, width=200))
    return [line.strip() for line in out.getvalue().splitlines() if line.startswith("saturates")]


@pytest.mark.parametrize(
    ("cap", "network", "decoder"),
    [
        ("0.95", 10, 46),  # 0.95·100/10 = 9.5; 0.95·100/2.0834 = 45.6
        ("0.8", 8, 39),  # 0.8·100/10 = 8 exactly; 38.4
        ("1", 10, 48),  # 10 exactly; 47.998: the decoder's time is rounded up
    ],
)
def test_streams_that_fill_the_network_and_the_decoder(ask, cap, network, decoder):
    """Each of the four streams brings 10 items a second: n streams load the network with 10·n/100."""
    result = ask("source: cam", source=CAMERA, limits=f"utilization: {cap}")
    assert found(result) == [("infer", "npu", network), ("decode", "video-decoder", decoder)]
    assert shown(result) == [f"saturates first: infer on npu, at {network} streams"]


def test_without_a_limit_all_of_the_time_is_there(ask):
    """Default 0.95; a limit that only asks for a least load leaves 1: 100/10 = 10, not 9.5 rounded up by chance."""
    three = CAMERA.replace("rate_hz: 10", "rate_hz: 8")  # 0.95·125/10 = 11.9, 1·125/10 = 12.5
    assert found(ask("source: cam", source=three))[0][2] == 12
    assert found(ask("source: cam", source=three, limits="utilization: {min: 0.01}"))[0][2] == 13


def test_a_stage_on_every_frame_may_be_first(ask):
    """isp 4·3/20 = 0.6, network on every fifth frame 4·10/100 = 0.4: 0.95·4/0.6 = 6.3 and 0.95·4/0.4 = 9.5."""
    result = ask("source: cam, every_nth: 5", source=ISP)
    assert found(result) == [("isp", "isp", 7), ("infer", "npu", 10)]
    assert [one["factor"] for one in result.data["bottleneck"]["saturates"]] == pytest.approx([0.95 / 0.6, 0.95 / 0.4])
    assert shown(result) == ["saturates first: isp on isp, at 7 streams"]


@pytest.mark.parametrize(("streams", "status"), [(6, "optimal"), (7, "infeasible")])
def test_a_solve_agrees(ask, streams, status):
    """With one stream fewer than said there is room, with as many there is not: 0.9 and 1.05 against 0.95."""
    result = ask("source: cam, every_nth: 5", source=ISP.replace("streams: 4", f"streams: {streams}"))
    assert result.status == status
    if status == "infeasible":
        assert result.data["killed_by"]["utilization"]["alone"] >= 0
        assert result.data["bottleneck"] is None


def test_batches_that_may_still_fill_are_said(ask):
    """150 items a second in batches of four, 20 ms each: 150·20/4/1000 = 0.75, and 0.95·12/0.75 = 15.2."""
    batched = ask("streams: 12, rate_hz: 12.5", batches="[4]")
    assert shown(batched) == ["saturates first: infer on npu, at 16 streams if batches get no larger"]


def test_two_tasks_of_one_camera_count_its_streams(ask_two):
    """Both networks of each frame: 2·4·10/100 = 0.8, so 0.95·4/0.8 = 4.75; the decoder as before."""
    result = ask_two("source: cam", "source: cam", f"sources: {CAMERA}\n")
    assert found(result) == [("infer of a, b", "npu", 5), ("decode of cam", "video-decoder", 46)]
    assert shown(result) == ["saturates first: infer of a, b on npu, at 5 streams"]


def test_sources_apart_grow_by_a_factor(ask_two):
    """4·10/100 + 10/50 = 0.6: together they may grow 0.95/0.6 = 1.583 times."""
    result = ask_two("streams: 4, rate_hz: 10", "rate_hz: 20")
    assert found(result) == [("infer of a, b", "npu", None)]
    assert result.data["bottleneck"]["saturates"][0]["factor"] == pytest.approx(0.95 / 0.6)
    assert shown(result) == ["saturates first: infer of a, b on npu, at 1.58 times the streams"]


@given(
    st.integers(1, 10_000),
    st.lists(st.integers(0, 1_000_000), max_size=5),
    st.none() | st.decimals(min_value="0.01", max_value=1, places=3),
)
def test_streams_are_the_fewest_that_reach_the_cap(streams, shares, cap):
    """By definition: so many reach it, one fewer do not; and the order is that of the loads."""
    limits = {} if cap is None else {"utilization": Limit(name="utilization", maximum=float(cap))}
    task = {"name": "see", "task": "image-classification", "streams": streams, "rate_hz": 1, "deadline_ms": "none"}
    problem = Problem.model_validate({"tasks": [task]}).model_copy(update={"limits": limits})
    loads = [{"resource": f"r{k}", "stage": "s", "utilization": ppm / 1e6} for k, ppm in enumerate(shares)]
    most = Fraction(1) if cap is None else Fraction(cap)
    entries = saturates(problem, loads)
    assert len(entries) == sum(ppm > 0 for ppm in shares)
    for one in entries:
        each = Fraction(shares[int(one["resource"][1:])], 1_000_000 * streams)
        assert each * one["streams"] >= most > each * (one["streams"] - 1)
    order = [shares[int(one["resource"][1:])] for one in entries]
    assert order == sorted(order, reverse=True)


def test_without_load_nothing_fills():
    assert saturation_line({"bottleneck": {"saturates": []}, "assignments": []}) == []
