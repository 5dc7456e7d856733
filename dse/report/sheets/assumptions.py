"""The sheet of assumptions: input cells that move the money, what follows from them, and what is taken for granted."""

from __future__ import annotations

from typing import Any

from xlsxwriter.utility import xl_rowcol_to_cell

from dse.report.sheets.cells import LABEL, NOTE, SECTION, TITLE, Sheet, quoted
from dse.report.sheets.costs import (
    Inputs,
    discounted_years,
    discounted_years_formula,
    spares_formula,
    usd_per_watt,
    usd_per_watt_formula,
)

JsonObject = dict[str, Any]
INPUT = {"bg_color": "#FFF2CC", "border": 1, "border_color": "#BF9000", "align": "right", "font_color": "#1F3FBF"}
FIRST_INPUT = 4
_INPUTS = (
    ("quantity", "Quantity", "systems in service", "#,##0", ("integer", 1, 1_000_000_000)),
    ("years", "Years in service", "years, a part of one too", "0.0##", ("decimal", 0.001, 100)),
    ("hours_per_day", "Hours in service each day", "h", "0.0#", ("decimal", 0, 24)),
    ("energy_usd_per_kwh", "Price of energy", "USD/kWh", "0.00##", ("decimal", 0, 1_000_000)),
    ("discount_rate", "Discount of later costs", "a year", "0.0##%", ("decimal", 0, 1)),
    ("spares_share", "Spares", "of the quantity, rounded up", "0.0##%", ("decimal", 0, 1)),
    ("engineering_usd", "Engineering, paid once", "USD", "#,##0.00", ("decimal", 0, 1e15)),
    ("streams", "Streams of one system", "streams", "#,##0", ("integer", 1, 1_000_000_000)),
)
"""Key, label, unit, number format and admitted range of each input cell."""
_FIRST_DERIVED = FIRST_INPUT + len(_INPUTS) + 2
NOTES = (
    "Change a yellow cell and every cost in this workbook follows, in a program that calculates formulas.",
    "Prices of one system are those quoted for the quantity they stand beside; they are not looked up again when the "
    "quantity changes.",
    "Ranks, the winner, times, accuracies and the price at which a design would win stay as they were computed; run "
    "the comparison again to move them.",
    "Costs are money at the beginning of the first year. The energy of a year is paid at its end and divided by "
    "(1 + discount) for each year until then; a last part of a year is paid when it ends. Spares draw no power.",
    "A cost that rests on an unknown price or power is unknown, never 0.",
)


def inputs_of(sheet_name: str) -> Inputs:
    """Where the input cells of a sheet of assumptions are."""
    names = [*(name for name, *_ in _INPUTS), "spares", "discounted_years", "usd_per_watt"]
    lines = [*range(FIRST_INPUT, FIRST_INPUT + len(_INPUTS)), *range(_FIRST_DERIVED, _FIRST_DERIVED + 3)]
    start = f"{quoted(sheet_name)}!"
    return Inputs(**{name: start + xl_rowcol_to_cell(at, 1, True, True) for name, at in zip(names, lines, strict=True)})


def write_assumptions_sheet(sheet: Sheet, comparison: JsonObject, at: Inputs, versions: JsonObject) -> None:
    """Write inputs, what follows from them, notes, defaults, proofs, what was left out, and versions."""
    asked = comparison["procurement"]
    for col, width in enumerate((34, 18, 34, 60)):
        sheet.page.set_column(col, col, width)
    sheet.put(0, 0, f"Assumptions: {comparison['problem']['name']}", **TITLE)
    sheet.put(1, 0, NOTES[0], **NOTE)
    sheet.put(FIRST_INPUT - 1, 0, "Inputs", **SECTION)
    for k, (name, label, unit, number, (kind, low, high)) in enumerate(_INPUTS):
        line = FIRST_INPUT + k
        sheet.put(line, 0, label, **LABEL)
        sheet.put(line, 1, asked[name], num_format=number, **INPUT)
        sheet.put(line, 2, unit, **NOTE, indent=1)
        rule = {"validate": kind, "criteria": "between", "minimum": low, "maximum": high}
        said = {"error_title": label, "error_message": f"A number from {low:g} to {high:g}."}
        sheet.page.data_validation(line, 1, line, 1, rule | said)
    _derived(sheet, asked, at)
    _lists(sheet, _FIRST_DERIVED + 4, comparison, versions)
    sheet.page.set_landscape()
    sheet.page.fit_to_pages(1, 0)


def _derived(sheet: Sheet, asked: JsonObject, at: Inputs) -> None:
    """What is worked out once for all rows."""
    sheet.put(_FIRST_DERIVED - 1, 0, "Worked out from them", **SECTION)
    years = discounted_years(asked["years"], asked["discount_rate"])
    for k, (label, formula, value, number, unit) in enumerate(
        (
            ("Spares", spares_formula(at), asked["spares"], "#,##0", "systems"),
            ("Years, discounted", discounted_years_formula(at), years, "0.0000", "years of energy, money of today"),
            ("Energy over the years", usd_per_watt_formula(at), usd_per_watt(asked), "0.0000", "USD per W of a system"),
        )
    ):
        sheet.put(_FIRST_DERIVED + k, 0, label, **LABEL)
        sheet.formula(_FIRST_DERIVED + k, 1, formula, value, num_format=number, align="right")
        sheet.put(_FIRST_DERIVED + k, 2, unit, **NOTE, indent=1)


def _lists(sheet: Sheet, line: int, comparison: JsonObject, versions: JsonObject) -> None:
    """Lists of sentences below each other; how long the search took is left out, so that a file repeats."""
    search = comparison["search"]
    dropped = [f"{reason}: {count}" for reason, count in sorted(comparison["dropped"].items())]
    looked = [f"{name}: {search[name]:,}" for name in ("candidates", "feasible", "seed") if name in search]
    said = [f"{name} {version}" for name, version in sorted(versions.items())]
    for title, lines in (
        ("How to read the costs", list(NOTES[1:])),
        ("Taken for granted", comparison["assumptions"]),
        ("Proven", comparison["proof"]),
        ("Left out for want of data", dropped),
        ("Looked at", looked),
        ("Versions", said),
    ):
        if not lines:
            continue
        sheet.put(line, 0, title, **SECTION)
        for k, text in enumerate(lines, start=1):
            sheet.wide(line + k, 0, 3, text, 150)
        line += len(lines) + 2
