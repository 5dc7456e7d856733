"""From a problem to its explanation: solved once, then asked why."""

from __future__ import annotations

from dataclasses import dataclass

from dse.answer import Answer, solve_problem
from dse.estimate.store import Knowledge
from dse.explaining.infeasible import Infeasible, infeasible_of
from dse.problem.spec import Problem


@dataclass(frozen=True)
class Explanation:
    """An answer and why it is so."""

    answer: Answer
    infeasible: Infeasible | None


def explain_problem(problem: Problem, knowledge: Knowledge, *, workers: int = 1, seed: int = 0) -> Explanation:
    """Explain a checked problem with one task.

    Raises
    ------
    ProblemError
        The problem asks for something the tables cannot hold.
    VerificationError
        The independent check disagrees: a bug.
    """
    answer = solve_problem(problem, knowledge, workers=workers, seed=seed, top=2)
    infeasible = infeasible_of(answer, problem, knowledge) if answer.row is None else None
    return Explanation(answer, infeasible)
