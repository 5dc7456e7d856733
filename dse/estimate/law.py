"""One unit's own law: the time of any network from the networks measured on that unit, nothing else.

For network m on calibration c (one unit, runtime, core count, mode and precision):

    log t(c, m) = sum_i w_i [log t(c, i) + e (log G_m - log G_i)] / sum_i w_i
    w_i = exp(-d(m, i) / h),   d = |dlog GMACs| + 0.5 |dlog parameters| + 0.3 |dlog area| + 0.4 [line] + 0.4 [family]

over the nearest measured networks i. What a network costs beyond the law is for ``speed`` to say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.catalog.types import FloatArray, IntArray, Measurements, Nets
from dse.estimate.statistics import to_mean

Key = tuple[str, str, str, int, str, str]
"""Chip, mode, unit, cores, runtime, precision."""
# Where a size is not known, the distance usual between two networks of one calibration.
UNKNOWN_PARAMS, UNKNOWN_AREA = 0.8, 0.4
LEAST_AREA = 64  # pixels; smaller "images" are feature vectors, whose area says nothing
NEAREST_SHOWN = 3


@dataclass(frozen=True)
class Constants:
    """What was chosen on the shipped measurements; the optimum is flat (``benchmarks/estimates.py`` shows it)."""

    neighbours: int = 12
    distance_scale: float = 0.35
    work_exponent: float = 0.75  # 0.65 to 0.8 err alike; below, larger networks than measured come out too fast
    shrink_models: float = 1.0  # pseudo-count of other chips for the model's own efficiency
    spread_per_distance: float = 0.15  # log time per unit of distance of the nearest network


@dataclass(frozen=True)
class Calibration:
    """The networks measured on one unit under one condition, one at a time: shape (k,), and their log mean times."""

    key: Key
    net: IntArray
    log_ms: FloatArray


@dataclass(frozen=True)
class Features:
    """Logs of the sizes of all networks, shape (n,), NaN where unknown; lines and families as codes."""

    macs: FloatArray
    params: FloatArray
    area: FloatArray
    stem: IntArray
    family: IntArray


@dataclass(frozen=True)
class Prediction:
    """Of t networks on one calibration, shape (t,): log time, spread of its neighbours, distance to the nearest.

    ``nearest`` (t, 3) holds the nets that weigh most, -1 where fewer; ``floor`` is the log time no network can beat
    for which the law reaches below the smallest measured one, -inf for all others.
    """

    log_ms: FloatArray
    spread: FloatArray
    distance: FloatArray
    nearest: IntArray
    floor: FloatArray


def calibrations_of(m: Measurements) -> list[Calibration]:
    """Every condition with a measured latency at batch 1, in the order of their keys.

    Several rows of one network become the median of their log mean times.
    """
    wanted = np.flatnonzero((m.quantity == "latency") & (m.batch == 1))
    log_mean = np.log(m.time_ms[wanted] * to_mean(m.statistic[wanted]))
    groups: dict[Key, dict[int, list[float]]] = {}
    for row, log_ms in zip(wanted, log_mean, strict=True):
        key = (m.chip[row], m.mode[row], m.unit[row], int(m.cores[row]), m.runtime[row], m.precision[row])
        groups.setdefault(key, {}).setdefault(int(m.net[row]), []).append(float(log_ms))
    return [
        Calibration(key, np.array(sorted(times)), np.array([np.median(times[net]) for net in sorted(times)]))
        for key, times in sorted(groups.items())
    ]


def features_of(nets: Nets) -> Features:
    """What the distance between two networks is made of."""
    area = (nets.input_h * nets.input_w).astype(float)
    return Features(
        macs=np.log(nets.gmacs),
        params=np.log(nets.params_m),
        area=np.where(area > LEAST_AREA, np.log(np.maximum(area, 1)), np.nan),
        stem=np.unique(nets.stem.astype(str), return_inverse=True)[1],
        family=np.unique(nets.family.astype(str), return_inverse=True)[1],
    )


def predict(f: Features, targets: IntArray, known: Calibration, constants: Constants, *, left_out: bool) -> Prediction:
    """Apply the law to `targets`.

    Parameters
    ----------
    f : Features
        Of all networks.
    targets : (t,)
        Networks to estimate.
    known : Calibration
        What was measured.
    constants : Constants
        Of the law.
    left_out : bool
        A measured target is estimated from the others alone.

    Returns
    -------
    Prediction
        Log time NaN where the MACs of the target, or of every measured network, are not known.
    """
    further = f.macs[targets][:, None] - f.macs[known.net][None, :]
    distance = _distance(f, targets, known.net)
    if left_out:
        distance[targets[:, None] == known.net[None, :]] = np.inf
    order = np.argsort(distance, axis=1, kind="stable")[:, : constants.neighbours]
    near = np.take_along_axis(distance, order, axis=1)
    moved = np.take_along_axis(known.log_ms[None, :] + constants.work_exponent * further, order, axis=1)
    usable = np.isfinite(near)
    moved, apart = np.where(usable, moved, 0.0), np.where(usable, near, np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        # The nearest weighs 1: only ratios of weights count, and far from everything all would vanish.
        weight = np.where(usable, np.exp((apart[:, :1] - apart) / constants.distance_scale), 0.0)
        total = weight.sum(axis=1)
        mean = (weight * moved).sum(axis=1) / total
        variance = (weight * (moved - mean[:, None]) ** 2).sum(axis=1) / total
    spread = np.sqrt(variance + (constants.spread_per_distance * np.minimum(apart[:, 0], 5)) ** 2)
    nearest = np.full((len(targets), NEAREST_SHOWN), -1)
    shown = np.where(usable, known.net[order], -1)[:, :NEAREST_SHOWN]
    nearest[:, : shown.shape[1]] = shown
    floor = _floor(f.macs, targets, known)
    return Prediction(np.where(total > 0, mean, np.nan), spread, apart[:, 0], nearest, floor)


def _distance(f: Features, targets: IntArray, net: IntArray) -> FloatArray:
    """Distance (t, k) between targets and measured networks; infinite where MACs are not known."""

    def apart(values: FloatArray) -> FloatArray:
        return np.abs(values[targets][:, None] - values[net][None, :])

    d = apart(f.macs)
    d += 0.5 * np.nan_to_num(apart(f.params), nan=UNKNOWN_PARAMS)
    d += 0.3 * np.nan_to_num(apart(f.area), nan=UNKNOWN_AREA)
    d += 0.4 * (f.stem[targets][:, None] != f.stem[net][None, :])
    d += 0.4 * (f.family[targets][:, None] != f.family[net][None, :])
    return np.where(np.isfinite(d), d, np.inf)


def _floor(macs: FloatArray, targets: IntArray, known: Calibration) -> FloatArray:
    """Fastest measured run, for targets with fewer MACs than every measured network.

    Short runs have fixed costs (launch, transfer) that a power law of the work does not know.
    """
    smallest = np.nanmin(macs[known.net], initial=np.inf)
    with np.errstate(invalid="ignore"):
        below = (macs[targets] < smallest) & np.isfinite(smallest)
    return np.where(below, known.log_ms.min(), -np.inf)
