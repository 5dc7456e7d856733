"""``dse simulate``: the chosen design replayed, and what was observed beside its bounds.

The replay knows the path of an item and nothing of any bound: resources, orders, batches and times are handed over as
they stand in the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np

from dse.answer import Answer, solve_problem
from dse.candidates.context import TICK
from dse.candidates.path import ItemPath, StageTimes, stages_of
from dse.candidates.stage_places import on_chip
from dse.candidates.stage_ticks import servers_of, ticks_of
from dse.candidates.worst import ways_of
from dse.estimate.store import Knowledge
from dse.joint.answer import JointAnswer, solve_joint
from dse.joint.flows import SHARED_CORE, place_of, source_path
from dse.joint.sides import Side
from dse.problem.spec import Problem
from dse.report.joint import summarise_joint
from dse.report.summary import summarise
from dse.schema import TICKS_PER_MS
from dse.simulate.plant import Batch, Delay, Order, Plant, Policy, Resource, Serve, Source, Step, Task
from dse.simulate.search import Observed, search
from dse.timing.ticks import down, up_ticks

JsonObject = dict[str, Any]
Progress = Callable[[int, int], None]
OF_SOURCE = "frames of "
"""Before the name of a source whose stages are shown with those of its tasks."""


@dataclass(frozen=True)
class Replayed:
    """A design, the plant it was replayed as, and what was seen; None where there is no design."""

    answer: JsonObject
    plant: Plant | None
    observed: Observed | None


def simulate_problem(
    problem: Problem,
    knowledge: Knowledge,
    *,
    workers: int = 1,
    seed: int = 0,
    phasings: int = 160,
    climbs: int = 240,
    progress: Progress | None = None,
) -> Replayed:
    """Solve a problem and replay the design that was chosen.

    Parameters
    ----------
    problem, knowledge
        As for a solve.
    workers : int
        For the solver.
    seed : int
        Of the replays.
    phasings, climbs : int
        Patterns of releases tried, and steps from the worst of them.
    progress : callable, optional
        Called with the replays done and to do.
    """
    if len(problem.tasks) > 1:
        joint = solve_joint(problem, knowledge, workers=workers, top=1)
        data = summarise_joint(joint)
        plant = None if joint.verdict is None else _joint_plant(joint)
    else:
        answer = solve_problem(problem, knowledge, workers=workers, top=1)
        data = summarise(answer)
        plant = None if answer.row is None else _plant(answer)
    if plant is None:
        return Replayed(data, None, None)
    chains = [chain.tasks for chain in problem.chains]
    observed = search(plant, seed, chains=chains, phasings=phasings, climbs=climbs, progress=progress)
    return Replayed(data, plant, observed)


def as_json(replayed: Replayed) -> JsonObject:
    """What was seen beside what was promised, in milliseconds; None where nothing was measured."""
    observed = replayed.observed
    if observed is None:
        return {"status": replayed.answer["status"], "tasks": [], "chains": [], "seed": None}
    return {
        "status": replayed.answer["status"],
        "tasks": [_task_json(replayed, one) for one in replayed.answer["assignments"]],
        "chains": [
            {
                "chain": chain["name"],
                "bound_ms": chain["worst_case_ms"],
                "observed_worst_ms": _ms(observed.chains[tuple(chain["tasks"])].latency),
            }
            for chain in replayed.answer["chains"]
            if tuple(chain["tasks"]) in observed.chains
        ],
        "replays": observed.replays,
        "seed": observed.seed,
    }


def _task_json(replayed: Replayed, assignment: JsonObject) -> JsonObject:
    observed, name = replayed.observed, assignment["task"]
    assert observed is not None  # the caller saw a design
    assert replayed.plant is not None
    worst, seen = observed.tasks.get(name), observed.distributions.get(name)
    bound = assignment["latency"]["worst_case_ms"]
    task = next(task for task in replayed.plant.tasks if task.name == name)
    # What waits for another task is counted from there: the way of its frames before that is not part of it.
    owners = (name,) if task.after else (name, task.source)
    booked = {part["stage"]: 0.0 for part in assignment["latency"]["parts"]}
    for part in assignment["latency"]["parts"]:
        booked[part["stage"]] += part["ms"]
    stages: list[JsonObject] = [
        {"stage": step, "observed_worst_ms": _ms(ticks), "bound_parts_ms": round(booked.get(step, 0.0), 4)}
        for (owner, step), ticks in observed.sojourns.items()
        if owner in owners
    ]
    listed = sum(stage["bound_parts_ms"] for stage in stages)
    return {
        "task": name,
        "chip": replayed.answer["devices"][0]["chip"],
        "model": assignment["model"],
        "precision": assignment["precision"],
        "bound_ms": bound,
        "observed_worst_ms": None if worst is None else _ms(worst.latency),
        "mean_ms": None if seen is None else round(seen.mean / TICKS_PER_MS, 4),
        "p50_ms": None if seen is None else _ms(seen.p50),
        "p99_ms": None if seen is None else _ms(seen.p99),
        "p99_9_ms": None if seen is None else _ms(seen.p999),
        "frames": 0 if worst is None else worst.frames,
        "stages": stages,
        "other_parts_ms": None if bound is None else round(bound - listed, 4),
        "sample_ms": [] if seen is None else [_ms(ticks) for ticks in seen.sample],
    }


def _ms(ticks: int) -> float:
    return ticks / TICKS_PER_MS


def _plant(answer: Answer) -> Plant:
    """One task: stages without a core of their own run in series, as its bound has it."""
    context, row = answer.context, answer.row
    assert row is not None  # the caller saw a design
    side = Side(context.task, context, answer.survey, answer.survey.feasible, answer.survey.feasible)
    return _assembled(answer.context.problem, [(side, row)], {}, "fifo")


def _joint_plant(answer: JointAnswer) -> Plant:
    """Several tasks: CPU stages on the cores that the answer gives them."""
    verdict = answer.verdict
    assert verdict is not None  # the caller saw a design
    cores = {(flow.name, visit.stage): visit.resource for flow in verdict.wiring.flows for visit in flow.visits}
    chosen = list(zip(answer.sides, verdict.rows, strict=True))
    return _assembled(answer.problem, chosen, cores, answer.problem.search.scheduling)


def _assembled(
    problem: Problem, chosen: Sequence[tuple[Side, int]], cores: dict[tuple[str, str], str], order: str
) -> Plant:
    """The plant of one row per task; `cores` says which core serves a stage of a source or task."""
    sources: dict[str, Source] = {}
    tasks: list[Task] = []
    servers: dict[str, int] = {}
    units: set[str] = set()
    for side, row in chosen:
        context = side.context
        run, option = int(side.candidates.run[row]), int(side.candidates.option[row])
        _, ways = ways_of(context, run, option)
        path = ways.around
        given, task = problem.source_of(side.task), side.task
        steps = _Steps(side, row, cores)
        apart = path.shared > 0 or len(context.stages) < len(stages_of(problem, side.task))
        if given.name not in sources:
            own = _source_stages(side, path) if apart else []
            sources[given.name] = Source(
                name=OF_SOURCE + given.name,
                streams=given.streams,
                period=down(given.period_ms, TICK),
                jitter=ticks_of(given.jitter_ms),
                synchronous=given.phase == "synchronous",
                may_stop=given.may_stop,
                steps=tuple(steps.of(own, given.name)),
            )
        tasks.append(
            Task(
                name=task.name,
                source=OF_SOURCE + given.name,
                after=task.after,
                # A server that frames and items share is bounded as if the network ran on every frame.
                every_nth=1 if ways.arrivals is context.frames else task.every_nth,
                items_per_frame=task.items_per_frame.max,
                priority=task.priority,
                steps=tuple(steps.of(list(path.of_task), task.name, path)),
            )
        )
        servers |= steps.servers
        units.add(side.unit_of(row))
    resources = [
        Resource(name, count, cast("Order", order) if name in units else "fifo") for name, count in servers.items()
    ]
    return Plant(tuple(resources), tuple(sources.values()), tuple(tasks))


class _Steps:
    """Makes steps of stages, and notes which resources they need."""

    def __init__(self, side: Side, row: int, cores: dict[tuple[str, str], str]) -> None:
        self._side, self._row, self._cores = side, row, cores
        self._chip = side.context.chip_of(int(side.candidates.run[row]))
        self.servers: dict[str, int] = {}

    def of(self, stages: list[StageTimes], owner: str, path: ItemPath | None = None) -> list[Step]:
        """Steps of some stages in order; with a `path` the network is among them."""
        found: list[Step] = []
        hidden = self._hidden(stages, path)
        for times, saved in zip(stages, hidden, strict=True):
            if times.is_network and path is not None:
                found += self._network(path, saved)
            elif times.is_delay and not times.series[0]:
                varies = ticks_of(times.stage.variation_ms)
                found.append(Delay(times.stage.name, int(times.ticks[0]) - varies, int(times.ticks[0]), "task"))
            elif times.alone[0]:
                resource = self._resource(owner, times)
                found.append(Serve(times.stage.name, resource, int(times.ticks[0]), saved))
        return found

    def _resource(self, owner: str, times: StageTimes) -> str:
        (here,) = on_chip((times.stage,), self._chip)
        name = self._cores.get((owner, here.name), place_of(owner, times, self._chip))
        self.servers[name] = 1 if name in (SHARED_CORE, "mcu") else servers_of(here)
        return name

    def _network(self, path: ItemPath, saved: int) -> list[Step]:
        """The network with what runs in series on its server, and the depth of a pipelined device."""
        context, candidates = self._side.context, self._side.candidates
        run, way = int(candidates.run[self._row]), context.options[int(candidates.option[self._row])]
        batch = int(context.runs.batch[run])
        network = int(up_ticks(context.service.service_ms[[run]])[0]) + path.contention
        inside = int(path.hidden(np.array([network // batch]))[2][0])
        series = sum(int(times.merged[0]) for times in path.merged) - inside
        unit, extra = self._side.unit_of(self._row), int(up_ticks(context.service.extra_ms[[run]])[0])
        self.servers[unit] = 1
        if batch == 1:
            found: list[Step] = [Serve("infer", unit, network + series, saved)]
        else:
            timeout = int(up_ticks(np.array([way.timeout_ms]))[0])
            found = [Batch("infer", unit, batch, cast("Policy", way.policy), timeout, network, series)]
        return found + ([Delay("depth", extra, extra, "task")] if extra else [])

    def _hidden(self, stages: list[StageTimes], path: ItemPath | None) -> list[int]:
        """Ticks of each stage that run beside the next one for the same item."""
        if path is None:
            return [0] * len(stages)
        context, candidates = self._side.context, self._side.candidates
        run = int(candidates.run[self._row])
        network = int(up_ticks(context.service.service_ms[[run]])[0]) + path.contention
        per_item = network // int(context.runs.batch[run])
        found = []
        for first, second in pairwise(stages):
            apart = all(one.is_network or not one.series[0] for one in (first, second))
            timed = not (first.is_delay or second.is_delay) and apart
            times = [per_item if one.is_network else int(one.ticks[0]) for one in (first, second)]
            found.append(min(times) * int(first.share_ppm[0]) // 1_000_000 if timed else 0)
        return [*found, 0]


def _source_stages(side: Side, path: ItemPath) -> list[StageTimes]:
    """Stages of a source that are served apart from its tasks."""
    if path.shared:
        return list(path.of_source)
    chip = side.context.chip_of(int(side.candidates.run[side.rows[0]]))
    return [times for times in source_path(side.context.problem.source_of(side.task), side, chip).stages
            if not times.is_network]  # fmt: skip
