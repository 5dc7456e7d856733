"""The object that ``dse budget --json`` prints: the budget as plain data, unrounded; ``null`` means unknown."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

from dse.budgeting.budget import Budget
from dse.report.budget_figures import time
from dse.report.text import JsonObject


def budget_object(budget: Budget) -> JsonObject:
    """The budget as plain data; the names are those of the fields of `dse.budgeting`, times in ms unless they say more.

    Fractions become the nearest float; a figure nobody knows becomes None.
    """
    found: JsonObject = _plain(budget)
    found["problem"] = {"name": found["problem"], "file": found.pop("file")}
    return {"problem": found["problem"], "headline": headline(budget), **found}


def headline(budget: Budget) -> str:
    """One line: the longest time of every task, and what binds it."""
    parts = []
    for task in budget.tasks:
        times = task.times
        text = time(float(times.network_ms)) if times.network_ms > 0 else "nothing"
        parts.append(f"{times.task}: {text} for one inference on one server, bound by {BINDS[times.binds]}")
    return "; ".join(parts)


BINDS = {
    "rate": "the rate",
    "deadline": "the deadline",
    "max_ms": "max_ms of the network",
    "stages": "stages that cannot keep up",
}
"""What binds the longest time, in words."""


def _plain(value: Any) -> Any:  # noqa: ANN401 - any part of a budget
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
