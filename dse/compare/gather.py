"""The candidate table seen once for a comparison: what can be chosen, and of every chip what comes nearest.

Kept are the rows no known figure refuses, and those that break nothing but spared requirements, such as one on the
price: at another price they could be chosen. Of chips without such a row the nearest candidate is kept, by the largest
share of a limit it exceeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context
from dse.candidates.excess import excess_of
from dse.candidates.table import Block, Candidates, blocks, concatenate
from dse.catalog.types import FloatArray, IntArray


@dataclass(frozen=True)
class Gathered:
    """What a pass over all candidates leaves for a comparison.

    Parameters
    ----------
    kept : Candidates
        Rows that no known figure refuses but those of spared requirements.
    nearest : Candidates
        One row per group without a row in `kept`.
    share : (n,)
        Of each row of `nearest`, the largest share by which it exceeds a limit.
    """

    kept: Candidates
    nearest: Candidates
    share: FloatArray


def price_bits(context: Context) -> int:
    """Bits of the requirements on the price."""
    return sum(1 << bit for bit, rule in enumerate(context.rules) if rule.column == "price_usd")


def gather(context: Context, group: IntArray, spared: int) -> Gathered:
    """See every candidate once.

    Parameters
    ----------
    context : Context
        The task.
    group : (lanes,)
        A number per lane: lanes of one number are one row of the comparison.
    spared : int
        Bits of requirements that a kept row may break, such as `price_bits`.
    """
    allowed = np.int64(spared)
    kept: list[Candidates] = []
    nearest, shares = concatenate([]), np.zeros(0)
    for block in blocks(context):
        refused = block.violated & ~block.unknown & ~allowed
        kept.append(block.take(np.flatnonzero(refused == 0)))
        rows, found = _nearest(context, block, np.flatnonzero(refused != 0), group)
        nearest, shares = _least(
            context, group, concatenate([nearest, block.take(rows)]), np.concatenate([shares, found])
        )
    together = concatenate(kept)
    without = ~np.isin(_groups(context, group, nearest), _groups(context, group, together))
    return Gathered(together, nearest.take(without), shares[without])


def _groups(context: Context, group: IntArray, candidates: Candidates) -> IntArray:
    found: IntArray = group[context.runs.lane[candidates.run]]
    return found


def _nearest(context: Context, block: Block, rows: IntArray, group: IntArray) -> tuple[IntArray, FloatArray]:
    """Of every group the row of a block that exceeds its limits by least, and by how much."""
    if not len(rows):
        return rows, np.zeros(0)
    worst, total = np.zeros(len(rows)), np.zeros(len(rows))
    for _, share in excess_of(context, block, rows):
        worst = np.maximum(worst, share)
        total += share
    of_row = group[context.runs.lane[block.run[block.at[rows]]]]
    order = np.lexsort((total, worst, of_row))  # of equally near ones the row that exceeds less in all
    first = order[np.r_[True, np.diff(of_row[order]) != 0]]
    return rows[first], worst[first]


def _least(
    context: Context, group: IntArray, candidates: Candidates, shares: FloatArray
) -> tuple[Candidates, FloatArray]:
    """The nearest row of every group, the earlier one of equals."""
    of_row = _groups(context, group, candidates)
    order = np.lexsort((np.arange(len(shares)), shares, of_row))
    first = order[np.r_[True, np.diff(of_row[order]) != 0]] if len(order) else order
    return candidates.take(first), shares[first]
