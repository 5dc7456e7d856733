"""Looks for the worst pattern of releases, by trying many and climbing from the worst."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dse.simulate.layouts import LAYOUTS, moved, random_phases
from dse.simulate.phases import Phasing, Window, releases, window_of
from dse.simulate.plant import Plant, Source, Task
from dse.simulate.replay import Services, replay
from dse.simulate.trace import FramePassage, Passage, Trace, chain_latencies, worst_sojourns

Chain = tuple[str, ...]
Progress = Callable[[int, int], None]

#: Share of the layouts played with random services: with dynamic batching shorter ones can lead to longer latencies.
RANDOM_SERVICES = 0.15
#: Share of the steps of the climb that throw the dice of the replay anew.
NEW_DICE = 0.3


@dataclass(frozen=True)
class Play:
    """One replay that can be repeated: when frames come, the seed of the dice, and how long services take."""

    phasing: Phasing
    seed: int
    services: Services

    def run(self, plant: Plant, window: Window | None = None) -> Trace:
        """Play it; gives the same trace every time."""
        until = (window or window_of(plant)).released
        return replay(plant, releases(plant, self.phasing, until), random.Random(self.seed), self.services)


@dataclass(frozen=True)
class Worst:
    """Longest latency seen [tick], the replay it occurred in, and how many items (frames of a chain) were measured."""

    latency: int
    play: Play
    frames: int


@dataclass(frozen=True)
class Distribution:
    """Latencies over random phases [tick]; percentiles by nearest rank.

    `sample` holds some of them, drawn without replacement, for a histogram.
    """

    mean: float
    p50: int
    p99: int
    p999: int
    sample: tuple[int, ...]


@dataclass(frozen=True)
class Observed:
    """What the search saw; all times [tick].

    Parameters
    ----------
    tasks : by task
        From the nominal release for a task that reads a source, from the own release for one that waits for others.
    chains : by tuple of task names
        From the nominal release of the first to the last completion of the last.
    distributions : by task
        Over random phases only, with the longest services: the search looks for rare phases and would distort them.
        A task of which no item was measured there is missing.
    sojourns : by owner (source or task) and step
        Longest time from arrival to departure over the whole search.
    replays, seed : int
        How many patterns were played, and the seed of the search.
    """

    tasks: dict[str, Worst]
    chains: dict[Chain, Worst]
    distributions: dict[str, Distribution]
    sojourns: dict[tuple[str, str], int]
    replays: int
    seed: int


def search(
    plant: Plant,
    seed: int,
    *,
    chains: Sequence[Chain] = (),
    phasings: int = 160,
    climbs: int = 240,
    sample: int = 2000,
    progress: Progress | None = None,
) -> Observed:
    """Search for the longest latency of every task and chain.

    Parameters
    ----------
    plant : Plant
    seed : int
        Same seed, same result.
    chains : tuples of task names
        Measured from the first to the last.
    phasings : int
        Patterns tried first, every other one with random phases; the others by the LAYOUTS, in turn.
    climbs : int
        Steps from the worst of them, shared by the tasks and chains: each changes one thing, and is kept unless the
        latency gets shorter.
    sample : int
        Most latencies kept of each distribution.
    progress : function, optional
        Called with the number of replays done and their total.

    Returns
    -------
    Observed
        The worst over the whole search; mean and percentiles over the random phases alone.

    Raises
    ------
    ValueError
        A chain is empty or names no task of the plant.
    """
    _check(plant, chains)
    study = _Study(plant, seed, chains)
    total = phasings + climbs
    for done in range(total):
        if done >= phasings:
            study.climb(done - phasings)
        elif done % 2 == 0:
            study.play_random_phases()
        else:
            study.play_layout(done // 2)
        if progress is not None:
            progress(done + 1, total)
    return Observed(
        tasks={goal.names[0]: worst for goal, worst in study.worst.items() if not goal.is_chain},
        chains={goal.names: worst for goal, worst in study.worst.items() if goal.is_chain},
        distributions={
            name: distribution(latencies, sample, study.dice)
            for name, latencies in study.latencies.items()
            if latencies
        },
        sojourns=study.sojourns,
        replays=total,
        seed=seed,
    )


def distribution(latencies: Sequence[int], sample: int, dice: random.Random) -> Distribution:
    """Mean, percentiles by nearest rank, and at most `sample` of the latencies; there must be one."""
    ordered = sorted(latencies)

    def rank(per_mille: int) -> int:
        return ordered[math.ceil(len(ordered) * per_mille / 1000) - 1]

    some = dice.sample(ordered, min(sample, len(ordered)))
    return Distribution(sum(ordered) / len(ordered), rank(500), rank(990), rank(999), tuple(some))


def measured(plant: Plant, window: Window, trace: Trace, task: Task) -> list[Passage]:
    """Items of a task that count: all where streams may stop, else those that enough others follow."""
    items = trace.items[task.name]
    if plant.source_of(task).may_stop:
        return items
    return [item for item in items if item.born <= window.measured]


@dataclass(frozen=True)
class _Goal:
    """A latency to make as long as possible: that of one task, or of a chain."""

    names: Chain
    is_chain: bool

    def latencies(self, items: dict[str, list[Passage]]) -> list[int]:
        if self.is_chain:
            return chain_latencies(items[self.names[0]], items[self.names[-1]])
        return [item.latency for item in items[self.names[0]]]


class _Study:
    """The search so far."""

    def __init__(self, plant: Plant, seed: int, chains: Sequence[Chain]) -> None:
        self.plant = plant
        self.dice = random.Random(seed)
        self.window = window_of(plant)
        self.goals = [_Goal((task.name,), is_chain=False) for task in plant.tasks]
        self.goals += [_Goal(chain, is_chain=True) for chain in chains]
        self.worst: dict[_Goal, Worst] = {}
        self.latencies: dict[str, list[int]] = {task.name: [] for task in plant.tasks}
        self.sojourns: dict[tuple[str, str], int] = {}

    def play_random_phases(self) -> None:
        """Play a pattern that an installation may have, and keep its latencies for the distribution."""
        items = self.play(Play(random_phases(self.plant, self.dice), self.dice.getrandbits(32), "longest"))
        for name, passages in items.items():
            self.latencies[name] += [item.latency for item in passages]

    def play_layout(self, number: int) -> None:
        """Play an arrangement that is often bad."""
        layout = LAYOUTS[number % len(LAYOUTS)]
        services: Services = "random" if self.dice.random() < RANDOM_SERVICES else "longest"
        self.play(Play(layout(self.plant, self.dice), self.dice.getrandbits(32), services))

    def climb(self, number: int) -> None:
        """Change one thing about the worst replay of one goal."""
        known = [goal for goal in self.goals if goal in self.worst]
        if known:
            play = self.worst[known[number % len(known)]].play
            seed = self.dice.getrandbits(32) if self.dice.random() < NEW_DICE else play.seed
            self.play(Play(moved(self.plant, play.phasing, self.dice), seed, play.services))

    def play(self, play: Play) -> dict[str, list[Passage]]:
        """Play one pattern and note what is worse than before; gives the items that count."""
        trace = play.run(self.plant, self.window)
        items = {task.name: measured(self.plant, self.window, trace, task) for task in self.plant.tasks}
        for goal in self.goals:
            latencies = goal.latencies(items)
            if not latencies:
                continue
            longest, old = max(latencies), self.worst.get(goal)
            frames = len(latencies) + (old.frames if old else 0)
            if old is None or longest >= old.latency:
                self.worst[goal] = Worst(longest, play, frames)
            else:
                self.worst[goal] = replace(old, frames=frames)
        for source in self.plant.sources:
            frames_seen = [
                frame for frame in trace.frames[source.name] if source.may_stop or frame.nominal <= self.window.measured
            ]
            self._note(source, frames_seen)
        for task in self.plant.tasks:
            self._note(task, items[task.name])
        return items

    def _note(self, owner: Source | Task, passages: Sequence[FramePassage | Passage]) -> None:
        for step, longest in zip(owner.steps, worst_sojourns(passages, len(owner.steps)), strict=True):
            key = (owner.name, step.name)
            self.sojourns[key] = max(self.sojourns.get(key, 0), longest)


def _check(plant: Plant, chains: Sequence[Chain]) -> None:
    names = {task.name for task in plant.tasks}
    for chain in chains:
        if not chain or not names.issuperset(chain):
            message = f"chain {' -> '.join(chain)!r}: expected names of tasks, of {', '.join(sorted(names))}"
            raise ValueError(message)
