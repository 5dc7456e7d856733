"""The order of chips: the best design, then the best of those that remain; and what a loser would have to cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dse.candidates.preference import Ranking
from dse.catalog.types import IntArray
from dse.model.scaling import non_dominated
from dse.schema import QUANTITIES

HIGHEST = {"price_usd": 10**10, "power_w": 10**6}
"""Beyond it no figure is asked about: a design that still wins there wins whatever it is."""


@dataclass(frozen=True)
class Threshold:
    """The highest figure with which a design wins: a price, a power. None where it wins with none; `any` with every.

    ``successor`` is the row of the ranking that comes first one step above; None where nothing can be chosen then.
    """

    quantity: str
    value: float | None
    any: bool = False
    successor: int | None = None


def order_of(ranking: Ranking, group: IntArray) -> list[int]:
    """Rows of the best designs of every group, best first: each is the best of all rows of the groups not yet named.

    Parameters
    ----------
    ranking : Ranking
        Candidates under the objectives.
    group : (n,)
        Group of every candidate of `ranking`.
    """
    left = _contenders(ranking, ranking.feasible, group)
    found = []
    while len(left):
        row = ranking.best(left)
        found.append(row)
        left = left[group[left] != group[row]]
    return found


def best_of_each(ranking: Ranking, rows: IntArray, group: IntArray) -> dict[int, int]:
    """The best of some rows in every group by itself; what `ranking` would choose if it were the only one."""
    return {int(one): ranking.best(rows[group[rows] == one]) for one in np.unique(group[rows]).tolist()}


def _contenders(ranking: Ranking, rows: IntArray, group: IntArray) -> IntArray:
    """Rows that no other of their group beats in everything: no other is ever chosen, whatever rows are around."""
    costs = ranking.costs(rows) if len(rows) else np.zeros((0, 1), dtype=np.int64)
    kept = []
    for one in np.unique(group[rows]).tolist():
        own = np.flatnonzero(group[rows] == one)
        kept.append(rows[own[non_dominated(costs[own], ranking.order[rows[own]])]])
    return np.sort(np.concatenate(kept)) if kept else rows


def winning_value(
    ranking: Ranking, name: str, rows: IntArray, others: IntArray, most: float | None, wanted: IntArray | None = None
) -> Threshold:
    """The highest figure of some rows with which one of them is chosen.

    Parameters
    ----------
    ranking : Ranking
        Candidates under the objectives.
    name : str
        The figure, of which less is better: ``price_usd`` or ``power_w``.
    rows : (m,)
        Everything one item can do that no other limit refuses; all of it has the same figure.
    others : (k,)
        What else can be chosen, with the figures it has.
    most : float, optional
        The limit on the figure, in its unit.
    wanted : (w,), optional
        Those of `rows` that count as chosen, such as one power mode of a board; all of them unless given.

    Notes
    -----
    A lower figure never hurts the item, so the highest that wins is found by halving, in steps of the figure's
    resolution as an objective.
    """
    quantity = QUANTITIES[name]
    step, ceiling = quantity.resolution, HIGHEST[name]
    low, high = 1, int(Fraction(repr(float(ceiling if most is None else min(most, ceiling)))) * quantity.scale) // step
    chosen = set((rows if wanted is None else wanted).tolist())
    rows, others = _undominated(ranking, rows), _undominated(ranking, others)

    def first(steps: int) -> int:
        changed = ranking.with_value(name, rows, steps * step)
        return changed.best(np.concatenate([rows, others]))

    if first(low) not in chosen:
        return Threshold(name, None)
    if first(high) in chosen:
        left = int(ranking.best(others)) if most is not None and len(others) else None
        return Threshold(name, high * step / quantity.scale, any=most is None, successor=left)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if first(middle) in chosen else (low, middle)
    return Threshold(name, low * step / quantity.scale, successor=first(high))


def _undominated(ranking: Ranking, rows: IntArray) -> IntArray:
    """Rows of one item or of all others that can be chosen at all."""
    if not len(rows):
        return rows
    return rows[non_dominated(ranking.costs(rows), ranking.order[rows])]
