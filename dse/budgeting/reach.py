"""Chips that keep to the budget with a network of the task, counted step by step: each step is part of the one before.

in time, by the likely time of a run; with the margin that the guard asks of estimates; with a network accurate enough
there; within the limits on power and price; and within everything else. The last three are judged by the very rules and
columns of the candidate table, so a missing figure is rejected or let pass as it is there. One item at a time only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dse.budgeting.run_list import Pairs, Run, RunList, points
from dse.candidates.context import Context
from dse.candidates.kernels import binarized
from dse.candidates.table import NO_ACCURACY_BIT, blocks
from dse.catalog.types import BoolArray
from dse.problem.spec import Problem, Task

SHOWN = 5
"""Chips that are named: the weakest by rated peak."""
ACCURACY = ("min_accuracy", "max_accuracy_drop", "accuracy", "accuracy_low")
"""Rules that ask for accuracy."""
SPENDING = ("power_w", "power_peak_w", "price_usd")
"""Limits on power and price."""
STEPS = IN_TIME, SURE, ACCURATE, WITHIN, KEPT = ("chips", "sure", "accurate", "within", "kept")
"""The steps in order, by the names they have in `Reach`."""


@dataclass(frozen=True)
class FamilyRuns:
    """Runs of one family: chips with one in time, the weakest of them, and the fastest run anywhere."""

    family: str
    chips: int
    weakest: Run | None
    fastest: Run | None


@dataclass(frozen=True)
class Bound:
    """A limit on power or price, in the unit its name says; None where it has no such end."""

    name: str
    minimum: float | None
    maximum: float | None


@dataclass(frozen=True)
class Reach:
    """What of the runs of a task is within the budget.

    ``chips`` counts those with a network in time, ``sure`` those of them with one that still is with the guard's
    margin, ``accurate`` those of them where the lower end of its accuracy there is enough (None: nothing is asked),
    ``within`` those of them within the limits on power and price (None: there are none; they are in ``limited``) and
    ``kept`` those of them with a run that keeps every rule of the candidate table. ``within_unknown`` and
    ``kept_unknown`` say how many of these pass only because a figure nobody knows is let pass. ``weakest`` are the
    first by rated peak of the last step that has any, ``weakest_of``, each with its most accurate network; ``one_bit``
    is the fastest binarized network.
    """

    considered: int
    with_runs: int
    chips: int
    sure: int
    accurate: int | None
    within: int | None
    within_unknown: int
    kept: int
    kept_unknown: int
    limited: tuple[Bound, ...]
    weakest: tuple[Run, ...]
    weakest_of: str
    families: tuple[FamilyRuns, ...]
    one_bit: Run | None


def reach(context: Context, network_ms: Fraction) -> Reach:
    """Compare the runs of a task with the longest time of the slowest run [ms]."""
    runs = RunList(context, float(network_ms))
    judged = _Judged(context, runs)
    steps = {IN_TIME: runs.pairs(np.flatnonzero(runs.in_time)), SURE: runs.pairs(np.flatnonzero(runs.sure))}
    steps |= {name: judged.passing(name) for name in STEPS[2:]}
    chips = {name: runs.weakest(pairs) for name, pairs in steps.items()}
    last = next((name for name in reversed(STEPS) if chips[name]), IN_TIME)
    one_bit = np.flatnonzero(binarized(context.catalog)[runs.net])
    return Reach(
        considered=context.space.chips_considered,
        with_runs=len(set(runs.chip.tolist())),
        chips=len(chips[IN_TIME]),
        sure=len(chips[SURE]),
        accurate=len(chips[ACCURATE]) if judged.asks(ACCURACY) else None,
        within=len(chips[WITHIN]) if judged.asks(SPENDING) else None,
        within_unknown=judged.by_unknown(WITHIN),
        kept=len(chips[KEPT]),
        kept_unknown=judged.by_unknown(KEPT),
        limited=limited(context.problem),
        weakest=tuple(chips[last][:SHOWN]),
        weakest_of=last,
        families=tuple(
            _family(runs, name) for name in sorted(set(context.catalog.nets.family[context.chosen.nets].tolist()))
        ),
        one_bit=runs.fastest(one_bit),
    )


def asked_accuracy(problem: Problem, task: Task) -> float | None:
    """The highest of the least accuracies that the task and the limits ask for; None where none is."""
    named = [limit for name, limit in problem.limits.items() if name.removeprefix("result.") in ACCURACY]
    asked = [task.min_accuracy, *(limit.minimum for limit in named)]
    return max((value for value in asked if value is not None), default=None)


def limited(problem: Problem) -> tuple[Bound, ...]:
    """The limits on power and price."""
    return tuple(
        Bound(name, limit.minimum, limit.maximum)
        for name, limit in problem.limits.items()
        if name.removeprefix("result.") in SPENDING
    )


def _family(runs: RunList, name: str) -> FamilyRuns:
    rows = np.flatnonzero(runs.family == name)
    weakest = runs.weakest(runs.pairs(rows[runs.in_time[rows]]))
    return FamilyRuns(name, len(weakest), weakest[0] if weakest else None, runs.fastest(rows))


class _Judged:
    """Runs surely in time with each of their weights, and the bits of the rules they break or cannot be judged by."""

    def __init__(self, context: Context, runs: RunList) -> None:
        self._runs, self._rules = runs, context.rules
        parts = [
            (block.run[block.at], block.accuracy.value, block.accuracy.low, block.violated, block.unknown)
            for block in blocks(context, runs=runs.single[runs.sure])
        ]
        none = [(np.zeros(0, dtype=np.int64),) * 5]
        run, value, low, self._violated, self._unknown = (
            np.concatenate(columns) for columns in zip(*(parts or none), strict=True)
        )
        self._pairs = Pairs(np.searchsorted(runs.single, run), points(value), points(low))
        accuracy, spending = self._bits(ACCURACY), self._bits(SPENDING)
        self._stated = self._bits(tuple(context.problem.limits))
        accuracy |= 1 << NO_ACCURACY_BIT if accuracy else 0
        self._masks = {ACCURATE: accuracy, WITHIN: accuracy | spending, KEPT: -1}

    def asks(self, names: tuple[str, ...]) -> bool:
        """Whether there is a rule of one of these names."""
        return self._bits(names) != 0

    def passing(self, step: str) -> Pairs:
        """Pairs that pass a step."""
        return self._pairs.take(self._passes(step))

    def by_unknown(self, step: str) -> int:
        """Chips that pass a step with nothing but pairs for which the figure of a limit there is unknown."""
        passes = self._passes(step)
        known = passes & ((self._unknown & self._masks[step] & self._stated) == 0)
        return len(self._chips(passes) - self._chips(known))

    def _passes(self, step: str) -> BoolArray:
        return np.asarray((self._violated & self._masks[step]) == 0)

    def _chips(self, kept: BoolArray) -> set[str]:
        return set(self._runs.chip[self._pairs.row[kept]].tolist())

    def _bits(self, names: tuple[str, ...]) -> int:
        alike = {*names, *(f"result.{name}" for name in names)}
        return sum(1 << bit for bit, rule in enumerate(self._rules) if rule.name in alike)
