"""From a problem to a row for every chip: its design, what it lacks, or the limits it fails; checked once more."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from dse.answer import Answer, solve_problem
from dse.candidates.context import Context
from dse.candidates.preference import Ranking, rank_candidates
from dse.candidates.table import Candidates
from dse.catalog.types import IntArray
from dse.compare.gather import Gathered, gather, price_bits
from dse.compare.question import At, Question, only_chips, question_of
from dse.compare.standing import Threshold, best_of_each, order_of
from dse.compare.thresholds import thresholds_of
from dse.errors import VerificationError
from dse.estimate.store import Knowledge
from dse.problem.spec import Problem
from dse.solution import Status
from dse.verify import verify_rows


class Each(StrEnum):
    """What has a row of its own."""

    CHIP = "chip"
    BOARD = "board"
    MODE = "mode"


class Standing(StrEnum):
    """How a chip does: it has a design, it lacks a figure, it fails a limit, or nothing is known to run on it."""

    FEASIBLE = "feasible"
    UNKNOWN = "unknown"
    FAILS = "fails"
    NO_DESIGN = "no design"


@dataclass(frozen=True)
class Row:
    """One chip, or one board or mode of it.

    Parameters
    ----------
    chip : str
        The chip.
    standing : Standing
        How it does.
    candidates, row
        Its design, a position in a table; None where there is none. Of a chip that fails it is the nearest miss.
    rank : int, optional
        Place among the feasible ones, the first is 1.
    wins_at : Threshold, optional
        Highest price of one system at which it would be chosen; of one that lacks its power alone, the highest power.
        None where another limit stands against it.
    reason : str
        Why there is no design at all.
    """

    chip: str
    standing: Standing
    candidates: Candidates | None = None
    row: int = 0
    rank: int | None = None
    wins_at: Threshold | None = None
    reason: str = ""


@dataclass(frozen=True)
class Comparison:
    """The rows of one problem, feasible ones first, and the answer whose winner leads them."""

    question: Question
    each: Each
    answer: Answer
    rows: tuple[Row, ...]
    proofs: tuple[str, ...]
    wall_s: float

    @property
    def context(self) -> Context:
        """The task behind the rows."""
        return self.answer.context


def compare_chips(
    problem: Problem,
    knowledge: Knowledge,
    *,
    at: At = At.BEST,
    accuracy: float | None = None,
    model: str | None = None,
    chips: Sequence[str] = (),
    each: Each = Each.CHIP,
    workers: int = 1,
    seed: int = 0,
) -> Comparison:
    """A row for every chip that a checked problem with one task admits.

    Parameters
    ----------
    problem, knowledge
        What is asked and what is known.
    at, accuracy, model
        What the designs have in common; see `question_of`.
    chips : sequence of str
        Patterns of chips to compare; all the search admits unless given.
    each : Each
        What has a row of its own.
    workers, seed
        For the solver, which finds the best of all.

    Raises
    ------
    InputError
        A pattern or the network matches nothing.
    ProblemError
        The problem asks for something the tables cannot hold.
    VerificationError
        The independent check disagrees: a bug.
    """
    started = time.perf_counter()
    asked = only_chips(problem, chips, knowledge.catalog)
    answer = solve_problem(asked, knowledge, workers=workers, seed=seed, top=1)
    question = question_of(answer, at, accuracy=accuracy, model=model)
    if question.problem is not asked:
        answer = solve_problem(question.problem, knowledge, workers=workers, seed=seed, top=1)
    context = answer.context
    group, names = groups_of(context, each)
    gathered = gather(context, group, price_bits(context))
    rows = list(_rows(context, gathered, rank_candidates(context, gathered.kept, answer.goals), group, names))
    _check_first(answer, rows)
    chosen = [row for row in rows if row.standing is Standing.FEASIBLE]
    checked = verify_rows(context, gathered.kept.take(np.array([row.row for row in chosen], dtype=np.int64)))
    return Comparison(question, each, answer, tuple(rows), (*answer.proofs, *checked), time.perf_counter() - started)


def groups_of(context: Context, each: Each) -> tuple[IntArray, list[str]]:
    """A number per lane, and the chip of every number."""
    lanes = context.lanes
    depth = {Each.CHIP: 1, Each.BOARD: 2, Each.MODE: 3}[each]
    index: dict[tuple[str, ...], int] = {}
    named = zip(*(getattr(lanes, name).tolist() for name in ("chip", "board", "mode")[:depth]), strict=True)
    group = np.array([index.setdefault(name, len(index)) for name in named], dtype=np.int64)
    return group, [name[0] for name in index]


def _rows(
    context: Context, gathered: Gathered, ranking: Ranking, group: IntArray, names: Sequence[str]
) -> Iterator[Row]:
    """Feasible ones by rank, then those that lack a figure, that fail, and that have no design, each kind by order."""
    kept = gathered.kept
    of_row = group[context.runs.lane[kept.run]]
    seen = set()
    thresholds = thresholds_of(context, ranking, of_row)
    for rank, row in enumerate(order_of(ranking, of_row), start=1):
        seen.add(int(of_row[row]))
        yield Row(names[of_row[row]], Standing.FEASIBLE, kept, row, rank, thresholds.of(row))
    known_price = np.int64(price_bits(context)) & ~kept.unknown
    lacking = np.flatnonzero((kept.violated != 0) & ((kept.violated & known_price) == 0))
    dear = np.flatnonzero((kept.violated & known_price) != 0)
    for standing, rows in ((Standing.UNKNOWN, lacking), (Standing.FAILS, dear)):
        left = rows[~np.isin(of_row[rows], list(seen))]
        best = best_of_each(ranking, left, of_row)
        for row in sorted(best.values(), key=lambda row: ranking.order[row]):
            seen.add(int(of_row[row]))
            yield Row(names[of_row[row]], standing, kept, row, None, thresholds.of(row))
    of_miss = group[context.runs.lane[gathered.nearest.run]]
    for row in np.argsort(gathered.share, kind="stable").tolist():
        seen.add(int(of_miss[row]))
        yield Row(names[of_miss[row]], Standing.FAILS, gathered.nearest, row)
    used = np.unique(group[context.runs.lane]).tolist()
    yield from _without(context, [names[one] for one in used if one not in seen])


def _without(context: Context, silent: Sequence[str]) -> Iterator[Row]:
    """Chips on which nothing is known to run, with the reason."""
    reasons = dict.fromkeys(silent, "no network of the task has an accuracy there")
    reasons |= {
        chip: reason.removeprefix("chips dropped: ").removeprefix("cards dropped: ")
        for reason, chips in context.space.names.items()
        for chip in chips
    }
    for chip in sorted(reasons):
        yield Row(chip, Standing.NO_DESIGN, reason=reasons[chip])


def _check_first(answer: Answer, rows: Sequence[Row]) -> None:
    """The first row is the design the solver chose, or there is neither.

    Raises
    ------
    VerificationError
        Two roads to the best design end apart.
    """
    first = next((row for row in rows if row.rank == 1), None)
    if answer.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        return
    chosen = None if answer.row is None else _identity(answer.candidates, answer.row)
    found = None if first is None or first.candidates is None else _identity(first.candidates, first.row)
    if chosen != found:
        raise VerificationError(f"the solver chose {chosen}, the comparison puts {found} first")


def _identity(candidates: Candidates, row: int) -> Mapping[str, int]:
    return {name: int(getattr(candidates, name)[row]) for name in ("run", "entry", "option")}
