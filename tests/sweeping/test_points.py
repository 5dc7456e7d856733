"""The order of the points, lists from a file, and everything that can be wrong with either at once."""

from __future__ import annotations

import os

import pytest

from dse.errors import InputError
from dse.sweeping.points import grid, listed, split_vary

DATA = {"tasks": {"name": "see", "streams": 1}, "limits": {"power_w": 5}}


def test_the_last_field_varies_fastest():
    plan, faults = grid(DATA, [("limits.power_w", "1:2:1"), ("tasks.see.streams", "8, 16, 32")])
    assert faults == []
    assert plan.fields == ("limits.power_w", "tasks.see.streams")
    changes = [tuple(plan.changes(point).values()) for point in plan.points]
    assert changes == [(1, 8), (1, 16), (1, 32), (2, 8), (2, 16), (2, 32)]
    assert [point.number for point in plan.points] == [1, 2, 3, 4, 5, 6]
    assert [point.place for point in plan.points] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert plan.data(DATA, plan.points[4]) == {"tasks": {"name": "see", "streams": 16}, "limits": {"power_w": 2}}


def test_values_from_python():
    plan, faults = grid(DATA, [("search.precisions", [["int8"], ["fp16"]])])
    assert faults == []
    assert [plan.data(DATA, point)["search"] for point in plan.points] == [
        {"precisions": ["int8"]},
        {"precisions": ["fp16"]},
    ]


def test_all_faults_at_once():
    vary = [
        ("limits.power_w", "2:1:1, 5:6:0"),
        ("limits.power_w", "1"),
        ("tasks.sea.streams", "1"),
        ("limits", "{power_w: 1}"),
        ("search.batches", []),
    ]
    plan, faults = grid(DATA, vary)
    assert [(fault.file, fault.message) for fault in sorted(set(faults))] == [
        ("--vary limits", "and limits.power_w change the same part of the file"),
        ("--vary limits.power_w", "`2:1:1`: the step leads away from the end"),
        ("--vary limits.power_w", "`5:6:0`: the step is zero"),
        ("--vary limits.power_w", "is varied twice"),
        ("--vary search.batches", "says no values"),
        ("--vary tasks.sea.streams", "tasks has no item `sea`"),
    ]
    assert plan.fields == ("limits.power_w", "limits")  # what is sound can still be judged


def test_too_many_points():
    _plan, faults = grid(DATA, [("limits.power_w", "1:1000:1"), ("limits.price_usd", "1:1000:1")])
    assert [fault.message for fault in faults] == ["1,000,000 points are more than 100,000"]


def test_values_behind_an_equals_sign():
    assert split_vary(["a.b=1:2:1", "c={x: '='}"]) == [("a.b", "1:2:1"), ("c", "{x: '='}")]
    with pytest.raises(InputError) as caught:
        split_vary(["limits.power_w", "a=", "b=1"])
    assert [fault.file for fault in caught.value.faults] == ["--vary a", "--vary limits.power_w"]


def test_points_of_a_file(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text('limits.power_w,search.batches\r\n2.5,\r\n,"[1, 2]"\r\n\r\n7,4\r\n', encoding="utf-8-sig")
    plan, faults = listed(DATA, file)
    assert faults == []
    assert [plan.changes(point) for point in plan.points] == [
        {"limits.power_w": 2.5},
        {"search.batches": [1, 2]},
        {"limits.power_w": 7, "search.batches": 4},
    ]
    assert [point.place for point in plan.points] == [(0,), (1,), (2,)]
    assert plan.as_in_file(DATA) == {"limits.power_w": 5, "search.batches": None}


@pytest.mark.parametrize(("name", "message"), [("none.csv", "there is no such file"), (".", "is a directory")])
def test_files_that_are_not_there(tmp_path, name, message):
    if name == "." and os.name == "nt":
        pytest.skip("Windows refuses to open a folder without saying that it is one")
    with pytest.raises(InputError, match=message):
        listed(DATA, tmp_path / name)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("", ["is empty"]),
        ("limits.power_w\n", ["has no points"]),
        ("limits.power_w\n1,2\n3\n4,5\n", ["2 cells, but the header has 1", "2 cells, but the header has 1"]),
        ("limits.power_w,tasks.sea.streams\n[1,3\n", ["`[1`: a list is not closed", "tasks has no item `sea`"]),
        ("limits.power_w,limits.power_w\n1,2\n", ["is varied twice"]),
        ('limits.power_w\n"1\n', ["is not valid CSV"]),
        ("limits.power_w\n\xff\n", ["is not UTF-8"]),
    ],
)
def test_files_that_hold_no_points(tmp_path, text, messages):
    file = tmp_path / "points.csv"
    file.write_bytes(text.encode("latin-1"))
    try:
        _plan, faults = listed(DATA, file)
    except InputError as error:
        faults = list(error.faults)
    assert len(faults) == len(messages)
    assert all(any(message in fault.message for fault in faults) for message in messages)
