"""What new measurements change: how far they lie from the estimates, and which estimates they move and narrow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.catalog.types import BoolArray, FloatArray
from dse.estimate.evidence import GRADES, LEVELS, grades
from dse.estimate.speed import Calibrations
from dse.estimate.statistics import to_mean
from dse.estimate.store import Knowledge

MOVED = 1.05
"""An estimate has changed when its time or its interval did by more than this factor."""
SURPRISE = 3.0
"""A measurement further than this factor from its estimate is doubted."""
Key = tuple[str, str, str, int, str, str]
"""Chip, mode, unit, cores, runtime and precision."""


@dataclass(frozen=True)
class Arrival:
    """One new measurement beside what was known before it: older measurements of the same run (grade A, from the
    fastest to the slowest), else the estimate with its 90 % interval; None where there was nothing.
    """

    where: str
    model: str
    input_h: int
    input_w: int
    measured_ms: float
    estimated_ms: float | None
    low_ms: float | None
    high_ms: float | None
    grade: str | None

    @property
    def ratio(self) -> float | None:
        """Measured over estimated."""
        return None if self.estimated_ms is None else self.measured_ms / self.estimated_ms

    @property
    def surprising(self) -> bool:
        """Whether it lies more than `SURPRISE` from its estimate."""
        return self.ratio is not None and not 1 / SURPRISE <= self.ratio <= SURPRISE

    @property
    def inside(self) -> bool | None:
        """Whether it lies in the stated interval; older measurements state none."""
        if self.low_ms is None or self.high_ms is None or self.grade == "A":
            return None
        return self.low_ms <= self.measured_ms <= self.high_ms


@dataclass(frozen=True)
class Shift:
    """Estimates of one unit, runtime and precision that changed.

    ``spread_before`` and ``spread_after`` are the medians of the 90 % half-widths [factor] over the networks that
    changed, None before where the unit had none; ``time_factor`` the median factor on their times.
    """

    where: str
    networks: int
    new: int
    time_factor: float | None
    spread_before: float | None
    spread_after: float


def arrivals(before: Knowledge, after: Knowledge) -> list[Arrival]:
    """The measurements that `after` has and `before` has not, each beside its estimate of before."""
    m, nets = after.catalog.measurements, after.catalog.nets
    first_new = len(before.catalog.measurements.chip)
    rows_of = _rows_of(before.speeds.calibrations)
    found = []
    for k in range(first_new, len(m.chip)):
        key = (m.chip[k], m.mode[k], m.unit[k], int(m.cores[k]), m.runtime[k], m.precision[k])
        net = int(m.net[k])
        estimate: list[float | None] = [None, None, None]
        grade = None
        row = rows_of.get(key)
        older = _measured_before(before, key, net, int(m.batch[k]), str(m.quantity[k]))
        if len(older):
            estimate = [float(np.exp(np.log(older).mean())), float(older.min()), float(older.max())]
            grade = "A"
        elif row is not None and m.batch[k] == 1 and m.quantity[k] == "latency" and net < before.speeds.level.shape[1]:
            typical, spread = float(before.speeds.typical_ms[row, net]), float(before.speeds.spread[row, net])
            if np.isfinite(typical):
                estimate = [typical, typical / spread, typical * spread]
                grade = GRADES[int(grades(before.speeds.level[row, net]))]
        mean_ms = float(m.time_ms[k] * to_mean(m.statistic[k : k + 1])[0])
        found.append(
            Arrival(
                where=_words(key),
                model=str(nets.id[net]),
                input_h=int(nets.input_h[net]),
                input_w=int(nets.input_w[net]),
                measured_ms=mean_ms,
                estimated_ms=estimate[0],
                low_ms=estimate[1],
                high_ms=estimate[2],
                grade=grade,
            )
        )
    return found


def _measured_before(before: Knowledge, key: Key, net: int, batch: int, quantity: str) -> FloatArray:
    """Mean times of the same run that are in the catalogue already [ms]; networks keep their places in it."""
    m = before.catalog.measurements
    chip, mode, unit, cores, runtime, precision = key
    same = (m.chip == chip) & (m.mode == mode) & (m.unit == unit) & (m.cores == cores) & (m.runtime == runtime)
    same &= (m.precision == precision) & (m.net == net) & (m.batch == batch) & (m.quantity == quantity)
    times: FloatArray = m.time_ms[same] * to_mean(m.statistic[same])
    return times


def shifts(before: Knowledge, after: Knowledge) -> list[Shift]:
    """Units whose estimates changed, the most networks first."""
    old_rows, found = _rows_of(before.speeds.calibrations), []
    position = {key: k for k, key in enumerate(_net_keys(before))}
    at = np.array([position.get(key, -1) for key in _net_keys(after)], dtype=np.int64)
    for key, row in _rows_of(after.speeds.calibrations).items():
        now, width = _figures(after, row)
        old = old_rows.get(key)
        was, was_width = _figures(before, old) if old is not None else (np.full(0, np.nan), np.full(0, np.nan))
        was, was_width = (np.where(at >= 0, column[at], np.nan) if len(column) else np.full(len(at), np.nan)
                          for column in (was, was_width))  # fmt: skip
        # What is measured there now and was not before has arrived: it needs no estimate, and none moved.
        measured = before.speeds.level[old][at] == LEVELS.index("B=") if old is not None else np.zeros(len(at), bool)
        now = np.where((after.speeds.level[row] == LEVELS.index("B=")) & ~measured, np.nan, now)
        is_new = np.isfinite(now) & ~np.isfinite(was)
        moved = np.isfinite(now) & np.isfinite(was) & (_apart(now, was) | _apart(width, was_width))
        if (is_new | moved).any():
            found.append(
                Shift(
                    where=_words(key),
                    networks=int((is_new | moved).sum()),
                    new=int(is_new.sum()),
                    time_factor=float(np.median(now[moved] / was[moved])) if moved.any() else None,
                    spread_before=float(np.median(was_width[moved])) if moved.any() else None,
                    spread_after=float(np.median(width[moved | is_new])),
                )
            )
    return sorted(found, key=lambda shift: (-shift.networks, shift.where))


def _apart(one: FloatArray, other: FloatArray) -> BoolArray:
    ratio = np.divide(one, other, out=np.ones_like(one), where=other > 0)
    apart: BoolArray = np.maximum(ratio, 1 / ratio) > MOVED
    return apart


def _figures(knowledge: Knowledge, row: int) -> tuple[FloatArray, FloatArray]:
    speeds = knowledge.speeds
    return speeds.typical_ms[row].astype(np.float64), speeds.spread[row].astype(np.float64)


def _rows_of(c: Calibrations) -> dict[Key, int]:
    keys = zip(c.chip, c.mode, c.unit, c.cores.tolist(), c.runtime, c.precision, strict=True)
    return {key: row for row, key in enumerate(keys)}


def _net_keys(knowledge: Knowledge) -> list[tuple[str, int, int]]:
    nets = knowledge.catalog.nets
    return list(zip(nets.id.tolist(), nets.input_h.tolist(), nets.input_w.tolist(), strict=True))


def _words(key: Key) -> str:
    chip, mode, unit, cores, runtime, precision = key
    parts = (chip, mode if mode != "default" else "", unit, f"{cores} cores" if cores else "", runtime, precision)
    return " ".join(part for part in parts if part)
