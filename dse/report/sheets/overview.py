"""The first sheet where several problems are compared: what each chooses, and whether one chip is enough for all."""

from __future__ import annotations

from typing import Any

from dse.report.sheets.cells import NOTHING, SECTION, TITLE, Sheet, quoted
from dse.report.sheets.names import Names

JsonObject = dict[str, Any]
_PROBLEMS = {
    "Problem": 34,
    "File": 30,
    "Task": 18,
    "Outcome": 12,
    "Chip": 30,
    "Cost over the years (USD), as asked": 18,
}


def write_overview_sheet(sheet: Sheet, data: JsonObject, names: list[Names]) -> None:
    """Write a line for every problem, and below it a line for every chip where they are asked to share one."""
    for col, width in enumerate(_PROBLEMS.values()):
        sheet.page.set_column(col, col, width)
    sheet.put(0, 0, "Comparison of chips", **TITLE)
    sheet.heads(2, list(_PROBLEMS))
    for line, (comparison, its) in enumerate(zip(data["comparisons"], names, strict=True), start=3):
        winner = next((row for row in comparison["rows"] if row["rank"] == 1), None)
        sheet.link(line, 0, comparison["problem"]["name"], f"{quoted(its.summary)}!A1")
        sheet.put(line, 1, comparison["problem"]["file"])
        sheet.put(line, 2, comparison["task"])
        sheet.put(line, 3, comparison["status"])
        sheet.put(line, 4, comparison["winner"] or NOTHING)
        sheet.put(line, 5, winner["cost_usd"] if winner else NOTHING, num_format="#,##0.00", align="right")
    if data.get("line"):
        _line(sheet, 4 + len(names), data["line"])
    sheet.page.set_landscape()
    sheet.page.fit_to_pages(1, 0)


def _line(sheet: Sheet, line: int, shared: JsonObject) -> None:
    sheet.put(line, 0, "Is one chip enough?", **SECTION)
    sheet.wide(line + 1, 0, 5, shared["text"], 130)
    sheet.heads(line + 2, ["Chip", "Serves", "Fails", "", "", "Cost over the years (USD), as asked"])
    for k, chip in enumerate(shared["chips"], start=line + 3):
        bold = {"bold": True} if chip["chip"] == shared["one_for_all"] else {}
        sheet.put(k, 0, chip["chip"], **bold)
        for col, name in ((1, "serves"), (2, "fails")):
            sheet.put(k, col, ", ".join(chip[name]) or NOTHING, text_wrap=True, valign="top", **bold)
        sheet.put(k, 5, chip["cost_usd"], num_format="#,##0.00", align="right", **bold)
