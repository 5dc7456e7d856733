"""What is replayed: resources, sources of frames, and tasks, each with the steps its items pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import lcm
from typing import Literal, get_args

Order = Literal["fifo", "fixed-priority", "round-robin"]
Policy = Literal["count", "dynamic", "timeout-close"]
Keeps = Literal["stream", "task"]


@dataclass(frozen=True)
class Resource:
    """Something that serves one job or batch at a time on each of its servers, without preemption.

    Parameters
    ----------
    name : str
    servers : int
        Equal servers behind one queue.
    order : str
        Who goes next: "fifo" by the time a job arrived or a batch became ready; "fixed-priority" by the priority of
        the task, 0 first, then as "fifo"; "round-robin" one job or batch of a task a turn.
    """

    name: str
    servers: int = 1
    order: Order = "fifo"


@dataclass(frozen=True)
class Delay:
    """A delay of `least` to `most` ticks that occupies nothing.

    `keeps` says which items stay in order: those of one "stream", as on separate links, or all of the "task".
    """

    name: str
    least: int
    most: int
    keeps: Keeps = "stream"


@dataclass(frozen=True)
class Serve:
    """One item at a time on a server of `resource`, for up to `time` ticks.

    The next step of the item may begin `hidden` ticks before the end (overlap); the server stays busy to the end. The
    next step, in turn, is not over before its input is complete.
    """

    name: str
    resource: str
    time: int
    hidden: int = 0


@dataclass(frozen=True)
class Batch:
    """Batches of up to `batch` items on a server of `resource`; k items take up to fixed + per_item·k ticks.

    Parameters
    ----------
    policy : str
        "count": exactly b items in order of arrival. "dynamic": when a server is free for this task it takes
        min(b, waiting) items if b wait or the oldest has waited `timeout`. "timeout-close": a batch closes at its
        b-th item or `timeout` after its first one, even while all servers are busy.
    timeout : int
        Ticks; without meaning for "count".
    """

    name: str
    resource: str
    batch: int
    policy: Policy
    timeout: int
    fixed: int
    per_item: int


Step = Delay | Serve | Batch


@dataclass(frozen=True)
class Source:
    """Streams of frames; the steps run once per frame, for all tasks that read the source.

    Parameters
    ----------
    streams : int
        N equal streams. Frame k of a stream is released in [phase + kP, phase + kP + J].
    period, jitter : int
        P and J [tick].
    synchronous : bool
        All streams have the same phase (genlocked).
    may_stop : bool
        A stream can fall silent for good.
    """

    name: str
    streams: int
    period: int
    jitter: int = 0
    synchronous: bool = False
    may_stop: bool = False
    steps: tuple[Step, ...] = ()

    @property
    def hides_its_end(self) -> bool:
        """Whether the end of its last step runs beside the first step of its tasks."""
        last = self.steps[-1] if self.steps else None
        return isinstance(last, Serve) and last.hidden > 0


@dataclass(frozen=True)
class Task:
    """Items that pass the same steps in order.

    Parameters
    ----------
    source : str
        Whose frames it works on.
    after : tuple of str
        Tasks that must have finished a frame, with all its items, before this one gets it; none: the frame comes
        straight from the source.
    every_nth : int
        Of the frames offered to it, this task takes those whose turn is a multiple of n.
    items_per_frame : int
        Items released at once for each frame.
    priority : int
        0 goes first on resources with fixed priorities.
    """

    name: str
    source: str
    after: tuple[str, ...] = ()
    every_nth: int = 1
    items_per_frame: int = 1
    priority: int = 0
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Plant:
    """Everything that is replayed; tasks stand after those they wait for.

    Raises
    ------
    ValueError
        A name is missing or double, a number is out of range, or a task waits for one that is not listed before it.
    """

    resources: tuple[Resource, ...]
    sources: tuple[Source, ...]
    tasks: tuple[Task, ...]
    strides: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _unique("resource", (resource.name for resource in self.resources))
        _unique("source or task", [*(source.name for source in self.sources), *(task.name for task in self.tasks)])
        for resource in self.resources:
            _at_least(1, f"resource {resource.name!r}", servers=resource.servers)
            _one_of(get_args(Order), f"resource {resource.name!r}", order=resource.order)
        names = {resource.name for resource in self.resources}
        for source in self.sources:
            where = f"source {source.name!r}"
            _at_least(1, where, streams=source.streams, period=source.period)
            _at_least(0, where, jitter=source.jitter)
            _check_steps(where, source.steps, names)
        self._check_tasks(names)
        object.__setattr__(self, "strides", self._strides())

    def source_of(self, task: Task) -> Source:
        """Source whose frames a task works on."""
        return next(source for source in self.sources if source.name == task.source)

    def _check_tasks(self, resources: set[str]) -> None:
        sources = {source.name for source in self.sources}
        seen: dict[str, Task] = {}
        for task in self.tasks:
            where = f"task {task.name!r}"
            _at_least(1, where, every_nth=task.every_nth, items_per_frame=task.items_per_frame)
            _at_least(0, where, priority=task.priority)
            _one_of(sources, where, source=task.source)
            for other in task.after:
                _one_of(set(seen), f"{where} (list a task behind those it waits for)", after=other)
                if seen[other].source != task.source:
                    message = f"{where}: waits for {other!r}, which reads {seen[other].source!r}, not {task.source!r}"
                    raise ValueError(message)
            _unique(f"{where}: after", task.after)
            _check_steps(where, task.steps, resources)
            last = task.steps[-1] if task.steps else None
            if isinstance(last, Serve) and last.hidden:
                message = f"{where}: step {last.name!r} hides {last.hidden} ticks behind the next step, but is the last"
                raise ValueError(message)
            if not task.steps and not task.after and self.source_of(task).hides_its_end:
                message = f"{where}: has no step for its source to hide the end of its last one behind"
                raise ValueError(message)
            seen[task.name] = task

    def _strides(self) -> dict[str, int]:
        """How many frames lie between two that a task takes: least common multiple of those before, times its own."""
        strides: dict[str, int] = {}
        for task in self.tasks:
            strides[task.name] = lcm(*(strides[other] for other in task.after)) * task.every_nth
        return strides


def _unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            message = f"{what}: found {name!r} twice, expected different names"
            raise ValueError(message)
        seen.add(name)


def _at_least(bound: int, where: str, /, **values: int) -> None:
    for name, value in values.items():
        if not isinstance(value, int) or isinstance(value, bool):
            message = f"{where}: {name} is {value!r}, expected a whole number"
            raise ValueError(message)
        if value < bound:
            message = f"{where}: {name} is {value}, expected at least {bound}"
            raise ValueError(message)


def _one_of(allowed: Iterable[str], where: str, **values: str) -> None:
    names = sorted(allowed)
    for name, value in values.items():
        if value not in names:
            message = f"{where}: {name} is {value!r}, expected one of {', '.join(names) or 'none'}"
            raise ValueError(message)


def _check_steps(where: str, steps: tuple[Step, ...], resources: set[str]) -> None:
    _unique(f"{where}: step", (step.name for step in steps))
    for step in steps:
        here = f"{where}, step {step.name!r}"
        match step:
            case Delay():
                _at_least(0, here, least=step.least)
                _at_least(step.least, here, most=step.most)
                _one_of(get_args(Keeps), here, keeps=step.keeps)
            case Serve():
                _one_of(resources, here, resource=step.resource)
                _at_least(0, here, time=step.time, hidden=step.hidden)
                if step.hidden > step.time:
                    message = f"{here}: hidden is {step.hidden}, expected at most its time of {step.time}"
                    raise ValueError(message)
            case Batch():
                _one_of(resources, here, resource=step.resource)
                _one_of(get_args(Policy), here, policy=step.policy)
                _at_least(1, here, batch=step.batch)
                _at_least(0, here, timeout=step.timeout, fixed=step.fixed, per_item=step.per_item)
