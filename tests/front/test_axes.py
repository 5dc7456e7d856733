"""Axes by name, with all that is wrong with them at once."""

from __future__ import annotations

import pytest

from dse.candidates.names import CHIP, MODEL
from dse.errors import InputError
from dse.front.axes import ATTRIBUTES, parse_axes, parse_share


def test_directions_come_from_the_figure_or_from_the_user():
    axes = parse_axes("accuracy, worst_case_ms,rate_hz:min , chip.peak_tops:max,batch:min")
    assert [(axis.name, axis.sense) for axis in axes] == [
        ("accuracy", "maximize"),
        ("worst_case_ms", "minimize"),
        ("rate_hz", "minimize"),
        ("chip.peak_tops", "maximize"),
        ("result.batch", "minimize"),
    ]
    assert parse_axes("result.power_w,price_usd")[0].name == "power_w"


def test_every_fault_is_said_at_once():
    with pytest.raises(InputError) as caught:
        parse_axes("acuracy,power_w:up,chip.vendor,chip.peak_tops,price_usd,price_usd,memory_mb")
    text = str(caught.value)
    assert "acuracy: there is no such figure" in text
    assert "accuracy" in text
    assert "power_w:up: `up` is no direction (min or max)" in text
    assert "chip.vendor: is a word, not a number" in text
    assert "chip.peak_tops: which direction is better? (write chip.peak_tops:min or chip.peak_tops:max)" in text
    assert "price_usd: is named twice" in text
    assert "7 axes found, 2 to 5 are possible" in text


@pytest.mark.parametrize("text", ["", "accuracy", "accuracy,"])
def test_one_axis_is_no_front(text):
    with pytest.raises(InputError, match="2 to 5 are possible"):
        parse_axes(text)


def test_every_number_of_the_catalogue_can_be_an_axis():
    """Attributes are listed here as numbers, or are words or sets of words."""
    words = {"chip.id", "chip.vendor", "chip.class", "chip.form", "chip.toolchain", "chip.os", "chip.memory.type",
             "chip.power.boundary", "chip.temperature.at", "chip.lifecycle.status", "model.id", "model.family",
             "model.weights", "model.operators", "model.license"}  # fmt: skip
    named = {f"chip.{name}" for name in CHIP} | {f"model.{name}" for name in MODEL} | {"result.batch"}
    assert set(ATTRIBUTES) | words == named
    assert not set(ATTRIBUTES) & words


@pytest.mark.parametrize(("text", "share"), [("2%", 0.02), ("0.02", 0.02), (" 2 % ", 0.02), ("0", 0.0)])
def test_shares(text, share):
    assert parse_share(text) == share


@pytest.mark.parametrize("text", ["", "two", "2%%", "100%", "-1%", "nan", "inf", "2 % of it"])
def test_what_is_no_share(text):
    with pytest.raises(InputError, match="--near"):
        parse_share(text)
