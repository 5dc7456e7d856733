"""Which measured rows are held out: by cell, by model, by chip, or by chip but for a few models.

A row's side depends on the hash of its key alone: neither on the order of rows nor on which others there are. Rows of
one cell (chip, model, input size, precision) stay together, because another batch, core count or runtime of the cell
is nearly the answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dse.catalog.types import BoolArray, FloatArray, TextArray
from dse.fidelity.rows import is_accelerator

HELD_OUT = 0.15  # share of cells, or of models
LEAST_MODELS = 10  # of a chip that is held out
LEAST_FEW_SHOT_MODELS = 25  # so that ten revealed models leave fifteen to judge
FEW_SHOT_CHIPS = 30
FEW_SHOTS = (1, 3, 10)


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to be judged on, each shape (n,); what is in neither is not used.

    Splits of one ``name`` are parts of one test and are scored together; ``part`` is the chip held out, or empty.
    ``cluster`` names what errors have in common, and so what a bootstrap may resample: cell, model or chip.
    """

    name: str
    part: str
    cluster: str
    train: BoolArray
    test: BoolArray


def hash_number(salt: str, key: str) -> float:
    """A number in [0, 1) that looks random: the first 8 bytes, big-endian, of sha256("salt|key") over 2^64.

    >>> round(hash_number("model-1", "yolov5s"), 6)
    0.712805
    """
    return int.from_bytes(hashlib.sha256(f"{salt}|{key}".encode()).digest()[:8], "big") / 2**64


def cell_keys(rows: pd.DataFrame) -> TextArray:
    """``chip|model|HxW|precision`` of every row, shape (n,); sizes print as ``%g``, one not stated as nothing."""
    columns = (rows[name].tolist() for name in ("chip", "model", "input_h", "input_w", "precision"))
    keys = np.empty(len(rows), dtype=object)
    for row, (chip, model, high, wide, precision) in enumerate(zip(*columns, strict=True)):
        keys[row] = f"{chip}|{model}|{_size(high)}x{_size(wide)}|{precision}"
    return keys


def pair_split(rows: pd.DataFrame) -> Split:
    """15 % of the cells held out, with all their batches, cores, runtimes and modes."""
    test = hash_numbers("pair-1", cell_keys(rows)) < HELD_OUT
    return Split("pair held out", "", "cell", ~test, test)


def model_split(rows: pd.DataFrame) -> Split:
    """15 % of the models held out, on every chip and at every input size."""
    test = hash_numbers("model-1", rows["model"].to_numpy(dtype=object)) < HELD_OUT
    return Split("model held out", "", "model", ~test, test)


def held_out_chips(rows: pd.DataFrame) -> list[str]:
    """Chips with at least ten models, and so ten rows: enough to be held out. Sorted."""
    models = rows.groupby("chip")["model"].nunique()
    return sorted(models.index[models >= LEAST_MODELS].tolist())


def chip_splits(rows: pd.DataFrame) -> Iterator[Split]:
    """One split for every chip of `held_out_chips`: nothing of the chip is known.

    Chips that are near-copies of another stay in the training rows, so a mean over all chips flatters.
    """
    for chip in held_out_chips(rows):
        test = (rows["chip"] == chip).to_numpy()
        yield Split("chip held out", chip, "chip", ~test, test)


def few_shot_chips(rows: pd.DataFrame) -> list[str]:
    """The 30 chips that judge few shots, sorted.

    Of the chips with at least 25 models on their accelerators, those with the smallest hash of the chip's word, salt
    ``few-chips-1``: few enough that fitting once per chip and count stays cheap, and chosen before any result.
    """
    models = rows[is_accelerator(rows)].groupby("chip")["model"].nunique()
    eligible = models.index[models >= LEAST_FEW_SHOT_MODELS].tolist()
    return sorted(sorted(eligible, key=lambda chip: hash_number("few-chips-1", chip))[:FEW_SHOT_CHIPS])


def few_shot_splits(rows: pd.DataFrame, revealed: int) -> Iterator[Split]:
    """One split for every chip of `few_shot_chips`: all but a few models of the chip's accelerators are unknown.

    Parameters
    ----------
    rows : DataFrame
        Measured rows.
    revealed : int
        How many models are known: those with the smallest hash of ``chip|model``, salt ``few-1``.

    Yields
    ------
    Split
        Rows of the chip's CPU are neither learnt from nor judged, except those of revealed models.
    """
    accelerated = is_accelerator(rows)
    for chip in few_shot_chips(rows):
        here = (rows["chip"] == chip).to_numpy()
        models = rows["model"][here & accelerated].unique().tolist()
        models.sort(key=lambda model: hash_number("few-1", f"{chip}|{model}"))
        known = rows["model"].isin(models[:revealed]).to_numpy()
        yield Split(f"few shots, k = {revealed}", chip, "chip", ~here | known, here & accelerated & ~known)


def cluster_keys(rows: pd.DataFrame, cluster: str) -> TextArray:
    """What a `Split.cluster` groups the rows by, shape (n,)."""
    return cell_keys(rows) if cluster == "cell" else rows[cluster].to_numpy(dtype=object)


def hash_numbers(salt: str, keys: TextArray) -> FloatArray:
    """`hash_number` of every key, shape (n,)."""
    distinct, number = np.unique(keys.astype(str), return_inverse=True)
    return np.array([hash_number(salt, key) for key in distinct], dtype=np.float64)[number]


def _size(pixels: float) -> str:
    return "" if np.isnan(pixels) else f"{pixels:g}"
