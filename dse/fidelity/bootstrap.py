"""How far a score would move with other rows: clusters of rows drawn again, with replacement.

Rows of one cell, model or chip err together. Drawing single rows would take them for independent and call a score more
certain than it is; drawing whole clusters does not.
"""

from __future__ import annotations

import numpy as np

from dse.catalog.types import FloatArray, IntArray

CONFIDENCE = 0.95


def draw(cluster: IntArray, resamples: int, seed: int) -> IntArray:
    """How often every row is drawn in every resample of the clusters.

    Parameters
    ----------
    cluster : (n,)
        Number of each row's cluster, 0 to c - 1, each used.
    resamples : int
        How many samples r of c clusters are drawn.
    seed : int
        Same seed, same clusters: same samples.

    Returns
    -------
    (r, n)
        Counts; zeros of shape (0, n) where fewer than two clusters leave nothing to vary.

    References
    ----------
    Field, Welsh (2007), Bootstrapping clustered data, doi:10.1111/j.1467-9868.2007.00593.x.
    """
    clusters = int(cluster.max(initial=-1)) + 1
    if clusters < 2:
        return np.zeros((0, len(cluster)), dtype=np.int64)
    drawn = np.random.default_rng(seed).integers(clusters, size=(resamples, clusters))
    drawn += np.arange(resamples)[:, None] * clusters
    times = np.bincount(drawn.ravel(), minlength=resamples * clusters).reshape(resamples, clusters)
    return times[:, cluster]


def quantile(values: FloatArray, times: IntArray, share: float) -> FloatArray:
    """Quantile of every resample, between order statistics as `numpy.quantile` interpolates.

    Parameters
    ----------
    values : (n,)
        Without NaN.
    times : (r, n)
        How often each value counts.
    share : float
        0.5 for the median.

    Returns
    -------
    (r,)
        NaN for a resample without any value.
    """
    order = np.argsort(values, kind="stable")
    ordered, through = values[order], np.cumsum(times[:, order], axis=1)
    if len(values) == 0:
        return np.full(len(times), np.nan)
    place = share * np.maximum(through[:, -1] - 1, 0)
    low = np.floor(place).astype(np.int64)
    high = np.minimum(low + 1, through[:, -1] - 1)
    # The value at place p is the first one through which more than p are counted.
    at = [np.minimum((through <= p[:, None]).sum(axis=1), len(values) - 1) for p in (low, high)]
    answer = ordered[at[0]] + (place - low) * (ordered[at[1]] - ordered[at[0]])
    return np.where(through[:, -1] > 0, answer, np.nan)


def mean(values: FloatArray, times: IntArray) -> FloatArray:
    """Mean of every resample, shape (r,); NaN for a resample without any value. Shapes as in `quantile`."""
    counted = times.sum(axis=1)
    return np.where(counted > 0, (times @ values) / np.maximum(counted, 1), np.nan)


def interval(scores: FloatArray) -> tuple[float, float]:
    """The middle 95 % of the scores (r,) of resamples, NaN left out; NaN where there is none."""
    known = scores[np.isfinite(scores)]
    if len(known) == 0:
        return np.nan, np.nan
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
