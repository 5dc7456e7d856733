"""Scores, with numbers derived by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dse.fidelity.rows import Predictions
from dse.fidelity.scores import score
from tests.fidelity import made

# Measured 100 ms each. Errors of time: -20 %, 0, +8 %, +24 %, +100 %.
PREDICTED = [80.0, 100.0, 108.0, 124.0, 200.0]


def five(**changes):
    return made.rows(*({"ms": 100.0, "model": f"m{k}", **changes} for k in range(5)))


def keys(n):
    return np.array([str(k) for k in range(n)], dtype=object)


def test_errors_by_hand():
    scores = score(five(), made.predictions(PREDICTED, factor=1.24), keys(5))
    assert (scores.rows, scores.answered) == (5, 1.0)
    # Sorted errors 0, 8, 20, 24, 100 %.
    assert scores.median_ape.value == pytest.approx(0.20)
    # Sorted factors 1, 1.08, 1.24, 1.25 (100 / 80), 2: the 0.9 quantile of the logs lies 0.6 of the way from 1.25 to 2.
    assert scores.factor90.value == pytest.approx(1.25**0.4 * 2**0.6)
    assert scores.within10.value == pytest.approx(2 / 5)
    assert scores.within25.value == pytest.approx(4 / 5)
    # Inside 100 / 1.24 to 100 * 1.24, the edge counts: 80 is just outside.
    assert scores.coverage.value == pytest.approx(3 / 5)
    assert scores.half_width.value == pytest.approx(1.24)
    assert np.isnan(scores.rank_in_chip.value)  # all measured alike
    assert scores.median_ape.low <= 0.20 <= scores.median_ape.high


def test_within_counts_the_edge():
    scores = score(made.rows({"log_ms": 0.0}, {"log_ms": 0.0}), made.predictions([1.25, 1.26]), keys(2))
    assert scores.within25.value == 0.5


def test_ranks_are_within_chip_and_within_model():
    """Right order on both chips, wrong order of the chips: 1 in the chips, -1 in each model."""
    chips, models = "abcde", range(5)
    rows = made.rows(
        *({"chip": c, "model": f"m{k}", "ms": 10.0**k * (1 + i)} for i, c in enumerate(chips) for k in models)
    )
    predicted = [10.0**k / (1 + i) for i in range(5) for k in models]
    scores = score(rows, made.predictions(predicted), keys(25))
    assert scores.rank_in_chip.value == pytest.approx(1)
    assert scores.rank_in_model.value == pytest.approx(-1)


def test_refused_rows_are_counted_and_not_scored():
    scores = score(five(), made.predictions([100.0, np.nan, np.nan, np.nan, 150.0]), keys(5))
    assert (scores.rows, scores.answered) == (5, pytest.approx(0.4))
    assert scores.median_ape.value == pytest.approx(0.25)


@pytest.mark.parametrize("n", [0, 3], ids=["no rows", "all refused"])
def test_nothing_to_score_is_nan(n):
    scores = score(five().iloc[:n], made.predictions([np.nan] * n), keys(n))
    assert scores.rows == n
    assert np.isnan([scores.median_ape.value, scores.factor90.low, scores.within10.value, scores.coverage.high]).all()


def test_rows_without_an_interval_do_not_count_as_covered():
    """Two rows state x2 and are right; three state nothing."""
    given = made.predictions(PREDICTED, factor=2.5)
    half_width = np.where(np.arange(5) < 2, given.half_width, np.nan)
    scores = score(five(), Predictions(given.log_ms, half_width, given.level), keys(5))
    assert scores.coverage.value == 1.0
    assert np.isnan(score(five(), Predictions.of_times(given.log_ms), keys(5)).coverage.value)


def test_an_interval_holds_the_truth_about_as_often_as_it_says():
    """Median error of 150 draws from one law, 200 times over: its 95 % interval holds the true median in 90 to 99 %."""
    random = np.random.default_rng(5)
    truth = 0.2023  # median of |exp(e) - 1| for e normal with deviation 0.3, from ten million draws
    held = 0
    for _ in range(200):
        rows = made.rows(*[{}] * 150)
        scores = score(rows, made.predictions(np.exp(random.normal(0, 0.3, 150))), keys(150), resamples=200)
        held += scores.median_ape.low <= truth <= scores.median_ape.high
    assert 0.90 <= held / 200 <= 0.99


def test_seeds_make_intervals_repeatable():
    rows = made.random_rows(200, 1)
    given = made.predictions(np.exp(rows["log_ms"] + np.random.default_rng(1).normal(0, 0.3, 200)))
    once, again = (score(rows, given, keys(200), seed=seed).factor90 for seed in (7, 7))
    assert once == again != score(rows, given, keys(200), seed=8).factor90


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="5 rows, 4 predictions, 5 clusters: give one each"):
        score(five(), made.predictions([1.0] * 4), keys(5))
