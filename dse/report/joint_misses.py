"""Why several tasks do not fit together: the devices that come nearest, and what is missing there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dse.joint.evaluate import PPM, Missed, Verdict
from dse.joint.misses import Miss
from dse.joint.sides import Side
from dse.report.summary import alternative_of
from dse.schema import QUANTITIES, TICKS_PER_MS
from dse.timing.ticks import INFINITE

JsonObject = dict[str, Any]
UNITS = {"power_w": "W", "price_usd": "USD", "memory_mb": "MB", "worst_case_ms": "ms", "slack_ms": "ms"}


def miss_of(sides: Sequence[Side], miss: Miss) -> JsonObject:
    """The easiest combination on one device, with every requirement it misses in numbers and words."""
    verdict = miss.verdict
    tasks = [alternative_of(side.context, side.candidates, row) for side, row in zip(sides, verdict.rows, strict=True)]
    device = {name: tasks[0][name] for name in ("chip", "board", "mode")}
    words = "; ".join(dict.fromkeys(_words(one, verdict) for one in verdict.missed))
    return {
        **device,
        "excess": None if math.isinf(miss.excess) else round(miss.excess, 6),
        "loads": [{"resource": name, "utilization": ppm / PPM} for name, ppm in verdict.loads.items()],
        "missed": [_figures(one) for one in verdict.missed],
        "tasks": [
            {**one, "task": side.task.name, "worst_case_ms": None if late >= INFINITE else late / TICKS_PER_MS}
            for one, side, late in zip(tasks, sides, verdict.worst, strict=True)
        ],
        "text": f"{' on '.join(name for name in (device['chip'], device['board']) if name)}: {words}",
    }


def _figures(one: Missed) -> JsonObject:
    """Name, quantity, figure and limit in their unit."""
    scale = QUANTITIES[one.quantity].scale
    figure, limit = (None if number is None else number / scale for number in (one.figure, one.limit))
    return {"requirement": one.name, "quantity": one.quantity, "figure": figure, "limit": limit}


def _words(one: Missed, verdict: Verdict) -> str:
    """``detect misses its deadline by 12 ms``, ``npu 131 % loaded`` and the like."""
    if one.figure is None or one.limit is None:
        return "no bound is known for this combination" if one.name == "rate" else f"{one.name} is not known"
    if one.quantity == "utilization":
        busiest = max(verdict.loads, key=lambda name: verdict.loads[name])
        beyond = "" if one.name == "rate" else f", limit {100 * one.limit / PPM:g} %"
        return f"{busiest} {100 * one.figure / PPM:.0f} % loaded{beyond}"
    scale, unit = QUANTITIES[one.quantity].scale, UNITS.get(one.quantity, "")
    over = f"{_short(abs(one.figure - one.limit) / scale)} {unit}".strip()
    if one.name == one.quantity:  # a limit of the file
        return f"{one.name} {_short(one.figure / scale)}, limit {_short(one.limit / scale)}"
    if one.quantity == "memory_mb":
        return f"{one.name} exceeded by {over}"
    return f"{one.name.removesuffix(': deadline_ms')} misses its deadline by {over}"


def _short(value: float) -> str:
    """Three significant digits, never in powers of ten."""
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{round(value, digits):,.{max(0, digits)}f}"
