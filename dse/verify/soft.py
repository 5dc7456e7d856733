"""The wait of the guarantee p99 again, by bisection in fractions instead of the closed form."""

from __future__ import annotations

import math
from fractions import Fraction

from dse.candidates.service import SOFT_LEVEL
from dse.timing.exact import ExactArrivals
from dse.timing.ticks import TICK_MS

ZERO = Fraction(0)


def soft_wait_ms(arrivals: ExactArrivals, slowest: Fraction) -> Fraction:
    """Wait at the slowest stage that a share `SOFT_LEVEL` of the items does not exceed over random phases [ms].

    The least x in whole ticks, less one, with 2·x/s·(x/(N·s) + P/(N·s) - 1) >= ln(1/(1 - level)), by bisection: the
    closed form solves the same for x. At most the work of all other streams. Hajek 1994.
    """
    n, most = arrivals.streams, (arrivals.streams - 1) * slowest
    if not slowest:
        return ZERO
    idle, needed = arrivals.period / (n * slowest) - 1, Fraction(-math.log1p(-SOFT_LEVEL))

    def rare(ticks: int) -> bool:
        services = ticks * TICK_MS / slowest
        return 2 * services * (services / n + idle) >= needed

    low, high = 0, math.ceil(most / TICK_MS)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if rare(middle) else (middle + 1, high)
    return min(most, max(low - 1, 0) * TICK_MS)
