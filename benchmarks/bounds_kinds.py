"""Kinds of systems whose bounds the benchmark checks: one server, batches, pipelines. Each draws a case.

A kind is a function from dice to a case, or to None where the drawn system has no bound. Loads are uniform in 0.3 to
0.98, up to 16 streams and batches of up to 16, jitter of up to half a period; all times are multiples of GRAIN.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from benchmarks import bounds_recursions as fast
from benchmarks.bounds_recursions import Ints
from benchmarks.bounds_search import GRAIN, Case
from dse.simulate.plant import Batch, Delay, Plant, Policy, Resource, Serve, Source, Step, Task
from dse.timing.arrivals import Arrivals
from dse.timing.batching import latency_count, latency_dynamic, latency_dynamic_fast
from dse.timing.path import Path, worst_case
from dse.timing.pipeline import pipeline_count, pipeline_dynamic, pipeline_dynamic_fast, tandem
from dse.timing.ticks import INFINITE, IntArray

Kind = Callable[[random.Random], Case | None]

MOST = 16
"""Streams, and items of a batch."""


def ticks(value: float) -> int:
    """A positive multiple of GRAIN near a value [tick]."""
    return max(1, int(value / GRAIN)) * GRAIN


def load(dice: random.Random) -> float:
    return dice.uniform(0.3, 0.98)


def camera(dice: random.Random, name: str = "camera", most: int = MOST, **flags: bool) -> Source:
    """Streams of one task; half of them have jitter."""
    period = ticks(dice.uniform(1e5, 1e6))
    jitter = ticks(dice.uniform(0, period / 2)) if dice.random() < 0.5 else 0
    return Source(name, dice.randint(1, most), period, jitter, **flags)


def arrivals(source: Source) -> Arrivals:
    return Arrivals(source.streams, source.period, source.period, source.jitter, source.may_stop, source.synchronous)


def alone(
    source: Source,
    steps: Sequence[Step],
    bound: IntArray | int,
    finish: Callable[[Ints, Ints], Ints],
    servers: dict[str, int] | None = None,
    *,
    nominal: bool = False,
) -> Case | None:
    """A case of one task with resources of its own."""
    value = int(np.asarray(bound).ravel()[0])
    if value >= INFINITE:
        return None
    names = dict.fromkeys(step.resource for step in steps if not isinstance(step, Delay))
    plant = Plant(
        tuple(Resource(name, (servers or {}).get(name, 1)) for name in names),
        (source,),
        (Task("task", source.name, steps=tuple(steps)),),
    )
    return Case(plant, {"task": value}, "task", finish, times_of(steps), nominal)


def times_of(steps: Sequence[Step]) -> tuple[int, ...]:
    """Services and time-outs [tick]."""
    found = {step.time for step in steps if isinstance(step, Serve)}
    for step in steps:
        if isinstance(step, Batch):
            found |= {step.timeout, step.fixed + step.per_item, step.fixed + step.per_item * step.batch}
    return tuple(sorted(found - {0}))


def of(value: int) -> IntArray:
    return np.array([value], dtype=np.int64)


def network(batch: int, policy: Policy, timeout: int, fixed: int, per_item: int) -> Batch:
    return Batch("network", "npu", batch, policy, timeout, fixed, per_item)


# One server.


def count(dice: random.Random, *, synchronous: bool = False) -> Case | None:
    source, batch = camera(dice, synchronous=synchronous), dice.randint(1, MOST)
    service = ticks(load(dice) * batch * source.period / source.streams)
    return alone(
        source,
        [network(batch, "count", 0, service, 0)],
        latency_count(arrivals(source), of(batch), of(service)),
        lambda times, _: fast.counted(times, batch, service),
    )


def count_genlocked(dice: random.Random) -> Case | None:
    return count(dice, synchronous=True)


def drawn_batch(dice: random.Random, source: Source) -> tuple[int, int, int]:
    """Largest batch, fixed time and time per item."""
    batch = dice.randint(2, MOST)
    full = load(dice) * batch * source.period / source.streams
    per_item = ticks(full / batch * dice.uniform(0.1, 0.9))
    return batch, ticks(full - per_item * batch), per_item


def dynamic(
    dice: random.Random, *, waits: bool = False, bound: Callable[..., IntArray] = latency_dynamic
) -> Case | None:
    source = camera(dice)
    batch, fixed, per_item = drawn_batch(dice, source)
    timeout = ticks(dice.uniform(0, source.period)) if waits else 0
    return alone(
        source,
        [network(batch, "dynamic", timeout, fixed, per_item)],
        bound(arrivals(source), of(batch), of(fixed), of(per_item), timeout),
        lambda times, group: fast.in_turns(times, group, "fifo", [batch], [timeout], [fixed], [per_item]),
    )


def dynamic_waiting(dice: random.Random) -> Case | None:
    return dynamic(dice, waits=True)


def dynamic_cheap(dice: random.Random) -> Case | None:
    return dynamic(dice, waits=dice.random() < 0.5, bound=latency_dynamic_fast)


# Pipelines, one server for each stage.


def stages(dice: random.Random, source: Source, least: int, most: int, prefix: str) -> list[Serve]:
    """Item stages of random load, each on a resource of its own."""
    found = []
    for number in range(dice.randint(least, most)):
        time = ticks(dice.uniform(0.05, 0.98) * source.period / source.streams)
        found.append(Serve(f"{prefix} {number}", f"{prefix} {number}", time))
    return found


def through(times: Ints, steps: Sequence[Serve]) -> Ints:
    for step in steps:
        times = fast.in_order(times, step.time)
    return times


def pipeline_items(dice: random.Random) -> Case | None:
    source = camera(dice)
    steps = stages(dice, source, 2, 6, "stage")
    bound = tandem(arrivals(source), [step.time for step in steps])
    return alone(source, steps, bound, lambda times, _: through(times, steps))


def pipeline_counted(dice: random.Random) -> Case | None:
    source, batch = camera(dice), dice.randint(2, MOST)
    service = ticks(load(dice) * batch * source.period / source.streams)
    before, after = stages(dice, source, 0, 3, "before"), stages(dice, source, 0, 3, "after")
    bound = pipeline_count(
        arrivals(source), of(batch), of(service), [step.time for step in before], [step.time for step in after]
    )
    return alone(
        source,
        [*before, network(batch, "count", 0, service, 0), *after],
        bound,
        lambda times, _: through(fast.counted(through(times, before), batch, service), after),
    )


def pipeline_batched(dice: random.Random, *, bound: Callable[..., IntArray] = pipeline_dynamic) -> Case | None:
    source = camera(dice)
    batch, fixed, per_item = drawn_batch(dice, source)
    timeout = ticks(dice.uniform(0, source.period)) if dice.random() < 0.5 else 0
    before, after = stages(dice, source, 0, 3, "before"), stages(dice, source, 0, 3, "after")
    around = ([step.time for step in before], [step.time for step in after])

    def finish(times: Ints, group: Ints) -> Ints:
        ready = through(times, before)
        return through(fast.in_turns(ready, group, "fifo", [batch], [timeout], [fixed], [per_item]), after)

    return alone(
        source,
        [*before, network(batch, "dynamic", timeout, fixed, per_item), *after],
        bound(arrivals(source), of(batch), of(fixed), of(per_item), timeout, *around),
        finish,
    )


def pipeline_batched_cheap(dice: random.Random) -> Case | None:
    return pipeline_batched(dice, bound=pipeline_dynamic_fast)


def whole_path(dice: random.Random) -> Case | None:
    """Delays that vary, stages, a transfer that ends beside the network, and streams that may stop."""
    dynamic = dice.random() < 0.6
    drawn = camera(dice)
    varies = ticks(dice.uniform(0, 0.4) * drawn.period) if dice.random() < 0.5 else 0
    source = replace(
        drawn,
        jitter=min(drawn.jitter, ticks(drawn.period * 0.4)) if dice.random() < 0.5 else 0,
        may_stop=dynamic and dice.random() < 0.3,
    )
    delay = Delay("capture", ticks(dice.uniform(0, source.period)), 0)
    delay = replace(delay, most=delay.least + varies)
    batch, fixed, per_item = drawn_batch(dice, source)
    timeout = ticks(dice.uniform(0, source.period)) if dynamic and dice.random() < 0.5 else 0
    before, after = stages(dice, source, 1, 3, "before"), stages(dice, source, 0, 2, "after")
    hidden = ticks(dice.random() * min(before[-1].time, fixed + per_item))
    before[-1] = replace(before[-1], hidden=hidden)
    path = Path(
        delay=delay.most,
        variation=varies,
        before=[step.time for step in before],
        after=[step.time for step in after],
        overlap=hidden,
        batch=of(batch),
        fixed=fixed,
        per_item=per_item,
        timeout=timeout,
        dynamic=dynamic,
    )

    def finish(times: Ints, group: Ints) -> Ints:
        ready = through(times + delay.least, before) - hidden
        if dynamic:
            return through(fast.in_turns(ready, group, "fifo", [batch], [timeout], [fixed], [per_item]), after)
        return through(fast.counted(ready, batch, fixed + per_item * batch), after)

    return alone(
        source,
        [delay, *before, network(batch, "dynamic" if dynamic else "count", timeout, fixed, per_item), *after],
        worst_case(arrivals(source), path).total,
        finish,
        nominal=True,
    )


#: By name: the kind, and the median and 95th percentile of bound / worst observed that a careful search finds. A figure
#: further above them than MEDIAN_MARGIN and TAIL_MARGIN means a bound, or the search, got worse.
SINGLE: dict[str, tuple[Kind, float, float]] = {
    "count": (count, 1.000, 1.00),
    "count, genlocked": (count_genlocked, 1.000, 1.00),
    "dynamic, T = 0": (dynamic, 1.063, 1.59),
    "dynamic, T > 0": (dynamic_waiting, 1.028, 1.37),
    "dynamic, cheap form": (dynamic_cheap, 1.118, 1.78),
    "pipeline of item stages": (pipeline_items, 1.000, 1.00),
    "pipeline, count": (pipeline_counted, 1.000, 1.00),
    "pipeline, dynamic": (pipeline_batched, 1.117, 1.47),
    "pipeline, dynamic, cheap form": (pipeline_batched_cheap, 1.147, 1.59),
    "whole path from nominal release": (whole_path, 1.080, 1.35),
}
