"""The lexicographic choice: against enumeration, with ties, limits of numbers, and any number of workers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.model.choice import build, minimise
from dse.model.scaling import MAX_ROW_SUM, assert_small, non_dominated, ranks
from dse.model.solve import choose
from dse.solution import Status


def enumerate_best(costs, withins, rank):
    """The definition, in Python numbers."""
    left = list(range(len(costs)))
    for k, within in enumerate(withins):
        best = min(costs[i][k] for i in left)
        left = [i for i in left if costs[i][k] <= best + within]
    return min(left, key=lambda i: (costs[i], rank[i]))


tables = st.integers(1, 4).flatmap(
    lambda k: st.tuples(
        st.lists(st.lists(st.integers(-6, 6), min_size=k, max_size=k), min_size=1, max_size=14),
        st.lists(st.integers(0, 4), min_size=k, max_size=k),
        st.randoms(use_true_random=False),
    )
)


@settings(max_examples=40, deadline=None)
@given(tables)
def test_choice_equals_enumeration(case):
    """Small tables full of ties: the same row as the definition gives, proven."""
    costs, withins, random = case
    rank = list(range(len(costs)))
    random.shuffle(rank)
    names = [f"goal{k}" for k in range(len(withins))]
    choice = choose(np.array(costs), withins, names, np.array(rank))
    assert choice.status is Status.OPTIMAL
    assert choice.row == enumerate_best(costs, withins, rank)
    assert all(proven.cost == proven.bound for proven in choice.proven)


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_workers_do_not_change_the_row(workers):
    """Forty rows that tie on two of three objectives: one answer, by name order."""
    rng = np.random.default_rng(7)
    costs, rank = rng.integers(0, 3, size=(40, 3)), rng.permutation(40)
    choice = choose(costs, [1, 0, 0], ["a", "b", "c"], rank, workers=workers)
    assert choice.row == enumerate_best(costs.tolist(), [1, 0, 0], rank.tolist())


def test_no_rows_is_infeasible_not_an_error():
    """An empty table is a result of its own."""
    choice = choose(np.zeros((0, 2), dtype=np.int64), [0, 0], ["a", "b"], np.zeros(0, dtype=np.int64))
    assert choice.status is Status.INFEASIBLE
    assert choice.row is None


def test_no_time_is_never_called_optimal():
    """With no time at all the solver may find something, but it proves nothing it did not prove."""
    rng = np.random.default_rng(0)
    front = np.stack([np.arange(3000), -np.arange(3000)], axis=1)
    choice = choose(front, [1500, 0], ["a", "b"], rng.permutation(3000), time_limit_s=0.0)
    assert choice.status in (Status.UNKNOWN, Status.FEASIBLE)


def test_a_dominated_newcomer_changes_nothing():
    """A row that is worse everywhere is dropped before the solver sees it."""
    costs = np.array([[1, 5], [2, 1]])
    worse = np.vstack([costs, [[3, 6]]])
    assert (
        choose(costs, [1, 0], ["a", "b"], np.arange(2)).row == choose(worse, [1, 0], ["a", "b"], np.arange(3)).row == 1
    )


def test_within_gives_up_exactly_what_it_says():
    """By hand: best a is 10, within 2 admits 12 but not 13; among 10 and 12 the smaller b wins."""
    costs = np.array([[10, 9], [12, 4], [13, 0]])
    assert choose(costs, [2, 0], ["a", "b"], np.arange(3)).row == 1
    assert choose(costs, [1, 0], ["a", "b"], np.arange(3)).row == 0
    assert choose(costs, [3, 0], ["a", "b"], np.arange(3)).row == 2


def test_non_dominated_is_the_definition():
    """Against the quadratic definition, duplicates kept once by rank."""
    rng = np.random.default_rng(1)
    costs = rng.integers(0, 5, size=(60, 3))
    rank = rng.permutation(60)
    kept = set(non_dominated(costs, rank).tolist())
    for i in range(60):
        beaten = any((costs[j] <= costs[i]).all() and (costs[j] < costs[i]).any() for j in range(60))
        earlier = any((costs[j] == costs[i]).all() and rank[j] < rank[i] for j in range(60))
        assert (i in kept) == (not beaten and not earlier)


def test_row_sums_are_asserted():
    """Coefficients whose absolute sum reaches 2**30 never enter the model."""
    assert_small(np.array([MAX_ROW_SUM - 1]))
    with pytest.raises(OverflowError, match="limit is 1073741824"):
        assert_small(np.array([MAX_ROW_SUM // 2, -MAX_ROW_SUM // 2]))
    with pytest.raises(OverflowError, match="narrow the search"):
        minimise(build(["a", "b"]), np.array([MAX_ROW_SUM, 0]))


def test_ranks_keep_the_order_of_costs():
    """Distinct costs of any size become 0, 1, 2 …; the levels lead back."""
    rank, levels = ranks(np.array([10**15, -5, 10**15, 7]))
    assert rank.tolist() == [2, 0, 2, 1]
    assert levels.tolist() == [-5, 7, 10**15]
