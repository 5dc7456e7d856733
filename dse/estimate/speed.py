"""Time of a network nobody measured on a unit, from the networks somebody did measure on it.

The law of the field, ``performance = min(compute, bandwidth utilisation) x model efficiency x hardware efficiency``,
read off the unit's own measurements: the work rate (GMACs per second) of the nearest measured networks is what the
unit reaches of its peak (hardware efficiency, ``law``), and how far a network lies from that law on other chips is its
own (model efficiency, here). No rated peak enters where the unit was measured; a constant share of peak never does.

    log t(c, m) = law(c, m) + h(c, m)

where h is the shrunken mean of the network's residuals on *other* chips. Runs on accelerators have fixed costs: there a
network with fewer MACs than every measured one is not estimated faster than the fastest measured run (the smallest
network left out: 90th-percentile error x3.7 with this floor, x6.3 without; on CPUs x8.2 with and x1.7 without).
Intervals are conformal: the 90 % quantile of the leave-one-out errors divided by their own predicted spread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dse.catalog.types import BoolArray, Catalog, FloatArray, IntArray, TextArray
from dse.estimate.law import Calibration, Constants, calibrations_of, features_of, predict

SPREAD_FLOOR = 0.10  # log time: two measurements of one thing rarely agree better
MODEL_SPREAD = 0.35  # log time: spread of a network's own efficiency when no other chip tells
LARGEST_RESIDUAL = 1.5  # log time: one wild row on another chip does not decide
# Nearest measured network further than this in distance: the law is extrapolated.
FAR, TOO_FAR = 1.8, 3.5
APART = 1.0  # beyond it the errors are wider: a conformal group of its own
MIN_CALIBRATED = 3  # measured networks a unit needs before it counts as calibrated
COVERAGE = 0.9
MIN_ERRORS = 20  # left-out rows a conformal group needs for a factor of its own
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
    ``nearest`` holds the nets whose measurements weigh most, -1 where fewer. Where the network itself was measured,
    the estimate is the one made without it.
    """

    calibrations: Calibrations
    typical_ms: FloatArray
    spread: FloatArray
    grade: IntArray
    known_elsewhere: BoolArray
    nearest: IntArray
    conformal: dict[str, float]


def fit(catalog: Catalog, constants: Constants | None = None) -> Speeds:
    """Calibrate on every measured latency at batch 1 and estimate all networks with known MACs.

    Parameters
    ----------
    catalog : Catalog
        With at least one measured latency at batch 1.
    constants : Constants, optional
        Of the law; the defaults are those chosen on the shipped measurements.
    """
    constants = constants or Constants()
    measured = calibrations_of(catalog.measurements)
    law = _apply_law(catalog, measured, constants)
    calibrations = _as_calibrations(measured)
    effect, others = _model_effects(law.truth - law.log_ms, calibrations.chip, constants.shrink_models)
    # On CPUs small networks do run faster: there the floor only made them too slow (leave-one-out, see above).
    floor = np.where(_on_cpu(calibrations)[:, None], -np.inf, law.floor)
    estimate = np.maximum(law.log_ms + effect, floor)
    own_spread = np.sqrt(law.spread**2 + SPREAD_FLOOR**2 + MODEL_SPREAD**2 / (1 + others))
    group = _groups(calibrations, others, law.distance)
    conformal = _conformal(law.truth - estimate, own_spread, group)
    typical = np.exp(estimate)
    typical[law.distance > TOO_FAR] = np.nan
    return Speeds(
        calibrations=calibrations,
        typical_ms=typical,
        spread=np.exp(own_spread * _factor(conformal, group)),
        grade=_grades(calibrations, law.distance, others),
        known_elsewhere=others > 0,
        nearest=law.nearest,
        conformal=conformal,
    )


@dataclass(frozen=True)
class _Law:
    """The law on all calibrations, shape (c, n); ``truth`` is the measured log time, NaN where there is none.

    Where a network was measured, the prediction is the one that leaves it out.
    """

    log_ms: FloatArray
    spread: FloatArray
    distance: FloatArray
    nearest: IntArray
    floor: FloatArray
    truth: FloatArray


def _apply_law(catalog: Catalog, measured: Sequence[Calibration], constants: Constants) -> _Law:
    features, size = features_of(catalog.nets), (len(measured), len(catalog.nets.id))
    everything = np.arange(size[1])
    law = _Law(
        log_ms=np.full(size, np.nan),
        spread=np.full(size, np.nan),
        distance=np.full(size, np.inf),
        nearest=np.full((*size, 3), -1),
        floor=np.full(size, -np.inf),
        truth=np.full(size, np.nan),
    )
    for c, of_unit in enumerate(measured):
        free = predict(features, everything, of_unit, constants, left_out=False)
        left_out = predict(features, of_unit.net, of_unit, constants, left_out=True)
        law.nearest[c] = free.nearest
        law.truth[c, of_unit.net] = of_unit.log_ms
        for column in ("log_ms", "spread", "distance", "floor"):
            values = getattr(law, column)
            values[c] = getattr(free, column)
            values[c, of_unit.net] = getattr(left_out, column)
    return law


def _as_calibrations(measured: Sequence[Calibration]) -> Calibrations:
    columns = zip(*(of_unit.key for of_unit in measured), strict=True)
    chip, mode, unit, cores, runtime, precision = (np.array(column, dtype=object) for column in columns)
    counts = np.array([len(of_unit.net) for of_unit in measured])
    return Calibrations(chip, mode, unit, cores.astype(np.int64), runtime, precision, counts)


def _model_effects(residual: FloatArray, chip: TextArray, shrink: float) -> tuple[FloatArray, IntArray]:
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
    clipped = np.clip(np.where(known, per_chip, 0.0), -LARGEST_RESIDUAL, LARGEST_RESIDUAL)
    others = known.sum(axis=0)[None, :] - known
    total = clipped.sum(axis=0)[None, :] - clipped
    effect = total / (others + shrink)
    return effect[of], others[of]


def _on_cpu(calibrations: Calibrations) -> BoolArray:
    return np.isin(calibrations.unit.astype(str), ["cpu", "mcu"])


def _groups(calibrations: Calibrations, others: IntArray, distance: FloatArray) -> TextArray:
    """Conformal group of every cell: kind of unit, network known elsewhere or not, few or far neighbours."""
    cpu = _on_cpu(calibrations)[:, None]
    few = (calibrations.measured_nets < MIN_CALIBRATED + 1)[:, None]
    name = np.char.add(np.where(cpu, "cpu", "accelerator"), np.where(others > 0, " known", " new"))
    return np.char.add(name, np.where(few, " few", np.where(distance > APART, " far", ""))).astype(object)


def _conformal(error: FloatArray, spread: FloatArray, group: TextArray) -> dict[str, float]:
    """90 % quantile of |error| / spread per group, with the finite-sample correction.

    A group with fewer than `MIN_ERRORS` left-out rows takes the widest factor of the others.
    """
    seen = np.isfinite(error) & np.isfinite(spread)
    factors = {}
    for name in np.unique(group.astype(str)):
        score = np.abs(error[seen & (group == name)]) / spread[seen & (group == name)]
        level = min(1.0, COVERAGE * (1 + 1 / max(len(score), 1)))
        factors[str(name)] = float(np.quantile(score, level)) if len(score) >= MIN_ERRORS else np.nan
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
