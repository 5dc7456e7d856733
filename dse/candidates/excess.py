"""By how much candidates break their limits, as shares of the bounds: what a near miss is near to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context
from dse.candidates.limits import Rule
from dse.candidates.table import NO_ACCURACY_BIT, Block, Candidates, judged
from dse.catalog.types import FloatArray, IntArray
from dse.schema import QUANTITIES, UNKNOWN
from dse.timing.ticks import INFINITE

YES_OR_NO = 1e6
"""Share of a limit that is met or not, with nothing between: a word, a date, an accuracy nobody knows."""
NO_FIGURE = 1e3
"""Share of a rate whose load nobody knows."""


@dataclass(frozen=True)
class Break:
    """A requirement one candidate does not meet, or meets an unknown figure in.

    ``rule`` is None where no accuracy is known; ``value`` is the figure in the whole numbers of its column, None where
    unknown or without a bound; ``share`` is that of `excess_of`, 0 where the figure is unknown.
    """

    rule: Rule | None
    value: int | None
    share: float
    unknown: bool = False


def breaks_of(context: Context, candidates: Candidates, row: int) -> list[Break]:
    """Every requirement that one candidate breaks, or cannot be judged on, in the order of the rules."""
    run, entry, option = (int(getattr(candidates, name)[row]) for name in ("run", "entry", "option"))
    block = judged(context, np.array([run]), option)
    rows = np.flatnonzero(block.entry == entry)
    found = []
    for bit, share in excess_of(context, block, rows):
        if bit == NO_ACCURACY_BIT:
            found += [Break(None, None, YES_OR_NO)] if share[0] else []
            continue
        rule, unknown = context.rules[bit], bool(block.unknown[rows[0]] >> bit & 1)
        if unknown or block.violated[rows[0]] >> bit & 1:
            value = None if unknown else int(figure_of(rule, block, rows)[0])
            found.append(Break(rule, None if value == INFINITE else value, float(share[0]), unknown))
    return found


def excess_of(context: Context, block: Block, rows: IntArray) -> Iterator[tuple[int, FloatArray]]:
    """For every requirement, its bit and the share by which each row exceeds its bound; 0 where it is met or unknown.

    Parameters
    ----------
    context, block
        The task and some of its judged candidates.
    rows : (n,)
        Positions in the block.

    Notes
    -----
    The share of a bound b is (b - value)/|b| below a minimum and (value - b)/|b| above a maximum; where b is 0 (memory
    to spare) it is what is missing in 10^6 byte. A rate that cannot be kept up is short by the load above 1, and so is
    the worst case without a bound that comes of it.
    """
    broken = block.violated[rows] & ~block.unknown[rows]
    for bit, rule in enumerate(context.rules):
        fails = (broken >> bit & 1).astype(np.bool_)
        share = np.zeros(len(rows))
        if fails.any():
            share[fails] = _share(rule, block, rows[fails])
        yield bit, share
    unusable = (block.violated[rows] >> NO_ACCURACY_BIT & 1).astype(np.float64)
    yield NO_ACCURACY_BIT, unusable * YES_OR_NO


def _share(rule: Rule, block: Block, rows: IntArray) -> FloatArray:
    """The share by which rows that break a rule exceed it."""
    if rule.column.startswith("verdict:"):
        return np.full(len(rows), YES_OR_NO)
    load = block.column("utilization", rows)
    overload = np.where(load == UNKNOWN, NO_FIGURE, load / QUANTITIES["utilization"].scale - 1)
    if rule.column == "stable":
        return overload
    value = figure_of(rule, block, rows)
    below = np.zeros(len(rows)) if rule.minimum is None else (rule.minimum - value) / _size(rule.minimum)
    above = np.zeros(len(rows)) if rule.maximum is None else (value - rule.maximum) / _size(rule.maximum)
    return np.where(value == INFINITE, overload, np.maximum(below, above))


def figure_of(rule: Rule, block: Block, rows: IntArray) -> IntArray:
    """What a rule judges of rows, whether the run or the weights decide it; of the rate it is the load."""
    compared = (block.accuracy.float_value != UNKNOWN) & (block.accuracy.low != UNKNOWN)
    of_weights = {
        "accuracy": block.accuracy.value,
        "accuracy_low": block.accuracy.low,
        "accuracy_drop": np.where(compared, block.accuracy.float_value - block.accuracy.low, UNKNOWN),
    }
    if rule.column in of_weights:
        return of_weights[rule.column][rows]
    if rule.column not in block.of_run:  # a verdict on the weights
        return np.zeros(len(rows), dtype=np.int64)
    return block.column("utilization" if rule.column == "stable" else rule.column, rows)


def _size(bound: int) -> float:
    """What a share is of: the bound, or 10^6 byte where the bound is that nothing is missing."""
    return float(abs(bound)) if bound else float(QUANTITIES["memory_mb"].scale)
