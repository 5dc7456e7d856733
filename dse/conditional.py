"""Designs that would win if an unknown figure held: which one, and up to which value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context
from dse.candidates.preference import Goal, best, costs_of
from dse.candidates.table import Candidates
from dse.catalog.types import IntArray
from dse.schema import QUANTITIES, UNKNOWN

MAX_CONDITIONAL = 5
# Figures a break-even value is worth asking a vendor for.
CONDITIONAL_QUANTITIES = ("power_w", "price_usd")


@dataclass(frozen=True)
class Conditional:
    """A design that would win if an unknown figure were at most `break_even` (in the quantity's unit)."""

    row: int
    quantity: str
    break_even: float


def conditional_designs(
    context: Context,
    candidates: Candidates,
    feasible: IntArray,
    goals: tuple[Goal, ...],
    rank: IntArray,
    row: int | None,
) -> tuple[Conditional, ...]:
    """Designs that lack one figure and would win if it were small enough, best first, one per chip."""
    found: list[Conditional] = []
    for quantity in CONDITIONAL_QUANTITIES:
        bits = sum(1 << k for k, rule in enumerate(context.rules) if rule.column == quantity)
        maxima = [rule.maximum for rule in context.rules if rule.column == quantity and rule.maximum is not None]
        missing = (getattr(candidates, quantity) == UNKNOWN) & ((candidates.violated & ~np.int64(bits)) == 0)
        is_goal = any(goal.quantity.name == quantity for goal in goals)
        if missing.any() and (maxima or is_goal):
            trial = _Trial(candidates, feasible, np.flatnonzero(missing), goals, rank, quantity)
            found += trial.break_evens(context, row, min(maxima, default=None))
    return tuple(found[:MAX_CONDITIONAL])


@dataclass(frozen=True)
class _Trial:
    """Feasible rows beside rows that lack one figure, to ask from which value on the latter win."""

    candidates: Candidates
    feasible: IntArray
    missing: IntArray
    goals: tuple[Goal, ...]
    rank: IntArray
    quantity: str

    def break_evens(self, context: Context, row: int | None, most: int | None) -> list[Conditional]:
        """For the best design of each chip: the largest value with which it wins."""
        quantity = QUANTITIES[self.quantity]
        column = getattr(self.candidates, self.quantity)
        highest = int(column[self.feasible].max()) if len(self.feasible) else 0
        ceiling = most if most is not None else max(highest, 0)
        lane = context.runs.lane[self.candidates.run]
        found: list[Conditional] = []
        remaining = self.missing
        while len(remaining) and len(found) < MAX_CONDITIONAL:
            winner = self.winner(remaining, 0)
            if winner == row or winner not in remaining:
                break
            steps = self._largest_step(winner, ceiling // quantity.resolution)
            if steps > 0:
                found.append(Conditional(winner, self.quantity, steps * quantity.resolution / quantity.scale))
            chip = context.lanes.chip[lane[winner]]
            remaining = remaining[context.lanes.chip[lane[remaining]] != chip]
        return found

    def winner(self, tried: IntArray, value: int) -> int:
        """The best row when the figure of the `tried` rows is `value`."""
        others = self.feasible[~np.isin(self.feasible, tried)]
        rows = np.concatenate([others, tried])
        trial = self.candidates.take(rows)
        getattr(trial, self.quantity)[len(others) :] = value
        return int(rows[best(costs_of(self.goals, trial), self.goals, self.rank[rows])])

    def _largest_step(self, row: int, most: int) -> int:
        """Largest value, in steps of the resolution, with which `row` still wins; 0 when none does."""
        step, low, high = QUANTITIES[self.quantity].resolution, 0, most
        tried = np.array([row])
        while low < high:
            middle = (low + high + 1) // 2
            if self.winner(tried, middle * step) == row:
                low = middle
            else:
                high = middle - 1
        return low
