"""Axes of a front: figures of the candidate table, and numbers of the chip, the network and the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context
from dse.candidates.names import CHIP, MODEL, Value
from dse.candidates.table import Candidates
from dse.catalog.types import FloatArray
from dse.errors import Fault, InputError
from dse.patterns import name_hint
from dse.schema import QUANTITIES, UNKNOWN

FEWEST, MOST = 2, 5
SENSES = {"min": False, "minimize": False, "max": True, "maximize": True}
ATTRIBUTES: Mapping[str, str] = {
    "chip.release_year": "year",
    "chip.cpu_cores": "cores",
    "chip.memory.bandwidth_gbs": "GB/s",
    "chip.memory.capacity_gb": "GB",
    "chip.link.gbs": "GB/s",
    "chip.power.idle_w": "W",
    "chip.power.typical_w": "W",
    "chip.power.max_w": "W",
    "chip.temperature.min_c": "°C",
    "chip.temperature.max_c": "°C",
    "chip.video_decode.streams_1080p30": "streams",
    "chip.sram_kib": "KiB",
    "chip.peak_tops": "TOPS",
    "model.params_m": "10^6 parameters",
    "model.gmacs": "10^9 multiply-accumulates",
    "model.activations_m": "10^6 values",
    "model.input_h": "px",
    "model.input_w": "px",
    "result.batch": "items",
}
"""Attributes that are numbers, with their units; which direction is better is for the user to say."""


@dataclass(frozen=True)
class Axis:
    """One axis: its name as the answer shows it, whether more is better, its unit and what it means."""

    name: str
    maximize: bool
    unit: str
    meaning: str

    @property
    def sense(self) -> str:
        """``maximize`` or ``minimize``."""
        return "maximize" if self.maximize else "minimize"

    def values(self, context: Context, candidates: Candidates) -> FloatArray:
        """The figure of every candidate in its unit or the whole numbers of its column, shape (n,); NaN where unknown.

        Whole numbers up to 2**53 keep their order exactly as floats; what lies beyond is no figure of a real system.
        """
        if self.name in QUANTITIES:
            column = getattr(candidates, self.name)
            return np.where(column == UNKNOWN, np.nan, column)
        if self.name == "result.batch":
            return context.runs.batch[candidates.run].astype(np.float64)
        kind, _, name = self.name.partition(".")
        if kind == "chip":
            chips = context.lanes.chips(context.catalog)
            return _numbers([CHIP[name](chip) for chip in chips])[context.runs.lane[candidates.run]]
        unique, back = np.unique(candidates.entry, return_inverse=True)
        return _numbers([MODEL[name](context.catalog, entry) for entry in unique.tolist()])[back]

    def costs(self, context: Context, candidates: Candidates) -> FloatArray:
        """`values`, turned so that less is better."""
        values = self.values(context, candidates)
        return -values if self.maximize else values

    def shown(self, cost: float) -> float | None:
        """The figure behind a cost, in its unit; None where unknown."""
        if np.isnan(cost):
            return None
        value = -cost if self.maximize else cost
        exact = QUANTITIES[self.name].value(int(value)) if self.name in QUANTITIES else value
        return None if exact is None else float(exact) + 0.0  # no -0.0


def costs_of(context: Context, candidates: Candidates, axes: Sequence[Axis]) -> FloatArray:
    """Costs of candidates on every axis, shape (n, k): less is better, NaN is unknown."""
    return np.stack([axis.costs(context, candidates) for axis in axes], axis=1)


def parse_axes(text: str | Sequence[str], option: str = "--axes") -> tuple[Axis, ...]:
    """Axes of ``accuracy,worst_case_ms,chip.peak_tops:max``, or of a list of such words.

    Raises
    ------
    InputError
        Every name that is no axis, named twice or without a direction, and a wrong number of axes.
    """
    words = [word.strip() for word in (text.split(",") if isinstance(text, str) else text) if word.strip()]
    faults: list[Fault] = []
    axes = [axis for word in words if (axis := _axis(word, lambda *said: faults.append(_fault(option, *said))))]
    names = [axis.name for axis in axes]
    faults += [_fault(option, name, "is named twice") for name in sorted({n for n in names if names.count(n) > 1})]
    if not FEWEST <= len(words) <= MOST:
        found = f"{len(words)} {'axis' if len(words) == 1 else 'axes'} found"
        faults.append(_fault(option, "", f"{found}, {FEWEST} to {MOST} are possible"))
    if faults:
        raise InputError(faults)
    return tuple(axes)


def parse_share(given: str | float, option: str = "--near") -> float:
    """A share as ``2%`` or ``0.02``, from 0 up to but not including 1.

    Raises
    ------
    InputError
        It is no such share.
    """
    number, percent, rest = str(given).strip().partition("%")
    try:
        share = float(number) / (100 if percent else 1)
    except ValueError:
        share = -1.0
    if rest or not 0 <= share < 1:
        message = f"`{given}` is no share of at least 0 % and less than 100 %"
        raise InputError([_fault(option, "", message, "write 2% or 0.02")])
    return share


def _axis(word: str, complain: Callable[..., None]) -> Axis | None:
    """The axis a word stands for; None after a complaint."""
    asked, colon, direction = word.partition(":")
    name = asked.removeprefix("result.") if asked.removeprefix("result.") in QUANTITIES else asked
    name = "result.batch" if name == "batch" else name
    if colon and direction not in SENSES:
        complain(word, f"`{direction}` is no direction", "min or max")
        return None
    if name in QUANTITIES:
        quantity = QUANTITIES[name]
        return Axis(name, SENSES.get(direction, quantity.higher_is_better), quantity.unit, quantity.meaning)
    if name not in ATTRIBUTES:
        complain(word, *_unknown(asked))
        return None
    if not colon:
        complain(word, "which direction is better?", f"write {asked}:min or {asked}:max")
        return None
    kind, _, attribute = name.partition(".")
    whose = {"chip": "of the chip", "model": "of the network", "result": "of the design"}[kind]
    return Axis(name, SENSES[direction], ATTRIBUTES[name], f"{attribute} {whose}")


def _unknown(name: str) -> tuple[str, str]:
    """What to say of a name that is no axis: a word instead of a number, or nothing known."""
    kind, _, attribute = name.partition(".")
    known: Sequence[str] = [*QUANTITIES, *ATTRIBUTES]
    if attribute in {"chip": CHIP, "model": MODEL}.get(kind, {}):
        return "is a word, not a number", f"numbers: {', '.join(n for n in ATTRIBUTES if n.startswith(kind))}"
    return "there is no such figure", name_hint(name, known, short=40)


def _fault(option: str, where: str, message: str, hint: str = "") -> Fault:
    return Fault(option, 0, 0, where, message, hint)


def _numbers(values: Sequence[Value]) -> FloatArray:
    """Attributes as floats; NaN where nobody knows."""
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)  # type: ignore[arg-type]
