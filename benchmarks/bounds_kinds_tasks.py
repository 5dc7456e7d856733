"""Kinds of systems in which several tasks share servers; otherwise as ``bounds_kinds.py``."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks import bounds_recursions as fast
from benchmarks.bounds_kinds import (
    Kind,
    arrivals,
    camera,
    load,
    ticks,
    times_of,
)
from benchmarks.bounds_recursions import Ints
from benchmarks.bounds_search import Case
from dse.simulate.plant import Batch, Delay, Order, Plant, Resource, Serve, Source, Step, Task
from dse.timing import servers as several
from dse.timing.load import BatchLoad, Load
from dse.timing.multiclass import tandem_multiclass, unit_then_stages
from dse.timing.round_robin import round_robin, round_robin_dynamic
from dse.timing.shared_affine import npfp_sufficient
from dse.timing.shared_batches import shared_batches_fifo, shared_batches_fifo_exact
from dse.timing.shared_unit import backlog, response
from dse.timing.ticks import INFINITE


def cameras(dice: random.Random, most_tasks: int = 5, most_streams: int = 4) -> list[Source]:
    return [camera(dice, f"camera {number}", most_streams) for number in range(dice.randint(2, most_tasks))]


def shares(dice: random.Random, count: int) -> list[float]:
    """Loads that add up to one drawn load, uniformly among all such (Bini and Buttazzo 2005)."""
    left, found = load(dice), []
    for rest in range(count - 1, 0, -1):
        after = left * dice.random() ** (1 / rest)
        found.append(left - after)
        left = after
    return [*found, left]


def together(
    dice: random.Random,
    sources: Sequence[Source],
    steps: Sequence[Sequence[Step]],
    bounds: Sequence[int | None],
    finish: Any,
    order: Order = "fifo",
    servers: int = 1,
    levels: Sequence[int] = (),
) -> Case | None:
    """Tasks, one to a source, of which one is the goal."""
    names = [f"task {number}" for number in range(len(sources))]
    known = {
        name: int(bound) for name, bound in zip(names, bounds, strict=True) if bound is not None and bound < INFINITE
    }
    if not known:
        return None
    resources = dict.fromkeys(step.resource for line in steps for step in line if not isinstance(step, Delay))
    tasks = tuple(
        Task(name, source.name, priority=levels[number] if levels else 0, steps=tuple(steps[number]))
        for number, (name, source) in enumerate(zip(names, sources, strict=True))
    )
    plant = Plant(tuple(Resource(name, servers, order) for name in resources), tuple(sources), tasks)
    offsets = times_of([step for line in steps for step in line])
    return Case(plant, known, dice.choice(sorted(known)), finish, offsets)


def jobs(dice: random.Random, most_streams: int = 4) -> tuple[list[Source], list[Load]]:
    """Tasks of single jobs at one server; in some cases several have the same priority."""
    sources = cameras(dice, most_streams=most_streams)
    shared = dice.random() < 0.3
    loads = [
        Load(
            ticks(share * source.period / source.streams),
            source.streams,
            source.period,
            source.jitter,
            dice.randrange(2) if shared else number,
        )
        for number, (source, share) in enumerate(zip(sources, shares(dice, len(sources)), strict=True))
    ]
    return sources, loads


def runs(loads: Sequence[Load]) -> list[list[Step]]:
    return [[Serve("run", "npu", int(load.service))] for load in loads]


def turns(order: Order, loads: Sequence[Load]) -> Any:
    """Fast replay of single jobs."""
    services, none, levels = [int(load.service) for load in loads], [0] * len(loads), [load.priority for load in loads]
    return lambda times, group: fast.in_turns(times, group, order, [1] * len(loads), none, services, none, levels)


def fifo(dice: random.Random) -> Case | None:
    sources, loads = jobs(dice)
    bound = backlog(loads)
    return together(dice, sources, runs(loads), [bound] * len(loads), turns("fifo", loads))  # type: ignore[list-item]


def priorities(dice: random.Random) -> Case | None:
    sources, loads = jobs(dice, most_streams=dice.choice((1, 3)))
    levels = [load.priority for load in loads]
    bounds = [response(loads, k) for k in range(len(loads))]
    return together(dice, sources, runs(loads), bounds, turns("fixed-priority", loads), "fixed-priority", levels=levels)


def priorities_closed(dice: random.Random) -> Case | None:
    sources, loads = jobs(dice, most_streams=dice.choice((1, 3)))
    levels = [load.priority for load in loads]
    services = np.array([[load.service] for load in loads], dtype=np.int64)
    found = npfp_sufficient([arrivals(source) for source in sources], services, levels)
    bounds = [int(bound) for bound in found[:, 0]]
    return together(dice, sources, runs(loads), bounds, turns("fixed-priority", loads), "fixed-priority", levels=levels)


def in_rounds(dice: random.Random) -> Case | None:
    sources, loads = jobs(dice, most_streams=dice.choice((1, 3)))
    bounds = [round_robin(loads, k) for k in range(len(loads))]
    return together(dice, sources, runs(loads), bounds, turns("round-robin", loads), "round-robin")


def unequal_on_servers(dice: random.Random) -> Case | None:
    sources, servers = cameras(dice, most_streams=1), dice.randint(2, 3)
    parts = [dice.uniform(0.2, 1) for _ in sources]
    scale = load(dice) * servers / sum(parts)
    loads = [
        Load(
            ticks(min(part * scale, 0.98) * source.period / source.streams),
            source.streams,
            source.period,
            source.jitter,
        )
        for source, part in zip(sources, parts, strict=True)
    ]
    bounds = several.global_fifo(loads, servers)
    services = np.array([load.service for load in loads])
    return bounds and together(
        dice,
        sources,
        runs(loads),
        [int(bound) for bound in bounds],  # whole ticks: no completion lies between
        lambda times, group: fast.on_servers(times, services[group], servers),
        "fifo",
        servers,
    )


def batches(dice: random.Random, *, linear: bool = False) -> Case | None:
    sources = cameras(dice, most_tasks=4, most_streams=12)
    loads = []
    for source, share in zip(sources, shares(dice, len(sources)), strict=True):
        batch = dice.randint(1, 12)
        service = ticks(share * batch * source.period / source.streams)
        loads.append(BatchLoad(service, source.streams, source.period, source.jitter, batch=batch))
    bound = shared_batches_fifo if linear else shared_batches_fifo_exact
    steps: list[list[Step]] = [[Batch("network", "npu", one.batch, "count", 0, int(one.service), 0)] for one in loads]
    found = [bound(loads, k) for k in range(len(loads))]
    return together(
        dice,
        sources,
        steps,
        [None if value is None else int(value) for value in found],
        lambda times, group: fast.counted_together(
            times, group, [one.batch for one in loads], [int(one.service) for one in loads]
        ),
    )


def batches_linear(dice: random.Random) -> Case | None:
    return batches(dice, linear=True)


def batches_in_rounds(dice: random.Random) -> Case | None:
    sources = cameras(dice, most_tasks=3, most_streams=12)
    loads, steps = [], []
    for source, share in zip(sources, shares(dice, len(sources)), strict=True):
        batch, timeout = dice.randint(1, 12), ticks(dice.uniform(0, source.period)) if dice.random() < 0.5 else 0
        full = share * batch * source.period / source.streams
        per_item = ticks(full / batch * dice.uniform(0.1, 0.9))
        step = Batch("network", "npu", batch, "dynamic", timeout, ticks(full - per_item * batch), per_item)
        steps.append(step)
        service = step.fixed + per_item * batch
        loads.append(BatchLoad(service, source.streams, source.period, source.jitter, batch=batch))
    return together(
        dice,
        sources,
        [[step] for step in steps],
        [round_robin_dynamic(loads, k, step.timeout) for k, step in enumerate(steps)],  # type: ignore[misc]
        lambda times, group: fast.in_turns(
            times,
            group,
            "round-robin",
            [step.batch for step in steps],
            [step.timeout for step in steps],
            [step.fixed for step in steps],
            [step.per_item for step in steps],
        ),
        "round-robin",
    )


def same_stages(dice: random.Random) -> Case | None:
    sources = cameras(dice)
    count = dice.randint(2, 5)
    longest = [
        share * source.period / source.streams
        for source, share in zip(sources, shares(dice, len(sources)), strict=True)
    ]
    services_of = [[ticks(most * dice.uniform(0.2, 1)) for _ in range(count)] for most in longest]
    loads = [Load(0, source.streams, source.period, source.jitter) for source in sources]
    services = np.array(services_of)

    def finish(times: Ints, group: Ints) -> Ints:
        for stage in range(count):
            times = fast.in_order(times, services[group, stage])
        return times

    steps: list[list[Step]] = [
        [Serve(f"stage {k}", f"stage {k}", time) for k, time in enumerate(line)] for line in services_of
    ]
    bound = tandem_multiclass(loads, services_of)
    return together(dice, sources, steps, [bound] * len(sources), finish)  # type: ignore[list-item]


def unit_and_stages(dice: random.Random) -> Case | None:
    sources, loads = jobs(dice)
    lines = [
        [
            Serve(
                f"{source.name} stage {k}",
                f"{source.name} stage {k}",
                ticks(int(load.service) * dice.uniform(0.2, 1.5)),
            )
            for k in range(dice.randint(0, 3))
        ]
        for source, load in zip(sources, loads, strict=True)
    ]
    services = np.array([load.service for load in loads])

    def finish(times: Ints, group: Ints) -> Ints:
        done = fast.in_order(times, services[group])
        for task, line in enumerate(lines):
            own = done[group == task].reshape(len(done), -1)
            for step in line:
                own = fast.in_order(own, step.time)
            done[group == task] = own.ravel()
        return done

    bounds = [unit_then_stages(loads, k, [step.time for step in line]) for k, line in enumerate(lines)]
    steps: list[list[Step]] = [[*run, *line] for run, line in zip(runs(loads), lines, strict=True)]
    return together(dice, sources, steps, bounds, finish)  # type: ignore[arg-type]


#: As `SINGLE`. How unequal the tasks on several servers are decides how loose their bound is.
TASKS: dict[str, tuple[Kind, float, float]] = {
    "tasks, fifo": (fifo, 1.000, 1.00),
    "tasks, fixed priority": (priorities, 1.000, 1.00),
    "tasks, fixed priority, closed form": (priorities_closed, 1.194, 2.26),
    "tasks, round robin": (in_rounds, 1.000, 2.39),
    "tasks, fifo, 2 to 3 servers": (unequal_on_servers, 1.290, 2.40),
    "batches of tasks, fifo": (batches, 1.000, 1.09),
    "batches of tasks, fifo, linear": (batches_linear, 1.077, 1.29),
    "dynamic batches, round robin": (batches_in_rounds, 1.815, 3.29),
    "tasks through the same stages": (same_stages, 1.095, 1.24),
    "shared server, then own stages": (unit_and_stages, 1.000, 1.00),
}
