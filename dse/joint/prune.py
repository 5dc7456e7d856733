"""Rows that could be part of the best combination: of alike rows on one unit, those no other beats in anything.

Alike are rows on one device and unit, with one runtime, batch, policy and time-out. A row that is no better in
accuracy and no smaller in any time, memory, power or energy can be replaced by the other in every combination: bounds
never fall when a service or a delay grows.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from moocore import is_nondominated

from dse.candidates.worst import item_path_of
from dse.catalog.types import IntArray
from dse.joint.sides import Device, Side
from dse.joint.totals import Shares
from dse.schema import UNKNOWN
from dse.timing.ticks import up_ticks

Group = tuple[Device, str, int, str, int, str, int, int]


@dataclass(frozen=True)
class Kept:
    """Rows of one task that stay, with all that a combination depends on.

    ``rows`` (n,) are positions among the side's candidates, ascending by device, unit and name; ``group`` (n,) numbers
    what must be alike before rows compare, ``burdens`` (n, m) are the columns that only hurt when they grow.
    """

    rows: IntArray
    device: tuple[Device, ...]
    unit: tuple[str, ...]
    batched: tuple[bool, ...]
    group: IntArray
    burdens: IntArray

    def easier(self, k: int) -> IntArray:
        """Positions of the rows that hurt no more than row k in anything, itself included; the easiest first."""
        alike = self.group == self.group[k]
        lighter = np.flatnonzero(alike & (self.burdens <= self.burdens[k]).all(axis=1))
        weight = (self.burdens[lighter] / np.maximum(self.burdens[k], 1)).sum(axis=1)
        found: IntArray = lighter[np.argsort(weight, kind="stable")]
        return found

    def no_easier(self, k: int) -> IntArray:
        """Positions of the rows that hurt at least as much as row k in everything: no easier to fit in."""
        alike = self.group == self.group[k]
        harder: IntArray = np.flatnonzero(alike & (self.burdens >= self.burdens[k]).all(axis=1))
        return harder

    def on(self, devices: set[Device]) -> Kept:
        """Only the rows on some devices."""
        chosen = [k for k, device in enumerate(self.device) if device in devices]
        pick: IntArray = np.array(chosen, dtype=np.int64)
        return Kept(
            rows=self.rows[pick],
            device=tuple(self.device[k] for k in chosen),
            unit=tuple(self.unit[k] for k in chosen),
            batched=tuple(self.batched[k] for k in chosen),
            group=self.group[pick],
            burdens=self.burdens[pick],
        )


def kept_rows(side: Side, shares: Shares) -> Kept:
    """The rows of a task that no other beats; what neither a limit nor an objective asks of all tasks is no burden."""
    candidates, context, rows = side.candidates, side.context, side.rows
    burdens, batched = _burdens(side, shares, rows), context.runs.batch[candidates.run[rows]] > 1
    groups: dict[Group, list[int]] = defaultdict(list)
    for k, row in enumerate(rows.tolist()):
        run, option = int(candidates.run[row]), int(candidates.option[row])
        lane, way = context.lane_of(run), context.options[option]
        batch = int(context.runs.batch[run])
        timeout = int(up_ticks(np.array([way.timeout_ms]))[0]) if batch > 1 else 0
        key = (side.device_of(row), side.unit_of(row), int(context.lanes.cores[lane]), str(context.lanes.runtime[lane]),
               batch, way.policy if batch > 1 else "", timeout, way.buffers)  # fmt: skip
        groups[key].append(k)
    chosen: list[tuple[Group, int]] = []
    for key in sorted(groups):
        own = np.array(groups[key])
        own = own[np.argsort(side.order[rows[own]], kind="stable")]
        costs = np.column_stack([-candidates.accuracy[rows[own]], -candidates.accuracy_low[rows[own]], burdens[own]])
        _, first = np.unique(costs, axis=0, return_index=True)
        unique = np.sort(first)
        varying = costs[unique][:, (costs[unique] != costs[unique][0]).any(axis=0)]
        best = unique if varying.shape[1] == 0 else unique[_non_dominated(varying)]
        chosen += [(key, int(k)) for k in own[best]]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(key for key, _ in chosen))}
    places = np.array([k for _, k in chosen], dtype=np.int64)
    return Kept(
        rows=rows[places],
        device=tuple(key[0] for key, _ in chosen),
        unit=tuple(key[1] for key, _ in chosen),
        batched=tuple(bool(batched[k]) and key[5] != "count" for key, k in chosen),
        group=np.array([numbers[key] for key, _ in chosen], dtype=np.int64),
        burdens=burdens[places],
    )


def _non_dominated(costs: IntArray) -> IntArray:
    if costs.shape[1] == 1:
        return np.flatnonzero(costs[:, 0] == costs[:, 0].min())[:1]
    found: IntArray = np.flatnonzero(is_nondominated(costs.astype(float)))
    return found


def _comparable(column: IntArray) -> list[IntArray]:
    """Columns that grow together only between figures that are both known, or both not.

    An unknown figure is neither small nor large: it may be flagged where a known one is refused, and never wins on it.
    """
    unknown = (column == UNKNOWN).astype(np.int64)
    return [np.where(unknown, 0, column), unknown, 1 - unknown] if unknown.any() else [column]


def _burdens(side: Side, shares: Shares, rows: IntArray) -> IntArray:
    """All that only hurts when it grows, shape (rows, m): times of the path, service, memory, power, energy."""
    candidates, context = side.candidates, side.context
    run, option = candidates.run[rows], candidates.option[rows]
    goals = {objective.name.removeprefix("result.") for objective in context.problem.objectives}
    asked = goals | set(context.problem.limits)
    columns = [
        up_ticks(np.nan_to_num(context.service.service_ms[run])),
        up_ticks(np.nan_to_num(context.service.extra_ms[run])),
        *([candidates.typical_ms[rows]] if "typical_ms" in goals else []),
    ]
    figures = {"memory_mb": shares.memory, "power_w": shares.power}
    summed = [column for name, column in figures.items() if name in asked]
    summed += [shares.energy] if "energy_mj" in goals else []
    # What must lie in one region is a burden only where regions are listed.
    content = np.where(shares.region == UNKNOWN, 0, shares.content)
    for column in (*summed, shares.least_memory, *content):
        columns += _comparable(column[rows])
    timed: list[IntArray] = []
    for number in range(len(context.options)):
        own = np.flatnonzero(option == number)
        if not len(own):
            continue
        path = item_path_of(context, run[own], number, context.shared_stages)
        for place, times in enumerate(path.stages):
            if len(timed) <= place:
                timed.append(np.zeros(len(rows), dtype=np.int64))
            timed[place][own] = times.ticks
    return np.column_stack([*columns, *timed])
