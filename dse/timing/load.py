"""What one task demands of a resource it shares with others: one job at a time, of bounded service, from N streams.

The functions of this station that work on `Load` are exact and use only + - * // and comparison, so the same ones serve
whole ticks and fractions of a millisecond (ints and `Fraction` must not be mixed in one call). Services may be shorter
at run time than given. In ticks the period is the one rounded down, services and jitters are rounded up.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from dse.timing.arrivals import Arrivals

#: A time: whole ticks or a fraction of a millisecond.
Time: TypeAlias = int | Fraction


@dataclass(frozen=True)
class Load:
    """One task at one resource: N streams with arbitrary phases; items of one stream stay in order.

    Parameters
    ----------
    service : Time
        Longest time of one job.
    streams : int
        N, at least 1.
    period : Time
        P of each stream, positive.
    jitter : Time
        J of the arrivals at this resource, which includes what earlier stages add.
    priority : int
        0 is highest; equal priorities are served in order of arrival.
    """

    service: Time
    streams: int
    period: Time
    jitter: Time = 0
    priority: int = 0

    def __post_init__(self) -> None:
        if self.streams < 1 or self.period <= 0 or self.service < 0 or self.jitter < 0:
            message = (
                f"{self.streams} streams, period {self.period}, service {self.service}, jitter {self.jitter}: expected "
                "at least one stream, a positive period and no negative times"
            )
            raise ValueError(message)
        times = (self.service, self.period, self.jitter)
        if not all(isinstance(time, int | Fraction) for time in times):  # a float would make a bound inexact
            message = f"times {times}: expected whole ticks or fractions, no floats and no numbers of arrays"
            raise TypeError(message)

    @classmethod
    def of(cls, arrivals: Arrivals, service: int, priority: int = 0, more_jitter: int = 0) -> Load:
        """Load in ticks of streams in ticks; `more_jitter` is what earlier stages add."""
        return Load(int(service), arrivals.streams, arrivals.period_down, arrivals.jitter + int(more_jitter), priority)

    @property
    def utilization(self) -> Fraction:
        """Long-run demand N·C/P of the resource, 1 for all of it."""
        return Fraction(self.streams * self.service, self.period)

    @property
    def burst(self) -> Fraction:
        """Work N·C·(1 + J/P): with the utilisation, an affine cap on the work that arrives in a closed window."""
        return Fraction(self.streams * self.service * (self.period + self.jitter), self.period)

    def arrivals(self, window: Time) -> int:
        """Most jobs that arrive in a closed window of this length >= 0: N·(floor((d + J)/P) + 1)."""
        return self.streams * int((window + self.jitter) // self.period + 1)

    def arrivals_half_open(self, window: Time) -> int:
        """Most jobs that arrive in a half-open window of this length >= 0: N·ceil((d + J)/P)."""
        return self.streams * -int(-(window + self.jitter) // self.period)

    def shortest_span(self, jobs: int) -> Time:
        """Shortest span of so many >= 1 consecutive jobs: max(0, (ceil(n/N) - 1)·P - J)."""
        return max(0, (-(-jobs // self.streams) - 1) * self.period - self.jitter)

    def steps(self, end: Time) -> Iterator[Time]:
        """Window lengths above 0 and below `end` at which `arrivals` grows: m·P - J."""
        step = (self.jitter // self.period + 1) * self.period - self.jitter
        while step < end:
            yield step
            step += self.period


@dataclass(frozen=True)
class BatchLoad(Load):
    """A `Load` whose job is a batch of exactly `batch` items in order of arrival; all streams must stay alive.

    Parameters
    ----------
    batch : int
        b, at least 1. `service` is that of a full batch; the arrivals are those of items.
    period_up : Time, optional
        P rounded up, for the wait until a batch is full; `period` unless given.
    """

    batch: int = 1
    period_up: Time | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch < 1:
            message = f"batch of {self.batch} items: expected at least 1"
            raise ValueError(message)

    @classmethod
    def batched(cls, arrivals: Arrivals, service: int, batch: int, more_jitter: int = 0) -> BatchLoad:
        """Load in ticks of counted batches; streams that may stop leave a batch waiting for ever."""
        if arrivals.may_stop and batch > 1:
            message = f"count batching of {batch} items has no bound when a stream may stop: use dynamic batching"
            raise ValueError(message)
        jitter = arrivals.jitter + int(more_jitter)
        return BatchLoad(int(service), arrivals.streams, arrivals.period_down, jitter, 0, batch, arrivals.period_up)

    @property
    def utilization(self) -> Fraction:
        """Long-run demand N·s/(b·P)."""
        return super().utilization / self.batch

    def formation(self, aligned: int = 1) -> Time:
        """Longest time from the first to the last item of a batch: ceil((b - 1)/N)·P + J, 0 for single items.

        `aligned` is gcd(N, b) when streams are genlocked and batches start at multiples of it within a frame.
        """
        if self.batch == 1:
            return 0
        period = self.period if self.period_up is None else self.period_up
        return (self.streams - aligned + self.batch - 1) // self.streams * period + self.jitter

    def batches(self, window: Time) -> int:
        """Most batches that can be completed in a closed window: items left over from before count."""
        return -(-self.arrivals(window) // self.batch)

    def batches_ahead(self, window: Time) -> int:
        """Most batches completed in a closed window that ends with the arrival of the first item of the next one."""
        items = self.arrivals(window)
        return (items - 2) // self.batch + 1 if items >= 2 else 0


def utilization(loads: Iterable[Load]) -> Fraction:
    """Long-run demand of all loads together, exactly."""
    return sum((load.utilization for load in loads), Fraction(0))


def common_period(periods: Iterable[Time]) -> Fraction:
    """Least common multiple of the periods."""
    different = set(periods)
    whole = [period for period in different if isinstance(period, int)]
    if len(whole) == len(different):
        return Fraction(math.lcm(*whole))
    exact = [Fraction(period) for period in different]
    unit = math.lcm(*(period.denominator for period in exact))
    return Fraction(math.lcm(*(int(period * unit) for period in exact)), unit)


def busy_window(loads: Sequence[Load], blocking: Time = 0, limit: Time | None = None) -> Time:
    """Longest window in which the loads keep a server busy, or their common period or `limit` if one is shorter.

    After a common period the work repeats with no more work than time when the utilisation is at most 1, so nothing
    worse can follow. That ends the search at a utilisation of exactly 1, where the window itself may be endless.
    """
    start = blocking + sum(load.service * load.arrivals(0) for load in loads)
    end: Time = common_period(load.period for load in loads)
    if limit is not None:
        end = min(end, limit)
    window = least_fixed_point(
        lambda window: blocking + sum(load.service * load.arrivals_half_open(window) for load in loads), start, end
    )
    return min(window, end)


def last_span(line: Fraction, slope: Fraction, reached: Time) -> Time | None:
    """Span from which on a line that falls by `slope` >= 0 for each unit is no longer above a value already reached.

    None when it never falls that far.
    """
    if line <= reached:
        return 0
    return (line - reached) / slope if slope else None


def steps(loads: Sequence[Load], end: Time) -> Iterator[Time]:
    """0 and all window lengths below `end` at which the arrivals of some load grow, in ascending order."""
    last: Time = 0
    yield last
    for step in heapq.merge(*(load.steps(end) for load in loads)):
        if step > last:
            yield step
            last = step


def least_fixed_point(grow: Callable[[Time], Time], start: Time, limit: Time | None = None) -> Time:
    """Least fixed point of a function that grows with its argument, from a start not above it.

    The first value at or above `limit` ends the search too; it is then not a fixed point.
    """
    value = start
    while (limit is None or value < limit) and (grown := grow(value)) > value:
        value = grown
    return value
