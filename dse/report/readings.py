"""The same run with the clock at other places: what was measured at the chip, at the host, and further out.

A figure at the chip leaves out what the host adds; which of several decides is the guard's choice, and the others are
shown beside it with the bound they would give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dse.candidates.context import Context
from dse.candidates.evidence import BOUNDARIES
from dse.candidates.known import with_known
from dse.candidates.lanes import lanes_of
from dse.candidates.resources import resources
from dse.candidates.run_table import KNOWN, MEASURED, ORIGINS, Space, with_columns
from dse.candidates.runs import tail_or_mean
from dse.candidates.service import tail_of, worst_service
from dse.candidates.table import Candidates
from dse.candidates.worst import time_columns
from dse.estimate.statistics import to_mean
from dse.schema import QUANTITIES, UNKNOWN
from dse.timing.ticks import INFINITE

JsonObject = dict[str, Any]
_SAME_RUN = ("chip", "mode", "unit", "cores", "runtime", "precision", "net", "batch", "quantity")
_SAME_LANE = ("chip", "mode", "unit", "cores", "runtime", "precision")


@dataclass(frozen=True)
class Clock:
    """One measurement of a run: where the clock stood, what it printed, and the time of one batch [ms]."""

    boundary: str
    statistic: str
    time_ms: float
    source: str


def covers_boundary(context: Context, lane: int) -> bool | None:
    """Whether a lane's clock included all that the guard asks for; None where nobody says where it stood."""
    boundary = context.lanes.boundary[lane]
    if boundary not in BOUNDARIES:
        return None
    return BOUNDARIES.index(boundary) >= BOUNDARIES.index(context.problem.guard.boundary)


def readings_of(context: Context, candidates: Candidates, row: int) -> list[JsonObject]:
    """Every boundary a candidate's run was measured at, from the chip outwards; none for what nobody measured.

    ``time_ms`` is the slowest measurement, of one batch, ``worst_case_ms`` the bound with it in the place of the
    deciding one; None where it has no bound.
    """
    run, option = int(candidates.run[row]), int(candidates.option[row])
    if np.isfinite(context.runs.period_ms[run]):
        return []
    slowest: dict[str, Clock] = {}
    for clock in _clocks(context, run):
        if clock.boundary not in slowest or clock.time_ms > slowest[clock.boundary].time_ms:
            slowest[clock.boundary] = clock
    outwards = [slowest[boundary] for boundary in (*BOUNDARIES, "unknown") if boundary in slowest]
    return [_reading(context, run, option, clock) for clock in outwards]


def _clocks(context: Context, run: int) -> Iterator[Clock]:
    """All measurements of a run: those of the catalogue, or the user's own where they took their place."""
    runs, origin = context.runs, int(context.runs.origin[run])
    if origin == MEASURED:
        m, own = context.catalog.measurements, int(runs.row[run])
        same = np.ones(len(m.chip), dtype=np.bool_)
        for name in _SAME_RUN:
            same &= getattr(m, name) == getattr(m, name)[own]
        rows = np.flatnonzero(same)
        means, printed = m.time_ms[rows] * to_mean(m.statistic[rows]), tail_or_mean(m.statistic[rows])
        yield from map(Clock, m.boundary[rows], printed, means.tolist(), m.source[rows])
    if origin == KNOWN:
        yield from _own_clocks(context, run)


def _own_clocks(context: Context, run: int) -> Iterator[Clock]:
    """The entries of `known:` that are of the same run."""
    runs, lane = context.runs, context.lanes.rows()[context.lane_of(run)]
    known = with_known(context.problem, context.task, context.knowledge).own
    if known is None:
        return
    own = known.runs
    same = (own.net == runs.net[run]) & (own.batch == runs.batch[run]) & ~np.isfinite(own.period_ms)
    for k in np.flatnonzero(same).tolist():
        row = known.rows[k]
        if all(getattr(row, name) == getattr(lane, name) for name in _SAME_LANE):
            yield Clock(row.boundary, row.statistic, float(own.base_ms[k]), ORIGINS[KNOWN])


def _reading(context: Context, run: int, option: int, clock: Clock) -> JsonObject:
    deadline = context.task.deadline_ms
    worst = int(time_columns(_at(context, run, clock), np.array([0]), option)["worst_case_ms"][0])
    bound = None if worst in (UNKNOWN, INFINITE) else QUANTITIES["worst_case_ms"].value(worst)
    return {
        "boundary": clock.boundary,
        "time_ms": round(clock.time_ms, 4),
        "worst_case_ms": None if bound is None else float(bound),
        "meets_deadline": None if deadline is None else bound is not None and float(bound) <= deadline,
        "decides": clock.boundary == context.lanes.boundary[context.lane_of(run)],
        "source": clock.source,
    }


def _at(context: Context, run: int, clock: Clock) -> Context:
    """The context with this run alone, its time taken from another measurement."""
    lane = context.lanes.rows()[context.lane_of(run)]._replace(boundary=clock.boundary, statistic=clock.statistic)
    lanes, _ = lanes_of({lane})
    alone, time = context.runs.take(np.array([run])), np.array([clock.time_ms])
    runs = with_columns(alone, lane=np.zeros(1, dtype=np.int64), typical_ms=time, base_ms=time, low_ms=time)
    space = Space(runs, lanes, context.space.chips_considered, {}, {})
    wanted = tail_of(context.problem, context.task)
    service = worst_service(space, context.problem.guard, context.catalog, wanted)
    needs = resources(context.problem, space, context.catalog, service.service_ms)
    return replace(context, space=space, service=service, resources=needs)
