"""Chips that keep to the budget with a network of the task, by the runs measured or estimated there.

A run is in time when its mean, stretched to the slowest run that counts, is within the longest time of one inference;
it is surely in time when it still is with the margin that the guard asks of estimates. One item at a time only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dse.candidates.context import Context
from dse.candidates.kernels import binarized
from dse.candidates.run_table import ORIGINS
from dse.catalog.types import BoolArray, FloatArray, IntArray
from dse.estimate.evidence import GRADES
from dse.estimate.peak import highest_peak_tops
from dse.schema import QUANTITIES, UNKNOWN

SHOWN = 5
"""Chips that are named: the weakest by rated peak."""


@dataclass(frozen=True)
class Run:
    """A run of one network on one unit: its mean time and the budget there [ms], accuracy NaN where unknown."""

    chip: str
    unit: str
    mode: str
    runtime: str
    precision: str
    peak_tops: float
    model: str
    family: str
    mean_ms: float
    budget_ms: float
    accuracy: float
    grade: str
    origin: str
    sure: bool


@dataclass(frozen=True)
class FamilyRuns:
    """Runs of one family: chips with one in time, the weakest of them, and the fastest run anywhere."""

    family: str
    chips: int
    weakest: Run | None
    fastest: Run | None


@dataclass(frozen=True)
class Reach:
    """What of the runs of a task is within the budget.

    ``chips`` counts those with a network in time, ``sure`` those with one that still is with the guard's margin,
    ``accurate`` those with one in time that reaches the least accuracy asked for (None: none is asked for). ``weakest``
    are the first of the chips by rated peak, each with its most accurate network in time, and ``weakest_accurate``
    the first of those that are accurate enough; ``one_bit`` is the fastest binarized network.
    """

    considered: int
    with_runs: int
    chips: int
    sure: int
    accurate: int | None
    weakest: tuple[Run, ...]
    weakest_accurate: tuple[Run, ...]
    families: tuple[FamilyRuns, ...]
    one_bit: Run | None


def reach(context: Context, network_ms: Fraction) -> Reach:
    """Compare the runs of a task with the longest time of the slowest run [ms]."""
    runs, lanes, catalog = context.runs, context.lanes, context.catalog
    single = np.flatnonzero(runs.batch == 1)
    table = _Table(context, single, float(network_ms))
    in_time = table.slow_ms <= float(network_ms)
    rows = np.flatnonzero(in_time)
    chip = lanes.chip[runs.lane[single]]
    weakest = table.weakest(rows)
    asked = context.task.min_accuracy
    # Each chip stands with its most accurate network: no other one decides.
    accurate = [] if asked is None else [run for run in weakest if run.accuracy >= asked]
    family = catalog.nets.family[runs.net[single]]
    one_bit = np.flatnonzero(binarized(catalog)[runs.net[single]])
    return Reach(
        considered=context.space.chips_considered,
        with_runs=len(set(chip.tolist())),
        chips=len(weakest),
        sure=len(set(chip[table.sure].tolist())),
        accurate=None if asked is None else len(accurate),
        weakest=tuple(weakest[:SHOWN]),
        weakest_accurate=tuple(accurate[:SHOWN]),
        families=tuple(
            _family(table, name, np.flatnonzero(family == name), in_time)
            for name in sorted(set(catalog.nets.family[context.chosen.nets].tolist()))
        ),
        one_bit=table.fastest(one_bit),
    )


def _family(table: _Table, name: str, rows: IntArray, in_time: BoolArray) -> FamilyRuns:
    weakest = table.weakest(rows[in_time[rows]])
    return FamilyRuns(name, len(weakest), weakest[0] if weakest else None, table.fastest(rows))


class _Table:
    """Runs of single items, position by position; accuracies are looked up for few of them."""

    def __init__(self, context: Context, single: IntArray, network_ms: float) -> None:
        runs, service, lanes = context.runs, context.service, context.lanes
        self._context, self._single = context, single
        self._lane, self._net = runs.lane[single], runs.net[single]
        with np.errstate(invalid="ignore"):
            # The guard's factor is on the whole time or not at all; a stall added after it counts once.
            stall = np.where(lanes.statistic == "max", 0.0, service.stall_ms)[self._lane]
            added = stall if context.problem.guard.tail == "max" and context.level is None else np.zeros(len(single))
            margin = service.guard[single]
            self.slow_ms: FloatArray = (service.service_ms[single] - added) / margin + added
            self.sure: BoolArray = service.service_ms[single] <= network_ms
            stretch = service.tail[self._lane] * context.problem.guard.application_factor
            self._mean: FloatArray = (self.slow_ms - added) / stretch
            self._budget: FloatArray = (network_ms - added) / stretch
        names = zip(lanes.chips(context.catalog), lanes.unit.tolist(), strict=True)
        self._peak = np.array([highest_peak_tops(chip, unit) for chip, unit in names], dtype=np.float64)

    def weakest(self, rows: IntArray) -> list[Run]:
        """One run for each chip among `rows`, the most accurate one; chips by rated peak, those without one last."""
        value = self.accuracy(rows)
        chips = self._context.lanes.chip[self._lane[rows]]
        peak = self._peak[self._lane[rows]]
        order = np.lexsort([self.slow_ms[rows], peak, -np.nan_to_num(value, nan=-1.0), chips.astype(str)])
        first = np.r_[True, chips[order][1:] != chips[order][:-1]] if len(rows) else np.zeros(0, dtype=np.bool_)
        best = [self._run(int(rows[k]), float(value[k])) for k in order[first].tolist()]
        return sorted(best, key=lambda run: (np.isnan(run.peak_tops), run.peak_tops, run.chip))

    def fastest(self, rows: IntArray) -> Run | None:
        """The run with the shortest slowest run; None where there is none."""
        known = rows[np.isfinite(self.slow_ms[rows])]
        if not len(known):
            return None
        row = known[np.argmin(self.slow_ms[known])]
        return self._run(int(row), float(self.accuracy(np.array([row]))[0]))

    def accuracy(self, rows: IntArray) -> FloatArray:
        """Accuracy of the best weights of each run [percent], NaN where unknown."""
        context = self._context
        entries = context.chosen.entries
        entries = entries[np.argsort(context.catalog.entries.net[entries], kind="stable")]
        nets = context.catalog.entries.net[entries]
        start, stop = (np.searchsorted(nets, self._net[rows], side=side) for side in ("left", "right"))
        count = stop - start
        best = np.full(len(rows), UNKNOWN, dtype=np.int64)
        run = np.repeat(np.arange(len(rows)), count)
        if len(run):
            offset = np.arange(len(run)) - np.repeat(np.cumsum(count) - count, count)
            entry = entries[np.repeat(start, count) + offset]
            np.maximum.at(best, run, context.accuracy.of(self._lane[rows][run], entry).value)
        return np.where(best == UNKNOWN, np.nan, best / QUANTITIES["accuracy"].scale)

    def _run(self, row: int, accuracy: float) -> Run:
        context, lane, net = self._context, int(self._lane[row]), int(self._net[row])
        lanes, nets, number = context.lanes, context.catalog.nets, int(self._single[row])
        return Run(
            chip=str(lanes.chip[lane]),
            unit=str(lanes.unit[lane]),
            mode=str(lanes.mode[lane]),
            runtime=str(lanes.runtime[lane]),
            precision=str(lanes.precision[lane]),
            peak_tops=float(self._peak[lane]),
            model=str(nets.id[net]),
            family=str(nets.family[net]),
            mean_ms=float(self._mean[row]),
            budget_ms=float(self._budget[row]),
            accuracy=accuracy,
            grade=GRADES[int(context.runs.grade[number])],
            origin=ORIGINS[int(context.runs.origin[number])],
            sure=bool(self.sure[row]),
        )
