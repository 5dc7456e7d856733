"""The runs of one task: network x chip x mode x unit x runtime x cores x precision x batch, with their time.

A run is what a stopwatch could measure; weights, batching policy and buffers come later. A measured figure is taken
first; the calibrated estimate where there is none; the figure of the reference mode, scaled, for other power modes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace

import numpy as np

from dse.catalog.types import BoolArray, Catalog, Chip, FloatArray, IntArray, Measurements, TextArray
from dse.estimate.speed import GRADES
from dse.estimate.statistics import to_mean
from dse.estimate.store import Knowledge
from dse.problem.search import Search
from dse.problem.spec import Problem, Task

MEASURED, ESTIMATED, SCALED, KNOWN = range(4)
ORIGINS = ("measured", "estimated", "scaled from another power mode", "your own measurement")
# One public pair of pipelined rate and latency gives 3.9; the interval is what pipelines of this kind span.
PERIOD_DEPTH_TYPICAL, PERIOD_DEPTH_HIGH = 3.9, 8.0
REPEAT_SPREAD = {"cpu": 1.58, "mcu": 1.09}  # 90 % half-width of a repeated measurement, as a factor
REPEAT_SPREAD_ACCELERATOR = 1.09
MODE_SPREAD = 1.15  # scaling a time to another power mode
# Shares of run time that follow the clock when the split between compute and memory is not known.
DEFAULT_COMPUTE_SHARE = 0.8
BYTES = {"fp32": 4, "float": 4, "fp16": 2, "bf16": 2, "mixed-int8-fp16": 2, "int16": 2, "binary": 0.125}


@dataclass(frozen=True)
class Runs:
    """Runs of one task, shape (n,); times are of the whole batch [ms].

    ``typical_ms`` is the mean; ``base_ms`` is what the worst case starts from (the slowest of conflicting
    measurements); ``spread`` the 90 % half-width as a factor. ``period_ms`` is finite where only a pipelined rate was
    measured: then it is the bottleneck and ``base_ms`` a latency widened by the pipeline's possible depth.
    ``tail_known`` marks a statistic that already is a tail. ``row`` is a measurement, or -1.
    """

    chip: TextArray
    mode: TextArray
    unit: TextArray
    cores: IntArray
    runtime: TextArray
    precision: TextArray
    net: IntArray
    batch: IntArray
    typical_ms: FloatArray
    base_ms: FloatArray
    low_ms: FloatArray
    spread: FloatArray
    period_ms: FloatArray
    grade: IntArray
    known_elsewhere: BoolArray
    statistic: TextArray
    boundary: TextArray
    power_w: FloatArray
    power_boundary: TextArray
    energy_mj: FloatArray
    memory_mb: FloatArray
    origin: IntArray
    row: IntArray

    def take(self, chosen: np.ndarray) -> Runs:
        """The chosen rows (mask or positions)."""
        return Runs(**{field.name: getattr(self, field.name)[chosen] for field in fields(Runs)})

    def __len__(self) -> int:
        return len(self.net)


def concatenate(parts: list[Runs]) -> Runs:
    """All parts one after the other."""
    return Runs(**{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Runs)})


@dataclass(frozen=True)
class Space:
    """The runs of a task and why others are not among them (reason: number of chips or runs)."""

    runs: Runs
    chips_considered: int
    dropped: dict[str, int]


def enumerate_runs(problem: Problem, task: Task, knowledge: Knowledge, nets: IntArray, known: Runs | None) -> Space:
    """All runs of the networks `nets` the search admits; grades beyond the guard's evidence are left out and counted.

    `known` are the user's own measurements: they replace every other figure of the same network, unit and batch.
    """
    search, catalog = problem.search_of(task), knowledge.catalog
    dropped: Counter[str] = Counter()
    chips = _admitted_chips(problem, search, catalog, dropped)
    wanted = np.zeros(len(catalog.nets.id), dtype=bool)
    wanted[nets] = True
    batches = problem.batches_of(task)
    measured = _measured(catalog.measurements, wanted, batches)
    estimated = _estimated(knowledge, nets, catalog, measured, dropped)
    runs = concatenate([measured, estimated])
    if known is not None:
        own = known.take(wanted[known.net] & np.isin(known.batch, batches))
        runs = concatenate([own, runs.take(~_same_key(runs, own))])
    runs = runs.take(_admitted(runs, search, set(chips)))
    runs = concatenate([runs, *_scaled(runs, search, catalog, chips)])
    runs = runs.take(_mode_admitted(runs, search, chips))
    reported = np.array(sorted(set(runs.chip.tolist())), dtype=object)
    dropped["chips without any speed figure for these networks"] += len(set(chips) - set(reported.tolist()))
    weak = runs.grade > GRADES.index(problem.guard.evidence)
    weak_periods = weak & np.isfinite(runs.period_ms)
    dropped["runs known only as a pipelined rate, which is not a latency (grade E)"] += int(weak_periods.sum())
    dropped[f"runs with evidence weaker than grade {problem.guard.evidence}"] += int((weak & ~weak_periods).sum())
    return Space(runs.take(~weak), len(chips), {reason: count for reason, count in dropped.items() if count})


def _admitted_chips(problem: Problem, search: Search, catalog: Catalog, dropped: Counter[str]) -> dict[str, Chip]:
    """Chips the search names and that can be a design: a card needs a host."""
    admitted = {}
    for chip in catalog.chips.values():
        where = search.chips.where
        if not search.chips.admits(chip.id) or (where.form and chip.form not in where.form):
            continue
        if where.vendor and not any(word.casefold() == chip.vendor.casefold() for word in where.vendor):
            continue
        if where.toolchain and not any(word.casefold() in (chip.toolchain or "").casefold() for word in where.toolchain):
            continue
        if chip.needs_host and problem.host is None:
            dropped["cards without a host (state `host:`)"] += 1
            continue
        admitted[chip.id] = chip
    return admitted


def _admitted(runs: Runs, search: Search, chips: set[str]) -> BoolArray:
    """Runs on admitted chips, units, runtimes and precisions."""
    keep = _among(runs.chip, lambda name: name in chips)
    if search.units:
        keep &= _among(runs.unit, lambda name: name in search.units)
    keep &= _among(runs.runtime, search.runtimes.admits)
    if search.precisions:
        allowed = set(search.precisions) | ({"float"} if {"fp16", "fp32"} & set(search.precisions) else set())
        keep &= _among(runs.precision, lambda name: name in allowed)
    return keep


def _same_key(runs: Runs, own: Runs) -> BoolArray:
    """Runs for which the user has measured the same network on the same unit, mode, precision and batch."""
    same = np.zeros(len(runs), dtype=bool)
    for k in range(len(own)):
        same |= ((runs.net == own.net[k]) & (runs.chip == own.chip[k]) & (runs.mode == own.mode[k]) & (runs.unit == own.unit[k])
                 & (runs.precision == own.precision[k]) & (runs.batch == own.batch[k]))
    return same


def _among(column: TextArray, test: object) -> BoolArray:
    """Elementwise `test` of a text column, called once per distinct word."""
    words, code = np.unique(column.astype(str), return_inverse=True)
    return np.array([bool(test(word)) for word in words], dtype=bool)[code] if len(words) else np.zeros(0, dtype=bool)  # type: ignore[operator]


def _measured(m: Measurements, wanted: BoolArray, batches: tuple[int, ...]) -> Runs:
    """Measured runs; rows that differ under one key become an interval, not a mean."""
    rows = np.flatnonzero(wanted[m.net] & np.isin(m.batch, batches))
    period = (m.quantity[rows] == "period").astype(np.int64)
    key_columns = [m.chip[rows], m.mode[rows], m.unit[rows], m.runtime[rows], m.precision[rows]]
    codes = [np.unique(column.astype(str), return_inverse=True)[1] for column in key_columns]
    codes += [m.cores[rows], m.net[rows], m.batch[rows], period]
    if not len(rows):
        return _empty()
    order = np.lexsort(codes[::-1])
    sorted_codes = np.stack([code[order] for code in codes])
    starts = np.flatnonzero(np.r_[True, (sorted_codes[:, 1:] != sorted_codes[:, :-1]).any(axis=0)])
    first = rows[order[starts]]
    mean_ms = (m.time_ms[rows] * to_mean(m.statistic[rows]))[order]
    low, high = np.minimum.reduceat(mean_ms, starts), np.maximum.reduceat(mean_ms, starts)
    typical = np.exp(np.add.reduceat(np.log(mean_ms), starts) / np.diff(np.r_[starts, len(order)]))
    not_stated = (m.statistic[rows] == "not-stated") | ~m.input_stated[rows]
    lowered = np.logical_and.reduceat(not_stated[order], starts).astype(np.int64)
    is_period = period[order[starts]] == 1
    spread = np.array([REPEAT_SPREAD.get(unit, REPEAT_SPREAD_ACCELERATOR) for unit in m.unit[first]])
    power = m.power_w[rows][order]
    max_power = np.fmax.reduceat(power, starts)
    return Runs(
        chip=m.chip[first], mode=m.mode[first], unit=m.unit[first], cores=m.cores[first], runtime=m.runtime[first],
        precision=m.precision[first], net=m.net[first], batch=m.batch[first],
        typical_ms=np.where(is_period, typical * PERIOD_DEPTH_TYPICAL, typical),
        base_ms=np.where(is_period, high * PERIOD_DEPTH_HIGH, high), low_ms=low, spread=spread,
        period_ms=np.where(is_period, high, np.nan), grade=np.where(is_period, GRADES.index("E"), lowered),
        known_elsewhere=np.ones(len(first), dtype=bool), statistic=m.statistic[first], boundary=m.boundary[first],
        power_w=max_power, power_boundary=m.power_boundary[first], energy_mj=np.fmax.reduceat(m.energy_mj[rows][order], starts),
        memory_mb=np.fmax.reduceat(m.memory_mb[rows][order], starts), origin=np.full(len(first), MEASURED), row=first)


def _empty() -> Runs:
    kinds = {"net": np.int64, "cores": np.int64, "batch": np.int64, "grade": np.int64, "origin": np.int64,
             "row": np.int64, "known_elsewhere": np.bool_}
    texts = {"chip", "mode", "unit", "runtime", "precision", "statistic", "boundary", "power_boundary"}
    return Runs(**{field.name: np.zeros(0, dtype=object if field.name in texts else kinds.get(field.name, np.float64))
                   for field in fields(Runs)})


def _estimated(knowledge: Knowledge, nets: IntArray, catalog: Catalog, measured: Runs, dropped: Counter[str]) -> Runs:
    """Estimated runs at batch 1 wherever no latency was measured under the same key.

    Microcontrollers are left out: whether a network fits their flash and RAM regions is only known where it ran.
    """
    speeds, c = knowledge.speeds, knowledge.speeds.calibrations
    fits_unknown = np.array([catalog.chips[name].form == "mcu" if name in catalog.chips else True for name in c.chip])
    typical = speeds.typical_ms[:, nets].astype(float)
    available = np.isfinite(typical) & ~fits_unknown[:, None]
    dropped["networks whose MACs are unknown: no estimate where they were not measured"] += int(
        (~np.isfinite(catalog.nets.gmacs[nets])).sum())
    position = {net: k for k, net in enumerate(nets.tolist())}
    index = {key: k for k, key in enumerate(zip(c.chip, c.mode, c.unit, c.cores.tolist(), c.runtime, c.precision, strict=True))}
    for k in np.flatnonzero(np.isnan(measured.period_ms) & (measured.batch == 1)):
        key = (measured.chip[k], measured.mode[k], measured.unit[k], int(measured.cores[k]), measured.runtime[k], measured.precision[k])
        if key in index:
            available[index[key], position[int(measured.net[k])]] = False
    cal, column = np.nonzero(available)
    spread = speeds.spread[cal, nets[column]].astype(float)
    typical_ms = np.round(typical[cal, column], 4)
    blank = np.full(len(cal), np.nan)
    return Runs(
        chip=c.chip[cal], mode=c.mode[cal], unit=c.unit[cal], cores=c.cores[cal], runtime=c.runtime[cal],
        precision=c.precision[cal], net=nets[column], batch=np.ones(len(cal), dtype=np.int64), typical_ms=typical_ms,
        base_ms=typical_ms, low_ms=typical_ms / spread, spread=spread, period_ms=blank,
        grade=speeds.grade[cal, nets[column]].astype(np.int64), known_elsewhere=speeds.known_elsewhere[cal, nets[column]],
        statistic=np.full(len(cal), "mean", dtype=object), boundary=np.full(len(cal), "chip", dtype=object)
        if not len(cal) else _calibration_boundary(catalog.measurements, c)[cal],
        power_w=blank, power_boundary=np.full(len(cal), "", dtype=object), energy_mj=blank, memory_mb=blank,
        origin=np.full(len(cal), ESTIMATED), row=cal)


def _calibration_boundary(m: Measurements, c: object) -> TextArray:
    """Where the clock of each calibration's measurements starts and stops; one runtime group prints one kind."""
    of_runtime: dict[tuple[str, str], str] = {}
    for chip, runtime, boundary in zip(m.chip, m.runtime, m.boundary, strict=True):
        of_runtime.setdefault((chip, runtime), boundary)
    return np.array([of_runtime[key] for key in zip(c.chip, c.runtime, strict=True)], dtype=object)  # type: ignore[attr-defined]


def _scaled(runs: Runs, search: Search, catalog: Catalog, chips: dict[str, Chip]) -> list[Runs]:
    """Runs of the reference mode brought to the other modes of the same chip.

    t x (alpha / compute scale + (1 - alpha) BW_ref / BW), alpha the share bound by compute: U_c / (U_c + U_b) from
    the run's own utilisation of rated compute and bandwidth. CPU units stay at their measured clocks.
    """
    parts = []
    measured = set(zip(runs.chip, runs.mode, runs.unit, runs.runtime, runs.precision, strict=True))
    accelerator = ~np.isin(runs.unit.astype(str), ["cpu", "mcu", "fpga"])
    for chip in chips.values():
        reference = chip.reference_mode
        others = [mode for mode in chip.modes if mode is not reference and mode.compute_scale is not None]
        if reference is None or not others:
            continue
        base = np.flatnonzero(accelerator & (runs.chip == chip.id) & (runs.mode == reference.id))
        if not len(base):
            continue
        of_chip = runs.take(base)
        alpha = _compute_share(of_chip, chip, catalog)
        for mode in others:
            free = np.array([(chip.id, mode.id, unit, runtime, precision) not in measured for unit, runtime, precision in
                             zip(of_chip.unit, of_chip.runtime, of_chip.precision, strict=True)], dtype=bool)
            bandwidth = (reference.bandwidth_gbs or 1) / (mode.bandwidth_gbs or reference.bandwidth_gbs or 1)
            factor = alpha / float(mode.compute_scale or 1) + (1 - alpha) * bandwidth
            parts.append(_with_factor(of_chip, mode.id, factor).take(free))
    return parts


def _with_factor(runs: Runs, mode: str, factor: FloatArray) -> Runs:
    """The same runs in another mode; measured power belongs to the old one."""
    blank = np.full(len(runs), np.nan)
    scaled = {name: np.round(getattr(runs, name) * factor, 4) for name in ("typical_ms", "base_ms", "low_ms", "period_ms")}
    return replace(runs, **scaled, mode=np.full(len(runs), mode, dtype=object), spread=runs.spread * MODE_SPREAD,
                   grade=np.maximum(runs.grade, GRADES.index("B")), power_w=blank, energy_mj=blank,
                   origin=np.full(len(runs), SCALED))


def _compute_share(runs: Runs, chip: Chip, catalog: Catalog) -> FloatArray:
    """alpha of each run: compute utilisation over the sum of compute and bandwidth utilisation."""
    nets = catalog.nets
    peak = np.array([_usable_peak(chip, unit, precision) for unit, precision in zip(runs.unit, runs.precision, strict=True)])
    width = np.array([BYTES.get(precision, 1) for precision in runs.precision])
    time_s = runs.typical_ms / runs.batch / 1e3
    compute = 2 * nets.gmacs[runs.net] * 1e9 / (time_s * peak * 1e12)
    moved = (nets.params_m[runs.net] + 2 * nets.activations_m[runs.net]) * 1e6 * width
    memory = moved / (time_s * (chip.bandwidth_gbs or np.nan) * 1e9)
    with np.errstate(invalid="ignore"):
        share = compute / (compute + memory)
    return np.where(np.isfinite(share), share, DEFAULT_COMPUTE_SHARE)


def _usable_peak(chip: Chip, unit_kind: str, precision: str) -> float:
    """Rated peak one inference can use [TOPS]; NaN where it is not rated."""
    unit = chip.unit(unit_kind)
    if unit is None:
        return np.nan
    rated = unit.peak_tops.get(precision) or unit.peak_tops.get("fp16" if precision == "float" else "int8")
    return rated * (unit.one_inference_share or 1.0) if rated else np.nan


def _mode_admitted(runs: Runs, search: Search, chips: dict[str, Chip]) -> BoolArray:
    """Modes the search names; ``named`` leaves out clock points."""
    from dse.problem.patterns import matches_any

    wanted = search.modes
    pairs, code = np.unique(np.char.add(np.char.add(runs.chip.astype(str), "\t"), runs.mode.astype(str)), return_inverse=True)
    allowed = []
    for pair in pairs.tolist():
        chip_id, name = pair.split("\t")
        mode = chips[chip_id].mode(name)
        kind = mode.kind if mode else "measured"
        allowed.append("all" in wanted or ("named" in wanted and kind != "clock") or matches_any(wanted, [name]))
    return np.array(allowed, dtype=bool)[code] if len(pairs) else np.zeros(0, dtype=bool)
