"""What stands behind the equals sign of ``--vary``: exact ranges, lists of YAML words, and what is neither."""

from __future__ import annotations

import pytest

from dse.sweeping.values import values_of


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2:20:6", [2, 8, 14, 20]),
        ("2:19:6", [2, 8, 14]),  # 20 would be beyond the end
        ("0.1:0.5:0.1", [0.1, 0.2, 0.3, 0.4, 0.5]),  # in binary 3 x 0.1 is 0.30000000000000004
        ("1:0.7:-0.1", [1, 0.9, 0.8, 0.7]),
        ("-1:1:1", [-1, 0, 1]),
        ("5:5:1", [5]),
        ("1e3:3e3:1e3", [1000, 2000, 3000]),
        ("0:1:.25", [0, 0.25, 0.5, 0.75, 1]),
        ("1:3:1, 10", [1, 2, 3, 10]),
        ("8,16, 32", [8, 16, 32]),
        ("on, no, 010, 1e6, true", ["on", "no", 10, 1e6, True]),
        ("int8", ["int8"]),
        ("[int8, fp16], [int4]", [["int8", "fp16"], ["int4"]]),
        ("{max: 5}, {min: 1, unknown: flag}", [{"max": 5}, {"min": 1, "unknown": "flag"}]),
        ("'a, b', \"c: d\", e", ["a, b", "c: d", "e"]),
        ("[']', x], 2", [["]", "x"], 2]),
        ("don't, won't", ["don't", "won't"]),
        ("'*yolo'", ["*yolo"]),
    ],
)
def test_values_in_their_order(text, values):
    found, wrong = values_of(text)
    assert (found, wrong) == (values, [])
    assert list(map(type, found)) == list(map(type, values))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2:20:0", "`2:20:0`: the step is zero"),
        ("2:20:-2", "the step leads away from the end"),
        ("20:2:2", "the step leads away from the end"),
        ("2:20", "`2:20` is not a range"),
        ("2:20:2:2", "is not a range"),
        ("2:20:x", "is not a range"),
        ("0:1:1e-9", "more than 100,000 values"),
        ("0:1e999:1e-999", "more than 100,000 values"),
        ("8,,16", "a value is missing"),
        ("8,", "a value is missing"),
        ("[1, 2", "a list is not closed"),
        ("*yolo", "which does not exist"),
    ],
)
def test_what_is_no_value(text, message):
    _found, wrong = values_of(text)
    assert len(wrong) == 1
    assert message in wrong[0].message


def test_every_wrong_item_is_named():
    found, wrong = values_of("1, 5:1:1, [2, 3], 1:2, ,")
    assert found == [1, [2, 3]]
    assert len(wrong) == 4
