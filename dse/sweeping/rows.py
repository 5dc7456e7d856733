"""The table of a sweep: which columns it has, where the winner changes, and one row of cells per point."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dse.report.table import safe
from dse.sweeping.points import Plan
from dse.sweeping.summary import CHAIN, DEVICE, FIGURES, RUN, TOTALS
from dse.yamlfile.scalars import Raw

JsonObject = dict[str, Any]

OUTCOME = ("point", "status", "label", "winner_changes")
REASON = "reason"
WHOLE = 2**53
"""Below this, a whole number is written without `.0`, as in the candidate table."""
COLUMNS = (*OUTCOME, *DEVICE, *RUN, *FIGURES, *TOTALS, REASON)
"""Columns after the fields varied, of a problem with one task."""


def header(data: JsonObject) -> list[str]:
    """Columns in their order, each once; of several tasks those of a task begin with its name, then those of chains.

    Where a name is taken already, ``task.``, ``chain.`` or ``varied.`` comes before it.
    """
    taken = {*COLUMNS}
    if len(data["tasks"]) == 1:
        return [*_free("varied.", ([path] for path in data["fields"]), taken), *COLUMNS]
    of_tasks = _free("task.", ([f"{task}.{name}" for name in (*RUN, *FIGURES)] for task in data["tasks"]), taken)
    of_chains = _free("chain.", ([f"{chain}.{name}" for name in CHAIN] for chain in data["chains"]), taken)
    fields = _free("varied.", ([path] for path in data["fields"]), taken)
    return [*fields, *OUTCOME, *DEVICE, *TOTALS, *of_tasks, *of_chains, REASON]


def rows(data: JsonObject) -> Iterator[list[Raw]]:
    """Values of every point, in the order of `header`; None where a figure is unknown, or a field has no value."""
    none: JsonObject = {}
    for point in data["points"]:
        device = point["device"]
        values = [*(point["values"][path] for path in data["fields"]), *(point[name] for name in OUTCOME)]
        if len(data["tasks"]) == 1:
            found = {**next(iter(point["tasks"].values()), none), **device}
            values += [found.get(name) for name in (*DEVICE, *RUN, *FIGURES, *TOTALS)]
        else:
            values += [device.get(name) for name in (*DEVICE, *TOTALS)]
            for task in data["tasks"]:
                values += [point["tasks"].get(task, none).get(name) for name in (*RUN, *FIGURES)]
            for chain in data["chains"]:
                values += [point["chains"].get(chain, none).get(name) for name in CHAIN]
        yield [*values, point[REASON]]


def cells(row: Sequence[Raw]) -> list[str]:
    """A row as text for CSV: unknown ones are empty, lists and mappings as one could write them in the file."""
    return [_cell(value) for value in row]


def with_changes(plan: Plan, data: Raw, summaries: Mapping[int, JsonObject]) -> list[JsonObject]:
    """Every point in order with its number, its changes, and whether another design wins than before.

    ``values`` holds every field varied: as the point changes it, or as the problem file (`data`) has it, or None.

    ``winner_changes`` compares the design (what is bought and how each task runs, not its figures) with that of one
    point before: the nearest one with a design along the last field, the others being equal; where there is none, the
    nearest along the field before that, and so on. It is None where a point has no design, or there is no such point.
    """
    found: list[JsonObject] = []
    unchanged = plan.as_in_file(data)
    last: dict[tuple[int, tuple[int, ...]], JsonObject] = {}  # by field, and the places in all others
    for point in plan.points:
        summary = summaries[point.number]
        design, changes = design_of(summary), None
        if design is not None:
            lines = [(k, point.place[:k] + point.place[k + 1 :]) for k in reversed(range(len(point.place)))]
            before = next((last[line] for line in lines if line in last), None)
            changes = None if before is None else design != before
            last.update(dict.fromkeys(lines, design))
        varied = plan.changes(point)
        head = {"point": point.number, "changes": varied, "values": {**unchanged, **varied}, "winner_changes": changes}
        found.append({**head, **summary})
    return found


def designs_in(points: Iterable[JsonObject]) -> int:
    """How many different designs win."""
    designs = (design_of(point) for point in points)
    return len({json.dumps(design, sort_keys=True) for design in designs if design is not None})


def design_of(summary: JsonObject) -> JsonObject | None:
    """What is bought and how each task runs; None without a design."""
    if not summary["tasks"]:
        return None
    tasks = {task: {name: one[name] for name in RUN} for task, one in summary["tasks"].items()}
    return {"device": {name: summary["device"][name] for name in DEVICE}, "tasks": tasks}


def _free(prefix: str, groups: Iterable[list[str]], taken: set[str]) -> list[str]:
    """Names of all groups; those of a group in which one is taken, as a file would have it, get the prefix."""
    found: list[str] = []
    for names in groups:
        count = 0
        while not taken.isdisjoint(safe(prefix * count + name) for name in names):
            count += 1
        found += [prefix * count + name for name in names]
        taken.update(map(safe, found))
    return found


def _cell(value: Raw) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < WHOLE:
        return str(int(value))
    return safe(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
