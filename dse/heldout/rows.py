"""The measured rows of a catalogue in the three shapes that fitting and judging read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dse.catalog.types import BoolArray, Catalog, FloatArray
from dse.estimate.accuracy import FLOAT_PRECISIONS
from dse.estimate.conditions import Conditions
from dse.estimate.estimator import TABLES, Estimates, Estimator, fit_rows, rows_of
from dse.estimate.networks import Networks

# Data sets and metrics in which the decision problems compare networks.
_JUDGED_ON = {("imagenet-1k", "top1"), ("coco-2017", "map50-95")}


@dataclass(frozen=True)
class MeasuredRows:
    """n measured rows: as a table for scores, and as conditions, networks and log times [log ms] for fits."""

    frame: pd.DataFrame
    conditions: Conditions
    networks: Networks
    log_ms: FloatArray

    def fit(self, train: BoolArray, tables: tuple[str, ...] = TABLES) -> Estimator:
        """The station fitted to some rows; the first of `tables` answers for those that are missing."""
        return fit_rows(self.conditions.take(train), self.networks.take(train), self.log_ms[train], tables)

    def estimate(self, estimator: Estimator, rows: BoolArray, widths: dict[tuple[str, bool], float]) -> Estimates:
        """Estimates of some rows, in their order."""
        place = np.arange(int(rows.sum()))
        return estimator.estimate(self.conditions.take(rows), self.networks.take(rows), place, place, widths)


def measured_rows(catalog: Catalog) -> MeasuredRows:
    """Every row the estimates are learnt from."""
    trials = catalog.trials
    conditions, networks = rows_of(catalog)
    sizes = {name: np.where(side > 0, side, np.nan) for name, side in
             (("input_h", trials.input_h), ("input_w", trials.input_w))}  # fmt: skip
    accuracy = _float_accuracies(catalog)
    keys = list(zip(trials.model.tolist(), trials.input_h.tolist(), trials.input_w.tolist(), strict=True))
    points = [accuracy.get(key) or accuracy.get((key[0], 0, 0)) or (np.nan, "") for key in keys]
    frame = pd.DataFrame(
        {
            "vendor": trials.vendor,
            "chip": trials.device,
            **{name: getattr(trials, name) for name in ("mode", "unit", "cores", "streams", "runtime", "model")},
            "family": networks.family,
            **sizes,
            **{name: getattr(trials, name) for name in ("precision", "batch", "quantity", "log_ms")},
            "gmacs": networks.gmacs,
            "params_m": networks.params_m,
            "peak_tops": conditions.peak_tops,
            "accuracy": [value for value, _ in points],
            "accuracy_metric": [metric for _, metric in points],
        }
    )
    return MeasuredRows(frame, conditions, networks, trials.log_ms)


def _float_accuracies(catalog: Catalog) -> dict[tuple[str, int, int], tuple[float, str]]:
    """Best float accuracy of every network at an input size, and its metric."""
    figures, entries, nets = catalog.accuracies, catalog.entries, catalog.nets
    best: dict[tuple[str, int, int], tuple[float, str]] = {}
    for row in np.flatnonzero(np.isin(figures.precision.astype(str), FLOAT_PRECISIONS)).tolist():
        entry = int(figures.entry[row])
        if (entries.dataset[entry], entries.metric[entry]) not in _JUDGED_ON:
            continue
        net = int(entries.net[entry])
        key = (str(nets.id[net]), int(nets.input_h[net]), int(nets.input_w[net]))
        best[key] = max(best.get(key, (-np.inf, "")), (float(figures.accuracy[row]), str(entries.metric[entry])))
    return best
