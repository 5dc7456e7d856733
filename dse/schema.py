"""Every column of the candidate table once: name, unit, resolution and meaning.

Quantities are held as whole numbers of ``scale`` units so that limits are compared exactly, without binary rounding;
``resolution`` is the step at which objectives compare. ``UNKNOWN`` marks a figure nobody published; it is never zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

UNKNOWN = -(2**62)
TICKS_PER_MS = 10_000


@dataclass(frozen=True)
class Quantity:
    """One physical column.

    Parameters
    ----------
    name, unit, meaning : str
        Name with its unit as a suffix; the unit written out; one line for the manual.
    scale : int
        Whole numbers in the column per unit.
    resolution : int
        Step of objectives, in whole numbers of the column.
    higher_is_better : bool
        Direction in which the quantity improves.
    """

    name: str
    unit: str
    meaning: str
    scale: int
    resolution: int
    higher_is_better: bool = False

    def value(self, number: int) -> Fraction | None:
        """A cell in its unit, exactly; None for an unknown one."""
        return None if number == UNKNOWN else Fraction(int(number), self.scale)


QUANTITIES: Mapping[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("accuracy", "metric points", "accuracy of the weights at the precision", 1_000_000, 10_000, True),
        Quantity("accuracy_low", "metric points", "lower end of its interval", 1_000_000, 10_000, True),
        Quantity("worst_case_ms", "ms", "bound on the latency of any item, end to end", TICKS_PER_MS, 10),
        Quantity("slack_ms", "ms", "deadline less the bound", TICKS_PER_MS, 10, True),
        Quantity("typical_ms", "ms", "mean time of one batch on the network's unit", TICKS_PER_MS, 10),
        Quantity("rate_hz", "1/s", "items per second the slowest stage can take", 1_000, 1, True),
        Quantity("rate_headroom", "share", "rate to spare, as a share of the rate asked", 1_000_000, 1_000, True),
        Quantity("utilization", "share", "load of the busiest resource", 1_000_000, 1_000),
        Quantity("power_w", "W", "sustained power, host and reserve included", 1_000_000, 1_000),
        Quantity("price_usd", "USD", "price of one system at the quantity bought", 1_000_000, 10_000),
        Quantity("lead_time_weeks", "week", "longest delivery time of the parts, as quoted", 1_000_000, 100_000),
        Quantity("memory_mb", "10^6 byte", "weights, live activations and runtime", 1_000_000, 1_000),
        Quantity("energy_mj", "mJ", "energy of one item", 1_000_000, 1_000),
    )
}


OBJECTIVE_QUANTITIES = tuple(name for name in QUANTITIES if name not in ("accuracy_low",))
"""What a problem may optimise."""
LARGEST_BOUND = 2**61
"""Bounds beyond it are brought to it: no figure is larger."""


def to_fixed(values: npt.NDArray[np.float64], scale: int) -> npt.NDArray[np.int64]:
    """Decimal figures as whole numbers of ``1/scale``; NaN becomes `UNKNOWN`.

    Rounds to the nearest: sources print at most six decimals, so that what was typed is kept exactly. Figures beyond
    `LARGEST_BOUND` are brought to it instead of wrapping round.
    """
    known = np.isfinite(values)
    with np.errstate(over="ignore"):
        scaled = np.clip(np.rint(np.where(known, values, 0.0) * scale), -LARGEST_BOUND, LARGEST_BOUND)
    return np.where(known, scaled, UNKNOWN).astype(np.int64)


def bound_up(limit: float, scale: int) -> int:
    """Smallest whole number at or above a lower bound."""
    exact = Fraction(repr(limit)) * scale
    return _clamped(-((-exact.numerator) // exact.denominator))


def bound_down(limit: float, scale: int) -> int:
    """Largest whole number at or below an upper bound."""
    exact = Fraction(repr(limit)) * scale
    return _clamped(exact.numerator // exact.denominator)


def _clamped(number: int) -> int:
    return max(-LARGEST_BOUND, min(LARGEST_BOUND, number))
