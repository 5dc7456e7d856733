"""Several tasks on one device: every item's path as a row of visits, and the latency of each task with all of them.

Resources that one visit uses alone are private; a run of private visits is bounded as one pipeline. A resource that
several visits use is shared: each visit there waits for what the others bring, and arrives with the jitter that the
visits before it may add. Those jitters depend on each other, so they are iterated from below to their least fixed
point (compositional analysis; Richter, PhD thesis, TU Braunschweig, 2005; Henia et al., IEE Proc. CDT 152, 2005).
All times are whole ticks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.flow import Flow, Latency, Order, Part, Policy, Visit
from dse.timing.load import BatchLoad, Load, Time, least_fixed_point
from dse.timing.multiclass import unit_then_stages
from dse.timing.path import Path, worst_case
from dse.timing.round_robin import round_robin
from dse.timing.shared_batches import shared_batches_fifo_exact
from dse.timing.shared_unit import response
from dse.timing.ticks import MAX_TICKS

__all__ = ["Flow", "Latency", "Order", "Part", "Policy", "Visit", "latencies", "loads_by_resource"]

ROUNDS = 1_000
LATE = 2_000
"""Rounds of the iteration, and periods of jitter: what still grows then has no bound that anybody would accept."""


def latencies(flows: Sequence[Flow], order: Order = "fifo") -> tuple[Latency, ...] | None:
    """Longest latency of every flow on a device they share; None where some flow has no bound.

    Parameters
    ----------
    flows : sequence of Flow
        All of the device; ``after`` points into it.
    order : {"fifo", "fixed-priority", "round-robin"}
        How units are shared; every other resource is first in, first out.

    Notes
    -----
    No bound is known, and None is the answer, where a batcher shares its unit, unless it counts its batches and the
    unit is first in, first out; nor where a resource that a flow holds beside its unit serves another flow that does
    not wait for that unit. A flow that shares nothing has the bound of the pipeline it is alone.
    """
    if _holds_what_others_use(flows):
        return None
    device = _Device(flows, order)
    for _ in range(ROUNDS):
        before = device.state()
        found = device.walk()
        if found is None or any(latency.finish > MAX_TICKS for latency in found):
            return None
        if device.state() == before:
            return found
    return None


def _holds_what_others_use(flows: Sequence[Flow]) -> bool:
    """Whether a resource is taken by two flows, by one of them inside its unit, and not under the same unit."""
    for f, flow in enumerate(flows):
        units = {visit.resource for visit in flow.visits if visit.ordered}
        for resource in flow.held:
            for g, other in enumerate(flows):
                visited = any(visit.resource == resource for visit in other.visits)
                under_another = resource in other.held and not any(visit.resource in units for visit in other.visits)
                if visited or (g != f and under_another):
                    return True
    return False


def loads_by_resource(flows: Sequence[Flow]) -> dict[str, Fraction]:
    """Long-run demand on every resource, 1 for all of one server."""
    loads: dict[str, Fraction] = {}
    for flow in flows:
        for visit in flow.visits:
            share = Fraction(flow.streams * visit.service, visit.batch * flow.period)
            if visit.batch > 1 and visit.policy != "count":
                share = max(share, _early_load(flow, visit))
            loads[visit.resource] = loads.get(visit.resource, Fraction(0)) + share
    return loads


@lru_cache(maxsize=1 << 14)
def _early_load(flow: Flow, visit: Visit) -> Fraction:
    """Load of a batcher that may close before its batch is full: with the largest batch it can reach, or the most."""
    jitter = flow.jitter + flow.variation
    arrivals = Arrivals(flow.streams, flow.period, flow.period_up, jitter, flow.may_stop, flow.synchronous)
    found = worst_case(arrivals, _path((visit,), 0))
    return Fraction(int(found.network_utilization_ppm[0]), 1_000_000)


class _Device:
    """The flows and what is known so far of the jitter with which items arrive at every visit."""

    def __init__(self, flows: Sequence[Flow], order: Order) -> None:
        self._flows, self._order = flows, order
        uses = Counter(visit.resource for flow in flows for visit in flow.visits)
        self._shared = frozenset(resource for resource, count in uses.items() if count > 1)
        self._units = frozenset(visit.resource for flow in flows for visit in flow.visits if visit.ordered)
        self.jitter = {
            (f, v): flow.jitter + flow.variation for f, flow in enumerate(flows) for v in range(len(flow.visits) + 1)
        }
        # Response at the unit, and what the memory bus adds to a batch there.
        self._response = [next((v.service for v in flow.visits if v.ordered), 0) for flow in flows]
        self._contention = [0] * len(flows)

    def state(self) -> tuple[dict[tuple[int, int], int], tuple[int, ...], tuple[int, ...]]:
        """All that a round may still change."""
        return dict(self.jitter), tuple(self._response), tuple(self._contention)

    def walk(self) -> tuple[Latency, ...] | None:
        """One round: every flow with the jitters known so far, which grow on the way."""
        found: dict[int, Latency] = {}
        for f in _in_order(self._flows):
            release = max((found[parent].finish for parent in self._flows[f].after), default=0)
            latency = self._follow(f, release)
            if latency is None:
                return None
            found[f] = latency
        return tuple(found[f] for f in range(len(self._flows)))

    def _follow(self, f: int, release: int) -> Latency | None:
        flow = self._flows[f]
        first = flow.jitter + flow.variation + release
        parts = [Part("", "jitter", flow.jitter), Part("", "delay", flow.delay), Part("", "overlap", -flow.saved)]
        v, passed = 0, 0
        while v < len(flow.visits):
            self.jitter[f, v] = max(self.jitter[f, v], first + passed)
            if self.jitter[f, v] > LATE * flow.period:
                return None
            self._contention[f] = max(self._contention[f], self._memory_wait(f))
            step = self._shared_step(f, v) if flow.visits[v].resource in self._shared else self._private_run(f, v)
            if step is None or self._contention[f] > MAX_TICKS:
                return None
            if any(visit.ordered for visit in flow.visits[v : step.next]):
                # Batches are counted where the step with the unit begins, and stay for all of it.
                self.jitter[f, self._place(f)] = max(self.jitter[f, self._place(f)], self.jitter[f, v])
                self._response[f] = max(self._response[f], sum(part.ticks for part in step.parts))
            parts += step.parts
            passed += sum(part.ticks for part in step.parts)
            v = step.next
            if passed > MAX_TICKS:
                return None
        own = sum(part.ticks for part in parts)
        return Latency(own, release + own, tuple(part for part in parts if part.ticks))

    def _memory_wait(self, f: int) -> int:
        """How much longer a batch takes because units beside it use the memory bus.

        Memory time is lost only while another unit is served. The batches of a task that touch a window were released
        at most its response before it, each with its memory time (Yun et al., RTAS 2013, with budgets).
        """
        unit = self._unit(f)
        beside = [
            g for g in range(len(self._flows)) if self._unit(g) is not None and self._resource(g) != self._resource(f)
        ]
        if unit is None or unit.memory == 0 or not beside:
            return 0

        def served(window: Time) -> Time:
            return unit.service + sum(self._batches(g, window) * at.memory for g in beside if (at := self._unit(g)))

        return int(least_fixed_point(served, unit.service, MAX_TICKS)) - unit.service

    def _batches(self, g: int, window: Time) -> int:
        """Most batches of a flow that touch a window."""
        unit = self._flows[g].visits[self._place(g)]
        items = self._load(g, self._place(g)).arrivals_half_open(window + self._response[g])
        # Other batchers may close any number of them early.
        return -(-items // unit.batch) if unit.policy == "count" else items

    def _place(self, f: int) -> int:
        """Which visit of a flow with a network is that to the unit."""
        return next(v for v, visit in enumerate(self._flows[f].visits) if visit.ordered)

    def _unit(self, f: int) -> Visit | None:
        return next((visit for visit in self._flows[f].visits if visit.ordered), None)

    def _resource(self, f: int) -> str:
        unit = self._unit(f)
        return "" if unit is None else unit.resource

    def _visits(self, f: int, start: int, end: int) -> tuple[Visit, ...]:
        """Visits with what the memory bus adds to the network."""
        return tuple(
            _lengthened(visit, self._contention[f]) if visit.ordered else visit
            for visit in self._flows[f].visits[start:end]
        )

    def _private_run(self, f: int, v: int) -> _Step | None:
        """All visits up to the next shared one, as one pipeline."""
        end = self._end_of_run(f, v)
        run = self._visits(f, v, end)
        parts = (
            _batched(self._flows[f], run, self.jitter[f, v]) if _batcher(run) is not None else self._tandem(f, v, run)
        )
        return None if parts is None else _Step(parts, end)

    def _tandem(self, f: int, v: int, run: Sequence[Visit]) -> tuple[Part, ...] | None:
        """Item stages in a row: all waiting is that for the slowest one (Friedman, Operations Research 13, 1965)."""
        load, slowest = self._load(f, v), _slowest(run)
        if load.streams * slowest.service > load.period:
            return None
        # The frame in which all jitter is spent, or the one after: from there each brings no more work than time.
        frames = load.jitter // load.period + 1
        items = [int(count) * load.streams for count in (frames, frames + 1)]
        queue = max(int((count - 1) * slowest.service - load.shortest_span(count)) for count in items)
        services = [Part(visit.stage, "service", visit.service) for visit in run]
        return (*services, Part(slowest.stage, "queue", queue))

    def _shared_step(self, f: int, v: int) -> _Step | None:
        """One visit at a shared resource; where that is first in, first out, with the private visits behind it."""
        (visit,) = self._visits(f, v, v + 1)
        places = [(g, w) for g, other in enumerate(self._flows) for w, at in enumerate(other.visits)
                  if at.resource == visit.resource]  # fmt: skip
        loads, k = tuple(self._load(g, w) for g, w in places), places.index((f, v))
        # Stages beside a network on one unit wait in the order of the unit.
        order: Order = self._order if visit.resource in self._units else "fifo"
        if any(self._flows[g].visits[w].batch > 1 for g, w in places):
            return self._counted(places, k, order)
        if order == "fifo":
            loads = tuple(replace(load, priority=0) if load.priority else load for load in loads)
            end = self._end_of_run(f, v + 1)
            after = self._visits(f, v + 1, end)
            if not any(one.batch > 1 for one in after):
                times = tuple(one.service for one in after)
                alone, shared = _through(loads[k : k + 1], 0, times), _through(loads, k, times)
                if alone is not None and shared is not None:
                    return _Step(_split((visit, *after), alone, shared), end)
        alone, shared = _response(loads[k : k + 1], 0, order), _response(loads, k, order)
        if alone is None or shared is None:
            return None
        return _Step(_split((visit,), alone, shared), v + 1)

    def _counted(self, places: Sequence[tuple[int, int]], k: int, order: Order) -> _Step | None:
        """Batches at a shared unit, each task counting its own."""
        visits = [self._visits(g, w, w + 1)[0] for g, w in places]
        alive = all(visit.batch == 1 or (visit.policy == "count" and not self._flows[g].may_stop)
                    for visit, (g, _) in zip(visits, places, strict=True))  # fmt: skip
        if order != "fifo" or not alive:
            return None
        loads = [
            BatchLoad(visit.service, self._flows[g].streams, self._flows[g].period, self.jitter[g, w],
                      batch=visit.batch, period_up=self._flows[g].period_up)
            for visit, (g, w) in zip(visits, places, strict=True)
        ]  # fmt: skip
        alone, shared = shared_batches_fifo_exact(loads[k : k + 1], 0), shared_batches_fifo_exact(loads, k)
        if alone is None or shared is None:
            return None
        return _Step(_split((visits[k],), int(alone), int(shared)), places[k][1] + 1)

    def _load(self, f: int, v: int) -> Load:
        flow = self._flows[f]
        service = flow.visits[v].service + (self._contention[f] if flow.visits[v].ordered else 0)
        return Load(service, flow.streams, flow.period, self.jitter[f, v], flow.priority)

    def _end_of_run(self, f: int, v: int) -> int:
        visits = self._flows[f].visits
        return next((w for w in range(v, len(visits)) if visits[w].resource in self._shared), len(visits))


@dataclass(frozen=True)
class _Step:
    """Parts of the visits up to ``next``, the first that is not in them."""

    parts: tuple[Part, ...]
    next: int


# Most loads of a round are those of the round before, and those of one row alone return in every combination with it.
@lru_cache(maxsize=1 << 16)
def _response(loads: tuple[Load, ...], k: int, order: Order) -> int | None:
    """Response at one resource [tick]; in order of arrival all priorities are equal."""
    found = round_robin(loads, k) if order == "round-robin" else response(loads, k)
    return None if found is None else int(found)


@lru_cache(maxsize=1 << 16)
def _through(loads: tuple[Load, ...], k: int, after: tuple[int, ...]) -> int | None:
    """Time through a resource in order of arrival and the private stages behind it [tick]."""
    found = unit_then_stages(loads, k, after)
    return None if found is None else int(found)


def _split(visits: Sequence[Visit], alone: int, shared: int) -> tuple[Part, ...]:
    """Own services, what own earlier items cost, and what other tasks add."""
    services = tuple(Part(visit.stage, "service", visit.service) for visit in visits)
    own = sum(part.ticks for part in services)
    stage = visits[0].stage
    return (*services, Part(stage, "queue", alone - own), Part(stage, "blocking", shared - alone))


@lru_cache(maxsize=1 << 14)
def _batched(flow: Flow, run: tuple[Visit, ...], jitter: int) -> tuple[Part, ...] | None:
    """A private run with a batcher in it: the bound of one task alone."""
    place = _batcher(run)
    assert place is not None  # the caller asked
    visit = run[place]
    arrivals = Arrivals(flow.streams, flow.period, flow.period_up, jitter, flow.may_stop, flow.synchronous)
    if flow.may_stop and visit.policy == "count":
        return None
    found = worst_case(arrivals, _path(run, place))
    if not found.stable[0]:
        return None
    own = [Part(one.stage, "service", one.service) for k, one in enumerate(run) if k != place]
    kinds = {"service": found.service, "batch_wait": found.batch_wait, "queue": found.queue, "blocking": found.blocking}
    return (*own, *(Part(visit.stage, kind, int(ticks[0])) for kind, ticks in kinds.items()))


def _path(run: Sequence[Visit], place: int) -> Path:
    """A run as a table of one row; the batcher is at `place`."""
    visit = run[place]
    return Path(
        delay=0,
        variation=0,
        before=[one.service for one in run[:place]],
        after=[one.service for one in run[place + 1 :]],
        overlap=0,
        batch=np.array([visit.batch]),
        fixed=visit.fixed,
        per_item=visit.per_item,
        timeout=visit.timeout,
        dynamic=visit.policy == "dynamic",
        closing=visit.policy == "timeout-close",
    )


def _lengthened(visit: Visit, ticks: int) -> Visit:
    """A batch takes so much longer, whatever its size; a single item has no fixed part."""
    if not ticks:
        return visit
    if visit.batch == 1:
        return replace(visit, per_item=visit.per_item + ticks)
    return replace(visit, fixed=visit.fixed + ticks)


def _batcher(run: Sequence[Visit]) -> int | None:
    return next((k for k, visit in enumerate(run) if visit.batch > 1), None)


def _slowest(run: Sequence[Visit]) -> Visit:
    return max(run, key=lambda visit: visit.service)


def _in_order(flows: Sequence[Flow]) -> list[int]:
    """Positions of the flows, each behind those that release it; ValueError when they release each other."""
    order: list[int] = []
    while len(order) < len(flows):
        ready = [f for f, flow in enumerate(flows) if f not in order and all(p in order for p in flow.after)]
        if not ready:
            message = "flows release each other in a circle"
            raise ValueError(message)
        order += ready
    return order
