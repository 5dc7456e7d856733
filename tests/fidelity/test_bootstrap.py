"""Resamples of clusters: weighted formulas equal the plain ones on rows written out; the spread is the known one."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.fidelity import bootstrap
from dse.fidelity.ranks import mean_rank
from dse.fidelity.rows import codes
from dse.fidelity.scores import score
from tests.fidelity import made


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
def test_weighted_formulas_equal_the_plain_ones_on_rows_written_out(seed, n, share):
    random = np.random.default_rng(seed)
    values = random.integers(0, 5, n) / 4  # ties
    times = random.integers(0, 4, (3, n))
    written = [np.repeat(values, row) for row in times]
    expected = [(np.quantile(v, share), v.mean()) if len(v) else (np.nan, np.nan) for v in written]
    found = np.column_stack([bootstrap.quantile(values, times, share), bootstrap.mean(values, times)])
    np.testing.assert_allclose(found, expected)


def test_no_rows_have_no_quantile_and_no_mean():
    nothing = np.zeros((2, 0), dtype=np.int64)
    assert np.isnan(bootstrap.quantile(np.zeros(0), nothing, 0.5)).tolist() == [True, True]
    assert np.isnan(bootstrap.mean(np.zeros(0), nothing)).tolist() == [True, True]


def test_clusters_are_drawn_whole_and_as_many_as_there_are():
    cluster = np.array([0, 0, 1, 2, 2, 2])
    times = bootstrap.draw(cluster, 400, seed=3)
    assert times.shape == (400, 6)
    assert (times[:, 0] == times[:, 1]).all()
    assert (times[:, 3] == times[:, 5]).all()
    assert (times[:, [0, 2, 3]].sum(axis=1) == 3).all()
    # Each cluster is drawn once on average; 400 draws of variance 2/3 leave a standard deviation of 0.04.
    assert times.mean(axis=0) == pytest.approx(np.ones(6), abs=0.2)
    assert (times == bootstrap.draw(cluster, 400, seed=3)).all()
    assert (times != bootstrap.draw(cluster, 400, seed=4)).any()


@pytest.mark.parametrize("cluster", [[], [0, 0, 0]], ids=["no row", "one cluster"])
def test_one_cluster_has_nothing_to_vary(cluster):
    times = bootstrap.draw(np.array(cluster, dtype=np.int64), 50, seed=1)
    assert times.shape == (0, len(cluster))
    assert np.isnan(bootstrap.interval(np.zeros(0))).all()


def test_the_interval_of_a_mean_is_the_known_one():
    """400 independent values of standard deviation 1: half the 95 % interval is 1.96 / 20 = 0.098."""
    values = np.random.default_rng(1).normal(size=400)
    values = (values - values.mean()) / values.std()
    low, high = bootstrap.interval(bootstrap.mean(values, bootstrap.draw(np.arange(400), 2000, seed=1)))
    assert (low, high) == pytest.approx((-0.098, 0.098), abs=0.01)


def test_rows_of_one_cluster_do_not_count_as_independent():
    """Twenty-five copies of each of 16 values: half the interval is 1.96 / 4 = 0.49, not 1.96 / 20."""
    values = np.repeat(np.random.default_rng(1).normal(size=16), 25)
    values = (values - values.mean()) / values.std()
    low, high = bootstrap.interval(bootstrap.mean(values, bootstrap.draw(np.repeat(np.arange(16), 25), 2000, seed=1)))
    assert (high - low) / 2 == pytest.approx(0.49, abs=0.05)


def test_scores_without_numbers_are_left_out():
    assert bootstrap.interval(np.array([np.nan, 1.0, 1.0])) == (1.0, 1.0)


def test_three_thousand_rows_take_well_under_a_second():
    """500 resamples of 1,500 clusters. The limit leaves a busy machine four times what it takes."""
    rows = made.random_rows(3000, 1, chips=60, models=300)
    error = np.random.default_rng(2).normal(0, 0.3, 3000)
    given_ = made.predictions(np.exp(rows["log_ms"] + error), factor=1.5)
    cluster = np.array([str(k // 2) for k in range(3000)], dtype=object)
    start = time.process_time()
    score(rows, given_, cluster, resamples=500)
    assert time.process_time() - start < 3
    assert mean_rank(error, error, codes(cluster), np.ones((1, 3000), dtype=np.int64)).shape == (1,)
