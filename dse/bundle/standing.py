"""Who wins among the rows of a comparison, judged again: limits on the figures they show, objectives in their order.

This is not a second solve: of every chip only the design in its row is known. What a row fails for another reason than
a figure it shows, it goes on failing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.candidates.limits import Rule, rules_of
from dse.candidates.preference import Goal, goals_of
from dse.catalog.types import IntArray
from dse.problem.settings import Objective
from dse.problem.spec import Problem
from dse.report.compared_row import COLUMNS
from dse.schema import QUANTITIES, UNKNOWN, to_fixed

JsonObject = dict[str, Any]
Key = tuple[str, ...]
_PARTS = {"chip": ("chip",), "board": ("chip", "board"), "mode": ("chip", "board", "mode")}


@dataclass(frozen=True)
class Field:
    """The rows of a comparison with what judges them.

    Parameters
    ----------
    rows : mapping
        Rows by what they stand for, in the order of ties.
    rules : mapping
        Limits by name, those on figures of a row and all others.
    goals : tuple of Goal
        Objectives, the most important first.
    """

    rows: Mapping[Key, JsonObject]
    rules: Mapping[str, Rule]
    goals: tuple[Goal, ...]

    @property
    def figures(self) -> tuple[str, ...]:
        """Figures of a row that decide something, in the order of a row."""
        asked = {rule.column for rule in self.rules.values()} | {goal.quantity.name for goal in self.goals}
        return tuple(name for name in COLUMNS if name in asked and name in QUANTITIES)

    def winner(self) -> Key | None:
        """The row that comes first; None where none meets every limit."""
        keys = [key for key, row in self.rows.items() if _meets(row, self.rules)]
        if not keys:
            return None
        costs = np.stack([goal.cost(_column(self.rows, keys, goal.quantity.name)) for goal in self.goals], axis=1)
        left = np.arange(len(keys))
        for column, goal in enumerate(self.goals):
            cost = costs[left, column]
            left = left[cost <= cost.min() + goal.within]
        first = np.lexsort([left, *costs[left].T[::-1]])[0]
        return keys[int(left[first])]


def field_of(comparison: JsonObject, problem: Problem) -> Field:
    """The rows of a comparison under the limits and objectives it was made with.

    Raises
    ------
    KeyError, ValueError, TypeError
        The comparison does not belong to the problem.
    """
    task = problem.task(comparison["task"])
    floor = comparison["at"]["accuracy"]
    if floor is not None:
        task = task.model_copy(update={"min_accuracy": floor})
    goals = tuple(Objective(**{name: goal[name] for name in ("sense", "name", "within")})
                  for goal in comparison["objectives"])  # fmt: skip
    rules = {rule.name: rule for rule in rules_of(problem, task)}
    asked = problem.model_copy(update={"objectives": goals})
    return Field(rows_of(comparison), rules, goals_of(asked))


def rows_of(comparison: JsonObject) -> dict[Key, JsonObject]:
    """Rows by what they stand for, in order; without the baseline, which cannot win."""
    parts = _PARTS[comparison.get("each", "chip")]
    return {
        tuple(str(row[part]) for part in parts if row[part] is not None): row
        for row in comparison["rows"]
        if row["kind"] == "design"
    }


def winner_of(comparison: JsonObject) -> Key | None:
    """The row that a comparison puts first."""
    return next((key for key, row in rows_of(comparison).items() if row["rank"] == 1), None)


def winner_at(answer: JsonObject, position: int) -> Key | None:
    """The winner of one problem of an answer, be it of a comparison or of one best design."""
    if "comparisons" in answer:
        return winner_of(answer["comparisons"][position])
    device = next(iter(answer["devices"]), None)
    return None if device is None else tuple(str(device[name]) for name in ("chip", "board") if device.get(name))


def _meets(row: JsonObject, rules: Mapping[str, Rule]) -> bool:
    """Whether a design stands in the row and meets every limit."""
    if row["model"] is None:
        return False
    shown = set()
    for name, rule in rules.items():
        value = row.get(rule.column) if rule.column in QUANTITIES else None
        if value is not None:
            shown.add(name)
            if not _within(value, rule):
                return False
        elif rule.reject_unknown and (rule.column in QUANTITIES or name in lacking(row)):
            return False
    return not (failing(row) - shown)


def failing(row: JsonObject) -> set[str]:
    """Names of the limits a row says it fails."""
    return {str(item["limit"]) for item in row["breaks"]}


def lacking(row: JsonObject) -> set[str]:
    """Names of the limits on figures that are unknown."""
    return {str(item["figure"]) for item in row["lacks"]}


def _within(value: float, rule: Rule) -> bool:
    number = int(to_fixed(np.array([value], dtype=np.float64), QUANTITIES[rule.column].scale)[0])
    low = rule.minimum is None or number >= rule.minimum
    return low and (rule.maximum is None or number <= rule.maximum)


def _column(rows: Mapping[Key, JsonObject], keys: Sequence[Key], name: str) -> IntArray:
    values = [rows[key].get(name) for key in keys]
    known = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    column: IntArray = to_fixed(known, QUANTITIES[name].scale)
    return np.where(np.isnan(known), UNKNOWN, column)
