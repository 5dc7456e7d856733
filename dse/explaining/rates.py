"""The highest rate that some design keeps up with: found by solving again, not read off the table."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Context, rebased
from dse.candidates.preference import rank_candidates
from dse.candidates.table import NO_ACCURACY_BIT, Candidates, blocks, chunks, concatenate
from dse.explaining.variants import rate_of, with_rate
from dse.schema import QUANTITIES

MILLI = 1000
"""Rates are looked for in steps of 1/1000 a second, the resolution of the column."""
OF_TIME = ("stable", "worst_case_ms", "slack_ms", "utilization", "rate_headroom")
MOST_CANDIDATES = 3_000_000
"""Candidates beyond which the table is not made over and over."""

MOST_AGAIN = 200_000
"""The same where a choice is made at every step."""


def highest_rate(context: Context, patterns: Mapping[int, int]) -> float | None:
    """The highest rate of every stream with which some design is feasible, in steps of 0.001/s, below the one asked.

    With it there is a design, and with 0.001/s more there is none; rates further up that would do again (a batch that
    fills earlier) are not looked for. None where no rate helps, and where the table is too large to be made again.

    Parameters
    ----------
    context : Context
        The task.
    patterns : mapping
        Bits that candidates break, as of `Survey`.
    """
    helped = sum(1 << bit for bit, rule in enumerate(context.rules) if rule.column in OF_TIME)
    slow = [pattern for pattern in patterns if not pattern & ~helped and not pattern >> NO_ACCURACY_BIT & 1]
    if not slow or sum(patterns.values()) > MOST_CANDIDATES:
        return None
    high = math.ceil(rate_of(context.problem) * MILLI)  # not feasible, or it would not be asked
    low = high // 2
    while low and not _is_feasible(context, low):
        high, low = low, low // 4
    if not low:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _is_feasible(context, middle) else (low, middle)
    return low / MILLI


def rate_of_change(answer: Answer) -> float | None:
    """The highest rate of every stream with which the winner is still chosen, in steps of 0.001/s.

    Found by choosing again, by halving between the rate asked and the one with which the winner's load is too high:
    with 0.001/s more another design is chosen, or none. None without a winner, and where the table is too large to be
    made again and again.
    """
    row, limits = answer.row, answer.context.problem.limits.get("utilization")
    if row is None or answer.survey.total > MOST_AGAIN:
        return None
    winner = answer.candidates.take(np.array([row]))
    most = 1.0 if limits is None or limits.maximum is None else min(1.0, limits.maximum)
    load = max(int(winner.utilization[0]), 1) / QUANTITIES["utilization"].scale
    low = math.floor(rate_of(answer.context.problem) * MILLI)
    high = math.ceil(low * most / load) + MILLI
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _chooses(answer, winner, middle) else (low, middle)
    return low / MILLI


def _chooses(answer: Answer, winner: Candidates, milli_hz: int) -> bool:
    """Whether the winner is chosen at another rate; positions of runs, weights and options stay as they are."""
    faster = rebased(answer.context, with_rate(answer.context.problem, milli_hz / MILLI))
    feasible = concatenate(list(chunks(faster, feasible_only=True)))
    if not len(feasible):
        return False
    ranking = rank_candidates(faster, feasible, answer.goals)
    best = ranking.best(ranking.feasible)
    return all(getattr(feasible, name)[best] == getattr(winner, name)[0] for name in ("run", "entry", "option"))


def _is_feasible(context: Context, milli_hz: int) -> bool:
    slower = rebased(context, with_rate(context.problem, milli_hz / MILLI))
    return any(bool((block.violated == 0).any()) for block in blocks(slower, feasible_only=True))
