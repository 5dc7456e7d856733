"""The range of a limit over which the winner stays: solving again just inside chooses it, just outside another."""

from __future__ import annotations

from pathlib import Path

import pytest

from dse.answer import solve_problem
from dse.api import load_problem, vocabulary_of
from dse.explaining.chip_view import chip_views
from dse.explaining.explain import explain_problem
from dse.explaining.ranges import ranges_of
from dse.explaining.variants import with_task
from dse.problem.limits import Limit
from dse.problem.load import parse_problem
from dse.report.breaks import scale_and_unit
from dse.report.explained import explanation_object

PROBLEMS = Path(__file__).parents[2] / "problems"


def moved(problem, found, value):
    """The problem with one bound in whole numbers of its column."""
    bound = value / scale_and_unit(found.requirement.rule)[0]
    name = found.requirement.name
    if name in ("deadline_ms", "min_accuracy"):
        return with_task(problem, **{name: bound})
    limit = problem.limits[name]
    other = Limit(name, **({"minimum": bound} if found.below else {"maximum": bound}), unknown=limit.unknown)
    return problem.model_copy(update={"limits": {**problem.limits, name: other}})


def identity(answer):
    if answer.row is None:
        return None
    return tuple(int(getattr(answer.candidates, name)[answer.row]) for name in ("run", "entry", "option"))


@pytest.mark.parametrize("name", ["hard-real-time", "smart-speaker"])
def test_ranges_agree_with_solving_again(knowledge, name):
    problem = load_problem(PROBLEMS / f"{name}.yaml")
    answer = solve_problem(problem, knowledge)
    winner, edges = identity(answer), 0
    for found in ranges_of(answer):
        outwards = 1 if found.below else -1
        for value, step in ((found.tightest, outwards), (found.loosest, -outwards)):
            if value is not None:
                edges += 1
                assert identity(solve_problem(moved(problem, found, value), knowledge)) == winner
                beyond = identity(solve_problem(moved(problem, found, value + step), knowledge))
                assert beyond != winner, (found.requirement.name, value)
    assert edges >= 5


def test_a_loss_against_an_unknown_accuracy_is_no_figure(knowledge):
    """What a network loses is unknown where nobody knows what it has in float."""
    task = "name: t, task: object-detection, rate_hz: 1, deadline_ms: none, max_accuracy_drop: 0, models: ['yolo*']"
    problem = parse_problem(
        f"tasks: {{{task}}}\nsearch: {{chips: [jetson-nano]}}", "p", vocabulary_of(knowledge.catalog)
    )
    (view,) = chip_views(problem, knowledge, "jetson-nano", 1).views
    (drop,) = (one for one in view.limits if one.requirement.name == "max_accuracy_drop")
    assert -100_000_000 <= drop.best <= 0


def test_remedies_and_a_chip_are_explained(knowledge):
    """Every remedy is tried or says why not; every limit has one line for the chip."""
    problem = load_problem(PROBLEMS / "smart-speaker.yaml")
    data = explanation_object(explain_problem(problem, knowledge, chip="stm32*"))
    remedies = {one["name"]: one for one in data["remedies"]}
    assert remedies["second device"]["text"] == "second device: does not apply: not solved yet"
    assert all(one["status"] for one in data["remedies"] if one["applies"])
    assert remedies["prune to 70 %"]["assumption"]
    assert data["feasible"]["winner"]["chip"]
    asked = ["rate", "deadline_ms", "min_accuracy", "memory capacity", "one memory region", "power_w", "utilization"]
    with_runs = [chip for chip in data["chips"] if chip["candidates"]]
    assert with_runs
    assert all([one["limit"] for one in chip["limits"]] == asked for chip in with_runs)
    assert all(chip["limits"] == [] for chip in data["chips"] if not chip["candidates"])
