"""One candidate in words: the names behind its positions, and where its time comes from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.candidates.resources import GPU_CONTEXT_MB, LIVE_SHARE, RUNTIME_MB
from dse.candidates.runs import BYTES, ESTIMATED, KNOWN, MEASURED, ORIGINS
from dse.candidates.table import Candidates, Context
from dse.catalog.types import Chip
from dse.estimate.speed import GRADES


@dataclass(frozen=True)
class Design:
    """What a candidate is, with every code replaced by its name."""

    run: int
    chip: Chip
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
    memory_parts: dict[str, float | None]


def describe(context: Context, candidates: Candidates, row: int) -> Design:
    """Names and origin of one candidate."""
    run, entry = int(candidates.run[row]), int(candidates.entry[row])
    runs, catalog = context.runs, context.knowledge.catalog
    net, option = int(runs.net[run]), context.options[int(candidates.option[row])]
    tail = catalog.tails.get(str(context.service.tail_class[run]))
    return Design(
        run=run, chip=catalog.chips[str(runs.chip[run])], mode=str(runs.mode[run]), unit=str(runs.unit[run]),
        cores=int(runs.cores[run]) or None, runtime=str(runs.runtime[run]), model=str(catalog.nets.id[net]),
        weights=str(catalog.entries.weights[entry]), source=str(catalog.entries.source[entry]),
        input_h=int(catalog.nets.input_h[net]) or None, input_w=int(catalog.nets.input_w[net]) or None,
        precision=str(runs.precision[run]), batch=int(runs.batch[run]), policy=option.policy, timeout_ms=option.timeout_ms,
        buffers=option.buffers, typical_ms=round(float(runs.typical_ms[run]), 4), grade=GRADES[int(runs.grade[run])],
        basis=basis_of(context, run), boundary=str(runs.boundary[run]), tail_grade=tail.grade if tail else "E",
        memory_parts=_memory_parts(context, run))


def basis_of(context: Context, run: int) -> str:
    """Where the time of a run comes from, in words and rows."""
    runs, knowledge = context.runs, context.knowledge
    origin, row = int(runs.origin[run]), int(runs.row[run])
    if origin == KNOWN:
        return ORIGINS[KNOWN]
    if np.isfinite(runs.period_ms[run]):
        return f"a pipelined period of {runs.period_ms[run]:.4g} ms, widened to a latency by a depth of 1 to 8"
    measurements = knowledge.catalog.measurements
    if origin == MEASURED:
        return f"{ORIGINS[MEASURED]}: {measurements.source[row]}"
    if origin == ESTIMATED:
        return f"{ORIGINS[ESTIMATED]} from {_neighbours(context, run, row)} on this unit"
    reference = context.knowledge.catalog.chips[str(runs.chip[run])].reference_mode
    return f"{ORIGINS[origin]}: {reference.id if reference else '?'} to {runs.mode[run]}"


def _neighbours(context: Context, run: int, calibration: int) -> str:
    """The measured networks an estimate leans on most."""
    nets = context.knowledge.catalog.nets
    near = context.knowledge.speeds.nearest[calibration, int(context.runs.net[run])]
    return ", ".join(f"{nets.id[k]}@{nets.input_h[k]}" for k in near.tolist() if k >= 0) or "the unit's other networks"


def _memory_parts(context: Context, run: int) -> dict[str, float | None]:
    """Weights, live activations and runtime [MB]; None where a size is unknown."""
    runs, nets = context.runs, context.knowledge.catalog.nets
    net, width = int(runs.net[run]), BYTES.get(str(runs.precision[run]), 1.0)
    weights, activations = nets.params_m[net] * width, runs.batch[run] * LIVE_SHARE * nets.activations_m[net] * width
    mcu = context.knowledge.catalog.chips[str(runs.chip[run])].form == "mcu"
    base = 0.0 if mcu else GPU_CONTEXT_MB if runs.unit[run] == "gpu" else RUNTIME_MB
    return {"weights_mb": _or_none(weights), "activations_mb": _or_none(activations), "runtime_mb": base}


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 4)
