"""C04: YOLOv5 on an Edge TPU at two input sizes (ultralytics/yolov5 issues 3630 and 6808)."""

from __future__ import annotations

import pytest

from tests.cases.folders import catalogue, chosen, clash, conflicts, explained, least, solved

CHIP = """\
- id: case-tpu
  vendor: Case
  class: sbc
  form: soc
  cpu_cores: 4
  units: [{id: npu, precisions: [int8]}]
"""
DETECTOR = {"task": "object-detection", "dataset": "coco-2017", "metric": "map50-95"}
# Input side, export: time of one call on a notebook [ms], mAP50-95 at int8.
ROWS = {"small": (320, 18.6, 27.0), "old": (640, 120.7, 30.7), "new": (640, 142.2, 32.0)}


@pytest.fixture(scope="module")
def solve(tmp_path_factory):
    models = [
        {**DETECTOR, "id": f"case_yolo_{name}", "input_h": side, "input_w": side, "accuracy": points}
        for name, (side, _ms, points) in ROWS.items()
    ]
    runs = [
        {"chip": "case-tpu", "unit": "npu", "runtime": "case-tflite", "model": f"case_yolo_{name}", "input_h": side,
         "input_w": side, "time_ms_per_item": ms}
        for name, (side, ms, _points) in ROWS.items()
    ]  # fmt: skip
    folder = catalogue(tmp_path_factory.mktemp("c04"), chips=CHIP, models=models, runs=runs)

    def run(*limits, ask=solved):
        task = "task: object-detection, rate_hz: 1, models: ['case_yolo_*']"
        stated = ", ".join(limits)
        return ask(folder, f"{task}, {stated if 'deadline' in stated else stated + ', deadline_ms: none'}", SEARCH)

    return run


SEARCH = "search: {chips: [case-tpu]}"


@pytest.mark.parametrize(
    ("limits", "network"),
    [
        (("deadline_ms: 100",), "case_yolo_small"),
        (("deadline_ms: 150", "min_accuracy: 31"), "case_yolo_new"),
        (("deadline_ms: 125", "min_accuracy: 30"), "case_yolo_old"),
        (("deadline_ms: 120.6",), "case_yolo_small"),
    ],
)
def test_the_deadline_chooses_the_input_size(solve, limits, network):
    assert chosen(solve(*limits)) == ("case-tpu", network)


def test_latency_and_accuracy_clash(solve):
    """18.6 ms has 27 points, 30 points take 120.7 ms."""
    clash(solve, "deadline_ms: 20", "min_accuracy: 30")


def test_the_explanation_names_latency_and_accuracy(solve):
    """Either the deadline of the next larger export, or the accuracy of the one in time."""
    why = solve("deadline_ms: 20", "min_accuracy: 30", ask=explained)
    assert conflicts(why) == [{"deadline_ms", "min_accuracy"}]
    assert least(why) == {"deadline_ms": 120.7, "min_accuracy": 27}
    # Of the two the accuracy gives way by less: 3 points of 30, against 100.7 ms of 20.
    (clash_found,) = why.data["infeasible"]["clashes"]
    assert clash_found["sharpness"] == pytest.approx(0.1)
    assert clash_found["places"] == ["problem.yaml:4", "problem.yaml:4"]
    assert why.data["infeasible"]["cheapest"]["text"] == "min_accuracy 30 → 27 points"


def test_of_several_near_ones_the_nearest_counts(solve):
    """In 130 ms the small and the old export are done: 31.5 points have to come down to 30.7, not to 27."""
    why = solve("deadline_ms: 130", "min_accuracy: 31.5", ask=explained)
    assert least(why) == {"deadline_ms": 142.2, "min_accuracy": 30.7}
    (rows,) = ([one for one in why.data["infeasible"]["limits"] if one["limit"] == "min_accuracy"],)
    assert [(one["candidates"], one["alone"]) for one in rows] == [(2, 2)]


def test_a_limit_no_value_of_which_would_do_has_no_relaxation(solve):
    """In 10 ms not even the small one is done, and it lacks 3 points: neither limit alone."""
    why = solve("deadline_ms: 10", "min_accuracy: 30", ask=explained)
    assert conflicts(why) == [{"deadline_ms"}]
    assert least(why) == {"deadline_ms": 120.7}
    both = why.data["infeasible"]["cheapest"]
    assert [(one["limit"], one["to"]) for one in both["changes"]] == [("deadline_ms", 18.6), ("min_accuracy", 27)]
    assert both["total_share"] == pytest.approx(0.86 + 0.1)
    assert [one["limit"] for one in why.data["infeasible"]["contradictions"]] == ["deadline_ms"]


def test_the_winner_stays_until_the_next_export_is_in_time(solve):
    """The old export has 30.7 points in 120.7 ms, the new one 32 in 142.2, the small one 27 in 18.6."""
    found = solve("deadline_ms: 130", "min_accuracy: 25", ask=explained).data["feasible"]
    assert found["winner"]["model"] == "case_yolo_old"
    rows = {one["limit"]: one for one in found["limits"]}
    deadline, accuracy = rows["deadline_ms"], rows["min_accuracy"]
    assert (deadline["tightest"], deadline["loosest"], deadline["then"]["model"]) == (120.7, 142.1999, "case_yolo_new")
    assert [(step["value"], step["design"]["accuracy"]) for step in deadline["steps"]] == [(142.2, 32)]
    assert (accuracy["tightest"], accuracy["loosest"]) == (30.7, None)
    assert found["binding"] == ["deadline_ms"]
    assert deadline["slack"] == pytest.approx(9.3)


def test_a_figure_reported_as_the_longest_is_not_stretched(solve):
    (task,) = solve("deadline_ms: 100").data["assignments"]
    assert (task["latency"]["worst_case_ms"], task["latency"]["tail_factor"]) == (18.6, 1)
