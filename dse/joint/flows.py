"""From one chosen row per task to the flows that meet on a device.

CPU stages have a core each, in the order of the file, while cores last; the last core serves all that are left, first
in, first out. A network on the CPU takes its cores first. Stages of a source that several tasks read, or that run more
often than the network, are a flow of their own that releases its tasks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from dse.candidates.context import TICK, Context
from dse.candidates.path import NETWORK, ItemPath, StageTimes, item_path, source_stages_apart
from dse.candidates.resources import host_of, reserve_of
from dse.candidates.stage_places import on_chip
from dse.candidates.stage_ticks import LINK_USABLE_SHARE
from dse.candidates.worst import item_path_of
from dse.catalog.types import Chip
from dse.estimate.peak import BYTES
from dse.joint.sides import Side
from dse.problem.fields import exact
from dse.problem.spec import Problem, Source
from dse.timing.joint import Flow, Policy, Visit
from dse.timing.ticks import MAX_TICKS, down, up, up_ticks

SHARED_CORE = "cpu"
"""The core that serves every CPU stage without one of its own; a network on the CPU is served there too."""


@dataclass(frozen=True)
class Wiring:
    """The flows of a combination; ``of_task`` says which flow is which task's.

    ``known`` is False where a stage of a source has no time on this chip.
    """

    flows: tuple[Flow, ...]
    of_task: tuple[int, ...]
    known: bool


class Wirer:
    """Makes flows of rows; what concerns a row alone is worked out once."""

    def __init__(self, problem: Problem, sides: Sequence[Side]) -> None:
        self._problem, self._sides = problem, sides
        self._alone: list[dict[int, Flow]] = [{} for _ in sides]

    def flow(self, k: int, row: int) -> Flow:
        """The flow of one row of task k, as if it were released by its own source."""
        if row not in self._alone[k]:
            self._alone[k][row] = _task_flow(self._sides[k], row)
        return self._alone[k][row]

    def wired(self, rows: Sequence[int]) -> Wiring:
        """The flows of one row per task, all on one device."""
        return _wired(self._problem, self._sides, rows, [self.flow(k, row) for k, row in enumerate(rows)])


def _wired(problem: Problem, sides: Sequence[Side], rows: Sequence[int], alone: Sequence[Flow]) -> Wiring:
    chip = sides[0].context.chip_of(int(sides[0].candidates.run[rows[0]]))
    flows: list[Flow] = []
    source_at: dict[str, int] = {}
    known = True
    for side in sides:
        source = problem.source_of(side.task)
        if source_stages_apart(problem, side.task) and source.name not in source_at:
            source_at[source.name] = len(flows)
            flow, timed = _source_flow(source, side, chip)
            flows.append(flow)
            known &= timed
    first = len(flows)
    place = {side.task.name: first + k for k, side in enumerate(sides)}
    for side, flow in zip(sides, alone, strict=True):
        after = tuple(place[name] for name in side.task.after)
        if not after and problem.source_of(side.task).name in source_at:
            after = (source_at[problem.source_of(side.task).name],)
        flows.append(replace(flow, after=after, jitter=0 if after else flow.jitter))
    cores = _cores(problem, chip, sides, rows)
    return Wiring(tuple(_with_cores(flows, cores)), tuple(range(first, first + len(sides))), known)


def _task_flow(side: Side, row: int) -> Flow:
    """One task; times in whole ticks as in its own table."""
    context, candidates = side.context, side.candidates
    run, option = int(candidates.run[row]), int(candidates.option[row])
    path = item_path_of(context, np.array([run]), option, context.shared_stages)
    way = context.options[option]
    network = int(up_ticks(context.service.service_ms[[run]])[0]) + path.contention
    extra = int(up_ticks(context.service.extra_ms[[run]])[0])
    batch = int(context.runs.batch[run])
    hidden, between, inside = (int(part[0]) for part in path.hidden(np.array([network // batch])))
    series = sum(int(times.merged[0]) for times in path.merged)
    alone = batch == 1
    infer = Visit(
        stage="infer",
        resource=side.unit_of(row),
        per_item=(network if alone else 0) + series - inside,
        fixed=0 if alone else network,
        batch=batch,
        policy=cast("Policy", way.policy),
        timeout=int(up_ticks(np.array([way.timeout_ms]))[0]),
        ordered=True,
        memory=min(network, _memory_ticks(context, run)),
    )
    own = side.task.name
    chip = context.chip_of(run)
    visits = (*_visits(own, path.before, chip), infer, *_visits(own, path.after, chip))
    a = context.arrivals
    return Flow(
        name=own,
        streams=a.streams,
        period=a.period_down,
        period_up=a.period_up,
        visits=visits,
        jitter=a.jitter,
        delay=sum(int(times.alone[0]) for times in path.of_task if times.is_delay) + extra,
        variation=_variation(context),
        saved=hidden + between,
        priority=side.task.priority,
        may_stop=a.may_stop,
        synchronous=a.synchronous,
        held=_held(own, path, chip, infer.resource),
    )


def _held(owner: str, path: ItemPath, chip: Chip, unit: str) -> tuple[str, ...]:
    """Resources of stages that run in series with the network, on its server; a CPU stage gets its core later."""
    inside = [times for times in path.merged if times.merged[0] and not times.is_delay]
    named = [place_of(owner, times, chip) for times in inside]
    return tuple(name for name in dict.fromkeys(named) if name != unit)


def place_of(owner: str, times: StageTimes, chip: Chip) -> str:
    """The resource a stage runs on, on this chip; a CPU stage has a core in its own name."""
    (here,) = on_chip((times.stage,), chip)
    return f"core {owner}/{here.name}" if here.resource == "cpu" else here.resource


def _memory_ticks(context: Context, run: int) -> int:
    """Pure memory time of a batch: its weights once and its activations twice, over the usable bandwidth.

    MAX_TICKS where a figure is missing: then all of the service may be memory time.
    """
    nets, net, lane = context.catalog.nets, int(context.runs.net[run]), context.lane_of(run)
    width = BYTES.get(str(context.lanes.precision[lane]), 1.0)
    mbytes = width * (nets.params_m[net] + 2 * int(context.runs.batch[run]) * nets.activations_m[net])
    bandwidth = context.chip_of(run).bandwidth_gbs
    if bandwidth is None or not math.isfinite(mbytes):
        return MAX_TICKS
    return int(up_ticks(np.array([mbytes / (LINK_USABLE_SHARE * bandwidth)]))[0])


def _visits(owner: str, stages: Sequence[StageTimes], chip: Chip) -> list[Visit]:
    """The timed stages before or after the network; a CPU stage gets its core later.

    A stage of c servers is c visits in a row, see `StageTimes.servers`.
    """
    found = []
    for times in stages:
        resource = place_of(owner, times, chip)
        ticks = [int(one[0]) for one in times.servers() if one[0]]
        names = [resource, *(f"{resource} {k + 2}" for k in range(len(ticks) - 1))]
        found += [Visit(times.stage.name, name, time) for name, time in zip(names, ticks, strict=False)]
    return found


def _variation(context: Context) -> int:
    """All that the delays of a path may vary [tick]."""
    stated = (exact(stage.variation_ms) for stage in context.stages if stage.delay_ms is not None)
    return sum(up(value, TICK) for value in stated)


def source_path(source: Source, side: Side, chip: Chip) -> ItemPath:
    """The stages of a source on a chip, one by one; the network behind them takes no time.

    Where several need one server, they meet there as stages of several tasks do: none is merged with the next.
    """
    path = item_path(
        (*source.stages, NETWORK), [chip], np.zeros(1, np.int64), np.array([math.nan]), np.ones(1, np.bool_),
        np.array([np.inf]), 2, pixels=side.context.frame_pixels,
    )  # fmt: skip
    apart = tuple(replace(times, series=np.zeros_like(times.series)) for times in path.stages)
    return replace(path, stages=apart)


def _source_flow(source: Source, side: Side, chip: Chip) -> tuple[Flow, bool]:
    """The stages of a source, once per frame for all tasks that read it; and whether all their times are known."""
    path = source_path(source, side, chip)
    flow = Flow(
        name=source.name,
        streams=source.streams,
        period=down(source.period_ms, TICK),
        period_up=up(source.period_ms, TICK),
        visits=tuple(_visits(source.name, path.before, chip)),
        jitter=up(exact(source.jitter_ms), TICK),
        delay=sum(int(times.ticks[0]) for times in path.stages if times.is_delay),
        variation=sum(up(exact(stage.variation_ms), TICK) for stage in source.stages if stage.delay_ms is not None),
        may_stop=source.may_stop,
        synchronous=source.phase == "synchronous",
    )
    return flow, bool(path.known[0])


def _cores(problem: Problem, chip: Chip, sides: Sequence[Side], rows: Sequence[int]) -> int:
    """CPU cores for stages: the device's, less the reserve and what networks on the CPU take; unknown is none."""
    free = host_of(chip, problem.host).cpu_cores - reserve_of(problem, chip)[1]
    on_cpu = [
        int(side.context.lanes.cores[side.context.lane_of(int(side.candidates.run[row]))])
        for side, row in zip(sides, rows, strict=True)
        if side.unit_of(row) in ("cpu", "mcu")
    ]
    if math.isnan(free) or 0 in on_cpu:
        return 0
    return max(0, int(free - max(on_cpu, default=0)))


def _with_cores(flows: Sequence[Flow], cores: int) -> list[Flow]:
    """A core for each CPU stage in turn, and the last one for all the rest; a microcontroller has only its own."""
    used = [(*(visit.resource for visit in flow.visits), *flow.held) for flow in flows]
    stages = [name for names in used for name in names if name.startswith("core ")]
    own = set(stages if len(stages) <= cores else stages[: max(0, cores - 1)])
    units = set().union(*(_units_of(flow) for flow in flows))
    last = "mcu" if "mcu" in units else SHARED_CORE

    def core(name: str) -> str:
        return last if name.startswith("core ") and name not in own else name

    return [
        replace(
            flow,
            visits=tuple(replace(visit, resource=core(visit.resource)) for visit in flow.visits),
            held=tuple(core(name) for name in flow.held if core(name) not in _units_of(flow)),
        )
        for flow in flows
    ]


def _units_of(flow: Flow) -> set[str]:
    """The unit of a flow's network; none for the stages of a source."""
    return {visit.resource for visit in flow.visits if visit.ordered}
