"""Batches closed at their b-th item or a time-out after their first, even while the server is busy.

What a multiplexer ahead of the server does. Small batches can pile up in front of it, so keeping up takes more than the
rate of full batches. NVIDIA DeepStream guide, "Gst-nvstreammux" (batched-push-timeout); busy windows with event counts:
Tindell, Burns and Wellings 1994, Richter 2005.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.exact import ExactArrivals, Network
from dse.timing.stages import QUEUE, WAIT, Bound, by_batch, formation, span
from dse.timing.ticks import BoolArray, IntArray
from dse.timing.wide import product_at_most

#: Frames tried beyond those after which whole batches and whole frames meet again; the time-outs need not.
_MORE_FRAMES = 8


def latency_timeout_close(
    arrivals: Arrivals, batch: IntArray, fixed: IntArray, per_item: IntArray, timeout: IntArray | int
) -> IntArray:
    """Latency [tick] from the release of an item to the end of its batch; INFINITE where it may not keep up.

    Parameters
    ----------
    arrivals : Arrivals
        The streams; they may stop.
    batch, fixed, per_item : (n,)
        b, and a batch of k items takes at most fixed + per_item·k [tick].
    timeout : (n,) or scalar
        T [tick], counted from the first item of a batch.

    Returns
    -------
    (n,)
        max(min(T, W), Q) + s(b): the wait for the batch to close and the work of earlier batches run together.
    """
    batch, s0, s1, wait = _columns(batch, fixed, per_item, timeout)
    total = np.zeros(batch.shape, dtype=np.int64)
    for size, rows in by_batch(batch):
        total[rows] = bound_timeout_close(arrivals, size, s0[rows], s1[rows], wait[rows]).total
    return total


def stable_timeout_close(
    arrivals: Arrivals, batch: IntArray, fixed: IntArray, per_item: IntArray, timeout: IntArray | int
) -> BoolArray:
    """Whether batches closed by time-out cannot pile up; (n,) in and out, as in `latency_timeout_close`.

    With the rate r = N/P: per_item·r + fixed·min(r, 1/T + (r - 1/T)/b) <= 1, where the second is meant for r > 1/T.
    Sufficient: at most one batch in T is not full, and never more batches than items.
    """
    batch, s0, s1, wait = _columns(batch, fixed, per_item, timeout)
    streams, period = arrivals.streams, arrivals.period_down
    single = arrivals.sustains(s0 + s1)
    full = s0 + s1 * batch <= batch * period // streams
    partial = s0 * (batch - 1) <= batch * wait
    possible = full & partial & (wait > period // streams)
    # r·(s0 + s1·b)/b + s0·(b - 1)/(b·T) <= 1, as s0·(b - 1)/T <= (b·P - N·(s0 + s1·b))/P: wholes, then remainders.
    step = np.where(possible, wait, 1)
    left, left_rest = np.divmod(np.where(possible, s0 * (batch - 1), 0), step)
    spare = np.where(possible, batch * period - streams * ((s0 + s1 * batch) * possible), 0)
    right, right_rest = np.divmod(spare, period)
    fits = (left < right) | ((left == right) & product_at_most(left_rest, period, right_rest, step))
    return np.asarray(single | (possible & fits))


def bound_timeout_close(
    arrivals: Arrivals, batch: int, fixed: IntArray, per_item: IntArray, timeout: IntArray
) -> Bound:
    """Bound of `latency_timeout_close` in parts, for one batch size.

    Notes
    -----
    Let the server be busy from the closing of some batch, a span d before the first item of the own batch arrives. With
    the own item, at most eta[d] items come in the closed span. They make up the batches after that first one, together
    with it b + eta[d] - 2 items when the first closed by time-out with b - 1 items; had it been full, one less. At most
    p = floor(d/T) of the later ones are not full, since each fills a time T of its own, so they number at most
    p + floor((n - p)/b) for n items. d is worst where items arrive or T fits once more; beyond the last frame
    tried the line above it all counts, which falls when stable.
    """
    stable = stable_timeout_close(arrivals, np.full_like(fixed, batch), fixed, per_item, timeout)
    s0, s1 = fixed * stable, per_item * stable
    jitter = np.full_like(s0, arrivals.jitter)
    queue = np.zeros_like(s0)
    first = jitter // arrivals.period_down + 1
    last = 2 * (batch // gcd(arrivals.streams, batch)) + _MORE_FRAMES
    for step in range(last):
        frames = first + step
        items = arrivals.streams * frames
        start, end = span(arrivals, frames, jitter), span(arrivals, frames + 1, jitter)
        for window, batches in _windows(batch, items, start, end, timeout):
            load = s0 * (1 + batches) + s1 * (batch + items - 2)
            np.maximum(queue, np.where(batches >= 0, load - window, 0), out=queue)
        beyond = _beyond(arrivals, batch, s0, s1, timeout, items + arrivals.streams, end)
        if bool((beyond <= queue).all()):
            break
    else:
        np.maximum(queue, beyond, out=queue)
    wait = np.zeros_like(s0)
    if batch > 1:
        wait = timeout if arrivals.may_stop else np.minimum(timeout, formation(arrivals, batch, wait, jitter))
    active = np.where(wait > queue, WAIT, QUEUE)
    return Bound(
        items=np.zeros_like(s0),
        batch_wait=np.where(active == WAIT, wait, 0),
        queue=np.where(active == QUEUE, queue, 0),
        blocking=np.zeros_like(s0),
        service=s0 + s1 * batch,
        active_case=active,
        hidden=np.minimum(wait, queue),
        reached=np.full_like(s0, batch),
        stable=stable,
    ).settled()


def latency_timeout_close_exact(source: ExactArrivals, network: Network) -> Fraction | None:
    """`latency_timeout_close` [ms] for one candidate, with every window of each frame tried; None: no bound."""
    n, period, b, timeout = source.streams, source.period, network.batch, network.timeout
    if not stable_timeout_close_exact(source, network):
        return None
    queue = Fraction(0)
    first = source.jitter // period + 1
    last = 2 * (b // gcd(n, b)) + 8 * _MORE_FRAMES
    for frames in range(first, first + last):
        items = n * frames - (2 if b == 1 else 1)
        start, end = source.nearest(frames), source.nearest(frames + 1)
        fewest = min(items, start // timeout) if timeout else items
        most = min(items, end // timeout) if timeout else items
        for partial in range(fewest, most + 1) if items >= 0 else ():
            batches = partial + (items - partial) // b
            window = max(start, partial * timeout) if partial > fewest else start
            work = network.fixed * (1 + batches) + network.per_item * (b + n * frames - 2)
            queue = max(queue, work - window)
        later = n * (frames + 1) - 1
        most_batches = Fraction(later) if n * timeout <= period else (end / timeout * (b - 1) + later) / b
        beyond = network.fixed * (1 + most_batches) + network.per_item * (b - 1 + later) - end
        if beyond <= queue:
            break
    else:
        queue = max(queue, beyond)
    wait = Fraction(0)
    if b > 1:
        filled = -(-(b - 1) // n) * period + source.jitter
        wait = timeout if source.may_stop else min(timeout, filled)
    return max(wait, queue) + network.service(b)


def stable_timeout_close_exact(source: ExactArrivals, network: Network) -> bool:
    """`stable_timeout_close` for one candidate, in exact fractions."""
    rate, batches = source.streams / source.period, source.streams / source.period
    if network.timeout and rate * network.timeout > 1:
        batches = 1 / network.timeout + (rate - 1 / network.timeout) / network.batch
    return network.per_item * rate + network.fixed * batches <= 1


def _columns(
    batch: IntArray, fixed: IntArray, per_item: IntArray, timeout: IntArray | int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    batch = np.asarray(batch, dtype=np.int64)
    s0, s1, wait = (np.broadcast_to(np.asarray(x, dtype=np.int64), batch.shape) for x in (fixed, per_item, timeout))
    return batch, s0, s1, wait


def _windows(
    batch: int, items: IntArray, start: IntArray, end: IntArray, timeout: IntArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Windows within one frame at which the work may peak, each with the batches its items make up at most.

    With p batches not full, p + floor((n - p)/b) grows with p, but for every b-th step, each T longer. So the peak is
    at the start of the frame, one step later, at its end, or just before such a b-th step: p = n modulo b, the first or
    the last. Batches of -1 mean that no batch can be ahead.
    """
    later = items - (2 if batch == 1 else 1)
    step = np.maximum(timeout, 1)
    fewest = np.where(timeout > 0, np.minimum(start // step, later), later)
    most = np.where(timeout > 0, np.minimum(end // step, later), later)
    yield start, np.where(later < 0, -1, fewest + (later - fewest) // batch)
    if batch == 1:
        return
    one_more = fewest + 1
    for partial in (one_more, one_more + (later - one_more) % batch, most - (most - later) % batch, most):
        some = np.clip(partial, fewest, most)
        yield np.maximum(start, some * timeout), some + (later - some) // batch


def _beyond(
    arrivals: Arrivals, batch: int, s0: IntArray, s1: IntArray, timeout: IntArray, items: IntArray, start: IntArray
) -> IntArray:
    """No less than the work minus the window for any window of `start` or more, a frame border with `items` items."""
    later = items - 1
    steps = start // np.maximum(timeout, 1) + 1
    partial = steps * s0 - steps * s0 // batch
    full = later // batch * s0 - (-(later % batch * s0) // batch)
    every = arrivals.streams * timeout <= arrivals.period_down
    batches = np.where(every, later * s0 * every, (partial + full) * ~every)
    return np.asarray(s0 + batches + s1 * (batch - 1 + later) - start)
