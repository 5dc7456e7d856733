"""How much is known about a pair: the level of its evidence, and the grade and interval that follow from it.

| level | what was measured |
|---|---|
| A | this very network, input, precision and batch under this very condition |
| B= | the same network, input and precision with this runtime, in another batch, mode or number of cores |
| B | the network with this runtime, at another precision or input size |
| C1, C2 | three networks or more with this runtime; this one elsewhere (1) or nowhere (2) |
| K1, K2 | one or two networks with this runtime |
| R1, R2 | networks with another runtime only |
| D1, D2 | nothing on the device |

All of it on the very device. A runtime counts apart: two of them differ by 2.7 times on one device, and a benchmark
with a single network says nothing of the others.

C2-, K2-, R2- and D2- are networks measured nowhere whose MACs nobody knows.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from dse.catalog.types import BoolArray, FloatArray, IntArray, TextArray, Trials, text_array
from dse.estimate.conditions import Conditions
from dse.estimate.networks import Networks
from dse.estimate.vocabulary import codes, vocabulary

CALIBRATED = 3  # measured networks a device needs before its own law can be trusted
GRADES = "ABCDE"
LEVELS = ("A", "B=", "B", "C1", "C2", "C2-", "K1", "K2", "K2-", "R1", "R2", "R2-", "D1", "D2", "D2-")
LEVEL_GRADES = dict(zip(LEVELS, "ABBCCECDECDEDEE", strict=True))
WIDTHS = Path(__file__).with_name("widths.csv")
# 90 % of repeats of one condition by several people lie within this factor (repeated conditions of the catalogue):
# Arm CPUs scatter over threads, governors and releases.
REPEATS, REPEATS_CPU = 1.09, 1.58


@dataclass(frozen=True)
class Seen:
    """What was measured: places and networks by word, and which of them met.

    ``models`` (devices + 1, models + 1) and ``cells`` (places + 1, inputs + 1) say which pairs have a measurement; the
    last row and column stand for what nobody ever measured. A device here is a device, unit and runtime, a place a
    device at a precision; ``units`` are devices and units, whatever the runtime.
    """

    units: frozenset[str]
    devices: dict[str, int]
    model_places: dict[str, int]
    models: BoolArray
    places: dict[str, int]
    inputs: dict[str, int]
    cells: BoolArray

    @staticmethod
    def of(conditions: Conditions, networks: Networks) -> Seen:
        """Of measured rows."""
        devices, device = _numbered(_devices(conditions))
        names, model = _numbered(networks.model)
        places, place = _numbered(_places(conditions))
        inputs, cell = _numbered(networks.at_input)
        models = np.zeros((len(devices) + 1, len(names) + 1), dtype=np.bool_)
        models[device, model] = True
        cells = np.zeros((len(places) + 1, len(inputs) + 1), dtype=np.bool_)
        cells[place, cell] = True
        return Seen(frozenset(_units(conditions).tolist()), devices, names, models, places, inputs, cells)

    def models_on(self, conditions: Conditions) -> IntArray:
        """How many networks were measured on the device, unit and runtime of every condition."""
        counts: IntArray = self.models.sum(axis=1)[codes(_devices(conditions), self.devices)]
        return counts

    def devices_of(self, networks: Networks) -> IntArray:
        """On how many devices, units and runtimes every network was measured."""
        counts: IntArray = np.asarray(self.models.sum(axis=0))[codes(networks.model, self.model_places)]
        return counts

    def anywhere(self, networks: Networks) -> BoolArray:
        """Whether a network was measured on any device, at any input size."""
        seen: BoolArray = np.asarray(self.models.any(axis=0))[codes(networks.model, self.model_places)]
        return seen

    def levels(self, conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray) -> IntArray:
        """Position in `LEVELS` of every pair, but for A: what was measured needs no estimate."""
        device, model = codes(_devices(conditions), self.devices), codes(networks.model, self.model_places)
        place, cell = codes(_places(conditions), self.places), codes(networks.at_input, self.inputs)
        on_device = self.models[device[condition], model[network]]
        count = self.models.sum(axis=1)[device][condition]
        # A device known under another runtime only is better than one nobody ever touched.
        on_unit = np.array([unit in self.units for unit in _units(conditions).tolist()], dtype=np.bool_)[condition]
        known = np.asarray(self.models.any(axis=0))[model][network]
        sized = np.isfinite(networks.gmacs)[network]
        first = [LEVELS.index(name) for name in ("C1", "K1", "R1")]
        kind = np.select([count >= CALIBRATED, count > 0, on_unit], first, LEVELS.index("D1"))
        level = kind + np.where(known, 0, np.where(sized, 1, 2))
        level = np.where(on_device, LEVELS.index("B"), level)
        return np.where(self.cells[place[condition], cell[network]], LEVELS.index("B="), level)


@cache
def widths() -> dict[tuple[str, bool], float]:
    """Factor from the standard deviation of a prediction to its 90 % half-width, per level and (on a CPU or not).

    Fitted out of fold by ``benchmarks/estimates.py --calibrate``; see `dse.heldout.calibrate`.
    """
    with WIDTHS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {(row["level"], row["unit"] == "cpu"): float(row["factor"]) for row in rows}


def width_factors(level: IntArray, on_cpu: BoolArray, table: dict[tuple[str, bool], float]) -> FloatArray:
    """Factor of every pair; a level without one takes the widest."""
    widest = max(table.values(), default=1.0)
    by_level = np.array([[table.get((name, cpu), widest) for cpu in (False, True)] for name in LEVELS])
    factors: FloatArray = by_level[level, on_cpu.astype(np.int64)]
    return factors


def grades(level: IntArray) -> IntArray:
    """Position in `GRADES` of every level."""
    of_level = np.array([GRADES.index(LEVEL_GRADES[name]) for name in LEVELS])
    found: IntArray = of_level[level]
    return found


def known_elsewhere(level: IntArray) -> BoolArray:
    """Whether the network of an estimate was measured somewhere."""
    of_level = np.array([not name.rstrip("-").endswith("2") for name in LEVELS])
    found: BoolArray = of_level[level]
    return found


def key_words(place: Conditions | Trials, network: Networks | Trials) -> list[str]:
    """Everything a time depends on in one word per row: of measured rows, or of a condition and a network each."""
    texts = (place.device, place.unit, place.mode, place.runtime, network.model, place.precision, place.quantity)
    counts = (place.cores, place.streams, network.input_h, network.input_w, place.batch)
    columns = (*texts, *(column.tolist() for column in counts))
    return ["|".join(map(str, parts)) for parts in zip(*columns, strict=True)]


def _units(conditions: Conditions) -> TextArray:
    return _joined(conditions.device, conditions.unit)


def _devices(conditions: Conditions) -> TextArray:
    return _joined(conditions.device, conditions.unit, conditions.runtime)


def _places(conditions: Conditions) -> TextArray:
    return _joined(conditions.device, conditions.unit, conditions.runtime, conditions.precision)


def _joined(*columns: TextArray) -> TextArray:
    return text_array("|".join(parts) for parts in zip(*columns, strict=True))


def _numbered(words: TextArray) -> tuple[dict[str, int], IntArray]:
    numbers = vocabulary(words)
    return numbers, codes(words, numbers)
