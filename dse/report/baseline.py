"""What is in use today, evaluated under the same rules as the candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.candidates.context import prepare
from dse.candidates.limits import names_of
from dse.candidates.table import evaluate_all
from dse.estimate.store import Knowledge
from dse.problem.search import ChipSelection, Selection
from dse.problem.spec import Problem
from dse.report.summary import alternative_of
from dse.schema import UNKNOWN


def baseline_of(problem: Problem, knowledge: Knowledge) -> dict[str, Any] | None:
    """The baseline's best run, with the limits it breaks; only its name where no figure exists."""
    asked = problem.baseline
    if asked is None:
        return None
    search = problem.search.model_copy(
        update={
            "chips": ChipSelection(include=(asked.chip,)),
            "units": (),
            "precisions": (asked.precision,) if asked.precision else (),
            "modes": (asked.mode,) if asked.mode else ("named",),
            "batches": (asked.batch,),
            "runtimes": Selection(include=(asked.runtime,) if asked.runtime else ()),
        }
    )
    task = problem.tasks[0].model_copy(update={"models": Selection(include=(asked.model,)), "search": None})
    guard = problem.guard.model_copy(update={"evidence": "E"})
    context = prepare(problem.model_copy(update={"search": search, "tasks": (task,), "guard": guard}), task, knowledge)
    candidates = evaluate_all(context)
    timed = np.flatnonzero(candidates.worst_case_ms != UNKNOWN)
    words = {"chip": asked.chip, "model": asked.model, "owned": asked.owned}
    if not len(timed):
        return {**words, "found": False, "text": f"{asked.model} on {asked.chip}: no speed figure"}
    # Without a bound the shortest time of one batch decides.
    keys = (-candidates.accuracy[timed], candidates.typical_ms[timed], candidates.worst_case_ms[timed])
    row = int(timed[np.lexsort(keys)[0]])
    return {
        **words,
        "found": True,
        **alternative_of(context, candidates, row),
        "violated": names_of(int(candidates.violated[row]), context.rules),
    }
