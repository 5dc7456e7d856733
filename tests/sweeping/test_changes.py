"""Paths in the words of the file, and data with one value changed."""

from __future__ import annotations

import copy

import pytest

from dse.sweeping.changes import PathError, changed, clashes, locate

DATA = {
    "tasks": [
        {"name": "detect", "streams": 4, "stages": [{"name": "resize", "time_ms": {"rk3588": 2}}, {"name": "infer"}]},
        {"name": "read.plate", "rate_hz": 1},
    ],
    "sources": {"name": "cam", "rate_hz": 25},
    "limits": {"power_w": 5, "price_usd": {"max": 100}, "chip.sram_kib": {"min": 8}},
    "search": {"batches": [1, 2]},
}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("limits.power_w", ("limits", "power_w")),
        ("limits.price_usd.max", ("limits", "price_usd", "max")),
        ("limits.chip.sram_kib", ("limits", "chip.sram_kib")),
        ("limits.chip.sram_kib.min", ("limits", "chip.sram_kib", "min")),
        ("limits.chip.memory.bandwidth_gbs", ("limits", "chip.memory.bandwidth_gbs")),
        ("limits.model.params_m.max", ("limits", "model.params_m", "max")),
        ("limits.accuracy", ("limits", "accuracy")),
        ("tasks.detect.streams", ("tasks", 0, "streams")),
        ("tasks.0.streams", ("tasks", 0, "streams")),
        ("tasks.read.plate.rate_hz", ("tasks", 1, "rate_hz")),
        ("tasks.detect.stages.resize.time_ms.rk3588", ("tasks", 0, "stages", 0, "time_ms", "rk3588")),
        ("tasks.detect.stages.infer.max_ms", ("tasks", 0, "stages", 1, "max_ms")),
        ("sources.cam.rate_hz", ("sources", "rate_hz")),  # a lone item without its brackets
        ("sources.0.rate_hz", ("sources", "rate_hz")),
        ("search.batches", ("search", "batches")),
        ("search.batches.1", ("search", "batches", 1)),
        ("guard.unknown.price_usd", ("guard", "unknown", "price_usd")),
        ("name", ("name",)),
    ],
)
def test_paths(text, path):
    assert locate(DATA, text) == path


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("tasks.detekt.streams", "tasks has no item `detekt`", "did you mean `detect`?"),
        ("sources.cem.rate_hz", "sources has no item `cem`", "did you mean `cam`?"),
        ("tasks.2.streams", "tasks has no item `2`", "by number: 0 to 1"),
        ("search.batches.x", "search.batches has no item `x`", "by number: 0 to 1"),
        ("chains.first.deadline_ms", "the file has no `chains`", ""),
        ("limits.power_w.max", "limits.power_w has no fields below it", "{max: …}"),
        ("limits..max", "is not the path of a field", "limits.power_w"),
        ("", "is not the path of a field", ""),
        ("catalogs", "`catalogs` cannot be varied", ""),
        (".".join("a" * 99), "too many parts", ""),
    ],
)
def test_paths_that_lead_nowhere(text, message, hint):
    with pytest.raises(PathError) as caught:
        locate(DATA, text)
    assert message in caught.value.wrong.message
    assert hint in caught.value.wrong.hint


def test_a_change_leaves_the_file_as_it_was():
    before = copy.deepcopy(DATA)
    after = changed(DATA, ("tasks", 0, "streams"), 8)
    assert after["tasks"][0] == {**DATA["tasks"][0], "streams": 8}
    assert after["tasks"][1] is DATA["tasks"][1]
    assert before == DATA


def test_what_is_missing_is_made():
    assert changed({}, ("guard", "unknown", "price_usd"), "flag") == {"guard": {"unknown": {"price_usd": "flag"}}}
    assert changed({"limits": None}, ("limits", "power_w"), 1) == {"limits": {"power_w": 1}}


def test_fields_inside_each_other_clash():
    paths = [("limits",), ("limits", "power_w"), ("search",), ("search",), ("tasks", 0, "a"), ("tasks", 0, "b")]
    assert list(clashes(paths)) == [(0, 1), (2, 3)]
