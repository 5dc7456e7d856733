"""Colours of cells by what they say: how a design stands, how good a figure is, and what is not known."""

from __future__ import annotations

from typing import Any

from dse.report.sheets.cells import GREY, UNKNOWN, Sheet

JsonObject = dict[str, Any]
Area = tuple[int, int, int, int]
"""First row, first column, last row, last column."""
STATUS_COLOURS = {"feasible": "#C6EFCE", "unknown": "#FFEB9C", "fails": "#FFC7CE", "no design": "#E7E6E6"}
GRADE_COLOURS = {"A": "#A9D18E", "B": "#C6E0B4", "C": "#FFE699", "D": "#F8CBAD", "E": "#F4A6A6"}


def colour_words(sheet: Sheet, area: Area, colours: dict[str, str]) -> None:
    """Colour the cells of an area by the word they say."""
    for word, colour in colours.items():
        sheet.page.conditional_format(*area, _equals(word, sheet.formats.of({"bg_color": colour})))


def grey_unknown(sheet: Sheet, area: Area) -> None:
    """Grey the cells of an area whose formula finds nothing known."""
    sheet.page.conditional_format(*area, _equals(UNKNOWN, sheet.formats.of(GREY)))


def slack_bars(sheet: Sheet, area: Area, rows: list[JsonObject]) -> None:
    """Bars of what is left of the deadline, to the left where it is exceeded.

    They end at the deadline at the latest: a design that is late a hundredfold would flatten all others.
    """
    known = [(row["slack_ms"], row["deadline_ms"]) for row in rows if row["slack_ms"] is not None]
    if not known:
        return
    low, high = min(0, *(max(slack, -end) for slack, end in known)), max(0, *(slack for slack, _ in known))
    bar = {"type": "data_bar", "data_bar_2010": True, "bar_color": "#9DC3E6", "bar_solid": True}
    ends = {"min_type": "num", "min_value": low, "max_type": "num", "max_value": high}
    sheet.page.conditional_format(*area, {**bar, **ends})


def _equals(word: str, look: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"type": "cell", "criteria": "==", "value": f'"{word}"', "format": look}
