"""What every bound needs of the item stages around the network, and the parts a bound is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.ticks import INFINITE, BoolArray, IntArray

#: Values of `Bound.active_case`: which branch of the maximum decides.
WAIT, QUEUE = 0, 1


@dataclass(frozen=True)
class Items:
    """Item stages of n candidates, digested; all fields [tick] and (n,), or (1,) for a value that all rows share.

    Many tables share the jitter, and have no stages before or after the network; one value for all then spares every
    bound its counts of frames and batches row by row, which are most of the work.

    Parameters
    ----------
    total : (n,) or (1,)
        Sum of the item times before and after the network.
    before : (n,) or (1,)
        Sum of those before it.
    slowest, slowest_before : (n,) or (1,)
        Longest item time of all stages, and of those before the network; 0 without stages.
    jitter : (n,) or (1,)
        Jitter of the source plus the variation of the delays on the way.
    """

    total: IntArray
    before: IntArray
    slowest: IntArray
    slowest_before: IntArray
    jitter: IntArray

    @classmethod
    def of(
        cls,
        arrivals: Arrivals,
        before: Sequence[IntArray | int],
        after: Sequence[IntArray | int],
        variation: IntArray | int,
        rows: int,
    ) -> Items:
        """Digest the times of the stages; each is (n,) or a scalar."""
        first, slow_first = _digested(before, rows)
        last, slow_last = _digested(after, rows)
        late = np.atleast_1d(np.asarray(variation, dtype=np.int64))
        shared = late.size > 0 and bool((late == late[0]).all())
        jitter = arrivals.jitter + (late[:1] if shared else late)
        return cls(first + last, first, np.maximum(slow_first, slow_last), slow_first, jitter)

    def take(self, rows: IntArray | slice) -> Items:
        """Select some of the rows."""
        columns = (self.total, self.before, self.slowest, self.slowest_before, self.jitter)
        return Items(*(column if column.size == 1 else column[rows] for column in columns))

    def quiet(self, keep: BoolArray) -> Items:
        """Zero item times where `keep` is false: those rows have no bound, and their products could overflow."""
        columns = (self.total, self.before, self.slowest, self.slowest_before)
        total, before, slowest, slowest_before = (column * keep if column.any() else column for column in columns)
        return Items(total, before, slowest, slowest_before, self.jitter)


@dataclass(frozen=True)
class Bound:
    """Bound on the time from the release of an item to its result, in parts; all (n,).

    Parameters
    ----------
    items, batch_wait, queue, blocking, service : (n,)
        Parts [tick]: own item times, waiting for the batch to fill, waiting for earlier work, the batch in service on
        arrival, the own batch. Where there is no bound, `queue` is INFINITE and the others are 0.
    active_case : (n,)
        WAIT or QUEUE.
    hidden : (n,)
        Value of the other branch [tick]; not part of the total.
    reached : (n,)
        Largest batch that can form.
    stable : (n,)
        Whether there is a bound.
    """

    items: IntArray
    batch_wait: IntArray
    queue: IntArray
    blocking: IntArray
    service: IntArray
    active_case: IntArray
    hidden: IntArray
    reached: IntArray
    stable: BoolArray

    @property
    def total(self) -> IntArray:
        """Sum of the parts [tick]."""
        return self.items + self.batch_wait + self.queue + self.blocking + self.service

    def settled(self) -> Bound:
        """Put the rows that have no bound into their agreed form."""
        keep = self.stable
        return Bound(
            items=self.items * keep,
            batch_wait=self.batch_wait * keep,
            queue=np.where(keep, self.queue, INFINITE),
            blocking=self.blocking * keep,
            service=self.service * keep,
            active_case=np.where(keep, self.active_case, QUEUE),
            hidden=self.hidden * keep,
            reached=self.reached,
            stable=keep,
        )


def _digested(stages: Sequence[IntArray | int], rows: int) -> tuple[IntArray, IntArray]:
    """Sum and largest of the times of the stages, each (rows,); (1,) without stages."""
    if not stages:
        return np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    total, slowest = np.zeros((2, rows), dtype=np.int64)
    for time in stages:
        np.add(total, time, out=total)
        np.maximum(slowest, time, out=slowest)
    return total, slowest


def backlog(arrivals: Arrivals, slowest: IntArray, jitter: IntArray) -> IntArray:
    """Longest wait [tick] behind earlier items of a server that needs `slowest` per item, N·slowest <= P.

    max over m of m·slowest - delta_min(m + 1). The largest m of each frame decides; up to frame floor(J/P) + 1 the
    span is 0, so the last of these is the largest, and after the next one each frame brings N·slowest and costs P.
    """
    first = jitter // arrivals.period_down + 1
    bunched = (first * arrivals.streams - 1) * slowest
    return np.asarray(np.maximum(bunched, bunched + arrivals.streams * slowest - span(arrivals, first + 1, jitter)))


def span(arrivals: Arrivals, frames: IntArray, jitter: IntArray) -> IntArray:
    """Shortest span [tick] of more than `frames` - 1 frames of items."""
    return np.asarray(np.maximum(0, (frames - 1) * arrivals.period_down - jitter))


def formation(arrivals: Arrivals, batch: int, slowest: IntArray, jitter: IntArray, aligned: int = 1) -> IntArray:
    """Longest time [tick] until the last item of a batch has passed the item stages, counted from its first item.

    max over 1 <= u < b of (b-1-u)·slowest + delta_max(u + 1). `aligned` is gcd(N, b) when batches start at multiples
    of it within a frame; they then cross fewer frame borders. As N·slowest <= P the last border crossed decides.
    """
    if batch == 1:
        return np.zeros_like(slowest)
    streams = arrivals.streams
    borders = (streams - aligned + batch - 1) // streams
    first = max(1, (borders - 1) * streams + 1)
    return (batch - 1 - first) * slowest + borders * arrivals.period_up + jitter


def frames_to_try(arrivals: Arrivals, batch: int, jitter: IntArray) -> Iterator[IntArray]:
    """Frame counts q at which the backlog of a batch stage can peak.

    Before floor(J/P) + 1 all items can arrive at once, so that frame is the first to try. After b/gcd(N, b) further
    frames whole batches and whole frames meet again, with at least as much time as work added when U <= 1.
    """
    first = jitter // arrivals.period_down + 1
    for step in range(batch // gcd(arrivals.streams, batch) + 1):
        yield first + step


def by_batch(batch: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Each batch size that occurs, with its rows."""
    for size in np.unique(batch):
        yield int(size), np.flatnonzero(batch == size)
