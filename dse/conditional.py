"""Designs that would win if an unknown figure held: which one, and up to which value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context
from dse.candidates.preference import Ranking
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


def conditional_designs(context: Context, ranking: Ranking, row: int | None) -> tuple[Conditional, ...]:
    """Designs that lack one figure and would win if it were small enough, best first, one per chip."""
    found: list[Conditional] = []
    candidates = ranking.candidates
    for quantity in CONDITIONAL_QUANTITIES:
        bits = sum(1 << k for k, rule in enumerate(context.rules) if rule.column == quantity)
        maxima = [rule.maximum for rule in context.rules if rule.column == quantity and rule.maximum is not None]
        missing = (getattr(candidates, quantity) == UNKNOWN) & ((candidates.violated & ~np.int64(bits)) == 0)
        is_goal = any(goal.quantity.name == quantity for goal in ranking.goals)
        if missing.any() and (maxima or is_goal):
            most = min(maxima, default=None)
            found += _break_evens(context, ranking, np.flatnonzero(missing), row, quantity, most)
    return tuple(found[:MAX_CONDITIONAL])


def _break_evens(
    context: Context, ranking: Ranking, missing: IntArray, row: int | None, name: str, most: int | None
) -> list[Conditional]:
    """For the best design of each chip among `missing`: the largest value with which it wins."""
    quantity = QUANTITIES[name]
    highest = int(getattr(ranking.candidates, name)[ranking.feasible].max()) if len(ranking.feasible) else 0
    ceiling = most if most is not None else max(highest, 0)
    chip_of = context.lanes.chip[context.runs.lane[ranking.candidates.run]]
    found: list[Conditional] = []
    while len(missing) and len(found) < MAX_CONDITIONAL:
        winner = _winner(ranking, missing, name, 0)
        if winner == row or winner not in missing:
            break
        steps = _largest_step(ranking, winner, name, ceiling // quantity.resolution)
        if steps > 0:
            found.append(Conditional(winner, name, steps * quantity.resolution / quantity.scale))
        missing = missing[chip_of[missing] != chip_of[winner]]
    return found


def _winner(ranking: Ranking, tried: IntArray, name: str, value: int) -> int:
    """The best row when the figure of the `tried` rows is `value`."""
    admitted = np.zeros(len(ranking.candidates), dtype=np.bool_)  # sorts and drops doubles faster than a union
    admitted[ranking.feasible] = admitted[tried] = True
    return ranking.with_value(name, tried, value).best(np.flatnonzero(admitted))


def _largest_step(ranking: Ranking, row: int, name: str, most: int) -> int:
    """Largest value, in steps of the resolution, with which `row` still wins; 0 when none does."""
    step, low, high = QUANTITIES[name].resolution, 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if _winner(ranking, np.array([row]), name, middle * step) == row:
            low = middle
        else:
            high = middle - 1
    return low
