"""What a comparison asks of every chip, as a problem: the best design, equal accuracy, or one and the same network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from dse.answer import Answer
from dse.catalog.types import Catalog, IntArray
from dse.errors import Fault, InputError
from dse.patterns import matches, name_hint
from dse.problem.limits import Limit
from dse.problem.search import ChipSelection, Selection
from dse.problem.settings import default_objectives
from dse.problem.spec import InputRange, Problem
from dse.schema import QUANTITIES


class At(StrEnum):
    """What designs of different chips have in common."""

    BEST = "best"
    SAME_ACCURACY = "same-accuracy"
    SAME_MODEL = "same-model"


@dataclass(frozen=True)
class Question:
    """The problem every chip is asked, and in a sentence what its designs have in common."""

    problem: Problem
    at: At
    text: str
    accuracy: float | None = None
    model: str | None = None


def only_chips(problem: Problem, patterns: Sequence[str], catalog: Catalog) -> Problem:
    """The problem with its search narrowed to the chips that match; as it is without patterns.

    Raises
    ------
    InputError
        Every pattern that matches no chip, or none that the problem's search takes.
    """
    if not patterns:
        return problem
    faults, wanted = [], []
    search = problem.search_of(problem.tasks[0])
    for pattern in patterns:
        matched = [name for name in catalog.chips if matches(pattern, name)]
        taken = [name for name in matched if search.chips.admits(name)]
        if not matched:
            faults.append(Fault("--chips", 0, 0, pattern, "matches no chip", name_hint(pattern, catalog.chips)))
        elif not taken:
            message = f"the search of {problem.file} leaves out {', '.join(matched)}"
            faults.append(Fault("--chips", 0, 0, pattern, message, "change search.chips, or name other chips"))
        wanted += taken
    if faults:
        raise InputError(faults)
    chosen = ChipSelection(include=tuple(dict.fromkeys(wanted)), where=search.chips.where)
    tasks = tuple(
        task
        if task.search is None
        else task.model_copy(update={"search": task.search.model_copy(update={"chips": chosen})})
        for task in problem.tasks
    )
    return problem.model_copy(update={"tasks": tasks, "search": problem.search.model_copy(update={"chips": chosen})})


def question_of(answer: Answer, at: At, *, accuracy: float | None = None, model: str | None = None) -> Question:
    """The problem whose best designs are compared, from the answer to the problem as it was written.

    Parameters
    ----------
    answer : Answer
        The best design of all, with every feasible candidate.
    at : At
        What the designs have in common.
    accuracy : float, optional
        Points that designs of equal accuracy reach at least, at the lower end of their interval; by default the most
        that every chip reaches that has a design at all.
    model : str, optional
        Network for one and the same network; by default the one that is a design on most chips, of those the best.

    Raises
    ------
    InputError
        The network is none of the task.
    """
    problem = answer.context.problem
    if at is At.SAME_ACCURACY:
        reached = _common_accuracy(answer) if accuracy is None else accuracy
        return _same_accuracy(problem, reached, stated=accuracy is not None)
    if at is At.SAME_MODEL:
        entry = _common_entry(answer) if model is None else _named_entry(answer, model)
        return (
            Question(problem, At.SAME_MODEL, "no network is a design") if entry is None else _same_model(answer, entry)
        )
    return Question(problem, At.BEST, "the best design on each chip, by the objectives of the problem")


def _common_accuracy(answer: Answer) -> float | None:
    """The lowest of the chips' best accuracies; None where no chip has a design."""
    rows = answer.survey.feasible
    if not len(rows):
        return None
    chip = answer.context.lanes.chip[answer.context.runs.lane[answer.candidates.run[rows]]]
    low = answer.candidates.accuracy_low[rows]
    return float(min(int(low[chip == name].max()) for name in set(chip.tolist())) / QUANTITIES["accuracy"].scale)


def _same_accuracy(problem: Problem, reached: float | None, *, stated: bool) -> Question:
    if reached is None:
        return Question(problem, At.SAME_ACCURACY, "no chip has a design")
    task = problem.tasks[0]
    floor = max(reached, task.min_accuracy or 0.0)
    others = tuple(goal for goal in problem.objectives if goal.name.removeprefix("result.") != "accuracy")
    fallback = tuple(goal for goal in default_objectives() if goal.name != "accuracy")
    asked = problem.model_copy(
        update={
            "tasks": (task.model_copy(update={"min_accuracy": floor}), *problem.tasks[1:]),
            "objectives": others or fallback,
        }
    )
    why = "as asked" if stated else "the most that every chip with a design reaches"
    if floor > reached:
        why = f"the floor of the file; {reached:g} were asked"
    text = f"every design reaches at least {floor:g} points ({why}); beyond that accuracy does not count"
    return Question(asked, At.SAME_ACCURACY, text, accuracy=floor)


def _common_entry(answer: Answer) -> int | None:
    """The weights that are a design on most chips, of those the most accurate, then the first by name."""
    context, rows = answer.context, answer.survey.feasible
    if not len(rows):
        return None
    candidates = answer.candidates
    chip = context.lanes.chip[context.runs.lane[candidates.run[rows]]]
    chip_code = np.unique(chip.astype(str), return_inverse=True)[1]
    entry = candidates.entry[rows]
    pairs = np.unique(np.column_stack([entry, chip_code]), axis=0)[:, 0]
    found, chips = np.unique(pairs, return_counts=True)
    best = np.array([int(candidates.accuracy[rows][entry == one].max()) for one in found.tolist()])
    return int(found[np.lexsort((_name_order(answer, found), -best, -chips))[0]])


def _name_order(answer: Answer, entries: IntArray) -> IntArray:
    """Place of entries among their names."""
    names = [_entry_name(answer, entry) for entry in entries.tolist()]
    return np.argsort(np.argsort(np.array(names, dtype=object), kind="stable"), kind="stable")


def _entry_name(answer: Answer, entry: int) -> str:
    catalog = answer.context.catalog
    net = int(catalog.entries.net[entry])
    size = f"@{catalog.nets.input_h[net]}" if catalog.nets.input_h[net] else ""
    weights = str(catalog.entries.weights[entry])
    return f"{catalog.nets.id[net]}{size}" + (f" [{weights}]" if weights else "")


def _named_entry(answer: Answer, model: str) -> int:
    """The entry of the task a user named: ``yolov8s``, ``yolov8s@640`` or ``yolov8s@640 [weights]``."""
    names = {int(entry): _entry_name(answer, int(entry)) for entry in answer.context.chosen.entries}
    alike = [
        entry
        for entry, name in names.items()
        if any(matches(model, part) for part in (name, name.partition(" ")[0], name.partition("@")[0]))
    ]
    if not alike:
        shown = sorted({name.partition(" ")[0] for name in names.values()})
        message = f"is no network of the task {answer.context.task.name}"
        raise InputError([Fault("--model", 0, 0, model, message, name_hint(model, shown))])
    rows = answer.survey.feasible
    counts = {entry: int((answer.candidates.entry[rows] == entry).sum()) for entry in alike}
    return max(alike, key=lambda entry: (counts[entry], [-ord(letter) for letter in names[entry]]))


def _same_model(answer: Answer, entry: int) -> Question:
    """The problem with one network alone: its id, its input size, its weights."""
    context, catalog = answer.context, answer.context.catalog
    net = int(catalog.entries.net[entry])
    name, weights = str(catalog.nets.id[net]), str(catalog.entries.weights[entry])
    shorter = min(int(catalog.nets.input_h[net]), int(catalog.nets.input_w[net])) or None
    task = context.task.model_copy(
        update={"models": Selection(include=(name,)), "input": InputRange(min_px=shorter, max_px=shorter)}
    )
    limits = dict(context.problem.limits)
    if weights:
        limits["model.weights"] = Limit("model.weights", one_of=(weights,))
    problem = context.problem.model_copy(update={"tasks": (task,), "limits": limits})
    full = _entry_name(answer, entry)
    return Question(problem, At.SAME_MODEL, f"every design runs {full}", model=full)
