"""Points of a front: candidates with their costs on the axes, ties once, and the non-dominated among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from moocore import is_nondominated

from dse.candidates.context import Context
from dse.candidates.preference import name_keys
from dse.candidates.table import Candidates, concatenate
from dse.catalog.types import BoolArray, FloatArray, IntArray
from dse.front.axes import Axis, costs_of

CELLS = 1 << 24  # 16 MB of booleans


@dataclass(frozen=True)
class Points:
    """Candidates and what orders them, n of each.

    Parameters
    ----------
    candidates : Candidates
        The rows themselves.
    costs : (n, k)
        Cost on every axis, less is better; NaN where the figure is unknown.
    ties : (n,)
        How many candidates have the very costs of the row, itself included.
    names : (n, j)
        Whole numbers that order the rows by name, most important column first.
    platform : (n,)
        Number of the chip, board and power mode.
    """

    candidates: Candidates
    costs: FloatArray
    ties: IntArray
    names: IntArray
    platform: IntArray

    @staticmethod
    def of(context: Context, candidates: Candidates, axes: tuple[Axis, ...]) -> Points:
        """Candidates as points, each on its own."""
        return Points(
            candidates,
            costs_of(context, candidates, axes),
            np.ones(len(candidates), dtype=np.int64),
            np.stack(name_keys(context, candidates), axis=1),
            context.platforms[context.runs.lane[candidates.run]],
        )

    def take(self, chosen: IntArray | BoolArray) -> Points:
        """The chosen rows."""
        return Points(
            self.candidates.take(chosen),
            self.costs[chosen],
            self.ties[chosen],
            self.names[chosen],
            self.platform[chosen],
        )

    def __len__(self) -> int:
        return len(self.costs)


def together(parts: list[Points]) -> Points:
    """All parts one after the other; there must be one."""
    return Points(
        concatenate([part.candidates for part in parts]),
        np.concatenate([part.costs for part in parts]),
        np.concatenate([part.ties for part in parts]),
        np.concatenate([part.names for part in parts]),
        np.concatenate([part.platform for part in parts]),
    )


def once(points: Points) -> Points:
    """One row of each cost vector, the first by name, with the ties of all; sorted by costs, axis by axis.

    Two unknown figures are alike on one platform only.
    """
    if not len(points):
        return points
    # Known figures are alike on every platform.
    platform = np.where(np.isnan(points.costs).any(axis=1), points.platform, 0)
    order = np.lexsort([*points.names.T[::-1], platform, *points.costs.T[::-1]])
    costs, platform = points.costs[order], platform[order]
    unknown = np.isnan(costs)
    differs = ((costs[1:] != costs[:-1]) & ~(unknown[1:] & unknown[:-1])).any(axis=1)
    first = np.flatnonzero(np.r_[True, differs | (platform[1:] != platform[:-1])])
    ties = np.add.reduceat(points.ties[order], first)
    return replace(points.take(order[first]), ties=ties)


def non_dominated(costs: FloatArray) -> BoolArray:
    """Rows that no other row dominates, equal ones included; costs must be known."""
    if len(costs) < 2 or costs.shape[1] == 0:
        return np.ones(len(costs), dtype=np.bool_)
    if costs.shape[1] == 1:
        lowest: BoolArray = costs[:, 0] == costs[:, 0].min()
        return lowest
    found: BoolArray = is_nondominated(costs, keep_weakly=True)
    return found


def reach_of(best: FloatArray, share: float) -> FloatArray:
    """Costs at most a share worse than those of `best`, shape (m, k): exact in decimals, so that equality counts."""
    by = Fraction(repr(share))
    costs = [Fraction(repr(cost)) for cost in best.ravel().tolist()]
    return np.array([float(cost + by * abs(cost)) for cost in costs], dtype=np.float64).reshape(best.shape)


def near(costs: FloatArray, best: FloatArray, reach: FloatArray, cells: int = CELLS) -> BoolArray:
    """Which rows are, on every axis, no worse than one and the same row of `reach`, and equal to none of `best`.

    Parameters
    ----------
    costs : (n, k)
        Rows to judge; one with an unknown figure (NaN) is not near.
    best, reach : (m, k)
        The front, and what `reach_of` makes of it.
    cells : int
        Comparisons at a time, which bounds the memory.
    """
    found = np.zeros(len(costs), dtype=np.bool_)
    block = max(1, cells // max(1, best.size))
    for start in range(0, len(costs), block):
        part = costs[start : start + block, None, :]
        within, equal = np.asarray((part <= reach).all(axis=2)), np.asarray((part == best).all(axis=2))
        found[start : start + block] = within.any(axis=1) & ~equal.any(axis=1)
    return found
