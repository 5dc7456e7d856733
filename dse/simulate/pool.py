"""A resource at work: its servers, and whose turn it is."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator

import simpy

from dse.simulate.instants import ShuffledEnvironment
from dse.simulate.plant import Resource
from dse.simulate.queues import Job, Queue

Duration = Callable[[int], int]


class Pool:
    """The servers of one resource, each a simpy process that takes one job after the other.

    Parameters
    ----------
    resource : Resource
    environment : ShuffledEnvironment
    dice : random.Random
        Decides between jobs that are equally entitled.
    duration : function
        Time [tick] a job takes, of the longest it may take.
    """

    def __init__(
        self, resource: Resource, environment: ShuffledEnvironment, dice: random.Random, duration: Duration
    ) -> None:
        self._order = resource.order
        self._environment = environment
        self._dice = dice
        self._duration = duration
        self._queues: list[Queue] = []
        self._owners: list[str] = []
        self._turn = 0
        self._idle: list[simpy.Event] = []
        for _ in range(resource.servers):
            environment.process(self._serve())

    def add(self, queue: Queue) -> None:
        """Let one more queue be served here; round-robin turns go by owners in this order, from any of them."""
        self._queues.append(queue)
        if queue.owner not in self._owners:
            self._owners.append(queue.owner)
            self._turn = self._dice.randrange(len(self._owners))

    def wake(self) -> None:
        """Tell idle servers that a job may be ready."""
        idle, self._idle = self._idle, []
        for event in idle:
            event.succeed()

    def _serve(self) -> Generator[simpy.Event, None, None]:
        environment = self._environment
        while True:
            queue = self._choose()
            if queue is None:
                event = environment.event()
                self._idle.append(event)
                yield event
                continue
            job = queue.take()
            inputs = max(token.held_until for token in job.tokens) - int(environment.now)
            time = max(self._duration(job.longest), inputs)
            if job.hidden:
                yield from self._overlap(queue, job, time)
            else:
                yield environment.timeout(time)
                queue.depart(job)

    def _overlap(self, queue: Queue, job: Job, time: int) -> Generator[simpy.Event, None, None]:
        """Let the items go on before the server is free again."""
        hidden = min(job.hidden, time)
        for token in job.tokens:
            token.held_until = int(self._environment.now) + time
        yield self._environment.timeout(time - hidden)
        queue.depart(job)
        yield self._environment.timeout(hidden)

    def _choose(self) -> Queue | None:
        """Queue that goes next; None if no job is ready."""
        ready = [(since, queue) for queue in self._queues if (since := queue.ready_since()) is not None]
        if not ready:
            return None
        if self._order == "fixed-priority":
            first = min(queue.priority for _, queue in ready)
            ready = [(since, queue) for since, queue in ready if queue.priority == first]
        elif self._order == "round-robin":
            owners = {queue.owner for _, queue in ready}
            while self._owners[self._turn] not in owners:
                self._turn = (self._turn + 1) % len(self._owners)
            ready = [(since, queue) for since, queue in ready if queue.owner == self._owners[self._turn]]
            self._turn = (self._turn + 1) % len(self._owners)
        earliest = min(since for since, _ in ready)
        equals = [queue for since, queue in ready if since == earliest]
        return equals[0] if len(equals) == 1 else self._dice.choice(equals)
