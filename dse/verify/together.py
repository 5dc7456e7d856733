"""Latencies of tasks that share a device, in exact milliseconds: the compositional analysis written a second time.

Every round computes all jitters anew from those of the round before, until none changes (Richter, PhD thesis, TU
Braunschweig, 2005). Only the bounds of single resources are those that the first road uses as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from dse.timing.exact import ExactArrivals, Network
from dse.timing.load import BatchLoad, Load, Time, least_fixed_point
from dse.timing.multiclass import unit_then_stages
from dse.timing.path import worst_case_exact
from dse.timing.round_robin import round_robin
from dse.timing.servers import tandem_exact
from dse.timing.shared_batches import shared_batches_fifo_exact
from dse.timing.shared_unit import response
from dse.timing.ticks import MAX_TICKS, TICK_MS
from dse.verify.journeys import Journey, Stop

ZERO = Fraction(0)
LONGEST_MS = MAX_TICKS * TICK_MS
ROUNDS = 2_000


@dataclass(frozen=True)
class Bound:
    """Latency of a journey [ms] from its own release and, as ``finish``, from the nominal release of the frame."""

    own: Fraction
    finish: Fraction


@dataclass(frozen=True)
class _Known:
    """Results of one round: jitter at the stops [ms], response at the unit, wait for the memory bus; per journey."""

    jitter: tuple[tuple[Fraction, ...], ...]
    response: tuple[Fraction, ...]
    contention: tuple[Fraction, ...]


def bounds_of(journeys: Sequence[Journey], order: str) -> list[Bound] | None:
    """Longest latency of every journey; None where one has no bound."""
    device = _Device(tuple(journeys), order)
    known = device.start()
    for _ in range(ROUNDS):
        done = device.round(known)
        if done is None:
            return None
        bounds, after = done
        if after == known:
            return bounds
        known = after
    return None


def loads_of(journeys: Sequence[Journey]) -> dict[str, Fraction]:
    """Long-run demand on every resource with full batches: all there is, but for batches that close early."""
    loads: dict[str, Fraction] = {}
    for one in journeys:
        for stop in one.stops:
            share = one.arrivals.streams * stop.time / (stop.work.batch * one.arrivals.period)
            loads[stop.resource] = loads.get(stop.resource, ZERO) + share
    return loads


@dataclass(frozen=True)
class _Device:
    journeys: tuple[Journey, ...]
    order: str

    @cached_property
    def shared(self) -> set[str]:
        """Resources with more than one stop."""
        uses = Counter(stop.resource for one in self.journeys for stop in one.stops)
        return {name for name, count in uses.items() if count > 1}

    @cached_property
    def units(self) -> tuple[int | None, ...]:
        """Place of the network among the stops of every journey."""
        return tuple(next((s for s, stop in enumerate(one.stops) if stop.policy), None) for one in self.journeys)

    @cached_property
    def unit_names(self) -> set[str]:
        """Resources that networks run on."""
        return {one.stops[s].resource for one, s in zip(self.journeys, self.units, strict=True) if s is not None}

    def start(self) -> _Known:
        """Nothing waits yet."""
        jitter = [(one.arrivals.jitter + one.variation,) * len(one.stops) for one in self.journeys]
        times = [ZERO if s is None else one.stops[s].time for one, s in zip(self.journeys, self.units, strict=True)]
        return _Known(tuple(jitter), tuple(times), (ZERO,) * len(self.journeys))

    def round(self, known: _Known) -> tuple[list[Bound], _Known] | None:
        """All journeys once, behind what the round before knew."""
        bounds: dict[int, Bound] = {}
        jitters, responses, contentions = {}, {}, {}
        while len(bounds) < len(self.journeys):
            j = next(
                j for j, one in enumerate(self.journeys) if j not in bounds and all(p in bounds for p in one.after)
            )
            one, unit = self.journeys[j], self.units[j]
            release = max((bounds[parent].finish for parent in one.after), default=ZERO)
            contentions[j] = self._contention(j, known)
            late, passed, s = one.arrivals.jitter + one.variation + release, ZERO, 0
            jitter = list(known.jitter[j])
            responses[j] = known.response[j]
            while s < len(one.stops):
                jitter[s] = late + passed
                stepped = self._step(j, s, known)
                if stepped is None or stepped[0] > LONGEST_MS:
                    return None
                time, end = stepped
                if unit is not None and s <= unit < end:
                    jitter[unit], responses[j] = jitter[s], time
                passed, s = passed + time, end
            own = one.arrivals.jitter + one.delay - one.saved + passed
            if max(own, contentions[j]) > LONGEST_MS:
                return None
            bounds[j], jitters[j] = Bound(own, release + own), tuple(jitter)
        count = range(len(self.journeys))
        after = _Known(tuple(jitters[j] for j in count), tuple(responses[j] for j in count),
                       tuple(contentions[j] for j in count))  # fmt: skip
        return [bounds[j] for j in count], after

    def _contention(self, j: int, known: _Known) -> Fraction:
        """What a batch loses to memory traffic of batches on other units. Yun et al., RTAS 2013."""
        unit = self._unit(j)
        others = [(k, at) for k in range(len(self.journeys)) if (at := self._unit(k)) is not None]
        if unit is None or not unit.memory:
            return ZERO
        beside = [(k, at) for k, at in others if at.resource != unit.resource]

        def served(window: Time) -> Time:
            return unit.time + sum(self._touching(k, at, window, known) * at.memory for k, at in beside)

        return Fraction(least_fixed_point(served, unit.time, LONGEST_MS) - unit.time)

    def _touching(self, k: int, at: Stop, window: Time, known: _Known) -> int:
        """Most batches of journey k that are under way at some time of a window."""
        place = self.units[k]
        assert place is not None  # it has a unit
        items = self._load(k, place, known).arrivals_half_open(window + known.response[k])
        return -(-items // at.work.batch) if at.policy == "count" else items

    def _unit(self, j: int) -> Stop | None:
        place = self.units[j]
        return None if place is None else self.journeys[j].stops[place]

    def _stop(self, j: int, s: int, known: _Known) -> Stop:
        """A stop with what the memory bus adds to a network's batch."""
        stop, more = self.journeys[j].stops[s], known.contention[j]
        if not stop.policy or not more:
            return stop
        work = stop.work
        longer = (
            replace(work, per_item=work.per_item + more) if work.batch == 1 else replace(work, fixed=work.fixed + more)
        )
        return replace(stop, work=longer)

    def _load(self, j: int, s: int, known: _Known) -> Load:
        one = self.journeys[j]
        return Load(self._stop(j, s, known).time, one.arrivals.streams, one.arrivals.period, known.jitter[j][s],
                    one.priority)  # fmt: skip

    def _end(self, j: int, s: int) -> int:
        """First shared stop from one on."""
        stops = self.journeys[j].stops
        return next((k for k in range(s, len(stops)) if stops[k].resource in self.shared), len(stops))

    def _step(self, j: int, s: int, known: _Known) -> tuple[Fraction, int] | None:
        """Longest time from the arrival at a stop to the end of the last one that is bounded with it."""
        if self.journeys[j].stops[s].resource not in self.shared:
            end = self._end(j, s)
            time = self._alone(j, [self._stop(j, k, known) for k in range(s, end)], known.jitter[j][s])
            return None if time is None else (Fraction(time), end)
        name = self.journeys[j].stops[s].resource
        meeting = [(k, at) for k, one in enumerate(self.journeys) for at, stop in enumerate(one.stops)
                   if stop.resource == name]  # fmt: skip
        order = self.order if name in self.unit_names else "fifo"
        if any(self.journeys[k].stops[at].work.batch > 1 for k, at in meeting):
            counted = self._counted(meeting, meeting.index((j, s)), known) if order == "fifo" else None
            return None if counted is None else (Fraction(counted), s + 1)
        loads, own = [self._load(k, at, known) for k, at in meeting], meeting.index((j, s))
        if order == "round-robin":
            return _counted_to(round_robin(loads, own), s + 1)
        if order == "fixed-priority":
            return _counted_to(response(loads, own), s + 1)
        loads = [replace(load, priority=0) for load in loads]
        end = self._end(j, s + 1)
        behind = [self._stop(j, k, known) for k in range(s + 1, end)]
        if all(stop.work.batch == 1 for stop in behind):
            time = unit_then_stages(loads, own, [stop.time for stop in behind])
            if time is not None:
                return Fraction(time), end
        return _counted_to(response(loads, own), s + 1)

    def _counted(self, meeting: Sequence[tuple[int, int]], own: int, known: _Known) -> Time | None:
        """Batches at a shared unit; None where one may close early or never."""
        loads = []
        for k, at in meeting:
            stop, arrivals = self._stop(k, at, known), self.journeys[k].arrivals
            if stop.work.batch > 1 and (stop.policy != "count" or arrivals.may_stop):
                return None
            loads.append(BatchLoad(stop.time, arrivals.streams, arrivals.period, known.jitter[k][at],
                                   batch=stop.work.batch))  # fmt: skip
        return shared_batches_fifo_exact(loads, own)

    def _alone(self, j: int, run: Sequence[Stop], jitter: Fraction) -> Time | None:
        """Private stops in a row as one pipeline."""
        arrivals = replace(self.journeys[j].arrivals, jitter=jitter)
        batcher = next((k for k, stop in enumerate(run) if stop.work.batch > 1), None)
        if batcher is None:
            load = Load(ZERO, arrivals.streams, arrivals.period, jitter)
            return tandem_exact(load, [(stop.time, 1) for stop in run])
        return _pipeline(arrivals, run, batcher)


def _counted_to(time: Time | None, end: int) -> tuple[Fraction, int] | None:
    return None if time is None else (Fraction(time), end)


def _pipeline(arrivals: ExactArrivals, run: Sequence[Stop], batcher: int) -> Fraction | None:
    """A batcher between item stages; from the actual arrival, so without the jitter before it."""
    network: Network = run[batcher].work
    if arrivals.may_stop and run[batcher].policy == "count":
        return None
    total = worst_case_exact(
        arrivals,
        network,
        dynamic=run[batcher].policy == "dynamic",
        before=[stop.time for stop in run[:batcher]],
        after=[stop.time for stop in run[batcher + 1 :]],
        closing=run[batcher].policy == "timeout-close",
    )
    return None if total is None else total - arrivals.jitter
