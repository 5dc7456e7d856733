"""A front as a picture: the same bytes each time, in the words of its axes."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree

import pytest

from dse.errors import InputError
from dse.report.front_picture import COLOURS, OTHER_COLOUR, figure_of, wrapped, write_picture
from tests.report.front_example import HOSTILE_MODEL, empty, estimated, example

HEADLINE = (
    "1,150,446 candidates, 1,052,318 feasible; 1,204 on the front (25,117 designs, ties once); 12,345 within 2 % of "
    "it; 31,234 without power_w and 812,345 without price_usd and 2,000 without chip.memory.bandwidth_gbs: 104 designs "
    "of them apart"
)


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


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_all_words_around_the_panels_are_inside_the_figure(count):
    front = example()
    front["axes"].append({"name": "ties", "sense": "minimize", "unit": "", "meaning": ""})
    rows = [{**front["rows"][0], "chip": f"a_vendor_with_a_name_chip_{k}"} for k in range(9)] + front["rows"]
    name = "A recorder for many cameras " * 8
    figure = figure_of(
        {**front, "axes": front["axes"][:count], "rows": rows, "headline": HEADLINE, "problem": {"name": name}}
    )
    figure.canvas.draw()
    title = figure._suptitle
    assert " ".join(title.get_text().split()) == f"{name.strip()} , detect {HEADLINE}"
    top = title.get_window_extent()
    for box in (top, figure.legends[0].get_window_extent()):
        assert 0 <= box.x0 <= box.x1 <= figure.bbox.width
        assert 0 <= box.y0 <= box.y1 <= figure.bbox.height
    assert all(panel.get_window_extent().y1 < top.y0 for panel in figure.axes)


def test_words_are_broken_only_where_a_line_cannot_hold_them():
    assert wrapped("one three five seventeen", lambda text: len(text) <= 9) == ["one three", "five", "seventeen"]
    assert wrapped("a seventeenth", lambda text: len(text) <= 5) == ["a", "seven", "teent", "h"]


def test_a_p99_is_never_called_a_worst_case(tmp_path):
    write_picture(estimated(), tmp_path / "front.svg")
    words = words_of(tmp_path / "front.svg")
    assert "latency: p99 estimate, no bound" in words
    assert "p99 estimate [ms]  ← lower is better" in words
    assert "worst case" not in words


def test_colours_and_legend_are_of_what_is_drawn_the_front_first():
    front = example()
    front["axes"] = [front["axes"][0], front["axes"][2]]  # the one design without its power has no place
    front["rows"] += [{**front["rows"][-1], "chip": f"apart-{k % 9}"} for k in range(90)]
    figure = figure_of(front)
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:3] == ["alpha", "beta", "gamma"]
    assert words[3:5] == ["on the front", "near the front"]
    assert words[5:] == ["not beaten on these two axes\nby a design whose figures are all known"]
    front = {**front, "axes": example()["axes"]}
    figure = figure_of(front)
    handles = figure.legends[0].legend_handles
    assert [handle.get_color() for handle in handles[:8]] == [*COLOURS[:7], OTHER_COLOUR]
    assert [handle.get_label() for handle in handles[:3]] == ["alpha", "beta", "gamma"]


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
