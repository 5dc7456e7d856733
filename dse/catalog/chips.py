"""Chip files (YAML) to `Chip` objects; an entry with a known id overrides field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from dse.catalog.types import Chip, Mode, Price, Unit
from dse.errors import Fault

FIELDS = ("id", "name", "vendor", "class", "form", "release_year", "cpu", "cpu_cores", "toolchain", "lifecycle_until",
          "units", "modes", "memory", "link", "power", "temperature", "video_decode", "prices", "notes", "sources")
REQUIRED = ("id", "vendor", "class", "form", "units")


def read_chips(files: list[Path], faults: list[Fault]) -> dict[str, Chip]:
    """All chips of the files by id; what is wrong is appended to `faults`."""
    merged: dict[str, dict[str, Any]] = {}
    for file in files:
        for position, raw in enumerate(_entries(file, faults)):
            if not isinstance(raw, dict) or "id" not in raw:
                faults.append(Fault(str(file), 0, 0, f"[{position}]", "a chip is a mapping with an `id`"))
                continue
            faults += [Fault(str(file), 0, 0, f"{raw['id']}.{key}", "unknown field", f"allowed: {', '.join(FIELDS)}")
                       for key in raw if key not in FIELDS]
            merged[str(raw["id"])] = merge(merged.get(str(raw["id"]), {}), {**raw, "_file": str(file)})
    chips = {}
    for name, raw in merged.items():
        missing = [field for field in REQUIRED if field not in raw]
        if missing:
            faults.append(Fault(raw["_file"], 0, 0, name, f"missing {', '.join(missing)}"))
            continue
        try:
            chips[name] = _chip(raw)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            faults.append(Fault(raw["_file"], 0, 0, name, f"cannot be read: {error!r}"))
    return chips


def merge(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
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


def _entries(file: Path, faults: list[Fault]) -> list[Any]:
    """The list of chips in a file; one chip alone may stand without the list."""
    try:
        data = yaml.load(file.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        faults.append(Fault(str(file), 0, 0, "", f"cannot be read: {error}"))
        return []
    if data is None:
        return []
    return data if isinstance(data, list) else [data]


def _chip(raw: dict[str, Any]) -> Chip:
    memory, link, power, temperature = (raw.get(key) or {} for key in ("memory", "link", "power", "temperature"))
    return Chip(
        id=str(raw["id"]), name=str(raw.get("name", raw["id"])), vendor=str(raw["vendor"]), chip_class=raw["class"],
        form=raw["form"], release_year=raw.get("release_year"), cpu=raw.get("cpu"), cpu_cores=raw.get("cpu_cores"),
        toolchain=raw.get("toolchain"), lifecycle_until=_text(raw.get("lifecycle_until")),
        units=tuple(_unit(unit, raw) for unit in raw["units"]), modes=tuple(_mode(mode) for mode in raw.get("modes") or [_DEFAULT_MODE]),
        memory_type=memory.get("type"), bandwidth_gbs=_number(memory.get("bandwidth_gbs")),
        capacity_gb=_number(memory.get("capacity_gb")), link_name=link.get("name"), link_gbs=_number(link.get("gbs")),
        idle_w=_number(power.get("idle_w")), typical_w=_number(power.get("typical_w")), max_w=_number(power.get("max_w")),
        min_c=_number(temperature.get("min_c")), max_c=_number(temperature.get("max_c")),
        temperature_at=temperature.get("at"), decode_streams_1080p30=_number((raw.get("video_decode") or {}).get("streams_1080p30")),
        prices=tuple(Price(float(p["usd"]), p.get("quantity"), _text(p.get("date")), p.get("kind")) for p in raw.get("prices") or []),
        notes=raw.get("notes") or "", sources={str(k): str(v) for k, v in (raw.get("sources") or {}).items()},
        file=raw["_file"])


_DEFAULT_MODE = {"id": "default", "kind": "vendor", "compute_scale": 1, "reference": True, "source": "the chip as sold"}


def _unit(unit: dict[str, Any], chip: dict[str, Any]) -> Unit:
    kind = str(unit.get("kind", unit["id"]))
    return Unit(
        id=str(unit["id"]), kind=kind, count=int(unit.get("count", 1)),
        peak_tops={str(k): float(v) for k, v in (unit.get("peak_tops") or {}).items()},
        one_inference_share=_number(unit.get("one_inference_share")), sram_kib=_number(unit.get("sram_kib")),
        precisions=tuple(unit.get("precisions") or ()),
        tail_class=str(unit.get("tail_class") or {"cpu": "cpu-arm", "gpu": "soc-gpu", "mcu": "mcu", "fpga": "fpga"}.get(
            kind, "soc-npu" if chip["form"] in ("soc", "module", "mcu", "sensor") else "npu-m2-card")))


def _mode(mode: dict[str, Any]) -> Mode:
    return Mode(id=str(mode["id"]), kind=str(mode.get("kind", "vendor")), budget_w=_number(mode.get("budget_w")),
                bandwidth_gbs=_number(mode.get("bandwidth_gbs")), compute_scale=_number(mode.get("compute_scale")),
                reference=bool(mode.get("reference", False)), source=str(mode.get("source", "")))


def _number(value: object) -> float | None:
    """A finite, non-negative-or-temperature number, or None where nothing is known."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
