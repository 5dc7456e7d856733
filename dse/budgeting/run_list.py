"""The runs of a task, one item at a time, against the longest time of the slowest run; and the best run of every chip.

A run is in time when its mean, stretched to the slowest run that counts, is within that time; it is surely in time when
it still is with the margin that the guard asks of estimates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.budgeting.peaks import peak_of
from dse.candidates.context import Context
from dse.candidates.run_table import ORIGINS
from dse.catalog.types import BoolArray, FloatArray, IntArray, TextArray
from dse.estimate.evidence import GRADES
from dse.schema import QUANTITIES, UNKNOWN


@dataclass(frozen=True)
class Run:
    """A run of one network on one unit: its mean time and the budget there [ms].

    ``peak_tops`` is what one inference can use of the unit's rated peak [10^12 operation/s], ``share`` of the whole, at
    ``peak_precision``; NaN and empty where none is rated. ``accuracy`` and ``accuracy_low`` are of the best weights as
    deployed here and the lower end of their interval, NaN where unknown.
    """

    chip: str
    unit: str
    mode: str
    runtime: str
    precision: str
    peak_tops: float
    peak_precision: str
    share: float
    model: str
    family: str
    mean_ms: float
    budget_ms: float
    accuracy: float
    accuracy_low: float
    grade: str
    origin: str
    sure: bool


@dataclass(frozen=True)
class Pairs:
    """Runs with one of their weights each, shape (n,): position of the run in the list, accuracy and its lower end."""

    row: IntArray
    accuracy: FloatArray
    low: FloatArray

    def take(self, kept: BoolArray) -> Pairs:
        """Some of them."""
        return Pairs(self.row[kept], self.accuracy[kept], self.low[kept])


class RunList:
    """Runs of single items, position by position; accuracies are looked up for few of them.

    Parameters
    ----------
    network_ms : float
        Longest time of the slowest run.
    """

    def __init__(self, context: Context, network_ms: float) -> None:
        runs, service, lanes = context.runs, context.service, context.lanes
        self.single: IntArray = np.flatnonzero(runs.batch == 1)
        self._context, single = context, self.single
        self._lane, self._net = runs.lane[single], runs.net[single]
        with np.errstate(invalid="ignore"):
            # The guard's factor is on the whole time or not at all; a stall added after it counts once.
            stall = np.where(lanes.statistic == "max", 0.0, service.stall_ms)[self._lane]
            added = stall if context.problem.guard.tail == "max" and context.level is None else np.zeros(len(single))
            margin = service.guard[single]
            self.slow_ms: FloatArray = (service.service_ms[single] - added) / margin + added
            self.in_time: BoolArray = self.slow_ms <= network_ms
            self.sure: BoolArray = service.service_ms[single] <= network_ms
            stretch = service.tail[self._lane] * context.problem.guard.application_factor
            self._mean: FloatArray = (self.slow_ms - added) / stretch
            self._budget: FloatArray = (network_ms - added) / stretch
        names = zip(lanes.chips(context.catalog), lanes.unit.tolist(), strict=True)
        self._peaks = [peak_of(chip, unit) for chip, unit in names]
        self._tops = np.array([np.nan if peak is None else float(peak.tops) for peak in self._peaks])

    @property
    def chip(self) -> TextArray:
        """Chip of every run, by name."""
        return self._context.lanes.chip[self._lane]

    @property
    def family(self) -> TextArray:
        """Family of every run's network, by name."""
        return self._context.catalog.nets.family[self._net]

    @property
    def net(self) -> IntArray:
        """Network of every run."""
        return self._net

    def pairs(self, rows: IntArray) -> Pairs:
        """Every run with each weights its network has for the task."""
        context = self._context
        entries = context.chosen.entries
        entries = entries[np.argsort(context.catalog.entries.net[entries], kind="stable")]
        nets = context.catalog.entries.net[entries]
        start, stop = (np.searchsorted(nets, self._net[rows], side=side) for side in ("left", "right"))
        count = stop - start
        at = np.repeat(np.arange(len(rows)), count)
        if not len(at):
            return Pairs(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
        offset = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)
        found = context.accuracy.of(self._lane[rows][at], entries[np.repeat(start, count) + offset])
        return Pairs(rows[at], points(found.value), points(found.low))

    def weakest(self, pairs: Pairs) -> list[Run]:
        """One run for each chip, the most accurate one; chips by rated peak, those without one last."""
        rows = pairs.row
        chips, peak = self.chip[rows], self._tops[self._lane[rows]]
        order = np.lexsort([self.slow_ms[rows], peak, -np.nan_to_num(pairs.accuracy, nan=-1.0), chips.astype(str)])
        first = np.r_[True, chips[order][1:] != chips[order][:-1]] if len(rows) else np.zeros(0, dtype=np.bool_)
        best = [self._run(pairs, k) for k in order[first].tolist()]
        return sorted(best, key=lambda run: (np.isnan(run.peak_tops), run.peak_tops, run.chip))

    def fastest(self, rows: IntArray) -> Run | None:
        """The run with the shortest slowest run, with its best weights; None where there is none."""
        known = rows[np.isfinite(self.slow_ms[rows])]
        if not len(known):
            return None
        pairs = self.pairs(known[np.argmin(self.slow_ms[known], keepdims=True)])
        return self._run(pairs, int(np.argmax(np.nan_to_num(pairs.accuracy, nan=-1.0))))

    def _run(self, pairs: Pairs, at: int) -> Run:
        row = int(pairs.row[at])
        context, lane, net = self._context, int(self._lane[row]), int(self._net[row])
        lanes, nets, number, peak = context.lanes, context.catalog.nets, int(self.single[row]), self._peaks[lane]
        return Run(
            chip=str(lanes.chip[lane]),
            unit=str(lanes.unit[lane]),
            mode=str(lanes.mode[lane]),
            runtime=str(lanes.runtime[lane]),
            precision=str(lanes.precision[lane]),
            peak_tops=float("nan") if peak is None else float(peak.tops),
            peak_precision="" if peak is None else peak.precision,
            share=float("nan") if peak is None else float(peak.share),
            model=str(nets.id[net]),
            family=str(nets.family[net]),
            mean_ms=float(self._mean[row]),
            budget_ms=float(self._budget[row]),
            accuracy=float(pairs.accuracy[at]),
            accuracy_low=float(pairs.low[at]),
            grade=GRADES[int(context.runs.grade[number])],
            origin=ORIGINS[int(context.runs.origin[number])],
            sure=bool(self.sure[row]),
        )


def points(whole: IntArray) -> FloatArray:
    """Accuracies in the units of their metric, NaN where unknown."""
    return np.where(whole == UNKNOWN, np.nan, whole / QUANTITIES["accuracy"].scale)
