"""Runs in power modes nobody measured, from the mode somebody did.

    t(mode) = t(measured) x (alpha x scale_measured / scale_mode + (1 - alpha) x BW_measured / BW_mode)

with alpha = U_c / (U_c + U_b) the share of the run bound by compute, from its own utilisation of the rated compute
(2 x MACs / (t x peak)) and bandwidth ((weights + 2 x activations) / (t x bandwidth)).
"""

from __future__ import annotations

import numpy as np

from dse.candidates.lanes import LaneRow, Lanes, lanes_of, mode_admitted
from dse.candidates.run_table import SCALED, Runs, concatenate, with_columns
from dse.catalog.types import Catalog, Chip, FloatArray, Mode
from dse.estimate.evidence import GRADES
from dse.estimate.peak import BYTES, usable_peak_tops
from dse.problem.search import Search

MODE_SPREAD = 1.15  # scaling a time to another power mode: half-width of its own
DEFAULT_COMPUTE_SHARE = 0.8  # where a size or a rated figure is missing
FIXED_CLOCK_UNITS = ("cpu", "mcu", "fpga")


def scaled_runs(
    runs: Runs, lanes: Lanes, catalog: Catalog, chips: dict[str, Chip], search: Search
) -> tuple[Runs, Lanes]:
    """`runs` together with their copies in other power modes, and the lanes of both.

    A mode, unit, runtime and precision with measurements of its own is not scaled; CPU units stay at the clocks they
    were measured at. Only `chips` are extended, to the modes the search takes.
    """
    rows = lanes.rows()
    parts: list[Runs] = [runs]
    new_rows: list[LaneRow] = []
    present = set(np.unique(runs.lane).tolist())
    for base, measured in _bases(rows, present, chips):
        row = rows[base]
        chip, own = chips[row.chip], chips[row.chip].mode(row.mode)
        modes = [
            mode
            for mode in chip.modes
            if mode.compute_scale is not None and mode.id not in measured and mode_admitted(chip, mode.id, search)
        ]
        if own is None or not modes:
            continue
        of_lane = runs.take(np.flatnonzero(runs.lane == base))
        alpha = _compute_share(of_lane, row, chip, catalog)
        for mode in modes:
            parts.append(_in_mode(of_lane, alpha, own, mode, len(rows) + len(new_rows)))
            new_rows.append(row._replace(mode=mode.id))
    everything = rows + new_rows
    combined, index = lanes_of(set(everything))
    position = np.array([index[row] for row in everything], dtype=np.int64)
    joined = concatenate(parts)
    return with_columns(joined, lane=position[joined.lane] if len(everything) else joined.lane), combined


def _bases(rows: list[LaneRow], present: set[int], chips: dict[str, Chip]) -> list[tuple[int, set[str]]]:
    """Lanes to scale from, each with the modes that were measured beside it.

    One lane per unit, runtime and precision: the reference mode where it was measured, else the fastest measured mode
    whose compute rate is known.
    """
    groups: dict[LaneRow, list[int]] = {}
    for lane, row in enumerate(rows):
        if row.chip in chips and row.unit not in FIXED_CLOCK_UNITS:
            groups.setdefault(row._replace(mode=""), []).append(lane)
    bases = []
    for lanes in groups.values():
        ranked = []
        for lane in sorted(set(lanes) & present):
            mode = chips[rows[lane].chip].mode(rows[lane].mode)
            if mode is not None and mode.compute_scale is not None:
                ranked.append((not mode.reference, -mode.compute_scale, lane))
        if ranked:
            bases.append((min(ranked)[2], {rows[lane].mode for lane in lanes}))
    return bases


def _in_mode(runs: Runs, alpha: FloatArray, own: Mode, mode: Mode, lane: int) -> Runs:
    """Runs of a measured mode in another one; measured power belongs to the old one."""
    bandwidth = (own.bandwidth_gbs or 1) / (mode.bandwidth_gbs or own.bandwidth_gbs or 1)
    factor = alpha * (own.compute_scale or 1) / (mode.compute_scale or 1) + (1 - alpha) * bandwidth
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
    nets, width = catalog.nets, BYTES.get(row.precision, 1)
    time_s = runs.typical_ms / runs.batch / 1e3
    compute = 2 * nets.gmacs[runs.net] / 1e3 / (time_s * usable_peak_tops(chip, row.unit, row.precision))
    moved_gb = (nets.params_m[runs.net] + 2 * nets.activations_m[runs.net]) * width / 1e3
    memory = moved_gb / (time_s * (chip.bandwidth_gbs or np.nan))
    share = compute / (compute + memory)
    return np.where(np.isfinite(share), share, DEFAULT_COMPUTE_SHARE)
