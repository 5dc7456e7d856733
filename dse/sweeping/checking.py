"""Judges every point of a sweep before the first is solved, by the rules of problem files.

A fault that the file has without any change is its own; any other belongs to the values it is given.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from dse.errors import Fault, ProblemError
from dse.estimate.store import Knowledge
from dse.problem.load import with_data
from dse.problem.spec import Problem
from dse.solving import checked_problem, vocabulary_of
from dse.sweeping.points import VARY, Plan, Point
from dse.sweeping.values import shortened
from dse.yamlfile.reader import Document
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import where

MAX_FAULTS = 100
"""Most different faults that are looked for; nobody reads more."""


@dataclass
class _Found:
    """A fault, the first point that has it, whether the unchanged file has it too, and how many points have it."""

    fault: Fault
    point: Point
    own: bool
    count: int = 1


@dataclass(frozen=True)
class Names:
    """Names of the tasks and chains that some point has, each once, in order."""

    tasks: tuple[str, ...] = ()
    chains: tuple[str, ...] = ()

    def joined(self, problem: Problem) -> Names:
        """These names and those of one more problem."""
        tasks = tuple(task.name for task in problem.tasks)
        chains = tuple(chain.name for chain in problem.chains)
        return Names(tuple(dict.fromkeys((*self.tasks, *tasks))), tuple(dict.fromkeys((*self.chains, *chains))))


@dataclass
class _Judgement:
    names: Names = field(default_factory=Names)
    found: dict[tuple[object, ...], _Found] = field(default_factory=dict)


def judged(document: Document, plan: Plan, knowledge: Knowledge) -> tuple[Names, list[Fault]]:
    """Names of tasks and chains at the points, and every fault of any point, each once with the first that has it.

    A fault of the unchanged file counts when a point has it still.
    """
    vocabulary = vocabulary_of(knowledge.catalog)

    def problem_or_faults(data: Raw) -> Problem | tuple[Fault, ...]:
        try:
            return checked_problem(with_data(document, data), knowledge, vocabulary)
        except ProblemError as error:
            return error.faults

    unchanged = problem_or_faults(document.data)
    own = () if isinstance(unchanged, Problem) else unchanged
    judgement = _Judgement()
    for point in plan.points:
        found = problem_or_faults(plan.data(document.data, point))
        if isinstance(found, Problem):
            judgement.names = judgement.names.joined(found)
            continue
        for fault in found:
            _note(judgement.found, fault, point, own=fault in own)
        if len(judgement.found) >= MAX_FAULTS:
            break
    return judgement.names, [
        one.fault if one.own else _worded(one, plan, document.name) for one in judgement.found.values()
    ]


def _note(found: dict[tuple[object, ...], _Found], fault: Fault, point: Point, *, own: bool) -> None:
    """Faults that differ in the value alone are one."""
    key = (own, fault.file, fault.line, fault.column, fault.where, fault.message.partition(", found ")[0])
    if key in found:
        found[key].count += 1
    else:
        found[key] = _Found(fault, point, own)


def _worded(one: _Found, plan: Plan, problem: str) -> Fault:
    """The fault at the place where the values were given, with its point; one of a file of quotations stays there."""
    given = plan.changes(one.point)
    changes = ", ".join(f"{path} = {shortened(str(value))}" for path, value in given.items())
    others = "" if one.count == 1 else f" and {one.count - 1:,} other{'s' if one.count > 2 else ''}"
    message = f"{one.fault.message}, at point {one.point.number} ({changes}){others}"
    if one.fault.file != problem:
        return replace(one.fault, message=message)
    if plan.file:
        return replace(one.fault, file=plan.file, line=one.point.line, column=1, message=message)
    places = {plan.fields[index]: where(plan.places[index]) for index, _value in one.point.values}
    blamed = [path for path, place in places.items() if _meet(place, one.fault.where)] or list(places)
    return replace(one.fault, file=f"{VARY} {', '.join(map(shortened, blamed))}", line=0, column=0, message=message)


def _meet(first: str, second: str) -> bool:
    """Whether one of two places of a file is the other, or lies in it."""
    shorter, longer = sorted((first, second), key=len)
    return bool(shorter) and longer.startswith(shorter) and longer[len(shorter) :][:1] in ("", ".", "[")
