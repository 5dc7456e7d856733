"""The parts of the file format that can be written and read, but not solved yet.

To support one: delete its rule. Nothing else in this station knows of these restrictions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dse.errors import Fault
from dse.problem.raw import Finding
from dse.problem.spec import Problem
from dse.yamlfile.tree import Path, where

Findings = Iterator[Finding]


def one_task(problem: Problem) -> Findings:
    """Several tasks compete for the same units."""
    if len(problem.tasks) > 1:
        yield Finding(("tasks", 1), "more than one task is not solved yet", "solve each task in a file of its own")


def no_followers(problem: Problem) -> Findings:
    """Tasks that are released by other tasks."""
    for index, task in enumerate(problem.tasks):
        if task.after:
            yield Finding(("tasks", index, "after"), "`after` is not solved yet")
        if task.items_per_frame.max != 1 or task.items_per_frame.mean != 1:
            path = ("tasks", index, "items_per_frame")
            yield Finding(path, "other than one item per frame is not solved yet", "state the rate of the items")


def no_chains(problem: Problem) -> Findings:
    """Deadlines over several tasks."""
    if problem.chains:
        yield Finding(("chains",), "chains are not solved yet")


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


def fifo_only(problem: Problem) -> Findings:
    """Other orders of tasks that share a unit."""
    if problem.search.scheduling != "fifo":
        message = f"the scheduling `{problem.search.scheduling}` is not solved yet"
        yield Finding(("search", "scheduling"), message, "use fifo")


RULES: tuple[Callable[[Problem], Findings], ...] = (
    one_task,
    no_followers,
    no_chains,
    one_device,
    fifo_only,
)


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


def _place(problem: Problem, path: Path) -> tuple[int, int]:
    while path:
        if (place := problem.place(path)) != (0, 0):
            return place
        path = path[:-1]
    return 0, 0
