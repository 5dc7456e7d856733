"""Scores and their stability: closed forms by hand, and what holds for any rows, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dse.problem.scoring import Scoring
from dse.procurement.scoring import Scores, score_rows, stability, value_at, weigh

NAN = float("nan")
THIRD = Fraction(1, 3)


def ranges(scores: Scores) -> dict[str, tuple[Fraction, Fraction | None]]:
    return {one.figure: (one.low, one.high) for one in stability(scores)}


def test_worst_to_best_by_hand() -> None:
    """Accuracy 40, 45, 50 is worth 0, 1/2, 1; power 2, 8, 5 W is worth 1, 0, 1/2: less is better.

    With weights 2 and 1 the scores are 1/3, 1/3 and 5/6.
    """
    rows = [{"accuracy": 40.0, "power_w": 2.0}, {"accuracy": 45.0, "power_w": 8.0}, {"accuracy": 50.0, "power_w": 5.0}]
    scores = score_rows(rows, Scoring(weights={"accuracy": 2.0, "power_w": 1.0}))
    assert [row.score for row in scores.rows] == [THIRD, THIRD, Fraction(5, 6)]
    assert scores.values["power_w"] == ((2, 1), (8, 0))
    assert scores.order == (2, 0, 1)  # equal scores stay as they came in
    assert scores.winner == 2
    # Over the first row the third leads by t·1 - 1·1/2, over the second by t·1/2 + 1/2: accuracy from 1/2.
    # With the weight t of power: 2 - t/2 over the first, 1 + t/2 over the second: power up to 4.
    assert ranges(scores) == {"accuracy": (Fraction(1, 2), None), "power_w": (0, 4)}


def test_stated_values_by_hand() -> None:
    """Between points straight, beyond them flat; scores may fall and rise."""
    file = Scoring(weights={"accuracy": 1.0}, values={"accuracy": [[40.0, 0.2], [50.0, 1.0], [60.0, 0.5]]})
    rows = [{"accuracy": figure} for figure in (30.0, 40.0, 45.0, 50.0, 52.0, 99.0)]
    scores = score_rows(rows, file)
    # 45: halfway from 0.2 to 1; 52: a fifth of the way from 1 to 0.5
    expected = [Fraction(1, 5), Fraction(1, 5), Fraction(3, 5), 1, Fraction(9, 10), Fraction(1, 2)]
    assert [row.score for row in scores.rows] == expected


def test_equal_figures_are_worth_all() -> None:
    """Where all rows are equal, or one is alone, nobody loses anything."""
    file = Scoring(weights={"power_w": 1.0})
    for rows in ([{"power_w": 3.0}], [{"power_w": 3.0}, {"power_w": 3.0}]):
        scores = score_rows(rows, file)
        assert {row.score for row in scores.rows} == {1}
        assert scores.winner == 0
        assert ranges(scores) == {"power_w": (0, None)}


@pytest.mark.parametrize("missing", [{}, {"power_w": None}, {"power_w": NAN}])
def test_a_missing_figure_widens_the_score(missing: dict[str, float | None]) -> None:
    """The second row has 1 from accuracy at weight 3 and anything from power at weight 1: 3/4 to 1, but no score.

    It comes after the first, whose score is (0 + 1)/4, since nobody knows that it is better.
    """
    rows: list[Mapping[str, float | None]] = [{"accuracy": 40.0, "power_w": 3.0}, {"accuracy": 50.0, **missing}]
    scores = score_rows(rows, Scoring(weights={"accuracy": 3.0, "power_w": 1.0}))
    assert (scores.rows[0].score, scores.rows[0].low, scores.rows[0].high) == (Fraction(1, 4),) * 3
    assert (scores.rows[1].score, scores.rows[1].low, scores.rows[1].high) == (None, Fraction(3, 4), 1)
    assert (scores.order, scores.winner) == ((0, 1), 0)
    # the other row does not compete at any weight above 0
    assert ranges(scores) == {"accuracy": (0, None), "power_w": (0, None)}


def test_rows_without_a_score_go_by_the_least_they_reach() -> None:
    """Nobody knows the power: no winner, no stability, and the more accurate row first."""
    rows: list[Mapping[str, float | None]] = [{"accuracy": 40.0}, {"accuracy": 50.0}]
    scores = score_rows(rows, Scoring(weights={"accuracy": 1.0, "power_w": 1.0}))
    assert [row.low for row in scores.rows] == [0, Fraction(1, 2)]
    assert (scores.order, scores.winner, stability(scores)) == ((1, 0), None, ())
    assert scores.values["power_w"] == ()


def test_no_rows_have_no_winner() -> None:
    """Without feasible designs there is nothing to score."""
    scores = score_rows([], Scoring(weights={"accuracy": 1.0}))
    assert (scores.rows, scores.order, scores.winner, stability(scores)) == ((), (), None, ())


def test_a_weight_of_0_leaves_its_figure_out() -> None:
    """A winner whose power is unknown has a score while power does not count, and none as soon as it does."""
    rows: list[Mapping[str, float | None]] = [{"accuracy": 50.0}, {"accuracy": 40.0, "power_w": 3.0}]
    scores = score_rows(rows, Scoring(weights={"accuracy": 1.0, "power_w": 0.0}))
    assert (scores.rows[0].score, scores.winner) == (1, 0)
    assert ranges(scores) == {"accuracy": (0, None), "power_w": (0, 0)}


def test_a_rival_needs_only_what_counts() -> None:
    """A rival of unknown power competes while power does not count: it has 1/3 from its price, the winner 2/3.

    It draws level with the winner where accuracy weighs 1 as the price does, or the price 2 as accuracy does.
    """
    rows: list[Mapping[str, float | None]] = [
        {"accuracy": 50.0, "price_usd": 4.0, "power_w": 3.0},
        {"accuracy": 40.0, "price_usd": 1.0},
    ]
    scores = score_rows(rows, Scoring(weights={"accuracy": 2.0, "price_usd": 1.0, "power_w": 0.0}))
    assert [row.score for row in scores.rows] == [2 * THIRD, THIRD]
    assert ranges(scores) == {"accuracy": (1, None), "price_usd": (0, 2), "power_w": (0, None)}


def test_only_ratios_of_weights_matter() -> None:
    """Weights ten times as large give the same scores, and ranges ten times as wide."""
    rows = [
        {"accuracy": 40.0, "price_usd": 3.0},
        {"accuracy": 50.0, "price_usd": 8.0},
        {"accuracy": 44.0, "price_usd": 4.0},
    ]
    small, large = (score_rows(rows, Scoring(weights={"accuracy": 3 * k, "price_usd": k})) for k in (1.0, 10.0))
    assert small.rows == large.rows
    assert small.winner == large.winner
    for name, (low, high) in ranges(small).items():
        assert ranges(large)[name] == (10 * low, None if high is None else 10 * high)


def test_decimals_are_those_of_the_file() -> None:
    """0.3 lies exactly halfway between 0.1 and 0.5, and 0.1 + 0.2 = 0.3 as weights; in binary both fail."""
    line = ((Fraction("0.1"), Fraction(0)), (Fraction("0.5"), Fraction(1)))
    assert value_at(line, Fraction("0.3")) == Fraction(1, 2)
    rows = [{"power_w": 1.0, "price_usd": 1.0, "memory_mb": 2.0}, {"power_w": 2.0, "price_usd": 2.0, "memory_mb": 1.0}]
    scores = score_rows(rows, Scoring(weights={"power_w": 0.1, "price_usd": 0.2, "memory_mb": 0.3}))
    assert scores.rows[0].score == scores.rows[1].score == Fraction(1, 2)
    assert scores.winner == 0


@pytest.mark.parametrize("weights", [{"power_w": Fraction(0)}, {"power_w": Fraction(-1)}, {}])
def test_weights_that_weigh_nothing(weights: dict[str, Fraction]) -> None:
    """Under such weights there is no mean."""
    with pytest.raises(ValueError, match="weights are 0 or more, and one of them is more"):
        weigh([{"power_w": Fraction(1)}], {}, weights)


NAMES = ("accuracy", "power_w", "cost_usd")
figures = st.one_of(st.none(), st.sampled_from([1.0, 2.0, 3.5, 4.0]), st.floats(0.5, 100))
tables = st.lists(st.fixed_dictionaries(dict.fromkeys(NAMES, figures)), min_size=1, max_size=6)
curves = st.lists(st.floats(0, 1), min_size=2, max_size=4).map(
    lambda scores: [[10.0 * k, v] for k, v in enumerate(scores)]
)
weighings = st.fixed_dictionaries(
    {name: st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.floats(0, 10)) for name in NAMES}
).filter(lambda weights: any(weights.values()))
scorings = st.builds(Scoring, weights=weighings, values=st.dictionaries(st.sampled_from(NAMES), curves))


@given(tables, scorings)
@settings(deadline=None)
def test_scores_lie_between_their_ends(rows: list[Any], file: Scoring) -> None:
    """0 ≤ low ≤ high ≤ 1; a score is both ends; the winner is a best row, and the order a permutation."""
    scores = score_rows(rows, file)
    for row in scores.rows:
        assert 0 <= row.low <= row.high <= 1
        assert row.score is None or row.low == row.score == row.high
        assert (row.score is None) == (row.low < row.high)
    assert sorted(scores.order) == list(range(len(rows)))
    known = [row.score for row in scores.rows if row.score is not None]
    assert (scores.winner is None) == (not known)
    if scores.winner is not None:
        assert scores.rows[scores.winner].score == max(known)


@given(tables, scorings)
@settings(deadline=None)
def test_any_value_of_a_missing_figure_stays_in_the_range(rows: list[Any], file: Scoring) -> None:
    """Whatever the missing figures turn out to be worth, the score lies between low and high."""
    scores = score_rows(rows, file)
    for row, worth in zip(scores.rows, scores.worth, strict=True):
        gaps = [name for name, value in worth.items() if value is None]
        for guesses in product((Fraction(0), THIRD, Fraction(1)), repeat=len(gaps)):
            filled = {**worth, **dict(zip(gaps, guesses, strict=True))}
            (guessed,) = weigh([filled], scores.values, scores.weights).rows
            assert guessed.score is not None
            assert row.low <= guessed.score <= row.high


def at(scores: Scores, name: str, weight: Fraction) -> int | None:
    """Winner with another weight for one figure."""
    return weigh(scores.worth, scores.values, {**scores.weights, name: weight}).winner


@given(tables, scorings, st.fractions(Fraction(1, 100), Fraction(99, 100)))
@settings(deadline=None, max_examples=100)
def test_ranges_are_exact(rows: list[Any], file: Scoring, share: Fraction) -> None:
    """Anywhere inside the range the winner is first; a step beyond either end, however small, it is not."""
    scores = score_rows(rows, file)
    assume(scores.winner is not None)
    for one in stability(scores):
        assert 0 <= one.low <= one.weight
        assert one.high is None or one.weight <= one.high
        inside = one.low + share * (one.high - one.low) if one.high is not None else one.low + share * 1000
        if inside > one.low:
            assert at(scores, one.figure, inside) == scores.winner
        step = Fraction(1, 10**30)
        if one.high is not None:
            assert at(scores, one.figure, one.high + step) != scores.winner
        if one.low > 0:
            below = max(one.low - step, one.low / 2)
            assert at(scores, one.figure, below) != scores.winner


@given(tables, scorings)
@settings(deadline=None)
def test_order_of_rows_decides_ties_only(rows: list[Any], file: Scoring) -> None:
    """Rows turned round have the same scores, turned round."""
    forward, backward = score_rows(rows, file), score_rows(rows[::-1], file)
    assert forward.rows == backward.rows[::-1]
