"""Bounds of a path of item stages with one batch stage inside: items one by one, counted batches, dynamic batches.

Every stage is one in-order server; buffers do not block; services may be shorter than given. Latency counts from the
actual release of an item; add the jitter to count from the nominal one. Rows without a bound give INFINITE.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.dynamic import fast_total, full_branches
from dse.timing.stages import QUEUE, WAIT, Bound, Items, backlog, by_batch, formation, frames_to_try, span
from dse.timing.ticks import INFINITE, BoolArray, IntArray


def tandem(arrivals: Arrivals, stages: Sequence[IntArray | int], variation: IntArray | int = 0) -> IntArray:
    """Latency of an item through item stages in a row.

    Parameters
    ----------
    arrivals : Arrivals
        The streams.
    stages : sequence of (n,) or scalar
        Longest time of one item at each stage [tick].
    variation : (n,) or scalar
        Variation of delays on the way [tick]; adds to the jitter.

    Returns
    -------
    (n,)
        Sum of the stages + max over m of m·(slowest stage) - delta_min(m + 1) [tick]. Attained. Without jitter it is
        the sum of the stages + (N - 1)·slowest.

    References
    ----------
    Friedman, Operations Research 13, 1965; Le Boudec and Thiran, Network Calculus, 2001, ch. 1.
    """
    rows = np.broadcast_shapes((1,), np.shape(variation), *(np.shape(stage) for stage in stages))
    total, slowest = np.zeros((2, *rows), dtype=np.int64)
    for stage in stages:
        total += stage
        np.maximum(slowest, stage, out=slowest)
    stable = arrivals.sustains(slowest)
    waiting = backlog(arrivals, slowest * stable, np.asarray(arrivals.jitter + variation))
    return np.where(stable, total + waiting, INFINITE)


def pipeline_count(
    arrivals: Arrivals,
    batch: IntArray,
    service: IntArray,
    before: Sequence[IntArray | int] = (),
    after: Sequence[IntArray | int] = (),
    variation: IntArray | int = 0,
) -> IntArray:
    """Latency when a batch is exactly b items in arrival order.

    Parameters
    ----------
    arrivals : Arrivals
        The streams; none may stop when a batch is larger than 1.
    batch : (n,)
        b, items of a batch.
    service : (n,)
        Longest time of a full batch [tick].
    before, after : sequences of (n,) or scalar
        Longest time of one item at each item stage [tick].
    variation : (n,) or scalar
        Variation of delays before the batch stage [tick].

    Returns
    -------
    (n,)
        Latency [tick]. The formation wait and the queue run at the same time: the larger counts, not the sum.

    Raises
    ------
    ValueError
        A stream may stop: a batch then waits for ever.

    References
    ----------
    Lindley 1952 (the recursion); Tindell, Burns and Wellings 1994, Richter 2005 (event counts in the busy window).
    """
    batch = np.asarray(batch, dtype=np.int64)
    items = Items.of(arrivals, before, after, variation, batch.size)
    service = np.broadcast_to(np.asarray(service, dtype=np.int64), batch.shape)
    return _grouped(batch, lambda size, rows: _count_total(arrivals, size, service[rows], items.take(rows)))


def pipeline_dynamic(
    arrivals: Arrivals,
    batch: IntArray,
    fixed: IntArray,
    per_item: IntArray,
    timeout: IntArray | int,
    before: Sequence[IntArray | int] = (),
    after: Sequence[IntArray | int] = (),
    variation: IntArray | int = 0,
) -> IntArray:
    """Latency when an idle server takes min(b, waiting) items once b wait or the oldest waited T.

    Parameters
    ----------
    arrivals, batch, before, after, variation
        As in `pipeline_count`; streams may stop.
    fixed, per_item : (n,)
        A batch of k items takes at most fixed + per_item·k [tick].
    timeout : (n,) or scalar
        T [tick]; 0 never waits.

    Returns
    -------
    (n,)
        Latency [tick], at most that of `pipeline_dynamic_fast`.

    Notes
    -----
    A batch that neither is full nor empties the queue must not exist (no preferred sizes below b), and the batcher
    feeds one server. Item stages before the network count as free to take any time from 0 to their longest, so they
    add their sum to the jitter of what arrives at the batcher.
    """
    return _dynamic(_dynamic_total, arrivals, batch, fixed, per_item, timeout, before, after, variation)


def pipeline_dynamic_fast(
    arrivals: Arrivals,
    batch: IntArray,
    fixed: IntArray,
    per_item: IntArray,
    timeout: IntArray | int,
    before: Sequence[IntArray | int] = (),
    after: Sequence[IntArray | int] = (),
    variation: IntArray | int = 0,
) -> IntArray:
    """Cheap form of `pipeline_dynamic` for screening: same arguments, never smaller, infinite if U(b) > 1."""
    return _dynamic(fast_total, arrivals, batch, fixed, per_item, timeout, before, after, variation)


def bound_tandem(arrivals: Arrivals, service: IntArray, items: Items) -> Bound:
    """Bound of `tandem` in parts, the network being one more item stage that takes `service` (n,) [tick]."""
    slowest = np.maximum(items.slowest, service)
    stable = arrivals.sustains(slowest)
    zero = np.zeros_like(service)
    return Bound(
        items=items.total,
        batch_wait=zero,
        queue=backlog(arrivals, slowest * stable, items.jitter),
        blocking=zero,
        service=service,
        active_case=zero + QUEUE,
        hidden=zero,
        reached=zero + 1,
        stable=stable,
    ).settled()


def bound_count(arrivals: Arrivals, batch: int, service: IntArray, items: Items) -> Bound:
    """Bound of `pipeline_count` in parts, for one batch size.

    Notes
    -----
    An item depends on the last one of its batch, up to b - 1 places later, so a path through the stages moves
    m + b - 1 places for an item m places after the start of the burst. Genlocked streams start batches at multiples
    of g = gcd(N, b), which forbids the batch borders that fit one batch more into a frame.
    """
    wait, queue, stable = _count_branches(arrivals, batch, service, items)
    active = np.where(wait > queue, WAIT, QUEUE)
    return Bound(
        items=items.total,
        batch_wait=np.where(active == WAIT, wait, 0),
        queue=np.where(active == QUEUE, queue, 0),
        blocking=np.zeros_like(queue),
        service=service,
        active_case=active,
        hidden=np.minimum(wait, queue),
        reached=np.full_like(queue, batch),
        stable=stable,
    ).settled()


def bound_dynamic(
    arrivals: Arrivals, batch: int, fixed: IntArray, per_item: IntArray, timeout: IntArray, items: Items
) -> Bound:
    """Bound of `pipeline_dynamic` in parts, for one batch size; one item alone is a full batch and never waits."""
    if batch == 1:
        return bound_tandem(arrivals, fixed + per_item, items)
    return full_branches(arrivals, batch, fixed, per_item, timeout, items)


def _count_branches(
    arrivals: Arrivals, batch: int, service: IntArray, items: Items
) -> tuple[IntArray, IntArray, BoolArray]:
    """Formation wait and backlog [tick] of counted batches, and where they bound anything."""
    if arrivals.may_stop and batch > 1:
        message = f"count batching of {batch} items has no bound when a stream may stop: use dynamic batching"
        raise ValueError(message)
    streams = arrivals.streams
    stable = arrivals.sustains(items.slowest) & (service <= batch * arrivals.period_down // streams)
    slowest, work = items.slowest * stable, service * stable
    aligned = gcd(streams, batch) if arrivals.synchronous else 1
    wait = formation(arrivals, batch, slowest, items.jitter, aligned)
    heavier = np.maximum(work - batch * slowest, 0)
    queue = np.zeros_like(work)
    for frames in frames_to_try(arrivals, batch, items.jitter):
        places = frames * streams + batch - 2
        batches = (frames * streams - aligned + batch - 1) // batch
        load = places * slowest + batches * heavier
        np.maximum(queue, load - span(arrivals, frames, items.jitter), out=queue)
    return wait, queue, stable


def _count_total(arrivals: Arrivals, batch: int, service: IntArray, items: Items) -> IntArray:
    """Total of `bound_count` without its parts, which cost as much again."""
    wait, queue, stable = _count_branches(arrivals, batch, service, items)
    return np.where(stable, items.total + service + np.maximum(wait, queue), INFINITE)


def _dynamic_total(
    arrivals: Arrivals, batch: int, fixed: IntArray, per_item: IntArray, timeout: IntArray, items: Items
) -> IntArray:
    return bound_dynamic(arrivals, batch, fixed, per_item, timeout, items).total


def _dynamic(
    total: Callable[[Arrivals, int, IntArray, IntArray, IntArray, Items], IntArray],
    arrivals: Arrivals,
    batch: IntArray,
    fixed: IntArray,
    per_item: IntArray,
    timeout: IntArray | int,
    before: Sequence[IntArray | int],
    after: Sequence[IntArray | int],
    variation: IntArray | int,
) -> IntArray:
    batch = np.asarray(batch, dtype=np.int64)
    items = Items.of(arrivals, before, after, variation, batch.size)
    s0, s1, wait = (np.broadcast_to(np.asarray(x, dtype=np.int64), batch.shape) for x in (fixed, per_item, timeout))
    return _grouped(batch, lambda size, rows: total(arrivals, size, s0[rows], s1[rows], wait[rows], items.take(rows)))


def _grouped(batch: IntArray, total_of: Callable[[int, IntArray], IntArray]) -> IntArray:
    """Totals of all rows, one batch size at a time: loop counts depend on it."""
    total = np.zeros(batch.size, dtype=np.int64)
    for size, rows in by_batch(batch):
        total[rows] = total_of(size, rows)
    return total
