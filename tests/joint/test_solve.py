"""Small problems of several tasks with the shipped catalogues: rows, what may be left out of them, and near misses."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from rich.console import Console

from dse.api import vocabulary_of
from dse.errors import VerificationError
from dse.joint.answer import solve_joint
from dse.joint.sides import combinations_per_device, sides_of
from dse.joint.table import tabled
from dse.problem.load import parse_problem
from dse.report.baseline import baseline_of
from dse.report.joint import summarise_joint
from dse.report.text import show_answer
from dse.verify.combination import Reported, verify_combination

PROBLEM = """
version: 1
name: Two tasks
tasks:
  - {{name: detect, task: object-detection, models: [yolov5s, yolov8n], streams: 2, rate_hz: 10, jitter_ms: 3,
     deadline_ms: {detect}, stages: [{{name: resize, on: cpu, time_ms: 2}}, {{name: infer}}]}}
  - {{name: sort, task: image-classification, models: [resnet50, resnet18], after: detect, items_per_frame: 2,
     deadline_ms: {sort}, overhead_ms: 1}}
chains: [{{name: whole, tasks: [detect, sort], deadline_ms: 900}}]
search: {{chips: [rk3588], boards: {{exclude: ["*"]}}, weights: default, precisions: [int8], batches: [1]}}
{more}
"""


def problem_of(knowledge, detect=400, sort=400, more="limits: {power_w: {max: 30, unknown: flag}}", units="all"):
    text = PROBLEM.format(detect=detect, sort=sort, more=more).replace("batches:", f"units: {units}, batches:")
    return parse_problem(text, "case", vocabulary_of(knowledge.catalog))


@pytest.fixture(scope="module")
def table(knowledge):
    text = PROBLEM.replace("[resnet50, resnet18]", "['resnet*']").replace("weights: default, ", "")
    more = "limits: {power_w: {max: 30, unknown: flag}}"
    problem = parse_problem(text.format(detect=400, sort=400, more=more), "case", vocabulary_of(knowledge.catalog))
    return tabled(problem, sides_of(problem, knowledge))


def test_a_row_that_is_left_out_is_beaten_in_every_combination(table):
    """Some kept row is as accurate, meets whatever it meets, and costs no more under any goal."""
    evaluator, sides = table.evaluator, table.evaluator.sides
    kept = [set(one.rows.tolist()) for one in table.kept]
    some = [sorted(rows)[:: max(1, len(rows) // 4)] for rows in kept]
    checked = 0
    for k, side in enumerate(sides):
        left_out = [row for row in side.rows.tolist() if row not in kept[k]]
        for row, other in product(left_out[:: max(1, len(left_out) // 8)], some[1 - k]):
            pair = (row, other) if k == 0 else (other, row)
            if side.device_of(row) != sides[1 - k].device_of(other):
                continue
            verdict = evaluator.judge(pair)
            if not verdict.feasible:
                continue
            stand_ins = [row2 for row2 in kept[k] if side.unit_of(row2) == side.unit_of(row)
                         and side.candidates.accuracy[row2] >= side.candidates.accuracy[row]]  # fmt: skip
            verdicts = [evaluator.judge((row2, other) if k == 0 else (other, row2)) for row2 in stand_ins]
            figures = ("worst_case_ms", "power_w", "utilization", "memory_mb")
            assert any(
                one.feasible and all(one.figures[name] <= verdict.figures[name] for name in figures) for one in verdicts
            ), pair
            checked += 1
    assert checked


def test_what_is_no_easier_is_never_faster(table):
    """Replacing a row by one that hurts more shortens no latency of any task."""
    first, second = table.kept
    for r in range(0, len(first.rows), max(1, len(first.rows) // 6)):
        easy = table.verdict((r, 0))
        for harder in first.no_easier(r).tolist()[:6]:
            hard = table.verdict((harder, 0))
            assert all(a <= b for a, b in zip(easy.worst, hard.worst, strict=True))
            assert all(a <= b for a, b in zip(easy.chains, hard.chains, strict=True))
    assert len(second.rows)


def test_the_answer_is_the_best_and_proven_twice(knowledge):
    answer = solve_joint(problem_of(knowledge), knowledge)
    assert answer.choice.status.value == "optimal"
    assert answer.verdict is not None
    assert "recomputed in exact fractions" in answer.proofs[0]
    # The chain runs from the frame to the last of its tasks.
    assert answer.verdict.chains[0] == answer.verdict.worst[0] + answer.verdict.worst[1]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda said: said | {"worst": (said["worst"][0] - 2000, said["worst"][1])}, "latency of detect"),
        (lambda said: said | {"worst": (said["worst"][0], said["worst"][1] + 2000)}, "latency of sort: at most"),
        (lambda said: said | {"chains": (said["chains"][0] - 2000,)}, "latency of chain whole"),
        (lambda said: said | {"loads": {name: ppm // 2 for name, ppm in said["loads"].items()}}, "load of"),
        (lambda said: said | {"figures": {**said["figures"], "memory_mb": 1}}, "memory_mb"),
    ],
)
def test_the_second_road_finds_a_wrong_figure(knowledge, change, text):
    problem = problem_of(knowledge)
    answer = solve_joint(problem, knowledge, top=1)
    verdict = answer.verdict
    assert verdict is not None
    rows = [(side.context, side.candidates, row) for side, row in zip(answer.sides, verdict.rows, strict=True)]
    said = {"worst": verdict.worst, "chains": verdict.chains, "loads": verdict.loads, "figures": verdict.figures}
    assert verify_combination(problem, rows, Reported(**said))
    with pytest.raises(VerificationError, match=text):
        verify_combination(problem, rows, Reported(**change(said)))


def test_tasks_that_fit_alone_and_not_together_come_with_what_is_missing(knowledge):
    """The deadline of each lies just above what it needs alone."""
    alone = sides_of(problem_of(knowledge, units="npu"), knowledge)
    tightest = [int(side.candidates.worst_case_ms[side.rows].min()) / 1e4 for side in alone]
    problem = problem_of(knowledge, detect=round(tightest[0] + 0.1, 1), sort=round(tightest[1] + 0.1, 1), units="npu")
    answer = solve_joint(problem, knowledge)
    data = summarise_joint(answer)
    assert data["status"] == "infeasible"
    assert sum(combinations_per_device(answer.sides).values()) > 0
    (miss, *_) = data["nearest_misses"]
    assert miss["chip"] == "rk3588"
    assert "misses its deadline by" in miss["text"]
    late = next(one for one in miss["missed"] if one["requirement"].endswith("deadline_ms"))
    assert late["figure"] > late["limit"]
    assert miss["excess"] >= late["figure"] / late["limit"] - 1 - 1e-6
    console = Console(record=True, width=200)
    show_answer(data, console)
    assert "near miss: rk3588" in console.export_text()


def test_a_task_that_nothing_can_do_is_proven_alone(knowledge):
    answer = solve_joint(problem_of(knowledge, detect=1), knowledge)
    assert answer.choice.status.value == "infeasible"
    assert answer.misses == ()
    assert answer.proofs[0].startswith("detect: each of ")


def test_the_baseline_is_the_task_its_model_can_do(knowledge):
    named = "baseline: {chip: rk3588, model: resnet50, precision: int8}"
    found = baseline_of(problem_of(knowledge, more=named), knowledge)
    assert found is not None
    assert (found["task"], found["alone"], found["found"]) == ("sort", True, True)
    wrong = "baseline: {chip: rk3588, model: resnet50, precision: int8, task: detect}"
    assert baseline_of(problem_of(knowledge, more=wrong), knowledge) == {
        "chip": "rk3588", "model": "resnet50", "owned": False, "alone": True, "found": False,
        "text": "resnet50 is no network for object-detection",
    }  # fmt: skip


def test_rows_per_device_are_all_rows(knowledge):
    for side in sides_of(problem_of(knowledge), knowledge):
        counted = side.rows_per_device()
        assert sum(counted.values()) == len(side.rows)
        assert set(counted) == {side.device_of(row) for row in np.asarray(side.rows).tolist()}
