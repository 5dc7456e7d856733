"""The limits of a problem as its user wrote them: one per rule, with the line of the file, or named as what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from dse.candidates.context import Context
from dse.candidates.limits import ONE_REGION, Rule
from dse.problem.limits import ALIASES
from dse.yamlfile.tree import Path

CAPACITY = "memory capacity"
NOWHERE = (0, 0)


class Kind(StrEnum):
    """Where a requirement comes from."""

    ASKED = "asked"
    DEFAULT = "default"
    ALWAYS = "always checked"


@dataclass(frozen=True)
class Requirement:
    """One limit.

    Parameters
    ----------
    bit : int
        Its bit in ``violated`` of the candidates.
    rule : Rule
        What the candidates are judged by.
    kind : Kind
        Whether the file states it.
    path : tuple
        Where it stands in the file: ``("limits", "power_w")``; where it would stand, if it does not.
    line : int
        One-based line of the file; 0 where it is not written.
    """

    bit: int
    rule: Rule
    kind: Kind
    path: Path
    line: int

    @property
    def name(self) -> str:
        """Name of the rule."""
        return self.rule.name

    @property
    def is_yes_or_no(self) -> bool:
        """Whether it is met or not, with nothing between."""
        return self.rule.column.startswith("verdict:")


def requirements_of(context: Context) -> tuple[Requirement, ...]:
    """Every rule of a task with the place it was written at, in the order of the rules."""
    return tuple(_requirement(context, bit, rule) for bit, rule in enumerate(context.rules))


def _requirement(context: Context, bit: int, rule: Rule) -> Requirement:
    paths = list(_paths(context, rule))
    for path in paths:
        if (place := context.problem.place(path)) != NOWHERE:
            return Requirement(bit, rule, Kind.ASKED, path, place[0])
    if rule.name in (CAPACITY, ONE_REGION):
        return Requirement(bit, rule, Kind.ALWAYS, (), 0)
    # A problem made without a file has no lines: only the default of the loads is known not to be the user's.
    unwritten = rule.name == "utilization" and (context.problem.file != "<memory>" or not _has_lines(context))
    return Requirement(bit, rule, Kind.DEFAULT if unwritten else Kind.ASKED, paths[0], 0)


def _has_lines(context: Context) -> bool:
    return context.problem.place(("tasks",)) != NOWHERE


def _paths(context: Context, rule: Rule) -> Iterator[Path]:
    """Places a rule may be written at, the usual one first."""
    problem, task = context.problem, context.task
    at = problem.tasks.index(task)
    # One task may stand without a list around it.
    here: list[Path] = [("tasks", at), ("tasks",)]
    if rule.name == "rate":
        names = ("rate_hz", "period_ms")
        if task.source is not None:
            k = next(k for k, source in enumerate(problem.sources) if source.name == task.source)
            here = [("sources", k), ("sources",)]
        yield from ((*path, name) for path in here for name in names)
    elif rule.name in ("deadline_ms", "min_accuracy", "max_accuracy_drop"):
        yield from ((*path, rule.name) for path in here)
    elif rule.name.startswith("stage "):
        yield from _stage_paths(context, rule.name.removeprefix("stage "), here)
    elif rule.name == "max_streams_each":
        yield ("search", "devices", "max_streams_each")
    elif rule.name not in (CAPACITY, ONE_REGION):
        yield ("limits", rule.name)
        yield from (("limits", alias) for alias, (name, _) in ALIASES.items() if name == rule.name)


def _stage_paths(context: Context, name: str, here: list[Path]) -> Iterator[Path]:
    """The `max_ms` of a stage, of the task or of the source it reads."""
    for k, stage in enumerate(context.task.stages):
        if stage.name == name:
            yield from ((*path, "stages", k, "max_ms") for path in here)
    for s, source in enumerate(context.problem.sources):
        yield from (("sources", s, "stages", k, "max_ms") for k, st in enumerate(source.stages) if st.name == name)
    yield (*here[0], "stages")
