"""What an estimate has to beat: three rules of thumb that an engineer would use, fitted on the training rows alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from dse.catalog.types import BoolArray, FloatArray, IntArray
from dse.fidelity.rows import CONDITION, codes, joined

Baseline = Callable[[pd.DataFrame, pd.DataFrame], FloatArray]
"""Training rows and rows to answer, to log time per item [log ms] of the latter, NaN where there is no answer."""

PEAK_SHARE = 0.6
OPERATIONS_PER_MAC = 2
# Distance between two measurements in the nearest-utilisation rule, in units of log GMACs.
PARAMS_WEIGHT, UNKNOWN_PARAMS = 0.5, 0.7
OTHER_FAMILY, OTHER_PRECISION, OTHER_CONDITION, OTHER_QUANTITY = 0.7, 3.0, 2.0, 1.0
SAME_DISTANCE = 1e-9  # rounding of logs
FOLDED = {"mixed-int8-int16": "int8", "mixed-int4-int8": "int8", "mixed-int8-fp16": "int8", "unknown": "float"}
"""Precisions that count as another one when networks are compared."""


def peak_share(train: pd.DataFrame, rows: pd.DataFrame) -> FloatArray:
    """Work over 60 % of the rated peak: t [ms] = 2 GMACs / (0.6 TOPS). Learns nothing from `train`."""
    del train
    with np.errstate(divide="ignore", invalid="ignore"):
        time = OPERATIONS_PER_MAC * _figures(rows, "gmacs") / (PEAK_SHARE * _figures(rows, "peak_tops"))
        return _finite(np.log(time))


def chip_rate(train: pd.DataFrame, rows: pd.DataFrame) -> FloatArray:
    """One work rate per unit of a chip and precision: the median of its training rows [GMACs/ms]."""
    by = ["chip", "unit", "precision"]
    rate = pd.Series(_log(train, "gmacs") - _figures(train, "log_ms"), index=train.index)
    learnt = rate.groupby([train[name] for name in by]).median()  # leaves out NaN
    wanted = pd.MultiIndex.from_frame(rows[by])
    return _finite(_log(rows, "gmacs") - learnt.reindex(wanted).to_numpy(dtype=np.float64))


def nearest_rate(train: pd.DataFrame, rows: pd.DataFrame) -> FloatArray:
    """The work rate of the most similar training row of the same chip: its time, times GMACs over its GMACs.

    The distance is the difference in log GMACs, half that in log parameters (0.7 in all where one is not known), 0.7
    if the family differs, 3 if the precision does, 2 if the condition does, and 1 more if one is a latency and the
    other a period. Rows equally near answer together, with the mean of their logs.
    """
    both = pd.concat([train, rows], ignore_index=True)
    number = {
        "chip": codes(both["chip"].to_numpy(dtype=object)),
        "family": codes(both["family"].to_numpy(dtype=object)),
        "precision": codes(both["precision"].replace(FOLDED).to_numpy(dtype=object)),
        "condition": codes(joined(both, CONDITION)),
        "quantity": codes(both["quantity"].to_numpy(dtype=object)),
    }
    macs, params = _log(both, "gmacs"), _log(both, "params_m")
    slowness = _figures(both, "log_ms") - macs
    learnt = np.arange(len(both)) < len(train)
    answer: FloatArray = np.full(len(both), np.nan)
    for chip in np.unique(number["chip"][~learnt]):
        here = np.flatnonzero((number["chip"] == chip) & np.isfinite(macs))
        known, asked = here[learnt[here]], here[~learnt[here]]
        if len(known) and len(asked):
            distance = _distance(macs, params, number, asked, known)
            nearest = distance <= distance.min(axis=1, keepdims=True) + SAME_DISTANCE
            answer[asked] = macs[asked] + (nearest @ slowness[known]) / nearest.sum(axis=1)
    return answer[len(train) :]


BASELINES: dict[str, Baseline] = {
    "60 % of the rated peak": peak_share,
    "one efficiency per chip": chip_rate,
    "nearest utilisation": nearest_rate,
}


def _distance(
    macs: FloatArray, params: FloatArray, number: dict[str, IntArray], asked: IntArray, known: IntArray
) -> FloatArray:
    """Distance (a, k) from rows asked to rows known."""

    def differ(name: str) -> FloatArray:
        other: BoolArray = number[name][asked][:, None] != number[name][known][None, :]
        return other.astype(np.float64)

    apart = PARAMS_WEIGHT * np.abs(params[asked][:, None] - params[known][None, :])
    return (
        np.abs(macs[asked][:, None] - macs[known][None, :])
        + np.nan_to_num(apart, nan=UNKNOWN_PARAMS)
        + OTHER_FAMILY * differ("family")
        + OTHER_PRECISION * differ("precision")
        + OTHER_CONDITION * differ("condition")
        + OTHER_QUANTITY * differ("quantity")
    )


def _figures(rows: pd.DataFrame, column: str) -> FloatArray:
    return rows[column].to_numpy(dtype=np.float64)


def _log(rows: pd.DataFrame, column: str) -> FloatArray:
    """Log of a figure, NaN where it is not known or zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return _finite(np.log(_figures(rows, column)))


def _finite(values: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), values, np.nan)
