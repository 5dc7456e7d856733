"""From a problem to its answer: candidate table, optimisation, verification, alternatives, conditional designs.

The stations do the work; this module only calls them in order and keeps what each produced.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context, prepare
from dse.candidates.limits import is_bit_set
from dse.candidates.preference import Goal, best, costs_of, goals_of, name_order
from dse.candidates.table import NO_ACCURACY_BIT, Candidates, evaluate_all
from dse.catalog.types import IntArray, TextArray, text_array
from dse.conditional import Conditional, conditional_designs
from dse.estimate.store import Knowledge
from dse.problem.spec import Problem, Task
from dse.solution import Choice, Status
from dse.verify import verify_choice, verify_infeasible


@dataclass(frozen=True)
class Answer:
    """Everything that was found for one problem; rows are positions in `candidates`."""

    context: Context
    candidates: Candidates
    goals: tuple[Goal, ...]
    choice: Choice
    row: int | None
    alternatives: tuple[int, ...]
    conditional: tuple[Conditional, ...]
    proofs: tuple[str, ...]
    feasible: int
    wall_s: float
    workers: int
    seed: int

    @property
    def status(self) -> Status:
        """Outcome of the solve."""
        return self.choice.status


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
    task: Task = problem.tasks[0]
    context = prepare(problem, task, knowledge)
    goals = goals_of(problem)
    candidates = evaluate_all(context)
    feasible = np.flatnonzero(candidates.violated == 0)
    rank = name_order(context, candidates)
    costs = costs_of(goals, candidates.take(feasible))
    choice = _choose(costs, goals, rank[feasible], workers, seed, time_limit_s)
    row = None if choice.row is None else int(feasible[choice.row])
    proofs: tuple[str, ...] = ()
    if row is not None and choice.status is Status.OPTIMAL:
        proofs = tuple(verify_choice(context, candidates, row, goals))
    elif choice.status is Status.INFEASIBLE:
        proofs = tuple(verify_infeasible(context, candidates))
    alternatives = _alternatives(context, candidates, feasible, costs, goals, rank, row, top, different)
    conditional = conditional_designs(context, candidates, feasible, goals, rank, row)
    return Answer(
        context,
        candidates,
        goals,
        choice,
        row,
        alternatives,
        conditional,
        proofs,
        len(feasible),
        time.perf_counter() - started,
        workers,
        seed,
    )


def _choose(
    costs: IntArray, goals: tuple[Goal, ...], rank: IntArray, workers: int, seed: int, time_limit_s: float | None
) -> Choice:
    from dse.model.solve import choose

    return choose(
        costs,
        [goal.within for goal in goals],
        [goal.quantity.name for goal in goals],
        rank,
        workers=workers,
        seed=seed,
        time_limit_s=time_limit_s,
    )


def _alternatives(
    context: Context,
    candidates: Candidates,
    feasible: IntArray,
    costs: IntArray,
    goals: tuple[Goal, ...],
    rank: IntArray,
    row: int | None,
    top: int,
    different: str,
) -> tuple[int, ...]:
    """The next best designs, each of another chip (vendor, tool chain), by enumeration."""
    if row is None:
        return ()
    kinds = _kinds(context, candidates, different)
    left = np.ones(len(feasible), dtype=bool)
    found: list[int] = []
    last = row
    while len(found) < top - 1:
        left &= (kinds[feasible] != kinds[last]) if different != "none" else (feasible != last)
        if not left.any():
            break
        rows = np.flatnonzero(left)
        last = int(feasible[rows[best(costs[rows], goals, rank[feasible[rows]])]])
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


def killed_by(context: Context, candidates: Candidates) -> dict[str, tuple[int, int]]:
    """Per rule: how many candidates break it, and how many break nothing else."""
    counts: dict[str, tuple[int, int]] = {}
    for bit, rule in enumerate(context.rules):
        broken = is_bit_set(candidates.violated, bit)
        alone = candidates.violated == (1 << bit)
        if broken.any():
            counts[rule.name] = (int(broken.sum()), int(alone.sum()))
    unknown = is_bit_set(candidates.violated, NO_ACCURACY_BIT)
    if unknown.any():
        counts["accuracy unknown at the precision"] = (
            int(unknown.sum()),
            int((candidates.violated == 1 << NO_ACCURACY_BIT).sum()),
        )
    return counts


def rejected_for_unknown(context: Context, candidates: Candidates) -> Counter[str]:
    """Chips no design of which survives only because a figure is missing, per figure."""
    chip_of = context.lanes.chip[context.runs.lane[candidates.run]]
    alive = set(chip_of[candidates.violated == 0].tolist())
    missing = (candidates.violated != 0) & ((candidates.violated & ~candidates.unknown) == 0)
    reasons: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for position in np.flatnonzero(missing):
        chip = str(chip_of[position])
        for bit, rule in enumerate(context.rules):
            if candidates.violated[position] >> bit & 1 and chip not in alive and (chip, rule.name) not in seen:
                seen.add((chip, rule.name))
                reasons[rule.name] += 1
    return reasons
