"""The YAML reader takes words as people mean them, and knows where everything stands."""

from __future__ import annotations

import math

import pytest

from dse.yamlfile.reader import EMPTY, read_text
from dse.yamlfile.tree import Position


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e6", 1e6),
        ("1.5e-3", 0.0015),
        (".5", 0.5),
        ("5.", 5.0),
        ("+5", 5),
        ("-5", -5),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("16:30", "16:30"),
        ("1_000", "1_000"),
        ("2031-06-30", "2031-06-30"),
        ("on", "on"),
        ("No", "No"),
        ("yes", "yes"),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("none", "none"),
        ('"30"', "30"),
        ("'true'", "true"),
        ("!!str 30", "30"),
        ("9" * 30, int("9" * 30)),
        ("yolo*", "yolo*"),
        ("1.2.3", "1.2.3"),
        ("٣", "٣"),
    ],
)
def test_scalars_follow_yaml_1_2(written: str, value: object) -> None:
    """Words that YAML 1.1 would twist keep their meaning."""
    found = read_text(f"key: {written}\n", "f").data["key"]
    assert found == value
    assert type(found) is type(value)


def test_infinity_and_nan_are_numbers() -> None:
    """They are recognised, for the schema to refuse."""
    data = read_text("[.inf, -.INF, .nan]", "f").data
    assert data[:2] == [math.inf, -math.inf]
    assert math.isnan(data[2])


def test_keys_are_text() -> None:
    """A key is never a number or a truth value."""
    assert read_text("{on: 1, 5: 2, true: 3, null: 4, 1e6: 5}", "f").data == {
        "on": 1,
        "5": 2,
        "true": 3,
        "null": 4,
        "1e6": 5,
    }


def test_positions_of_keys_and_values() -> None:
    """Line and column are one-based and count characters, not bytes."""
    document = read_text("é:\n  - ü: 1\n    b: x\n", "f")
    assert document.positions["é", 0, "b"] == Position((3, 5), (3, 8))
    assert document.place(("é", 0, "b")) == (3, 5)
    assert document.place(("é", 0)) == (2, 5)
    assert document.place(("é", 0, "missing", 3)) == (2, 5)


def test_alias_is_a_copy_with_its_own_place() -> None:
    """An alias stands for its value; inside it, places are those of the original."""
    document = read_text("a: &x {k: 1}\nb: *x\n", "f")
    assert document.data == {"a": {"k": 1}, "b": {"k": 1}}
    assert document.data["a"] is not document.data["b"]
    assert document.positions[("b",)] == Position((2, 1), (2, 4))


def test_all_doubled_keys_are_found() -> None:
    """Every key given twice is reported, and the first value counts."""
    document = read_text("a: 1\nb: {c: 1, c: 2}\na: 2\na: 3\n", "f")
    assert [(fault.line, fault.column) for fault in document.faults] == [(2, 11), (3, 1), (4, 1)]
    assert document.readable
    assert document.data == {"a": 1, "b": {"c": 1}}


def test_tabs_that_do_not_indent_are_welcome() -> None:
    """A tab after a key or within a text block does no harm."""
    document = read_text("a:\t1\nb: |\n  x\n  \ty\n", "f")
    assert document.data == {"a": 1, "b": "x\n\ty\n"}
    assert not document.faults


def test_byte_order_mark_is_dropped() -> None:
    """Editors that add a byte order mark do not change the first key."""
    assert read_text("\ufeffa: 1", "f").data == {"a": 1}


def test_a_fault_is_worded_with_its_place() -> None:
    """Path, line and column of the value, or of the nearest one around it."""
    document = read_text("- id: x\n  power: {max_w: -5}\n", "chips.yaml")
    assert str(document.fault((0, "power", "max_w"), "found -5", "check it")) == (
        "chips.yaml:2:11: [0].power.max_w: found -5 (check it)"
    )
    assert document.fault((0, "power", "idle_w"), "missing").line == 2


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_a_file_without_a_value_is_empty(text: str) -> None:
    """What to do about it is for the caller to say."""
    document = read_text(text, "f")
    assert not document.readable
    assert [(fault.message, fault.hint) for fault in document.faults] == [(EMPTY, "")]


def test_control_characters_behind_an_escape_are_refused():
    """They would move the cursor of a terminal, and no SVG or spreadsheet can hold them."""
    found = read_text('a: "x\\u0007\\u001b[31m"\nb: "tab\\tand line\\n are text"', "p.yaml")
    assert [(fault.line, fault.message) for fault in found.faults] == [(1, "a control character stands in the text")]
