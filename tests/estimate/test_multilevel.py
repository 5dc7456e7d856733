"""The shrunken linear model against hand-worked means and a dense solution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.estimate import multilevel
from dse.estimate.multilevel import Term, fit, robust_weights

ONES = np.ones((4, 1))


def term(levels, size, spread, scale=None):
    level = np.array(levels, dtype=np.int64).reshape(len(levels), -1)
    return Term(
        level, np.ones(level.shape) if scale is None else np.array(scale, float).reshape(level.shape), size, spread
    )


def test_an_effect_is_a_shrunken_mean(monkeypatch):
    """Two rows at +1 and two at -1 with sigma 1 and spread 1: the effects are 2 / (2 + 1) and -2 / 3, by hand."""
    monkeypatch.setattr(multilevel, "REWEIGHTINGS", 1)
    found = fit(np.array([1.0, 1, -1, -1]), ONES, [term([0, 0, 1, 1], 3, 1.0)], 1.0)
    assert found.effects[0] == pytest.approx([2 / 3, -2 / 3, 0], abs=1e-6)
    # One over 2 rows and the prior; the untouched effect has the prior alone.
    assert found.variances[0] == pytest.approx([1 / 3, 1 / 3, 1])
    assert found.fitted == pytest.approx([2 / 3, 2 / 3, -2 / 3, -2 / 3], abs=1e-6)


def test_a_wider_prior_shrinks_less(monkeypatch):
    monkeypatch.setattr(multilevel, "REWEIGHTINGS", 1)
    y = np.array([1.0, 1, -1, -1])
    narrow, wide = (fit(y, ONES, [term([0, 0, 1, 1], 2, spread)], 1.0).effects[0][0] for spread in (0.1, 10))
    assert narrow == pytest.approx(2 / 102, abs=1e-6)
    assert wide == pytest.approx(2 / 2.01, abs=1e-6)


def test_a_wild_row_counts_little():
    """Nine rows at 0 and one at 10: the mean is 1, the robust level is near 0."""
    y = np.r_[np.zeros(9), 10.0]
    found = fit(y, np.ones((10, 1)), [], 0.2)
    assert abs(found.dense[0]) < 0.02
    assert robust_weights(np.array([0.0, 0.2, 2.0]), 0.2) == pytest.approx([5 / 4, 1, 5 / 104])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), rows=st.integers(5, 40), spread=st.floats(0.05, 2))
def test_conjugate_gradients_find_the_solution_of_the_normal_equations(seed, rows, spread):
    """Against numpy's dense solver: slopes, several effects per row, and a column of features."""
    random = np.random.default_rng(seed)
    sigma = 0.3
    dense = np.column_stack([np.ones(rows), random.normal(size=rows)])
    one = term(random.integers(0, 4, rows), 4, spread, random.normal(size=rows))
    two = term(random.integers(0, 3, (rows, 2)), 3, 0.5, random.integers(0, 2, (rows, 2)))
    y = random.normal(size=rows)
    system = multilevel._System(dense, [one, two], sigma)
    system.weigh(np.ones(rows))
    state = np.zeros(system.size)
    for _ in range(5):
        state = system.solve(y, state, 1e-8)
    matrix = np.zeros((rows, 2 + 4 + 3))
    matrix[:, :2] = dense
    matrix[np.arange(rows), 2 + one.level[:, 0]] = one.scale[:, 0]
    for k in range(2):
        matrix[np.arange(rows), 6 + two.level[:, k]] += two.scale[:, k]
    penalty = np.r_[1e-9, 2 * sigma**2, np.full(4, (sigma / spread) ** 2), np.full(3, (sigma / 0.5) ** 2)]
    exact = np.linalg.solve(matrix.T @ matrix + np.diag(penalty), matrix.T @ y)
    assert system.apply(state) == pytest.approx(matrix @ exact, abs=1e-5)
