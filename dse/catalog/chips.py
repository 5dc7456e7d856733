"""Chip files (YAML) to `Chip` objects; a later folder's entry with a known id overrides field by field."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dse.catalog.chip_rules import CHIP, RULES
from dse.catalog.paths import CatalogueFile
from dse.catalog.types import Chip, Mode, Price, Unit
from dse.errors import Fault
from dse.patterns import name_hint
from dse.yamlfile.reader import Document, read_file
from dse.yamlfile.tree import Path

Raw = dict[str, Any]

# Where slow runs of a unit are looked up unless the file says so: by kind, else by what is bought.
_TAIL_CLASS = {"cpu": "cpu-arm", "gpu": "soc-gpu", "mcu": "mcu", "fpga": "fpga"}
_DEFAULT_MODE: Raw = {"id": "default", "kind": "vendor", "compute_scale": 1, "reference": True,
                      "source": "the chip as sold"}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """What one file says of one chip, and where."""

    raw: Raw
    document: Document
    path: Path
    file: CatalogueFile

    def fault(self, message: str, hint: str = "", inside: Path = ()) -> Fault:
        """Fault of the entry, or of a value inside it, worded with the chip's id."""
        fault = self.document.fault((*self.path, *inside), message, hint)
        return Fault(fault.file, fault.line, fault.column, self._where(inside), message, hint)

    def _where(self, inside: Path) -> str:
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in inside)
        return f"{self.raw.get('id', '')}{''.join(parts)}".lstrip(".")


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
    before = len(faults)
    entries = [entry for file in files for entry in _entries(file, faults)]
    merged: dict[str, Raw] = {}
    last: dict[str, Entry] = {}
    for entry in entries:
        name = entry.raw["id"]
        known = last.get(name)
        if known is not None and known.file.depth == entry.file.depth:
            line, _column = known.document.place(known.path)
            faults.append(entry.fault(f"the chip is listed twice, first in {known.file.path}:{line}", "keep one"))
        merged[name] = merge(merged.get(name, {}), entry.raw)
        last[name] = entry
    if len(faults) > before:
        return {}  # the rules on whole chips presume sound fields
    for name, raw in merged.items():
        faults += [last[name].fault(message, hint) for rule in RULES for message, hint in rule(raw)]
    if len(faults) > before:
        return {}
    chips = {name: _chip(raw, last[name].file.label) for name, raw in merged.items()}
    for name, chip in chips.items():
        for unit in chip.units:
            if unit.tail_class not in tail_classes:
                message = f"the unit `{unit.id}` is of the tail class `{unit.tail_class}`, which tails.csv lacks"
                faults.append(last[name].fault(message, name_hint(unit.tail_class, tail_classes, short=12)))
    return chips


def merge(old: Raw, new: Raw) -> Raw:
    """`new` over `old`: mappings field by field, lists of named entries by `id`, everything else replaced."""
    result = dict(old)
    for key, value in new.items():
        before = result.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            result[key] = merge(before, value)
        elif isinstance(before, list) and isinstance(value, list) and all(_named(item) for item in before + value):
            by_id = {item["id"]: item for item in before}
            by_id.update({item["id"]: merge(by_id.get(item["id"], {}), item) for item in value})
            result[key] = list(by_id.values())
        else:
            result[key] = value
    return result


def _named(item: object) -> bool:
    return isinstance(item, dict) and "id" in item


def _entries(file: CatalogueFile, faults: list[Fault]) -> Iterator[Entry]:
    """The chips of a file that have an id; a lone chip needs no list."""
    document = read_file(file.path)
    faults += document.faults
    if not document.readable:
        return
    listed = isinstance(document.data, list)
    for index, raw in enumerate(document.data if listed else [document.data]):
        entry = Entry(raw if isinstance(raw, dict) else {}, document, (index,) if listed else (), file)
        if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
            faults.append(entry.fault("a chip is a mapping with an `id` that is text"))
            continue
        faults += [entry.fault(message, hint, inside) for inside, message, hint in CHIP.faults(raw)]
        yield entry


def _chip(raw: Raw, file: str) -> Chip:
    groups = ("memory", "link", "power", "temperature", "video_decode")
    memory, link, power, temperature, decode = (raw.get(name) or {} for name in groups)
    return Chip(
        id=raw["id"],
        name=raw.get("name") or raw["id"],
        vendor=raw["vendor"],
        chip_class=raw["class"],
        form=raw["form"],
        release_year=raw.get("release_year"),
        cpu=raw.get("cpu"),
        cpu_cores=raw.get("cpu_cores"),
        toolchain=raw.get("toolchain"),
        lifecycle_until=_date(raw.get("lifecycle_until")),
        units=tuple(_unit(unit, raw["form"]) for unit in raw["units"]),
        modes=tuple(_mode(mode) for mode in raw.get("modes") or [_DEFAULT_MODE]),
        memory_type=memory.get("type"),
        bandwidth_gbs=_number(memory.get("bandwidth_gbs")),
        capacity_gb=_number(memory.get("capacity_gb")),
        link_name=link.get("name"),
        link_gbs=_number(link.get("gbs")),
        idle_w=_number(power.get("idle_w")),
        typical_w=_number(power.get("typical_w")),
        max_w=_number(power.get("max_w")),
        min_c=_number(temperature.get("min_c")),
        max_c=_number(temperature.get("max_c")),
        temperature_at=temperature.get("at"),
        decode_streams_1080p30=_number(decode.get("streams_1080p30")),
        prices=tuple(_price(price) for price in raw.get("prices") or []),
        notes=raw.get("notes") or "",
        sources={name: word for name, word in (raw.get("sources") or {}).items() if word is not None},
        file=file,
    )


def _unit(unit: Raw, form: str) -> Unit:
    kind = unit.get("kind") or unit["id"]
    inside = form in ("soc", "module", "mcu", "sensor")
    return Unit(
        id=unit["id"],
        kind=kind,
        count=unit.get("count") or 1,
        peak_tops={name: float(tops) for name, tops in (unit.get("peak_tops") or {}).items() if tops is not None},
        one_inference_share=_number(unit.get("one_inference_share")),
        sram_kib=_number(unit.get("sram_kib")),
        precisions=tuple(unit.get("precisions") or ()),
        tail_class=unit.get("tail_class") or _TAIL_CLASS.get(kind, "soc-npu" if inside else "npu-m2-card"),
    )


def _mode(mode: Raw) -> Mode:
    return Mode(
        id=mode["id"],
        kind=mode.get("kind") or "vendor",
        budget_w=_number(mode.get("budget_w")),
        bandwidth_gbs=_number(mode.get("bandwidth_gbs")),
        compute_scale=_number(mode.get("compute_scale")),
        reference=bool(mode.get("reference")),
        source=mode.get("source") or "",
    )


def _price(price: Raw) -> Price:
    return Price(float(price["usd"]), price.get("quantity"), _date(price.get("date")), price.get("kind"))


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _date(value: str | int | None) -> str | None:
    return None if value is None else str(value)
