"""The parts of the file format that can be written and read, but not solved yet.

To support one: delete its rule. Nothing else in this station knows of these restrictions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dse.errors import Fault, ProblemError
from dse.problem.raw import Finding
from dse.problem.spec import Problem
from dse.yamlfile.tree import Path, where

Findings = Iterator[Finding]


def one_device(problem: Problem) -> Findings:
    """Designs of several devices."""
    devices = problem.search.devices
    for name, asked in (
        ("min", devices.min > 1),
        ("max", devices.max > 1),
        ("mixed", devices.mixed),
        ("spare", devices.spare),
    ):
        if asked:
            yield Finding(("search", "devices", name), "more than one device is not solved yet", "ask for one device")


def alone_at_p99(problem: Problem) -> Findings:
    """Guarantees that may fail now and then, among several tasks."""
    for index, task in enumerate(problem.tasks):
        if task.guarantee != "worst-case" and len(problem.tasks) > 1:
            message = f"the guarantee `{task.guarantee}` is not solved yet for several tasks"
            yield Finding(("tasks", index, "guarantee"), message, "use worst-case")


RULES: tuple[Callable[[Problem], Findings], ...] = (one_device, alone_at_p99)


def unsupported(problem: Problem) -> list[Fault]:
    """Everything in a valid problem that this version does not solve yet, ordered by line.

    An empty list means that it can be solved.
    """
    faults = []
    for rule in RULES:
        for finding in rule(problem):
            line, column = _place(problem, finding.path)
            faults.append(Fault(problem.file, line, column, where(finding.path), finding.message, finding.hint))
    return sorted(faults)


def refuse_several(problems: Sequence[Problem], what: str, hint: str = "keep one task") -> None:
    """Stop at problems with several tasks, for which `what` (``comparisons of``) is not yet built.

    Raises
    ------
    ProblemError
        Every such problem.
    """
    message = f"{what} problems with several tasks are not built yet; `dse solve` and `dse sweep` take them"
    faults = [
        Fault(problem.file, *problem.place(("tasks",)), "tasks", message, hint)
        for problem in problems
        if len(problem.tasks) > 1
    ]
    if faults:
        raise ProblemError(faults)


def _place(problem: Problem, path: Path) -> tuple[int, int]:
    while path:
        if (place := problem.place(path)) != (0, 0):
            return place
        path = path[:-1]
    return 0, 0
