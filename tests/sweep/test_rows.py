"""Columns, cells and marks of the table, from summaries written by hand."""

from __future__ import annotations

import pytest

from dse.sweep.points import grid
from dse.sweep.rows import COLUMNS, cells, header, rows, with_changes
from dse.sweep.summary import DEVICE, RUN, reason_of

BOUGHT = dict.fromkeys(DEVICE) | {"chip": "a"}
RUNS = dict.fromkeys(RUN) | {"model": "m", "batch": 1}


def design(chip: str, model: str = "m", batch: int = 1, worst_case_ms: float = 5.0) -> dict:
    task = RUNS | {"model": model, "batch": batch, "worst_case_ms": worst_case_ms}
    return {
        "status": "optimal",
        "label": "feasible",
        "reason": None,
        "device": BOUGHT | {"chip": chip},
        "tasks": {"see": task},
        "chains": {},
    }


NONE = {"status": "infeasible", "label": None, "reason": "why", "device": {}, "tasks": {}, "chains": {}}


def marks(vary: list, *summaries: dict) -> list[bool | None]:
    plan, faults = grid({}, vary)
    assert faults == []
    return [row["winner_changes"] for row in with_changes(plan, dict(enumerate(summaries, start=1)))]


def test_the_winner_changes_where_another_design_is_chosen():
    """A point without a design is skipped; figures alone make no other design."""
    found = [design("a"), design("a", worst_case_ms=6.0), NONE, design("a"), design("b"), NONE, design("b", "n")]
    assert marks([("x", "1:7:1")], *found) == [None, False, None, False, True, None, True]


def test_a_batch_is_part_of_the_design():
    assert marks([("x", "1,2")], design("a", batch=1), design("a", batch=2)) == [None, True]


def test_each_line_of_the_grid_begins_anew():
    """Points 1 to 3 and 4 to 6 differ in the last field alone."""
    found = [NONE, design("a"), design("b"), design("a"), design("a"), design("a")]
    assert marks([("x", "1,2"), ("y", "1,2,3")], *found) == [None, None, True, None, False, False]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""), (True, "true"), (3, "3"), (2.0, "2"), (49.5903, "49.5903"), (1e-05, "1e-05"), (-3, "-3"),
        ("int8", "int8"), ("=1+1", "'=1+1"), ("-x", "'-x"), ([1, "a"], '[1, "a"]'), ({"max": 5}, '{"max": 5}'),
    ],
)  # fmt: skip
def test_cells(value, cell):
    """Numbers unrounded, text that is no formula, lists and mappings as in the file."""
    assert cells([value]) == [cell]


def test_fields_come_first_and_unchanged_ones_are_empty():
    data = {
        "fields": ["limits.power_w", "host"],
        "tasks": ["see"],
        "chains": [],
        "points": [{"point": 1, "changes": {"host": "none"}, "winner_changes": None, **design("a")}],
    }
    assert header(data) == ["limits.power_w", "varied.host", *COLUMNS]
    (row,) = rows(data)
    assert row[:5] == [None, "none", 1, "optimal", "feasible"]
    by_name = dict(zip(header(data), row, strict=True))
    assert (by_name["chip"], by_name["model"], by_name["worst_case_ms"], by_name["host"]) == ("a", "m", 5.0, None)


def infeasible(**data) -> dict:
    return {"status": "infeasible", "killed_by": {}, "nearest_misses": [], "search": {"candidates": 8}, **data}


def killed(**counts: int) -> dict:
    return {name: {"candidates": count, "alone": 0} for name, count in counts.items()}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (infeasible(killed_by=killed(power_w=8, rate=8, price_usd=3)), "every candidate breaks power_w and rate"),
        (infeasible(killed_by=killed(power_w=3, rate=0, price_usd=5)), "no candidate meets all of price_usd, power_w"),
        (infeasible(search={"candidates": 0}), "there is no candidate"),
        ({"status": "unknown", "search": {}}, "stopped before a design was found"),
    ],
)
def test_reasons_of_one_task(data, reason):
    assert reason_of(data) == reason


def test_reasons_of_several_tasks():
    tasks = [{"task": "a", "candidates": 8, "feasible": 2}, {"task": "b", "candidates": 5, "feasible": 0}]
    refused = {"a: rate": {"candidates": 6}, "b: rate": {"candidates": 5}, "b: power_w": {"candidates": 1}}
    alone = infeasible(killed_by=refused, search={"candidates": 13, "tasks": tasks})
    assert reason_of(alone) == "b: every candidate breaks rate"
    fits = infeasible(search={"candidates": 8, "tasks": tasks[:1]}, nearest_misses=[{"text": "x: npu 120 % loaded"}])
    assert reason_of(fits) == "each task alone fits, together none does; nearest: x: npu 120 % loaded"
