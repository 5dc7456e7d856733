"""Comparisons of one problem or several as plain data: the object that ``dse compare --json`` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dse.compare.comparison import Each, compare_chips
from dse.compare.question import At
from dse.errors import Fault, InputError
from dse.estimate.store import Knowledge
from dse.patterns import name_hint
from dse.problem.spec import Problem
from dse.problem.supported import refuse_several
from dse.report.baseline import in_use
from dse.report.compared import comparison_object, evidence_of_rows
from dse.report.evidence import Evidence, evidence_object
from dse.report.product_line import product_line

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """What is compared, apart from the problems; see `dse.compare.comparison.compare_chips`."""

    at: At = At.BEST
    accuracy: float | None = None
    model: str | None = None
    chips: tuple[str, ...] = ()
    each: Each = Each.CHIP
    workers: int = 1
    seed: int = 0


def request_of(
    at: str,
    accuracy: float | None,
    model: str | None,
    chips: Sequence[str],
    each: str,
    *,
    workers: int = 1,
    seed: int = 0,
) -> Request:
    """A request from words.

    Raises
    ------
    InputError
        Every word that is none of those allowed, and figures that do not go with them.
    """
    faults = [
        Fault(option, 0, 0, word, "is not one of the choices", name_hint(word, [choice.value for choice in choices]))
        for option, word, choices in (("at", at, At), ("each", each, Each))
        if word not in [choice.value for choice in choices]
    ]
    if accuracy is not None and at != At.SAME_ACCURACY.value:
        message = f"goes with {At.SAME_ACCURACY.value} alone"
        faults.append(Fault("accuracy", 0, 0, f"{accuracy:g}", message, f"ask at {At.SAME_ACCURACY.value}"))
    if accuracy is not None and not 0 < accuracy <= 100:
        faults.append(Fault("accuracy", 0, 0, f"{accuracy:g}", "must be more than 0 and at most 100 points"))
    elif accuracy is not None and accuracy <= 1:
        hint = f"accuracies are percent: write {100 * accuracy:g} for {accuracy:g}"
        faults.append(Fault("accuracy", 0, 0, f"{accuracy:g}", "is at most one percent", hint))
    if model is not None and at != At.SAME_MODEL.value:
        message = f"goes with {At.SAME_MODEL.value} alone"
        faults.append(Fault("model", 0, 0, model, message, f"ask at {At.SAME_MODEL.value}"))
    if faults:
        raise InputError(faults)
    return Request(At(at), accuracy, model, tuple(chips), Each(each), workers, seed)


def compared(problems: Sequence[Problem], knowledge: Sequence[Knowledge], request: Request) -> JsonObject:
    """Comparisons of checked problems, each against its own catalogues.

    Raises
    ------
    ProblemError
        A problem has several tasks, or asks for something the tables cannot hold.
    InputError
        A pattern or the network matches nothing, or two files have one name.
    VerificationError
        The independent check disagrees: a bug.
    """
    refuse_several(problems, "comparisons of")
    _refuse_twins(problems)
    pairs = zip(problems, knowledge, strict=True)
    found, evidence = zip(*(_one(problem, known, request) for problem, known in pairs), strict=True)
    records, by_row = evidence_object([of_row for rows in evidence for of_row in rows])
    rows = [row for comparison in found for row in comparison["rows"]]
    for row, ids in zip(rows, by_row, strict=True):
        row["evidence"] = ids
    return {
        "comparisons": list(found),
        "line": product_line(found) if len(found) > 1 else None,
        "evidence": records,
        "versions": found[0]["versions"],
    }


def _one(problem: Problem, knowledge: Knowledge, request: Request) -> tuple[JsonObject, list[Mapping[str, Evidence]]]:
    comparison = compare_chips(
        problem,
        knowledge,
        at=request.at,
        accuracy=request.accuracy,
        model=request.model,
        chips=request.chips,
        each=request.each,
        workers=request.workers,
        seed=request.seed,
    )
    used = in_use(problem, knowledge)
    return comparison_object(comparison, used), evidence_of_rows(comparison, used)


def _refuse_twins(problems: Sequence[Problem]) -> None:
    """Stop at files that could not be told apart in the tables."""
    names = [Path(problem.file).name for problem in problems]
    message = "another problem file has the same name"
    faults = [
        Fault(problem.file, 0, 0, "", message, "rename one of the two")
        for k, problem in enumerate(problems)
        if names[k] in names[:k]
    ]
    if faults:
        raise InputError(faults)
