"""Events of one instant, in an order the dice decide: a bound must hold for every such order."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import simpy

Thing = TypeVar("Thing")


class ShuffledEnvironment(simpy.Environment):
    """A simpy environment whose events of one instant happen in random order.

    simpy breaks such ties by the order of scheduling, which would show only one of the possible runs: whether an item
    arrives just before or just after a server becomes free, for one. An event that another one causes at the same
    instant may still come before events that were there already, and never before its cause.
    """

    def __init__(self, dice: random.Random) -> None:
        super().__init__(initial_time=0)
        self._dice = dice

    def schedule(self, event: simpy.Event, priority: int = 1, delay: Any = 0) -> None:  # noqa: ANN401
        """Schedule as simpy does, with a random priority in place of the given one."""
        super().schedule(event, self._dice.getrandbits(30), delay)  # type: ignore[arg-type]

    def call(self, delay: int, action: Callable[[], None]) -> None:
        """Do something after a delay [tick]."""
        event = self.timeout(delay)
        assert event.callbacks is not None
        event.callbacks.append(lambda _: action())


class Channel(Generic[Thing]):
    """Hands things over one by one in their order, each in an event of its own.

    Among other events of the instant any of them may come first or last, but none overtakes another one here; who puts
    things in must not let a later one be due earlier.
    """

    def __init__(self, environment: ShuffledEnvironment, sink: Callable[[Thing], None]) -> None:
        self._environment = environment
        self._sink = sink
        self._under_way: deque[Thing] = deque()

    def put(self, thing: Thing, delay: int = 0) -> None:
        """Send one thing, due after a delay [tick]."""
        self._under_way.append(thing)
        self._environment.call(delay, self._deliver)

    def _deliver(self) -> None:
        self._sink(self._under_way.popleft())
