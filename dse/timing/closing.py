"""Batches closed by time-out with item stages around them: bounded piece by piece, with growing jitter.

Such a batcher lets small batches pile up whatever the server does, so no path through it is as short as in a pipeline:
the responses of the stages before, of the batcher and of the stages after add up, and each piece may come as early as
if the ones before took no time (Richter 2005).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.exact import ExactArrivals, Network, Times, tandem
from dse.timing.pipeline import bound_tandem
from dse.timing.stages import Bound, Items
from dse.timing.ticks import IntArray
from dse.timing.timeout_close import bound_timeout_close, latency_timeout_close_exact

_PPM = 1_000_000


def bound_closing(
    arrivals: Arrivals,
    batch: int,
    fixed: IntArray,
    per_item: IntArray,
    timeout: IntArray,
    before: Items,
    after: Items,
) -> Bound:
    """Bound of batches closed by time-out between item stages, for one batch size.

    Parameters
    ----------
    arrivals, batch, fixed, per_item, timeout
        As in `bound_timeout_close`.
    before, after : Items
        The stages ahead of the batcher and behind it; the jitter of `before` holds at the first stage.

    Returns
    -------
    Bound
        In parts that add up; without a bound where a piece has none.
    """
    none = np.zeros_like(fixed)
    first = bound_tandem(arrivals, none, before)
    gathered = before.jitter - arrivals.jitter + np.where(first.stable, first.total, 0)
    middle = bound_timeout_close(arrivals, batch, fixed, per_item, timeout, gathered)
    done = arrivals.jitter + gathered + np.where(middle.stable, middle.total, 0)
    last = bound_tandem(arrivals, none, replace(after, jitter=done))
    stable = first.stable & middle.stable & last.stable
    queues = np.where(stable, first.queue, 0) + np.where(stable, last.queue, 0)
    return replace(
        middle,
        items=before.total + after.total,
        queue=np.where(stable, middle.queue, 0) + queues,
        stable=stable,
    ).settled()


def pipeline_closing_exact(
    source: ExactArrivals, network: Network, before: Times = (), after: Times = ()
) -> Fraction | None:
    """Latency [ms] of `bound_closing` for one candidate, from the actual release; None where there is no bound."""
    first = tandem(source, before)
    if first is None:
        return None
    gathered = source.with_more(first)
    middle = latency_timeout_close_exact(gathered, network)
    if middle is None:
        return None
    last = tandem(gathered.with_more(middle), after)
    return None if last is None else first + middle + last


def closing_load_ppm(
    arrivals: Arrivals, batch: IntArray, fixed: IntArray, timeout: IntArray, full_ppm: IntArray, alone_ppm: IntArray
) -> IntArray:
    """Long-run load of a server behind batches closed by time-out, in millionths, rounded up; (n,).

    With the rate r = N/P the most batches that can close are 1/T + (r - 1/T)/b where r > 1/T, r elsewhere: the load
    `full_ppm` of full batches and fixed·(b - 1)/(b·T), or the load `alone_ppm` of batches of one.
    """
    partial = -(-fixed * (batch - 1) // batch)
    partial = -(-partial * _PPM // np.maximum(timeout, 1))
    crowded = timeout * arrivals.streams > arrivals.period_down
    return np.where(crowded, full_ppm + partial, alone_ppm)
