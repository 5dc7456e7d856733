"""Worst-case service of the network: typical time x guard x tail, from the run's own evidence.

    service = base x guard factor x p99.9/mean of the unit's class x application factor

The guard acts on estimates only, one-sided: the 90 % interval of a run, scaled to the confidence its grade asks for.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from dse.candidates.runs import Runs
from dse.catalog.types import BoolArray, Catalog, FloatArray, TextArray
from dse.estimate.speed import GRADES
from dse.problem.settings import Guard

INTERVAL_QUANTILE = NormalDist().inv_cdf(0.95)  # the spread bounds the middle 90 %
MANY_MODELS, FEW_MODELS = 10, 3  # measured networks of a chip: more than these, at most these
CONFIDENCE_B, CONFIDENCE_KNOWN, CONFIDENCE_NEW, CONFIDENCE_FEW = 0.8, 0.8, 0.9, 0.95


@dataclass(frozen=True)
class Service:
    """Worst-case service of one batch, shape (n,) [ms], NaN where a factor is not known.

    ``extra_ms`` is latency that does not occupy the unit: the depth of a pipelined device. ``stall_ms`` is the
    longest stall seen on units of this class, NaN where unknown; part of the service only with ``tail: max``.
    """

    service_ms: FloatArray
    extra_ms: FloatArray
    guard: FloatArray
    tail: FloatArray
    stall_ms: FloatArray
    tail_class: TextArray


def worst_service(runs: Runs, guard: Guard, catalog: Catalog) -> Service:
    """Service of every run under the problem's guard."""
    unit_class = {(chip.id, unit.kind): unit.tail_class for chip in catalog.chips.values() for unit in chip.units}
    classes = np.array([unit_class.get(key, "") for key in zip(runs.chip, runs.unit, strict=True)], dtype=object)
    tail = np.array([_tail(catalog, name, statistic, guard.tail) for name, statistic in zip(classes, runs.statistic, strict=True)])
    stall = np.array([_stall(catalog, name) for name in classes])
    factor = guard_factor(runs, guard, catalog)
    stretch = factor * tail * guard.application_factor
    is_period = np.isfinite(runs.period_ms)
    occupied = np.where(is_period, runs.period_ms, runs.base_ms)
    service = occupied * stretch
    if guard.tail == "max":
        service = service + np.where(np.isin(runs.statistic.astype(str), ["max"]), 0.0, stall)
    extra = np.where(is_period, (runs.base_ms - occupied) * stretch, 0.0)
    return Service(service, extra, factor, tail, stall, classes)


def guard_factor(runs: Runs, guard: Guard, catalog: Catalog) -> FloatArray:
    """Factor on the time of each run; 1 for measurements under this very key."""
    if isinstance(guard.confidence, float):
        confidence = np.full(len(runs), guard.confidence)
    else:
        confidence = _by_grade(runs, catalog)
    quantiles = {level: NormalDist().inv_cdf(level) / INTERVAL_QUANTILE for level in np.unique(confidence).tolist() if level > 0.5}
    exponent = np.array([quantiles.get(level, 0.0) for level in confidence.tolist()])
    measured = runs.grade == GRADES.index("A")
    return np.where(measured, 1.0, runs.spread ** np.where(measured, 0.0, exponent))


def _by_grade(runs: Runs, catalog: Catalog) -> FloatArray:
    """Confidence per run; 0.5 (no guard) for grade A."""
    m = catalog.measurements
    counts = _measured_nets(m.chip, m.unit, m.net)
    models = np.array([counts.get(key, 0) for key in zip(runs.chip, runs.unit, strict=True)])
    grade_c = np.where(models <= FEW_MODELS, CONFIDENCE_FEW,
                       np.where(runs.known_elsewhere & (models > MANY_MODELS), CONFIDENCE_KNOWN, CONFIDENCE_NEW))
    by_grade = np.select([runs.grade == 0, runs.grade == 1, runs.grade == 2], [0.5, CONFIDENCE_B, grade_c], CONFIDENCE_FEW)
    return np.asarray(by_grade, dtype=float)


def _measured_nets(chip: TextArray, unit: TextArray, net: np.ndarray) -> dict[tuple[str, str], int]:
    """How many networks were measured on each unit."""
    seen: dict[tuple[str, str], int] = {}
    for name, kind, _ in set(zip(chip.tolist(), unit.tolist(), net.tolist(), strict=True)):
        seen[name, kind] = seen.get((name, kind), 0) + 1
    return seen


def _tail(catalog: Catalog, name: str, statistic: str, wanted: str) -> float:
    """Factor from the mean to the wanted tail; a statistic that is a tail already is not stretched again."""
    tail = catalog.tails.get(name)
    if statistic in ("p99.9", "max") or (statistic == "p99" and wanted == "p99"):
        return 1.0
    if tail is None:
        return float("nan")
    if statistic == "p99":
        return tail.p999_over_mean / tail.p99_over_mean
    return tail.p99_over_mean if wanted == "p99" else tail.p999_over_mean


def _stall(catalog: Catalog, name: str) -> float:
    tail = catalog.tails.get(name)
    return float("nan") if tail is None or tail.stall_ms is None else tail.stall_ms
