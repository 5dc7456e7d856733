"""Lanes: the ways chips execute networks (chip, power mode, unit, cores, runtime, precision).

A few hundred lanes stand behind millions of candidates, so everything that only depends on names is decided here
once per lane and gathered by position.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from dse.catalog.types import BoolArray, Catalog, Chip, IntArray, TextArray, text_array
from dse.patterns import matches_any
from dse.problem.search import Search


@dataclass(frozen=True)
class Lanes:
    """Distinct lanes, shape (n,), ascending by their fields.

    ``boundary`` says where the clock of their measurements starts and stops, ``statistic`` what they print (already
    brought to the mean, unless it is a tail). ``board`` is empty for the chip alone.
    """

    chip: TextArray
    mode: TextArray
    unit: TextArray
    cores: IntArray
    runtime: TextArray
    precision: TextArray
    boundary: TextArray
    statistic: TextArray
    board: TextArray

    def __len__(self) -> int:
        return len(self.chip)

    def rows(self) -> list[LaneRow]:
        """Every lane by its names."""
        columns = [getattr(self, field.name).tolist() for field in fields(Lanes)]
        return [LaneRow(*row) for row in zip(*columns, strict=True)]

    def row(self, lane: int) -> LaneRow:
        """One lane by its names."""
        return LaneRow(*(getattr(self, field.name)[lane] for field in fields(Lanes)))

    def chips(self, catalog: Catalog) -> list[Chip]:
        """The chip of every lane, as it is bought: alone or on its board."""
        return [catalog.platform(*names) for names in zip(self.chip.tolist(), self.board.tolist(), strict=True)]


class LaneRow(NamedTuple):
    """One lane by its names; the fields of `Lanes`."""

    chip: str
    mode: str
    unit: str
    cores: int
    runtime: str
    precision: str
    boundary: str
    statistic: str = "mean"
    board: str = ""


def lanes_of(rows: set[LaneRow]) -> tuple[Lanes, dict[LaneRow, int]]:
    """Lanes from rows in the order of the fields, and where each row went."""
    ordered = sorted(rows)
    columns = list(zip(*ordered, strict=True)) or [()] * len(fields(Lanes))
    chip, mode, unit, cores, runtime, precision, boundary, statistic, board = columns
    lanes = Lanes(
        chip=text_array(chip),
        mode=text_array(mode),
        unit=text_array(unit),
        cores=np.array(cores, dtype=np.int64),
        runtime=text_array(runtime),
        precision=text_array(precision),
        boundary=text_array(boundary),
        statistic=text_array(statistic),
        board=text_array(board),
    )
    return lanes, {row: position for position, row in enumerate(ordered)}


def admitted(lanes: Lanes, search: Search, chips: dict[str, Chip]) -> BoolArray:
    """Lanes whose chip, unit, runtime and precision the search takes. Shape (n,)."""
    precisions = set(search.precisions)
    if precisions & {"fp16", "fp32"}:
        precisions.add("float")  # a source that does not say which of the two
    keep = [
        chip in chips
        and (not search.units or unit in search.units)
        and search.runtimes.admits(runtime)
        and (not precisions or precision in precisions)
        for chip, unit, runtime, precision in zip(lanes.chip, lanes.unit, lanes.runtime, lanes.precision, strict=True)
    ]
    return np.array(keep, dtype=np.bool_)


def modes_admitted(lanes: Lanes, search: Search, chips: dict[str, Chip]) -> BoolArray:
    """Lanes whose power mode the search takes; False for other chips. Shape (n,)."""
    keep = [
        chip in chips and mode_admitted(chips[chip], mode, search)
        for chip, mode in zip(lanes.chip, lanes.mode, strict=True)
    ]
    return np.array(keep, dtype=np.bool_)


def mode_admitted(chip: Chip, name: str, search: Search) -> bool:
    """Whether the search takes a power mode; ``named`` leaves out clock points nobody measured."""
    if "all" in search.modes:
        return True
    mode = chip.mode(name)
    kind = mode.kind if mode is not None else "measured"
    return ("named" in search.modes and kind != "clock") or matches_any(search.modes, (name,))
