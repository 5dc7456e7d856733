"""One candidate in words: the names behind its positions, and where its figures come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context
from dse.candidates.known import BORROWED
from dse.candidates.resources import LIVE_SHARE, runtime_mb
from dse.candidates.run_table import ESTIMATED, KNOWN, MEASURED, ORIGINS
from dse.candidates.table import Candidates
from dse.catalog.types import Chip
from dse.estimate.basis import nearest_measured
from dse.estimate.evidence import GRADES
from dse.estimate.peak import BYTES

POWER_COVERS = {"module": "module", "m2-card": "module", "pcie-card": "board", "devkit": "board"}


@dataclass(frozen=True)
class Design:
    """What a candidate is, with every position replaced by its name; None means unknown or not applicable."""

    run: int
    lane: int
    chip: Chip
    board: str
    mode: str
    unit: str
    cores: int | None
    runtime: str
    model: str
    weights: str
    source: str
    input_h: int | None
    input_w: int | None
    precision: str
    batch: int
    policy: str
    timeout_ms: float
    buffers: int
    typical_ms: float
    grade: str
    basis: str
    boundary: str
    tail_grade: str


def describe(context: Context, candidates: Candidates, row: int) -> Design:
    """Names and origin of one candidate."""
    run, entry = int(candidates.run[row]), int(candidates.entry[row])
    runs, lanes, catalog = context.runs, context.lanes, context.catalog
    net, lane, option = int(runs.net[run]), context.lane_of(run), context.options[int(candidates.option[row])]
    tail = catalog.tails.get(context.service.tail_class[lane])
    return Design(
        run=run,
        lane=lane,
        chip=context.chip_of(run),
        board=lanes.board[lane],
        mode=lanes.mode[lane],
        unit=lanes.unit[lane],
        cores=int(lanes.cores[lane]) or None,
        runtime=lanes.runtime[lane],
        model=catalog.nets.id[net],
        weights=catalog.entries.weights[entry],
        source=catalog.entries.source[entry],
        input_h=int(catalog.nets.input_h[net]) or None,
        input_w=int(catalog.nets.input_w[net]) or None,
        precision=lanes.precision[lane],
        batch=int(runs.batch[run]),
        policy=option.policy,
        timeout_ms=option.timeout_ms,
        buffers=option.buffers,
        typical_ms=round(float(runs.typical_ms[run]), 4),
        grade=GRADES[int(runs.grade[run])],
        basis=basis_of(context, run),
        boundary=lanes.boundary[lane],
        tail_grade=tail.grade if tail is not None else "E",
    )


def basis_of(context: Context, run: int) -> str:
    """Where the time of a run comes from, in words and rows."""
    runs = context.runs
    origin, row = int(runs.origin[run]), int(runs.row[run])
    if origin == KNOWN:
        return ORIGINS[KNOWN]
    if np.isfinite(runs.period_ms[run]) and runs.grade[run] < GRADES.index("E"):
        cores, period = int(context.lanes.cores[context.lane_of(run)]), f"{runs.period_ms[run]:.4g} ms"
        return f"measured on {cores} cores in parallel, an item on each and one done every {period}"
    if np.isfinite(runs.period_ms[run]):
        return f"a pipelined period of {runs.period_ms[run]:.4g} ms, widened to a latency by a depth of 1 to 8"
    if origin == MEASURED:
        source, count = context.catalog.measurements.source[row], int(runs.measurements[run])
        several = f", slowest of {count} that differ, {runs.base_ms[run]:.4g} ms" if count > 1 else ""
        return f"{ORIGINS[MEASURED]}{several}: {source}"
    if origin == ESTIMATED:
        return f"{ORIGINS[ESTIMATED]} from {_neighbours(context, run, row)} on this unit"
    return f"{ORIGINS[origin]} of this unit to {context.lanes.mode[context.lane_of(run)]}"


def _neighbours(context: Context, run: int, calibration: int) -> str:
    """The measured networks that resemble an estimated one most."""
    nets, of = context.catalog.nets, context.knowledge.speeds.calibrations
    near = nearest_measured(context.catalog, of.chip[calibration], of.unit[calibration], int(context.runs.net[run]))
    return ", ".join(f"{nets.id[k]}@{nets.input_h[k]}" for k in near) or "the unit's other networks"


def accuracy_basis(design: Design, basis: str) -> str:
    """Where an accuracy comes from; one that a network of the user's borrows says so."""
    return BORROWED if design.source == BORROWED else basis


def power_boundary(context: Context, design: Design) -> str | None:
    """What the power figure covers (rail, chip, module, board, system); None where that is not known."""
    origin, row = int(context.runs.origin[design.run]), int(context.runs.row[design.run])
    if np.isnan(context.resources.own_power_w[design.run]):
        return None
    if np.isfinite(context.runs.power_w[design.run]):
        return (
            "as you measured it" if origin == KNOWN else str(context.catalog.measurements.power_boundary[row]) or None
        )
    return design.chip.power.boundary or POWER_COVERS.get(design.chip.form, "chip")


def memory_parts(context: Context, design: Design) -> dict[str, float | None]:
    """Weights, live activations and runtime [MB]; None where a size is unknown."""
    nets, net = context.catalog.nets, int(context.runs.net[design.run])
    width = BYTES.get(design.precision, 1.0)
    live = design.batch * LIVE_SHARE * nets.activations_m[net] * width
    return {
        "weights_mb": _or_none(nets.params_m[net] * width),
        "activations_mb": _or_none(live),
        "runtime_mb": runtime_mb(design.chip, design.unit, design.runtime),
    }


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 4)
