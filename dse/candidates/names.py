"""Attributes a limit may name: ``chip.``, ``model.`` and ``result.`` followed by a field of the catalogue or answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dse.catalog.operators import operators_of
from dse.catalog.types import Catalog, Chip

Value = float | str | frozenset[str] | None

CHIP: Mapping[str, Callable[[Chip], Value]] = {
    "id": lambda c: c.id,
    "vendor": lambda c: c.vendor,
    "class": lambda c: c.chip_class,
    "form": lambda c: c.form,
    "toolchain": lambda c: c.toolchain,
    "os": lambda c: c.os,
    "release_year": lambda c: c.release_year,
    "cpu_cores": lambda c: c.cpu_cores,
    "memory.type": lambda c: c.memory_type,
    "memory.bandwidth_gbs": lambda c: c.bandwidth_gbs,
    "memory.capacity_gb": lambda c: c.capacity_gb,
    "link.gbs": lambda c: c.link_gbs,
    "power.idle_w": lambda c: c.power.idle_w,
    "power.typical_w": lambda c: c.power.typical_w,
    "power.max_w": lambda c: c.power.max_w,
    "power.boundary": lambda c: c.power.boundary,
    "temperature.min_c": lambda c: c.temperature.min_c,
    "temperature.max_c": lambda c: c.temperature.max_c,
    "temperature.at": lambda c: c.temperature.at,
    "lifecycle.status": lambda c: c.lifecycle.status,
    "video_decode.streams_1080p30": lambda c: c.decode_streams_1080p30,
    "sram_kib": lambda c: max((u.sram_kib for u in c.units if u.sram_kib is not None), default=None),
    "peak_tops": lambda c: max((t for u in c.units for t in u.peak_tops.values()), default=None),
}
MODEL: Mapping[str, Callable[[Catalog, int], Value]] = {
    "id": lambda k, e: str(k.nets.id[k.entries.net[e]]),
    "family": lambda k, e: str(k.nets.family[k.entries.net[e]]),
    "weights": lambda k, e: str(k.entries.weights[e]) or None,
    "operators": lambda k, e: operators_of(k.entries.operators[e]) or None,
    "license": lambda k, e: str(k.entries.license[e]) or None,
    "params_m": lambda k, e: float(k.nets.params_m[k.entries.net[e]]),
    "gmacs": lambda k, e: float(k.nets.gmacs[k.entries.net[e]]),
    "activations_m": lambda k, e: float(k.nets.activations_m[k.entries.net[e]]),
    "input_h": lambda k, e: float(k.nets.input_h[k.entries.net[e]]) or None,
    "input_w": lambda k, e: float(k.nets.input_w[k.entries.net[e]]) or None,
}
# Names of `result.` are columns of the candidate table (see dse.schema) and these words of a run.
RUN_WORDS = ("precision", "unit", "runtime", "mode", "batch", "grade")
