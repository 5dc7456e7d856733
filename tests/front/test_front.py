"""Fronts of plain cost vectors against the definition: ties, duplicates, unknown figures, and parts in any order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dse.candidates.table import Candidates, concatenate
from dse.front.front import Front, of_points
from dse.front.points import Points, near, non_dominated, reach_of

NAN = float("nan")
COSTS = st.integers(2, 5).flatmap(
    lambda axes: arrays(
        np.float64,
        st.tuples(st.integers(1, 24), st.just(axes)),
        elements=st.one_of(st.integers(-3, 3).map(float), st.just(NAN)),
    )
)


def points(costs: np.ndarray) -> Points:
    """Rows named by their position, on platforms 0 and 1 in turns."""
    numbers = np.arange(len(costs), dtype=np.int64)
    table = concatenate([]).take(np.zeros(0, dtype=np.int64))
    columns = dict.fromkeys(vars(table), numbers)
    return Points(Candidates(**columns), costs, np.ones(len(costs), np.int64), numbers[:, None], numbers % 2)


def row_by_row(costs: np.ndarray) -> Front:
    found = [of_points(points(costs).take(np.array([k]))) for k in range(len(costs))]
    while len(found) > 1:
        found = [found[0].joined(found[1]), *found[2:]]
    return found[0]


def listed(part: Points) -> list[tuple]:
    """What a list holds, unknown figures as None so that they compare."""
    rows = [tuple(None if np.isnan(cost) else cost for cost in row) for row in part.costs.tolist()]
    return list(zip(rows, part.ties.tolist(), part.candidates.run.tolist(), strict=True))


def dominates(one, other) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)


@settings(deadline=None, max_examples=30)
@given(COSTS)
def test_the_front_is_the_definition(costs):
    known = [tuple(row) for row in costs.tolist() if not any(np.isnan(row))]
    counts = Counter(known)
    wanted = {v: n for v, n in counts.items() if not any(dominates(other, v) for other in counts)}
    found = of_points(points(costs))
    assert {row: ties for row, ties, _ in listed(found.best)} == wanted
    assert len(found.best) == len(wanted)
    assert found.feasible == len(costs)
    assert found.lacking.tolist() == np.isnan(costs).sum(axis=0).tolist()


@settings(deadline=None, max_examples=30)
@given(COSTS, st.randoms())
def test_parts_in_any_order_give_the_same(costs, dice):
    """What was dropped early would not have come back later."""
    whole = of_points(points(costs))
    order = list(range(len(costs)))
    dice.shuffle(order)
    middle = dice.randint(0, len(order))
    halves = [points(costs).take(np.array(half, dtype=np.int64)) for half in (order[:middle], order[middle:])]
    joined = of_points(halves[0]).joined(of_points(halves[1]))
    for other in (joined, row_by_row(costs)):
        for kind in ("best", "apart"):
            assert listed(getattr(whole, kind)) == listed(getattr(other, kind))


@settings(deadline=None, max_examples=30)
@given(COSTS)
def test_unknown_figures_dominate_nothing_and_are_alike_on_one_platform_only(costs):
    found = of_points(points(costs))
    rows = [(tuple(None if np.isnan(c) else c for c in row), k % 2) for k, row in enumerate(costs.tolist())]
    lacking = Counter((row, platform) for row, platform in rows if None in row)

    def is_beaten(row, platform):
        return any(
            here == platform
            and [a is None for a in other] == [b is None for b in row]
            and dominates([a for a in other if a is not None], [b for b in row if b is not None])
            for other, here in lacking
        )

    wanted = {key: count for key, count in lacking.items() if not is_beaten(*key)}
    platforms = found.apart.platform.tolist()
    assert {(row, p): n for (row, n, _), p in zip(listed(found.apart), platforms, strict=True)} == wanted


def test_ties_are_shown_once_by_the_first_name():
    found = of_points(points(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [3.0, 3.0], [1.0, 2.0]])))
    assert listed(found.best) == [((1.0, 2.0), 3, 0), ((2.0, 1.0), 1, 1)]


def test_ties_of_several_platforms_are_shown_by_the_first_name():
    """Row 1 on platform 1 and row 2 on platform 0 are equal: the name decides, not the platform."""
    found = of_points(points(np.array([[3.0, 3.0], [1.0, 1.0], [1.0, 1.0]])))
    assert listed(found.best) == [((1.0, 1.0), 2, 1)]


def test_counts_are_of_designs():
    """A row that stands for four is four feasible ones, and four that lack a figure."""
    tied = replace(points(np.array([[1.0, NAN], [2.0, 2.0]])), ties=np.array([4, 2]))
    found = of_points(tied)
    assert (found.feasible, found.lacking.tolist()) == (6, [0, 4])


@pytest.mark.parametrize(
    ("costs", "kept"),
    [
        (np.zeros((0, 2)), []),
        ([[1.0, 2.0]], [True]),
        (np.zeros((3, 0)), [True] * 3),
        ([[2.0], [1.0], [1.0]], [False, True, True]),
        ([[0.0, 1.0], [-0.0, 1.0], [1.0, 1.0]], [True, True, False]),
        ([[2.0**53, 1.0], [2.0**53 - 1, 1.0], [np.inf, 0.0]], [False, True, True]),
    ],
)
def test_non_dominated_by_hand(costs, kept):
    assert non_dominated(np.asarray(costs)).tolist() == kept


def test_near_rows_are_at_most_a_share_worse_than_one_design_on_every_axis():
    """A tenth of 10 W is 1 W, a tenth of 50 points is 5: 11 W with 45 points is near, 10.5 W with 44 is not."""
    best = np.array([[10.0, -50.0], [20.0, -60.0]])
    costs = np.array([[11.0, -45.0], [10.5, -44.0], [11.1, -50.0], [22.0, -54.0], [10.0, -50.0], [np.nan, -50.0]])
    assert near(costs, best, reach_of(best, 0.1), cells=4).tolist() == [True, False, False, True, False, False]
    assert not near(costs, np.zeros((0, 2)), np.zeros((0, 2))).any()


def test_just_the_share_is_near():
    """57 % of 100 points leave 43; in binary 0.57 x 100 is a little less than 57."""
    best = np.array([[-100.0, 10.0]])
    assert near(np.array([[-43.0, 10.0]]), best, reach_of(best, 0.57)).tolist() == [True]


@settings(deadline=None, max_examples=30)
@given(COSTS, st.integers(0, 99))
def test_near_is_its_definition(costs, percent):
    known = costs[~np.isnan(costs).any(axis=1)]
    best = of_points(points(costs)).best.costs
    by = Fraction(percent, 100)

    def is_near(row):
        if row in best.tolist():
            return False
        return any(all(c <= b + by * abs(Fraction(b)) for c, b in zip(row, one, strict=True)) for one in best.tolist())

    found = near(known, best, reach_of(best, percent / 100))
    assert found.tolist() == [is_near(row) for row in known.tolist()]
