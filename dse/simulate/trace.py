"""What a replay saw: every frame at its source and every item of every task, with its times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FramePassage:
    """One frame that has passed the steps of its source; all times [tick].

    `sojourns` holds the time from arrival to departure at each step.
    """

    stream: int
    frame: int
    nominal: int
    actual: int
    left: int
    sojourns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """One finished item of a task; all times [tick].

    Parameters
    ----------
    stream, frame, index : int
        Which stream and frame it belongs to, and which of the items of that frame it is.
    born : int
        Nominal release of the frame at its source.
    nominal, actual : int
        Releases the latency counts from: those of the frame for a task that reads its source, the own release (twice)
        for a task that waits for others.
    completed : int
        When it left the last step.
    sojourns : tuple of int
        Time from arrival to departure at each step of the task.
    """

    stream: int
    frame: int
    index: int
    born: int
    nominal: int
    actual: int
    completed: int
    sojourns: tuple[int, ...]

    @property
    def latency(self) -> int:
        """From the nominal release to completion [tick]."""
        return self.completed - self.nominal


@dataclass(frozen=True)
class Trace:
    """What happened in one replay.

    Parameters
    ----------
    frames : by source
        Frames that left the steps of the source, in that order.
    items : by task
        Finished items, in the order of completion.
    entered : by source and task
        How many frames or items entered, finished or not.
    """

    frames: dict[str, list[FramePassage]]
    items: dict[str, list[Passage]]
    entered: dict[str, int]

    @property
    def unfinished(self) -> dict[str, int]:
        """By source and task: how many entered and never left, as in a counted batch that never filled."""
        finished = {name: len(frames) for name, frames in self.frames.items()}
        finished |= {name: len(items) for name, items in self.items.items()}
        return {name: entered - finished[name] for name, entered in self.entered.items()}


def chain_latencies(first: Iterable[Passage], last: Iterable[Passage]) -> list[int]:
    """Latencies along a chain of tasks.

    Parameters
    ----------
    first, last : items of the first and the last task of the chain

    Returns
    -------
    list of int
        For each frame that occurs in both: from the nominal release of the first task to the last completion of the
        last one [tick].
    """
    begun = {(item.stream, item.frame): item.nominal for item in first}
    ended: dict[tuple[int, int], int] = {}
    for item in last:
        key = (item.stream, item.frame)
        if key in begun:
            ended[key] = max(ended.get(key, 0), item.completed)
    return [completed - begun[key] for key, completed in ended.items()]


def worst_sojourns(passages: Iterable[FramePassage | Passage], steps: int) -> tuple[int, ...]:
    """Longest time at each of the steps [tick]; 0 where nothing passed."""
    worst = [0] * steps
    for passage in passages:
        for step, time in enumerate(passage.sojourns):
            worst[step] = max(worst[step], time)
    return tuple(worst)
