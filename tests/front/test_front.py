"""Fronts of plain cost vectors against the definition: ties, duplicates, unknown figures, and parts in any order."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dse.candidates.table import Candidates, concatenate
from dse.front.front import Front, of_points
from dse.front.points import Points, beaten

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


def row_by_row(costs: np.ndarray, share: float) -> Front:
    found = [of_points(points(costs).take(np.array([k])), share) for k in range(len(costs))]
    while len(found) > 1:
        found = [found[0].joined(found[1]), *found[2:]]
    return found[0]


def listed(part: Points) -> list[tuple]:
    """What a list holds, unknown figures as None so that they compare."""
    rows = [tuple(None if np.isnan(cost) else cost for cost in row) for row in part.costs.tolist()]
    return list(zip(rows, part.ties.tolist(), part.candidates.run.tolist(), strict=True))


def dominates(one, other) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)


@settings(deadline=None, max_examples=60)
@given(COSTS)
def test_the_front_is_the_definition(costs):
    known = [tuple(row) for row in costs.tolist() if not any(np.isnan(row))]
    counts = Counter(known)
    wanted = {v: n for v, n in counts.items() if not any(dominates(other, v) for other in counts)}
    found = of_points(points(costs), 0.0)
    assert {row: ties for row, ties, _ in listed(found.best)} == wanted
    assert len(found.best) == len(wanted)
    assert found.feasible == len(costs)
    assert found.lacking.tolist() == np.isnan(costs).sum(axis=0).tolist()


@settings(deadline=None, max_examples=60)
@given(COSTS, st.sampled_from([0.0, 0.25, 0.5]), st.randoms())
def test_parts_in_any_order_give_the_same(costs, share, dice):
    """What was dropped early would not have come back later."""
    whole = of_points(points(costs), share)
    order = list(range(len(costs)))
    dice.shuffle(order)
    middle = dice.randint(0, len(order))
    halves = [points(costs).take(np.array(half, dtype=np.int64)) for half in (order[:middle], order[middle:])]
    joined = of_points(halves[0], share).joined(of_points(halves[1], share))
    for other in (joined, row_by_row(costs, share)):
        for kind in ("best", "near", "apart"):
            assert listed(getattr(whole, kind)) == listed(getattr(other, kind))


@settings(deadline=None, max_examples=60)
@given(COSTS)
def test_unknown_figures_dominate_nothing_and_are_alike_on_one_platform_only(costs):
    found = of_points(points(costs), 0.0)
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
    found = of_points(points(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [3.0, 3.0], [1.0, 2.0]])), 0.0)
    assert listed(found.best) == [((1.0, 2.0), 3, 0), ((2.0, 1.0), 1, 1)]


def test_near_rows_are_those_that_a_share_would_bring_to_the_front():
    """Of 10 watts 10 % is one: 11 becomes 9.9 and is near 10, 11.2 becomes 10.08 and is not."""
    found = of_points(points(np.array([[10.0, -50.0], [11.0, -50.0], [11.2, -50.0], [11.2, -60.0]])), 0.1)
    assert listed(found.best) == [((10.0, -50.0), 1, 0), ((11.2, -60.0), 1, 3)]
    # The third beats the first by accuracy once it has a tenth more of it: 55 points for 10.08 W.
    assert listed(found.near) == [((11.0, -50.0), 1, 1), ((11.2, -50.0), 1, 2)]
    without = of_points(points(np.array([[10.0, 50.0], [11.0, 50.0], [12.3, 60.0]])), 0.1)
    assert listed(without.near) == [((11.0, 50.0), 1, 1)]


def test_beaten_works_in_blocks():
    costs = np.array([[float(k), 0.0] for k in range(10)])
    assert beaten(costs, np.array([[4.0, 0.0]]), block=3).tolist() == [k > 4 for k in range(10)]
    assert not beaten(costs, np.zeros((0, 2))).any()
