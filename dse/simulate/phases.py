"""When frames are released: phases of the streams, their place within the jitter, and where batches begin."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from dse.simulate.plant import Batch, Delay, Plant, Source, Step
from dse.simulate.replay import Release

Pattern = Literal["early", "late", "bunched", "stretched", "random"]
T = TypeVar("T")

PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
_RANDOM: tuple[Pattern] = ("random",)


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
    """Choose a window long enough for bursts, batches and jitter to meet."""
    measured, rest = 0, 0
    for source in plant.sources:
        tasks = [task for task in plant.tasks if task.source == source.name]
        period = source.period * max((plant.strides[task.name] for task in tasks), default=1)
        spread = source.jitter + variation(plant, source)
        filling = [
            _filling(step, source, 1, source.period) + spread for step in source.steps if isinstance(step, Batch)
        ]
        for task in tasks:
            filling += [
                _filling(step, source, task.items_per_frame, source.period * plant.strides[task.name]) + spread
                for step in task.steps
                if isinstance(step, Batch)
            ]
        measured = max(measured, 5 * period + 2 * spread + 2 * max(filling, default=0))
        rest = max(rest, 2 * period + spread + sum(filling))
    return Window(measured, measured + rest)


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


def random_phases(plant: Plant, dice: random.Random) -> Phasing:
    """Draw every phase alone, with random places within the jitter: what an installation may look like."""
    return {source.name: _drawn(plant, source, dice) for source in plant.sources}


def synchronous(plant: Plant, dice: random.Random) -> Phasing:
    """All streams of all sources at once."""
    return _arranged(plant, dice, lambda source: [0] * source.streams)


def clustered(plant: Plant, dice: random.Random) -> Phasing:
    """All streams within an eighth of a period."""
    return _arranged(
        plant,
        dice,
        lambda source: [dice.randint(0, min(source.period - 1, source.period // 8)) for _ in _streams(source)],
    )


def one_ahead(plant: Plant, dice: random.Random) -> Phasing:
    """One stream a tick ahead of all others: its item is alone, or blocks the rest."""
    chosen = dice.choice(plant.sources).name

    def arrange(source: Source) -> list[int]:
        phases = [min(1, source.period - 1)] * source.streams
        if source.name == chosen:
            phases[dice.randrange(source.streams)] = 0
        return phases

    return _arranged(plant, dice, arrange)


def one_behind(plant: Plant, dice: random.Random) -> Phasing:
    """One stream a tick behind all others: the last item of a frame starts a batch that waits for the next frame."""
    chosen = dice.choice(plant.sources).name

    def arrange(source: Source) -> list[int]:
        phases = [0] * source.streams
        if source.name == chosen:
            phases[dice.randrange(source.streams)] = min(1, source.period - 1)
        return phases

    return _arranged(plant, dice, arrange)


def late_border(plant: Plant, dice: random.Random) -> Phasing:
    """All streams together, one of each source apart, and batches that begin anywhere."""

    def arrange(source: Source) -> list[int]:
        phases = [0] * source.streams
        phases[dice.randrange(source.streams)] = dice.randrange(source.period)
        return phases

    return _arranged(plant, dice, arrange)


LAYOUTS = (synchronous, one_ahead, clustered, one_behind, late_border)
"""Arrangements that are often bad, apart from `random_phases`."""


def moved(plant: Plant, phasing: Phasing, dice: random.Random) -> Phasing:
    """Change one thing: the phase, pattern, stride or end of one stream, the turn, or where batches begin."""
    source = dice.choice(plant.sources)
    old = phasing[source.name]
    stream = dice.randrange(source.streams)
    moves: list[Callable[[], SourcePhasing]] = [
        lambda: replace(old, phases=_nudged(plant, source, old.phases, stream, dice)),
        lambda: replace(old, skipped=_skip(plant, source, dice)),
    ]
    if source.jitter + variation(plant, source):
        until = window_of(plant).measured
        moves += [
            lambda: replace(old, turn=dice.randint(0, until)),
            lambda: replace(old, patterns=_put(old.patterns, stream, dice.choice(PATTERNS))),
            lambda: replace(old, patterns=(dice.choice(PATTERNS),) * source.streams),
            lambda: replace(old, seed=dice.getrandbits(32)),
        ]
    if _stride(plant, source) > 1 and not source.synchronous:
        first = dice.randrange(_stride(plant, source))
        moves.append(lambda: replace(old, first_frames=_put(old.first_frames, stream, first)))
    if source.may_stop:
        moves.append(lambda: replace(old, stops=_put(old.stops, stream, dice.choice((None, 0, 1, 2, 3, 4)))))
    if source.synchronous or dice.random() < 0.4:
        return {**phasing, source.name: dice.choice(moves)()}
    return {**phasing, source.name: moves[0]()}


def _drawn(plant: Plant, source: Source, dice: random.Random) -> SourcePhasing:
    n, stride = source.streams, _stride(plant, source)
    phases = [dice.randrange(source.period) for _ in _streams(source)]
    firsts = [dice.randrange(stride) for _ in _streams(source)]
    return SourcePhasing(
        phases=_together(plant, source, phases),
        first_frames=(0,) * n if source.synchronous else tuple(firsts),
        patterns=_RANDOM * n,
        turn=dice.randint(0, window_of(plant).measured),
        skipped=_skip(plant, source, dice),
        stops=(None,) * n,
        seed=dice.getrandbits(32),
    )


def _arranged(plant: Plant, dice: random.Random, phases: Callable[[Source], list[int]]) -> Phasing:
    """Give every source these phases, mostly with one pattern for its streams and all strides together."""
    phasing = {}
    pattern: Pattern = dice.choice(PATTERNS)
    turn = dice.randint(0, window_of(plant).measured)
    for source in plant.sources:
        drawn = _drawn(plant, source, dice)
        stops, patterns = drawn.stops, (pattern,) * source.streams
        if dice.random() < 0.3:
            patterns = _put(patterns, dice.randrange(source.streams), dice.choice(PATTERNS))
        if source.may_stop and dice.random() < 0.5:
            stops = tuple(dice.choice((None, 0, 1, 2, 3)) for _ in _streams(source))
        arranged = phases(source)
        if pattern == "bunched":  # the latest possible frames of all sources meet
            latest = turn - source.jitter - variation(plant, source)
            arranged = [(phase + latest) % source.period for phase in arranged]
        phasing[source.name] = replace(
            drawn,
            phases=_together(plant, source, arranged),
            turn=turn,
            first_frames=(0,) * source.streams if dice.random() < 0.7 else drawn.first_frames,
            patterns=patterns,
            stops=stops,
        )
    return phasing


def _nudged(plant: Plant, source: Source, phases: tuple[int, ...], stream: int, dice: random.Random) -> tuple[int, ...]:
    """Move one stream: anywhere, just beside another one, or a little."""
    target = dice.choice(
        (
            dice.randrange(source.period),
            phases[dice.randrange(source.streams)] + dice.choice((-1, 0, 1)),
            phases[stream] + dice.randint(-1, 1) * dice.randint(0, source.period // 8),
        )
    )
    return _together(plant, source, list(_put(phases, stream, target % source.period)), stream)


def _together(plant: Plant, source: Source, phases: list[int], leader: int = 0) -> tuple[int, ...]:
    """Genlocked streams share a phase; it is 0 unless another source could be ahead or behind."""
    if not source.synchronous:
        return tuple(phases)
    return (phases[leader] if len(plant.sources) > 1 else 0,) * source.streams


def _skip(plant: Plant, source: Source, dice: random.Random) -> int:
    """Frames to leave out; genlocked streams start together, so none."""
    largest = max((step.batch for step in _steps(plant, source) if isinstance(step, Batch)), default=1)
    return 0 if source.synchronous or largest == 1 else dice.randrange(largest * _stride(plant, source))


def _steps(plant: Plant, source: Source) -> list[Step]:
    tasks = (task.steps for task in plant.tasks if task.source == source.name)
    return [*source.steps, *(step for steps in tasks for step in steps)]


def _stride(plant: Plant, source: Source) -> int:
    return max((plant.strides[task.name] for task in plant.tasks if task.source == source.name), default=1)


def _filling(step: Batch, source: Source, items: int, period: int) -> int:
    """Nominal time [tick] in which at least `batch` items come, however they are placed."""
    return (-(-step.batch // (source.streams * items)) + 1) * period


def _spread(steps: tuple[Step, ...]) -> int:
    return sum(step.most - step.least for step in steps if isinstance(step, Delay))


def _streams(source: Source) -> range:
    return range(source.streams)


def _put(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*values[:place], value, *values[place + 1 :])
