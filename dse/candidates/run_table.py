"""Runs as columns: what a stopwatch could measure of a network on a lane, and why others are missing."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from dse.candidates.lanes import LaneRow, Lanes
from dse.catalog.types import BoolArray, FloatArray, IntArray

MEASURED, ESTIMATED, SCALED, KNOWN = range(4)
ORIGINS = ("measured", "estimated", "scaled from another power mode", "your own measurement")
# One public pair of pipelined rate and latency gives 3.9; 1 to 8 is what pipelines of this kind span.
PERIOD_DEPTH_TYPICAL, PERIOD_DEPTH_HIGH = 3.9, 8.0
WHOLE_COLUMNS = ("net", "batch", "grade", "measurements", "origin", "base_origin", "row")
"""Columns of runs, beside their lane, that hold whole numbers."""
NO_SPEED = "chips dropped: no speed figure for these networks"
TOO_WEAK = "chips dropped: every speed figure is weaker than guard.evidence (E admits all)"
NO_BOARD = "chips dropped: on no board that the search takes"
NO_HOST = "cards dropped: no host is stated (`host:`)"


@dataclass(frozen=True)
class Runs:
    """Runs of one task, shape (n,); times are of the whole batch [ms]; ``lane`` is a position in the lanes.

    ``typical_ms`` is the mean; ``base_ms`` is what the worst case starts from (the slowest of conflicting
    measurements); ``spread`` the 90 % half-width as a factor. ``period_ms`` is finite where only a pipelined rate was
    measured: then it is the bottleneck and ``base_ms`` a latency widened by the pipeline's possible depth.
    ``measurements`` counts the rows under the key; ``row`` is the slowest of them, the calibration behind an estimate,
    or the number of the entry of ``known:``. ``base_origin`` says which of these it is: of a time scaled to another
    power mode the origin before that, else the same as ``origin``.
    """

    lane: IntArray
    net: IntArray
    batch: IntArray
    typical_ms: FloatArray
    base_ms: FloatArray
    low_ms: FloatArray
    spread: FloatArray
    period_ms: FloatArray
    grade: IntArray
    known_elsewhere: BoolArray
    power_w: FloatArray
    energy_mj: FloatArray
    memory_mb: FloatArray
    measurements: IntArray
    origin: IntArray
    base_origin: IntArray
    row: IntArray

    def take(self, chosen: IntArray | BoolArray) -> Runs:
        """The chosen rows (mask or positions); a mask that leaves nothing out costs no copy."""
        if chosen.dtype == np.bool_:
            if chosen.all():
                return self
            chosen = np.flatnonzero(chosen)  # once, and not again for every column
        return Runs(**{field.name: getattr(self, field.name)[chosen] for field in fields(Runs)})

    def __len__(self) -> int:
        return len(self.net)


def concatenate(parts: list[Runs]) -> Runs:
    """All parts one after the other; there must be one."""
    return Runs(**{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Runs)})


@dataclass(frozen=True)
class OwnRuns:
    """The user's own measurements: runs whose ``lane`` is a position in `rows`."""

    runs: Runs
    rows: tuple[LaneRow, ...]


@dataclass(frozen=True)
class Space:
    """The runs of a task, their lanes, and why others are not among them.

    ``dropped`` counts chips or runs per reason; ``names`` lists the chips where the reason is one of chips.
    """

    runs: Runs
    lanes: Lanes
    chips_considered: int
    dropped: dict[str, int]
    names: dict[str, set[str]]


def with_columns(runs: Runs, **columns: FloatArray | IntArray) -> Runs:
    """The same runs with some columns replaced."""
    return Runs(**{field.name: columns.get(field.name, getattr(runs, field.name)) for field in fields(Runs)})


def empty_runs() -> Runs:
    """No runs."""
    integer = {"lane", *WHOLE_COLUMNS}
    return Runs(
        **{
            field.name: np.zeros(
                0,
                dtype=np.int64
                if field.name in integer
                else np.bool_
                if field.name == "known_elsewhere"
                else np.float64,
            )
            for field in fields(Runs)
        }
    )
