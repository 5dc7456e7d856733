"""The front of a stream of candidates, in memory that follows the front and not the stream.

What was dropped stays dropped: whatever beats a row is on the front, or is itself beaten by a row that is. So parts of
the table, in any order and on any machine, give the same front. What is near the front takes a second pass, when the
front is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dse.candidates.context import Context
from dse.candidates.table import CHUNK, Block, Candidates, blocks, chunks, concatenate
from dse.catalog.types import FloatArray, IntArray
from dse.front.axes import Axis, costs_of
from dse.front.points import Points, near, non_dominated, once, reach_of, together


@dataclass(frozen=True)
class Front:
    """What the rows seen so far leave: each cost vector once, in `apart` once per platform, with its ties.

    Parameters
    ----------
    best : Points
        The front: rows with every figure known that no other such row dominates.
    apart : Points
        Rows that lack a figure of an axis. They dominate nothing; of those of one chip, board and mode that lack the
        same figures only the best in the known ones are kept.
    feasible : int
        Rows seen, all of them feasible.
    lacking : (k,)
        Rows seen without a figure, per axis.
    chips : frozenset of str
        Chips with a feasible row.
    refused : frozenset of (str, int)
        Chips with rows that no known figure refuses, and the bits of the requirements that refuse them unknown.
    """

    best: Points
    apart: Points
    feasible: int
    lacking: IntArray
    chips: frozenset[str] = frozenset()
    refused: frozenset[tuple[str, int]] = frozenset()

    @property
    def dropped(self) -> frozenset[tuple[str, int]]:
        """`refused` of the chips without a feasible row."""
        return frozenset((chip, bits) for chip, bits in self.refused if chip not in self.chips)

    def joined(self, other: Front) -> Front:
        """The front of both streams."""
        return Front(
            _best(together([self.best, other.best])),
            _best_apart(together([self.apart, other.apart])),
            self.feasible + other.feasible,
            self.lacking + other.lacking,
            self.chips | other.chips,
            self.refused | other.refused,
        )


def front_of(context: Context, axes: tuple[Axis, ...], runs: range | None = None) -> Front:
    """Front of the feasible candidates of a task, or of those of some of its runs."""
    nothing = Points.of(context, concatenate([]), axes)
    front = none = Front(nothing, nothing, 0, np.zeros(len(axes), dtype=np.int64))
    for block in blocks(context, CHUNK, runs=runs, feasible_only=True):
        candidates = block.take(np.flatnonzero(block.violated == 0))
        found = of_candidates(context, candidates, axes) if len(candidates) else none
        front = front.joined(replace(found, chips=_chips(context, candidates.run), refused=_refused(context, block)))
    return front


def _chips(context: Context, run: IntArray) -> frozenset[str]:
    return frozenset(context.lanes.chip[np.unique(context.runs.lane[run])].tolist())


def _refused(context: Context, block: Block) -> frozenset[tuple[str, int]]:
    """Chips and bits of the candidates of a block that only missing figures refuse."""
    rows = np.flatnonzero((block.violated != 0) & ((block.violated & ~block.unknown) == 0))
    lane = context.runs.lane[block.run[block.at[rows]]]
    found: frozenset[tuple[str, int]] = frozenset()
    for bits in np.unique(block.violated[rows]).tolist():  # few patterns, many rows
        chips = context.lanes.chip[np.unique(lane[block.violated[rows] == bits])].tolist()
        found |= {(chip, bits) for chip in chips}
    return found


def of_candidates(context: Context, candidates: Candidates, axes: tuple[Axis, ...]) -> Front:
    """Front of some candidates; most of them are dropped before anything else is looked up."""
    costs = costs_of(context, candidates, axes)
    missing = np.isnan(costs)
    lacks = np.asarray(missing.any(axis=1))
    kept = lacks.copy()
    kept[~lacks] = non_dominated(costs[~lacks])
    front = of_points(Points.of(context, candidates.take(kept), axes))
    return Front(front.best, front.apart, len(candidates), missing.sum(axis=0))


def of_points(points: Points) -> Front:
    """Front of some points."""
    missing = np.isnan(points.costs)
    lacks = np.asarray(missing.any(axis=1))
    return Front(
        _best(points.take(~lacks)), _best_apart(points.take(lacks)), int(points.ties.sum()), points.ties @ missing
    )


def near_front(
    context: Context, axes: tuple[Axis, ...], best: FloatArray, share: float, runs: range | None = None
) -> Points:
    """Feasible candidates that are off the front, and at most `share` worse than one design on it on every axis.

    `best` are the costs of the front, shape (m, k).
    """
    found = Points.of(context, concatenate([]), axes)
    reach = reach_of(best, share)
    for candidates in chunks(context, CHUNK, runs=runs, feasible_only=True):
        close = near(costs_of(context, candidates, axes), best, reach)
        found = once(together([found, Points.of(context, candidates.take(close), axes)]))
    return found


def _best(points: Points) -> Points:
    """The non-dominated points."""
    return once(points.take(non_dominated(points.costs)))


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
