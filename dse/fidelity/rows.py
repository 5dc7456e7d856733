"""What is judged: measured rows, one per condition, and the answers given for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from dse.catalog.types import BoolArray, FloatArray, IntArray, TextArray

COLUMNS = {
    "vendor": "text",
    "chip": "text, the source's word for the device",
    "mode": "text, power mode, empty where not labelled",
    "unit": "text, one of npu, gpu, dla, fpga, cpu, mcu",
    "cores": "count, 0 where not stated",
    "streams": "count",
    "runtime": "text, name of a set of mutually comparable numbers",
    "model": "text",
    "family": "text",
    "input_h": "pixels, NaN where not stated",
    "input_w": "pixels, NaN where not stated",
    "precision": "text",
    "batch": "count, 0 where not stated",
    "quantity": "text, latency or period",
    "log_ms": "natural log of the measured time per item [ms]",
    "gmacs": "work of one item [1e9 multiply-accumulates], NaN where not known",
    "params_m": "parameters [1e6], NaN where not known",
    "peak_tops": "rated peak one inference can use [1e12 operations/s], NaN where not known",
    "accuracy": "float accuracy of the model [points], NaN where not known",
    "accuracy_metric": "text, empty where the accuracy is not known",
}
"""Columns of the rows that splits, baselines, scores and decisions read. Row labels carry no meaning."""

ACCELERATORS = ("npu", "gpu", "dla", "fpga")
CONDITION = ("chip", "mode", "unit", "cores", "streams", "runtime", "quantity", "batch")
"""What a time was measured under, apart from the network and its precision."""


@dataclass(frozen=True)
class Predictions:
    """What a method answers for n rows.

    ``log_ms`` (n,) is the natural log of the time per item [ms], NaN where the method refuses; ``half_width`` (n,)
    the log of the factor x and ÷ that should hold 90 % of the measured times, NaN where none is stated; ``level``
    (n,) the word for the evidence, empty where the method has none.
    """

    log_ms: FloatArray
    half_width: FloatArray
    level: TextArray

    def __post_init__(self) -> None:
        sizes = {len(self.log_ms), len(self.half_width), len(self.level)}
        if len(sizes) != 1:
            raise ValueError(f"predictions: columns of {sorted(sizes)} rows; give one value per row in each")

    @classmethod
    def of_times(cls, log_ms: FloatArray) -> Self:
        """Predictions of a method that states neither an interval nor a level."""
        return cls(log_ms, np.full(len(log_ms), np.nan), np.full(len(log_ms), "", dtype=object))

    def where(self, kept: BoolArray) -> Predictions:
        """The predictions of some rows; `kept` has shape (n,)."""
        return Predictions(self.log_ms[kept], self.half_width[kept], self.level[kept])


def is_accelerator(rows: pd.DataFrame) -> BoolArray:
    """Rows measured on an NPU, GPU, DLA or FPGA; the others ran on a CPU or microcontroller."""
    return rows["unit"].isin(ACCELERATORS).to_numpy()


def joined(rows: pd.DataFrame, columns: tuple[str, ...]) -> TextArray:
    """The texts of some columns with ``|`` between them, shape (n,): equal where all columns are."""
    text = rows[columns[0]].astype(str)
    for column in columns[1:]:
        text = text + "|" + rows[column].astype(str)
    return text.to_numpy(dtype=object)


def codes(keys: TextArray) -> IntArray:
    """Number of each key in sorted order, shape (n,): 0 for the smallest, equal where keys are."""
    return np.unique(keys.astype(str), return_inverse=True)[1].astype(np.int64)
