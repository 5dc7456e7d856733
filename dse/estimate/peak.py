"""Rated peaks and bandwidths as one inference can use them, and what is assumed where nothing is rated."""

from __future__ import annotations

from dse.catalog.types import Chip

# Bytes of one weight or activation; int8 and everything mixed with it count one.
BYTES = {"fp32": 4, "float": 4, "fp16": 2, "bf16": 2, "mixed-int8-fp16": 2, "int16": 2, "binary": 0.125}
# Share of a rated peak at another precision, assumed: half the work per cycle for twice the width, twice.
_ASSUMED_FP16_OF_INT8, _ASSUMED_FP32_OF_INT8 = 1 / 4, 1 / 8
_HALF, _SINGLE = ("fp16", "bf16", "fp8", "float"), ("fp32",)


def usable_peak_tops(chip: Chip, unit_kind: str, precision: str) -> float:
    """Rated peak one inference can use [10^12 operations/s], NaN where none is rated.

    A precision without a peak of its own has that of int8, ``float`` that of fp16.
    """
    unit = chip.unit(unit_kind)
    if unit is None:
        return float("nan")
    rated = unit.peak_tops.get(precision) or unit.peak_tops.get("fp16" if precision == "float" else "int8")
    return rated * (unit.one_inference_share or 1.0) if rated else float("nan")


def rated_higher(chip: Chip, unit_kind: str, precision: str) -> list[str]:
    """Precisions the unit is rated faster at than at this one: what ran slower there does not run faster here."""
    peaks = unit.peak_tops if (unit := chip.unit(unit_kind)) is not None else {}
    return [name for name, peak in peaks.items() if precision in peaks and peak > peaks[precision]]


def highest_peak_tops(chip: Chip, unit_kind: str) -> float:
    """Highest peak the whole unit is rated at, at any precision [10^12 operations/s]; NaN where none is."""
    unit = chip.unit(unit_kind)
    return max(unit.peak_tops.values(), default=float("nan")) if unit is not None else float("nan")


def assumed_peak_tops(chip: Chip, unit_kind: str, precision: str) -> float:
    """As `usable_peak_tops`, with the usual ratio to the rated int8 peak where another precision is not rated."""
    unit = chip.unit(unit_kind)
    if unit is None:
        return float("nan")
    int8, fp16, fp32 = (unit.peak_tops.get(name) for name in ("int8", "fp16", "fp32"))
    if precision in _SINGLE:
        rated = fp32 or (int8 or 0.0) * _ASSUMED_FP32_OF_INT8
    elif precision in _HALF:
        rated = fp16 or (int8 or 0.0) * _ASSUMED_FP16_OF_INT8
    else:
        rated = int8 or fp16 or 0.0
    return rated * (unit.one_inference_share or 1.0) if rated else float("nan")
