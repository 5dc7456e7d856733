"""Columns, cells and marks of the table, from summaries written by hand."""

from __future__ import annotations

import pytest

from dse.report.table import safe, write_csv
from dse.sweeping.points import grid, listed
from dse.sweeping.rows import COLUMNS, cells, designs_in, header, rows, with_changes
from dse.sweeping.summary import DEVICE, RUN, reason_of

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
    return [row["winner_changes"] for row in with_changes(plan, {}, dict(enumerate(summaries, start=1)))]


def test_the_winner_changes_where_another_design_is_chosen():
    """A point without a design is skipped; figures alone make no other design."""
    found = [design("a"), design("a", worst_case_ms=6.0), NONE, design("a"), design("b"), NONE, design("b", "n")]
    assert marks([("x", "1:7:1")], *found) == [None, False, None, False, True, None, True]


def test_a_batch_is_part_of_the_design():
    assert marks([("x", "1,2")], design("a", batch=1), design("a", batch=2)) == [None, True]


def test_the_first_of_a_line_is_compared_with_the_line_before():
    """One winner per line: the change is at the first of each line, and nowhere else."""
    found = [design(chip) for chip in "aaabbbccc"]
    first_of_lines = [None, False, False, True, False, False, True, False, False]
    assert marks([("x", "1,2,3"), ("y", "1,2,3")], *found) == first_of_lines
    assert marks([("x", "1,2,3"), ("y", "1,2,3"), ("z", "5")], *found) == first_of_lines
    assert designs_in(found) == 3


def test_where_the_points_before_have_no_design_the_outer_field_counts():
    """Points 1 to 3 and 4 to 6 differ in the last field alone; 5 stands beside 2."""
    found = [NONE, design("a"), design("b"), NONE, design("b"), design("b")]
    assert marks([("x", "1,2"), ("y", "1,2,3")], *found) == [None, None, True, None, True, False]
    found = [NONE, design("a"), design("b"), NONE, NONE, NONE, NONE, design("a"), design("b")]
    assert marks([("x", "1,2,3"), ("y", "1,2,3")], *found) == [None, None, True, None, None, None, None, False, True]


def test_three_fields_are_tried_from_the_last_to_the_first():
    """Places (0,0,0), (0,0,1), (0,1,0), (0,1,1), (1,0,0) …: (1,0,0) is beside (0,0,0), (1,1,0) beside (1,0,0)."""
    found = [design(chip) for chip in "aabbaaab"]
    grid_of_three = [("x", "1,2"), ("y", "1,2"), ("z", "1,2")]
    assert marks(grid_of_three, *found) == [None, False, True, False, False, False, False, True]
    assert designs_in([NONE, *found]) == 2


def test_rows_of_a_file_are_compared_with_the_row_before(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("x,y\n1,1\n2,1\n1,2\n", encoding="utf-8")
    plan, _faults = listed({}, file)
    found = with_changes(plan, {}, {1: design("a"), 2: design("b"), 3: design("b")})
    assert [row["winner_changes"] for row in found] == [None, True, False]


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


def test_fields_come_first_and_those_left_alone_show_what_the_file_has(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("limits.power_w,limits.price_usd,host\n,,none\n7,,\n", encoding="utf-8")
    given = {"limits": {"power_w": {"max": 5}}, "host": "owned"}
    plan, faults = listed(given, file)
    assert faults == []
    points = with_changes(plan, given, {1: design("a"), 2: design("a")})
    assert [point["changes"] for point in points] == [{"host": "none"}, {"limits.power_w": 7}]
    data = {"fields": list(plan.fields), "tasks": ["see"], "chains": [], "points": points}
    assert header(data) == ["limits.power_w", "limits.price_usd", "varied.host", *COLUMNS]
    row, second = rows(data)
    assert row[:6] == [{"max": 5}, None, "none", 1, "optimal", "feasible"]
    assert second[:3] == [7, None, "owned"]
    by_name = dict(zip(header(data), row, strict=True))
    assert (by_name["chip"], by_name["model"], by_name["worst_case_ms"], by_name["host"]) == ("a", "m", 5.0, None)


@pytest.mark.parametrize(
    ("tasks", "chains", "fields", "wanted"),
    [
        (["x", "y"], ["x"], [], ["x.worst_case_ms", "chain.x.worst_case_ms"]),
        (["x", "chain.x"], ["x"], [], ["chain.x.slack_ms", "chain.chain.x.slack_ms"]),
        (["x", "y"], ["limits"], ["limits.slack_ms"], ["varied.limits.slack_ms", "limits.slack_ms"]),
        (["limits", "y"], ["limits"], ["limits.slack_ms"], ["varied.limits.slack_ms", "chain.limits.slack_ms"]),
        (["=x", "'=x"], [], [], ["=x.model", "task.'=x.model"]),  # in a file both would begin with '=x
        (["x"], ["x"], ["host", "varied.host"], ["varied.host", "varied.varied.host"]),
    ],
)
def test_no_name_of_a_column_stands_twice(tasks, chains, fields, wanted):
    names = header({"tasks": tasks, "chains": chains, "fields": fields})
    assert set(wanted) <= set(names)
    assert len({safe(name) for name in names}) == len(names)


def test_no_name_of_a_column_is_a_formula(tmp_path):
    data = {"tasks": ["=1+1", "see"], "chains": ["@c"], "fields": ["limits.power_w"]}
    write_csv(tmp_path / "out.csv", header(data), [])
    names = (tmp_path / "out.csv").read_text(encoding="utf-8").strip().split(",")
    assert {"'=1+1.unit", "see.unit", "'@c.slack_ms", "limits.power_w"} <= set(names)
    assert not [name for name in names if name.startswith(("=", "@"))]


def infeasible(**data) -> dict:
    return {"status": "infeasible", "killed_by": {}, "nearest_misses": [], "search": {"candidates": 8}, **data}


def killed(candidates: dict[str, int], **alone: int) -> dict:
    return {name: {"candidates": count, "alone": alone.get(name, 0)} for name, count in candidates.items()}


GUARD = "accuracy unknown, or weaker than guard.evidence"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (
            infeasible(killed_by=killed({"power_w": 8, "rate": 8, "price_usd": 3})),
            "every candidate breaks power_w and rate",
        ),
        (
            infeasible(killed_by=killed(dict.fromkeys("abcde", 8))),
            "every candidate breaks a and b and c, and 2 more",
        ),
        (
            infeasible(killed_by=killed({"rate": 7, "power_w": 3, "price_usd": 5}, power_w=1, price_usd=2)),
            "price_usd alone refuses 2 candidates, power_w 1",
        ),
        (
            infeasible(killed_by=killed({"a": 7, "b": 3, "c": 5, "d": 6}, b=14299, c=12, d=1, a=2)),
            "b alone refuses 14,299 candidates, c 12, a 2",
        ),
        (infeasible(killed_by=killed({"a": 7, "b": 3}, b=1)), "b alone refuses 1 candidate"),
        (
            infeasible(killed_by=killed({"a": 1, "b": 0, "c": 3, "d": 4, "e": 2})),
            "d refuses 4 candidates, c 3, e 2",
        ),
        (infeasible(killed_by=killed({"power_w": 3, "rate": 0})), "power_w refuses 3 candidates"),
        (
            infeasible(killed_by=killed({GUARD: 7, "rate": 3, "power_w": 5})),
            f"{GUARD} refuses 7 candidates; power_w 5; rate 3",
        ),
        (infeasible(search={"candidates": 0}), "there is no candidate"),
        ({"status": "unknown", "search": {}}, "stopped before a design was found"),
    ],
)
def test_reasons_of_one_task(data, reason):
    assert reason_of(data) == reason


def test_reasons_of_several_tasks():
    tasks = [{"task": "a", "candidates": 8, "feasible": 2}, {"task": "b", "candidates": 5, "feasible": 0}]
    refused = {"a: rate": {"candidates": 6, "alone": 0}, "b: rate": {"candidates": 5, "alone": 1}}
    alone = infeasible(killed_by=refused, search={"candidates": 13, "tasks": tasks})
    assert reason_of(alone) == "b: every candidate breaks rate"
    refused["b: rate"]["candidates"] = 4
    assert reason_of(alone) == "b: rate alone refuses 1 candidate"
    fits = infeasible(search={"candidates": 8, "tasks": tasks[:1]}, nearest_misses=[{"text": "x: npu 120 % loaded"}])
    assert reason_of(fits) == "each task alone fits, together none does; nearest: x: npu 120 % loaded"
