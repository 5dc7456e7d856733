"""What waits in front of a resource: single items or batches of one task, which is taken next, and who may leave."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from dse.simulate.instants import ShuffledEnvironment
from dse.simulate.plant import Batch, Serve


@dataclass(slots=True, eq=False)
class Token:
    """A frame at its source or an item of a task on its way; times in ticks.

    `excess` is how much of the variation of the delays still ahead it takes: a number that is used up, or None for
    drawn. `held_until` is when the input of its present step is complete: later than its arrival only after overlap.
    """

    stream: int
    frame: int
    index: int
    born: int
    nominal: int
    actual: int
    excess: int | None
    entered: int = 0
    held_until: int = 0
    sojourns: list[int] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Job:
    """What a server works on at once: `longest` ticks at most, the last `hidden` of them beside the next step."""

    tokens: list[Token]
    longest: int
    hidden: int = 0
    over: bool = False


class Queue(ABC):
    """Items of one task at one step: arrive in order, are served as jobs, and leave in the order of arrival.

    Parameters
    ----------
    owner, priority : str, int
        The task (or source) and its priority.
    wake : function
        Called when a job may have become ready.
    leave : function
        Where an item goes from here.
    """

    def __init__(self, owner: str, priority: int, wake: Callable[[], None], leave: Callable[[Token], None]) -> None:
        self.owner = owner
        self.priority = priority
        self.wake = wake
        self._leave = leave
        self._under_way: deque[Job] = deque()

    @abstractmethod
    def arrive(self, token: Token) -> None:
        """Take an item in."""

    @abstractmethod
    def ready_since(self) -> int | None:
        """When [tick] the next job became ready to be served; None while there is none."""

    @abstractmethod
    def _next(self) -> Job:
        """Remove the next job; only called when one is ready."""

    def take(self) -> Job:
        """Give the next job to a server."""
        job = self._next()
        self._under_way.append(job)
        return job

    def depart(self, job: Job) -> None:
        """Let the items of a job leave, unless earlier ones of the task are still on other servers."""
        job.over = True
        while self._under_way and self._under_way[0].over:
            for token in self._under_way.popleft().tokens:
                self._leave(token)


class SingleQueue(Queue):
    """Items served one by one."""

    def __init__(
        self, step: Serve, owner: str, priority: int, wake: Callable[[], None], leave: Callable[[Token], None]
    ) -> None:
        super().__init__(owner, priority, wake, leave)
        self._step = step
        self._waiting: deque[Token] = deque()

    def arrive(self, token: Token) -> None:
        """Join the line."""
        self._waiting.append(token)
        self.wake()

    def ready_since(self) -> int | None:
        """When [tick] the first in line arrived."""
        return self._waiting[0].entered if self._waiting else None

    def _next(self) -> Job:
        return Job([self._waiting.popleft()], self._step.time, self._step.hidden)


class BatchQueue(Queue):
    """Common part of the three batchers: the items that are in no batch yet."""

    def __init__(
        self,
        step: Batch,
        owner: str,
        priority: int,
        wake: Callable[[], None],
        leave: Callable[[Token], None],
        environment: ShuffledEnvironment,
    ) -> None:
        super().__init__(owner, priority, wake, leave)
        self._step = step
        self._environment = environment
        self._open: deque[Token] = deque()

    def _batch(self, tokens: list[Token]) -> Job:
        return Job(tokens, self._step.fixed + self._step.per_item * len(tokens))


class ClosingQueue(BatchQueue):
    """Batches close at their b-th item, and with a time-out that long after their first one, whoever is busy."""

    def __init__(
        self,
        step: Batch,
        owner: str,
        priority: int,
        wake: Callable[[], None],
        leave: Callable[[Token], None],
        environment: ShuffledEnvironment,
    ) -> None:
        super().__init__(step, owner, priority, wake, leave, environment)
        self._closed: deque[tuple[int, list[Token]]] = deque()

    def arrive(self, token: Token) -> None:
        """Join the open batch, which may close it."""
        self._open.append(token)
        if len(self._open) == self._step.batch:
            self._close()
        elif len(self._open) == 1 and self._step.policy == "timeout-close":
            self._environment.call(self._step.timeout, lambda: self._time_out(token))

    def ready_since(self) -> int | None:
        """When [tick] the oldest batch closed."""
        return self._closed[0][0] if self._closed else None

    def _next(self) -> Job:
        return self._batch(self._closed.popleft()[1])

    def _time_out(self, first: Token) -> None:
        if self._open and self._open[0] is first:
            self._close()

    def _close(self) -> None:
        self._closed.append((int(self._environment.now), list(self._open)))
        self._open.clear()
        self.wake()


class DynamicQueue(BatchQueue):
    """A free server takes what waits, up to b items, once b wait or the oldest has waited for the time-out."""

    def arrive(self, token: Token) -> None:
        """Join the line; the server is told now or when the time-out passes."""
        self._open.append(token)
        if self._step.timeout and self._step.batch > 1:
            self._environment.call(self._step.timeout, self.wake)
        if self.ready_since() is not None:
            self.wake()

    def ready_since(self) -> int | None:
        """When [tick] b items were there or the oldest had waited for the time-out, even if a server was not free."""
        if not self._open:
            return None
        expires = self._open[0].entered + self._step.timeout
        if len(self._open) >= self._step.batch:
            return min(expires, self._open[self._step.batch - 1].entered)
        return expires if expires <= self._environment.now else None

    def _next(self) -> Job:
        size = min(self._step.batch, len(self._open))
        return self._batch([self._open.popleft() for _ in range(size)])
