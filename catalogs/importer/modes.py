"""Power modes of a chip: named by the vendor, clock points, and labels that only measurements carry."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from catalogs.importer.cells import Cell, Flow, Row, figure

CONFIDENCE = (("READ:", "read:"), ("MEM:", "recalled:"), ("DERIVED:", "derived:"))


@dataclass
class Mode:
    """One mode while it is put together; `rate` is its compute rate in any unit that is the same on one chip."""

    name: str
    kind: str
    budget_w: Cell = None
    rate: float | None = None
    bandwidth_gbs: Cell = None
    source: str = "label of the measurements"

    def entry(self, reference: "Mode | None") -> Flow:
        """Entry of the catalogue, ``compute_scale`` relative to the reference mode."""
        top = reference.rate if reference else None
        scale = 1 if self is reference else round(self.rate / top, 4) if self.rate and top else None
        return Flow(
            id=self.name,
            kind=self.kind,
            budget_w=self.budget_w,
            bandwidth_gbs=self.bandwidth_gbs,
            source=self.source,
            compute_scale=scale,
            reference=self is reference,
        )


def mode_entries(modes: pd.DataFrame, ids: list[str], twins: list[Row], measured: pd.DataFrame) -> list[Flow]:
    """Every mode of a chip; unlabelled measurements belong to the reference mode."""
    found = listed_modes(modes, ids)
    for row in twins:
        if "MAXN_SUPER" in found and found["MAXN_SUPER"].budget_w is None:
            found["MAXN_SUPER"].budget_w = figure(row, "power_max_w")
    reference = reference_mode(found, {plain_name(name) for name in modes[modes.id == ids[0]]["mode"]})
    for name in sorted(set(measured["mode"]) - set(found) - {""}):
        watts = re.search(r"(\d+) W\b", name)
        found[name] = Mode(name, "measured", budget_w=int(watts[1]) if watts else None)
    if reference is None and ("" in set(measured["mode"]) or not found):
        clocks = [mode.rate for mode in found.values() if mode.kind == "clock" and mode.rate]
        reference = Mode(
            "default", "vendor", rate=max(clocks, default=1), source="the chip as sold; no power mode is named"
        )
        found = {"default": reference, **found}
    return [mode.entry(reference) for mode in found.values()]


def reference_mode(found: Mapping[str, Mode], own: set[str]) -> Mode | None:
    """The vendor's highest mode of the chip itself, if it names any."""
    named = [mode for mode in found.values() if mode.kind == "vendor" and mode.name in own]
    highest = max(named, key=lambda mode: mode.rate or 0, default=None)
    return next((mode for mode in named if mode.name.startswith("MAXN")), highest)


def plain_name(mode: str) -> str:
    """The vendor's name without a wattage in brackets."""
    return re.sub(r" \(\d+W\)$", "", mode)


def listed_modes(modes: pd.DataFrame, ids: list[str]) -> dict[str, Mode]:
    """The modes of the collection by name; a later id of the same hardware adds only what is new."""
    found: dict[str, Mode] = {}
    for row in modes.sort_values("id", key=lambda column: column.map(ids.index), kind="stable").to_dict("records"):
        source = str(row["source"])
        for printed, word in CONFIDENCE:
            source = source.replace(printed, word)
        name = plain_name(row["mode"])
        kind = "clock" if "MHz" in row["mode"] else "vendor"
        bandwidth = figure(row, "dram_bandwidth_gbs")
        found.setdefault(name, Mode(name, kind, figure(row, "power_budget_w"), compute_rate(row), bandwidth, source))
    return found


def compute_rate(row: Row) -> float | None:
    """Rate of the GPU (or NPU) alone in a mode.

    None where units are switched off and the source gives no rate: a clock ratio would be too fast there.
    """
    source, clocks, tops = str(row["source"]), str(row["gpu_or_npu_clock_mhz"]), row["tops_int8"]
    if "TOPS left empty" in source:
        return None
    gpu = re.search(r"GPU ([\d.]+) \+ DLA", source)
    if gpu:
        return float(gpu[1])
    if isinstance(tops, int | float) and pd.notna(tops) and "DLA" not in clocks:
        return float(tops)
    clock = re.search(r"GPU ([\d.]+)", clocks)
    return float(clock[1]) if clock else None
