"""Random devices with several tasks on them, once as flows for the bounds and once as a plant for the replay."""

from __future__ import annotations

import random
from dataclasses import dataclass

from dse.simulate.plant import Batch, Delay, Plant, Resource, Serve, Source, Step, Task
from dse.timing.joint import Flow, Latency, Order, Visit, latencies

FRAMES = "frames of "


@dataclass(frozen=True)
class Device:
    """The same tasks in both forms; ``roots`` count from the release of their frame, others from their own."""

    flows: tuple[Flow, ...]
    plant: Plant
    order: Order

    def bounds(self) -> dict[str, int] | None:
        """Bound of every task [tick]; None where some task has none."""
        found = latencies(self.flows, self.order)
        if found is None:
            return None
        tasks = {task.name: task for task in self.plant.tasks}
        named = {flow.name: latency for flow, latency in zip(self.flows, found, strict=True)}
        return {name: _counted(tasks[name], latency) for name, latency in named.items() if name in tasks}

    def chain_bounds(self) -> dict[tuple[str, str], int]:
        """Bound from the frame to the end of every task that waits for others, by its first and last task."""
        found = latencies(self.flows, self.order)
        assert found is not None  # the caller knows its bounds
        finish = {flow.name: latency.finish for flow, latency in zip(self.flows, found, strict=True)}
        tasks = {task.name: task for task in self.plant.tasks}
        chains = {}
        for task in self.plant.tasks:
            first = task
            while first.after:
                first = tasks[first.after[0]]
            if first is not task:
                chains[first.name, task.name] = finish[task.name]
        return chains


def _counted(task: Task, latency: Latency) -> int:
    return latency.own if task.after else latency.finish


def random_device(dice: random.Random) -> Device:
    """Two or three tasks on one or two units, with stages of their own, shared ones, and all ways of release."""
    order: Order = dice.choice(["fifo", "fifo", "fixed-priority", "round-robin"])
    load = dice.uniform(0.2, 0.85)
    count = dice.choice([2, 2, 3])
    shared_source = dice.random() < 0.3
    sources: list[Source] = []
    flows: list[Flow] = []
    tasks: list[Task] = []
    resources: dict[str, Resource] = {}
    if shared_source:
        sources.append(_source(dice, "cam"))
        convert = int(dice.uniform(0, 0.5) * sources[0].period / sources[0].streams)
        steps: tuple[Step, ...] = (Delay("wire", 0, 40, "task"), Serve("convert", "core cam", convert))
        sources[0] = Source(FRAMES + "cam", sources[0].streams, sources[0].period, sources[0].jitter,
                            sources[0].synchronous, sources[0].may_stop, steps)  # fmt: skip
        resources["core cam"] = Resource("core cam")
        flows.append(_flow_of_source(sources[0], 40, convert))
    for k in range(count):
        name = f"t{k}"
        parent = dice.randrange(len(tasks)) if tasks and dice.random() < 0.25 else None
        nth = dice.choice([1, 2, 3]) if shared_source and parent is None else 1
        items = dice.choice([1, 1, 2, 3]) if parent is not None else 1
        if parent is not None:
            given = next(one for one in sources if one.name == tasks[parent].source)
        elif shared_source:
            given = sources[0]
        else:
            given = _source(dice, name)
            sources.append(given)
        stride = nth if parent is None else flows[_place(flows, tasks[parent].name)].period // given.period
        before_items = 1 if parent is None else flows[_place(flows, tasks[parent].name)].streams // given.streams
        streams, period = given.streams * before_items * items, given.period * stride
        flow, task = _task(dice, name, given, streams, period, load / count, order, resources)
        after = (0,) if shared_source else ()
        names: tuple[str, ...] = ()
        if parent is not None:
            names = (tasks[parent].name,)
            after = (_place(flows, names[0]),)
        flows.append(Flow(**{**flow.__dict__, "after": after, "jitter": 0 if after else given.jitter}))
        tasks.append(Task(name, given.name, names, nth, items, flow.priority, task))
    for name in ("npu", "gpu"):
        if name in resources:
            resources[name] = Resource(name, 1, order)
    return Device(tuple(flows), Plant(tuple(resources.values()), tuple(sources), tuple(tasks)), order)


def _source(dice: random.Random, name: str) -> Source:
    period = dice.randint(200, 2000)
    return Source(
        name=FRAMES + name,
        streams=dice.choice([1, 1, 2, 4]),
        period=period,
        jitter=dice.choice([0, 0, dice.randint(0, period), dice.randint(0, 2 * period)]),
        synchronous=dice.random() < 0.15,
        may_stop=dice.random() < 0.3,
    )


def _flow_of_source(source: Source, delay: int, convert: int) -> Flow:
    visits = (Visit("convert", "core cam", convert),) if convert else ()
    return Flow("cam", source.streams, source.period, source.period, visits, source.jitter, delay, delay,
                may_stop=source.may_stop, synchronous=source.synchronous)  # fmt: skip


def _task(
    dice: random.Random, name: str, given: Source, streams: int, period: int, load: float, order: Order,
    resources: dict[str, Resource],
) -> tuple[Flow, tuple[Step, ...]]:  # fmt: skip
    """A path of private and shared stages around a unit, in both forms."""
    visits: list[Visit] = []
    steps: list[Step] = []
    delay, variation = dice.choice([(0, 0), (30, 0), (50, 50)])
    if delay:
        steps.append(Delay("capture", delay - variation, delay, "task"))
    slot = period / streams

    def serve(stage: str, resource: str, time: int) -> None:
        if time:
            resources.setdefault(resource, Resource(resource))  # a unit may serve a stage as well
            visits.append(Visit(stage, resource, time))
            steps.append(Serve(stage, resource, time))

    if dice.random() < 0.5:
        serve("resize", f"core {name}", int(dice.uniform(0, 0.7) * slot))
    if dice.random() < 0.25:
        serve("bus", dice.choice(["bus", "bus", "npu"]), int(dice.uniform(0, 0.2) * slot))
    unit = dice.choice(["npu", "npu", "npu", "gpu"])
    resources.setdefault(unit, Resource(unit))
    batch = dice.choice([1, 1, 1, 2, 4])
    full = max(1, int(load * batch * slot))
    per_item = full if batch == 1 else int(dice.random() * full / batch)
    fixed = 0 if batch == 1 else full - per_item * batch
    counted = batch > 1 and dice.random() < 0.7
    policy = "count" if counted else "dynamic"
    if batch == 1:
        visits.append(Visit("infer", unit, per_item, ordered=True))
        steps.append(Serve("infer", unit, per_item))
    else:
        visits.append(Visit("infer", unit, per_item, fixed, batch, policy, 0, ordered=True))  # type: ignore[arg-type]
        steps.append(Batch("infer", unit, batch, policy, 0, fixed, per_item))  # type: ignore[arg-type]
    if dice.random() < 0.5:
        serve("answer", dice.choice([f"core {name} too", "bus"]), int(dice.uniform(0, 0.3) * slot))
    priority = dice.choice([0, 0, 1, 2])
    flow = Flow(name, streams, period, period, tuple(visits), given.jitter, delay, variation, priority=priority,
                may_stop=given.may_stop or streams != given.streams, synchronous=False)  # fmt: skip
    return flow, tuple(steps)


def _place(flows: list[Flow], name: str) -> int:
    return next(f for f, flow in enumerate(flows) if flow.name == name)
