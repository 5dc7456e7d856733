"""Chips: one YAML file per vendor, every figure with where it was read or the word *recalled*."""

import re
from pathlib import Path

import pandas as pd
import yaml

from catalogs.importer.measurements import MODES

FORMS = {"SoC": "soc", "MCU": "mcu", "module": "module", "M.2 card": "m2-card", "PCIe card": "pcie-card",
         "card": "card", "devkit": "devkit", "image sensor with NPU": "sensor"}
CONFIDENCE = {"source-read": "read", "derived": "derived", "datasheet-from-memory": "recalled"}
X86_VENDORS = {"Intel", "AMD"}
# Column of the collection -> field of the catalogue.
FIELDS = {
    "sram_kib": "sram_kib", "dram_type": "memory.type", "dram_bandwidth_gbs": "memory.bandwidth_gbs",
    "dram_max_gb": "memory.capacity_gb", "host_bandwidth_gbs": "link.gbs", "power_idle_w": "power.idle_w",
    "power_typical_w": "power.typical_w", "power_max_w": "power.max_w", "temp_min_c": "temperature.min_c",
    "temp_max_c": "temperature.max_c", "decode_1080p30_streams": "video_decode.streams_1080p30",
    "price_usd": "price.usd", "lifecycle_until": "lifecycle_until", "release_year": "release_year",
    "cpu": "cpu", "tops_int8": "peak_tops.int8", "tflops_fp16": "peak_tops.fp16", "npu_cores": "npu_cores",
    "supported_precisions": "precisions",
}


class _Flow(dict):  # type: ignore[type-arg]
    """A mapping written on one line."""


def _plain(dumper: yaml.SafeDumper, data: _Flow) -> yaml.Node:
    return dumper.represent_mapping("tag:yaml.org,2002:map", data, flow_style=True)


yaml.SafeDumper.add_representer(_Flow, _plain)


def write(folder: Path, target: Path) -> None:
    """Write one file per vendor below `target`."""
    target.mkdir(parents=True, exist_ok=True)
    chips = pd.read_csv(folder / "chips.csv")
    figures = pd.read_csv(folder / "chip_figure_sources.csv")
    modes = pd.read_csv(folder / "modes.csv")
    names = pd.read_csv(folder / "chip_names.csv")
    peaks = pd.read_csv(folder / "peaks.csv").merge(names[["slug", "unit", "unit_kind"]], on="slug")
    measured = pd.read_csv(folder / "measurements.csv.gz", usecols=["chip", "unit", "mode", "precision"])
    measured = measured.merge(names, left_on=["chip", "unit"], right_on=["slug", "unit"], suffixes=("", "_named"))
    measured["mode"] = measured["mode"].fillna(measured.mode_named).fillna("").map(lambda m: MODES.get(m, m))
    aliases = chips.set_index("id").same_hardware_as.dropna()
    entries: dict[str, list[dict[str, object]]] = {}
    for chip in chips[chips.same_hardware_as.isna()].to_dict("records"):
        ids = [chip["id"], *aliases.index[aliases == chip["id"]]]
        super_rows = chips[chips.id.isin(ids[1:])].to_dict("records")
        entry = chip_entry(chip, figures[figures.id == chip["id"]], peaks[peaks.id == chip["id"]],
                           measured[measured.id.isin(ids)])
        entry["modes"] = mode_entries(modes[modes.id.isin(ids)], ids, super_rows, measured[measured.id.isin(ids)], chip)
        for row in super_rows:
            entry["prices"] += price_entries(row)  # type: ignore[operator]
        entries.setdefault(str(chip["vendor"]), []).append(entry)
    for vendor, of_vendor in entries.items():
        name = re.sub(r"[^a-z0-9]+", "-", vendor.lower()).strip("-")
        text = yaml.safe_dump(of_vendor, sort_keys=False, allow_unicode=True, width=140)
        (target / f"{name}.yaml").write_text(text, encoding="utf-8")


def value(cell: object) -> object:
    """A YAML scalar: whole floats as integers."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell


def figure(chip: dict[str, object], column: str) -> object:
    """The cell, or None where it is empty."""
    cell = chip.get(column)
    return None if pd.isna(cell) else value(cell)


def chip_entry(chip: dict, figures: pd.DataFrame, peaks: pd.DataFrame, measured: pd.DataFrame) -> dict:  # type: ignore[type-arg]
    """One chip without its modes."""
    form = FORMS[str(chip["product_form"])]
    sources = {}
    for line in figures.itertuples():
        field = FIELDS.get(line.column)
        if field and figure(chip, line.column) is not None:
            word = CONFIDENCE[line.confidence]
            sources[field] = word if word == "recalled" else f"{word}: {line.citation_or_method}"
    cores = sum(int(n) for n in re.findall(r"(\d+)x ", str(chip["cpu"]) + " ")) or None
    return {
        "id": chip["id"], "name": chip["chip"], "vendor": chip["vendor"], "class": chip["class"], "form": form,
        "release_year": figure(chip, "release_year"), "cpu": figure(chip, "cpu"), "cpu_cores": cores,
        "toolchain": figure(chip, "toolchain"), "lifecycle_until": figure(chip, "lifecycle_until"),
        "units": unit_entries(chip, form, peaks, measured),
        "memory": _Flow(type=figure(chip, "dram_type"), bandwidth_gbs=figure(chip, "dram_bandwidth_gbs"),
                        capacity_gb=figure(chip, "dram_max_gb")),
        "link": _Flow(name=figure(chip, "host_interface"), gbs=figure(chip, "host_bandwidth_gbs")),
        "power": _Flow(idle_w=figure(chip, "power_idle_w"), typical_w=figure(chip, "power_typical_w"),
                       max_w=figure(chip, "power_max_w")),
        "temperature": _Flow(min_c=figure(chip, "temp_min_c"), max_c=figure(chip, "temp_max_c"), at=None),
        "video_decode": _Flow(streams_1080p30=figure(chip, "decode_1080p30_streams")),
        "prices": price_entries(chip), "notes": figure(chip, "notes"), "sources": sources,
    }


def price_entries(chip: dict) -> list[dict]:  # type: ignore[type-arg]
    """The dated list price, if there is one."""
    if figure(chip, "price_usd") is None:
        return []
    return [_Flow(usd=figure(chip, "price_usd"), quantity=figure(chip, "price_quantity"),
                  date=figure(chip, "price_date"), kind=figure(chip, "price_kind"))]


def unit_entries(chip: dict, form: str, peaks: pd.DataFrame, measured: pd.DataFrame) -> list[dict]:  # type: ignore[type-arg]
    """One entry per unit that executes networks."""
    kinds = sorted(set(measured.unit_kind)) or [{"mcu": "mcu"}.get(form, "gpu" if chip["vendor"] == "NVIDIA" else "npu")]
    count = figure(chip, "npu_cores")
    units = []
    for kind in kinds:
        rated = peaks[(peaks.unit_kind == kind) & (peaks.origin != "assumed")]
        accelerator = kind in ("npu", "fpga")
        units.append(_Flow(
            id=kind, kind=kind,
            count=int(str(count)) if accelerator and str(count).isdigit() else 1,
            peak_tops={line.precision: value(float(line.rated_tops)) for line in rated.itertuples()},
            one_inference_share=value(float(rated.share_of_one_inference.iloc[0])) if len(rated) else None,
            sram_kib=figure(chip, "sram_kib") if kind in ("npu", "fpga", "mcu") else None,
            precisions=sorted(set(measured[measured.unit_kind == kind].precision) - {"unknown"}),
            tail_class=tail_class(chip, form, kind),
        ))
    return units


def tail_class(chip: dict, form: str, kind: str) -> str:  # type: ignore[type-arg]
    """Which class of ``tails.csv`` the unit's slow runs follow."""
    if kind == "mcu" or chip["class"] == "mcu":
        return "mcu"
    if kind in ("gpu", "dla") and chip["vendor"] == "NVIDIA":
        return "discrete-gpu" if form == "pcie-card" else "jetson-gpu"
    if kind == "cpu":
        return "cpu-x86" if chip["vendor"] in X86_VENDORS else "cpu-arm"
    if kind == "npu":
        return {"pcie-card": "npu-pcie-card", "m2-card": "npu-m2-card", "card": "npu-m2-card"}.get(form, "soc-npu")
    return {"fpga": "fpga"}.get(kind, "soc-gpu")


def mode_entries(modes: pd.DataFrame, ids: list, supers: list, measured: pd.DataFrame, chip: dict) -> list[dict]:  # type: ignore[type-arg]
    """Power modes: named by the vendor, clock points, and labels that only measurements carry.

    ``compute_scale`` is the mode's compute rate over that of the reference mode, to which unlabelled rows belong.
    """
    found = listed_modes(modes, ids)
    for row in supers:
        if found.get("MAXN_SUPER", {}).get("budget_w", 0) is None:
            found["MAXN_SUPER"]["budget_w"] = figure(row, "power_max_w")
    own = {plain_name(name) for name in modes[modes.id == ids[0]]["mode"]}
    named = [mode for mode in found.values() if mode["kind"] == "vendor" and mode["id"] in own]
    reference = next((mode for mode in named if mode["id"].startswith("MAXN")), None)
    reference = reference or max(named, key=lambda mode: mode["rate"] or 0, default=None)
    for name in sorted(set(measured["mode"]) - set(found) - {""}):
        watts = re.search(r"(\d+) W\b", name)
        found[name] = {"id": name, "kind": "measured", "budget_w": int(watts[1]) if watts else None, "rate": None,
                       "bandwidth_gbs": None, "source": "label of the measurements"}
    if reference is None and ("" in set(measured["mode"]) or not found):
        clocks = [mode["rate"] for mode in found.values() if mode["kind"] == "clock" and mode["rate"]]
        reference = {"id": "default", "kind": "vendor", "budget_w": None, "rate": max(clocks, default=1),
                     "bandwidth_gbs": None, "source": "the chip as sold; no power mode is named"}
        found = {"default": reference, **found}
    for mode in found.values():
        rate = mode.pop("rate") if mode is not reference else mode["rate"]
        top = reference["rate"] if reference else None
        mode["compute_scale"] = 1 if mode is reference else round(rate / top, 4) if rate and top else None
        mode["reference"] = mode is reference
    if reference:
        del reference["rate"]
    return [_Flow(mode) for mode in found.values()]


def plain_name(mode: str) -> str:
    """The vendor's name without a wattage in brackets."""
    return re.sub(r" \(\d+W\)$", "", mode)


def listed_modes(modes: pd.DataFrame, ids: list) -> dict:  # type: ignore[type-arg]
    """The modes of the collection by name; a later id of the same hardware adds only what is new."""
    found: dict = {}  # type: ignore[type-arg]
    for line in modes.sort_values("id", key=lambda column: column.map(ids.index), kind="stable").itertuples():
        found.setdefault(plain_name(line.mode), {
            "id": plain_name(line.mode), "kind": "clock" if "MHz" in line.mode else "vendor",
            "budget_w": figure(line._asdict(), "power_budget_w"), "rate": compute_rate(line),
            "bandwidth_gbs": figure(line._asdict(), "dram_bandwidth_gbs"),
            "source": line.source.replace("READ:", "read:").replace("MEM:", "recalled:").replace("DERIVED:", "derived:")})
    return found


def compute_rate(line: object) -> float | None:
    """Rate of the GPU (or NPU) alone in a mode, in any unit that is the same for all modes of a chip.

    None where units are switched off and the source gives no rate: a clock ratio would be too fast there.
    """
    if "TOPS left empty" in str(line.source):  # type: ignore[attr-defined]
        return None
    gpu = re.search(r"GPU ([\d.]+) \+ DLA", str(line.source))  # type: ignore[attr-defined]
    if gpu:
        return float(gpu[1])
    if pd.notna(line.tops_int8) and "DLA" not in str(line.gpu_or_npu_clock_mhz):  # type: ignore[attr-defined]
        return float(line.tops_int8)  # type: ignore[attr-defined]
    clock = re.search(r"GPU ([\d.]+)", str(line.gpu_or_npu_clock_mhz))  # type: ignore[attr-defined]
    return float(clock[1]) if clock else None


