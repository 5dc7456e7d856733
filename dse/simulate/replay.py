"""Plays one pattern of releases through a plant."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import simpy

from dse.simulate.instants import Channel, ShuffledEnvironment
from dse.simulate.plant import Delay, Plant, Serve, Source, Step, Task
from dse.simulate.pool import Pool
from dse.simulate.queues import ClosingQueue, DynamicQueue, Queue, SingleQueue, Token
from dse.simulate.trace import FramePassage, Passage, Trace

Services = Literal["longest", "random"]


@dataclass(frozen=True, slots=True)
class Release:
    """One frame of a stream.

    Parameters
    ----------
    stream, frame : int
        Which stream, and its number there; tasks with `every_nth` go by this number.
    nominal, actual : int
        When it should come and when it comes [tick].
    excess : int or None
        How much longer than their least the delays on its way take together [tick], the first ones first; None to
        draw every delay.
    """

    stream: int
    frame: int
    nominal: int
    actual: int
    excess: int | None = None


def replay(
    plant: Plant, releases: Mapping[str, Sequence[Release]], dice: random.Random, services: Services = "longest"
) -> Trace:
    """Play releases through a plant until nothing moves any more.

    Parameters
    ----------
    plant : Plant
    releases : by source
        Frames in any order; those of one stream are released in the order given here, at non-decreasing times.
    dice : random.Random
        Decides all that is left open: the order of events of one instant, equal claims to a server, whose turn comes
        first, delays without `excess`, and services that are "random".
    services : str
        "longest": every job takes its longest time. "random": between one tick and that, often at an end.

    Returns
    -------
    Trace
        The same for the same arguments and state of the dice.

    Raises
    ------
    ValueError
        A release belongs to no source or stream, or goes back in time.
    """
    return _Replay(plant, dice, services).run(releases)


class _Replay:
    """Wiring of one replay: what leaves a step arrives at the next, in order."""

    def __init__(self, plant: Plant, dice: random.Random, services: Services) -> None:
        self.plant = plant
        self.dice = dice
        self.services = services
        self.environment = ShuffledEnvironment(dice)
        self.pools = {
            resource.name: Pool(resource, self.environment, dice, self.duration) for resource in plant.resources
        }
        self.frames: dict[str, list[FramePassage]] = {source.name: [] for source in plant.sources}
        self.items: dict[str, list[Passage]] = {task.name: [] for task in plant.tasks}
        self.entered = dict.fromkeys((*self.frames, *self.items), 0)
        self.readers = {
            source.name: [task for task in plant.tasks if task.source == source.name and not task.after]
            for source in plant.sources
        }
        self.followers = {name: [task for task in plant.tasks if name in task.after] for name in self.items}
        self.missing: dict[tuple[str, int, int], int] = {}
        self.left: dict[tuple[str, int, int], int] = {}
        self.doors: dict[str, Callable[[Token], None]] = {}
        for source in plant.sources:
            self.doors[source.name] = self.line(source.name, 0, source.steps, self.end_of_source(source))
        for task in plant.tasks:
            self.doors[task.name] = self.line(task.name, task.priority, task.steps, self.end_of_task(task))

    def run(self, releases: Mapping[str, Sequence[Release]]) -> Trace:
        for name, frames in releases.items():
            source = next((source for source in self.plant.sources if source.name == name), None)
            if source is None:
                message = f"releases of {name!r}: no such source, expected {', '.join(self.frames)}"
                raise ValueError(message)
            for stream in _by_stream(source, frames):
                self.environment.process(self.release(source, stream))
        self.environment.run()
        return Trace(self.frames, self.items, self.entered)

    def duration(self, longest: int) -> int:
        """Time of a job: a tick at least, or the next one would leave at the same instant and might overtake it."""
        return longest if self.services == "longest" else max(min(1, longest), self.draw(longest))

    def draw(self, most: int) -> int:
        return self.dice.choice((0, most, self.dice.randint(0, most)))

    def release(self, source: Source, frames: Sequence[Release]) -> Generator[simpy.Event, None, None]:
        """Release the frames of one stream."""
        for frame in frames:
            yield self.environment.timeout(frame.actual - int(self.environment.now))
            self.entered[source.name] += 1
            token = Token(frame.stream, frame.frame, 0, frame.nominal, frame.nominal, frame.actual, frame.excess)
            self.doors[source.name](token)

    def line(
        self, owner: str, priority: int, steps: Sequence[Step], end: Callable[[Token], None]
    ) -> Callable[[Token], None]:
        """Chain the steps up from the last to the first; returns the way in."""
        leave = end
        for step in reversed(steps):
            leave = self.entrance(self.station(owner, priority, step, self.exit(leave)))
        return leave

    def entrance(self, arrive: Callable[[Token], None]) -> Callable[[Token], None]:
        def enter(token: Token) -> None:
            token.entered = int(self.environment.now)
            arrive(token)

        return Channel(self.environment, enter).put

    def exit(self, leave: Callable[[Token], None]) -> Callable[[Token], None]:
        def go(token: Token) -> None:
            token.sojourns.append(int(self.environment.now) - token.entered)
            leave(token)

        return go

    def station(self, owner: str, priority: int, step: Step, leave: Callable[[Token], None]) -> Callable[[Token], None]:
        """What receives the items of one owner at one step."""
        if isinstance(step, Delay):
            return self.delay(step, leave)
        pool = self.pools[step.resource]
        queue: Queue
        if isinstance(step, Serve):
            queue = SingleQueue(step, owner, priority, pool.wake, leave)
        elif step.policy == "dynamic":
            queue = DynamicQueue(step, owner, priority, pool.wake, leave, self.environment)
        else:
            queue = ClosingQueue(step, owner, priority, pool.wake, leave, self.environment)
        pool.add(queue)
        return queue.arrive

    def delay(self, step: Delay, leave: Callable[[Token], None]) -> Callable[[Token], None]:
        """Delay each item for itself; one that would overtake its predecessor leaves together with it, behind it."""
        last: dict[int, int] = defaultdict(int)
        lanes: dict[int, Channel[Token]] = {}
        spread = step.most - step.least

        def arrive(token: Token) -> None:
            if token.excess is None:
                more = self.draw(spread)
            else:
                more = min(spread, token.excess)
                token.excess -= more
            lane = token.stream if step.keeps == "stream" else 0
            now = int(self.environment.now)
            until = max(now + step.least + more, token.held_until, last[lane])
            last[lane] = until
            if lane not in lanes:
                lanes[lane] = Channel(self.environment, leave)
            lanes[lane].put(token, until - now)

        return arrive

    def end_of_source(self, source: Source) -> Callable[[Token], None]:
        """Record a frame and hand it to the tasks that read the source."""

        def end(token: Token) -> None:
            now = int(self.environment.now)
            self.frames[source.name].append(
                FramePassage(token.stream, token.frame, token.nominal, token.actual, now, tuple(token.sojourns))
            )
            for task in self.readers[source.name]:
                if token.frame % self.plant.strides[task.name] == 0:
                    self.start(task, token, token.nominal, token.actual)

        return end

    def start(self, task: Task, frame: Token, nominal: int, actual: int) -> None:
        """Release all items of a frame to a task."""
        self.left[task.name, frame.stream, frame.frame] = task.items_per_frame
        for index in range(task.items_per_frame):
            self.entered[task.name] += 1
            item = Token(frame.stream, frame.frame, index, frame.born, nominal, actual, frame.excess)
            item.held_until = frame.held_until
            self.doors[task.name](item)

    def end_of_task(self, task: Task) -> Callable[[Token], None]:
        """Record an item; the last one of its frame may release the tasks that wait for this one."""

        def end(token: Token) -> None:
            now = int(self.environment.now)
            self.items[task.name].append(
                Passage(
                    token.stream,
                    token.frame,
                    token.index,
                    token.born,
                    token.nominal,
                    token.actual,
                    now,
                    tuple(token.sojourns),
                )
            )
            key = (task.name, token.stream, token.frame)
            self.left[key] -= 1
            if not self.left[key]:
                for follower in self.followers[task.name]:
                    self.finished_before(follower, token, now)

        return end

    def finished_before(self, task: Task, frame: Token, now: int) -> None:
        """One of the tasks this one waits for has finished a frame."""
        if frame.frame % self.plant.strides[task.name]:
            return
        key = (task.name, frame.stream, frame.frame)
        self.missing[key] = self.missing.get(key, len(task.after)) - 1
        if not self.missing[key]:
            self.start(task, frame, now, now)


def _by_stream(source: Source, frames: Sequence[Release]) -> list[list[Release]]:
    """Frames of each stream, checked."""
    streams: dict[int, list[Release]] = defaultdict(list)
    for frame in frames:
        before = streams[frame.stream]
        if not 0 <= frame.stream < source.streams:
            message = f"releases of {source.name!r}: stream {frame.stream}, expected 0 to {source.streams - 1}"
            raise ValueError(message)
        if frame.actual < (before[-1].actual if before else 0):
            message = f"releases of {source.name!r}: stream {frame.stream} goes back in time to {frame.actual}"
            raise ValueError(message)
        before.append(frame)
    return list(streams.values())
