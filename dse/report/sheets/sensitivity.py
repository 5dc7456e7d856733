"""The sheet of sensitivity: how the cost moves with one input at a time, and how firmly weighed figures choose."""

from __future__ import annotations

from typing import Any

from dse.report.sheets.cells import NOTE, NOTHING, SECTION, TITLE, Sheet
from dse.report.sheets.columns import title_of

JsonObject = dict[str, Any]
_USD = "#,##0.00"
_TORNADO = (
    ("text", "Input", None),
    ("low_value", "Low", "General"),
    ("high_value", "High", "General"),
    ("cost_low", "Cost of the first at the low one (USD)", _USD),
    ("cost_high", "Cost of the first at the high one (USD)", _USD),
    ("cheapest_low", "Cheapest at the low one", None),
    ("cheapest_high", "Cheapest at the high one", None),
    ("moves", "Does the cheapest change?", None),
)


def has_sensitivity(comparison: JsonObject) -> bool:
    """Whether there is anything to write."""
    return bool(comparison.get("tornado")) or bool(comparison.get("scoring"))


def write_sensitivity_sheet(sheet: Sheet, comparison: JsonObject) -> None:
    """Write both, where they are known; the figures are of the inputs as they were asked."""
    for col, width in enumerate((44, 14, 14, 20, 24, 28, 28, 14)):
        sheet.page.set_column(col, col, width)
    sheet.put(0, 0, f"Sensitivity: {comparison['problem']['name']}", **TITLE)
    sheet.put(
        1, 0, "Worked out from the inputs as asked; these figures do not move with the sheet of assumptions.", **NOTE
    )
    line = 3
    if comparison.get("tornado"):
        line = _tornado(sheet, line, comparison["tornado"])
    if comparison.get("scoring"):
        _scoring(sheet, line, comparison["scoring"])
    sheet.page.set_landscape()
    sheet.page.fit_to_pages(1, 0)


def _tornado(sheet: Sheet, line: int, tornado: list[JsonObject]) -> int:
    sheet.put(line, 0, "One input at a time", **SECTION)
    sheet.heads(line + 1, [title for _, title, _ in _TORNADO])
    for k, one in enumerate(tornado, start=line + 2):
        for col, (name, _, number) in enumerate(_TORNADO):
            look: JsonObject = {"num_format": number, "align": "right"} if number else {"align": "left", "indent": 1}
            sheet.put(k, col, one[name], **look)
    return line + 3 + len(tornado)


def _scoring(sheet: Sheet, line: int, scoring: JsonObject) -> None:
    sheet.put(line, 0, f"Weighed figures: {scoring['winner']} is first", **SECTION)
    sheet.heads(line + 1, ["Figure", "Weight", "From", "Up to", "Value of a figure, from 0 to 1"])
    stable = {one["figure"]: one for one in scoring["stability"]}
    for k, (name, weight) in enumerate(scoring["weights"].items(), start=line + 2):
        sheet.put(k, 0, title_of(name))
        sheet.put(k, 1, weight)
        range_of = stable.get(name)
        sheet.put(k, 2, NOTHING if range_of is None else range_of["low"])
        sheet.put(
            k,
            3,
            NOTHING if range_of is None else "any" if range_of["high"] is None else range_of["high"],
            align="right",
        )
        points = scoring["values"].get(name) or []
        sheet.put(k, 4, "; ".join(f"{x:g} → {value:g}" for x, value in points) or NOTHING, indent=1)
    note = "From and up to: the first stays first while this weight alone is between them."
    sheet.put(line + 2 + len(scoring["weights"]), 0, note, **NOTE)
