"""The wait in a line of item stages as an estimate over random phases: what few items exceed, never a bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.quantile import bridge_wait_quantile
from dse.timing.stages import Bound
from dse.timing.ticks import IntArray


def estimated(arrivals: Arrivals, bound: Bound, slowest: IntArray, level: float) -> Bound:
    """A bound of single items with its queue replaced by the wait that a share `level` of them does not exceed.

    Parameters
    ----------
    arrivals : Arrivals
        The streams.
    bound : Bound
        Of item stages in a row, (n,).
    slowest : (n,)
        Longest time of one item at a stage [tick]; in a row of constant servers all waiting is that for the slowest
        one (Friedman 1965).
    level : float
        Between 0 and 1.

    Returns
    -------
    Bound
        Never above the one given. What jitter adds to the worst queue is kept in full: the quantile knows of none.
    """
    calm = slowest * bound.stable
    burst = (arrivals.streams - 1) * calm
    wait = np.minimum(bridge_wait_quantile(arrivals, calm, level), burst)
    return replace(bound, queue=np.where(bound.stable, bound.queue - burst + wait, bound.queue))
