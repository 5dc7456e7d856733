"""The front of a stream of candidates, in memory that follows the front and not the stream.

What was dropped stays dropped: whatever beats a row is on the front, or is itself beaten by a row that is. So parts of
the table, in any order and on any machine, give the same front.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context
from dse.candidates.table import CHUNK, Candidates, chunks, concatenate
from dse.catalog.types import IntArray
from dse.front.axes import Axis
from dse.front.points import Points, beaten, non_dominated, once, together


@dataclass(frozen=True)
class Front:
    """What the rows seen so far leave; every list has each cost vector once, with its ties.

    Parameters
    ----------
    best : Points
        The front: rows with every figure known that no other such row dominates.
    near : Points
        Rows that would join the front if each of their figures were better by `share` of itself.
    apart : Points
        Rows that lack a figure of an axis. They dominate nothing; of those of one chip, board and mode that lack the
        same figures only the best in the known ones are kept.
    share : float
        How near `near` is; 0 keeps none.
    feasible : int
        Rows seen, all of them feasible.
    lacking : (k,)
        Rows seen without a figure, per axis.
    """

    best: Points
    near: Points
    apart: Points
    share: float
    feasible: int
    lacking: IntArray

    def joined(self, other: Front) -> Front:
        """The front of both streams."""
        known = [self.best, self.near, other.best, other.near]
        best, near = _best_and_near(together(known), self.share)
        return Front(
            best,
            near,
            _best_apart(together([self.apart, other.apart])),
            self.share,
            self.feasible + other.feasible,
            self.lacking + other.lacking,
        )


def front_of(context: Context, axes: tuple[Axis, ...], share: float = 0.0, runs: range | None = None) -> Front:
    """Front of the feasible candidates of a task, or of those of some of its runs."""
    return gathered(chunks(context, CHUNK, runs=runs, feasible_only=True), context, axes, share)


def gathered(parts: Iterable[Candidates], context: Context, axes: tuple[Axis, ...], share: float = 0.0) -> Front:
    """Front of feasible candidates that come in parts."""
    front = empty(context, axes, share)
    for candidates in parts:
        if len(candidates):
            front = front.joined(of_points(Points.of(context, candidates, axes), share))
    return front


def empty(context: Context, axes: tuple[Axis, ...], share: float) -> Front:
    """Front of nothing."""
    nothing = Points.of(context, concatenate([]), axes)
    return Front(nothing, nothing, nothing, share, 0, np.zeros(len(axes), dtype=np.int64))


def of_points(points: Points, share: float) -> Front:
    """Front of some points."""
    missing = np.isnan(points.costs)
    lacks = np.asarray(missing.any(axis=1))
    best, near = _best_and_near(points.take(~lacks), share)
    apart = _best_apart(points.take(lacks))
    return Front(best, near, apart, share, int(points.ties.sum()), missing.sum(axis=0))


def _best_and_near(points: Points, share: float) -> tuple[Points, Points]:
    """The non-dominated points, and those within a share of them."""
    on_front = non_dominated(points.costs)
    best = once(points.take(on_front))
    if share <= 0:
        return best, points.take(np.zeros(0, dtype=np.int64))
    rest = points.take(~on_front)
    return best, once(rest.take(~beaten(rest.costs - share * np.abs(rest.costs), best.costs)))


def _best_apart(points: Points) -> Points:
    """Of points that lack the same figures on one chip, board and mode, those no other beats in the known figures."""
    if not len(points):
        return points
    missing = np.isnan(points.costs)
    keys = np.column_stack([missing, points.platform])
    _, group = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(group, kind="stable")
    kept = []
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        known = ~missing[rows[0]]
        kept.append(rows[non_dominated(points.costs[np.ix_(rows, known)])])
    return once(points.take(np.concatenate(kept)))
