"""Time of a network nobody measured on a unit, from the networks somebody did measure on it.

The law of the field, ``performance = min(compute, bandwidth utilisation) x model efficiency x hardware efficiency``,
read off the unit's own measurements: the work rate (GMACs per second) of the nearest measured networks is what the
unit reaches of its peak (hardware efficiency), and how far a network lies from that law on other chips is its own
(model efficiency). No rated peak enters where the unit was measured; a constant share of peak never does.

For network m on calibration c (one unit, runtime, core count, mode and precision):

    log t(c, m) = sum_i w_i [log t(c, i) + e (log G_m - log G_i)] / sum_i w_i  +  h_m
    w_i = exp(-d(m, i) / h),   d = |dlog GMACs| + 0.5 |dlog parameters| + 0.3 |dlog area| + 0.4 [line] + 0.4 [family]

over the nearest measured networks i; h_m is the shrunken mean of the network's residuals on other chips. Intervals are
conformal: the 90 % quantile of the leave-one-out errors divided by their own predicted spread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.catalog.types import BoolArray, Catalog, FloatArray, IntArray, Measurements, Nets, TextArray
from dse.estimate.statistics import to_mean

# Chosen on leave-one-out errors of the shipped measurements; the optimum is flat (see docs/estimates.md).
NEIGHBOURS = 12
DISTANCE_SCALE = 0.35
WORK_EXPONENT = 0.85
SHRINK_MODELS = 1.0  # pseudo-count of other chips for the model's own efficiency
SPREAD_FLOOR = 0.10  # log time: two measurements of one thing rarely agree better
SPREAD_PER_DISTANCE = 0.15
# Nearest measured network further than this in distance: the law is extrapolated.
FAR, TOO_FAR = 1.8, 3.5
APART = 1.0  # beyond it the errors are wider: a conformal group of its own
MIN_CALIBRATED = 3  # measured networks a unit needs before it counts as calibrated
GRADES = "ABCDE"


@dataclass(frozen=True)
class Calibrations:
    """One row per unit, runtime, cores, mode and precision with a measured latency, shape (c,)."""

    chip: TextArray
    mode: TextArray
    unit: TextArray
    cores: IntArray
    runtime: TextArray
    precision: TextArray
    measured_nets: IntArray


@dataclass(frozen=True)
class Speeds:
    """Estimated latency of every network on every calibration at batch 1, shape (c, n).

    ``typical_ms`` NaN where no estimate is given; ``spread`` is the 90 % half-width as a factor (x and ÷);
    ``grade`` indexes ``"ABCDE"``; ``known_elsewhere`` says that the network was measured on another chip;
    ``nearest`` holds the nets whose measurements weigh most, -1 where fewer.
    """

    calibrations: Calibrations
    typical_ms: FloatArray
    spread: FloatArray
    grade: IntArray
    known_elsewhere: BoolArray
    nearest: IntArray
    conformal: dict[str, float]


def fit(catalog: Catalog) -> Speeds:
    """Calibrate on every measured latency at batch 1 and estimate all networks with known MACs."""
    keys, rows = _calibration_rows(catalog.measurements)
    nets = catalog.nets
    features = _features(nets)
    size = (len(keys), len(nets.id))
    law, own_spread, nearest = np.full(size, np.nan), np.full(size, np.nan), np.full((*size, 3), -1)
    distance = np.full(size, np.inf)
    residual = np.full(size, np.nan)
    for c, (net, log_time) in enumerate(rows):
        law[c], own_spread[c], distance[c], nearest[c] = _law(features, np.arange(size[1]), net, log_time, loo=False)
        left_out, left_spread, left_distance, _ = _law(features, net, net, log_time, loo=True)
        residual[c, net] = log_time - left_out
        own_spread[c, net], distance[c, net], law[c, net] = left_spread, left_distance, left_out
    calibrations = _as_calibrations(keys, rows)
    effect, others = _model_effects(residual, calibrations.chip)
    log_time_hat = law + effect
    predicted_spread = np.sqrt(own_spread**2 + SPREAD_FLOOR**2 + (0.35**2) / (1 + others))
    group = _groups(calibrations, others, distance)
    conformal = _conformal(residual - effect, predicted_spread, group)
    spread = np.exp(predicted_spread * _factor(conformal, group))
    grade = _grades(calibrations, distance, others)
    typical = np.exp(log_time_hat)
    refused = ~np.isfinite(typical) | (distance > TOO_FAR)
    typical[refused] = np.nan
    return Speeds(calibrations, typical, spread, grade, others > 0, nearest, conformal)


def _calibration_rows(m: Measurements) -> tuple[list[tuple[str, str, str, int, str, str]], list[tuple[IntArray, FloatArray]]]:
    """Per calibration key: measured nets and the mean of their log mean times."""
    wanted = np.flatnonzero((m.quantity == "latency") & (m.batch == 1))
    log_mean = np.log(m.time_ms * to_mean(m.statistic))
    groups: dict[tuple[str, str, str, int, str, str], dict[int, list[float]]] = {}
    for row in wanted:
        key = (m.chip[row], m.mode[row], m.unit[row], int(m.cores[row]), m.runtime[row], m.precision[row])
        groups.setdefault(key, {}).setdefault(int(m.net[row]), []).append(float(log_mean[row]))
    keys = sorted(groups)
    rows = []
    for key in keys:
        nets = sorted(groups[key])
        rows.append((np.array(nets), np.array([np.median(groups[key][net]) for net in nets])))
    return keys, rows


def _as_calibrations(keys: list[tuple[str, str, str, int, str, str]], rows: list[tuple[IntArray, FloatArray]]) -> Calibrations:
    chip, mode, unit, cores, runtime, precision = (np.array(part, dtype=object) for part in zip(*keys, strict=True))
    return Calibrations(chip=chip, mode=mode, unit=unit, cores=cores.astype(np.int64), runtime=runtime,
                        precision=precision, measured_nets=np.array([len(net) for net, _ in rows]))


def _features(nets: Nets) -> dict[str, FloatArray | TextArray]:
    """Logs of the sizes; NaN where unknown."""
    area = (nets.input_h * nets.input_w).astype(float)
    with np.errstate(divide="ignore"):
        return {"macs": np.log(nets.gmacs), "params": np.log(nets.params_m),
                "area": np.where(area > 64, np.log(np.maximum(area, 1)), np.nan), "stem": nets.stem, "family": nets.family}


def _law(f: dict[str, FloatArray | TextArray], targets: IntArray, net: IntArray, log_time: FloatArray, *, loo: bool
         ) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Prediction, spread, distance of the nearest and the three nearest nets, for each target."""
    macs, params, area = (np.asarray(f[name], float) for name in ("macs", "params", "area"))
    difference = macs[targets][:, None] - macs[net][None, :]
    d = np.abs(difference)
    d = d + 0.5 * np.nan_to_num(np.abs(params[targets][:, None] - params[net][None, :]), nan=0.8)
    d = d + 0.3 * np.nan_to_num(np.abs(area[targets][:, None] - area[net][None, :]), nan=0.4)
    d = d + 0.4 * (f["stem"][targets][:, None] != f["stem"][net][None, :])
    d = d + 0.4 * (f["family"][targets][:, None] != f["family"][net][None, :])
    d = np.where(np.isfinite(d), d, np.inf)
    if loo:
        d[targets[:, None] == net[None, :]] = np.inf
    order = np.argsort(d, axis=1, kind="stable")[:, :NEIGHBOURS]
    near = np.take_along_axis(d, order, axis=1)
    moved = np.take_along_axis(log_time[None, :] + WORK_EXPONENT * difference, order, axis=1)
    usable = np.isfinite(near)
    weight = np.where(usable, np.exp(-(np.where(usable, near, 0) - np.where(usable, near, 0).min(axis=1, keepdims=True)) / DISTANCE_SCALE), 0.0)
    total = weight.sum(axis=1)
    moved = np.where(usable, moved, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (weight * moved).sum(axis=1) / total
        variance = (weight * (moved - mean[:, None]) ** 2).sum(axis=1) / total
    first = np.where(usable[:, 0], near[:, 0], np.inf)
    spread = np.sqrt(variance + (SPREAD_PER_DISTANCE * np.minimum(first, 5)) ** 2)
    nearest = np.full((len(targets), 3), -1)
    width = min(3, order.shape[1])
    nearest[:, :width] = np.where(usable, net[order], -1)[:, :width]
    return np.where(total > 0, mean, np.nan), spread, first, nearest


def _model_effects(residual: FloatArray, chip: TextArray) -> tuple[FloatArray, IntArray]:
    """Shrunken mean of a network's residuals on *other* chips, (c, n), and the number of those chips.

    Residuals of one chip are averaged first, so that a chip with many runtimes counts once.
    """
    chips, of = np.unique(chip.astype(str), return_inverse=True)
    per_chip = np.full((len(chips), residual.shape[1]), np.nan)
    for k in range(len(chips)):
        rows = residual[of == k]
        seen = np.isfinite(rows)
        count = seen.sum(axis=0)
        per_chip[k] = np.where(count > 0, np.where(seen, rows, 0).sum(axis=0) / np.maximum(count, 1), np.nan)
    known = np.isfinite(per_chip)
    clipped = np.clip(np.where(known, per_chip, 0.0), -1.5, 1.5)
    others = known.sum(axis=0)[None, :] - known
    total = clipped.sum(axis=0)[None, :] - clipped
    effect = total / (others + SHRINK_MODELS)
    return effect[of], others[of]


def _groups(calibrations: Calibrations, others: IntArray, distance: FloatArray) -> TextArray:
    """Conformal group of every cell: kind of unit, network known elsewhere or not, few or far neighbours."""
    cpu = np.isin(calibrations.unit.astype(str), ["cpu", "mcu"])[:, None]
    few = (calibrations.measured_nets < MIN_CALIBRATED + 1)[:, None]
    name = np.char.add(np.where(cpu, "cpu", "accelerator"), np.where(others > 0, " known", " new"))
    return np.char.add(name, np.where(few, " few", np.where(distance > APART, " far", ""))).astype(object)


def _conformal(error: FloatArray, spread: FloatArray, group: TextArray) -> dict[str, float]:
    """90 % quantile of |error| / spread per group, with the finite-sample correction.

    A group with fewer than 20 left-out rows takes the widest factor of the others.
    """
    seen = np.isfinite(error) & np.isfinite(spread)
    factors = {}
    for name in np.unique(group.astype(str)):
        score = np.abs(error[seen & (group == name)]) / spread[seen & (group == name)]
        level = min(1.0, 0.9 * (1 + 1 / max(len(score), 1)))
        factors[str(name)] = float(np.quantile(score, level)) if len(score) >= 20 else np.nan
    widest = float(np.nanmax([*factors.values(), 1.0]))
    return {name: widest if np.isnan(factor) else factor for name, factor in factors.items()}


def _factor(conformal: dict[str, float], group: TextArray) -> FloatArray:
    result = np.empty(group.shape)
    for name, factor in conformal.items():
        result[group == name] = factor
    return result


def _grades(calibrations: Calibrations, distance: FloatArray, others: IntArray) -> IntArray:
    """C on a calibrated unit, D with one or two measured networks, E beyond what the law can carry."""
    few = (calibrations.measured_nets < MIN_CALIBRATED)[:, None]
    grade = np.where(few, np.where(others > 0, GRADES.index("D"), GRADES.index("E")), GRADES.index("C"))
    grade = np.where(distance > FAR, np.maximum(grade, GRADES.index("D")), grade)
    return np.where(distance > TOO_FAR, GRADES.index("E"), grade).astype(np.int64)
