"""From what people write about a place (chip, unit, mode, runtime …) to a condition the law can answer for."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from dse.catalog.types import Catalog, text_array
from dse.estimate.conditions import CPU_KINDS, Conditions, rated
from dse.patterns import name_hint, normalise
from dse.words import PRECISIONS, is_precision

# Order in which the unit is guessed when nobody names it: the first that executes the precision.
UNIT_ORDER = ("npu", "gpu", "dla", "dsp", "fpga", "cpu", "mcu")
ALSO_CALLED = {"gpu": ("npu", "fpga"), "npu": ("fpga",), "mcu": ("cpu", "fpga"), "cpu": ("mcu",)}
"""What sources call every accelerator, an overlay on an FPGA, a soft core: where there is one, it leaves no doubt."""
_BINARY = ("binary", "mixed-binary")


@dataclass(frozen=True)
class Asked:
    """A place in a user's words; empty and 0 mean "not said".

    ``device`` is the source's own word: where it is known it says more than the chip.
    """

    chip: str
    board: str = ""
    mode: str = ""
    unit: str = ""
    cores: int = 0
    streams: int = 1
    runtime: str = ""
    precision: str = ""
    batch: int = 1
    quantity: str = "latency"
    device: str = ""


@dataclass(frozen=True)
class Place:
    """A place in the catalogue's words; ``chip`` is the catalogue's id, ``refusal`` why nothing can be said of it."""

    asked: Asked
    vendor: str = ""
    device: str = ""
    chip: str = ""
    mode: str = ""
    unit: str = ""
    cores: int = 0
    runtime: str = ""
    refusal: str = ""


class Places:
    """Every device that was measured or is in the catalogue, by the words people use."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog, t = catalog, catalog.trials
        self._devices: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
        self._chips: dict[str, Counter[tuple[str, str, str, str]]] = defaultdict(Counter)
        self._modes: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        self._cores: dict[tuple[str, str, str], Counter[int]] = defaultdict(Counter)
        self._runtimes: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
        self._binary = set(t.runtime[np.isin(t.precision.astype(str), _BINARY)].tolist())
        self._precisions: dict[tuple[str, str], set[str]] = defaultdict(set)
        columns = zip(t.vendor, t.device, t.chip, t.unit, t.mode, t.runtime, t.precision, t.cores.tolist(), strict=True)
        for vendor, device, chip, unit, mode, runtime, precision, cores in columns:
            self._devices[normalise(device)].add((unit, device, vendor))
            self._chips[normalise(chip)][unit, device, vendor, chip] += 1
            self._modes[device, unit, runtime][mode] += 1
            self._cores[device, unit, runtime][cores] += 1
            self._runtimes[device, unit][runtime, precision] += 1
            self._precisions[device, unit].add(precision)
        self._chip_of = {normalise(device): chip for device, chip in zip(t.device, t.chip, strict=True)}
        self._by_name = {normalise(name): chip for name, chip in catalog.chips.items()}
        boards = [board for board in catalog.boards.values() if normalise(board.id) not in self._by_name]
        self._by_name |= {normalise(board.id): catalog.chips[board.chip] for board in boards}
        measured = Counter(
            (chip, vendor) for chip, vendor in zip(t.chip, t.vendor, strict=True) if chip in catalog.chips
        )
        # The measurements' own word for each vendor of the catalogue.
        self._vendor_of = {
            catalog.chips[chip].vendor: vendor
            for (chip, vendor), _rows in sorted(measured.items(), key=lambda pair: (pair[1], pair[0]))
        }

    def find(self, asked: Asked) -> Place:
        """The place asked for, or why nothing can be said of it."""
        if not is_precision(asked.precision) and asked.precision != "unknown":
            return Place(asked, refusal=f"no precision is called `{asked.precision}`: {', '.join(PRECISIONS)}")
        units = self._units(asked.device if normalise(asked.device) in self._devices else asked.chip)
        if not units:
            hint = name_hint(asked.chip, sorted({*self._by_name, *self._chips, *self._devices}))
            return Place(asked, refusal=f"no chip or device is called `{asked.chip}`{f': {hint}' if hint else ''}")
        unit = self._unit(asked, units)
        if unit is None:
            return Place(asked, refusal=f"{asked.chip} has no {asked.unit}: {', '.join(sorted(units))}")
        device, vendor, chip = units[unit]
        refusal = self._not_executed(asked, chip, device, unit)
        if refusal:
            return Place(asked, refusal=refusal)
        runtime = self._runtime(asked, device, unit)
        counts = self._cores.get((device, unit, runtime), {0: 1})
        # As with modes, what is not said is what measurements do not say, or else what most of them used.
        cores = asked.cores if asked.cores or 0 in counts else max(counts, key=lambda count: (counts[count], -count))
        mode = self._mode(asked, device, unit, runtime)
        return Place(asked, vendor, device, chip, mode, unit, cores, runtime)

    def _units(self, word: str) -> dict[str, tuple[str, str, str]]:
        """Device, vendor and chip by kind of unit."""
        name = normalise(word)
        own = {
            unit: (device, vendor, self._chip_of[name]) for unit, device, vendor in sorted(self._devices.get(name, ()))
        }
        if name not in self._by_name and name not in self._chips:
            if own:
                return own
            # Sources decorate the name of a chip with that of its unit or board.
            begins = [known for known in self._by_name if name.startswith(f"{known}-")]
            name = max(begins, key=len, default=name)
        found: dict[str, tuple[str, str, str]] = {}
        chip = self._by_name.get(name)
        if chip is not None:
            vendor = self._vendor_of.get(chip.vendor, chip.vendor.casefold())
            found = {unit.kind: (chip.id, vendor, chip.id) for unit in chip.units}
            name = normalise(chip.id)
        # The device most rows of a unit are of stands for the chip.
        for (unit, device, vendor, id_), _rows in sorted(
            self._chips.get(name, Counter()).items(), key=lambda pair: (pair[1], pair[0])
        ):
            found[unit] = (device, vendor, id_)
        # Where a device goes by the name of its chip, the chip has the units that others call otherwise.
        return found | own

    def _unit(self, asked: Asked, units: dict[str, tuple[str, str, str]]) -> str | None:
        if asked.unit in units:
            return asked.unit
        if not asked.unit:
            ordered = sorted(units, key=lambda unit: (UNIT_ORDER.index(unit) if unit in UNIT_ORDER else 99, unit))
            able = (unit for unit in ordered if not self._not_executed(asked, units[unit][2], units[unit][0], unit))
            return next(able, ordered[0])
        # Beside an accelerator a microcontroller would be another unit, not another word for the processor.
        like = [unit for unit in units if asked.unit == "mcu" or (unit in CPU_KINDS) == (asked.unit in CPU_KINDS)]
        return like[0] if len(like) == 1 and like[0] in ALSO_CALLED.get(asked.unit, ()) else None

    def _not_executed(self, asked: Asked, chip: str, device: str, unit: str) -> str:
        """Why the unit does not execute the precision; empty where it does, or where nobody said."""
        if asked.precision in self._precisions[device, unit]:
            return ""
        if asked.precision in _BINARY and asked.runtime not in self._binary:
            return "binary networks run only where a runtime has kernels for them: " + ", ".join(sorted(self._binary))
        known = self._catalog.chips.get(chip)
        own = known.unit(unit) if known else None
        if own is None or not own.precisions or asked.precision in own.precisions or asked.precision == "float":
            return ""
        if asked.precision.startswith("mixed-"):
            return ""
        return f"the {unit} of {chip} executes {', '.join(own.precisions)}, not {asked.precision}"

    def _runtime(self, asked: Asked, device: str, unit: str) -> str:
        """The runtime asked for; the commonest of the device where none is said.

        Some runtimes are told apart by the link behind which they were measured: the board's name decides.
        """
        own = self._runtimes[device, unit]
        names = Counter[str]()
        for (runtime, precision), rows in own.items():
            # A runtime that executes the precision goes before any other.
            names[runtime] += rows + (1_000_000 if precision == asked.precision else 0)
        if asked.runtime in names or (asked.runtime and not names):
            return asked.runtime
        if asked.runtime:
            variants = [
                name for name in names if name.startswith(asked.runtime) and name[len(asked.runtime) :].isdigit()
            ]
            link = re.search(r"USB ?(\d)", asked.board)
            if link and asked.runtime + link.group(1) in variants:
                return asked.runtime + link.group(1)
            return max(variants, key=lambda name: (names[name], name)) if variants else asked.runtime
        return max(names, key=lambda name: (names[name], name)) if names else ""

    def _mode(self, asked: Asked, device: str, unit: str, runtime: str) -> str:
        """The mode asked for, in the words of the measurements; the commonest where none is said."""
        modes = self._modes.get((device, unit, runtime))
        if not modes or asked.mode in modes:
            return asked.mode
        if not asked.mode:
            return max(modes, key=lambda mode: (modes[mode], mode))
        alike = [mode for mode in modes if mode and (_is_in(mode, asked.mode) or _is_in(asked.mode, mode))]
        alike = alike or [mode for mode in modes if mode and _words(mode)[:1] == _words(asked.mode)[:1]]
        return max(alike, key=lambda mode: (len(mode), mode)) if alike else asked.mode

    def conditions(self, places: list[Place]) -> Conditions:
        """Places as conditions, shape (n,)."""
        chip, unit = (text_array(getattr(place, name) for place in places) for name in ("chip", "unit"))
        precision = text_array(place.asked.precision for place in places)
        streams, batch = (
            np.array([getattr(place.asked, name) for place in places], dtype=np.int64) for name in ("streams", "batch")
        )
        return Conditions(
            vendor=text_array(place.vendor for place in places),
            device=text_array(place.device for place in places),
            mode=text_array(place.mode for place in places),
            unit=unit,
            runtime=text_array(place.runtime for place in places),
            precision=precision,
            quantity=text_array(place.asked.quantity for place in places),
            cores=np.array([place.cores for place in places], dtype=np.int64),
            streams=streams,
            batch=batch,
            **rated(self._catalog, chip, unit, precision),
        )


def _words(mode: str) -> list[str]:
    """The words of a mode, without the one that says that it is a mode."""
    return [word for word in re.findall(r"[a-z0-9]+", mode.casefold()) if word != "mode"]


def _is_in(mode: str, other: str) -> bool:
    """Whether one mode stands in the other, whatever sources decorate it with; 5W does not stand in 15W."""
    plain = "".join(_words(mode))
    first, last = (r"(?<!\d)" if plain[:1].isdigit() else ""), (r"(?!\d)" if plain[-1:].isdigit() else "")
    return bool(plain) and re.search(first + plain + last, "".join(_words(other))) is not None
