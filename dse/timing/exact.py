"""The bounds again, for one candidate, in exact fractions of a millisecond: a second transcription of the formulas.

Written for checking: it shares no formula with the array forms and follows the formulas term by term. On times that lie
on the tick grid both give the same value; off the grid the array forms are never smaller. Fixed costs are a few
thousand fraction operations for usual batches; do not run it over a candidate table. None means: no bound.
Two budgets asked before there are candidates stand beside them: `service_budget` and `overlap`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dse.timing.ticks import MAX_COUPLED_BATCH

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class ExactArrivals:
    """N identical streams of period P [ms] and jitter J [ms]; flags as in `Arrivals`."""

    streams: int
    period: Fraction
    jitter: Fraction = ZERO
    may_stop: bool = False
    synchronous: bool = False

    def closed(self, window: Fraction) -> int:
        """Frames released in a closed window that already includes the jitter, times N."""
        return self.streams * (math.floor(window / self.period) + 1)

    def half_open(self, window: Fraction) -> int:
        """As `closed`, for a half-open window."""
        return self.streams * math.ceil(window / self.period)

    def nearest(self, frames: int) -> Fraction:
        """Shortest span of more than `frames` - 1 frames [ms]."""
        return max(ZERO, (frames - 1) * self.period - self.jitter)

    def with_more(self, variation: Fraction) -> ExactArrivals:
        """Put the streams behind a delay that varies by so much [ms]."""
        return ExactArrivals(self.streams, self.period, self.jitter + variation, self.may_stop, self.synchronous)


@dataclass(frozen=True)
class Network:
    """Batch stage: up to `batch` items, k of them in at most fixed + per_item·k [ms]; time-out [ms]."""

    batch: int
    fixed: Fraction
    per_item: Fraction
    timeout: Fraction = ZERO

    def service(self, items: int) -> Fraction:
        """Longest time of a batch of so many items [ms]."""
        return self.fixed + self.per_item * items


Times = Sequence[Fraction]


def tandem(source: ExactArrivals, stages: Times) -> Fraction | None:
    """Latency [ms] through item stages: sum + max over m of m·slowest - delta_min(m + 1). Friedman 1965."""
    slowest = max(stages, default=ZERO)
    if source.streams * slowest > source.period:
        return None
    return sum(stages, ZERO) + _over_frames(source, 1, lambda moved, _: moved * slowest)


def pipeline_count(
    source: ExactArrivals, batch: int, service: Fraction, before: Times = (), after: Times = ()
) -> Fraction | None:
    """Latency [ms] when a batch is exactly b items; ValueError when a stream may stop and b > 1. Lindley 1952."""
    if source.may_stop and batch > 1:
        message = f"count batching of {batch} items has no bound when a stream may stop: use dynamic batching"
        raise ValueError(message)
    item = max((*before, *after), default=ZERO)
    n, period = source.streams, source.period
    if n * item > period or n * service > batch * period:
        return None
    aligned = math.gcd(n, batch) if source.synchronous else 1

    def queued(moved: int, frames: int) -> Fraction:
        places, most = moved + batch - 1, (frames * n - aligned + batch - 1) // batch
        return max(k * service + (places - k * batch) * item for k in {0, most})

    wait = _formation(source, batch, item, aligned)
    return sum(before, ZERO) + sum(after, ZERO) + service + max(wait, _over_frames(source, batch, queued))


def pipeline_dynamic(source: ExactArrivals, network: Network, before: Times = (), after: Times = ()) -> Fraction | None:
    """Latency [ms] of dynamic batching inside a pipeline; see the array form for the policy."""
    item = max((*before, *after), default=ZERO)
    n, b, full = source.streams, network.batch, network.service(network.batch)
    if b == 1:
        return tandem(source, (*before, full, *after))
    if n * item > source.period:
        return None
    stage = _DynamicStage(source, network, before)
    largest = stage.largest()
    if largest == b and n * full > b * source.period:
        return None
    closing = network.service(stage.closing)
    own_wait = stage.wait + closing + _over_frames(source, 1, lambda moved, _: moved * item)
    pair = stage.general_pair(largest)
    if largest < b:
        behind = _over_frames(source, 1, lambda moved, _: moved * item)
        queue = 2 * network.fixed + network.per_item * pair + behind
    else:
        behind = _over_frames(source, b, lambda moved, _: _heaviest(moved, b, full, item))
        queue = 2 * network.fixed + network.per_item * pair + behind
        if b <= MAX_COUPLED_BATCH and n * (network.per_item + item) <= source.period:
            queue = min(queue, 2 * network.fixed + _coupled(stage, largest, pair, item))
    return sum(before, ZERO) + sum(after, ZERO) + max(own_wait, queue)


def pipeline_dynamic_fast(
    source: ExactArrivals, network: Network, before: Times = (), after: Times = ()
) -> Fraction | None:
    """Cheap form of `pipeline_dynamic` [ms], never smaller."""
    item = max((*before, *after), default=ZERO)
    n, b, full = source.streams, network.batch, network.service(network.batch)
    if n * item > source.period or n * full > b * source.period:
        return None
    stage = _DynamicStage(source, network, before)
    pair = min(2 * b, max(stage.most(2 * full, -1, closed=False), stage.most(network.timeout + full, -1, closed=True)))
    own_wait = network.timeout + full + _over_frames(source, 1, lambda moved, _: moved * item)
    behind = _over_frames(source, b, lambda moved, _: _heaviest(moved, b, full, item))
    queue = 2 * network.fixed + network.per_item * pair + behind
    return sum(before, ZERO) + sum(after, ZERO) + max(own_wait, queue)


def latency_count(source: ExactArrivals, batch: int, service: Fraction) -> Fraction | None:
    """`pipeline_count` of the network alone [ms]."""
    return pipeline_count(source, batch, service)


def latency_dynamic(source: ExactArrivals, network: Network) -> Fraction | None:
    """`pipeline_dynamic` of the network alone [ms]."""
    return pipeline_dynamic(source, network)


def latency_dynamic_fast(source: ExactArrivals, network: Network) -> Fraction | None:
    """`pipeline_dynamic_fast` of the network alone [ms]."""
    return pipeline_dynamic_fast(source, network)


def service_budget(
    streams: int,
    period: Fraction,
    deadline: Fraction,
    *,
    batch: int = 1,
    other: Fraction = ZERO,
    jitter: Fraction = ZERO,
    cap: Fraction = ONE,
    tail: Fraction = ONE,
    synchronous: bool = False,
) -> Fraction:
    """Longest *mean* time [ms] of a batch with which counting batches meet the deadline on one server.

    Parameters
    ----------
    streams, period, jitter, synchronous
        N, P [ms], J [ms], and whether streams and batches are genlocked.
    deadline, other : Fraction
        Time allowed from release, and what everything but the network takes of it [ms].
    cap : Fraction
        Largest utilisation.
    tail : Fraction
        Worst case / mean of the service.

    Returns
    -------
    Fraction
        min(cap·P·b/N, D - O - W, (D - O + (qP - J)+)/(m_q + 1) for each frame q) / tail [ms]; not positive if the
        deadline cannot be met. "100 streams within 100 ms on one server" gives 1 ms only if P >= 100 ms too.
    """
    left = deadline - other
    aligned = math.gcd(streams, batch) if synchronous else 1
    wait = ((streams - aligned + batch - 1) // streams) * period + jitter if batch > 1 else ZERO
    limits = [cap * period * batch / streams, left - wait]
    first = math.floor(jitter / period)
    for q in range(first, first + batch + 1):  # later frames repeat these with no more work than time
        batches = ((q + 1) * streams - 1 - aligned) // batch + 1
        limits.append((left + max(ZERO, q * period - jitter)) / (batches + 1))
    return min(limits) / tail


def overlap(
    transfer: Fraction, network: Fraction, buffers: int, *, contention: Fraction = ZERO, omega: Fraction = ONE
) -> tuple[Fraction, Fraction]:
    """Period and latency [ms] of a transfer and a network run that share `buffers` buffers.

    Parameters
    ----------
    transfer, network : Fraction
        Time of each alone [ms].
    buffers : int
        1: in series. 2 or more: the next transfer runs beside the network.
    contention : Fraction
        What a transfer beside it adds to the network run [ms].
    omega : Fraction
        Share of the shorter stage that is hidden when they run beside each other; measured, never assumed above 0
        for a throughput that is promised.

    Returns
    -------
    (Fraction, Fraction)
        Period and latency of one item [ms]. Overlap shortens the period only; contention lengthens both.

    References
    ----------
    Baccelli, Cohen, Olsder and Quadrat, Synchronization and Linearity, 1992 (cycles of finite buffers).
    """
    if buffers < 1:
        message = f"{buffers} buffers: expected at least 1"
        raise ValueError(message)
    if buffers == 1:
        return transfer + network, transfer + network
    slowed = network + contention
    longer, shorter = max(transfer, slowed), min(transfer, slowed)
    return max(longer + (1 - omega) * shorter, (transfer + slowed) / buffers), transfer + slowed


class _DynamicStage:
    """What arrives at a dynamic batcher behind item stages that may take any time from 0 to their longest."""

    def __init__(self, source: ExactArrivals, network: Network, before: Times) -> None:
        self.source, self.network = source, network
        self.item = max(before, default=ZERO)
        self.spread = source.jitter + sum(before, ZERO)
        self.wait = network.timeout
        if not source.may_stop:
            queued = (network.batch - 1) * self.item + _over_frames(source, 1, lambda moved, _: moved * self.item)
            fill = sum(before, ZERO) + max(queued, _formation(source, network.batch, self.item, 1))
            self.wait = min(network.timeout, fill)
        self.closing = min(network.batch, self.most(self.wait, 0, closed=True, batches=False))

    def most(self, window: Fraction, fewest: int, *, closed: bool, batches: bool = True) -> int:
        """Largest N·(frames in window + f·s(b) + m·item) - f·b - m over f >= fewest and m >= 0.

        Without `batches` f stays at `fewest`.
        """
        n, period, b = self.source.streams, self.source.period, self.network.batch
        full = self.network.service(b)
        base = window + self.spread
        count = self.source.closed if closed else self.source.half_open
        start = count(base + fewest * full) // n
        best = n * start - fewest * b
        for frames in range(start + 1, start + b + 1):
            gap = (frames - 1) * period - base
            alone = _steps(gap, full, closed) if batches and full else fewest
            for f in {fewest, alone - 1, alone}:
                m = _steps(gap - f * full, self.item, closed) if self.item else 0
                if f >= fewest and count(base + f * full + m * self.item) >= n * frames:
                    best = max(best, n * frames - f * b - m)
        return best

    def largest(self) -> int:
        """Least fixed point of n = min(b, max(n_T, items that arrive while n are served))."""
        n = max(1, self.closing)
        while True:
            arriving = self.most(self.network.service(n), 0, closed=False, batches=False)
            grown = min(self.network.batch, max(self.closing, arriving))
            if grown <= n:
                return n
            n = grown

    def pair(self, general: int, fewest: int, largest: int) -> int:
        """R: largest sum of two batches that empty the queue, `fewest` or more full batches around them."""
        net, batches = self.network, largest == self.network.batch
        busy = self.most(2 * net.fixed + net.per_item * general, fewest, closed=False, batches=batches)
        idle = self.most(self.wait + net.service(self.closing), fewest, closed=True, batches=batches)
        return min(2 * largest, max(busy, idle))

    def general_pair(self, largest: int) -> int:
        """X: least fixed point of X = R(X) with no full batch in between."""
        general = 0
        while (grown := self.pair(general, 0, largest)) > general:
            general = grown
        return general


def _coupled(stage: _DynamicStage, largest: int, general: int, item: Fraction) -> Fraction:
    """Queue branch without its two fixed costs, with a pair cap for each number of full batches between."""
    net = stage.network
    step = max(net.service(net.batch), net.batch * (net.per_item + item))

    def queued(moved: int, _: int) -> Fraction:
        batches, rest = divmod(moved, net.batch)
        return net.per_item * stage.pair(general, batches, largest) + batches * step + rest * item

    return _over_frames(stage.source, net.batch, queued)


def _over_frames(source: ExactArrivals, batch: int, value: Callable[[int, int], Fraction]) -> Fraction:
    """Max over frames q of value(qN - 1, q) - span of q frames; what b frames after floor(J/P) + 1 bring repeats."""
    first = math.floor(source.jitter / source.period) + 1
    return max(value(q * source.streams - 1, q) - source.nearest(q) for q in range(first, first + batch + 1))


def _heaviest(moved: int, batch: int, full: Fraction, item: Fraction) -> Fraction:
    """w(m): heaviest way to move m places, by batches or item by item."""
    return max(k * full + (moved - k * batch) * item for k in {0, moved // batch})


def _formation(source: ExactArrivals, batch: int, item: Fraction, aligned: int) -> Fraction:
    """Max over u of (b-1-u)·item + longest span of u + 1 items; aligned batches cross fewer frame borders."""
    n = source.streams
    most = (n - aligned + batch - 1) // n
    spans = ((batch - 1 - u) * item + min(-(-u // n), most) * source.period for u in range(1, batch))
    return max((span + source.jitter for span in spans), default=ZERO)


def _steps(gap: Fraction, step: Fraction, closed: bool) -> int:
    """Fewest steps that reach the gap (closed window) or pass it (half-open)."""
    return max(0, math.ceil(gap / step) if closed else math.floor(gap / step) + 1)
