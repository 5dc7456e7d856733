"""Figures as exact fractions, and back to floats where they are shown."""

from __future__ import annotations

import math
from fractions import Fraction

from dse.problem.fields import exact

Number = float | Fraction
"""A figure: a fraction as it is, a float (or whole number) as the decimal that prints it."""


def rational(value: Number | None) -> Fraction | None:
    """A figure as a fraction; None where it is unknown: None, NaN, or no finite number.

    Examples
    --------
    >>> rational(0.1), rational(Fraction(1, 3)), rational(float("nan"))
    (Fraction(1, 10), Fraction(1, 3), None)
    """
    if value is None or isinstance(value, Fraction):
        return value
    number = float(value)  # a float of numpy prints its type too
    return exact(number) if math.isfinite(number) else None


def shown(value: Fraction | None) -> float | None:
    """The float nearest to a fraction; None where it is unknown, or larger than any float."""
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None
