"""What has to give: the least relaxation of each limit alone, the cheapest combination, what unknown figures must be.

One pass over the candidate table. A limit that is relaxed to a figure admits exactly the candidates up to it, so the
least figure among those that break nothing else is the exact answer, at the resolution of its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dse.candidates.context import Context
from dse.candidates.excess import figure_of
from dse.candidates.preference import Goal, goals_of, rank_candidates
from dse.candidates.table import Block, Candidates, blocks, concatenate
from dse.catalog.types import FloatArray, IntArray
from dse.explaining.clashes import Clash
from dse.explaining.requirements import Requirement, requirements_of
from dse.explaining.shortfall import shortfall_of
from dse.schema import UNKNOWN
from dse.timing.ticks import INFINITE

MOST_ALTERNATIVES = 200
"""Candidates kept that fail a word, a date or an unknown figure alone, one of a kind."""


@dataclass(frozen=True)
class Relaxation:
    """A bound that admits a candidate which breaks nothing else.

    Parameters
    ----------
    requirement : Requirement
        The limit.
    below : bool
        Whether it is its lower bound that gives way.
    value : int
        The bound that is just loose enough, in the whole numbers of the column.
    share : float
        How far that is from the bound asked, as a share of it.
    design : Candidates
        What is chosen then, one row.
    """

    requirement: Requirement
    below: bool
    value: int
    share: float
    design: Candidates


@dataclass(frozen=True)
class Near:
    """A candidate and the sum of the shares by which it misses limits."""

    design: Candidates
    total: float


@dataclass(frozen=True)
class Relaxations:
    """What a pass leaves.

    Parameters
    ----------
    single : dict
        By bit, the least relaxation of that limit alone; limits that no number relaxes are missing.
    others : dict
        By bit, candidates that break nothing but this limit on a word, a date or an attribute, one of each kind.
    lacking : dict
        By bit, candidates refused for an unknown figure of this limit alone, one of each chip.
    cheapest : Near or None
        The candidate that keeps up with the rate and misses limits by the least sum of shares; None where none could be
        reached by numbers.
    keeping : dict
        By bit, the same among candidates that meet this limit; limits that none of them meets are missing.
    resolving : tuple
        Of every clash asked about, the candidate that misses its limits alone by the least sum of shares; None where
        no number resolves it.
    """

    single: dict[int, Relaxation]
    others: dict[int, Candidates]
    lacking: dict[int, Candidates]
    cheapest: Near | None
    keeping: dict[int, Near]
    resolving: tuple[Near | None, ...]


@dataclass
class _Found:
    """The pass so far."""

    single: dict[int, Relaxation] = field(default_factory=dict)
    others: dict[int, Candidates] = field(default_factory=dict)
    lacking: dict[int, Candidates] = field(default_factory=dict)
    cheapest: Near | None = None
    keeping: dict[int, Near] = field(default_factory=dict)


def relaxations_of(context: Context, clashes: Sequence[Clash] = ()) -> Relaxations:
    """See every candidate once.

    Parameters
    ----------
    context : Context
        The task.
    clashes : sequence of Clash
        Sets of limits of which is asked what resolves them.
    """
    requirements = requirements_of(context)
    found = _Found()
    rate_bit = next(one.bit for one in requirements if one.rule.column == "stable")
    resolving: list[Near | None] = [None] * len(clashes)
    for block in blocks(context):
        rows = np.arange(len(block))
        short = shortfall_of(context, block, rows)
        for k, clash in enumerate(clashes):
            resolving[k] = _nearer(resolving[k], block, short[[one.bit for one in clash.members]].sum(axis=0))
        total = np.where(short[rate_bit] == 0, short.sum(axis=0), np.inf)
        found.cheapest = _nearer(found.cheapest, block, total)
        for one in requirements:
            kept = _nearer(found.keeping.get(one.bit), block, np.where(short[one.bit] == 0, total, np.inf))
            if kept is not None:
                found.keeping[one.bit] = kept
            _take_single(context, found, block, one, short[one.bit])
            _take_others(context, found, block, one)
    goals = goals_of(context.problem)
    single = {bit: replace(one, design=_best(context, goals, one.design)) for bit, one in found.single.items()}
    return Relaxations(single, found.others, found.lacking, found.cheapest, found.keeping, tuple(resolving))


def _nearer(before: Near | None, block: Block, total: FloatArray) -> Near | None:
    """The nearest so far, or the row of a block that is nearer still."""
    if not len(total):
        return before
    row = int(np.argmin(total))
    if not np.isfinite(total[row]) or (before is not None and before.total <= total[row]):
        return before
    return Near(block.take(np.array([row])), float(total[row]))


def _best(context: Context, goals: tuple[Goal, ...], designs: Candidates) -> Candidates:
    """What is chosen of the candidates that one bound lets in together."""
    row = rank_candidates(context, designs, goals).best(np.arange(len(designs)))
    return designs.take(np.array([row]))


def together_with(context: Context, requirement: Requirement) -> int:
    """Bits of the limits that a relaxation of this one relaxes too: with the deadline goes the time left before it."""
    bits = 1 << requirement.bit
    if requirement.rule.column == "worst_case_ms" and requirement.name == "deadline_ms":
        bits |= sum(1 << bit for bit, rule in enumerate(context.rules) if _is_least_slack(rule.column, rule.minimum))
    return bits


def needed_bound(context: Context, requirement: Requirement, block: Block, rows: IntArray) -> IntArray:
    """The bound of a limit that just admits each row, in the whole numbers of its column."""
    figure = figure_of(requirement.rule, block, rows)
    if together_with(context, requirement) != 1 << requirement.bit:
        least = max(rule.minimum or 0 for rule in context.rules if _is_least_slack(rule.column, rule.minimum))
        figure = np.where(figure >= INFINITE, figure, np.maximum(figure, figure + least))
    return figure


def _is_least_slack(column: str, minimum: int | None) -> bool:
    return column == "slack_ms" and minimum is not None


def _take_single(context: Context, found: _Found, block: Block, one: Requirement, share: FloatArray) -> None:
    """Keep the rows that break nothing else, and this limit by least."""
    if one.is_yes_or_no or one.rule.column == "stable":
        return
    spared = np.int64(together_with(context, one))
    alone = ((block.violated & ~spared) == 0) & ((block.violated & spared) != 0)
    rows = np.flatnonzero(alone & ((block.unknown & block.violated & spared) == 0))
    if not len(rows):
        return
    value = needed_bound(context, one, block, rows)
    rows, value = rows[value < INFINITE], value[value < INFINITE]
    for below, bound in ((False, one.rule.maximum), (True, one.rule.minimum)):
        beyond = np.zeros(len(rows), dtype=np.bool_) if bound is None else (value < bound if below else value > bound)
        if not beyond.any():
            continue
        assert bound is not None
        best = int(value[beyond].max() if below else value[beyond].min())
        excess = abs(best - bound) / (abs(bound) or 1_000_000)
        before = found.single.get(one.bit)
        if before is not None and excess > before.share:
            continue
        design = block.take(rows[beyond & (value == best)])
        if before is not None and (before.value, before.below) == (best, below):
            design = concatenate([before.design, design])
        found.single[one.bit] = Relaxation(one, below, best, excess, design)


def _take_others(context: Context, found: _Found, block: Block, one: Requirement) -> None:
    """Keep rows that fail a word or an unknown figure alone, one of each kind."""
    alone = block.violated == np.int64(1 << one.bit)
    missing = (block.unknown >> one.bit & 1).astype(np.bool_)
    lane = context.runs.lane[block.run[block.at]]
    chip = np.unique(context.lanes.chip.astype(str), return_inverse=True)[1].astype(np.int64)
    if one.is_yes_or_no:
        of_network = one.name.startswith("model.")
        kind = block.entry if of_network else chip[lane] if one.name.startswith("chip.") else lane
        _keep(found.others, one.bit, block, np.flatnonzero(alone & ~missing), kind)
    _keep(found.lacking, one.bit, block, np.flatnonzero(alone & missing), chip[lane])


def _keep(kept: dict[int, Candidates], bit: int, block: Block, rows: IntArray, kind: IntArray) -> None:
    if not len(rows):
        return
    first = rows[np.unique(kind[rows], return_index=True)[1]]
    before = kept.get(bit, concatenate([]))
    kept[bit] = concatenate([before, block.take(first)]).take(
        np.arange(min(len(before) + len(first), MOST_ALTERNATIVES))
    )


def bound_of(requirement: Requirement, *, below: bool) -> int:
    """The bound that a relaxation moves; `UNKNOWN` where there is none."""
    bound = requirement.rule.minimum if below else requirement.rule.maximum
    return UNKNOWN if bound is None else bound
