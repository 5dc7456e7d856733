"""A table in parts: their fronts together are the front of the whole."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dse.api import load_problem
from dse.candidates.context import prepare
from dse.candidates.table import chunks, count_candidates, evaluate_all
from dse.front.axes import parse_axes
from dse.frontier import cut, front_of_problem
from dse.report.front_data import front_object

AXES = parse_axes("accuracy,worst_case_ms,result.batch:min")


@pytest.fixture(scope="module")
def context(knowledge):
    problem = load_problem("problems/smart-speaker.yaml")
    return prepare(problem, problem.tasks[0], knowledge)


@pytest.mark.parametrize("parts", [1, 2, 7, 5000])
def test_ranges_cover_every_run_once(context, parts):
    ranges = cut(context, parts)
    assert [run for runs in ranges for run in runs] == list(range(len(context.runs)))
    assert all(a.stop == b.start and len(a) for a, b in pairwise(ranges))


def test_the_count_is_that_of_the_table(context):
    assert count_candidates(context) == len(evaluate_all(context))


def test_feasible_rows_are_those_of_the_whole_table(context):
    """Rows that a run rules out alone are never formed; the others are the same to the last figure."""
    whole = evaluate_all(context)
    wanted = whole.take(whole.violated == 0)
    found = [chunk for chunk in chunks(context, size=100, feasible_only=True) if len(chunk)]
    assert sum(map(len, found)) == len(wanted) > 0
    rows = {tuple(column[k] for column in vars(chunk).values()) for chunk in found for k in range(len(chunk))}
    assert rows == {tuple(column[k] for column in vars(wanted).values()) for k in range(len(wanted))}


def test_two_processes_give_the_same_front(context, knowledge):
    assert len(cut(context, 8)) > 1
    problem = load_problem("problems/smart-speaker.yaml")
    one, two = (front_object(front_of_problem(problem, knowledge, AXES, 0.9, workers=w)) for w in (1, 2))
    assert {row["kind"] for row in one["rows"]} >= {"front", "near"}
    for shown in (one, two):
        shown["search"].pop("wall_s")
        shown["search"].pop("workers")
    assert one == two
