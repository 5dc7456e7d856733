"""Measurements of one's own in the terminal: beside what was known, with the estimates and winners they change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

JsonObject = dict[str, Any]
SHOWN = 12
"""Changed units that the terminal lists; JSON has them all."""


def tables(found: JsonObject) -> Iterator[tuple[str, list[list[object]]]]:
    """Titles and rows for the terminal."""
    rows: list[list[object]] = [["network", "on", "measured ms", "known before ms", "from–to", "grade", "inside"]]
    for one in found["measurements"]:
        interval = "" if one["low_ms"] is None else f"{one['low_ms']:.3g}–{one['high_ms']:.3g}"
        inside = {None: "", True: "yes", False: "no"}[one["inside"]]
        cells = (f"{one['model']}@{one['input_h']}x{one['input_w']}", one["where"], f"{one['measured_ms']:.4g}")
        rows.append([*cells, _figure(one["estimated_ms"]), interval, one["grade"] or "", inside])
    yield f"{len(found['measurements'])} new measurements", rows
    rows = [["on", "networks", "of them new", "time", "interval before", "interval after"]]
    for one in found["estimates"][:SHOWN]:
        width = "" if one["interval_before"] is None else f"× {one['interval_before']:.2f}"
        time = "" if one["time_factor"] is None else f"× {one['time_factor']:.2f}"
        rows.append([one["where"], one["networks"], one["new"], time, width, f"× {one['interval_after']:.2f}"])
    left = len(found["estimates"]) - SHOWN
    yield "estimates that change" + (f" (the first {SHOWN}; {left} more with --json)" if left > 0 else ""), rows
    if found["winners"]:
        rows = [["problem", "winner before", "winner with them"]]
        rows += [
            [one["problem"], _design_words(one["before"]), _design_words(one["after"])] for one in found["winners"]
        ]
        yield "winners", rows


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _design_words(design: JsonObject) -> str:
    if design["chip"] is None:
        return str(design["status"])
    where = f"{design['chip']} {design['mode'] if design['mode'] != 'default' else ''}".strip()
    board = f" on {design['board']}" if design["board"] else ""
    accuracy, worst = design["accuracy"], design["worst_case_ms"]
    size = f"@{design['input_h']}x{design['input_w']}" if design["input_h"] else ""
    batch = f" batch {design['batch']}" if design["batch"] > 1 else ""
    network = f"{design['model']}{size} {design['precision']}{batch} on {design['unit']}, {design['runtime']}"
    return f"{where}{board}, {network}, {accuracy:.4g}, {worst:.4g} ms"
