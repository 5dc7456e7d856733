"""The sheet of evidence: every source a figure rests on, and the way to it from a row."""

from __future__ import annotations

import re
from typing import Any

from dse.report.sheets.cells import NOTHING, Sheet, lines_of, quoted
from dse.report.sheets.colours import GRADE_COLOURS, colour_words

JsonObject = dict[str, Any]
NAME = "Evidence"
COLUMNS = {
    "id": 12,
    "figure": 14,
    "of": 34,
    "value": 14,
    "unit": 12,
    "grade": 7,
    "kind": 11,
    "place": 42,
    "source": 60,
    "basis": 50,
}
"""Columns with their widths in characters."""
FIRST_ROW = 1
_NEEDS_NOTHING = ("unit", "grade", "basis")
_KINDS = ("accuracy", "latency", "power", "energy", "price", "memory", "temperature", "lifecycle")
"""Kinds of figures in the order of the columns of candidates; others follow by name."""


class Places:
    """Where the evidence of each id stands."""

    def __init__(self, evidence: JsonObject) -> None:
        ids = sorted(evidence, key=_natural)
        self.lines = {one: FIRST_ROW + k for k, one in enumerate(ids)}

    def kinds(self, rows: list[JsonObject]) -> list[str]:
        """Kinds of figures for which some of these rows name evidence."""
        named = {kind for row in rows for kind, one in (row.get("evidence") or {}).items() if one is not None}
        return sorted(named, key=lambda kind: (_KINDS.index(kind) if kind in _KINDS else len(_KINDS), kind))

    def link(self, sheet: Sheet, line: int, col: int, row: JsonObject, kinds: list[str]) -> None:
        """Write the ids of a row, each a link to its evidence."""
        for k, kind in enumerate(kinds):
            one = (row.get("evidence") or {}).get(kind)
            if one in self.lines:
                sheet.link(line, col + k, str(one), f"{quoted(NAME)}!A{self.lines[one] + 1}")
            else:
                sheet.put(line, col + k, one)


def write_evidence_sheet(sheet: Sheet, evidence: JsonObject, places: Places) -> None:
    """Write all evidence, by id."""
    sheet.heads(0, [name.capitalize() for name in COLUMNS])
    for one, line in places.lines.items():
        said = {"id": one, **evidence[one]}
        for col, name in enumerate(COLUMNS):
            value = said.get(name)
            nothing = value is None and name in _NEEDS_NOTHING
            look = {"text_wrap": True, "align": "right" if name == "value" else "left", "valign": "top"}
            sheet.put(line, col, NOTHING if nothing else value, **look)
        sheet.high(line, max(lines_of(str(said.get(name)), width - 3) for name, width in COLUMNS.items()))
    for col, width in enumerate(COLUMNS.values()):
        sheet.page.set_column(col, col, width)
    last = FIRST_ROW + max(len(evidence), 1) - 1
    grade = list(COLUMNS).index("grade")
    colour_words(sheet, (FIRST_ROW, grade, last, grade), GRADE_COLOURS)
    sheet.page.freeze_panes(FIRST_ROW, 1)
    sheet.page.autofilter(0, 0, last, len(COLUMNS) - 1)
    sheet.page.set_landscape()
    sheet.page.fit_to_pages(1, 0)
    sheet.page.repeat_rows(0)


def _natural(text: str) -> tuple[list[tuple[int, int, str]], str]:
    """An order in which e2 comes before e10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", text, re.ASCII)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts], text
