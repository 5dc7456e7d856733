"""The highest rate that some design keeps up with: found by solving again, not read off the table."""

from __future__ import annotations

import math
from collections.abc import Mapping

from dse.candidates.context import Context, prepare
from dse.candidates.table import NO_ACCURACY_BIT, blocks
from dse.estimate.store import Knowledge
from dse.explaining.variants import rate_of, with_rate
from dse.problem.spec import Problem

MILLI = 1000
"""Rates are looked for in steps of 1/1000 a second, the resolution of the column."""
OF_TIME = ("stable", "worst_case_ms", "slack_ms", "utilization", "rate_headroom")
MOST_CANDIDATES = 3_000_000
"""Candidates beyond which the table is not made over and over."""


def highest_rate(problem: Problem, knowledge: Knowledge, context: Context, patterns: Mapping[int, int]) -> float | None:
    """The highest rate of every stream with which some design is feasible, in steps of 0.001/s, below the one asked.

    With it there is a design, and with 0.001/s more there is none; rates further up that would do again (a batch that
    fills earlier) are not looked for. None where no rate helps, and where the table is too large to be made again.

    Parameters
    ----------
    problem, knowledge
        What is asked and known.
    context : Context
        The task.
    patterns : mapping
        Bits that candidates break, as of `Survey`.
    """
    helped = sum(1 << bit for bit, rule in enumerate(context.rules) if rule.column in OF_TIME)
    slow = [pattern for pattern in patterns if not pattern & ~helped and not pattern >> NO_ACCURACY_BIT & 1]
    if not slow or sum(patterns.values()) > MOST_CANDIDATES:
        return None
    high = math.ceil(rate_of(problem) * MILLI)  # not feasible, or it would not be asked
    low = high // 2
    while low and not _is_feasible(with_rate(problem, low / MILLI), knowledge):
        high, low = low, low // 4
    if not low:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _is_feasible(with_rate(problem, middle / MILLI), knowledge) else (low, middle)
    return low / MILLI


def _is_feasible(problem: Problem, knowledge: Knowledge) -> bool:
    context = prepare(problem, problem.tasks[0], knowledge)
    return any(bool((block.violated == 0).any()) for block in blocks(context, feasible_only=True))
