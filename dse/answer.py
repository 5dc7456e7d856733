"""From a problem to its answer: candidate table, optimisation, verification, alternatives, conditional designs.

The stations do the work; this module only calls them in order and keeps what each produced.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context, prepare
from dse.candidates.preference import Goal, Ranking, goals_of, rank_candidates
from dse.candidates.survey import Survey, survey
from dse.candidates.table import Candidates
from dse.catalog.types import TextArray, text_array
from dse.conditional import Conditional, conditional_designs
from dse.estimate.store import Knowledge
from dse.problem.spec import Problem
from dse.solution import Choice, Status
from dse.verify import verify_choice, verify_infeasible


@dataclass(frozen=True)
class Answer:
    """Everything that was found for one problem; rows are positions in `candidates`."""

    context: Context
    survey: Survey
    goals: tuple[Goal, ...]
    choice: Choice
    row: int | None
    alternatives: tuple[int, ...]
    conditional: tuple[Conditional, ...]
    proofs: tuple[str, ...]
    wall_s: float
    workers: int
    seed: int

    @property
    def status(self) -> Status:
        """Outcome of the solve."""
        return self.choice.status

    @property
    def candidates(self) -> Candidates:
        """Candidates no known figure refuses."""
        return self.survey.kept

    @property
    def feasible(self) -> int:
        """Candidates that meet every requirement."""
        return len(self.survey.feasible)


def solve_problem(
    problem: Problem,
    knowledge: Knowledge,
    *,
    workers: int = 1,
    seed: int = 0,
    top: int = 5,
    different: str = "chip",
    time_limit_s: float | None = None,
) -> Answer:
    """Solve a checked problem with one task.

    Parameters
    ----------
    problem, knowledge
        What is asked and what is known.
    workers, seed, time_limit_s
        For the solver.
    top : int
        How many designs to list, the winner included.
    different : str
        What distinguishes listed designs: ``chip``, ``vendor``, ``toolchain`` or ``none``.

    Raises
    ------
    ProblemError
        The problem asks for something the tables cannot hold.
    VerificationError
        The independent check disagrees: a bug.
    """
    started = time.perf_counter()
    context = prepare(problem, problem.tasks[0], knowledge)
    found = survey(context)
    ranking = rank_candidates(context, found.kept, goals_of(problem))
    choice = _choose(ranking, workers, seed, time_limit_s)
    row = None if choice.row is None else int(ranking.feasible[choice.row])
    return Answer(
        context=context,
        survey=found,
        goals=ranking.goals,
        choice=choice,
        row=row,
        alternatives=_alternatives(context, ranking, row, top, different),
        conditional=conditional_designs(context, ranking, row),
        proofs=tuple(_proofs(context, found, ranking, choice, row)),
        wall_s=time.perf_counter() - started,
        workers=workers,
        seed=seed,
    )


def _choose(ranking: Ranking, workers: int, seed: int, time_limit_s: float | None) -> Choice:
    from dse.model.solve import choose

    return choose(
        ranking.costs(ranking.feasible),
        [goal.within for goal in ranking.goals],
        [goal.quantity.name for goal in ranking.goals],
        ranking.order[ranking.feasible],
        workers=workers,
        seed=seed,
        time_limit_s=time_limit_s,
    )


def _proofs(context: Context, found: Survey, ranking: Ranking, choice: Choice, row: int | None) -> list[str]:
    """What the independent check proves of the outcome."""
    if row is not None:
        return verify_choice(context, found, row, ranking.goals, proven=choice.status is Status.OPTIMAL)
    return verify_infeasible(context, found) if choice.status is Status.INFEASIBLE else []


def _alternatives(context: Context, ranking: Ranking, row: int | None, top: int, different: str) -> tuple[int, ...]:
    """The next best designs, each of another chip (vendor, tool chain), by enumeration."""
    if row is None:
        return ()
    kinds = _kinds(context, ranking.candidates, different)
    found: list[int] = []
    left, last = ranking.feasible, row
    while len(found) < top - 1:
        left = left[kinds[left] != kinds[last]] if different != "none" else left[left != last]
        if not len(left):
            break
        last = ranking.best(left)
        found.append(last)
    return tuple(found)


def _kinds(context: Context, candidates: Candidates, different: str) -> TextArray:
    """What distinguishes designs, as text per candidate."""
    chips = context.lanes.chips(context.catalog)
    words = {
        "chip": [chip.id for chip in chips],
        "vendor": [chip.vendor for chip in chips],
        "toolchain": [chip.toolchain or chip.vendor for chip in chips],
        "none": [""] * len(chips),
    }[different]
    return text_array(words)[context.runs.lane[candidates.run]]


def rejected_for_unknown(context: Context, candidates: Candidates) -> Counter[str]:
    """Chips no design of which is feasible only because a figure is missing: their number per requirement."""
    chip_of = context.lanes.chip[context.runs.lane[candidates.run]]
    alive = set(chip_of[candidates.violated == 0].tolist())
    missing = np.flatnonzero(candidates.violated != 0)
    pairs = set(zip(chip_of[missing].tolist(), candidates.violated[missing].tolist(), strict=True))
    lacking = {
        (chip, rule.name)
        for chip, violated in pairs
        if chip not in alive
        for bit, rule in enumerate(context.rules)
        if violated >> bit & 1
    }
    return Counter(name for _, name in lacking)
