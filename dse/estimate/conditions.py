"""What an estimate knows of the place a network runs in: device, unit, mode, runtime, precision, batch."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from dse.catalog.types import BoolArray, Catalog, FloatArray, IntArray, TextArray, Trials, text_array
from dse.estimate.peak import assumed_peak_tops, highest_peak_tops
from dse.estimate.vocabulary import distinct_rows

# Precisions whose rows are too few for effects of their own.
FOLDED = {"mixed-int8-int16": "int8", "mixed-int4-int8": "int8", "mixed-int8-fp16": "int8", "unknown": "float"}
UNSTATED_BATCH = 8  # "chosen by the submitter": large, and nobody says how large
CPU_KINDS = ("cpu", "mcu")


@dataclass(frozen=True)
class Conditions:
    """Conditions, shape (n,). ``peak_tops`` and ``bandwidth_gbs`` are rated, NaN where they are not.

    ``limit_tops`` is the highest peak the whole unit is rated at, whatever the precision: nothing runs faster.
    """

    vendor: TextArray
    device: TextArray
    mode: TextArray
    unit: TextArray
    cores: IntArray
    streams: IntArray
    runtime: TextArray
    precision: TextArray
    batch: IntArray
    quantity: TextArray
    peak_tops: FloatArray
    limit_tops: FloatArray
    bandwidth_gbs: FloatArray

    def take(self, rows: IntArray | BoolArray) -> Conditions:
        """Some of them."""
        return Conditions(**{field.name: getattr(self, field.name)[rows] for field in fields(Conditions)})

    def distinct(self) -> tuple[Conditions, IntArray]:
        """Those that differ, and for every row which of them it is."""
        first, place = distinct_rows([getattr(self, field.name) for field in fields(Conditions)])
        return self.take(first), place

    @property
    def on_cpu(self) -> BoolArray:
        """Whether a CPU or a microcontroller runs it."""
        return np.isin(self.unit.astype(str), CPU_KINDS)

    @property
    def folded(self) -> TextArray:
        """Precision as effects know it."""
        return text_array(FOLDED.get(precision, precision) for precision in self.precision.tolist())

    def columns(self) -> dict[str, TextArray]:
        """The words effects are grouped by; ``condition`` is everything but the network and the precision."""
        batch = text_array(map(str, self.batch.tolist()))
        parts = (self.device, self.mode, self.unit, self.cores.tolist(), self.streams.tolist(), self.runtime,
                 self.quantity, batch)  # fmt: skip
        return {
            "vendor": self.vendor,
            "device": self.device,
            "unit": self.unit,
            "runtime": self.runtime,
            "precision": self.folded,
            "batch": batch,
            "condition": text_array("|".join(map(str, part)) for part in zip(*parts, strict=True)),
        }

    def log2_batch(self) -> FloatArray:
        """Log2 of the batch; one that is not stated counts as `UNSTATED_BATCH`."""
        return np.log2(np.where(self.batch > 0, self.batch, UNSTATED_BATCH))


def conditions_of(trials: Trials, catalog: Catalog) -> Conditions:
    """The conditions measured rows were taken under."""
    return Conditions(
        vendor=trials.vendor,
        device=trials.device,
        mode=trials.mode,
        unit=trials.unit,
        cores=trials.cores,
        streams=trials.streams,
        runtime=trials.runtime,
        precision=trials.precision,
        batch=trials.batch,
        quantity=trials.quantity,
        **rated(catalog, trials.chip, trials.unit, trials.precision),
    )


def rated(catalog: Catalog, chip: TextArray, unit: TextArray, precision: TextArray) -> dict[str, FloatArray]:
    """Peak of one inference, rated or assumed from int8, and highest peak [10^12 operation/s]; bandwidth [10^9 byte/s].

    NaN where nothing is rated.
    """
    found: dict[tuple[str, str, str], tuple[float, float, float]] = {}
    keys = list(zip(chip.tolist(), unit.tolist(), precision.tolist(), strict=True))
    for key in dict.fromkeys(keys):
        known = catalog.chips.get(key[0])
        found[key] = (np.nan,) * 3 if known is None else (
            assumed_peak_tops(known, key[1], key[2]), highest_peak_tops(known, key[1]), known.bandwidth_gbs or np.nan
        )  # fmt: skip
    peaks, limits, bandwidths = np.array([found[key] for key in keys], dtype=np.float64).reshape(-1, 3).T
    return {"peak_tops": peaks, "limit_tops": limits, "bandwidth_gbs": bandwidths}
