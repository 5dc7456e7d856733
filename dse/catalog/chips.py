"""Chip files (YAML) to `Chip` objects; a later folder's entry with a known id overrides field by field."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dse.catalog import convert
from dse.catalog.convert import number
from dse.catalog.entries import Merged, Raw, read_entries
from dse.catalog.entry_rules import CHIP_RULES
from dse.catalog.parts import Region
from dse.catalog.paths import CatalogueFile
from dse.catalog.shapes import CHIP
from dse.catalog.types import Chip, Mode, Runtime, Unit
from dse.errors import Fault
from dse.patterns import name_hint

# Where slow runs of a unit are looked up unless the file says so: by kind, else by what is bought.
_TAIL_CLASS = {"cpu": "cpu-arm", "gpu": "soc-gpu", "mcu": "mcu", "fpga": "fpga"}
_DEFAULT_MODE: Raw = {"id": "default", "kind": "vendor", "compute_scale": 1, "reference": True,
                      "source": "the chip as sold"}  # fmt: skip


def read_chips(files: Sequence[CatalogueFile], tail_classes: Collection[str], faults: list[Fault]) -> dict[str, Chip]:
    """All chips of the files by id.

    Parameters
    ----------
    files : sequence of CatalogueFile
        Chip files, those that override others last.
    tail_classes : collection of str
        Classes that ``tails.csv`` holds; a unit may name no other.
    faults : list of Fault
        Whatever is wrong is appended, and then no chip is returned.
    """
    merged = read_entries(files, CHIP, CHIP_RULES, faults)
    chips = {name: _chip(one) for name, one in merged.items()}
    for name, chip in chips.items():
        for unit in chip.units:
            if unit.tail_class not in tail_classes:
                message = f"the unit `{unit.id}` is of the tail class `{unit.tail_class}`, which tails.csv lacks"
                faults.append(merged[name].last.fault(message, name_hint(unit.tail_class, tail_classes, short=12)))
    return chips


def _chip(entry: Merged) -> Chip:
    raw = entry.raw
    memory = raw.get("memory") or {}
    return Chip(
        id=raw["id"],
        name=raw.get("name") or raw["id"],
        vendor=raw["vendor"],
        chip_class=raw["class"],
        form=raw["form"],
        os=raw.get("os"),
        release_year=raw.get("release_year"),
        cpu=raw.get("cpu"),
        cpu_cores=raw.get("cpu_cores"),
        toolchain=raw.get("toolchain"),
        units=tuple(_unit(unit, raw["form"]) for unit in raw["units"]),
        modes=tuple(_mode(mode) for mode in raw.get("modes") or [_DEFAULT_MODE]),
        memory_type=memory.get("type"),
        bandwidth_gbs=number(memory.get("bandwidth_gbs")),
        capacity_gb=number(memory.get("capacity_gb")),
        regions=tuple(Region(r["id"], r["kind"], float(r["kib"])) for r in memory.get("regions") or []),
        runtimes=tuple(Runtime(r["id"], number(r.get("base_mb")), r.get("link")) for r in raw.get("runtimes") or []),
        links=convert.links_of(raw),
        power=convert.power_of(raw),
        temperature=convert.temperature_of(raw),
        decode_streams_1080p30=convert.decoder_of(raw),
        prices=convert.prices_of(entry),
        lifecycle=convert.lifecycle_of(raw),
        notes=raw.get("notes") or "",
        sources=convert.sources_of(raw),
        file=entry.last.file.label,
        places=entry.places,
    )


def _unit(unit: Raw, form: str) -> Unit:
    kind = unit.get("kind") or unit["id"]
    inside = form in ("soc", "module", "mcu", "sensor")
    return Unit(
        id=unit["id"],
        kind=kind,
        count=unit.get("count") or 1,
        peak_tops={name: float(tops) for name, tops in (unit.get("peak_tops") or {}).items() if tops is not None},
        one_inference_share=number(unit.get("one_inference_share")),
        sram_kib=number(unit.get("sram_kib")),
        precisions=tuple(unit.get("precisions") or ()),
        tail_class=unit.get("tail_class") or _TAIL_CLASS.get(kind, "soc-npu" if inside else "npu-m2-card"),
    )


def _mode(mode: Raw) -> Mode:
    return Mode(
        id=mode["id"],
        kind=mode.get("kind") or "vendor",
        budget_w=number(mode.get("budget_w")),
        bandwidth_gbs=number(mode.get("bandwidth_gbs")),
        compute_scale=number(mode.get("compute_scale")),
        reference=bool(mode.get("reference")),
        source=mode.get("source") or "",
    )
