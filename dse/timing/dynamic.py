"""Dynamic batching: the batch sizes it can reach, and the two branches of its latency bound.

Take an item x. Let e be the last batch before x arrives that emptied the queue, with n_e items. The M - 1 batches
between e and that of x, which has n_x items, are full. Either the batch of x waited for its time-out with the server
idle (the wait branch), or it follows e without a gap (the queue branch), and then x waits for n_e and n_x items and
M - 1 full batches while (M - 1)·b + 1 items arrived. How large n_e + n_x can be is the matter of `pair_cap`.
Busy windows with event counts: Tindell, Burns and Wellings 1994; Richter 2005. The batcher: NVIDIA Triton user guide.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np

from dse.timing.arrivals import Arrivals, eta_behind_queue
from dse.timing.stages import QUEUE, WAIT, Bound, Items, backlog, formation, frames_to_try, span
from dse.timing.ticks import INFINITE, MAX_COUPLED_BATCH, BoolArray, IntArray

#: A cost in items no real choice reaches: marks a choice that a row does not have.
_NEVER = 2**61


@dataclass(frozen=True)
class _Batcher:
    """One batch size on n candidates, with what its arrivals look like; arrays are (n,), times in ticks."""

    arrivals: Arrivals
    size: int
    fixed: IntArray
    per_item: IntArray
    full: IntArray  # service of a full batch, 0 where full batches must not be counted on
    timeout: IntArray
    items: Items

    @property
    def spread(self) -> IntArray:
        """Jitter of what arrives at the batcher, without the queueing ahead of it."""
        return self.items.jitter + self.items.before

    def within(self, window: IntArray) -> IntArray:
        """Most items that arrive at the batcher in a half-open window."""
        return eta_behind_queue(self.arrivals, window + self.spread, self.items.slowest_before)

    def take(self, rows: IntArray) -> _Batcher:
        """Select some of the rows."""
        times = (self.fixed[rows], self.per_item[rows], self.full[rows], self.timeout[rows])
        return _Batcher(self.arrivals, self.size, *times, self.items.take(rows))


def full_branches(
    arrivals: Arrivals, batch: int, fixed: IntArray, per_item: IntArray, timeout: IntArray, items: Items
) -> Bound:
    """Bound of dynamic batching of up to `batch` items: service fixed + per_item·k, time-out `timeout`; (n,) [tick].

    Notes
    -----
    Stable when full batches keep up, or when no full batch can form: then the batches stay small enough to keep up.
    """
    sustained = arrivals.sustains(items.slowest)
    calm = items.quiet(sustained)
    wait = _longest_wait(arrivals, batch, timeout, calm)
    batcher = _Batcher(arrivals, batch, fixed * sustained, per_item * sustained, np.zeros_like(fixed), wait, calm)
    closing = np.minimum(batch, batcher.within(wait + 1))
    reached = np.where(sustained, largest_batch(batcher, closing), batch)
    full = fixed + per_item * batch
    stable = sustained & ((reached < batch) | (full <= batch * arrivals.period_down // arrivals.streams))
    batcher = _Batcher(
        arrivals, batch, fixed * stable, per_item * stable, full * (stable & (reached == batch)), wait, calm
    )
    pair, queue = _queue_branch(batcher, closing, reached)
    own = batcher.fixed + batcher.per_item * closing
    return _assembled(batcher, own, reached, pair, queue, backlog(arrivals, calm.slowest, calm.jitter), stable)


def fast_total(
    arrivals: Arrivals, batch: int, fixed: IntArray, per_item: IntArray, timeout: IntArray, items: Items
) -> IntArray:
    """Total of the cheap form of `full_branches`: every batch counts as full, and one pair cap serves all M.

    Notes
    -----
    The pair cap also admits the window of one service, in which b items less than none have to be taken away; a full
    batch and its successor then always count when N >= b. That costs tightness and nothing else.
    """
    full = fixed + per_item * batch
    stable = arrivals.sustains(items.slowest) & (full <= batch * arrivals.period_down // arrivals.streams)
    calm = items.quiet(stable)
    batcher = _Batcher(arrivals, batch, fixed * stable, per_item * stable, full * stable, timeout, calm)
    window = np.maximum(2 * batcher.full, timeout + batcher.full + 1)
    pair = pair_cap(batcher, window, -1, batch)
    queue = 2 * batcher.fixed + batcher.per_item * pair + _full_batches(batcher)
    wait = timeout + batcher.full + backlog(arrivals, calm.slowest, calm.jitter)
    return np.where(stable, items.total + np.maximum(wait, queue), INFINITE)


def largest_batch(batcher: _Batcher, closing: IntArray) -> IntArray:
    """Largest batch that can form: least n with n = min(b, max(n_T, items arriving while n are served)).

    The right side grows with n, so counting up from n_T reaches the least solution, in at most b rounds.
    """
    reached = np.maximum(closing, 1)
    for _ in range(batcher.size):
        arriving = batcher.within(batcher.fixed + batcher.per_item * reached)
        grown = np.minimum(batcher.size, np.maximum(reached, arriving))
        if np.array_equal(grown, reached):
            break
        reached = grown
    return reached


def pair_cap(batcher: _Batcher, window: IntArray, fewest: IntArray | int, reached: IntArray | int) -> IntArray:
    """Most items of two batches that emptied the queue, with at least `fewest` full batches around them.

    Parameters
    ----------
    window : (n,)
        Half-open window [tick] in which they and f = 0 full batches arrive; each full batch lengthens it.
    fewest : (n,) or scalar
        Least f to consider.
    reached : (n,) or scalar
        Largest batch; two of them are a cap. Where it is below b there are no full batches.

    Returns
    -------
    (n,)
        min(2·reached, max over f >= fewest and m >= 0 of N·ceil((w + f·s(b) + m·t)/P) - f·b - m), with w the window
        plus jitter and t the slowest item stage before the batcher; m as in `eta_behind_queue`.

    Notes
    -----
    For k frames take the cheapest f and m, f costing b items and m one, that stretch the window beyond k - 1 periods.
    If s(b) >= b·t, one f stretches no less than b of m for the same cost: f is the least that suffices alone, or one
    less with m filling up. Otherwise b of m stretch more than one f: only m. After b/gcd(N, b) frames both repeat
    with no gain, as neither stretches faster than the N items a period brings when U <= 1.
    """
    arrivals, size, full = batcher.arrivals, batcher.size, batcher.full
    period, streams, slow = arrivals.period_down, arrivals.streams, batcher.items.slowest_before
    base = window + batcher.spread
    frames = -(-(base + fewest * full) // period)
    best = np.asarray(streams * frames - fewest * size)
    for step in range(1, size // gcd(streams, size) + 1):
        if bool((best >= 2 * reached).all()):
            break
        gap = (frames + step - 1) * period + 1 - base
        alone = -(-gap // np.maximum(full, 1))
        cost = np.where(full > 0, alone * size, _NEVER)
        if slow.any():
            rate = np.maximum(slow, 1)
            mixed = (alone - 1) * size - (-(gap - (alone - 1) * full) // rate)
            only = fewest * size - (-(gap - fewest * full) // rate)
            cost = np.minimum(cost, np.where((slow > 0) & (full > 0), mixed, _NEVER))
            cost = np.minimum(cost, np.where(slow > 0, only, _NEVER))
        np.maximum(best, streams * (frames + step) - cost, out=best)
    return np.minimum(best, 2 * reached)


def _longest_wait(arrivals: Arrivals, batch: int, timeout: IntArray, items: Items) -> IntArray:
    """T, or less if b items are sure to come earlier: not when a stream may stop."""
    if arrivals.may_stop:
        return timeout
    first = items.slowest_before
    queued = (batch - 1) * first + backlog(arrivals, first, items.jitter)
    filled = items.before + np.maximum(queued, formation(arrivals, batch, first, items.jitter))
    return np.asarray(np.minimum(timeout, filled))


def _queue_branch(batcher: _Batcher, closing: IntArray, reached: IntArray) -> tuple[IntArray, IntArray]:
    """Pair of batch sizes R that counts, and value of the queue branch [tick].

    X bounds n_e + n_x in general; it is the least fixed point of the pair cap, by induction from the empty start.
    """
    s0, s1, items = batcher.fixed, batcher.per_item, batcher.items
    idle = batcher.timeout + s0 + s1 * closing + 1
    none = np.zeros_like(s0)
    pair = pair_cap(batcher, idle, none, reached)
    for _ in range(2 * batcher.size):
        grown = np.maximum(pair, pair_cap(batcher, np.maximum(2 * s0 + s1 * pair, idle), none, reached))
        if np.array_equal(grown, pair):
            break
        pair = grown
    some = reached == batcher.size
    affordable = batcher.size <= MAX_COUPLED_BATCH
    behind = np.where(some, _full_batches(batcher), backlog(batcher.arrivals, items.slowest, items.jitter))
    queue = 2 * s0 + s1 * pair + behind
    # The coupled form is only a bound, and only worth its price, where full batches occur and its terms decline.
    coupled = np.flatnonzero(some & affordable & (batcher.full > 0) & batcher.arrivals.sustains(s1 + items.slowest))
    if coupled.size:
        window = np.maximum(2 * s0 + s1 * pair, idle)[coupled]
        fewer, value = _coupled(batcher.take(coupled), window, pair[coupled])
        better = value < queue[coupled]
        pair[coupled] = np.where(better, fewer, pair[coupled])
        queue[coupled] = np.where(better, value, queue[coupled])
    return pair, queue


def _full_batches(batcher: _Batcher) -> IntArray:
    """Longest wait [tick] behind full batches and items: max over m of w(m) - delta_min(m + 1).

    w(m) is the heaviest way to move m places: whole batches where that takes longer than their items one by one.
    """
    slow, jitter = batcher.items.slowest, batcher.items.jitter
    step = np.maximum(batcher.full, batcher.size * slow)
    worst = np.zeros_like(step)
    for frames in frames_to_try(batcher.arrivals, batcher.size, jitter):
        batches, rest = np.divmod(frames * batcher.arrivals.streams - 1, batcher.size)
        np.maximum(worst, batches * step + rest * slow - span(batcher.arrivals, frames, jitter), out=worst)
    return worst


def _coupled(batcher: _Batcher, window: IntArray, pair: IntArray) -> tuple[IntArray, IntArray]:
    """Pair and value of the queue branch with a pair cap of its own for each number of full batches between.

    For each frame the largest M that fits decides: one full batch less lets the pair grow by at most b items, which
    costs no more than s(b), or b·(s1 + t) when the b places are then moved item by item at t each.
    The general pair bounds all; only rows it could still improve are worked out.
    """
    arrivals, size, items = batcher.arrivals, batcher.size, batcher.items
    step = np.maximum(batcher.full, size * (batcher.per_item + items.slowest))
    value, decisive = np.full_like(pair, -1), pair.copy()
    for frames in frames_to_try(arrivals, size, items.jitter):
        batches, rest = np.divmod(frames * arrivals.streams - 1, size)
        batches = np.broadcast_to(batches, pair.shape)
        behind = 2 * batcher.fixed + batches * step + rest * items.slowest - span(arrivals, frames, items.jitter)
        rows = np.flatnonzero(behind + batcher.per_item * pair > value)
        some = batcher.take(rows)
        capped = pair_cap(some, window[rows], batches[rows], np.full_like(rows, size))
        found = behind[rows] + some.per_item * capped
        larger = found > value[rows]
        value[rows[larger]], decisive[rows[larger]] = found[larger], capped[larger]
    return decisive, value


def _assembled(
    batcher: _Batcher,
    own: IntArray,
    reached: IntArray,
    pair: IntArray,
    queue: IntArray,
    behind: IntArray,
    stable: BoolArray,
) -> Bound:
    """Split the larger branch into parts; `own` is the service of a batch closed by the time-out."""
    wait = batcher.timeout + own + behind
    waits = wait > queue
    last = np.minimum(reached, np.maximum(pair - 1, 1))
    service = batcher.fixed + batcher.per_item * last
    blocking = batcher.fixed + batcher.per_item * (pair - last)
    return Bound(
        items=batcher.items.total,
        batch_wait=np.where(waits, batcher.timeout, 0),
        queue=np.where(waits, behind, queue - service - blocking),
        blocking=np.where(waits, 0, blocking),
        service=np.where(waits, own, service),
        active_case=np.where(waits, WAIT, QUEUE),
        hidden=np.minimum(wait, queue),
        reached=reached,
        stable=stable,
    ).settled()
