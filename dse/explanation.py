"""An explanation of one problem as plain data: the object that ``dse explain --json`` prints."""

from __future__ import annotations

from typing import Any

from dse.estimate.store import Knowledge
from dse.explaining.explain import explain_problem
from dse.problem.spec import Problem
from dse.problem.supported import refuse_several
from dse.report.explained import explanation_object


def explained(
    problem: Problem,
    knowledge: Knowledge,
    *,
    chip: str | None = None,
    remedies: bool = True,
    workers: int = 1,
    seed: int = 0,
) -> dict[str, Any]:
    """Why nothing is feasible, or what the choice hangs on; arguments as of `explain_problem`.

    Raises
    ------
    ProblemError
        The problem has several tasks, or asks for something the tables cannot hold.
    InputError
        The pattern fits no chip.
    VerificationError
        The independent check disagrees: a bug.
    """
    refuse_several([problem], "explanations of", "keep one task; `dse budget` takes several")
    found = explain_problem(problem, knowledge, chip=chip, remedies=remedies, workers=workers, seed=seed)
    return explanation_object(found)
