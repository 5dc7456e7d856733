"""Searches the worst pattern of one case on the fast replays, many patterns at a time, and plays it with simpy.

Streams come at instants that differ modulo GRAIN, and all times of a case are multiples of it. Two streams then never
arrive at one instant, and a completion almost never coincides with an arrival, so that both replays have to agree.
Genlocked streams do come together; their order makes no difference.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.bounds_recursions import FAR, Ints
from dse.simulate.phases import variation, window_of
from dse.simulate.plant import Batch, Plant
from dse.simulate.replay import Release, Services, replay

GRAIN = 64
"""Ticks; more than the streams of a case."""

FRAMES = 520
"""Frames simpy measures in each case, at least: with random services, after the longest ones."""

TRIES = 20
"""Replays with the longest services before the two are said to disagree. Two frames of one stream may come exactly a
time-out or a service apart, which the search even looks for; the order then is a matter of simpy's dice."""

EARLY, LATE, BUNCHED, STRETCHED, RANDOM = range(5)


@dataclass(frozen=True)
class Case:
    """One system drawn at random.

    Parameters
    ----------
    plant : Plant
        Task k reads source k.
    bounds : by task
        On the time from the release of an item to its completion [tick].
    goal : str
        Task whose latency the search makes as long as possible.
    finish : function
        Fast replay: arrivals and tasks of the items, both (patterns, items), to completions.
    offsets : tuple of int
        Times by which it may pay to be ahead of another stream [tick]: services, time-outs.
    nominal : bool
        Whether the bound counts from the nominal release; else from the actual one.
    """

    plant: Plant
    bounds: dict[str, int]
    goal: str
    finish: Callable[[Ints, Ints], Ints]
    offsets: tuple[int, ...] = ()
    nominal: bool = False


@dataclass
class Patterns:
    """Many patterns of the streams of all sources; arrays begin with (patterns,)."""

    phases: Ints  # (patterns, streams)
    kinds: Ints  # (patterns, streams): place within the jitter
    turns: Ints  # (patterns,)
    skips: Ints  # (patterns, tasks)
    chances: Ints  # (patterns, streams, frames): of RANDOM, in multiples of GRAIN up to the jitter

    def take(self, rows: Ints) -> Patterns:
        return Patterns(*(np.copy(getattr(self, name)[rows]) for name in self.__dataclass_fields__))


@dataclass
class Result:
    """Tightness of one case and what simpy saw; `number` tells the case among those of its kind."""

    bound: int
    worst: int
    frames: int = 0
    violations: list[str] = field(default_factory=list)
    disagrees: bool = False
    number: int = 0


class Search:
    """The search of one case."""

    def __init__(self, case: Case, seed: int) -> None:
        self.case = case
        self.dice = np.random.default_rng(seed)
        sources = case.plant.sources
        self.window = window_of(case.plant)
        self.group = np.concatenate([np.full(source.streams, k) for k, source in enumerate(sources)])
        self.period = np.array([sources[k].period for k in self.group])
        self.jitter = np.array([sources[k].jitter for k in self.group])
        self.spread = self.jitter + np.array([variation(case.plant, sources[k]) for k in self.group])
        self.locked = np.array([sources[k].synchronous for k in self.group])
        self.frames = int(self.window.released // self.period.min()) + 1
        self.residue = np.where(self.locked, 0, np.arange(self.group.size))
        self.goal = [task.name for task in case.plant.tasks].index(case.goal)
        self.largest = [
            max((step.batch for step in task.steps if isinstance(step, Batch)), default=1) for task in case.plant.tasks
        ]

    def run(self, patterns: int = 96, generations: int = 7, children: int = 64) -> Result:
        """Search, then play the worst pattern with simpy: with the longest services, and with random ones.

        Tasks have to be placed against each other too, so more than one takes twice the generations.
        """
        best = self.first(patterns)
        scores = self.scores(best)
        for _ in range(generations * min(2, len(self.largest))):
            parents = best.take(np.argsort(-scores, kind="stable")[:8])
            top = np.sort(scores)[::-1][:8]
            grown = self.changed(parents.take(self.dice.integers(0, top.size, children)))
            best = Patterns(
                *(np.concatenate((getattr(parents, n), getattr(grown, n))) for n in Patterns.__dataclass_fields__)
            )
            scores = np.concatenate((top, self.scores(grown)))
        winner = best.take(np.array([int(scores.argmax())]))
        return self.confirmed(winner, int(scores.max()))

    def first(self, count: int) -> Patterns:
        """Together, one ahead, one behind, clustered, one apart, and anywhere; with jitter patterns and borders."""
        streams = self.group.size
        grains = self.period // GRAIN
        phases = np.zeros((count, streams), dtype=np.int64)
        rows, one = np.arange(count), self.dice.integers(0, streams, count)
        layout = rows % 6
        anywhere = (self.dice.random((count, streams)) * grains).astype(np.int64)
        phases[layout == 1] = 1
        phases[rows[layout == 1], one[layout == 1]] = 0
        phases[rows[layout == 2], one[layout == 2]] = 1
        phases[layout == 3] = anywhere[layout == 3] // 8
        phases[rows[layout == 4], one[layout == 4]] = anywhere[rows[layout == 4], one[layout == 4]]
        phases[layout == 5] = anywhere[layout == 5]
        phases *= GRAIN
        kinds = np.repeat(self.dice.integers(0, 5, count)[:, None], streams, axis=1)
        mixed = self.dice.random(count) < 0.3
        kinds[mixed] = self.dice.integers(0, 5, (int(mixed.sum()), streams))
        skips = np.stack([self.skip(task, count) for task in range(len(self.largest))], axis=1)
        turns = self.turn(self.dice.integers(0, self.window.measured, count))
        meets = (kinds == BUNCHED).all(axis=1) & (layout != 5)  # the latest possible frames of all tasks at one instant
        phases[meets] += (turns[meets, None] - self.spread) % self.period
        found = Patterns(phases, kinds, turns, skips, self.chance((count, streams, self.frames)))
        return self.settled(found)

    def chance(self, shape: tuple[int, int, int]) -> Ints:
        return (self.dice.random(shape) * (self.spread // GRAIN + 1)[:, None]).astype(np.int64) * GRAIN

    def turn(self, near: Ints) -> Ints:
        """Instant at which bunched streams turn: after a whole number of GRAIN for each residue."""
        return np.asarray(near // GRAIN * GRAIN + GRAIN - 1)

    def skip(self, task: int, count: int) -> Ints:
        free = self.largest[task] > 1 and not self.case.plant.sources[task].synchronous
        return self.dice.integers(0, self.largest[task], count) if free else np.zeros(count, dtype=np.int64)

    def settled(self, patterns: Patterns) -> Patterns:
        """Keep genlocked streams together and all others apart."""
        grains = patterns.phases // GRAIN * GRAIN % self.period + self.residue
        patterns.phases = np.where(self.locked, 0, np.minimum(grains, self.period - GRAIN + self.residue))
        return patterns

    def changed(self, patterns: Patterns) -> Patterns:
        """Change one to three things about each pattern."""
        count, streams = patterns.phases.shape
        for row in range(count):
            for _ in range(self.dice.integers(1, 4)):
                one, other = self.dice.integers(0, streams, 2)
                what = self.dice.random()
                if what < 0.25:
                    patterns.phases[row, one] = self.dice.integers(0, self.period[one])
                elif what < 0.65:
                    patterns.phases[row, one] = patterns.phases[row, other] + self.step()
                elif what < 0.75:
                    frame = patterns.phases[row, other] + self.dice.integers(0, 6) * self.period[other]
                    patterns.turns[row] = self.turn(frame + self.dice.choice((0, self.spread[other], GRAIN)))
                elif what < 0.85:
                    kind = self.dice.integers(0, 5)
                    patterns.kinds[row, one if self.dice.random() < 0.6 else slice(None)] = kind
                elif what < 0.92:
                    patterns.chances[row, one] = self.chance((1, streams, self.frames))[0, one]
                else:
                    task = int(self.group[one])
                    patterns.skips[row, task] = self.skip(task, 1)[0]
        return self.settled(patterns)

    def step(self) -> int:
        """Distance from another stream: just ahead or behind, or by something that takes time."""
        if self.case.offsets and self.dice.random() < 0.4:
            return int(
                self.dice.choice((-1, 1)) * self.dice.choice(self.case.offsets) + self.dice.integers(-1, 2) * GRAIN
            )
        return int(self.dice.integers(-1, 2)) * GRAIN

    def released(self, patterns: Patterns) -> tuple[Ints, Ints]:
        """Nominal release and arrival of every frame, (patterns, streams, frames); FAR for those that do not exist.

        It arrives when it is actually released, or later by what varying delays take of their variation.
        """
        nominal = patterns.phases[:, :, None] + np.arange(self.frames) * self.period[:, None]
        spread = self.spread[:, None]
        turn = patterns.turns[:, None, None]
        kinds = patterns.kinds[:, :, None]
        bunched = np.clip((turn - nominal) // GRAIN * GRAIN, 0, spread)
        late = np.select(
            [kinds == EARLY, kinds == LATE, kinds == BUNCHED, kinds == STRETCHED],
            [np.zeros_like(nominal), np.broadcast_to(spread, nominal.shape), bunched, (nominal >= turn) * spread],
            patterns.chances,
        )
        actual = np.maximum.accumulate(nominal + late, axis=2)
        actual = np.where(nominal <= self.window.released, actual, FAR)
        for task in np.flatnonzero(patterns.skips.any(axis=0)):
            mine = actual[:, self.group == task]
            flat = mine.reshape(mine.shape[0], -1)
            rank = flat.argsort(axis=1).argsort(axis=1)
            flat[rank < patterns.skips[:, task, None]] = FAR
            actual[:, self.group == task] = flat.reshape(mine.shape)
        return nominal, actual

    def scores(self, patterns: Patterns) -> Ints:
        """Longest latency of the goal in each pattern [tick]."""
        nominal, actual = self.released(patterns)
        count = nominal.shape[0]
        flat = actual.reshape(count, -1)
        order = flat.argsort(axis=1, kind="stable")
        times = np.take_along_axis(flat, order, axis=1)
        group = np.take_along_axis(np.broadcast_to(np.repeat(self.group, self.frames), flat.shape), order, axis=1)
        due = np.take_along_axis(nominal.reshape(count, -1), order, axis=1)
        counts = (group == self.goal) & (times < FAR)
        if not self.case.plant.sources[self.goal].may_stop:
            counts &= due <= self.window.measured
        latency = np.where(counts, self.case.finish(times, group) - (due if self.case.nominal else times), 0)
        return np.asarray(latency.max(axis=1))

    def confirmed(self, winner: Patterns, score: int) -> Result:
        """Play the worst pattern with simpy: must agree, and no item of any task may exceed its bound."""
        result = Result(self.case.bounds[self.case.goal], score)
        releases = self.releases(winner)
        dice = random.Random(int(self.dice.integers(2**32)))
        for _ in range(TRIES):
            seen = self.played(releases, dice, "longest", result)
            result.worst = max(result.worst, seen)
            result.disagrees = seen != score
            if not result.disagrees:
                break
        while result.frames < FRAMES:
            result.worst = max(result.worst, self.played(releases, dice, "random", result))
        return result

    def releases(self, winner: Patterns) -> dict[str, list[Release]]:
        """Frames of the one pattern, for simpy."""
        nominal, actual = self.released(winner)
        found: dict[str, list[Release]] = {source.name: [] for source in self.case.plant.sources}
        for stream, task in enumerate(self.group):
            name = self.case.plant.sources[task].name
            number = stream - int((self.group < task).sum())
            found[name] += [
                self.release(stream, number, frame, int(nominal[0, stream, frame]), int(actual[0, stream, frame]))
                for frame in range(self.frames)
                if actual[0, stream, frame] < FAR
            ]
        return found

    def release(self, stream: int, number: int, frame: int, nominal: int, arrival: int) -> Release:
        """Take what the jitter can of the lateness, and leave the rest to the delays."""
        actual = min(arrival, nominal + int(self.jitter[stream]))
        return Release(number, frame, nominal, actual, arrival - actual)

    def played(
        self, releases: dict[str, list[Release]], dice: random.Random, services: Services, result: Result
    ) -> int:
        """Longest latency of the goal in one replay; notes frames and violations."""
        trace, longest = replay(self.case.plant, releases, dice, services), 0
        for task in self.case.plant.tasks:
            items = trace.items[task.name]
            if not self.case.plant.source_of(task).may_stop:
                items = [item for item in items if item.nominal <= self.window.measured]
            worst = max(
                (item.completed - (item.nominal if self.case.nominal else item.actual) for item in items), default=0
            )
            bound = self.case.bounds.get(task.name)
            result.frames += len(items)
            if bound is not None and worst > bound:
                result.violations.append(f"{task.name}: {worst} > {bound} ({services}) in {self.case.plant}")
            if task.name == self.case.goal:
                longest = worst
        return longest
