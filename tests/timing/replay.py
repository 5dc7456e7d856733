"""Plays a path item by item, in whole ticks: what the bounds claim, without any of their formulas.

Services, delays and releases are given or drawn item by item; the replay only applies the rules of the stages: one
in-order server each, batches of exactly b or of what waits. It knows no arrival curves, so it can disagree.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass(frozen=True)
class System:
    """One candidate in ticks; the names are those of the path."""

    streams: int
    period: int
    jitter: int
    batch: int
    fixed: int
    per_item: int
    timeout: int
    dynamic: bool
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    delay: int = 0
    variation: int = 0
    synchronous: bool = False
    may_stop: bool = False


@dataclass(frozen=True)
class Item:
    """One item: nominal and actual release."""

    nominal: int
    actual: int


def releases(system: System, phases: list[int], frames: int, pattern: str, dice: random.Random) -> list[Item]:
    """Release `frames` items of each stream.

    `pattern` places them within the jitter: early, late, bunched (late ones first, then as early as allowed),
    stretched (early first, then late) or random.
    """
    items = []
    turn = dice.randrange(1, frames // 2) * system.period
    for phase in phases:
        last = -1
        for k in range(frames):
            nominal = phase + k * system.period
            late = {
                "early": 0,
                "late": system.jitter,
                "bunched": min(system.jitter, max(0, turn + system.jitter - nominal)),
                "stretched": 0 if nominal < turn else system.jitter,
                "random": dice.randint(0, system.jitter),
            }[pattern]
            last = max(last, nominal + late)
            items.append(Item(nominal, last))
    dice.shuffle(items)  # ties fall either way
    return sorted(items, key=lambda item: item.actual)


def latencies(system: System, items: list[Item], dice: random.Random, *, full: bool, skip: int = 0) -> list[int]:
    """Play the items and measure each from its nominal release.

    Parameters
    ----------
    full : bool
        Every service at its longest, else drawn between nothing and that, often at an end.
    skip : int
        Items a counting batcher has taken already: shifts its batch borders.
    """
    constant = system.delay - system.variation
    entering = []
    for item in items:
        late = dice.choice([0, system.variation, dice.randint(0, system.variation)])
        entering.append((item.actual + constant + late, item))
    dice.shuffle(entering)
    entering.sort(key=lambda pair: pair[0])
    times = [time for time, _ in entering]
    for longest in system.before:
        times = _in_order(times, longest, dice, full)
    done = _dynamic(system, times, dice, full) if system.dynamic else _count(system, times, dice, full, skip)
    for longest in system.after:
        done = _in_order(done, longest, dice, full)
    first = skip if not system.dynamic else 0
    # All streams end with the trace. Unless they may, only items are measured that enough others follow.
    last = max(item.nominal for item in items)
    if not system.may_stop:
        last -= (system.batch // system.streams + 2) * system.period + system.jitter + system.variation
    pairs = zip(done, entering[first:], strict=False)
    return [end - item.nominal for end, (_, item) in pairs if item.nominal <= last]


def _draw(longest: int, dice: random.Random, full: bool) -> int:
    return longest if full else dice.choice([0, longest, dice.randint(0, longest)])


def _in_order(times: list[int], longest: int, dice: random.Random, full: bool) -> list[int]:
    free, out = 0, []
    for time in times:
        free = max(free, time) + _draw(longest, dice, full)
        out.append(free)
    return out


def _count(system: System, times: list[int], dice: random.Random, full: bool, skip: int) -> list[int]:
    """Serve batches of exactly b; an incomplete last batch never leaves."""
    free, out, times = 0, [], times[skip:]
    for start in range(0, len(times) - system.batch + 1, system.batch):
        members = times[start : start + system.batch]
        free = max(free, members[-1]) + _draw(system.fixed + system.per_item * system.batch, dice, full)
        out += [free] * system.batch
    return out


def _dynamic(system: System, times: list[int], dice: random.Random, full: bool) -> list[int]:
    """Serve min(b, waiting) once the server is free and b wait or the oldest has waited T."""
    free, out, head = 0, [], 0
    while head < len(times):
        ready = times[head] + system.timeout
        if head + system.batch <= len(times):
            ready = min(ready, times[head + system.batch - 1])
        start = max(free, ready)
        size = 1
        strict = dice.random() < 0.2  # an item that arrives at the very start may miss the batch
        while size < system.batch and head + size < len(times):
            if times[head + size] > start or (strict and times[head + size] == start and start > ready):
                break
            size += 1
        free = start + _draw(system.fixed + system.per_item * size, dice, full)
        out += [free] * size
        head += size
    return out


def worst_seen(system: System, dice: random.Random, rounds: int = 3) -> int:
    """Search bad phasings: together, one stream ahead or behind, clustered, random; each with jitter and shifts."""
    n, period = system.streams, system.period
    worst = 0
    frames = 8 + 3 * (system.jitter // period) + 3 * (system.batch // n)
    for round_ in range(rounds):
        edge = dice.randrange(period)
        near = [dice.randint(0, max(1, period // 8)) for _ in range(n)]
        layouts = [[0] * n]
        if not system.synchronous:
            layouts += [[1] + [0] * (n - 1), [0] + [1] * (n - 1), near, [edge, *near[1:]]]
            layouts += [[dice.randrange(period) for _ in range(n)]]
        for phases in layouts:
            for pattern in ("early", "bunched", "stretched", "random") if system.jitter else ("early",):
                items = releases(system, phases, frames, pattern, dice)
                shifts = [0] if system.dynamic or system.synchronous else range(system.batch)
                for skip in shifts:
                    seen = latencies(system, items, dice, full=round_ % 2 == 0, skip=skip)
                    worst = max(worst, *seen) if seen else worst
    return worst
