"""Rules on measurements: faster than the silicon, slower than a larger sibling, a rate in the place of a latency."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dse.audit.finding import LANE, Evidence, Finding, Rule, row_findings
from dse.catalog.types import Catalog

PEAK_TOLERANCE = 1.05  # boost clocks and rounded peaks
SIBLING_FACTOR = 3.0  # a smaller net this much slower than its larger sibling is a misread cell, or a cliff
PERIOD_SHARE = 0.9  # of a runtime's rows on a chip: then it prints rates
PERIOD_ROWS = 10
RUNS_FACTOR = 5.0  # between measurements of one run; half of all differ by less than a tenth
ENERGY_FACTOR = 3.0  # energy against power x time; they may have been taken in different runs
POWER_TOLERANCE = 1.25  # a rail may exceed a sustained maximum for a while
_RUN = [*LANE, "model", "input_h", "input_w", "batch"]


def speed_above_peak(evidence: Evidence) -> Iterator[Finding]:
    """More operations per second than the whole unit is rated for, at this precision."""
    rows = evidence.speeds
    reached = 2 * rows.gmacs / rows.time_ms_per_item  # [10^12 operation/s]
    rated = _rated(evidence.catalog, rows)
    odd = reached > PEAK_TOLERANCE * rated
    messages = [f"{got:.3g} of {most:.3g} TOPS are reached" for got, most in zip(reached[odd], rated[odd], strict=True)]
    yield from row_findings(rows[odd], speed_above_peak, messages)


def _rated(catalog: Catalog, rows: pd.DataFrame) -> pd.Series:
    """Rated peak of the unit at the row's precision in its mode; NaN where there is none."""
    peaks: dict[tuple[str, str, str], float] = {}
    scales = {(chip.id, mode.id): mode.compute_scale or 1.0 for chip in catalog.chips.values() for mode in chip.modes}
    for chip in catalog.chips.values():
        for unit in chip.units:
            tops = dict(unit.peak_tops)
            tops["float"] = max((tops[name] for name in ("fp16", "fp32") if name in tops), default=np.nan)
            peaks |= {(chip.id, unit.kind, precision): top for precision, top in tops.items()}
    keys = zip(rows.chip, rows.unit, rows.precision, rows["mode"], strict=True)
    found = [
        peaks.get((chip, unit, precision), np.nan) * scales.get((chip, mode), 1) for chip, unit, precision, mode in keys
    ]
    return pd.Series(found, index=rows.index)


def smaller_net_far_slower(evidence: Evidence) -> Iterator[Finding]:
    """A net of half the work and no more weights that takes several times as long as its larger sibling."""
    rows = evidence.speeds
    rows = rows[rows.gmacs.notna() & rows.params_m.notna() & (rows.quantity == "latency")]
    together = [*LANE, "batch", "boundary", "statistic", "source_repo", "stem"]
    for _key, group in rows.groupby(together, dropna=False, sort=True):
        if len(group) == 1:
            continue
        work, weights, time = (group[name].to_numpy() for name in ("gmacs", "params_m", "time_ms_per_item"))
        larger = (work[:, None] <= 0.5 * work) & (weights[:, None] <= weights)
        slower = larger & (time[:, None] > SIBLING_FACTOR * time)
        for row in np.flatnonzero(slower.any(axis=1)).tolist():
            sibling = group.iloc[int(np.flatnonzero(slower[row])[0])]
            message = f"{time[row]:.4g} ms, but {sibling.model} with more work takes {sibling.time_ms_per_item:.4g} ms"
            yield from row_findings(group.iloc[[row]], smaller_net_far_slower, [message])


def period_filed_as_latency(evidence: Evidence) -> Iterator[Finding]:
    """A latency of a runtime that prints rates on this chip, or one shorter than the period of the same run."""
    rows = evidence.speeds
    is_period = rows.quantity == "period"
    share = is_period.groupby([rows.chip, rows.unit, rows.runtime]).transform("mean")
    count = is_period.groupby([rows.chip, rows.unit, rows.runtime]).transform("size")
    lone = ~is_period & (share >= PERIOD_SHARE) & (count >= PERIOD_ROWS)
    yield from row_findings(
        rows[lone], period_filed_as_latency, ["the other rows of this runtime and chip are periods"] * int(lone.sum())
    )
    run = rows.groupby(_RUN, dropna=False, sort=False).ngroup()
    period = rows.time_ms_per_item.where(is_period).groupby(run).transform("max")
    short = ~is_period & (rows.batch == 1) & (rows.time_ms_per_item < PERIOD_SHARE * period)
    messages = [f"a latency below the period of the same run, {ms:.4g} ms" for ms in period[short]]
    yield from row_findings(rows[short], period_filed_as_latency, messages)


def runs_disagree(evidence: Evidence) -> Iterator[Finding]:
    """The same run far apart in two places: another clock, another version, or a run that failed."""
    rows = evidence.speeds
    run = rows.groupby([*_RUN, "quantity"], dropna=False, sort=False).time_ms_per_item
    least, most = run.transform("min"), run.transform("max")
    odd = (most > RUNS_FACTOR * least) & (rows.time_ms_per_item == least)
    messages = [f"{low:.4g} ms, elsewhere {high:.4g} ms" for low, high in zip(least[odd], most[odd], strict=True)]
    yield from row_findings(rows[odd], runs_disagree, messages)


def measured_twice(evidence: Evidence) -> Iterator[Finding]:
    """The very same figure of the same run from the same place."""
    rows = evidence.speeds
    same = [*_RUN, "streams", "quantity", "time_ms_per_item", "statistic", "boundary", "power_w", "energy_mj",
            "memory_mb", "source_repo", "source_path"]  # fmt: skip
    again = rows.duplicated(same, keep="first")
    yield from row_findings(rows[again], measured_twice, ["the row is there already"] * int(again.sum()))


def energy_against_power(evidence: Evidence) -> Iterator[Finding]:
    """Energy per item far from power times time."""
    rows = evidence.speeds
    expected = rows.power_w * rows.time_ms_per_item  # [mJ]
    ratio = rows.energy_mj / expected
    odd = (ratio > ENERGY_FACTOR) | (ratio < 1 / ENERGY_FACTOR)
    messages = [
        f"{got:.4g} mJ, but power x time is {want:.4g} mJ"
        for got, want in zip(rows.energy_mj[odd], expected[odd], strict=True)
    ]
    yield from row_findings(rows[odd], energy_against_power, messages)


def power_above_maximum(evidence: Evidence) -> Iterator[Finding]:
    """More power than the chip's maximum behind the same boundary."""
    chips = evidence.catalog.chips
    rows = evidence.speeds
    limits = {(chip.id, chip.power.boundary): chip.power.max_w for chip in chips.values() if chip.power.max_w}
    most = pd.Series(
        [limits.get(key, np.nan) for key in zip(rows.chip, rows.power_boundary, strict=True)],
        index=rows.index,
        dtype=float,
    )
    odd = rows.power_w > POWER_TOLERANCE * most
    messages = [
        f"{got:.4g} W, the maximum is {top:.4g} W" for got, top in zip(rows.power_w[odd], most[odd], strict=True)
    ]
    yield from row_findings(rows[odd], power_above_maximum, messages)


RULES: tuple[Rule, ...] = (
    speed_above_peak,
    smaller_net_far_slower,
    period_filed_as_latency,
    runs_disagree,
    measured_twice,
    energy_against_power,
    power_above_maximum,
)
