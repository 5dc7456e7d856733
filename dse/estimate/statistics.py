"""From the statistic a source prints to the mean: minimum and p90 are not the mean."""

from __future__ import annotations

import numpy as np

from dse.catalog.types import FloatArray, TextArray

# Medians over runs that print both (tails of public single-stream runs). p99 and above are tails already.
TO_MEAN = {
    "min": 1.05,
    "mean": 1.0,
    "median": 1.0,
    "p90": 0.99,
    "not-stated": 1.0,
    "p99": 1.0,
    "p99.9": 1.0,
    "max": 1.0,
}


def to_mean(statistic: TextArray) -> FloatArray:
    """Factor from the printed statistic to the mean; shape as given.

    Raises
    ------
    KeyError
        A word that is not one of `TO_MEAN`.
    """
    words, code = np.unique(statistic.astype(str), return_inverse=True)
    return np.array([TO_MEAN[word] for word in words])[code]
