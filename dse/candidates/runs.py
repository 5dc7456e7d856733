"""The runs of one task: lane x network x batch, with their time.

A run is what a stopwatch could measure; weights, batching policy and buffers come later. A measured figure is taken
first; the calibrated estimate where there is none; the figure of the reference mode, scaled, for other power modes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields

import numpy as np

from dse.candidates.lanes import LaneRow, Lanes, admitted, lanes_of, modes_admitted
from dse.catalog.types import BoolArray, Catalog, Chip, FloatArray, IntArray, Measurements
from dse.estimate.speed import GRADES
from dse.estimate.statistics import to_mean
from dse.estimate.store import Knowledge
from dse.problem.search import Search
from dse.problem.spec import Problem, Task

MEASURED, ESTIMATED, SCALED, KNOWN = range(4)
ORIGINS = ("measured", "estimated", "scaled from another power mode", "your own measurement")
GRADE_E = GRADES.index("E")
# One public pair of pipelined rate and latency gives 3.9; 1 to 8 is what pipelines of this kind span.
PERIOD_DEPTH_TYPICAL, PERIOD_DEPTH_HIGH = 3.9, 8.0
# 90 % half-width of a repeated measurement, as a factor: Arm CPUs scatter over threads, governors and releases.
REPEAT_SPREAD_CPU, REPEAT_SPREAD = 1.58, 1.09
NO_SPEED = "chips dropped: no speed figure for these networks"
TOO_WEAK = "chips dropped: every speed figure is weaker than guard.evidence allows"
NO_HOST = "cards dropped: no host is stated (`host:`)"


@dataclass(frozen=True)
class Runs:
    """Runs of one task, shape (n,); times are of the whole batch [ms]; ``lane`` is a position in the lanes.

    ``typical_ms`` is the mean; ``base_ms`` is what the worst case starts from (the slowest of conflicting
    measurements); ``spread`` the 90 % half-width as a factor. ``period_ms`` is finite where only a pipelined rate was
    measured: then it is the bottleneck and ``base_ms`` a latency widened by the pipeline's possible depth.
    ``row`` is the measurement or the calibration behind the figure, -1 where there is none.
    """

    lane: IntArray
    net: IntArray
    batch: IntArray
    typical_ms: FloatArray
    base_ms: FloatArray
    low_ms: FloatArray
    spread: FloatArray
    period_ms: FloatArray
    grade: IntArray
    known_elsewhere: BoolArray
    power_w: FloatArray
    energy_mj: FloatArray
    memory_mb: FloatArray
    origin: IntArray
    row: IntArray

    def take(self, chosen: IntArray | BoolArray) -> Runs:
        """The chosen rows (mask or positions)."""
        return Runs(**{field.name: getattr(self, field.name)[chosen] for field in fields(Runs)})

    def __len__(self) -> int:
        return len(self.net)


def concatenate(parts: list[Runs]) -> Runs:
    """All parts one after the other; there must be one."""
    return Runs(**{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Runs)})


@dataclass(frozen=True)
class OwnRuns:
    """The user's own measurements: runs whose ``lane`` is a position in `rows`."""

    runs: Runs
    rows: tuple[LaneRow, ...]


@dataclass(frozen=True)
class Space:
    """The runs of a task, their lanes, and why others are not among them (reason: number of chips or runs)."""

    runs: Runs
    lanes: Lanes
    chips_considered: int
    dropped: dict[str, int]


def enumerate_runs(problem: Problem, task: Task, knowledge: Knowledge, nets: IntArray, own: OwnRuns | None) -> Space:
    """All runs of the networks `nets` that the search admits.

    The user's own measurements replace every other figure of the same network, unit, mode, precision and batch.
    Grades beyond the guard's evidence are left out and counted.
    """
    from dse.candidates.modes import scaled_runs

    search, catalog = problem.search_of(task), knowledge.catalog
    dropped: Counter[str] = Counter()
    chips = admitted_chips(problem, search, catalog, dropped)
    wanted = np.zeros(len(catalog.nets.id), dtype=np.bool_)
    wanted[nets] = True
    measured, measured_rows = _measured(catalog.measurements, wanted, problem.batches_of(task))
    estimated, estimated_rows = _estimated(knowledge, nets, catalog)
    parts, rows = [measured, estimated], [measured_rows, estimated_rows]
    if own is not None:
        parts.append(own.runs.take(wanted[own.runs.net] & np.isin(own.runs.batch, problem.batches_of(task))))
        rows.append(list(own.rows))
    lanes, index = lanes_of({row for part in rows for row in part})
    runs = concatenate([_relabelled(part, of, index) for part, of in zip(parts, rows, strict=True)])
    runs = _best_evidence(runs, lanes)
    dropped["networks without known MACs: estimated nowhere"] += int((~np.isfinite(catalog.nets.gmacs[nets])).sum())
    runs = runs.take(admitted(lanes, search, chips)[runs.lane])
    dropped[NO_SPEED] += len(set(chips) - _chips_of(runs, lanes))
    strong = _strong_enough(runs, problem.guard.evidence, dropped)
    dropped[TOO_WEAK] += len(_chips_of(runs, lanes) - _chips_of(strong, lanes))
    runs = strong
    runs, lanes = scaled_runs(runs, lanes, catalog, chips, search)
    runs = runs.take(modes_admitted(lanes, search, chips)[runs.lane])
    return Space(runs, lanes, len(chips), {reason: count for reason, count in dropped.items() if count})


def _chips_of(runs: Runs, lanes: Lanes) -> set[str]:
    return set(lanes.chip[np.unique(runs.lane)].tolist())


def _strong_enough(runs: Runs, evidence: str, dropped: Counter[str]) -> Runs:
    """Runs whose grade may decide; the others are counted, pipelined rates apart."""
    weak = runs.grade > GRADES.index(evidence)
    periods = weak & np.isfinite(runs.period_ms)
    dropped["runs known only as a pipelined rate, which is not a latency (grade E)"] += int(periods.sum())
    dropped[f"runs with evidence weaker than grade {evidence}"] += int((weak & ~periods).sum())
    return runs.take(~weak)


def admitted_chips(problem: Problem, search: Search, catalog: Catalog, dropped: Counter[str]) -> dict[str, Chip]:
    """Chips the search names and that can be a design: a card needs a host."""
    found = {}
    where = search.chips.where
    for chip in catalog.chips.values():
        toolchain = (chip.toolchain or "").casefold()
        if not search.chips.admits(chip.id) or (where.form and chip.form not in where.form):
            continue
        if where.vendor and not any(word.casefold() == chip.vendor.casefold() for word in where.vendor):
            continue
        if where.toolchain and not any(word.casefold() in toolchain for word in where.toolchain):
            continue
        if chip.needs_host and problem.host is None:
            dropped[NO_HOST] += 1
            continue
        found[chip.id] = chip
    return found


def _relabelled(runs: Runs, rows: list[LaneRow], index: dict[LaneRow, int]) -> Runs:
    """Runs whose lanes are positions in `rows`, brought to the common lanes."""
    position = np.array([index[row] for row in rows], dtype=np.int64)
    return with_columns(runs, lane=position[runs.lane] if len(rows) else runs.lane)


def with_columns(runs: Runs, **columns: FloatArray | IntArray) -> Runs:
    """The same runs with some columns replaced."""
    return Runs(**{field.name: columns.get(field.name, getattr(runs, field.name)) for field in fields(Runs)})


def _measured(m: Measurements, wanted: BoolArray, batches: tuple[int, ...]) -> tuple[Runs, list[LaneRow]]:
    """Measured runs; rows that differ under one key become an interval, not a mean."""
    rows = np.flatnonzero(wanted[m.net] & np.isin(m.batch, batches))
    row_of: dict[LaneRow, int] = {}
    columns = zip(
        m.chip[rows],
        m.mode[rows],
        m.unit[rows],
        m.cores[rows].tolist(),
        m.runtime[rows],
        m.precision[rows],
        m.boundary[rows],
        strict=True,
    )
    lane = np.array([row_of.setdefault((*key, "mean"), len(row_of)) for key in columns], dtype=np.int64)
    period = (m.quantity[rows] == "period").astype(np.int64)
    if not len(rows):
        return _empty(), []
    order, starts = _groups([lane, m.net[rows], m.batch[rows], period])
    first, last = order[starts], np.r_[starts[1:], len(order)] - 1
    mean_ms = (m.time_ms[rows] * to_mean(m.statistic[rows]))[order]
    typical = np.exp(np.add.reduceat(np.log(mean_ms), starts) / (last - starts + 1))
    high = np.maximum.reduceat(mean_ms, starts)
    vague = (m.statistic[rows] == "not-stated") | ~m.input_stated[rows]
    grade = np.logical_and.reduceat(vague[order], starts).astype(np.int64)
    is_period = period[first] == 1
    on_cpu = m.unit[rows][first] == "cpu"
    greatest = {
        name: np.fmax.reduceat(getattr(m, name)[rows][order], starts) for name in ("power_w", "energy_mj", "memory_mb")
    }
    return Runs(
        lane=lane[first],
        net=m.net[rows][first],
        batch=m.batch[rows][first],
        typical_ms=np.where(is_period, typical * PERIOD_DEPTH_TYPICAL, typical),
        base_ms=np.where(is_period, high * PERIOD_DEPTH_HIGH, high),
        low_ms=np.minimum.reduceat(mean_ms, starts),
        spread=np.where(on_cpu, REPEAT_SPREAD_CPU, REPEAT_SPREAD),
        period_ms=np.where(is_period, high, np.nan),
        grade=np.where(is_period, GRADE_E, grade),
        known_elsewhere=np.ones(len(first), dtype=np.bool_),
        **greatest,
        origin=np.full(len(first), MEASURED),
        row=rows[first],
    ), list(row_of)


def _groups(keys: list[IntArray]) -> tuple[IntArray, IntArray]:
    """Order that brings equal keys together, and where each group starts in it."""
    order = np.lexsort(keys[::-1])
    ordered = np.stack([key[order] for key in keys])
    starts = np.flatnonzero(np.r_[True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    return order, starts


def _empty() -> Runs:
    """No runs."""
    integer = {"lane", "net", "batch", "grade", "origin", "row"}
    return Runs(
        **{
            field.name: np.zeros(
                0,
                dtype=np.int64
                if field.name in integer
                else np.bool_
                if field.name == "known_elsewhere"
                else np.float64,
            )
            for field in fields(Runs)
        }
    )


def _estimated(knowledge: Knowledge, nets: IntArray, catalog: Catalog) -> tuple[Runs, list[LaneRow]]:
    """Estimated runs at batch 1 of every network with known MACs.

    Microcontrollers are left out: whether a network fits their flash and RAM regions is only known where it ran.
    """
    speeds, c = knowledge.speeds, knowledge.speeds.calibrations
    possible = np.array([name in catalog.chips and catalog.chips[name].form != "mcu" for name in c.chip.tolist()])
    typical = speeds.typical_ms[:, nets]
    cal, column = np.nonzero(np.isfinite(typical) & possible[:, None])
    net = nets[column]
    spread = speeds.spread[cal, net].astype(np.float64)
    typical_ms: FloatArray = typical[cal, column].astype(np.float64).round(4)
    blank = np.full(len(cal), np.nan)
    boundary = calibration_boundaries(catalog.measurements)
    rows: list[LaneRow] = [
        (*key, boundary.get((key[0], key[4]), "unknown"), "mean")
        for key in zip(c.chip, c.mode, c.unit, c.cores.tolist(), c.runtime, c.precision, strict=True)
    ]
    return Runs(
        lane=cal,
        net=net,
        batch=np.ones(len(cal), dtype=np.int64),
        typical_ms=typical_ms,
        base_ms=typical_ms,
        low_ms=typical_ms / spread,
        spread=spread,
        period_ms=blank,
        grade=speeds.grade[cal, net].astype(np.int64),
        known_elsewhere=speeds.known_elsewhere[cal, net],
        power_w=blank,
        energy_mj=blank,
        memory_mb=blank,
        origin=np.full(len(cal), ESTIMATED),
        row=cal,
    ), rows


def calibration_boundaries(m: Measurements) -> dict[tuple[str, str], str]:
    """Where the clock of a chip's measurements starts and stops, by chip and runtime: one group prints one kind."""
    latency = m.quantity == "latency"
    return dict(zip(zip(m.chip[latency], m.runtime[latency], strict=True), m.boundary[latency], strict=True))


def _best_evidence(runs: Runs, lanes: Lanes) -> Runs:
    """One run per network, unit, mode, precision and batch and lane: own measurements before measured before estimated.

    An own measurement also replaces the figures of other runtimes: it is what the user's product does. A pipelined
    rate gives way to any latency of the same lane.
    """
    unit_key = _codes([lanes.chip, lanes.mode, lanes.unit, lanes.precision])[runs.lane]
    full_key = _codes([lanes.chip, lanes.mode, lanes.unit, lanes.precision, lanes.runtime, lanes.cores.astype(str)])[
        runs.lane
    ]
    pairs = runs.net * 5000 + runs.batch  # batches are at most 4,096
    owned = unit_key[runs.origin == KNOWN], pairs[runs.origin == KNOWN]
    own_keys = set(zip(owned[0].tolist(), owned[1].tolist(), strict=True))
    keep = np.ones(len(runs), dtype=np.bool_)
    if own_keys:
        other = runs.origin != KNOWN
        keep &= ~(other & np.array([key in own_keys for key in zip(unit_key.tolist(), pairs.tolist(), strict=True)]))
    strength = np.where(runs.origin == KNOWN, 0, np.where(runs.origin == MEASURED, 1, 2)) + 3 * np.isfinite(
        runs.period_ms
    )
    # Of equally good figures with different boundaries the longer one stays: it leaves less out.
    order = np.lexsort([-runs.base_ms, strength, pairs, full_key])
    same = (full_key[order][1:] == full_key[order][:-1]) & (pairs[order][1:] == pairs[order][:-1])
    repeated = np.r_[False, same]
    weaker = np.zeros(len(runs), dtype=np.bool_)
    weaker[order[repeated]] = True
    return runs.take(keep & ~weaker)


def _codes(columns: list[np.ndarray]) -> IntArray:
    """One number per distinct combination of texts."""
    index: dict[tuple[str, ...], int] = {}
    return np.array([index.setdefault(key, len(index)) for key in zip(*columns, strict=True)], dtype=np.int64)
