"""The sheet of candidates: every row, every column, the money as formulas."""

from __future__ import annotations

from typing import Any

from dse.report.sheets.cells import HEAD, NOTHING, Sheet, lines_of
from dse.report.sheets.colours import GRADE_COLOURS, STATUS_COLOURS, colour_words, grey_unknown, slack_bars
from dse.report.sheets.columns import FROZEN, LISTS, align_of, bands_of, number_of, shown, title_of
from dse.report.sheets.costs import COSTS, Inputs, write_costs
from dse.report.sheets.evidence import Places

JsonObject = dict[str, Any]
FIRST_ROW = 2
"""Above it are the bands and the heads."""
_WIDEST, _WIDEST_LIST, _NARROWEST = 50, 80, 9
_SPARE = 3
"""Characters a line of wrapped text may fall short of the width of its column."""


def write_candidates_sheet(sheet: Sheet, comparison: JsonObject, at: Inputs, places: Places) -> None:
    """Write every row of a comparison.

    Parameters
    ----------
    sheet : Sheet
        An empty one.
    comparison : dict
        One of the comparisons of the object.
    at : Inputs
        Input cells of the same problem.
    places : Places
        Where the evidence stands.
    """
    rows = comparison["rows"]
    bands = bands_of(scored=comparison.get("scoring") is not None)
    names = [name for _, band in bands for name in band]
    kinds = places.kinds(rows)
    widths = {name: _width(name, rows) for name in names}
    _heads(sheet, bands, kinds)
    for k, row in enumerate(rows):
        _row(sheet, FIRST_ROW + k, row, widths, at)
        places.link(sheet, FIRST_ROW + k, len(names), row, kinds)
    last = FIRST_ROW + max(len(rows), 1) - 1
    width = len(names) + len(kinds)
    for col, name in enumerate(names):
        _colours(sheet, col, name, last, rows)
        sheet.page.set_column(col, col, widths[name])
    if kinds:
        sheet.page.set_column(len(names), width - 1, 12)
    _frame(sheet, last, width)


def _frame(sheet: Sheet, last: int, width: int) -> None:
    """What holds for the whole sheet: grey, what stays in sight, filters, and how it is printed."""
    grey_unknown(sheet, (FIRST_ROW, FROZEN, last, width - 1))
    sheet.page.freeze_panes(FIRST_ROW, FROZEN)
    sheet.page.autofilter(FIRST_ROW - 1, 0, last, width - 1)
    sheet.page.set_landscape()
    sheet.page.set_paper(8)  # A3
    sheet.page.set_print_scale(60)
    sheet.page.repeat_rows(0, FIRST_ROW - 1)
    sheet.page.repeat_columns(0, FROZEN - 1)


def _heads(sheet: Sheet, bands: list[tuple[str, list[str]]], kinds: list[str]) -> None:
    """The bands over the heads; the first is split where the sheet is frozen, as a merged cell cannot be."""
    col = 0
    for k, (title, names) in enumerate([*bands, ("Evidence", kinds)]):
        colour = {"bg_color": "#2F5597" if k % 2 else "#1F3864"}
        parts = [FROZEN, len(names) - FROZEN] if k == 0 else [len(names)]
        start = col
        for part in parts:
            look = sheet.formats.of({**HEAD, **colour, "text_wrap": False})
            if part > 1:
                sheet.page.merge_range(0, start, 0, start + part - 1, "", look)
            if part:
                sheet.put(0, start, title if start == col else "", **{**HEAD, **colour, "text_wrap": False})
            start += part
        for name in names:
            sheet.put(1, col, title_of(name) if names is not kinds else name.replace("_", " "), **{**HEAD, **colour})
            col += 1
    sheet.high(1, 4)


def _row(sheet: Sheet, line: int, row: JsonObject, widths: dict[str, float], at: Inputs) -> None:
    bold, lines = {"bold": True} if row["rank"] == 1 else {}, 1
    for col, (name, width) in enumerate(widths.items()):
        if name in COSTS:
            continue
        value = shown(row, name)
        look: JsonObject = {"num_format": number_of(name), "valign": "top", **align_of(name)}
        if isinstance(value, str) and len(value) > width - _SPARE:
            look["text_wrap"] = True
            lines = max(lines, lines_of(value, width - _SPARE))
        sheet.put(line, col, value, **look, **(bold if name in ("chip", "rank") else {}))
    sheet.high(line, lines)
    cols = {name: col for col, name in enumerate(widths)}
    write_costs(sheet, line, row, cols, at, look={"valign": "top"})


def _colours(sheet: Sheet, col: int, name: str, last: int, rows: list[JsonObject]) -> None:
    """Colours of a column that rest on what its cells say."""
    words = STATUS_COLOURS if name == "status" else GRADE_COLOURS if name.endswith("_grade") else {}
    colour_words(sheet, (FIRST_ROW, col, last, col), words)
    if name == "slack_ms":
        slack_bars(sheet, (FIRST_ROW, col, last, col), rows)


def _width(name: str, rows: list[JsonObject]) -> float:
    """Characters a column needs; text beyond the widest goes on in a second line."""
    texts = [str(value) for row in rows if isinstance(value := shown(row, name), str) and value != NOTHING]
    longest = max((len(text) for text in texts), default=0) + _SPARE
    head = max(len(word) for word in title_of(name).split()) + 3
    widest = _WIDEST_LIST if name in LISTS else _WIDEST
    return float(min(max(longest, head, _NARROWEST, 13 if name in COSTS else 0), widest))
