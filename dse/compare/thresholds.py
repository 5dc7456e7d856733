"""For every design the highest price, or the highest power where that is unknown, with which it would be chosen."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dse.candidates.context import Context
from dse.candidates.preference import Ranking
from dse.catalog.types import IntArray
from dse.compare.standing import Threshold, winning_value
from dse.schema import QUANTITIES, UNKNOWN


@dataclass(frozen=True)
class _Figure:
    """One figure that all rows of an item share: which items there are, and which rows nothing else refuses."""

    name: str
    item: IntArray
    free: IntArray
    most: float | None
    found: dict[tuple[int, int], Threshold] = field(default_factory=dict)

    def of(self, ranking: Ranking, group: IntArray, row: int) -> Threshold | None:
        item, key = int(self.item[row]), (int(self.item[row]), int(group[row]))
        if not self.free[row]:
            return None
        if key not in self.found:
            own = np.flatnonzero(self.free & (self.item == item))
            others = ranking.feasible[~self.free[ranking.feasible] | (self.item[ranking.feasible] != item)]
            wanted = own[group[own] == group[row]]
            self.found[key] = winning_value(ranking, self.name, own, others, self.most, wanted)
        return self.found[key]


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of the rows of a ranking, worked out once per item and row of the comparison."""

    ranking: Ranking
    group: IntArray
    figures: tuple[_Figure, ...]

    def of(self, row: int) -> Threshold | None:
        """The threshold of a row; None where it is not one figure that stands between it and the choice."""
        return next(
            (found for one in self.figures if (found := one.of(self.ranking, self.group, row)) is not None), None
        )


def thresholds_of(context: Context, ranking: Ranking, group: IntArray) -> Thresholds:
    """What a chip on its board would have to cost; and where only the power is unknown, what it would have to draw.

    Everything on one chip and board costs the same; a rated power belongs to chip, board and mode. A figure that must
    not be too low, or of which more is asked for, has no highest value to look for. `group` (n,) is the row of the
    comparison each candidate of the ranking belongs to.
    """
    kept, lane = ranking.candidates, context.runs.lane[ranking.candidates.run]
    figures = []
    for name, words in (("price_usd", ("chip", "board")), ("power_w", ("chip", "board", "mode"))):
        rules = [(bit, rule) for bit, rule in enumerate(context.rules) if rule.column == name]
        if any(rule.minimum is not None for _, rule in rules):
            continue
        if any(goal.maximize and goal.quantity.name == name for goal in ranking.goals):
            continue
        bits = np.int64(sum(1 << bit for bit, _ in rules))
        free = (kept.violated & ~bits) == 0
        if name == "power_w":
            free &= kept.power_w == UNKNOWN
        most = min((rule.maximum for _, rule in rules if rule.maximum is not None), default=None)
        scale = QUANTITIES[name].scale
        figures.append(_Figure(name, _items(context, words)[lane], free, None if most is None else most / scale))
    return Thresholds(ranking, group, tuple(figures))


def _items(context: Context, words: tuple[str, ...]) -> IntArray:
    """A number per lane: lanes of one number share these words."""
    index: dict[tuple[str, ...], int] = {}
    named = zip(*(getattr(context.lanes, word).tolist() for word in words), strict=True)
    return np.array([index.setdefault(name, len(index)) for name in named], dtype=np.int64)
