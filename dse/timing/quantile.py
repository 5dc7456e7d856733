"""Waits that few items exceed, over random phases: estimates, never bounds.

N periodic streams with independent uniform phases and no jitter, one item at a time. In one installation the phases are
fixed, so its own tail can be anywhere up to the worst case. Floats until the end, then rounded up to whole ticks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.ticks import INFINITE, IntArray

_HALVINGS = 60  # of an interval: a relative error below that of the floats


def wait_tail(streams: int, utilization: float, services: float) -> float:
    """Share of items that wait longer than so many services for a server that N streams share.

    Parameters
    ----------
    streams : int
        N.
    utilization : float
        N·s/P, above 0 and at most 1.
    services : float
        x >= 0.

    Returns
    -------
    float
        Sum over x < n <= N - 1 of C(N-1, n)·((n-x)/D)^n·(1 - (n-x)/D)^(N-1-n)·(D-N+1+x)/(D-n+x), with D = P/s: the
        others' work as an item finds it.

    References
    ----------
    Roberts and Virtamo, IEEE Trans. Communications 39, 1991 (N·D/D/1).
    """
    others, slots = streams - 1, streams / utilization
    total = 0.0
    for n in range(math.floor(services) + 1, others + 1):
        share = (n - services) / slots
        ways = math.lgamma(others + 1) - math.lgamma(n + 1) - math.lgamma(others - n + 1)
        chance = ways + n * math.log(share) + (others - n) * math.log1p(-share)
        total += math.exp(chance) * (slots - others + services) / (slots - n + services)
    return total


def wait_quantile(arrivals: Arrivals, service: int, level: float) -> int:
    """Wait [tick] that a share `level` of the items does not exceed; INFINITE where N·s > P.

    Parameters
    ----------
    arrivals : Arrivals
        The streams; their jitter is not used.
    service : int
        Time of one item [tick].
    level : float
        Between 0 and 1, such as 0.99.
    """
    _check_level(level)
    if arrivals.streams * service > arrivals.period_down:
        return INFINITE
    if service == 0:
        return 0
    utilization = arrivals.streams * service / arrivals.period_down
    return math.ceil(
        service * _least(lambda x: wait_tail(arrivals.streams, utilization, x) <= 1 - level, arrivals.streams - 1)
    )


def bridge_wait_quantile(arrivals: Arrivals, service: IntArray, level: float) -> IntArray:
    """Closed form of `wait_quantile` for n candidates, within about a third of it.

    Parameters
    ----------
    arrivals, level
        As in `wait_quantile`.
    service : (n,)
        Time of one item [tick].

    Returns
    -------
    (n,)
        Wait [tick], no longer than that of all other items; INFINITE where N·s > P.

    Notes
    -----
    The deviation of the arrivals from their mean is like a Brownian bridge: P(Q > x) = exp(-2x·(x/N + 1/rho - 1)) for x
    services. Hajek 1994; Roberts and Virtamo 1991.
    """
    _check_level(level)
    service = np.asarray(service, dtype=np.int64)
    streams = arrivals.streams
    stable = arrivals.sustains(service)
    idle = np.where(stable, arrivals.period_down / (streams * np.maximum(service, 1.0)) - 1, 0.0)
    services = (np.sqrt(idle**2 - 2 * math.log1p(-level) / streams) - idle) * streams / 2
    wait = np.ceil(np.minimum(services, streams - 1) * service * stable).astype(np.int64)
    return np.where(stable, wait, INFINITE)


def formation_quantile(arrivals: Arrivals, batch: int, level: float) -> int:
    """Time [tick] from the first to the last item of a counted batch that a share `level` of them does not exceed.

    b - 1 of the N gaps between the items of a period: P times a Beta(b - 1, N - b + 1) variable, whose distribution is
    a binomial tail. For 1 <= b <= N.

    Raises
    ------
    ValueError
        The batch is larger than the number of streams.
    """
    _check_level(level)
    streams = arrivals.streams
    if not 1 <= batch <= streams:
        message = f"batch of {batch} items from {streams} streams: expected 1 to {streams}"
        raise ValueError(message)
    if batch == 1:
        return 0

    def within(share: float) -> bool:
        if not 0 < share < 1:
            return share >= 1
        fewer = sum(
            math.exp(
                math.lgamma(streams)
                - math.lgamma(k + 1)
                - math.lgamma(streams - k)
                + k * math.log(share)
                + (streams - 1 - k) * math.log1p(-share)
            )
            for k in range(batch - 1)
        )
        return 1 - fewer >= level

    return math.ceil(arrivals.period_up * _least(within, 1.0))


def _least(holds: Callable[[float], bool], most: float) -> float:
    """Least value from 0 to `most` at which a condition that stays true once it is true holds; `most` if none."""
    low, high = 0.0, float(most)
    if holds(low):
        return low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        message = f"level {level}: expected a share between 0 and 1, such as 0.99"
        raise ValueError(message)
