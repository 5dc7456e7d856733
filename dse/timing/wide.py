"""Products of two int64 times without overflow: ratios that round up, and comparisons."""

from __future__ import annotations

import numpy as np

from dse.timing.ticks import INFINITE, BoolArray, IntArray

_SPLIT = 2**20  # halves a factor of up to 41 bits, so that each part product stays below 2**62
_SAFE = 2**62


def ratio_up(value: IntArray, numerator: IntArray | int, denominator: IntArray | int) -> IntArray:
    """ceil(value·numerator/denominator), INFINITE where that is 2**61 or more (or nearly so).

    Parameters
    ----------
    value, numerator, denominator : (n,) or scalar
        value >= 0 below 2**62, numerator from 0 and denominator from 1 to 2**41.
    """
    value, top, bottom = (np.asarray(x, dtype=np.int64) for x in (value, numerator, denominator))
    if not value.size:
        return value
    if int(value.max()) * int(top.max()) < _SAFE // 2:
        return np.asarray(-(-(value * top) // bottom))
    whole, rest = np.divmod(value, bottom)
    high, low = np.divmod(top, _SPLIT)
    part, left = np.divmod(rest * high, bottom)
    exact = whole * top + part * _SPLIT - (-(left * _SPLIT + rest * low) // bottom)
    return np.where(whole >= 2**61 // np.maximum(top, 1) - 1, INFINITE, exact)


def product_at_most(a: IntArray, b: IntArray | int, c: IntArray, d: IntArray | int) -> BoolArray:
    """Whether a·b <= c·d, exactly; all factors from 0 to 2**41."""
    (left_high, left_low), (right_high, right_low) = _product(a, b), _product(c, d)
    return np.asarray((left_high < right_high) | ((left_high == right_high) & (left_low <= right_low)))


def _product(a: IntArray, b: IntArray | int) -> tuple[IntArray, IntArray]:
    high, low = np.divmod(np.asarray(b, dtype=np.int64), _SPLIT)
    carry, rest = np.divmod(a * low, _SPLIT)
    return a * high + carry, rest
