"""Draws arrangements of phases, the usual ones and those that are often bad, and changes them a little."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from dse.simulate.phases import PATTERNS, Pattern, Phasing, SourcePhasing, variation, window_of
from dse.simulate.plant import Batch, Delay, Plant, Serve, Source, Step

T = TypeVar("T")

#: Share of the changes that leave the phases as they are.
OTHER_MOVES = 0.4
_RANDOM: tuple[Pattern] = ("random",)


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
    """Change one or two things: the phase, pattern, stride or end of a stream, the turn, or where batches begin."""
    for _ in range(dice.choice((1, 1, 2))):
        source = dice.choice(plant.sources)
        phasing = {**phasing, source.name: _moved(plant, source, phasing, dice)}
    return phasing


def _moved(plant: Plant, source: Source, phasing: Phasing, dice: random.Random) -> SourcePhasing:
    old, stream = phasing[source.name], dice.randrange(source.streams)
    spread = source.jitter + variation(plant, source)
    moves: list[Callable[[], SourcePhasing]] = [lambda: replace(old, skipped=_skip(plant, source, dice))]
    if spread:
        frame = old.phases[stream] + dice.randrange(6) * source.period
        turns = (dice.randint(0, window_of(plant).measured), frame, frame + spread)
        moves += [
            lambda: replace(old, turn=dice.choice(turns)),
            lambda: replace(old, patterns=_put(old.patterns, stream, dice.choice(PATTERNS))),
            lambda: replace(old, patterns=(dice.choice(PATTERNS),) * source.streams),
            lambda: replace(old, seed=dice.getrandbits(32)),
        ]
    if _stride(plant, source) > 1 and not source.synchronous:
        first = dice.randrange(_stride(plant, source))
        moves.append(lambda: replace(old, first_frames=_put(old.first_frames, stream, first)))
    if source.may_stop:
        moves.append(lambda: replace(old, stops=_put(old.stops, stream, dice.choice((None, 0, 1, 2, 3, 4)))))
    if dice.random() < OTHER_MOVES:
        return dice.choice(moves)()
    phase = _beside(plant, source, phasing, stream, dice) % source.period
    return replace(old, phases=_together(plant, source, list(_put(old.phases, stream, phase)), stream))


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


def _beside(plant: Plant, source: Source, phasing: Phasing, stream: int, dice: random.Random) -> int:
    """New phase [tick]: anywhere, a little off, or beside a stream, a tick off it or by something that takes time."""
    other = dice.choice(plant.sources) if dice.random() < 0.5 else source
    beside = dice.choice(phasing[other.name].phases)
    times = [time for step in _steps(plant, other) for time in _times(step)]
    return dice.choice(
        (
            dice.randrange(source.period),
            phasing[source.name].phases[stream] + dice.randint(-1, 1) * dice.randint(0, source.period // 8),
            beside + dice.choice((-1, 0, 1)),
            beside + dice.choice((-1, 1)) * dice.choice([*times, 0]) + dice.choice((-1, 0, 1)),
        )
    )


def _times(step: Step) -> tuple[int, ...]:
    """Times [tick] by which it may matter to be ahead of another item."""
    match step:
        case Delay():
            return (step.most - step.least,)
        case Serve():
            return (step.time,)
        case Batch():
            return (step.fixed + step.per_item, step.fixed + step.per_item * step.batch, step.timeout)


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


def _streams(source: Source) -> range:
    return range(source.streams)


def _put(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*values[:place], value, *values[place + 1 :])
