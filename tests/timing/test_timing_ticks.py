"""Rounding to ticks is exact on the grid and never on the wrong side."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.timing.ticks import INFINITE, MAX_TICKS, TICK_MS, down, down_ticks, to_ms, up, up_ticks

CAP_MS = MAX_TICKS / 10_000


@pytest.mark.parametrize(
    ("value", "unit", "above", "below"),
    [
        ("1.0001", "0.001", 1001, 1000),
        ("1.0009", "0.001", 1001, 1000),
        ("2.35", "0.0001", 23500, 23500),
        (2.35, "0.0001", 23500, 23500),  # the float lies above 2.35; its shortest decimal does not
        (Decimal("0.00005"), "0.0001", 1, 0),
        (Fraction(1, 3), "0.0001", 3334, 3333),
        (7, Fraction(1, 10), 70, 70),
        (np.float64(0.1), "0.0001", 1000, 1000),
    ],
)
def test_scalars_round_to_their_side(value, unit, above, below):
    assert (up(value, unit), down(value, unit)) == (above, below)


@given(st.integers(0, MAX_TICKS))
def test_a_decimal_on_the_grid_is_that_tick(tick):
    value = np.array([float(tick * TICK_MS)])
    assert up_ticks(value)[0] == down_ticks(value)[0] == tick


@given(st.floats(0, CAP_MS) | st.integers(1, MAX_TICKS - 1).map(lambda t: math.nextafter(t / 1e4, math.inf)))
def test_arrays_round_as_scalars_do(value):
    above, below = up_ticks(np.array([value]))[0], down_ticks(np.array([value]))[0]
    assert above == up(value, "0.0001")
    assert below == down(value, "0.0001")
    assert below <= above <= below + 1


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300, CAP_MS * 1.001])
def test_times_that_cannot_be_counted_are_refused(bad):
    with pytest.raises(ValueError, match="1 of 2 times cannot be counted in ticks, first at row 1"):
        up_ticks(np.array([1.0, bad]))
    with pytest.raises(ValueError, match=r"finite number|more than the"):
        up(bad, "0.0001")


@pytest.mark.parametrize("bad", ["soon", "nan", "1/0"])
def test_texts_that_are_no_numbers_are_refused(bad):
    with pytest.raises(ValueError, match="expected a finite number of milliseconds"):
        up(bad)


def test_resolution_must_be_positive():
    with pytest.raises(ValueError, match="is not positive"):
        up(1, 0)


def test_the_sentinel_shows_as_infinite():
    assert to_ms(np.array([23500, INFINITE])).tolist() == [2.35, math.inf]
