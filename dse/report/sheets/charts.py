"""Two charts of the leading designs: their cost over the years in parts, and accuracy against cost."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

from xlsxwriter.utility import xl_rowcol_to_cell

from dse.report.sheets.cells import NOTE, SECTION, Sheet
from dse.report.sheets.columns import number_of, title_of
from dse.report.sheets.costs import PARTS

JsonObject = dict[str, Any]
Line = tuple[int, JsonObject]
"""A line of the sheet and the row that stands in it."""
PART_COLOURS = {
    "fleet_price_usd": "#1F3864",
    "spares_usd": "#8FAADC",
    "engineering_usd": "#A5A5A5",
    "energy_usd": "#ED7D31",
}
_FIGURES = (*PARTS, "cost_usd", "accuracy")
_LINES_HIGH = 23
_CHOSEN, _MEETS, _FAILS, _IN_USE = (
    {"type": "diamond", "size": 11, "fill": {"color": "#548235"}, "border": {"color": "#548235"}},
    {"type": "circle", "size": 8, "fill": {"color": "#2F5597"}, "border": {"color": "#2F5597"}},
    {"type": "square", "size": 7, "fill": {"color": "#A5A5A5"}, "border": {"color": "#A5A5A5"}},
    {"type": "triangle", "size": 9, "fill": {"color": "#C00000"}, "border": {"color": "#C00000"}},
)
_LEGEND = "diamond: chosen, circle: meets every limit, square: fails a limit or lacks a figure, triangle: in use"


def write_charts(sheet: Sheet, line: int, leading: list[Line], cols: dict[str, int]) -> int:
    """Draw both from a table below them, which holds only designs whose cost is known: a chart takes a word for zero.

    Parameters
    ----------
    sheet : Sheet
        A sheet with the leading rows.
    line : int
        First free line.
    leading : list
        Lines of the leading rows.
    cols : dict
        Columns of the figures on those lines.

    Returns
    -------
    int
        The line after all.
    """
    known = [one for one in leading if one[1]["cost_usd"] is not None]
    if not known:
        sheet.put(line, 0, "No chart: no leading design has a known price and a known power.", **NOTE)
        return line + 2
    table = line + _LINES_HIGH + 1
    _table(sheet, table, known, cols)
    lines = [(table + 2 + k, row) for k, (_, row) in enumerate(known)]
    place = {"x_offset": 4, "y_offset": 4, "object_position": 3}
    sheet.page.insert_chart(line, 0, _bars(sheet, lines, cols), place)
    points = [one for one in lines if one[1]["accuracy"] is not None]
    if points:
        sheet.page.insert_chart(line, cols["accuracy"] + 2, _plot(sheet, points, cols), place)
    return table + 3 + len(known)


def _marker(row: JsonObject) -> JsonObject:
    """How the point of a row looks."""
    if row["kind"] != "design":
        return _IN_USE
    return _FAILS if row["status"] != "feasible" else _CHOSEN if row["rank"] == 1 else _MEETS


def _table(sheet: Sheet, line: int, known: list[Line], cols: dict[str, int]) -> None:
    sheet.put(line, 0, "Figures of the charts", **SECTION)
    heads = [(cols["chip"], "chip"), *((cols[name], name) for name in _FIGURES)]
    for col, name in heads:
        sheet.put(line + 1, col, title_of(name), bold=True, text_wrap=True, bottom=1)
    sheet.high(line + 1, 3)
    for k, (of, row) in enumerate(known):
        sheet.put(line + 2 + k, cols["chip"], row["chip"])
        for name in _FIGURES:
            formula = f"={xl_rowcol_to_cell(of, cols[name])}"
            sheet.formula(line + 2 + k, cols[name], formula, row[name], num_format=number_of(name), align="right")


def _bars(sheet: Sheet, lines: list[Line], cols: dict[str, int]) -> Any:  # noqa: ANN401
    """Parts of the cost of each design, stacked."""
    chart = sheet.file.add_chart({"type": "bar", "subtype": "stacked"})
    first, last = lines[0][0], lines[-1][0]
    for name in PARTS:
        chart.add_series(
            {
                "name": title_of(name).removesuffix(" (USD)"),
                "categories": [sheet.name, first, cols["chip"], last, cols["chip"]],
                "values": [sheet.name, first, cols[name], last, cols[name]],
                "fill": {"color": PART_COLOURS[name]},
                "gap": 40,
            }
        )
    chart.set_title({"name": "Cost over the years, in parts (USD of today)", "name_font": {"size": 12}})
    chart.set_y_axis({"reverse": True, "num_font": {"size": 9}})
    chart.set_x_axis(
        {
            "num_format": "#,##0",
            "label_position": "high",
            "major_gridlines": {"visible": True, "line": {"color": "#D9D9D9"}},
        }
    )
    chart.set_legend({"position": "bottom"})
    chart.set_size({"width": 760, "height": 20 * (_LINES_HIGH - 1)})
    return chart


def _plot(sheet: Sheet, points: list[Line], cols: dict[str, int]) -> Any:  # noqa: ANN401
    """Accuracy over cost, each point a series of its own: its name is the one label that every program draws."""
    chart = sheet.file.add_chart({"type": "scatter"})
    for line, row in points:
        chart.add_series(
            {
                "name": [sheet.name, line, cols["chip"]],
                "categories": [sheet.name, line, cols["cost_usd"], line, cols["cost_usd"]],
                "values": [sheet.name, line, cols["accuracy"], line, cols["accuracy"]],
                "marker": _marker(row),
                "data_labels": {"series_name": True, "position": "right", "font": {"size": 8}},
            }
        )
    grid = {"major_gridlines": {"visible": True, "line": {"color": "#D9D9D9"}}}
    chart.set_title({"name": f"Accuracy against cost ({_LEGEND})", "name_font": {"size": 9}})
    chart.set_x_axis({"name": title_of("cost_usd"), "num_format": "#,##0", **grid})
    accuracies = [row["accuracy"] for _, row in points]
    low, high = floor(min(accuracies)) - 1, ceil(max(accuracies)) + 1
    chart.set_y_axis({"name": title_of("accuracy"), "num_format": "0.0", "min": low, "max": high, **grid})
    chart.set_legend({"none": True})
    chart.set_size({"width": 860, "height": 20 * (_LINES_HIGH - 1)})
    return chart
