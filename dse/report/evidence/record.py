"""One piece of evidence, and the pieces gathered for one design; nothing here knows what a figure means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dse.candidates.context import Context
from dse.candidates.table import Candidates
from dse.catalog import places
from dse.catalog.types import Board, Chip
from dse.estimate.evidence import GRADES
from dse.problem.spec import Problem

Value = float | str | None
RULE = "rule of dse"
"""Place of a figure that follows from others, or from a rule, and stands in no file."""


@dataclass(frozen=True)
class Evidence:
    """What one figure rests on; records of one id are equal.

    Parameters
    ----------
    id : str
        From the place and the figure, such as ``measurements/npu-ti.csv:118`` or
        ``chips/rockchip.yaml#rk3588.power.max_w``; ``estimate:…`` and ``derived:…`` where no file holds the figure.
    figure, of : str
        What the figure is, and of what.
    value : float, str or None
        As it stands at its place, in `unit`.
    grade : str or None
        A to E; None for words, rules and what the problem states.
    kind : str
        measured, estimated, read, derived, recalled, quote, stated or assumed.
    place : str
        File and line, or the rule.
    source : str
        Where the file has it from.
    basis : str or None
        How the figure came about, in words.
    rests_on : tuple of str
        Ids of the evidence it was made from.
    """

    id: str
    figure: str
    of: str
    value: Value
    unit: str | None
    grade: str | None
    kind: str
    place: str
    source: str
    basis: str | None = None
    rests_on: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        """The record as plain data, without its id."""
        return {
            "figure": self.figure,
            "of": self.of,
            "value": self.value,
            "unit": self.unit,
            "grade": self.grade,
            "kind": self.kind,
            "place": self.place,
            "source": self.source,
            "basis": self.basis,
            "from": list(self.rests_on),
        }


class Trace:
    """Evidence of one design while it is gathered: `found` by id, what others rest on before them."""

    def __init__(self, context: Context, candidates: Candidates, row: int) -> None:
        self.context, self.candidates, self.row = context, candidates, row
        self.found: dict[str, Evidence] = {}
        self.run, self.entry = int(candidates.run[row]), int(candidates.entry[row])
        self.lane, self.chip = context.lane_of(self.run), context.chip_of(self.run)
        self.catalog = context.catalog

    def put(self, evidence: Evidence) -> Evidence:
        """Keep a record."""
        return self.found.setdefault(evidence.id, evidence)

    def sum_of(self, figure: str, parts: Iterable[Evidence], value: float, unit: str, grade: str | None) -> Evidence:
        """The only part itself, or what several add up to."""
        listed = list(parts)
        if len(listed) == 1:
            return listed[0]
        return self.put(
            Evidence(
                id=f"derived:{figure}({' + '.join(part.id for part in listed)})",
                figure=figure,
                of=" + ".join(part.of for part in listed),
                value=value,
                unit=unit,
                grade=grade,
                kind="derived",
                place=RULE,
                source=joined(part.source for part in listed),
                basis="sum of its parts",
                rests_on=tuple(part.id for part in listed),
            )
        )

    def id_of(self, place: int, thing: str = "") -> str:
        """The file of a place, with its line or else the thing in it; those that come with dse without their folder."""
        shown = self.catalog.place(place).removeprefix(f"{places.SHIPPED}/")
        return f"{shown.rpartition(':')[0]}#{thing}" if thing else shown

    def thing(self, name: str) -> Chip | Board:
        """A board by its id; the chip alone where that is empty."""
        return self.catalog.boards[name] if name else self.catalog.chips[self.chip.id]

    def taken(self, group: str) -> list[Chip | Board]:
        """What a group of figures of the design was taken from."""
        return [self.thing(name) for name in self.chip.taken.get(group, ("",))]

    @cached_property
    def lane_words(self) -> dict[str, Any]:
        """Names of the lane."""
        lanes = self.context.lanes
        names = ("chip", "mode", "unit", "runtime", "precision", "board")
        return {name: getattr(lanes, name)[self.lane] for name in names} | {"cores": int(lanes.cores[self.lane])}

    def net_name(self, net: int) -> str:
        """A network with its input size."""
        nets = self.catalog.nets
        height, width = int(nets.input_h[net]), int(nets.input_w[net])
        size = f"@{height}" if height == width else f"@{height}x{width}"
        return str(nets.id[net]) + (size if height else "")

    def entry_name(self, entry: int) -> str:
        """A network with its input size and weights."""
        entries = self.catalog.entries
        return f"{self.net_name(int(entries.net[entry]))} {entries.weights[entry]}".strip()

    def stated(self, path: tuple[str | int, ...], of: str, value: float, unit: str) -> Evidence:
        """What the problem file states, with its line."""
        figure = str(path[-1])
        name, line = problem_name(self.context.problem), self.context.problem.place(path)[0]
        return self.put(
            Evidence(
                id=f"{name}:{line}#{figure}" if line else f"{name}#{'.'.join(map(str, path))}",
                figure=figure,
                of=of,
                value=value,
                unit=unit,
                grade=None,
                kind="stated",
                place=f"{name}:{line}" if line else name,
                source="the problem",
            )
        )


def problem_name(problem: Problem) -> str:
    """Name of the problem's file, without its folder: the same on every machine."""
    return Path(problem.file).name


def joined(sources: Iterable[str]) -> str:
    """Several sources in one line, each once."""
    return " + ".join(dict.fromkeys(source for source in sources if source))


def weakest(grades: Iterable[str | None]) -> str | None:
    """The weakest of some grades; None where none is graded."""
    return max((grade for grade in grades if grade is not None), key=GRADES.index, default=None)


def number(value: float) -> float:
    """A figure as it was typed: what arithmetic on columns adds beyond the twelfth digit is taken away."""
    return float(f"{value:.12g}")


def known(value: float | np.floating[Any]) -> bool:
    """Whether a figure is known."""
    return bool(np.isfinite(value))
