"""What is in use today, evaluated under the same rules as the candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.candidates.context import Context, prepare
from dse.candidates.entries import task_entries
from dse.candidates.known import with_known
from dse.candidates.limits import names_of
from dse.candidates.table import Candidates, evaluate_all
from dse.estimate.store import Knowledge
from dse.problem.search import ChipSelection, Selection
from dse.problem.settings import Baseline
from dse.problem.spec import Problem, Task
from dse.report.summary import alternative_of
from dse.schema import UNKNOWN


@dataclass(frozen=True)
class InUse:
    """The design that is in use: a row of a table of its own, or why there is none in words."""

    asked: Baseline
    task: Task | None
    context: Context | None = None
    candidates: Candidates | None = None
    row: int = 0
    text: str = ""


def in_use(problem: Problem, knowledge: Knowledge) -> InUse | None:
    """The baseline's best run, one task alone on its chip; None where the problem names none.

    Of several tasks it is the one the baseline names, or else the first that its model can do.
    """
    asked = problem.baseline
    if asked is None:
        return None
    task = _task_of(asked, problem, knowledge)
    if task is None:
        kinds = " or ".join(dict.fromkeys(one.task for one in _asked_tasks(asked, problem)))
        return InUse(asked, None, text=f"{asked.model} is no network for {kinds}")
    context = _context(asked, problem, task, knowledge)
    candidates = evaluate_all(context)
    timed = np.flatnonzero(candidates.worst_case_ms != UNKNOWN)
    if not len(timed):
        return InUse(asked, task, text=f"{asked.model} on {asked.chip}: no speed figure")
    # The best known figures go first, then the worst case; without a bound the shortest time of one batch.
    grade, unknown = context.runs.grade[candidates.run[timed]], candidates.accuracy[timed] == UNKNOWN
    keys = (-candidates.accuracy[timed], candidates.typical_ms[timed], candidates.worst_case_ms[timed], grade, unknown)
    return InUse(asked, task, context, candidates, int(timed[np.lexsort(keys)[0]]))


def baseline_of(problem: Problem, knowledge: Knowledge) -> dict[str, Any] | None:
    """What is in use with the limits it breaks, as the answer shows it; only its name where there is no figure."""
    found = in_use(problem, knowledge)
    if found is None:
        return None
    words = {"chip": found.asked.chip, "model": found.asked.model, "owned": found.asked.owned}
    if len(problem.tasks) > 1:
        words["alone"] = True
    if found.task is not None:
        words["task"] = found.task.name
    if found.context is None or found.candidates is None:
        return {**words, "found": False, "text": found.text}
    return {
        **words,
        "found": True,
        **alternative_of(found.context, found.candidates, found.row),
        "violated": names_of(int(found.candidates.violated[found.row]), found.context.rules),
    }


def _asked_tasks(asked: Baseline, problem: Problem) -> tuple[Task, ...]:
    return problem.tasks if asked.task is None else (problem.task(asked.task),)


def _task_of(asked: Baseline, problem: Problem, knowledge: Knowledge) -> Task | None:
    """The task the baseline does; None where its model does none that is asked of it."""
    for task in _asked_tasks(asked, problem):
        catalog = with_known(problem, task, knowledge).knowledge.catalog
        if len(task_entries(problem, _with_model(task, asked), catalog).entries):
            return task
    return None


def _with_model(task: Task, asked: Baseline) -> Task:
    return task.model_copy(update={"models": Selection(include=(asked.model,)), "search": None})


def _context(asked: Baseline, problem: Problem, task: Task, knowledge: Knowledge) -> Context:
    """The space that holds the baseline alone; other tasks stay, as this one may follow them."""
    search = problem.search.model_copy(
        update={
            "chips": ChipSelection(include=(asked.chip,)),
            "boards": Selection(exclude=problem.search.boards.exclude),
            "units": (),
            "precisions": (asked.precision,) if asked.precision else (),
            "modes": (asked.mode,) if asked.mode else ("named",),
            "batches": (asked.batch,),
            "runtimes": Selection(include=(asked.runtime,) if asked.runtime else ()),
        }
    )
    chosen = _with_model(task, asked)
    tasks = tuple(
        chosen if other.name == task.name else other.model_copy(update={"search": None}) for other in problem.tasks
    )
    guard = problem.guard.model_copy(update={"evidence": "E"})
    whole = problem.model_copy(update={"search": search, "tasks": tasks, "guard": guard})
    return prepare(whole, chosen, knowledge)
