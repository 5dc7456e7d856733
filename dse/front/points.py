"""Points of a front: candidates with their costs on the axes, ties once, and the non-dominated among them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from moocore import is_nondominated

from dse.candidates.context import Context
from dse.candidates.preference import name_keys
from dse.candidates.table import Candidates, concatenate
from dse.catalog.types import BoolArray, FloatArray, IntArray
from dse.front.axes import Axis, costs_of


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
    order = np.lexsort([*points.names.T[::-1], points.platform, *points.costs.T[::-1]])
    costs, platform = points.costs[order], points.platform[order]
    unknown = np.isnan(costs)
    differs = ((costs[1:] != costs[:-1]) & ~(unknown[1:] & unknown[:-1])).any(axis=1)
    differs |= unknown[1:].any(axis=1) & (platform[1:] != platform[:-1])
    first = np.flatnonzero(np.r_[True, differs])
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


def near(costs: FloatArray, best: FloatArray, share: float, block: int = 4096) -> BoolArray:
    """Which rows are, on every axis, worse than one and the same row of `best` by at most a share of its figure.

    Rows equal to one of `best` are not among them.
    """
    found = np.zeros(len(costs), dtype=np.bool_)
    reach = best + share * np.abs(best)
    for start in range(0, len(costs), block):
        part = costs[start : start + block, None, :]
        within, equal = np.asarray((part <= reach).all(axis=2)), np.asarray((part == best).all(axis=2))
        found[start : start + block] = within.any(axis=1) & ~equal.any(axis=1)
    return found
