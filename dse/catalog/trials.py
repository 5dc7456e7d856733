"""Measured rows of every kind of device as one row per network and condition: what estimates are learnt from."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import fields

import numpy as np
import pandas as pd

from dse.catalog.types import Chip, Trials

CONDITION = ("vendor", "device", "chip", "mode", "unit", "cores", "streams", "runtime")
NETWORK = ("model", "input_h", "input_w")
KEY = (*CONDITION, *NETWORK, "precision", "batch", "quantity")
_SIZES = ("gmacs", "params_m", "activations_m")
_TEXTS = {"vendor", "device", "chip", "mode", "unit", "runtime", "model", "precision", "quantity", "statistic"}
_COUNTS = {"cores", "streams", "input_h", "input_w", "batch", "count"}


def trials(rows: pd.DataFrame, chips: dict[str, Chip]) -> Trials:
    """Collapse the rows of all measurement files.

    Rows that are excluded are left out. A row without a vendor or a device, as people write their own, takes those
    that most rows of its chip and unit have.
    """
    used = rows[rows.excluded == ""]
    used = used.assign(
        vendor=_filled(used, "vendor", {chip.id: chip.vendor.casefold() for chip in chips.values()}),
        device=_filled(used, "device", {}),
        log_ms=np.log(used.time_ms_per_item),
        cores=used.cores.fillna(0),
        streams=used.streams.fillna(1),
        input_h=used.input_h.fillna(0),
        input_w=used.input_w.fillna(0),
    )
    groups = used.groupby(list(KEY), sort=True)
    flat = groups.agg(
        log_ms=("log_ms", "median"),
        low=("log_ms", "min"),
        high=("log_ms", "max"),
        count=("log_ms", "size"),
        statistic=("statistic", "first"),
        **{size: (size, "median") for size in _SIZES},
    ).reset_index()
    return Trials(**{field.name: _column(flat, field.name) for field in fields(Trials)})


def _filled(rows: pd.DataFrame, column: str, of_chip: dict[str, str]) -> list[str]:
    """The column, an empty cell filled with the commonest word of the chip and unit, else the chip's own."""
    columns = list(zip(rows.chip.tolist(), rows.unit.tolist(), rows[column].tolist(), strict=True))
    words: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for chip, unit, word in columns:
        if word:
            words[chip, unit][word] += 1
    # Of equally common words the first in the alphabet.
    usual = {key: min((-count, word) for word, count in counts.items())[1] for key, counts in words.items()}
    return [word or usual.get((chip, unit)) or of_chip.get(chip, chip) for chip, unit, word in columns]


def _column(flat: pd.DataFrame, name: str) -> np.ndarray:
    kind = object if name in _TEXTS else np.int64 if name in _COUNTS else np.float64
    return flat[name].to_numpy(dtype=kind)
