"""The first sheet of a problem: what was asked, which chip is chosen and why, the leading rows, and two charts."""

from __future__ import annotations

from typing import Any

from dse.report.sheets.cells import LABEL, NOTE, SECTION, TITLE, Sheet, lines_of
from dse.report.sheets.charts import write_charts
from dse.report.sheets.colours import GRADE_COLOURS, STATUS_COLOURS, colour_words, grey_unknown, slack_bars
from dse.report.sheets.columns import align_of, number_of, shown, title_of
from dse.report.sheets.costs import COSTS, Inputs, write_costs
from dse.report.sheets.words import asked_lines, design_words, standing_words, winner_lines

JsonObject = dict[str, Any]
MOST = 12
"""Designs in the table of leading rows, the baseline apart."""
TEXT_WIDTH = 190
"""Characters of a line of text across the sheet."""
_COLUMNS = (
    ("chip", 26),
    ("rank", 6),
    ("status", 11),
    ("design", 42),
    ("accuracy", 10),
    ("worst_case_ms", 11),
    ("slack_ms", 11),
    ("power_w", 9),
    ("price_usd", 12),
    *((name, 12) for name in COSTS),
    ("weakest_grade", 9),
    ("weakest_figure", 11),
    ("why", 60),
)
"""Columns of the table with their widths in characters."""
COLS = {name: col for col, (name, _) in enumerate(_COLUMNS)}
_OWN_TITLES = {"design": "Design", "why": "What it fails or lacks, when it wins"}
_LAST = len(_COLUMNS) - 1


def write_summary_sheet(sheet: Sheet, comparison: JsonObject, at: Inputs) -> None:
    """Write the summary of one comparison; its costs follow the input cells."""
    for col, (_, width) in enumerate(_COLUMNS):
        sheet.page.set_column(col, col, width)
    sheet.put(0, 0, comparison["problem"]["name"], **TITLE)
    sheet.put(1, 0, comparison["headline"], **NOTE)
    line = _lines(sheet, 3, "What was asked", asked_lines(comparison))
    line = _lines(sheet, line + 1, "What is chosen", winner_lines(comparison))
    _table(sheet, line + 1, comparison, at)
    sheet.page.set_landscape()
    sheet.page.set_paper(8)  # A3
    sheet.page.fit_to_pages(1, 0)


def leading(rows: list[JsonObject]) -> list[JsonObject]:
    """The first designs of the comparison, feasible ones before all others, and what is in use."""
    designs = [row for row in rows if row["kind"] == "design" and row["model"] is not None]
    return [*designs[:MOST], *(row for row in rows if row["kind"] != "design")]


def _lines(sheet: Sheet, line: int, title: str, lines: list[tuple[str, str]]) -> int:
    """Write a section of labelled lines; returns the line after it."""
    sheet.put(line, 0, title, **SECTION)
    for k, (label, text) in enumerate(lines, start=1):
        sheet.wide(line + k, 1, _LAST - 1, text, TEXT_WIDTH)
        sheet.put(line + k, 0, label, **LABEL)
    return line + len(lines) + 1


def _table(sheet: Sheet, line: int, comparison: JsonObject, at: Inputs) -> None:
    rows = leading(comparison["rows"])
    sheet.put(line, 0, "The leading designs", **SECTION)
    sheet.put(line, 3, "costs move with the sheet of assumptions; every chip is on the sheet of candidates", **NOTE)
    if not rows:
        sheet.put(line + 1, 0, "No chip has a design.")
        return
    sheet.heads(line + 1, [_OWN_TITLES.get(name) or title_of(name) for name in COLS])
    first = line + 2
    for k, row in enumerate(rows):
        _row(sheet, first + k, row, at)
    last = first + len(rows) - 1
    _colours(sheet, first, last, rows)
    write_charts(sheet, last + 2, [(first + k, row) for k, row in enumerate(rows)], COLS)


def _row(sheet: Sheet, line: int, row: JsonObject, at: Inputs) -> None:
    bold = {"bold": True} if row["rank"] == 1 else {}
    said = {"design": design_words(row), "why": standing_words(row)}
    for name, col in COLS.items():
        if name in COSTS:
            continue
        number = number_of(name)
        align = align_of(name)
        wrap = {"text_wrap": True} if name in said else {}
        value = said[name] if name in said else shown(row, name)
        sheet.put(line, col, value, num_format=number, valign="top", **align, **wrap, **bold)
    write_costs(sheet, line, row, COLS, at, look={"valign": "top", **bold})
    sheet.high(line, max(lines_of(said[name], width - 4) for name, width in _COLUMNS if name in said))


def _colours(sheet: Sheet, first: int, last: int, rows: list[JsonObject]) -> None:
    colour_words(sheet, (first, COLS["status"], last, COLS["status"]), STATUS_COLOURS)
    colour_words(sheet, (first, COLS["weakest_grade"], last, COLS["weakest_grade"]), GRADE_COLOURS)
    grey_unknown(sheet, (first, COLS["design"], last, _LAST - 1))
    slack_bars(sheet, (first, COLS["slack_ms"], last, COLS["slack_ms"]), rows)
