"""What to ask a vendor or to measure: unknown and weak figures that could change the choice, and up to where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from dse.candidates.context import Context, prepare
from dse.candidates.limits import Rule
from dse.candidates.preference import Goal, Ranking
from dse.candidates.table import Candidates, concatenate
from dse.catalog.types import IntArray
from dse.compare.comparison import Comparison, Each, Row, Standing, groups_of
from dse.compare.gather import gather
from dse.compare.standing import Threshold
from dse.estimate.evidence import GRADES
from dse.estimate.store import Knowledge
from dse.problem.spec import Problem
from dse.schema import UNKNOWN

NO_CARE = 0.500001
"""A confidence that adds nothing to an estimate: the least the file format takes is more than a half."""


class Whom(StrEnum):
    """Who can answer."""

    VENDOR = "vendor"
    BENCH = "measure"


@dataclass(frozen=True)
class Question:
    """One figure of one design that is worth asking for.

    Parameters
    ----------
    whom : Whom
        Who can answer.
    figure : str
        What is asked: a name of a limit, ``price_usd``, ``network_ms`` (time of the network alone) or ``accuracy``.
    why : str
        What it would change.
    context, candidates, row
        The design it is of.
    rule : Rule, optional
        The limit it must meet.
    most : float, optional
        Highest figure that wins, in its unit.
    """

    whom: Whom
    figure: str
    why: str
    context: Context
    candidates: Candidates
    row: int
    rule: Rule | None = None
    most: float | None = None


def questions_of(problem: Problem, knowledge: Knowledge, comparison: Comparison) -> list[Question]:
    """Questions about a comparison of the best designs: of the winner first, then to vendors, then for the bench."""
    winner = next((row for row in comparison.rows if row.rank == 1), None)
    found = [] if winner is None else list(_of_winner(comparison.context, winner))
    for row in comparison.rows:
        if row.candidates is not None and row.rank != 1:
            found += _unknowns(comparison, winner, row)
            found += _quotation(comparison.context, row)
    found += _hopefuls(problem, knowledge, comparison, winner)
    return found


def _of_winner(context: Context, winner: Row) -> Iterator[Question]:
    """What the winner rests on that nobody measured or quoted."""
    candidates, row = winner.candidates, winner.row
    assert candidates is not None
    yield from _lacking(context, candidates, row, winner.wins_at)
    yield from _quotation(context, winner)
    why = "the choice rests on an estimate of it: a measurement confirms the winner or takes its place away"
    yield from _estimated(context, candidates, row, why)


def _unknowns(comparison: Comparison, winner: Row | None, row: Row) -> Iterator[Question]:
    """Unknown figures of a chip with which it would be chosen, were all of them as good as can be."""
    context, candidates = comparison.context, row.candidates
    assert candidates is not None
    if row.standing not in (Standing.FEASIBLE, Standing.UNKNOWN):
        return
    chip = context.lanes.chip[context.runs.lane[candidates.run]]
    open_ones = ((candidates.violated & ~candidates.unknown) == 0) & (candidates.unknown != 0)
    own = candidates.take(np.flatnonzero((chip == row.chip) & open_ones))
    best = _beats(winner, _at_their_best(own), comparison.answer.goals)
    if best is not None:
        yield from _lacking(context, own, best, row.wins_at)


def _at_their_best(candidates: Candidates) -> Candidates:
    """Candidates whose unknown figures cost nothing."""
    names = ("power_w", "price_usd", "energy_mj", "memory_mb")
    columns = {name: getattr(candidates, name) for name in names}
    return replace(candidates, **{name: np.where(of == UNKNOWN, 0, of) for name, of in columns.items()})


def _lacking(context: Context, candidates: Candidates, row: int, wins_at: Threshold | None) -> Iterator[Question]:
    """The unknown figures of one design that a limit or an objective is on."""
    lacking = int(candidates.unknown[row])
    for bit, rule in enumerate(context.rules):
        if lacking >> bit & 1 and (rule.name in context.problem.limits or rule.reject_unknown):
            most = wins_at.value if wins_at is not None and wins_at.quantity == rule.column else None
            why = "unknown, and a limit is on it" if rule.reject_unknown else "unknown: flagged, not rejected"
            yield Question(Whom.VENDOR, rule.name, why, context, candidates, row, rule, most)
    if candidates.price_usd[row] == UNKNOWN and not any(rule.column == "price_usd" for rule in context.rules):
        most = wins_at.value if wins_at is not None and wins_at.quantity == "price_usd" else None
        yield Question(Whom.VENDOR, "price_usd", "unknown", context, candidates, row, None, most)


def _quotation(context: Context, row: Row) -> Iterator[Question]:
    """A known price that a quotation could better, or of the winner one that a quotation could worsen."""
    candidates, threshold = row.candidates, row.wins_at
    assert candidates is not None
    if threshold is None or threshold.value is None or threshold.any or threshold.quantity != "price_usd":
        return
    price = context.chip_of(int(candidates.run[row.row])).latest_price
    if price is None or (row.rank == 1 and price.source.startswith("quotation ")):
        return  # nothing is known to be bettered, or it is quoted already
    rule = next((rule for rule in context.rules if rule.column == "price_usd"), None)
    why = "first as long as it does not cost more" if row.rank == 1 else "wins if a quotation is as low as this"
    yield Question(Whom.VENDOR, "price_usd", why, context, candidates, row.row, rule, threshold.value)


def _estimated(context: Context, candidates: Candidates, row: int, why: str) -> Iterator[Question]:
    """What of a design nobody measured."""
    if context.runs.grade[candidates.run[row]] != GRADES.index("A"):
        yield Question(Whom.BENCH, "network_ms", why, context, candidates, row)
    if candidates.accuracy_grade[row] != GRADES.index("A"):
        yield Question(Whom.BENCH, "accuracy", why, context, candidates, row)


def _hopefuls(problem: Problem, knowledge: Knowledge, comparison: Comparison, winner: Row | None) -> Iterator[Question]:
    """Designs that would win if estimates held without a margin, and accuracies reached their upper end.

    Of every chip the best such design: a measurement of its time, its accuracy or both could change the choice.
    """
    asked = comparison.question.problem
    careless = asked.guard.model_copy(update={"confidence": NO_CARE, "evidence": "E"})
    context = prepare(asked.model_copy(update={"guard": careless}), asked.tasks[0], knowledge)
    group, _ = groups_of(context, Each.CHIP)
    bits = sum(1 << bit for bit, rule in enumerate(context.rules) if rule.column == "accuracy_low")
    hopeful = _hopeful(context, gather(context, group, bits).kept)
    of_row = group[context.runs.lane[hopeful.run]]
    why = "wins if its estimates hold without a margin, and its accuracy is at the upper end of its interval"
    for one in np.unique(of_row).tolist():
        own = hopeful.take(np.flatnonzero(of_row == one))
        row = _beats(winner, replace(own, accuracy=own.accuracy_high), comparison.answer.goals)
        if row is not None and not _is_the_winner(comparison.context, winner, context, own, row):
            yield from _estimated(context, own, row, why)


def _hopeful(context: Context, candidates: Candidates) -> Candidates:
    """Rows that meet every requirement, those on accuracy by the upper end of its interval."""
    floors = [rule.minimum for rule in context.rules if rule.column == "accuracy_low" and rule.minimum is not None]
    bits = np.int64(sum(1 << bit for bit, rule in enumerate(context.rules) if rule.column == "accuracy_low"))
    reached = candidates.accuracy_high >= max(floors, default=UNKNOWN)
    return candidates.take(np.flatnonzero(((candidates.violated & ~bits) == 0) & reached))


def _beats(winner: Row | None, own: Candidates, goals: tuple[Goal, ...]) -> int | None:
    """The row that would be chosen before the winner, or where there is no winner the best one."""
    if not len(own):
        return None
    first = [] if winner is None or winner.candidates is None else [winner.candidates.take(np.array([winner.row]))]
    table = concatenate([*first, own])
    everything: IntArray = np.arange(len(table))
    best = Ranking(table, goals, everything, everything).best(everything) - len(first)
    return None if best < 0 else best


def _is_the_winner(at: Context, winner: Row | None, context: Context, candidates: Candidates, row: int) -> bool:
    """Whether a row of another table is the winner itself."""
    if winner is None or winner.candidates is None:
        return False
    return _name(at, winner.candidates, winner.row) == _name(context, candidates, row)


def _name(context: Context, candidates: Candidates, row: int) -> tuple[object, ...]:
    """A design by its names: positions differ from table to table."""
    run, lane = int(candidates.run[row]), int(context.runs.lane[candidates.run[row]])
    option = context.options[int(candidates.option[row])]
    entry, net, batch = int(candidates.entry[row]), int(context.runs.net[run]), int(context.runs.batch[run])
    return (*context.lanes.row(lane), entry, net, batch, option)
