"""Runs in power modes nobody measured, from the mode somebody did.

    t(mode) = t(reference) x (alpha / compute scale + (1 - alpha) x BW_reference / BW_mode)

with alpha = U_c / (U_c + U_b) the share of the run bound by compute, from its own utilisation of the rated compute
(2 x MACs / (t x peak)) and bandwidth ((weights + 2 x activations) / (t x bandwidth)).
"""

from __future__ import annotations

import numpy as np

from dse.candidates.lanes import LaneRow, Lanes, lanes_of, mode_admitted
from dse.candidates.runs import SCALED, Runs, concatenate, with_columns
from dse.catalog.types import Catalog, Chip, FloatArray, Mode
from dse.estimate.speed import GRADES
from dse.problem.search import Search

MODE_SPREAD = 1.15  # scaling a time to another power mode: half-width of its own
DEFAULT_COMPUTE_SHARE = 0.8  # where a size or a rated figure is missing
# Bytes of one weight or activation; int8 and everything mixed with it count one.
BYTES = {"fp32": 4, "float": 4, "fp16": 2, "bf16": 2, "mixed-int8-fp16": 2, "int16": 2, "binary": 0.125}
FIXED_CLOCK_UNITS = ("cpu", "mcu", "fpga")


def scaled_runs(
    runs: Runs, lanes: Lanes, catalog: Catalog, chips: dict[str, Chip], search: Search
) -> tuple[Runs, Lanes]:
    """`runs` together with their copies in other power modes, and the lanes of both.

    A mode, unit, runtime and precision with measurements of its own is not scaled; CPU units stay at the clocks they
    were measured at. Only `chips` are extended, to the modes the search takes.
    """
    rows: list[LaneRow] = list(
        zip(
            lanes.chip,
            lanes.mode,
            lanes.unit,
            lanes.cores.tolist(),
            lanes.runtime,
            lanes.precision,
            lanes.boundary,
            lanes.statistic,
            strict=True,
        )
    )
    measured = {(row[0], row[1], row[2], row[4], row[5]) for row in rows}
    parts: list[Runs] = [runs]
    new_rows: list[LaneRow] = []
    for lane, row in enumerate(rows):
        chip = chips.get(row[0])
        reference = chip.reference_mode if chip is not None else None
        if chip is None or reference is None or row[1] != reference.id or row[2] in FIXED_CLOCK_UNITS:
            continue
        modes = [
            mode
            for mode in chip.modes
            if mode is not reference
            and mode.compute_scale is not None
            and (chip.id, mode.id, row[2], row[4], row[5]) not in measured
            and mode_admitted(chip, mode.id, search)
        ]
        of_lane = runs.take(np.flatnonzero(runs.lane == lane)) if modes else None
        if of_lane is None or not len(of_lane):
            continue
        alpha = _compute_share(of_lane, row, chip, catalog)
        for mode in modes:
            parts.append(_in_mode(of_lane, alpha, reference, mode, len(rows) + len(new_rows)))
            new_rows.append((row[0], mode.id, *row[2:]))
    everything = rows + new_rows
    combined, index = lanes_of(set(everything))
    position = np.array([index[row] for row in everything], dtype=np.int64)
    joined = concatenate(parts)
    return with_columns(joined, lane=position[joined.lane] if len(everything) else joined.lane), combined


def _in_mode(runs: Runs, alpha: FloatArray, reference: Mode, mode: Mode, lane: int) -> Runs:
    """Runs of the reference mode in another mode; measured power belongs to the old one."""
    bandwidth = (reference.bandwidth_gbs or 1) / (mode.bandwidth_gbs or reference.bandwidth_gbs or 1)
    factor = alpha / (mode.compute_scale or 1) + (1 - alpha) * bandwidth
    blank = np.full(len(runs), np.nan)
    times = {
        name: np.round(getattr(runs, name) * factor, 4) for name in ("typical_ms", "base_ms", "low_ms", "period_ms")
    }
    return with_columns(
        runs,
        **times,
        lane=np.full(len(runs), lane),
        spread=runs.spread * MODE_SPREAD,
        power_w=blank,
        energy_mj=blank,
        grade=np.maximum(runs.grade, GRADES.index("B")),
        origin=np.full(len(runs), SCALED),
    )


def _compute_share(runs: Runs, row: LaneRow, chip: Chip, catalog: Catalog) -> FloatArray:
    """alpha of each run of one lane; `DEFAULT_COMPUTE_SHARE` where a figure is missing."""
    nets, width = catalog.nets, BYTES.get(row[5], 1)
    time_s = runs.typical_ms / runs.batch / 1e3
    compute = 2 * nets.gmacs[runs.net] / 1e3 / (time_s * usable_peak_tops(chip, row[2], row[5]))
    moved_gb = (nets.params_m[runs.net] + 2 * nets.activations_m[runs.net]) * width / 1e3
    memory = moved_gb / (time_s * (chip.bandwidth_gbs or np.nan))
    share = compute / (compute + memory)
    return np.where(np.isfinite(share), share, DEFAULT_COMPUTE_SHARE)


def usable_peak_tops(chip: Chip, unit_kind: str, precision: str) -> float:
    """Rated peak one inference can use [10^12 operations/s]; NaN where it is not rated."""
    unit = chip.unit(unit_kind)
    if unit is None:
        return float("nan")
    rated = unit.peak_tops.get(precision) or unit.peak_tops.get("fp16" if precision == "float" else "int8")
    return rated * (unit.one_inference_share or 1.0) if rated else float("nan")
