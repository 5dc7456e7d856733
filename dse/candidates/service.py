"""Worst-case service of the network: typical time x guard x tail, from the run's own evidence.

    service = base x guard factor x p99.9/mean of the unit's class x application factor

The guard acts on estimates only, one-sided: the 90 % interval of a run, scaled to the confidence its grade asks for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from dse.candidates.lanes import Lanes
from dse.candidates.run_table import Space
from dse.catalog.types import Catalog, FloatArray, Tail, TextArray, text_array
from dse.estimate.evidence import GRADES
from dse.estimate.guard import confidence_by_grade, share_of_half_width
from dse.problem.settings import Guard
from dse.problem.spec import Problem, Task

SOFT_LEVEL = 0.99
"""Share of the items a deadline with the guarantee p99 holds for."""


@dataclass(frozen=True)
class Service:
    """Worst-case service of one batch, shape (n,) [ms], NaN where a factor is not known.

    ``extra_ms`` is latency that does not occupy the unit: the depth of a pipelined device. ``tail`` and ``stall_ms``
    (the longest stall seen on units of this class, NaN where unknown) are per lane; the stall is part of the service
    only with ``tail: max``.
    """

    service_ms: FloatArray
    extra_ms: FloatArray
    guard: FloatArray
    tail: FloatArray
    stall_ms: FloatArray
    tail_class: TextArray


def is_soft(task: Task) -> bool:
    """Whether the deadline holds for most items, as an estimate, instead of for all."""
    return task.guarantee == "p99"


def tail_of(problem: Problem, task: Task) -> str:
    """Which slow run of the network counts: the guard's, or that of the guarantee where it is an estimate."""
    return "p99" if is_soft(task) else problem.guard.tail


def worst_service(space: Space, guard: Guard, catalog: Catalog, wanted: str) -> Service:
    """Service of every run under the problem's guard, with the tail `wanted`."""
    runs, lanes = space.runs, space.lanes
    classes = _tail_classes(lanes, catalog)
    tail = np.array(
        [
            _tail(catalog.tails.get(name), statistic, wanted)
            for name, statistic in zip(classes, lanes.statistic, strict=True)
        ]
    )
    stall = np.array([_stall(catalog.tails.get(name)) for name in classes.tolist()])
    factor = guard_factor(space, guard, catalog)
    stretch = factor * tail[runs.lane] * guard.application_factor
    is_period = np.isfinite(runs.period_ms)
    occupied = np.where(is_period, runs.period_ms, runs.base_ms)
    service = occupied * stretch
    if wanted == "max":
        service = service + np.where(lanes.statistic == "max", 0.0, stall)[runs.lane]
    extra = np.where(is_period, (runs.base_ms - occupied) * stretch, 0.0)
    return Service(service, extra, factor, tail, stall, classes)


def _tail_classes(lanes: Lanes, catalog: Catalog) -> TextArray:
    """Row of the tail table for every lane; empty where the chip lists no such unit."""
    units = [chip.unit(kind) for chip, kind in zip(lanes.chips(catalog), lanes.unit, strict=True)]
    return text_array(unit.tail_class if unit is not None else "" for unit in units)


def guard_factor(space: Space, guard: Guard, catalog: Catalog) -> FloatArray:
    """Factor on the time of each run; 1 for measurements under this very key."""
    runs = space.runs
    if isinstance(guard.confidence, float):
        share = share_of_half_width(np.array([guard.confidence]))
    else:
        share = _share_by_grade(space, catalog)
    measured = runs.grade == GRADES.index("A")
    return np.where(measured, 1.0, runs.spread**share)


def _share_by_grade(space: Space, catalog: Catalog) -> FloatArray:
    """Share of the half-width per run: by grade, and for C by how well chip and network are known.

    Worked out for each grade, kind of network and lane, of which there are far fewer than runs.
    """
    runs, lanes = space.runs, space.lanes
    counts = _measured_nets(catalog)
    per_lane = np.array([counts.get(key, 0) for key in zip(lanes.chip, lanes.unit, lanes.runtime, strict=True)])
    grade, elsewhere, models = np.meshgrid(np.arange(len(GRADES)), [False, True], per_lane, indexing="ij")
    confidence = confidence_by_grade(grade, elsewhere, models)
    share = share_of_half_width(confidence.ravel()).reshape(confidence.shape)
    return share[runs.grade, runs.known_elsewhere.astype(np.int64), runs.lane]


def _measured_nets(catalog: Catalog) -> dict[tuple[str, str, str], int]:
    """How many networks were measured on each unit with each runtime."""
    m = catalog.measurements
    runs = set(zip(m.chip.tolist(), m.unit.tolist(), m.runtime.tolist(), m.net.tolist(), strict=True))
    return Counter((chip, unit, runtime) for chip, unit, runtime, _ in runs)


def _tail(tail: Tail | None, statistic: str, wanted: str) -> float:
    """Factor from the mean to the wanted tail; a statistic that is a tail already is not stretched again."""
    if statistic in ("p99.9", "max") or (statistic == "p99" and wanted == "p99"):
        return 1.0
    if tail is None:
        return float("nan")
    if statistic == "p99":
        return tail.p999_over_mean / tail.p99_over_mean
    return tail.p99_over_mean if wanted == "p99" else tail.p999_over_mean


def _stall(tail: Tail | None) -> float:
    return float("nan") if tail is None or tail.stall_ms is None else tail.stall_ms
