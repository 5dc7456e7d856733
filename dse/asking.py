"""Questions about one problem as plain data: what ``dse ask`` shows and writes."""

from __future__ import annotations

from typing import Any

from dse.compare.asking import questions_of
from dse.compare.comparison import compare_chips
from dse.estimate.store import Knowledge
from dse.problem.spec import Problem
from dse.problem.supported import refuse_several
from dse.report.questions import question_rows

JsonObject = dict[str, Any]


def questions(problem: Problem, knowledge: Knowledge, *, workers: int = 1, seed: int = 0) -> JsonObject:
    """The unknown and weak figures of a checked problem that could change the choice.

    Raises
    ------
    ProblemError
        The problem has several tasks, or asks for something the tables cannot hold.
    VerificationError
        The independent check disagrees: a bug.
    """
    refuse_several([problem], "questions about")
    comparison = compare_chips(problem, knowledge, workers=workers, seed=seed)
    rows = question_rows(questions_of(problem, knowledge, comparison))
    winner = next((row.chip for row in comparison.rows if row.rank == 1), None)
    return {
        "problem": problem.name,
        "winner": winner,
        "status": comparison.answer.status.value,
        "quantity": problem.procurement.quantity,
        "questions": rows,
    }
