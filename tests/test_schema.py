"""Columns as whole numbers: what is too large stays large, what is missing stays missing."""

from __future__ import annotations

import numpy as np

from dse.schema import LARGEST_BOUND, UNKNOWN, to_fixed


def test_figures_are_kept_exactly_and_never_wrap_round():
    """A figure beyond 64 bits must not come back negative and pass every limit."""
    figures = np.array([1.25, -3.0, 0.0, np.nan, 1e300, -1e300, 9.3e12])
    assert to_fixed(figures, 1_000_000).tolist() == [
        1_250_000,
        -3_000_000,
        0,
        UNKNOWN,
        LARGEST_BOUND,
        -LARGEST_BOUND,
        LARGEST_BOUND,
    ]
