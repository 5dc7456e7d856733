"""A front as a picture: the same bytes each time, in the words of its axes."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree

import pytest

from dse.errors import InputError
from dse.report.front_picture import write_picture
from tests.report.front_example import HOSTILE_MODEL, empty, example


def words_of(path):
    return " ".join("".join(node.itertext()) for node in ElementTree.parse(path).iter() if node.tag.endswith("}text"))


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_same_front_gives_the_same_bytes(tmp_path, ending):
    first, second = (tmp_path / f"{name}.{ending}" for name in ("first", "second"))
    write_picture(example(), first)
    write_picture(example(), second)
    assert first.read_bytes() == second.read_bytes()
    assert b"Date" not in first.read_bytes()
    assert first.read_bytes().startswith(b"\x89PNG" if ending == "png" else b"<?xml")


def test_axes_directions_chips_and_what_is_missing_are_said(tmp_path):
    write_picture(example(), tmp_path / "front.svg")
    words = words_of(tmp_path / "front.svg")
    for text in (
        "accuracy [points]  ↑ higher is better",
        "worst case [ms]  ← lower is better",
        "power [W]  ← lower is better",
        "not drawn, a figure is unknown: 1",
        "alpha",
        "near the front",
        "Recorder, detect",
    ):
        assert text in words


def test_two_to_five_axes_are_drawn(tmp_path):
    front = example()
    front["axes"].append({"name": "ties", "sense": "minimize", "unit": "", "meaning": ""})
    for count in (2, 3, 4, 5):
        write_picture({**front, "axes": front["axes"][:count]}, tmp_path / "front.svg")
        words = words_of(tmp_path / "front.svg")
        assert words.count("accuracy [points]") == count - 1
        assert ("chip.memory.bandwidth_gbs [GB/s]  → higher is better" in words) is (count > 3)


def test_chips_beyond_the_commonest_share_a_colour(tmp_path):
    front = example()
    front["rows"] = [{**front["rows"][0], "chip": f"chip-{k}"} for k in range(11)] + front["rows"]
    write_picture(front, tmp_path / "front.svg")
    # 15 chips: seven have a colour of their own.
    assert "8 other chips" in words_of(tmp_path / "front.svg")


def test_a_name_is_no_formula(tmp_path):
    front = {**example(), "problem": {"name": f"$x^{{$ {HOSTILE_MODEL}"}}
    front["rows"] = [{**row, "chip": "$\\frac$"} for row in front["rows"]]
    write_picture(front, tmp_path / "front.svg")
    assert f"$x^{{$ {HOSTILE_MODEL}" in words_of(tmp_path / "front.svg")
    assert "$\\frac$" in words_of(tmp_path / "front.svg")


def test_an_empty_front_says_why(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_picture(empty(), tmp_path / "front.svg")
    assert "The front is empty: no candidate keeps power_w <= 0.1" in words_of(tmp_path / "front.svg")


def test_a_picture_needs_its_ending(tmp_path):
    with pytest.raises(InputError, match=r"is no picture dse can draw \(end in \.png or \.svg\)"):
        write_picture(example(), tmp_path / "front.pdf")
    assert list(tmp_path.iterdir()) == []
