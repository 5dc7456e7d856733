"""Latency of every network on every unit somebody measured, one at a time: what the candidates are made of.

typical = estimate of the station (`dse.estimate.estimator`) x factor from the printed statistic to the mean
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from dse.catalog.types import BoolArray, Catalog, FloatArray, IntArray, TextArray, Trials, text_array
from dse.estimate import evidence
from dse.estimate.conditions import Conditions, rated
from dse.estimate.estimator import Estimator
from dse.estimate.evidence import CALIBRATED, GRADES, LEVELS
from dse.estimate.networks import KnownNetworks
from dse.estimate.peak import rated_higher
from dse.estimate.statistics import to_mean

Key = tuple[str, str, str, int, str, str]
"""Chip, mode, unit, cores, runtime, precision."""


@dataclass(frozen=True)
class Calibrations:
    """One row per unit, runtime, cores, mode and precision with a measured latency at batch 1, shape (c,).

    ``device`` and ``source_mode`` are the words of the measurements most rows have; ``measured_nets`` counts networks.
    """

    chip: TextArray
    mode: TextArray
    unit: TextArray
    cores: IntArray
    runtime: TextArray
    precision: TextArray
    vendor: TextArray
    device: TextArray
    source_mode: TextArray
    statistic: TextArray
    measured_nets: IntArray


@dataclass(frozen=True)
class Speeds:
    """Estimated latency of every network on every calibration at batch 1, shape (c, n).

    ``typical_ms`` is the mean, NaN where no estimate is given; ``spread`` the 90 % half-width as a factor (x and ÷);
    ``level`` indexes `dse.estimate.evidence.LEVELS`, ``grade`` indexes ``"ABCDE"``.
    """

    calibrations: Calibrations
    typical_ms: FloatArray
    spread: FloatArray
    level: IntArray

    @property
    def grade(self) -> IntArray:
        """Grade of every estimate."""
        return evidence.grades(self.level)


def speeds(catalog: Catalog, estimator: Estimator) -> Speeds:
    """Estimate every network of the catalogue on every calibrated unit of a chip one can buy."""
    calibrations = calibrations_of(catalog)
    conditions, networks = conditions_at_one(calibrations, catalog), KnownNetworks(catalog).of_catalog()
    rows, columns = np.arange(len(calibrations.chip))[:, None], np.arange(len(networks.model))[None, :]
    found = estimator.estimate(conditions, networks, rows, columns)
    typical = np.exp(found.log_ms) * to_mean(calibrations.statistic)[:, None]
    typical = np.fmax(typical, _floor(catalog, calibrations))
    # Without MACs and without a measurement anywhere there is nothing to go by.
    blind = np.isin(found.level, [k for k, name in enumerate(LEVELS) if name.endswith("-")])
    typical[blind] = np.nan
    typical[_outdone(calibrations)] = np.nan
    return Speeds(calibrations, typical, np.exp(found.half_width), found.level)


def _outdone(c: Calibrations) -> BoolArray:
    """Whether a runtime with too few measured networks stands beside one with enough, on the same unit, shape (c,).

    The same mode and precision. What a benchmark of one network promises must not undercut what is known better.
    """
    places = list(zip(c.chip, c.mode, c.unit, c.precision, strict=True))
    enough = {place for place, count in zip(places, c.measured_nets.tolist(), strict=True) if count >= CALIBRATED}
    few = c.measured_nets < CALIBRATED
    return few & np.array([place in enough for place in places], dtype=np.bool_)


def _floor(catalog: Catalog, c: Calibrations) -> FloatArray:
    """Measured time [ms] at a precision of higher rated peak, for the same unit, runtime, cores and mode, (c, n).

    What runs slower at rated peak does not run faster in fact: an estimate below it has learnt from other networks.
    NaN where nothing was measured.
    """
    m = catalog.measurements
    floor = np.full((len(c.chip), len(catalog.nets.id)), np.nan)
    rows_of: dict[Key, list[int]] = {}
    for row in np.flatnonzero((m.quantity == "latency") & (m.batch == 1)).tolist():
        key = (m.chip[row], m.mode[row], m.unit[row], int(m.cores[row]), m.runtime[row], m.precision[row])
        rows_of.setdefault(key, []).append(row)
    by_place: dict[tuple[str, str, str, int, str], list[str]] = {}
    for key in rows_of:
        by_place.setdefault(key[:5], []).append(key[5])
    keys = zip(c.chip, c.mode, c.unit, c.cores.tolist(), c.runtime, c.precision, strict=True)
    for k, (chip, mode, unit, cores, runtime, precision) in enumerate(keys):
        measured = by_place.get((chip, mode, unit, cores, runtime), [])
        for higher in set(rated_higher(catalog.chips[chip], unit, precision)).intersection(measured):
            rows = np.array(rows_of[chip, mode, unit, cores, runtime, higher])
            mean_ms = m.time_ms[rows] * to_mean(m.statistic[rows])
            np.fmax.at(floor[k], m.net[rows], mean_ms)
    return floor


def calibrations_of(catalog: Catalog) -> Calibrations:
    """Every condition with a measured latency at batch 1 that a product can have, in the order of their keys."""
    trials = catalog.trials
    rows_of: dict[Key, list[int]] = {}
    for row in np.flatnonzero(_usable(trials, catalog)).tolist():
        chip = catalog.chips[trials.chip[row]]
        mode = trials.mode[row] or (chip.reference_mode.id if chip.reference_mode else "")
        key = (chip.id, mode, trials.unit[row], int(trials.cores[row]), trials.runtime[row], trials.precision[row])
        rows_of.setdefault(key, []).append(row)
    keys = sorted(rows_of)
    chips, mode, unit, runtime, precision = (text_array(str(key[k]) for key in keys) for k in (0, 1, 2, 4, 5))
    cores = np.array([key[3] for key in keys], dtype=np.int64)
    usual = [_usual(trials, rows_of[key]) for key in keys]
    vendor, device, source_mode, statistic = (text_array(words[k] for words in usual) for k in range(4))
    counts = np.array(
        [len({(trials.model[r], trials.input_h[r], trials.input_w[r]) for r in rows_of[key]}) for key in keys]
    )
    return Calibrations(chips, mode, unit, cores, runtime, precision, vendor, device, source_mode,
                        statistic, counts.astype(np.int64))  # fmt: skip


def conditions_at_one(c: Calibrations, catalog: Catalog) -> Conditions:
    """The conditions of calibrations: one network at a time, a batch of one."""
    ones = np.ones(len(c.chip), dtype=np.int64)
    return Conditions(
        vendor=c.vendor,
        device=c.device,
        mode=c.source_mode,
        unit=c.unit,
        cores=c.cores,
        streams=ones,
        runtime=c.runtime,
        precision=c.precision,
        batch=ones,
        quantity=np.full(len(ones), "latency", dtype=np.object_),
        **rated(catalog, c.chip, c.unit, c.precision),
    )


def _usable(trials: Trials, catalog: Catalog) -> BoolArray:
    usable: BoolArray = np.isin(trials.chip.astype(str), list(catalog.chips)) & (trials.streams <= 1)
    usable &= (trials.batch == 1) & (trials.quantity == "latency") & (trials.precision != "unknown")
    return usable


def _usual(trials: Trials, rows: list[int]) -> tuple[str, str, str, str]:
    """Vendor, device, mode and statistic that most rows have; of equally common ones the first by name."""

    def most(words: list[str]) -> str:
        return min(Counter(words).items(), key=lambda pair: (-pair[1], pair[0]))[0]

    columns = (trials.vendor, trials.device, trials.mode, trials.statistic)
    vendor, device, mode, statistic = (most(column[rows].tolist()) for column in columns)
    return vendor, device, mode, statistic


__all__ = ["GRADES", "Calibrations", "Speeds", "calibrations_of", "conditions_at_one", "speeds"]
