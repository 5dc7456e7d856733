"""Kinds of systems with several servers, or with batches closed by time-out; otherwise as ``bounds_kinds.py``."""

from __future__ import annotations

import random
from typing import Any

from benchmarks import bounds_recursions as fast
from benchmarks.bounds_kinds import (
    MOST,
    Kind,
    alone,
    arrivals,
    camera,
    drawn_batch,
    load,
    network,
    of,
    ticks,
)
from benchmarks.bounds_recursions import Ints
from benchmarks.bounds_search import Case
from dse.simulate.plant import Serve
from dse.timing import servers as several
from dse.timing.compositional import Stage, tandem_cpa
from dse.timing.load import Load
from dse.timing.timeout_close import latency_timeout_close


def counted_servers(dice: random.Random) -> Case | None:
    source, batch, servers = camera(dice), dice.randint(1, MOST), dice.randint(2, 4)
    service = ticks(load(dice) * servers * batch * source.period / source.streams)
    return alone(
        source,
        [network(batch, "count", 0, service, 0)],
        several.latency_count(arrivals(source), of(batch), of(service), servers),
        lambda times, _: fast.counted(times, batch, service, servers),
        {"npu": servers},
    )


def timeout_closed(dice: random.Random) -> Case | None:
    source = camera(dice)
    batch, fixed, per_item = drawn_batch(dice, source)
    timeout = ticks(dice.uniform(0.05, 1.5) * source.period)
    return alone(
        source,
        [network(batch, "timeout-close", timeout, fixed, per_item)],
        latency_timeout_close(arrivals(source), of(batch), of(fixed), of(per_item), timeout),
        lambda times, _: fast.closed_by_timeout(times, batch, timeout, fixed, per_item),
    )


def stages_on_servers(dice: random.Random, *, compositional: bool = False) -> Case | None:
    source = camera(dice)
    loads = [load(dice)]
    loads += [loads[0] * dice.uniform(0.05, 0.8) for _ in range(dice.randint(1, 5))]
    dice.shuffle(loads)
    counts = [dice.randint(1, 3) for _ in loads]
    steps = [
        Serve(f"stage {number}", f"stage {number}", ticks(one * source.period / source.streams) * count)
        for number, (one, count) in enumerate(zip(loads, counts, strict=True))
    ]
    flow = Load(0, source.streams, source.period, source.jitter)
    line = [(step.time, count) for step, count in zip(steps, counts, strict=True)]
    bound: Any = several.tandem_exact(flow, line)
    if compositional:
        bound = tandem_cpa(flow, [Stage(time, 0, count) for time, count in line])

    def finish(times: Ints, _: Ints) -> Ints:
        for step, count in zip(steps, counts, strict=True):
            times = fast.in_order(times, step.time, count)
        return times

    servers = {step.resource: count for step, count in zip(steps, counts, strict=True)}
    return None if bound is None else alone(source, steps, bound, finish, servers)


def stages_compositional(dice: random.Random) -> Case | None:
    return stages_on_servers(dice, compositional=True)


#: As `SINGLE`.
SERVERS: dict[str, tuple[Kind, float, float]] = {
    "count, 2 to 4 servers": (counted_servers, 1.000, 1.00),
    "time-out-close": (timeout_closed, 1.065, 1.74),
    "item stages, 1 to 3 servers": (stages_on_servers, 1.000, 1.00),
    "item stages, compositional": (stages_compositional, 2.155, 6.20),
}
