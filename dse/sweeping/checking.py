"""Judges every point of a sweep before the first is solved, by the rules of problem files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from dse.errors import Fault, ProblemError
from dse.estimate.store import Knowledge
from dse.problem.load import with_data
from dse.problem.spec import Problem
from dse.solving import checked_problem, vocabulary_of
from dse.sweeping.points import Plan, Point
from dse.sweeping.values import shortened
from dse.yamlfile.reader import Document

MAX_FAULTS = 100
"""Most different faults that are looked for; nobody reads more."""


@dataclass
class _Found:
    """A fault, the first point that has it, and how many have it."""

    fault: Fault
    point: Point
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
    """Names of tasks and chains at the points, and every fault of any point, each once with the first that has it."""
    vocabulary = vocabulary_of(knowledge.catalog)
    judgement = _Judgement()
    for point in plan.points:
        altered = with_data(document, plan.data(document.data, point))
        try:
            judgement.names = judgement.names.joined(checked_problem(altered, knowledge, vocabulary))
        except ProblemError as error:
            for fault in error.faults:
                _note(judgement.found, fault, point)
        if len(judgement.found) >= MAX_FAULTS:
            break
    return judgement.names, [_worded(one, plan) for one in judgement.found.values()]


def _note(found: dict[tuple[object, ...], _Found], fault: Fault, point: Point) -> None:
    """Faults that differ in the value alone are one."""
    key = (fault.file, fault.line, fault.column, fault.where, fault.message.partition(", found ")[0])
    if key in found:
        found[key].count += 1
    else:
        found[key] = _Found(fault, point)


def _worded(one: _Found, plan: Plan) -> Fault:
    """The fault with its point; one that every point has is the file's own."""
    if not plan.fields or 1 < one.count == len(plan.points):
        return one.fault
    changes = ", ".join(f"{path} = {shortened(str(value))}" for path, value in plan.changes(one.point).items())
    others = "" if one.count == 1 else f" and {one.count - 1:,} other{'s' if one.count > 2 else ''}"
    return replace(one.fault, message=f"{one.fault.message}, at point {one.point.number} ({changes}){others}")
