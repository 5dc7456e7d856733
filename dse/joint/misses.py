"""Where nothing holds: on which devices all tasks have rows, and by how much the easiest combination there misses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dse.joint.evaluate import Verdict
from dse.joint.table import Table
from dse.model.joint import Row
from dse.model.joint_solve import Combination

SHOWN = 3
MOST_TRIED = 100
"""Devices that are tried, those of the smallest load first."""


@dataclass(frozen=True)
class Miss:
    """The combination on one device that comes nearest among the easy ones, and its largest relative excess.

    ``excess`` is infinite where a requirement has no figure, such as a bound that is not known.
    """

    verdict: Verdict
    excess: float


def nearest_misses(table: Table) -> tuple[Miss, ...]:
    """At most `SHOWN` devices, the smallest excess first; none where a task has no row on any of them."""
    found: list[Miss] = []
    for combinations in _by_load(table)[:MOST_TRIED]:
        verdicts = [table.verdict(rows) for rows in combinations]
        misses = [Miss(verdict, max(one.excess for one in verdict.missed)) for verdict in verdicts if verdict.missed]
        if misses:
            found.append(min(misses, key=lambda miss: miss.excess))
    return tuple(sorted(found, key=lambda miss: miss.excess)[:SHOWN])


def _by_load(table: Table) -> list[list[Combination]]:
    """Easy combinations of every device, the device of the smallest load first."""
    tasks = table.instance.tasks
    found: list[tuple[int, list[Combination]]] = []
    for d in range(len(table.devices)):
        own = [[r for r, row in enumerate(rows) if row.device == d] for rows in tasks]
        easy = list(dict.fromkeys(_easy(table, own)))
        least = min(sum(tasks[k][r].load for k, r in enumerate(rows)) for rows in easy)
        found.append((least, easy))
    return [easy for _, easy in sorted(found, key=lambda one: one[0])]


def _easy(table: Table, own: list[list[int]]) -> Iterator[Combination]:
    """The rows of the smallest load, of the shortest latency alone, of the least memory, and spread over the units."""
    tasks = table.instance.tasks

    def smallest(figure: str) -> Combination:
        return tuple(
            min(rows, key=lambda r: (getattr(tasks[k][r], figure), tasks[k][r].place)) for k, rows in enumerate(own)
        )

    yield from (smallest("load"), smallest("alone"), smallest("memory"))
    yield _spread([[tasks[k][r] for r in rows] for k, rows in enumerate(own)], own)


def _spread(rows: list[list[Row]], own: list[list[int]]) -> Combination:
    """Task by task, the heaviest first, each where the fullest unit stays the least full."""
    chosen: dict[int, int] = {}
    full: dict[str, int] = {}
    for k in sorted(range(len(rows)), key=lambda k: -min(row.load for row in rows[k])):
        place = min(range(len(rows[k])), key=lambda i: (full.get(rows[k][i].unit, 0) + rows[k][i].load, i))
        row = rows[k][place]
        chosen[k], full[row.unit] = own[k][place], full.get(row.unit, 0) + row.load
    return tuple(chosen[k] for k in range(len(rows)))
