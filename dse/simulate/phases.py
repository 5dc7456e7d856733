"""When frames are released: phases of the streams, their place within the jitter, and where batches begin.

``layouts`` draws and changes such patterns.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal, get_args

from dse.simulate.plant import Batch, Delay, Plant, Source, Step
from dse.simulate.replay import Release

Pattern = Literal["early", "late", "bunched", "stretched", "random"]
#: Frames of all sources in one replay, about: it should take less than a second.
MOST_FRAMES = 4000

PATTERNS: tuple[Pattern, ...] = get_args(Pattern)


@dataclass(frozen=True)
class SourcePhasing:
    """How the frames of one source come.

    Parameters
    ----------
    phases : (N,)
        Of each stream [tick], 0 to P - 1.
    first_frames : (N,)
        Number of the first frame of each stream: which of its frames a task with `every_nth` takes.
    patterns : (N,)
        Place of each stream within its jitter, and of its delays within their variation. "early", "late" and "random"
        frame by frame; "bunched": all that may come at `turn` do, late ones before and early ones after; "stretched":
        early ones before `turn`, then late.
    turn : int
        Instant [tick] about which bunched and stretched streams turn.
    skipped : int
        Frames left out at the start, in order of release: where the first batch begins.
    stops : (N,)
        Frames after which a stream falls silent, None for never.
    seed : int
        Of the "random" places.
    """

    phases: tuple[int, ...]
    first_frames: tuple[int, ...]
    patterns: tuple[Pattern, ...]
    turn: int
    skipped: int
    stops: tuple[int | None, ...]
    seed: int


Phasing = dict[str, SourcePhasing]
"""How the frames of every source come."""


@dataclass(frozen=True)
class Window:
    """Frames with a nominal release up to `measured` [tick] count; frames are released up to `released`.

    The rest sees to it that every batch that would fill in a system that goes on fills here.
    """

    measured: int
    released: int


def window_of(plant: Plant) -> Window:
    """Choose a window long enough for bursts, batches and jitter to meet.

    Five periods of the slowest task, and twice the jitter and the time its batches take to fill. Sources of very
    different periods would make it hold more than MOST_FRAMES; it is then shorter, down to two periods.
    """
    slowest, filled, rest = 0, 0, 0
    for source in plant.sources:
        tasks = [task for task in plant.tasks if task.source == source.name]
        spread = source.jitter + variation(plant, source)
        period, filling = source.period, [_filling(source.steps, source, 1, source.period, spread)]
        for task in tasks:
            stride = source.period * plant.strides[task.name]
            period = max(period, stride)
            filling.append(_filling(task.steps, source, task.items_per_frame, stride, spread))
        slowest = max(slowest, period)
        filled = max(filled, 2 * (spread + max(filling)))
        rest = max(rest, 2 * period + spread + sum(filling))
    for periods in (5, 4, 3):
        released = periods * slowest + filled + rest
        if sum(source.streams * released // source.period for source in plant.sources) <= MOST_FRAMES:
            return Window(periods * slowest + filled, released)
    return Window(2 * slowest + filled, 2 * slowest + filled + rest)


def variation(plant: Plant, source: Source) -> int:
    """Most that the delays on the way of a frame vary together [tick]: those of the source and of one task."""
    tasks = (_spread(task.steps) for task in plant.tasks if task.source == source.name)
    return _spread(source.steps) + max(tasks, default=0)


def releases(plant: Plant, phasing: Phasing, until: int) -> dict[str, list[Release]]:
    """Frames of every source with a nominal release up to `until` [tick], in the order of their release."""
    return {source.name: _releases(plant, source, phasing[source.name], until) for source in plant.sources}


def _releases(plant: Plant, source: Source, phasing: SourcePhasing, until: int) -> list[Release]:
    dice = random.Random(phasing.seed)
    varies = variation(plant, source)
    frames: list[Release] = []
    for stream in range(source.streams):
        last, nominal = 0, phasing.phases[stream]
        number, stop = phasing.first_frames[stream], phasing.stops[stream]
        while nominal <= until and (stop is None or number - phasing.first_frames[stream] < stop):
            late = _late(phasing.patterns[stream], nominal, phasing.turn, source.jitter + varies)
            if late is None:
                jitter, excess = dice.randint(0, source.jitter), None
            else:
                jitter, excess = min(late, source.jitter), max(0, late - source.jitter)
            last = max(last, nominal + jitter)  # one stream stays in order
            frames.append(Release(stream, number, nominal, last, excess))
            nominal += source.period
            number += 1
    frames.sort(key=lambda frame: frame.actual)
    return frames[phasing.skipped :]


def _late(pattern: Pattern, nominal: int, turn: int, spread: int) -> int | None:
    """How late a frame is, of all its jitter and variation [tick]; None for drawn."""
    match pattern:
        case "early":
            return 0
        case "late":
            return spread
        case "bunched":
            return min(spread, max(0, turn - nominal))
        case "stretched":
            return 0 if nominal < turn else spread
        case "random":
            return None


def _filling(steps: tuple[Step, ...], source: Source, items: int, period: int, spread: int) -> int:
    """Time [tick] in which all batches on the way fill, one after the other, however their items are placed."""
    sizes = [step.batch for step in steps if isinstance(step, Batch)]
    return sum((-(-size // (source.streams * items)) + 1) * period + spread for size in sizes)


def _spread(steps: tuple[Step, ...]) -> int:
    return sum(step.most - step.least for step in steps if isinstance(step, Delay))
