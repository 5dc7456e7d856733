"""Over which values of each limit the winner stays: exact thresholds, read off the candidate table.

A bound that moves admits or refuses whole candidates, at the figure each of them has. So the choice changes only at
such figures; it is made again at every one of them, outwards from the bound that is asked, until it is another one.
That is more than asking what beats the winner: with `within` a candidate may win merely because another one, which
was not chosen either, is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dse.answer import Answer
from dse.candidates.preference import Ranking, rank_candidates
from dse.candidates.table import Block, Candidates, blocks, concatenate
from dse.catalog.types import BoolArray, IntArray
from dse.explaining.relaxing import needed_bound, together_with
from dse.explaining.requirements import Kind, Requirement, requirements_of
from dse.model.scaling import non_dominated
from dse.schema import UNKNOWN
from dse.timing.ticks import INFINITE

ALWAYS_IN = -(2**61)
"""Need of a candidate whose figure nobody knows, and which is flagged only: no bound refuses it."""
MOST_STEPS = 5
UNKNOWN_COST = 2**45
"""Beyond all known costs, and exact as a float."""


@dataclass(frozen=True)
class Step:
    """A bound, in whole numbers of the column, from which a more accurate design wins."""

    value: int
    design: Candidates


@dataclass(frozen=True)
class Range:
    """The values of one bound with which the winner is chosen.

    Parameters
    ----------
    requirement : Requirement
        The limit.
    below : bool
        Whether it is its lower bound.
    bound : int
        The bound asked, in the whole numbers of the column, as all values here.
    figure : int or None
        What the winner has; None where unknown.
    tightest : int or None
        The tightest bound with which it is still chosen; None where no bound whatever changes it.
    loosest : int or None
        The loosest one; None where nothing better enters however loose it is.
    entering, leaving : Candidates or None
        What is chosen one step beyond the loosest and beyond the tightest, one row; None where nothing is.
    steps : tuple of Step
        More accurate winners as the bound is loosened further, at most `MOST_STEPS`.
    """

    requirement: Requirement
    below: bool
    bound: int
    figure: int | None
    tightest: int | None
    loosest: int | None
    entering: Candidates | None
    leaving: Candidates | None
    steps: tuple[Step, ...]

    @property
    def is_binding(self) -> bool:
        """Whether loosening the bound alone changes the choice."""
        return self.loosest is not None


def ranges_of(answer: Answer) -> tuple[Range, ...]:
    """The range of every numeric limit of an answer with a winner, in the order of the rules.

    Left out are limits that are met or not with nothing between, what is always checked, the rate, and the deadline
    where the time left before it is an objective or must not be more than something (it moves with it).
    """
    if answer.row is None:
        return ()
    has_most_slack = any(rule.column == "slack_ms" and rule.maximum is not None for rule in answer.context.rules)
    is_goal = {goal.quantity.name for goal in answer.goals}
    bounds = [
        (one, below)
        for one in requirements_of(answer.context)
        for below, bound in ((True, one.rule.minimum), (False, one.rule.maximum))
        if bound is not None and not one.is_yes_or_no and one.rule.column != "stable" and one.kind is not Kind.ALWAYS
        if not (one.name == "deadline_ms" and ("slack_ms" in is_goal or has_most_slack))
    ]
    pools = _pools(answer, bounds)
    return tuple(_range(answer, one, below, pool) for (one, below), pool in zip(bounds, pools, strict=True))


@dataclass(frozen=True)
class _Pool:
    """Candidates that may ever be chosen as one bound moves, the winner first, and the bound each needs."""

    candidates: Candidates
    need: IntArray


@dataclass
class _Gathered:
    """For one bound: needs of all feasible rows, and the rows that break nothing else, block by block."""

    needs: list[IntArray]
    candidates: list[Candidates]
    breaking: list[IntArray]


def _pools(answer: Answer, bounds: list[tuple[Requirement, bool]]) -> list[_Pool]:
    """One pass over the table: for every bound what meets all else, without what another always beats."""
    assert answer.row is not None
    winner = answer.candidates.take(np.array([answer.row]))
    found = [_Gathered([], [], []) for _ in bounds]
    for block in blocks(answer.context):
        met = np.flatnonzero(block.violated == 0)
        for (one, below), so_far in zip(bounds, found, strict=True):
            so_far.needs.append(_needs(answer, one, block, met, below=below))
            rows, need = _breaking(answer, one, block, below=below)
            if len(rows):
                kept = _survivors(answer, winner, candidates := block.take(rows), need)
                so_far.candidates.append(candidates.take(kept))
                so_far.breaking.append(need[kept])
    feasible = answer.candidates.take(answer.survey.feasible)
    place = int(np.searchsorted(answer.survey.feasible, answer.row))
    return [_pool(answer, winner, place, feasible, one) for one in found]


def _pool(answer: Answer, winner: Candidates, place: int, feasible: Candidates, found: _Gathered) -> _Pool:
    needs = np.concatenate(found.needs)
    candidates, need = (
        concatenate([feasible, *found.candidates]),
        np.concatenate([needs, *found.breaking]),
    )
    # Feasible rows as good as the winner come after it by name: they are never chosen while it is there.
    alike = _is_like(answer, winner, feasible)
    left = np.flatnonzero(np.r_[~alike, np.ones(len(need) - len(needs), dtype=np.bool_)])
    kept = left[_survivors(answer, winner, candidates.take(left), need[left])]
    return _Pool(concatenate([winner, candidates.take(kept)]), np.r_[needs[[place]], need[kept]])


def _survivors(answer: Answer, winner: Candidates, candidates: Candidates, need: IntArray) -> IntArray:
    """Positions of candidates that no other beats in every objective and in the bound it needs.

    What is as good as the winner stays as well: the one that comes first by name is chosen, and may need more.
    """
    if not len(need):
        return np.zeros(0, dtype=np.int64)
    costs = np.column_stack([_costs(answer, candidates), need])
    kept = np.zeros(len(need), dtype=np.bool_)
    kept[non_dominated(costs, np.arange(len(need)))] = True
    return np.flatnonzero(kept | _is_like(answer, winner, candidates))


def _is_like(answer: Answer, winner: Candidates, candidates: Candidates) -> BoolArray:
    same: BoolArray = np.all(_costs(answer, candidates) == _costs(answer, winner), axis=1)
    return same


def _costs(answer: Answer, candidates: Candidates) -> IntArray:
    """Steps to minimise under every objective; an unknown figure costs the same in every table."""
    columns = []
    for goal in answer.goals:
        figures = getattr(candidates, goal.quantity.name)
        columns.append(np.where(figures == UNKNOWN, UNKNOWN_COST, goal.cost(figures)))
    return np.stack(columns, axis=1)


def _needs(answer: Answer, one: Requirement, block: Block, rows: IntArray, *, below: bool) -> IntArray:
    """The bound each row needs, so that less is tighter whatever the direction."""
    need = needed_bound(answer.context, one, block, rows)
    signed = -need if below else need
    return np.where(need == UNKNOWN, ALWAYS_IN, signed)


def _breaking(answer: Answer, one: Requirement, block: Block, *, below: bool) -> tuple[IntArray, IntArray]:
    """Rows that break nothing but this bound, by a known figure, and the bound each needs."""
    spared = np.int64(together_with(answer.context, one))
    alone = ((block.violated & ~spared) == 0) & ((block.violated & spared) != 0)
    rows = np.flatnonzero(alone & ((block.violated & block.unknown & spared) == 0))
    need = needed_bound(answer.context, one, block, rows)
    other = one.rule.maximum if below else one.rule.minimum
    inside = np.ones(len(rows), dtype=np.bool_) if other is None else (need <= other if below else need >= other)
    chosen = inside & (need < INFINITE)
    return rows[chosen], (-need if below else need)[chosen]


def _range(answer: Answer, one: Requirement, below: bool, pool: _Pool) -> Range:
    """Outwards from the bound asked, to where the choice is another one."""
    ranking = rank_candidates(answer.context, pool.candidates, answer.goals)
    bound = one.rule.minimum if below else one.rule.maximum
    assert bound is not None
    sign = -1 if below else 1
    levels = np.unique(pool.need)
    tightest = next(
        (level for level in _descending(levels, sign * bound) if _chosen(ranking, pool, level - 1) != 0), None
    )
    changes = ((level, _chosen(ranking, pool, level)) for level in levels[levels > sign * bound].tolist())
    first = next(((level, row) for level, row in changes if row != 0), None)
    figure = int(pool.need[0])

    def design(row: int | None) -> Candidates | None:
        return None if row is None else pool.candidates.take(np.array([row]))

    return Range(
        requirement=one,
        below=below,
        bound=bound,
        figure=None if figure == ALWAYS_IN else sign * figure,
        tightest=None if tightest is None else sign * tightest,
        loosest=None if first is None else sign * (first[0] - 1),
        entering=None if first is None else design(first[1]),
        leaving=None if tightest is None else design(_chosen(ranking, pool, tightest - 1)),
        steps=tuple(_steps(ranking, pool, sign, levels[levels > sign * bound])),
    )


def _descending(levels: IntArray, bound: int) -> Iterator[int]:
    """Needs within the bound, the largest first: just below each of them another candidate is refused."""
    for level in levels[::-1].tolist():
        if level <= bound and level != ALWAYS_IN:
            yield level


def _chosen(ranking: Ranking, pool: _Pool, bound: int) -> int | None:
    """Row of the pool that is chosen under a bound; None where nothing is left."""
    rows = np.flatnonzero(pool.need <= bound)
    return ranking.best(rows) if len(rows) else None


def _steps(ranking: Ranking, pool: _Pool, sign: int, levels: IntArray) -> Iterator[Step]:
    """Ever more accurate winners as the bound is loosened."""
    best, found = int(pool.candidates.accuracy[0]), 0
    for level in levels.tolist():
        row = _chosen(ranking, pool, level)
        if row is None or int(pool.candidates.accuracy[row]) <= best or found == MOST_STEPS:
            continue
        best, found = int(pool.candidates.accuracy[row]), found + 1
        yield Step(sign * level, pool.candidates.take(np.array([row])))
