"""Chips: one YAML file per vendor, every figure with where it was read or the word *recalled*."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from catalogs.importer.cells import Flow, Row, figure
from catalogs.importer.measurements import MODES
from catalogs.importer.modes import mode_entries
from catalogs.importer.units import unit_entries, unit_sources

FORMS = {
    "SoC": "soc",
    "MCU": "mcu",
    "module": "module",
    "M.2 card": "m2-card",
    "PCIe card": "pcie-card",
    "card": "card",
    "devkit": "devkit",
    "image sensor with NPU": "sensor",
}
CONFIDENCE = {"source-read": "read", "derived": "derived", "datasheet-from-memory": "recalled"}
# Column of the collection -> field of the catalogue.
FIELDS = {
    "sram_kib": "sram_kib",
    "dram_type": "memory.type",
    "dram_bandwidth_gbs": "memory.bandwidth_gbs",
    "dram_max_gb": "memory.capacity_gb",
    "host_bandwidth_gbs": "link.gbs",
    "power_idle_w": "power.idle_w",
    "power_typical_w": "power.typical_w",
    "power_max_w": "power.max_w",
    "temp_min_c": "temperature.min_c",
    "temp_max_c": "temperature.max_c",
    "decode_1080p30_streams": "video_decode.streams_1080p30",
    "price_usd": "price.usd",
    "lifecycle_until": "lifecycle_until",
    "release_year": "release_year",
    "cpu": "cpu",
    "tops_int8": "peak_tops.int8",
    "tflops_fp16": "peak_tops.fp16",
    "npu_cores": "npu_cores",
    "supported_precisions": "precisions",
}


@dataclass(frozen=True)
class Collection:
    """The collected tables that say something about chips."""

    chips: pd.DataFrame
    figures: pd.DataFrame
    modes: pd.DataFrame
    peaks: pd.DataFrame
    measured: pd.DataFrame

    def of(self, ids: list[str]) -> "Collection":
        """Rows of one chip, whatever ids it has."""
        tables = (self.chips, self.figures, self.modes, self.peaks, self.measured)
        return Collection(*(table[table.id.isin(ids)] for table in tables))


def write(folder: Path, target: Path) -> None:
    """Write one file per vendor below `target`."""
    target.mkdir(parents=True, exist_ok=True)
    collection = read(folder)
    aliases = collection.chips.set_index("id").same_hardware_as.dropna()
    entries: dict[str, list[dict[str, Any]]] = {}
    for chip in collection.chips[collection.chips.same_hardware_as.isna()].to_dict("records"):
        ids = [chip["id"], *aliases.index[aliases == chip["id"]]]
        entries.setdefault(str(chip["vendor"]), []).append(chip_entry(chip, ids, collection.of(ids)))
    for vendor, of_vendor in entries.items():
        name = re.sub(r"[^a-z0-9]+", "-", vendor.lower()).strip("-")
        text = yaml.safe_dump(of_vendor, sort_keys=False, allow_unicode=True, width=140)
        (target / f"{name}.yaml").write_text(text, encoding="utf-8")


def read(folder: Path) -> Collection:
    """Read the tables, the measured modes in dse's words."""
    names = pd.read_csv(folder / "chip_names.csv")
    peaks = pd.read_csv(folder / "peaks.csv").merge(names[["slug", "unit", "unit_kind"]], on="slug")
    measured = pd.read_csv(folder / "measurements.csv.gz", usecols=["chip", "unit", "mode", "precision"])
    measured = measured.merge(names, left_on=["chip", "unit"], right_on=["slug", "unit"], suffixes=("", "_named"))
    measured["mode"] = measured["mode"].fillna(measured.mode_named).fillna("").map(lambda mode: MODES.get(mode, mode))
    return Collection(
        chips=pd.read_csv(folder / "chips.csv"),
        figures=pd.read_csv(folder / "chip_figure_sources.csv"),
        modes=pd.read_csv(folder / "modes.csv"),
        peaks=peaks[peaks.origin != "assumed"],
        measured=measured,
    )


def chip_entry(chip: Row, ids: list[str], own: Collection) -> dict[str, Any]:
    """One chip; rows of the same hardware under another id add power modes and prices.

    Figures and peaks are those of the first id: another power mode has its own.
    """
    form = FORMS[str(chip["product_form"])]
    twins: list[Row] = [*own.chips[own.chips.id.isin(ids[1:])].to_dict("records")]
    first = own.of(ids[:1])
    sources = figure_sources(chip, first.figures)
    units = unit_entries(chip, form, first.peaks, own.measured)
    return {
        "id": chip["id"],
        "name": chip["chip"],
        "vendor": chip["vendor"],
        "class": chip["class"],
        "form": form,
        "release_year": figure(chip, "release_year"),
        "cpu": figure(chip, "cpu"),
        "cpu_cores": sum(int(count) for count in re.findall(r"(\d+)x ", f"{chip['cpu']} ")) or None,
        "toolchain": figure(chip, "toolchain"),
        "lifecycle_until": figure(chip, "lifecycle_until"),
        "units": units,
        **groups(chip),
        "prices": [price for row in (chip, *twins) for price in price_entries(row)],
        "notes": figure(chip, "notes"),
        "sources": {**sources, **unit_sources(chip, first.peaks, sources)},
        "modes": mode_entries(own.modes, ids, twins, own.measured),
    }


def figure_sources(chip: Row, figures: pd.DataFrame) -> dict[str, str]:
    """Field of the catalogue to where its figure was read, or ``recalled``."""
    sources = {}
    for line in figures.to_dict("records"):
        field = FIELDS.get(line["column"])
        if field and figure(chip, line["column"]) is not None:
            word = CONFIDENCE[line["confidence"]]
            sources[field] = word if word == "recalled" else f"{word}: {line['citation_or_method']}"
    return sources


def groups(chip: Row) -> dict[str, Flow]:
    """Memory, link, power, temperature and video decoder."""
    return {
        "memory": Flow(
            type=figure(chip, "dram_type"),
            bandwidth_gbs=figure(chip, "dram_bandwidth_gbs"),
            capacity_gb=figure(chip, "dram_max_gb"),
        ),
        "link": Flow(name=figure(chip, "host_interface"), gbs=figure(chip, "host_bandwidth_gbs")),
        "power": Flow(
            idle_w=figure(chip, "power_idle_w"),
            typical_w=figure(chip, "power_typical_w"),
            max_w=figure(chip, "power_max_w"),
        ),
        "temperature": Flow(min_c=figure(chip, "temp_min_c"), max_c=figure(chip, "temp_max_c"), at=None),
        "video_decode": Flow(streams_1080p30=figure(chip, "decode_1080p30_streams")),
    }


def price_entries(row: Row) -> list[Flow]:
    """The dated list price, if there is one."""
    if figure(row, "price_usd") is None:
        return []
    return [Flow({name: figure(row, f"price_{name}") for name in ("usd", "quantity", "date", "kind")})]
