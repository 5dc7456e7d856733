"""Figures of one candidate again, straight from the measurements and the catalogue."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, isfinite, isnan
from statistics import NormalDist

import numpy as np

from dse.candidates.context import Context
from dse.candidates.regions import EXTERNAL_KINDS, RAM_KINDS, STORE_KINDS
from dse.candidates.resources import LIVE_SHARE, TYPICAL_TO_SUSTAINED, reserve_of, runtime_mb
from dse.candidates.run_table import ESTIMATED, MEASURED
from dse.candidates.runs import TAILS
from dse.catalog.parts import Power
from dse.catalog.types import Chip
from dse.errors import VerificationError
from dse.estimate.guard import (
    CONFIDENCE_B,
    CONFIDENCE_FEW,
    CONFIDENCE_KNOWN,
    CONFIDENCE_NEW,
    FEW_MODELS,
    MANY_MODELS,
)
from dse.estimate.peak import BYTES
from dse.estimate.statistics import TO_MEAN
from dse.problem.fields import exact

ZERO = Fraction(0)
FLOAT_AGREEMENT = 1e-9  # relative: two ways of multiplying the same floats
HALF_A_TICK_MS = 0.500001e-4  # what rounding an estimate to 0.1 µs may change


def service_ms(context: Context, run: int) -> Fraction:
    """Worst-case service of one batch, derived again from its evidence: base x guard x tail x application.

    Raises
    ------
    VerificationError
        The candidate table used another one.
    """
    guard, lane = context.problem.guard, context.lane_of(run)
    wanted = "p99" if context.task.guarantee == "p99" else guard.tail
    unit = context.chip_of(run).unit(context.lanes.unit[lane])
    tail = context.catalog.tails.get(unit.tail_class) if unit is not None else None
    statistic = context.lanes.statistic[lane]
    factor = 1.0
    if tail is not None and statistic not in ("p99.9", "max"):
        factor = tail.p99_over_mean if wanted == "p99" else tail.p999_over_mean
        if statistic == "p99":
            factor = 1.0 if wanted == "p99" else tail.p999_over_mean / tail.p99_over_mean
    derived = _base_ms(context, run) * _guard(context, run) * factor * guard.application_factor
    if wanted == "max" and statistic != "max" and tail is not None:
        derived += tail.stall_ms if tail.stall_ms is not None else float("nan")
    used = float(context.service.service_ms[run])
    if not isclose(derived, used, rel_tol=FLOAT_AGREEMENT):
        raise VerificationError(f"service of the network: {derived} ms derived, {used} ms in the table")
    return exact(used)


def _base_ms(context: Context, run: int) -> float:
    """What the worst case starts from: the slowest measurement under the key, or the estimate."""
    runs, origin, row = context.runs, int(context.runs.origin[run]), int(context.runs.row[run])
    used = float(runs.base_ms[run] if isnan(runs.period_ms[run]) else runs.period_ms[run])
    if origin == MEASURED:
        m = context.catalog.measurements
        same = m.net == m.net[row]
        for name in ("chip", "mode", "unit", "cores", "runtime", "precision", "batch", "boundary", "quantity"):
            same &= getattr(m, name) == getattr(m, name)[row]
        printed = context.lanes.statistic[context.lane_of(run)]
        same &= m.statistic == printed if printed in TAILS else ~np.isin(m.statistic, TAILS)
        times = [float(m.time_ms[k]) * TO_MEAN[m.statistic[k]] for k in np.flatnonzero(same)]
        if not isclose(max(times), used, rel_tol=FLOAT_AGREEMENT):
            raise VerificationError(f"time of the network: {max(times)} ms measured, {used} ms in the table")
    if origin == ESTIMATED:
        estimate = float(context.knowledge.speeds.typical_ms[row, int(runs.net[run])])
        if abs(estimate - used) > HALF_A_TICK_MS:
            raise VerificationError(f"time of the network: {estimate} ms estimated, {used} ms in the table")
    return used


def _guard(context: Context, run: int) -> float:
    """Factor on an estimate, one-sided at the confidence its grade asks for."""
    grade = "ABCDE"[int(context.runs.grade[run])]
    if grade == "A":
        return 1.0
    confidence = context.problem.guard.confidence
    if not isinstance(confidence, float):
        confidence = _confidence(context, run, grade)
    normal = NormalDist()
    factor: float = float(context.runs.spread[run]) ** (normal.inv_cdf(confidence) / normal.inv_cdf(0.95))
    return factor


def _confidence(context: Context, run: int, grade: str) -> float:
    if grade == "B":
        return CONFIDENCE_B
    if grade != "C":
        return CONFIDENCE_FEW
    m, lane = context.catalog.measurements, context.lane_of(run)
    on_unit = (m.chip == context.lanes.chip[lane]) & (m.unit == context.lanes.unit[lane])
    on_unit &= m.runtime == context.lanes.runtime[lane]
    models = len(set(m.net[on_unit].tolist()))
    if models <= FEW_MODELS:
        return CONFIDENCE_FEW
    return CONFIDENCE_KNOWN if models > MANY_MODELS and context.runs.known_elsewhere[run] else CONFIDENCE_NEW


def power_w(context: Context, run: int) -> Fraction | None:
    """Sustained power of the system: the ladder again, host and reserve added."""
    return _sum(
        own_power_w(context, run),
        host_figure(context, run, "power_w"),
        reserve_of(context.problem, context.chip_of(run))[2],
    )


def own_power_w(context: Context, run: int) -> float | None:
    """Power of the chip alone: measured, mode budget, maximum, typical x 1.5, unknown."""
    measured = float(context.runs.power_w[run])
    if isfinite(measured):
        return measured
    chip = context.chip_of(run)
    mode = chip.mode(context.lanes.mode[context.lane_of(run)])
    if mode is not None and (mode.budget_w is not None or mode.beyond_rating):
        return mode.budget_w
    return _sustained_w(chip.power)


def _sustained_w(power: Power) -> float | None:
    if power.max_w is not None:
        return power.max_w
    return None if power.typical_w is None else round(power.typical_w * TYPICAL_TO_SUSTAINED, 6)


def host_figure(context: Context, run: int, figure: str) -> float | None:
    """What a host adds: nothing where none is needed, none exists or it is owned."""
    host = context.problem.host
    if not context.chip_of(run).needs_host or host is None or host.absent or host.owned:
        return 0.0
    value: float | None = getattr(host, figure)
    return value


def memory_mb(context: Context, run: int) -> tuple[Fraction | None, Fraction]:
    """Memory used, None where a size is unknown; and the least it can be."""
    measured = _measured_mb(context, run)
    if measured is not None:
        return measured, measured
    weights, live, base = _sizes_mb(context, run)
    least = base + (weights or ZERO) + (live or ZERO)
    return (None if weights is None or live is None else least), least


def region_spare_mb(context: Context, run: int) -> Fraction | None:
    """What the tighter of the largest regions for working memory and for weights leaves; None where unknown."""
    chip = context.chip_of(run)
    weights, live, base = _sizes_mb(context, run)
    measured = _measured_mb(context, run)
    ram = measured if measured is not None else None if live is None else live + base
    kept_free = exact(context.problem.reserve.memory_mb or 0.0)
    outside = EXTERNAL_KINDS if any(region.kind in STORE_KINDS for region in chip.regions) else ()
    spares = [
        _largest_mb(chip, RAM_KINDS, None if ram is None else ram + kept_free),
        _largest_mb(chip, (*STORE_KINDS, *outside), weights),
    ]
    known = [spare for spare in spares if spare is not None]
    least = min(known, default=None)
    return least if least is not None and (least < 0 or len(known) == len(spares)) else None


def _largest_mb(chip: Chip, kinds: tuple[str, ...], needed_mb: Fraction | None) -> Fraction | None:
    """What `needed_mb` leaves of the largest region of these kinds."""
    sizes = [exact(region.kib) * 1024 / 1_000_000 for region in chip.regions if region.kind in kinds]
    return max(sizes) - needed_mb if sizes and needed_mb is not None else None


def _measured_mb(context: Context, run: int) -> Fraction | None:
    measured = float(context.runs.memory_mb[run])
    return exact(measured) if isfinite(measured) else None


def _sizes_mb(context: Context, run: int) -> tuple[Fraction | None, Fraction | None, Fraction]:
    """Weights, live activations and runtime; None where a size is unknown."""
    runs, nets, net = context.runs, context.catalog.nets, int(context.runs.net[run])
    lane = context.lane_of(run)
    width = exact(float(BYTES.get(context.lanes.precision[lane], 1)))
    base = exact(runtime_mb(context.chip_of(run), context.lanes.unit[lane], context.lanes.runtime[lane]))
    sizes = (float(nets.params_m[net]), float(nets.activations_m[net]))
    weights, live = (None if isnan(size) else exact(size) * width for size in sizes)
    if live is not None:
        live *= int(runs.batch[run]) * exact(LIVE_SHARE)
    return weights, live, base


def _sum(*parts: float | None) -> Fraction | None:
    """Exact sum; unknown as soon as one part is."""
    known = [exact(float(part)) for part in parts if part is not None]
    return sum(known, ZERO) if len(known) == len(parts) else None
