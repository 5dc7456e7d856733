"""Which runs of a task exist: measured, estimated, in other power modes, and the user's own.

A measured figure is taken first; the calibrated estimate where there is none; the figure of the reference mode, scaled,
for other power modes. Weights, batching policy and buffers come later.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from dse.candidates.boards import boards_of, on_boards
from dse.candidates.evidence import best_evidence, codes, with_parallel_cores
from dse.candidates.kernels import NO_KERNELS, lacking_kernels
from dse.candidates.lanes import LaneRow, Lanes, admitted, lanes_of, modes_admitted
from dse.candidates.modes import scaled_runs
from dse.candidates.run_table import (
    ESTIMATED,
    MEASURED,
    NO_BOARD,
    NO_HOST,
    NO_SPEED,
    PERIOD_DEPTH_HIGH,
    PERIOD_DEPTH_TYPICAL,
    TOO_WEAK,
    OwnRuns,
    Runs,
    Space,
    concatenate,
    empty_runs,
    with_columns,
)
from dse.catalog.types import BoolArray, Catalog, Chip, FloatArray, IntArray, Measurements, TextArray, text_array
from dse.estimate.evidence import GRADES, REPEATS, REPEATS_CPU, grades, known_elsewhere
from dse.estimate.statistics import to_mean
from dse.estimate.store import Knowledge
from dse.problem.search import Search
from dse.problem.spec import Problem, Task

GRADE_E = GRADES.index("E")
TAILS = ("p99", "p99.9", "max")
"""Statistics that are not stretched from the mean to the tail again."""


def enumerate_runs(problem: Problem, task: Task, knowledge: Knowledge, nets: IntArray, own: OwnRuns | None) -> Space:
    """All runs of the networks `nets` that the search admits.

    The user's own measurements replace every other figure of the same network, unit, mode, precision and batch.
    Grades beyond the guard's evidence are left out and counted.
    """
    search, catalog = problem.search_of(task), knowledge.catalog
    dropped: Counter[str] = Counter()
    named = {chip.id: chip for chip in catalog.chips.values() if is_searched(chip, search)}
    has_host = problem.host is not None
    hostless = {
        chip.id
        for chip in named.values()
        if chip.needs_host and not has_host and not boards_of(chip, catalog, search, has_host=False)
    }
    chips = {name: chip for name, chip in named.items() if name not in hostless}
    wanted = np.zeros(len(catalog.nets.id), dtype=np.bool_)
    wanted[nets] = True
    batches = problem.batches_of(task)
    measured, measured_rows = _measured(catalog.measurements, wanted, batches)
    parts, rows = [measured], [measured_rows]
    if 1 in batches:
        estimated, estimated_rows = _estimated(knowledge, nets, catalog)
        parts, rows = [*parts, estimated], [*rows, estimated_rows]
    if own is not None:
        parts.append(own.runs.take(wanted[own.runs.net] & np.isin(own.runs.batch, batches)))
        rows.append(list(own.rows))
    lanes, index = lanes_of({row for part in rows for row in part})
    runs = concatenate([_relabelled(part, of, index) for part, of in zip(parts, rows, strict=True)])
    # Rows leave together where they can: every time they do, all columns are copied.
    best = best_evidence(runs, lanes, problem.guard.boundary) & admitted(lanes, search, chips)[runs.lane]
    lacking = best & lacking_kernels(runs, lanes, catalog)
    runs = with_parallel_cores(runs.take(best & ~lacking), runs, lanes)
    dropped["networks without known MACs: estimated nowhere"] += int((~np.isfinite(catalog.nets.gmacs[nets])).sum())
    dropped[NO_KERNELS] += int(lacking.sum())
    strong = _strong_enough(runs, problem.guard.evidence, dropped)
    names = {
        NO_HOST: hostless,
        NO_SPEED: set(chips) - _chips_of(runs.lane, lanes),
        TOO_WEAK: _chips_of(runs.lane, lanes) - _chips_of(strong.lane, lanes),
    }
    dropped |= Counter({reason: len(of) for reason, of in names.items()})
    runs = strong
    runs, lanes = scaled_runs(runs, lanes, catalog, chips, search)
    # A measurement stands before estimates of its own power mode: which modes are admitted does not matter to it.
    kept = np.flatnonzero(modes_admitted(lanes, search, chips)[runs.lane] & _measured_first(runs, lanes, catalog))
    before = _chips_of(runs.lane[kept], lanes)
    runs, lanes = on_boards(runs, kept, lanes, catalog, search, has_host=has_host)
    names[NO_BOARD] = before - _chips_of(runs.lane, lanes)
    dropped[NO_BOARD] = len(names[NO_BOARD])
    return Space(runs, lanes, len(chips), {reason: count for reason, count in dropped.items() if count}, names)


def _chips_of(lane: IntArray, lanes: Lanes) -> set[str]:
    """Chips of some lanes, given by their positions."""
    return set(lanes.chip[np.bincount(lane, minlength=len(lanes)) > 0].tolist())


def _strong_enough(runs: Runs, evidence: str, dropped: Counter[str]) -> Runs:
    """Runs whose grade may decide; the others are counted, pipelined rates apart."""
    weak = runs.grade > GRADES.index(evidence)
    periods = weak & np.isfinite(runs.period_ms)
    dropped["runs known only as a pipelined rate, which is not a latency (grade E)"] += int(periods.sum())
    dropped[f"runs with evidence weaker than grade {evidence}"] += int((weak & ~periods).sum())
    return runs.take(~weak)


def is_searched(chip: Chip, search: Search) -> bool:
    """Whether the search takes a chip, by name and by property."""
    where, toolchain = search.chips.where, (chip.toolchain or "").casefold()
    return (
        search.chips.admits(chip.id)
        and (not where.form or chip.form in where.form)
        and (not where.vendor or chip.vendor.casefold() in {word.casefold() for word in where.vendor})
        and (not where.toolchain or any(word.casefold() in toolchain for word in where.toolchain))
    )


def _measured_first(runs: Runs, lanes: Lanes, catalog: Catalog) -> BoolArray:
    """False for estimates of a network that was measured on the same unit, mode and precision, whatever the runtime.

    The runtime somebody measured is a choice one can make; an estimate for another one must not undercut it. Behind
    another link it is no such choice.
    """
    chips = zip(lanes.chips(catalog), lanes.runtime.tolist(), strict=True)
    link = text_array([(runtime.link or "") if (runtime := chip.runtime(name)) else "" for chip, name in chips])
    unit = codes([lanes.chip, lanes.mode, lanes.unit, lanes.precision, link])[runs.lane]
    measured = runs.grade <= GRADES.index("B")
    known = np.zeros((int(unit.max(initial=0)) + 1, int(runs.net.max(initial=0)) + 1), dtype=np.bool_)
    known[unit[measured], runs.net[measured]] = True
    return np.asarray(measured | ~known[unit, runs.net])


def _relabelled(runs: Runs, rows: list[LaneRow], index: dict[LaneRow, int]) -> Runs:
    """Runs whose lanes are positions in `rows`, brought to the common lanes."""
    position = np.array([index[row] for row in rows], dtype=np.int64)
    return with_columns(runs, lane=position[runs.lane] if len(rows) else runs.lane)


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
        tail_or_mean(m.statistic[rows]),
        strict=True,
    )
    lane = np.array([row_of.setdefault(LaneRow(*key), len(row_of)) for key in columns], dtype=np.int64)
    period = (m.quantity[rows] == "period").astype(np.int64)
    if not len(rows):
        return empty_runs(), []
    mean_ms = m.time_ms[rows] * to_mean(m.statistic[rows])
    order, starts = _groups([lane, m.net[rows], m.batch[rows], period], slowest_first=-mean_ms)
    first, last = order[starts], np.r_[starts[1:], len(order)] - 1
    mean_ms = mean_ms[order]
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
        spread=np.where(on_cpu, REPEATS_CPU, REPEATS),
        period_ms=np.where(is_period, high, np.nan),
        grade=np.where(is_period, GRADE_E, grade),
        known_elsewhere=np.ones(len(first), dtype=np.bool_),
        **greatest,
        measurements=last - starts + 1,
        origin=np.full(len(first), MEASURED),
        base_origin=np.full(len(first), MEASURED),
        row=rows[first],
    ), list(row_of)


def tail_or_mean(statistic: TextArray) -> TextArray:
    """The printed statistic where it is a tail already, else the mean it is brought to; shape as given."""
    return np.where(np.isin(statistic, TAILS), statistic, "mean").astype(object)


def _groups(keys: list[IntArray], slowest_first: FloatArray) -> tuple[IntArray, IntArray]:
    """Order that brings equal keys together, and where each group starts in it: with its slowest row."""
    order = np.lexsort([slowest_first, *keys[::-1]])
    ordered = np.stack([key[order] for key in keys])
    starts = np.flatnonzero(np.r_[True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    return order, starts


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
    rows = [
        LaneRow(chip, mode, unit, cores, runtime, precision, boundary.get((chip, runtime), "unknown"))
        for chip, mode, unit, cores, runtime, precision in zip(
            c.chip, c.mode, c.unit, c.cores.tolist(), c.runtime, c.precision, strict=True
        )
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
        grade=grades(speeds.level[cal, net]),
        known_elsewhere=known_elsewhere(speeds.level[cal, net]),
        power_w=blank,
        energy_mj=blank,
        memory_mb=blank,
        measurements=np.zeros(len(cal), dtype=np.int64),
        origin=np.full(len(cal), ESTIMATED),
        base_origin=np.full(len(cal), ESTIMATED),
        row=cal,
    ), rows


def calibration_boundaries(m: Measurements) -> dict[tuple[str, str], str]:
    """Where the clock of a chip's measurements starts and stops, by chip and runtime: one group prints one kind."""
    latency = m.quantity == "latency"
    return dict(zip(zip(m.chip[latency], m.runtime[latency], strict=True), m.boundary[latency], strict=True))
