"""By how much candidates fall short of every limit: shares that can be added up, infinite where no number helps."""

from __future__ import annotations

import numpy as np

from dse.candidates.context import Context
from dse.candidates.excess import YES_OR_NO, excess_of, figure_of
from dse.candidates.table import NO_ACCURACY_BIT, Block
from dse.catalog.types import FloatArray, IntArray
from dse.schema import UNKNOWN
from dse.timing.ticks import INFINITE

OF_THE_CHIP = ("memory_spare_mb", "region_spare_mb")
"""Columns of limits that nobody asked for and nobody can relax."""


def shortfall_of(context: Context, block: Block, rows: IntArray) -> FloatArray:
    """Share of its bound by which each row breaks each rule, shape (rules, rows).

    0 where the rule is met; infinite where a word, a date or an unknown figure is refused, where a worst case grows
    without end (no deadline admits that) or the memory of the chip is too small, and for candidates without a usable
    accuracy in all rules: no other bound would admit them. Of a rate it is the share by which it must fall: 1 - 1/load.
    """
    found = np.zeros((len(context.rules), len(rows)))
    unusable = (block.violated[rows] >> NO_ACCURACY_BIT & 1).astype(np.bool_)
    for bit, share in excess_of(context, block, rows):
        if bit == NO_ACCURACY_BIT:
            continue
        rule, missing = context.rules[bit], (block.violated[rows] & block.unknown[rows]) >> bit & 1
        is_word, is_rate = rule.column.startswith("verdict:"), rule.column == "stable"
        load = block.column("utilization", rows)
        no_number = (share >= YES_OR_NO) if is_word else (load == UNKNOWN) if is_rate else np.zeros(len(rows), np.bool_)
        out = missing.astype(np.bool_) | ((share > 0) & no_number) | unusable
        if not is_rate:
            out |= (share > 0) & ((figure_of(rule, block, rows) >= INFINITE) | (rule.column in OF_THE_CHIP))
        found[bit] = np.where(out, np.inf, share / (1 + share) if is_rate else share)
    return found
