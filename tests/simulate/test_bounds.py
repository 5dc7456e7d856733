"""Some systems of every kind of the benchmark: no replay exceeds a bound, and both replays agree.

``benchmarks/bounds.py`` does the same for thousands, and says how tight the bounds are.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from benchmarks.bounds import KINDS, Summary, examine, summary
from benchmarks.bounds_search import Result, Search


@pytest.mark.parametrize("kind", KINDS)
def test_no_replay_exceeds_its_bound(kind):
    row = summary(kind, [examine((kind, 0, number)) for number in range(2)])
    assert row.violations == []
    assert row.disagreements == []
    assert row.frames >= 2 * 500


def test_what_leaves_a_server_at_once_does_not_overtake():
    """Where jobs could take no time at all, an item passed its predecessor of another task between two stages."""
    assert examine(("tasks through the same stages", 1, 401)).violations == []


@pytest.mark.parametrize("kind", ["count", "pipeline of item stages", "tasks, fifo", "tasks, fixed priority"])
def test_exact_bounds_are_reached(kind):
    row = summary(kind, [examine((kind, 1, number)) for number in range(4)])
    assert row.median == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("kind", ["count", "dynamic, T > 0", "pipeline, count", "tasks, fifo"])
def test_a_bound_that_is_too_small_is_caught(kind):
    caught = 0
    for seed in range(3):
        dice = random.Random(seed)
        case = None
        while case is None:
            case = KINDS[kind][0](dice)
        smaller = {name: bound * 3 // 5 for name, bound in case.bounds.items()}
        caught += bool(Search(replace(case, bounds=smaller), seed).run().violations)
    assert caught == 3


def test_a_replay_that_differs_is_caught():
    case = None
    dice = random.Random(1)
    while case is None:
        case = KINDS["count"][0](dice)
    finish = case.finish
    late = replace(case, finish=lambda times, group: finish(times, group) + 1)
    assert Search(late, 1).run().disagrees


def test_faults_are_told():
    results = [Result(bound=30, worst=10, frames=5, violations=["task: 31 > 30"], disagrees=True, number=7)]
    row = summary("count", results)
    assert row == Summary("count", 1, 5, ["task: 31 > 30"], [7], 3.0, 3.0)
    assert row.faults == [
        "count: task: 31 > 30",
        "count: the replays disagree on systems 7",
        "count: median 3.000, expected 1.000",
        "count: 95th percentile 3.00, expected 1.00",
    ]
