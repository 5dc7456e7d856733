"""Small plants and releases for the tests of the replay."""

from __future__ import annotations

import random
from collections.abc import Sequence

from dse.simulate.plant import Batch, Delay, Order, Plant, Policy, Resource, Serve, Source, Step, Task
from dse.simulate.replay import Release, Services, replay
from dse.simulate.trace import Trace

MS = 10_000
"""Ticks of a millisecond, for examples that are published in milliseconds."""


def alone(*steps: Step, servers: int = 1, order: Order = "fifo", streams: int = 9, **source: int | bool) -> Plant:
    """One task on one source; a resource for every name that a step uses."""
    resources = dict.fromkeys(step.resource for step in steps if not isinstance(step, Delay))
    cameras = Source("cameras", streams, int(source.pop("period", 100)), **source)
    return Plant(
        tuple(Resource(name, servers, order) for name in resources),
        (cameras,),
        (Task("task", "cameras", steps=steps),),
    )


def batch(size: int, policy: Policy, timeout: float, fixed: float, per_item: float, unit: int = 1) -> Batch:
    """A batch step on "npu", times in units."""
    times = (int(time * unit) for time in (timeout, fixed, per_item))
    return Batch("network", "npu", size, policy, *times)


def sharing(services: Sequence[float], periods: Sequence[float], order: Order, servers: int = 1) -> Plant:
    """Tasks of one stream each that share one resource; priority in the order given, times in milliseconds."""
    names = [f"task {number}" for number in range(len(services))]
    return Plant(
        (Resource("npu", servers, order),),
        tuple(Source(f"camera of {name}", 1, int(period * MS)) for name, period in zip(names, periods, strict=True)),
        tuple(
            Task(name, f"camera of {name}", priority=k, steps=(Serve("run", "npu", int(services[k] * MS)),))
            for k, name in enumerate(names)
        ),
    )


def at(*times: int) -> list[Release]:
    """One frame of a stream of its own at each of the times."""
    return [Release(stream, 0, time, time) for stream, time in enumerate(times)]


def played(plant: Plant, *times: int, seed: int = 1, services: Services = "longest") -> Trace:
    """Play one frame of every stream at these times."""
    return replay(plant, {plant.sources[0].name: at(*times)}, random.Random(seed), services)


def completions(trace: Trace, task: str = "task") -> list[int]:
    """When the items of a task left, by stream and frame."""
    items = sorted(trace.items[task], key=lambda item: (item.stream, item.frame, item.index))
    return [item.completed for item in items]
