"""By how much candidates fall short of every limit: shares that can be added up, infinite where no number helps."""

from __future__ import annotations

import numpy as np

from dse.candidates.context import Context
from dse.candidates.excess import NO_FIGURE, YES_OR_NO, excess_of
from dse.candidates.table import NO_ACCURACY_BIT, Block
from dse.catalog.types import FloatArray, IntArray


def shortfall_of(context: Context, block: Block, rows: IntArray) -> FloatArray:
    """Share of its bound by which each row breaks each rule, shape (rules, rows).

    0 where the rule is met; infinite where a word, a date or an unknown figure is refused, and for candidates without
    a usable accuracy in all rules: no other bound would admit them.
    """
    found = np.zeros((len(context.rules), len(rows)))
    unusable = (block.violated[rows] >> NO_ACCURACY_BIT & 1).astype(np.bool_)
    for bit, share in excess_of(context, block, rows):
        if bit == NO_ACCURACY_BIT:
            continue
        missing = (block.violated[rows] & block.unknown[rows]) >> bit & 1
        limitless = YES_OR_NO if context.rules[bit].column.startswith("verdict:") else NO_FIGURE - 1
        has_no_number = context.rules[bit].column == "stable" or limitless == YES_OR_NO
        out = missing.astype(np.bool_) | (has_no_number & (share >= limitless)) | unusable
        found[bit] = np.where(out, np.inf, share)
    return found
