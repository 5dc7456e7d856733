"""What to say about an answer: one plain structure of figures with units, the same for JSON, terminal and Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from dse.answer import Answer, rejected_for_unknown
from dse.candidates.context import Context
from dse.candidates.path import scope_of
from dse.candidates.resources import POWER_BASES, POWER_GRADES
from dse.candidates.service import is_soft
from dse.candidates.table import Candidates
from dse.conditional import Conditional
from dse.estimate.accuracy import BASES
from dse.estimate.evidence import GRADES
from dse.report.assumptions import assumptions_of
from dse.report.bottleneck import bottleneck_of, overloads_of
from dse.report.design import accuracy_basis, describe, memory_parts, power_boundary
from dse.report.misfits import misfits_of
from dse.report.parts import largest_part, latency_parts
from dse.report.prices import price_text
from dse.report.readings import covers_boundary, readings_of
from dse.report.words import counted, flagged, host_word
from dse.schema import QUANTITIES, UNKNOWN
from dse.timing.ticks import INFINITE

JsonObject = dict[str, Any]
NEAREST_MISSES = 3
SOFT_LABEL = "p99 estimate, no bound"
REALTIME_CLASSES = ((1.0, "hard"), (10.0, "soft"), (100.0, "near"))


def summarise(answer: Answer, baseline: JsonObject | None = None) -> JsonObject:
    """The answer as one JSON object; None means unknown. Everything but ``search.wall_s`` and ``workers`` is
    the same for the same input. ``clash`` is left to who explains the answer."""
    context, row = answer.context, answer.row
    return {
        "status": answer.status.value,
        "label": None if row is None else label_of(context, answer.candidates, row),
        "scope": scope_of(context.task),
        "problem": {"name": context.problem.name, "file": Path(context.problem.file).name},
        "headline": headline(answer),
        "objectives": _objectives(answer),
        "devices": [] if row is None else [device_of(context, answer.candidates, row)],
        "assignments": [] if row is None else [assignment_of(context, answer.candidates, row)],
        "chains": [],
        "totals": None
        if row is None
        else {name: cell(answer.candidates, name, row) for name in ("power_w", "price_usd")},
        "bottleneck": None if row is None else bottleneck_of(context, answer.candidates, row),
        "alternatives": [alternative_of(context, answer.candidates, other) for other in answer.alternatives],
        "conditional": [conditional_of(context, answer.candidates, item) for item in answer.conditional],
        "baseline": baseline,
        "nearest_misses": [_miss_of(context, answer.survey.misses, miss) for miss in _closest(answer)],
        "misfits": misfits_of(context) if answer.row is None else [],
        "overloaded": overloads_of(context, answer.survey),
        "clash": None,
        "dropped": context.space.dropped | dropped_chips(answer),
        "dropped_chips": {reason: sorted(names) for reason, names in context.space.names.items() if names},
        "assumptions": assumptions_of(answer),
        "killed_by": {
            name: {"candidates": broken, "alone": answer.survey.alone[name]}
            for name, broken in answer.survey.broken.items()
        },
        "proof": list(answer.proofs),
        "search": {
            "candidates": answer.survey.total,
            "feasible": answer.feasible,
            "kept": answer.choice.kept,
            "models_solved": answer.choice.models_solved,
            "wall_s": round(answer.wall_s, 3),
            "workers": answer.workers,
            "seed": answer.seed,
        },
        "versions": versions(context),
    }


def _closest(answer: Answer) -> range:
    """The closest misses of the deadline alone, where there is no answer."""
    return range(min(NEAREST_MISSES, len(answer.survey.misses)) if answer.row is None else 0)


def cell(candidates: Candidates, name: str, row: int) -> float | None:
    """One figure in its unit; None when unknown or without a bound."""
    number = int(getattr(candidates, name)[row])
    value = None if number == INFINITE else QUANTITIES[name].value(number)
    return None if value is None else float(value)


def label_of(context: Context, candidates: Candidates, row: int) -> str:
    """``feasible`` when measurements alone decide, else ``feasible if estimates hold``; for a p99 neither, in words."""
    if is_soft(context.task):
        return SOFT_LABEL
    run = int(candidates.run[row])
    measured = context.runs.grade[run] == GRADES.index("A") and candidates.accuracy_grade[row] == GRADES.index("A")
    return "feasible" if measured and not flagged(context, candidates, row) else "feasible if estimates hold"


def headline(answer: Answer) -> str:
    """The first line: how much was looked at, and what was dropped for missing data."""
    parts = looked_at(answer.context, answer.survey.total, dropped_chips(answer))
    parts.append(f"{answer.feasible:,} feasible" + (" by a p99 estimate" if is_soft(answer.context.task) else ""))
    return "; ".join(parts)


def looked_at(context: Context, total: int, dropped: Mapping[str, int]) -> list[str]:
    """How many candidates on how many chips, and how many chips were dropped for each reason."""
    used = len(set(context.lanes.chip[np.unique(context.runs.lane)].tolist()))
    seen = f"{total:,} candidates on {used} of {context.space.chips_considered} chips considered"
    return [seen, *(counted(count, reason) for reason, count in dropped.items())]


def dropped_chips(answer: Answer) -> dict[str, int]:
    """Chips that never became a feasible design for want of data, by reason."""
    return drops(answer.context, rejected_for_unknown(answer.context, answer.candidates))


def drops(context: Context, unknown: Mapping[str, int]) -> dict[str, int]:
    """Chips without a speed figure and the like, and those that only an unknown figure of a limit refuses."""
    counts = {reason: len(names) for reason, names in context.space.names.items() if names}
    return counts | {f"chips dropped: {name} unknown": count for name, count in sorted(unknown.items())}


def _objectives(answer: Answer) -> list[JsonObject]:
    if answer.row is None:
        return []
    rows = []
    for goal, proven in zip(answer.goals, answer.choice.proven, strict=False):
        column = getattr(answer.candidates, goal.quantity.name)[[answer.row]]
        known = column[0] != UNKNOWN
        rows.append(
            {
                "name": goal.objective.name,
                "sense": goal.objective.sense,
                "within": goal.objective.within,
                "value": goal.value(int(goal.cost(column)[0])) if known else None,
                "bound": goal.value(proven.bound) if known else None,
                "resolution": goal.quantity.resolution / goal.quantity.scale,
            }
        )
    return rows


def device_of(context: Context, candidates: Candidates, row: int) -> JsonObject:
    """What is bought."""
    d = describe(context, candidates, row)
    price = d.chip.latest_price
    return {
        "id": "device-1",
        "chip": d.chip.id,
        "name": d.chip.name,
        "vendor": d.chip.vendor,
        "board": d.board or None,
        "host": host_word(context, d.chip, d.board),
        "mode": d.mode,
        "link": d.chip.link.label if d.chip.behind_link and d.chip.link else None,
        "count": 1,
        "power_w": cell(candidates, "power_w", row),
        "power_basis": POWER_BASES[int(context.resources.power_basis[d.run])],
        "power_boundary": power_boundary(context, d),
        "power_grade": POWER_GRADES[int(context.resources.power_basis[d.run])],
        "price_usd": cell(candidates, "price_usd", row),
        "price": price_text(price, context.problem.procurement.quantity),
        "lead_time_weeks": cell(candidates, "lead_time_weeks", row),
        "supplier": None if price is None else price.supplier,
        "mpn": None if price is None else price.mpn,
        "valid_until": None if price is None else price.valid_until,
        "temperature": asdict(d.chip.temperature),
    }


def assignment_of(context: Context, candidates: Candidates, row: int) -> JsonObject:
    """The network and how it runs, with its worst case in parts."""
    d = describe(context, candidates, row)
    runs, service = context.runs, context.service
    worst, parts = cell(candidates, "worst_case_ms", row), latency_parts(context, candidates, row)
    scale = QUANTITIES["accuracy"].scale
    return {
        "task": context.task.name,
        "device": "device-1",
        "model": d.model,
        "weights": d.weights,
        "model_source": d.source,
        "input_h": d.input_h,
        "input_w": d.input_w,
        "precision": d.precision,
        "unit": d.unit,
        "cores": d.cores,
        "runtime": d.runtime,
        "batch": d.batch,
        "policy": d.policy,
        "timeout_ms": d.timeout_ms,
        "buffers": d.buffers,
        "dataset": context.chosen.dataset,
        "metric": context.chosen.metric,
        "accuracy": cell(candidates, "accuracy", row),
        "accuracy_low": cell(candidates, "accuracy_low", row),
        "accuracy_high": int(candidates.accuracy_high[row]) / scale,
        "accuracy_grade": GRADES[int(candidates.accuracy_grade[row])],
        "accuracy_basis": accuracy_basis(d, BASES[int(candidates.accuracy_basis[row])]),
        "latency": {
            "realtime_class": realtime_class(worst),
            "worst_case_ms": worst,
            "deadline_ms": context.task.deadline_ms,
            "slack_ms": cell(candidates, "slack_ms", row),
            "typical_ms": d.typical_ms,
            "base_ms": round(float(runs.base_ms[d.run]), 4),
            "measurements": int(runs.measurements[d.run]),
            "low_ms": round(float(runs.low_ms[d.run]), 4),
            "high_ms": round(float(runs.base_ms[d.run] * runs.spread[d.run]), 4),
            "grade": d.grade,
            "basis": d.basis,
            "boundary": d.boundary,
            "covers_boundary": covers_boundary(context, d.lane),
            "readings": readings_of(context, candidates, row),
            "statistic": context.lanes.statistic[d.lane],
            "guard_factor": round(float(service.guard[d.run]), 4),
            "tail_factor": round(float(service.tail[d.lane]), 4),
            "tail_grade": d.tail_grade,
            "tail_class": service.tail_class[d.lane],
            "stall_ms": None if np.isnan(service.stall_ms[d.lane]) else float(service.stall_ms[d.lane]),
            "guarantee": context.task.guarantee,
            "parts": parts,
            "largest_part": largest_part(parts, worst),
        },
        "rate": {
            "required_hz": float(context.arrivals.streams * 1000 / context.problem.period_ms(context.task)),
            "capacity_hz": cell(candidates, "rate_hz", row),
            "utilization": cell(candidates, "utilization", row),
        },
        "memory": {"total_mb": cell(candidates, "memory_mb", row), **memory_parts(context, d)},
        "flagged_unknown": flagged(context, candidates, row),
    }


def realtime_class(worst_ms: float | None) -> str | None:
    """hard below 1 ms, soft to 10, near to 100, beyond above."""
    if worst_ms is None:
        return None
    return next((name for limit, name in REALTIME_CLASSES if worst_ms < limit), "beyond")


def alternative_of(context: Context, candidates: Candidates, row: int) -> JsonObject:
    """One line of the list of designs."""
    d = describe(context, candidates, row)
    return {
        "chip": d.chip.id,
        "board": d.board or None,
        "mode": d.mode,
        "unit": d.unit,
        "runtime": d.runtime,
        "model": d.model,
        "weights": d.weights,
        "input_h": d.input_h,
        "input_w": d.input_w,
        "precision": d.precision,
        "batch": d.batch,
        "grade": d.grade,
        "guarantee": context.task.guarantee,
        **{
            name: cell(candidates, name, row)
            for name in ("accuracy", "worst_case_ms", "power_w", "price_usd", "utilization")
        },
        "flagged_unknown": flagged(context, candidates, row),
    }


def _miss_of(context: Context, misses: Candidates, row: int) -> JsonObject:
    """A design that misses the deadline, with every boundary it was measured at."""
    return {**alternative_of(context, misses, row), "readings": readings_of(context, misses, row)}


def conditional_of(context: Context, candidates: Candidates, item: Conditional) -> JsonObject:
    """A design that would win, the missing figure and its break-even value, in words and numbers."""
    words = {"power_w": ("draws", "W"), "price_usd": ("costs", "USD")}[item.quantity]
    design = alternative_of(context, candidates, item.row)
    mode = "" if design["mode"] in ("default", "") else f" {design['mode']}"
    board = f" on {design['board']}" if design["board"] else ""
    what = f"{design['chip']}{mode}{board} with {design['model']}"
    return {
        **design,
        "quantity": item.quantity,
        "break_even": item.break_even,
        "text": f"{what} wins if it {words[0]} ≤ {item.break_even:g} {words[1]}",
    }


def versions(context: Context) -> JsonObject:
    """Versions that decide the answer."""

    def of(name: str) -> str | None:
        try:
            return version(name)
        except PackageNotFoundError:
            return None

    return {"dse": of("dse"), "ortools": of("ortools"), "catalogue": context.knowledge.key}
