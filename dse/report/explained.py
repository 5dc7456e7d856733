"""What to say about an explanation: one plain structure for JSON, the terminal and Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dse.explaining.explain import Explanation
from dse.report.explained_chip import chip_object
from dse.report.explained_choice import choice_object, remedy_object
from dse.report.explained_clash import clash_object
from dse.report.summary import headline, versions

JsonObject = dict[str, Any]


def explanation_object(explanation: Explanation) -> JsonObject:
    """The explanation as one JSON object; None means unknown, or that a part does not apply."""
    answer = explanation.answer
    context = answer.context
    return {
        "problem": {"name": context.problem.name, "file": Path(context.problem.file).name},
        "task": context.task.name,
        "status": answer.status.value,
        "headline": headline(answer),
        "infeasible": None if explanation.infeasible is None else clash_object(answer, explanation.infeasible),
        "feasible": None if answer.row is None else choice_object(explanation),
        "remedies": [remedy_object(answer, one) for one in explanation.remedies],
        "chips": [chip_object(answer, one) for one in explanation.chips.views],
        "chips_not_shown": list(explanation.chips.more),
        "chips_not_searched": list(explanation.chips.excluded),
        "versions": versions(context),
    }
