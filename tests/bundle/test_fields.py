"""Differences of inputs are said by the path of a field, the words of a row, or the id of an entry."""

from __future__ import annotations

import pytest

from dse.bundle.fields import MISSING, field_changes, file_changes, with_value
from dse.bundle.request import Request

OLD = b"""\
tasks:
  - {name: see, rate_hz: 2, stages: [{delay_ms: 1}]}
limits: {power_w: 15, price_usd: 400}
"""


def said(changes):
    return [change.text for change in changes]


def test_fields_are_told_by_name_old_and_new():
    new = b"tasks:\n- {name: see, rate_hz: 4, stages: [{delay_ms: 1}]}\nlimits: {power_w: 15.0, memory_mb: 8}\n"
    changes = field_changes("p.yaml", OLD, new)
    assert said(changes) == ["tasks.see.rate_hz: 2 → 4", "limits.price_usd: gone, was 400", "limits.memory_mb: new, 8"]
    assert [change.data()["change"] for change in changes] == ["changed", "removed", "added"]


def test_each_change_alone_can_be_put_into_the_old_file():
    data = {"tasks": [{"name": "see", "rate_hz": 2}], "limits": {"power_w": 15}}
    assert with_value(data, ("tasks", 0, "rate_hz"), 4)["tasks"] == [{"name": "see", "rate_hz": 4}]
    assert with_value(data, ("limits", "power_w"), MISSING)["limits"] == {}
    assert data["limits"] == {"power_w": 15}


def test_lists_of_other_items_are_one_field():
    new = OLD.replace(b"[{delay_ms: 1}]", b"[{delay_ms: 1}, {delay_ms: 2}]")
    assert said(field_changes("p", OLD, new)) == [
        'tasks.see.stages: [{"delay_ms": 1}] → [{"delay_ms": 1}, {"delay_ms": 2}]'
    ]


def test_a_file_written_otherwise_says_the_same():
    assert field_changes("p.yaml", OLD, OLD.replace(b"15,", b"15 ,") + b"# a remark\n") == []


def test_rows_of_tables_are_told_by_the_cells_they_share():
    old = b"part,supplier,usd\nrk3588,Lab,80\nax650n,Lab,60\n"
    new = b"part,supplier,usd\nax650n,Lab,60\nrk3588,Lab,95\nhailo-8,Lab,70\n"
    assert said(file_changes("inputs/1/q.csv", old, new)) == ["rk3588 Lab: usd: 80 → 95", "hailo-8 Lab 70: new"]


def test_entries_of_catalogue_files_are_told_by_their_id():
    old, new = b"- {id: a, power: {max_w: 5}}\n- {id: b}\n", b"- {id: b}\n- {id: a, power: {max_w: 6}}\n"
    assert said(file_changes("inputs/catalogs/1/chips/x.yaml", old, new)) == ["a.power.max_w: 5 → 6"]
    assert said(file_changes("inputs/1/x.csv", None, b"a\n")) == ["inputs/1/x.csv: new"]


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a: [", b"", b"\0"])
def test_files_that_cannot_be_read_are_no_trouble(content):
    field_changes("p.yaml", content, OLD)
    file_changes("p.csv", content, OLD)
    file_changes("p.yaml", OLD, content)


def test_a_request_fills_in_what_was_not_said():
    assert Request("solve", {"top": 3}).data() == {
        "command": "solve",
        "options": {"top": 3, "different": "chip", "seed": 0},
    }
    with pytest.raises(ValueError, match="`compare` has no option `top`"):
        Request("compare", {"top": 3})
