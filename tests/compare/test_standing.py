"""The highest figure with which a design wins, on tables small enough to follow by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dse.candidates.preference import Goal, Ranking
from dse.candidates.table import concatenate
from dse.compare.standing import best_of_each, order_of, winning_value
from dse.problem.settings import Objective
from dse.schema import QUANTITIES, UNKNOWN

CENT = QUANTITIES["price_usd"].resolution


def ranking(
    accuracy: list[float], price: list[float | None], *, within: float = 0.0, feasible: list[int] | None = None
):
    """Candidates with an accuracy and a price: first the accuracy counts, within a margin, then the price."""
    size = len(accuracy)
    columns = {name: np.zeros(size, dtype=np.int64) for name in vars(concatenate([]))}
    columns["accuracy"] = np.array([round(value * 1_000_000) for value in accuracy], dtype=np.int64)
    columns["price_usd"] = np.array(
        [UNKNOWN if usd is None else round(usd * 1_000_000) for usd in price], dtype=np.int64
    )
    goals = (
        Goal(Objective(sense="maximize", name="accuracy", within=within), QUANTITIES["accuracy"], round(within * 100)),
        Goal(Objective(sense="minimize", name="price_usd"), QUANTITIES["price_usd"], 0),
    )
    rows = np.arange(size) if feasible is None else np.array(feasible, dtype=np.int64)
    return Ranking(type(concatenate([]))(**columns), goals, rows, np.arange(size))


def test_of_equal_accuracies_the_cheaper_wins_up_to_the_price_of_the_other():
    # B costs 20: A, first by name, wins a tie, so it may cost 20 as well; B must be a cent below A's 10.
    table = ranking([70, 70], [10, 20])
    assert winning_value(table, "price_usd", np.array([0]), np.array([1]), None).value == 20
    assert winning_value(table, "price_usd", np.array([1]), np.array([0]), None).value == 9.99


def test_no_price_makes_up_for_an_earlier_objective():
    # 69 is more than the 0.5 points given up below 70.
    table = ranking([70, 69], [10, 20], within=0.5)
    assert winning_value(table, "price_usd", np.array([1]), np.array([0]), None).value is None
    # Within 1 point it is a matter of the price alone.
    wider = ranking([70, 69], [10, 20], within=1)
    assert winning_value(wider, "price_usd", np.array([1]), np.array([0]), None).value == 9.99


def test_a_design_that_nothing_rivals_wins_at_any_price_within_the_limit():
    table = ranking([70, 60], [10, 20])
    alone = winning_value(table, "price_usd", np.array([0]), np.array([1]), None)
    assert alone.any
    limited = winning_value(table, "price_usd", np.array([0]), np.array([1]), 99.95)
    assert (limited.value, limited.any) == (99.95, False)


def test_a_design_wins_where_there_is_no_other():
    table = ranking([70], [None])
    assert winning_value(table, "price_usd", np.array([0]), np.zeros(0, dtype=np.int64), 50).value == 50


def test_an_unknown_price_of_another_never_stands_in_the_way():
    table = ranking([70, 70], [None, 20])
    # Against an unknown price any known one wins.
    assert winning_value(table, "price_usd", np.array([1]), np.array([0]), None).any


def test_groups_are_named_by_the_best_that_remains():
    # Groups: 0 has rows 0 and 1, 1 has row 2, 2 has row 3; after 72 goes 71, and then 70 at 5 before 70 at 9.
    table = ranking([72, 70, 71, 70], [9, 5, 9, 1])
    assert order_of(table, np.array([0, 0, 1, 2])) == [0, 2, 3]
    assert order_of(ranking([72], [1], feasible=[]), np.array([0])) == []


def test_each_group_has_its_own_best():
    table = ranking([72, 70, 71], [9, 5, 9])
    assert best_of_each(table, np.array([1, 2]), np.array([0, 0, 1])) == {0: 1, 1: 2}


@given(
    st.lists(st.tuples(st.integers(0, 4), st.one_of(st.none(), st.integers(1, 30))), min_size=2, max_size=9), st.data()
)
def test_a_cent_decides(rows, data):
    """With the price found the item is chosen, with a cent more it is not, whatever the others are."""
    within = data.draw(st.sampled_from([0.0, 1.0, 2.0]))
    mine = data.draw(st.integers(1, len(rows) - 1))
    table = ranking([float(a) for a, _ in rows], [None if p is None else p / 100 for _, p in rows], within=within)
    own, others = np.arange(mine), np.arange(mine, len(rows))
    found = winning_value(table, "price_usd", own, others, None)

    def wins(cents: int) -> bool:
        priced = table.with_value("price_usd", own, cents * CENT)
        return priced.best(np.arange(len(rows))) < mine

    if found.any:
        assert wins(10**9)
    elif found.value is None:
        assert not wins(1)
    else:
        assert wins(round(found.value * 100))
        assert not wins(round(found.value * 100) + 1)
