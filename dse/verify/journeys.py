"""What meets on a device when several tasks share it, again from the problem's own words, in exact milliseconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dse.candidates.context import Context
from dse.candidates.path import NETWORK, source_stages_apart
from dse.candidates.resources import host_of, reserve_of
from dse.candidates.stage_ticks import LINK_USABLE_SHARE
from dse.estimate.peak import BYTES
from dse.problem.fields import exact
from dse.problem.spec import Problem, Source
from dse.problem.stage import Stage
from dse.timing.exact import ExactArrivals, Network
from dse.timing.servers import MAX_SERVERS
from dse.verify.path import ExactPath

ZERO = Fraction(0)
ONE_CORE_FOR_ALL = "cpu"
CPU_UNITS = ("cpu", "mcu")


@dataclass(frozen=True)
class Chosen:
    """One row of one task: its context, run and option."""

    context: Context
    run: int
    option: int

    @property
    def unit(self) -> str:
        """Kind of the unit its network runs on."""
        return str(self.context.lanes.unit[self.context.lane_of(self.run)])


@dataclass(frozen=True)
class Stop:
    """One resource an item needs, for one item or one batch; ``memory`` is the part of a batch spent on the memory bus.

    ``policy`` is how a network's batches close, empty for all other stops.
    """

    resource: str
    work: Network
    policy: str = ""
    memory: Fraction = ZERO

    @property
    def time(self) -> Fraction:
        """Longest time of a whole batch [ms]."""
        return self.work.service(self.work.batch)


@dataclass(frozen=True)
class Journey:
    """Everything an item of one task, or a frame of one source, passes; ``after`` are the journeys that release it."""

    name: str
    arrivals: ExactArrivals
    stops: tuple[Stop, ...]
    delay: Fraction
    variation: Fraction
    saved: Fraction = ZERO
    after: tuple[int, ...] = ()
    priority: int = 0


def journeys_of(problem: Problem, chosen: Sequence[Chosen]) -> tuple[list[Journey], list[int]]:
    """Journeys of sources that are served apart, then of all tasks; and which one is each task's."""
    tasks = [one.context.task for one in chosen]
    first = {problem.source_of(task).name: one for task, one in reversed([*zip(tasks, chosen, strict=True)])
             if source_stages_apart(problem, task)}  # fmt: skip
    apart = [name for name in dict.fromkeys(problem.source_of(task).name for task in tasks) if name in first]
    found = [_of_source(first[name], problem.source_of(first[name].context.task)) for name in apart]
    place = {task.name: len(apart) + k for k, task in enumerate(tasks)}
    for task, one in zip(tasks, chosen, strict=True):
        source = problem.source_of(task).name
        after = [place[name] for name in task.after]
        if not after and source in first:
            after = [apart.index(source)]
        found.append(_of_task(problem, one, tuple(after)))
    return _with_cores(found, _cores(problem, chosen)), list(place.values())


def _of_task(problem: Problem, one: Chosen, after: tuple[int, ...]) -> Journey:
    context, task = one.context, one.context.task
    path = ExactPath(context, one.run, one.option)
    source, items = problem.source_of(task), problem.items_of(task)
    unit = Stop(one.unit, path.network, context.options[one.option].policy, min(path.network_ms, _memory_ms(one)))
    delays = [(k, stage) for k, stage in enumerate(path.stages) if stage.delay_ms is not None]
    apart = [exact(stage.delay_ms or 0.0) + exact(stage.variation_ms) for k, stage in delays if k not in path.series]
    alone = [k not in path.series or k == path.position for k in range(len(path.stages))]
    pairs = [k for k in range(len(path.stages) - 1) if alone[k] and alone[k + 1]]
    released = bool(task.after)
    return Journey(
        name=task.name,
        arrivals=ExactArrivals(
            streams=source.streams * items,
            period=problem.period_ms(task),
            jitter=ZERO if after else exact(source.jitter_ms),
            may_stop=source.may_stop or items > 1 or released,
            synchronous=source.phase == "synchronous" and task.every_nth == 1 and items == 1 and not released,
        ),
        stops=(
            *_stops(task.name, path, range(path.position)),
            unit,
            *_stops(task.name, path, range(path.position, len(path.stages))),
        ),
        delay=sum(apart, exact(float(context.service.extra_ms[one.run]))),
        variation=sum((exact(stage.variation_ms) for _, stage in delays), ZERO),
        saved=sum((path.hidden_ms(k) for k in pairs), ZERO),
        after=after,
        priority=task.priority,
    )


def _of_source(one: Chosen, source: Source) -> Journey:
    """Its stages one by one; their own bytes count, those of a network's input do not."""
    own = tuple(s.model_copy(update={"mbytes": 0.0}) if s.mbytes == "auto" else s for s in source.stages)
    path = ExactPath(replace(one.context, stages=(*own, NETWORK)), one.run, one.option)
    delays = [stage for stage in own if stage.delay_ms is not None]
    late = sum((exact(stage.variation_ms) for stage in delays), ZERO)
    stops = [
        stop for stage in path.stages[:-1] if stage.delay_ms is None for stop in _servers(source.name, path, stage)
    ]
    return Journey(
        name=source.name,
        arrivals=ExactArrivals(
            source.streams, source.period_ms, exact(source.jitter_ms), source.may_stop, source.phase == "synchronous"
        ),
        stops=tuple(stops),
        delay=sum((exact(stage.delay_ms or 0.0) for stage in delays), late),
        variation=late,
    )


def _stops(owner: str, path: ExactPath, places: range) -> list[Stop]:
    """Timed stages at some places that are not part of the network's own server."""
    timed = [stage for k, stage in path.timed if k in places and k not in path.series]
    return [stop for stage in timed for stop in _servers(owner, path, stage)]


def _servers(owner: str, path: ExactPath, stage: Stage) -> list[Stop]:
    """A stage of c servers that take s as c stops of s/c; a CPU stage waits for its core under a name of its own."""
    servers = min(stage.servers, MAX_SERVERS)
    time = path.stage_ms(stage) / servers
    name = f"core {owner}/{stage.name}" if stage.resource == "cpu" else stage.resource
    names = [name, *(f"{name} {k + 2}" for k in range(servers - 1))]
    return [Stop(one, Network(1, ZERO, time)) for one in names if time]


def _memory_ms(one: Chosen) -> Fraction:
    """Pure memory time of a batch; more than any batch takes where a figure is missing. Yun et al., RTAS 2013."""
    context, lane = one.context, one.context.lane_of(one.run)
    nets, net = context.catalog.nets, int(context.runs.net[one.run])
    weights, activations = float(nets.params_m[net]), float(nets.activations_m[net])
    bandwidth = context.chip_of(one.run).bandwidth_gbs
    if bandwidth is None or not math.isfinite(weights + activations):
        return Fraction(10**12)
    items = int(context.runs.batch[one.run])
    mbytes = exact(BYTES.get(context.lanes.precision[lane], 1.0)) * (exact(weights) + 2 * items * exact(activations))
    return mbytes / (exact(LINK_USABLE_SHARE) * exact(bandwidth))


def _cores(problem: Problem, chosen: Sequence[Chosen]) -> int:
    """Whole CPU cores that are left for stages; none where a figure is missing."""
    chip = chosen[0].context.chip_of(chosen[0].run)
    free = host_of(chip, problem.host).cpu_cores - reserve_of(problem, chip)[1]
    taken = [int(one.context.lanes.cores[one.context.lane_of(one.run)]) for one in chosen if one.unit in CPU_UNITS]
    return 0 if math.isnan(free) or 0 in taken else max(0, int(free - max(taken, default=0)))


def _with_cores(journeys: Sequence[Journey], cores: int) -> list[Journey]:
    """CPU stages in the order of the file take a core each; when they are too many, the last core serves the rest."""
    asking = [stop.resource for one in journeys for stop in one.stops if stop.resource.startswith("core ")]
    lucky = set(asking) if len(asking) <= cores else set(asking[: max(cores - 1, 0)])

    def placed(stop: Stop) -> Stop:
        crowded = stop.resource.startswith("core ") and stop.resource not in lucky
        return replace(stop, resource=ONE_CORE_FOR_ALL) if crowded else stop

    return [replace(one, stops=tuple(placed(stop) for stop in one.stops)) for one in journeys]
