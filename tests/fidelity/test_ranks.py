"""Rank correlation within groups: hand-derived, against a second road, and at its edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.fidelity.ranks import LEAST_ROWS, mean_rank

ONE = np.zeros(5, dtype=np.int64)


def once(n):
    return np.ones((1, n), dtype=np.int64)


@pytest.mark.parametrize(
    ("predicted", "measured", "expected"),
    [
        pytest.param([1, 2, 3, 4, 5], [10, 20, 30, 40, 50], 1.0, id="same order"),
        pytest.param([5, 4, 3, 2, 1], [10, 20, 30, 40, 50], -1.0, id="reversed"),
        # 1 - 6 sum(d^2) / (n (n^2 - 1)) = 1 - 6 * 2 / 120
        pytest.param([2, 1, 3, 4, 5], [10, 20, 30, 40, 50], 0.9, id="one swap"),
        # Ranks 1.5 1.5 3 4 5 and 1 2 3 4 5: covariance 9.5, squares 9.5 and 10
        pytest.param([1, 1, 3, 4, 5], [10, 20, 30, 40, 50], 9.5 / np.sqrt(95), id="a tie shares its ranks"),
        pytest.param([7, 7, 7, 7, 7], [10, 20, 30, 40, 50], 0.0, id="no order predicted"),
        pytest.param([1, 2, 3, 4, 5], [9, 9, 9, 9, 9], np.nan, id="no order to find"),
    ],
)
def test_one_group(predicted, measured, expected):
    found = mean_rank(np.array(predicted, dtype=float), np.array(measured, dtype=float), ONE, once(5))
    assert found == pytest.approx([expected], nan_ok=True)


def test_groups_count_alike_and_small_ones_not_at_all():
    """Five rows at +1, six at -1, and four rows too few: the mean is 0."""
    group = np.array([2] * 5 + [0] * 6 + [1] * 4)
    measured = np.arange(15.0)
    predicted = np.concatenate([np.arange(5.0), -np.arange(6.0), np.arange(4.0)])
    assert mean_rank(predicted, measured, group, once(15)) == pytest.approx([0.0])
    assert np.isnan(mean_rank(predicted[11:], measured[11:], group[11:], once(4))).all()
    assert np.isnan(mean_rank(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), once(0))).all()


def test_a_resample_needs_five_distinct_rows_of_a_group():
    measured = np.arange(5.0)
    times = np.array([[2, 1, 1, 1, 1], [3, 3, 3, 3, 0]])
    assert mean_rank(measured, measured, ONE, times) == pytest.approx([1.0, np.nan], nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 40))
def test_weights_equal_rows_written_out_and_pandas_agrees(seed, n):
    random = np.random.default_rng(seed)
    predicted, measured = random.integers(0, 6, (2, n)).astype(float)
    group, times = random.integers(0, 4, n), random.integers(0, 4, (3, n))
    expected = [by_pandas(predicted, measured, group, row) for row in times]
    assert mean_rank(predicted, measured, group, times) == pytest.approx(expected, nan_ok=True)


def by_pandas(predicted, measured, group, times):
    """The second road: rows written out, ranked and correlated group by group."""
    found = []
    for g in np.unique(group):
        here = np.flatnonzero((group == g) & (times > 0))
        written = pd.DataFrame({"p": predicted, "m": measured}).iloc[np.repeat(here, times[here])]
        if len(here) < LEAST_ROWS or written["m"].nunique() == 1:
            continue
        ranks = written.rank()
        found.append(np.corrcoef(ranks["p"], ranks["m"])[0, 1] if written["p"].nunique() > 1 else 0.0)
    return np.mean(found) if found else np.nan


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_only_the_order_matters(seed):
    """Logs or times, in any row order: the same correlation."""
    random = np.random.default_rng(seed)
    predicted, measured, group = random.normal(size=30), random.normal(size=30), random.integers(0, 3, 30)
    order = random.permutation(30)
    plain = mean_rank(predicted, measured, group, once(30))
    assert mean_rank(np.exp(predicted)[order], measured[order] * 7, group[order], once(30)) == pytest.approx(plain)
