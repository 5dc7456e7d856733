"""Cells of a workbook: text that is never run, unknown figures that are never zero, and how both look."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, isfinite
from typing import Any

from dse.report.table import safe

JsonObject = dict[str, Any]
UNKNOWN = "unknown"
"""What stands for a figure nobody knows; never an empty cell, which a sum takes for zero."""
NOTHING = "–"
"""What stands where there is nothing to know: no host on a chip that has its own, no reason where nothing fails."""
HEAD = {
    "bold": True,
    "bg_color": "#1F3864",
    "font_color": "#FFFFFF",
    "text_wrap": True,
    "align": "center",
    "valign": "vcenter",
}
TITLE = {"bold": True, "font_size": 16, "font_color": "#1F3864"}
SECTION = {"bold": True, "font_size": 12, "font_color": "#1F3864", "bottom": 1}
LABEL = {"bold": True, "valign": "top"}
NOTE = {"italic": True, "font_color": "#595959"}
GREY = {"font_color": "#8C8C8C", "italic": True}
LONGEST = 16_000
"""Characters a cell is given: Excel takes 32,767 halves of UTF-16, and one character may need two."""
MOST_LINKS = 65_530
"""Links Excel takes on one sheet."""
LINE_POINTS = 15.0
"""Height of one line of text [1/72 inch]."""
_MOST_LINES = 27
"""Excel takes rows of up to 409 points."""


def clean(text: str) -> str:
    """Text as a cell may hold it: no half of a surrogate pair, not too long, no start that a spreadsheet would run."""
    return safe(text.encode("utf-8", "replace").decode("utf-8"))[:LONGEST]


def lines_of(text: str, characters: float) -> int:
    """Lines a text needs in a cell that is so many characters wide."""
    return sum(max(1, ceil(len(line) / characters)) for line in text.split("\n"))


def quoted(sheet: str) -> str:
    """The name of a sheet as formulas write it."""
    return "'" + sheet.replace("'", "''") + "'"


class Formats:
    """Formats of one workbook, each made once."""

    def __init__(self, file: Any) -> None:  # noqa: ANN401
        self._file = file
        self._made: dict[tuple[tuple[str, object], ...], Any] = {}

    def of(self, look: Mapping[str, object]) -> Any:  # noqa: ANN401
        """The format with these properties of xlsxwriter."""
        key = tuple(sorted(look.items()))
        if key not in self._made:
            self._made[key] = self._file.add_format(dict(key))
        return self._made[key]


class Sheet:
    """One sheet; rows and columns are counted from 0.

    Parameters
    ----------
    file
        A workbook of xlsxwriter.
    formats : Formats
        Those of the same workbook.
    name : str
        Name of the sheet, as `sheet_names` makes them.
    """

    def __init__(self, file: Any, formats: Formats, name: str) -> None:  # noqa: ANN401
        self.file, self.formats, self.name = file, formats, name
        self.page = file.add_worksheet(name)
        self.page.hide_gridlines(2)
        self._links = 0

    def put(self, row: int, col: int, value: object, **look: object) -> None:
        """Write one value: a number as one, anything else as text, an unknown one as the word in grey."""
        if isinstance(value, bool):
            value = "yes" if value else "no"
        if isinstance(value, int | float) and isfinite(value):
            self.page.write_number(row, col, value, self.formats.of(look))
        elif value is None or isinstance(value, float):
            self.page.write_string(row, col, UNKNOWN, self.formats.of({**look, **GREY}))
        else:
            text = clean(str(value))
            self.page.write_string(row, col, text, self.formats.of({**look, **(GREY if text == NOTHING else {})}))

    def formula(self, row: int, col: int, formula: str, value: float | None, **look: object) -> None:
        """Write a formula with the figure it has now, for viewers that do not calculate."""
        known = value is not None and isfinite(value)
        self.page.write_formula(row, col, formula, self.formats.of(look), value if known else UNKNOWN)

    def link(self, row: int, col: int, text: str, target: str, **look: object) -> None:
        """Write text that leads to a cell such as ``'Evidence'!A7``."""
        if self._links >= MOST_LINKS:
            self.put(row, col, text, **look)
            return
        self._links += 1
        look = {"font_color": "#0563C1", "underline": 1, **look}
        self.page.write_url(row, col, f"internal:{target}", self.formats.of(look), clean(text))

    def heads(self, row: int, titles: list[str], *, col: int = 0) -> None:
        """Write the heads of a table, room for three lines each."""
        for k, title in enumerate(titles):
            self.put(row, col + k, title, **HEAD)
        self.page.set_row(row, 3 * LINE_POINTS)

    def high(self, row: int, lines: int) -> None:
        """Make a row as high as its longest cell: not every program does so by itself."""
        self.page.set_row(row, LINE_POINTS * min(max(lines, 1), _MOST_LINES))

    def wide(self, row: int, first: int, last: int, text: str, characters: float, **look: object) -> None:
        """Write text over merged cells that are so many characters wide, the row as high as the text needs."""
        shape = self.formats.of({"text_wrap": True, "valign": "top", **look})
        if last > first:
            self.page.merge_range(row, first, row, last, "", shape)
        self.page.write_string(row, first, clean(text), shape)
        self.high(row, lines_of(text, characters))
