"""Rounds milliseconds to integer ticks on the safe side.

A tick is 0.1 µs. What is demanded (service, jitter, waiting) rounds up, what is granted (deadline, period in a
demand) rounds down, so a requirement that holds in ticks holds in exact time. A float stands for its shortest decimal
(``repr``): the user who wrote 2.35 means 2.35, not the binary neighbour just above or below it.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

TICKS_PER_MS = 10_000
TICK_MS = Fraction(1, TICKS_PER_MS)

#: Largest time taken from outside [tick], about 30.5 hours. With MAX_STREAMS and MAX_BATCH every product formed in this
#: station stays below 2**63, because a stable system has N·s <= b·P <= 2**52.
MAX_TICKS = 2**40
MAX_STREAMS = 2**14
MAX_BATCH = 2**12

#: Largest batch whose dynamic bound gets a pair cap for each number of full batches, at a cost that grows with its
#: square; larger ones share one cap, which is sound and coarser.
MAX_COUPLED_BATCH = 128

#: Total of a row that has no bound. Above every finite total, and safe to compare; never add to it.
INFINITE = 2**62

Exact = int | float | str | Decimal | Fraction


def up(value: Exact, resolution_ms: Exact = "0.001") -> int:
    """Least whole number of units that is not below `value`.

    Parameters
    ----------
    value : int, float, str, Decimal or Fraction
        A time [ms]. Taken exactly; a float stands for its shortest decimal.
    resolution_ms : same types
        The unit [ms], 1 µs unless given; must be positive.

    Returns
    -------
    int
        The time [unit], rounded up. ``up("1.0001") == 1001``, ``up("2.35", "0.0001") == 23500``.

    Raises
    ------
    ValueError
        `value` is not a finite number, or is beyond MAX_TICKS units.
    """
    return _capped(math.ceil(exact(value) / _unit(resolution_ms)), value)


def down(value: Exact, resolution_ms: Exact = "0.001") -> int:
    """Largest whole number of units that is not above `value`; otherwise as `up`. ``down("1.0009") == 1000``."""
    return _capped(math.floor(exact(value) / _unit(resolution_ms)), value)


def up_ticks(values_ms: FloatArray) -> IntArray:
    """Ticks that cover each time: `up` at the resolution of a tick, for a whole array.

    Parameters
    ----------
    values_ms : (n,)
        Times [ms].

    Returns
    -------
    (n,)
        Times [tick]. The float nearest to a decimal on the tick grid gives exactly that tick; any other is rounded up.

    Raises
    ------
    ValueError
        A value is not finite or beyond MAX_TICKS.

    Notes
    -----
    ``ceil(v * 1e4)`` alone is wrong in both directions: the product is rounded once and may cross a grid point.
    Division of two exactly represented integers rounds correctly and is monotone, so ``c / 1e4 >= v`` holds exactly
    when tick c is at or above v, or v is the float nearest to it. That test decides between the neighbours.
    """
    values = _finite(values_ms)
    ticks = np.ceil(values * TICKS_PER_MS)
    ticks = np.where((ticks - 1) / TICKS_PER_MS >= values, ticks - 1, ticks)
    return np.where(ticks / TICKS_PER_MS < values, ticks + 1, ticks).astype(np.int64)


def down_ticks(values_ms: FloatArray) -> IntArray:
    """Ticks that fit into each time: as `up_ticks`, rounded down."""
    return -up_ticks(-np.asarray(values_ms, dtype=np.float64))


def to_ms(ticks: IntArray | int) -> FloatArray:
    """Convert to the nearest floats [ms], for display; a row without a bound becomes inf."""
    array = np.asarray(ticks, dtype=np.int64)
    return np.where(array >= INFINITE, np.inf, array / TICKS_PER_MS)


def exact(value: Exact) -> Fraction:
    """Give the number a text, float or decimal stands for, as a fraction.

    Raises
    ------
    ValueError
        `value` is not a finite number.
    """
    try:
        return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        message = f"{value!r} is not a time: expected a finite number of milliseconds"
        raise ValueError(message) from error


def _unit(resolution_ms: Exact) -> Fraction:
    unit = exact(resolution_ms)
    if unit <= 0:
        message = f"resolution {resolution_ms!r} ms is not positive: give the length of one unit in milliseconds"
        raise ValueError(message)
    return unit


def _capped(units: int, value: Exact) -> int:
    if abs(units) > MAX_TICKS:
        message = f"{value!r} ms is {units} units, more than the {MAX_TICKS} supported: check its unit"
        raise ValueError(message)
    return units


def _finite(values_ms: FloatArray) -> FloatArray:
    values = np.asarray(values_ms, dtype=np.float64)
    bad = ~(np.abs(values) <= MAX_TICKS / TICKS_PER_MS)  # written so that NaN is bad too
    if bad.any():
        rows = np.flatnonzero(bad)
        message = (
            f"{rows.size} of {values.size} times cannot be counted in ticks, first at row {rows[0]}: found "
            f"{values.flat[rows[0]]} ms, expected a finite number up to {MAX_TICKS // TICKS_PER_MS} ms"
        )
        raise ValueError(message)
    return values
