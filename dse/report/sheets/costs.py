"""Cost over the years as formulas of a spreadsheet: of input cells, the price of a system and its power.

No formula is volatile, none needs an array, and all work in Excel and LibreOffice alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Any

from xlsxwriter.utility import xl_rowcol_to_cell

from dse.report.sheets.cells import UNKNOWN, Sheet
from dse.report.sheets.columns import number_of

JsonObject = dict[str, Any]
DAYS_PER_YEAR = 365
COSTS = ("fleet_price_usd", "spares_usd", "engineering_usd", "energy_usd", "cost_usd", "cost_per_stream_usd")
PARTS = COSTS[:4]
"""What `cost_usd` is the sum of."""


@dataclass(frozen=True)
class Inputs:
    """Where the input cells are, and what is worked out from them, as absolute references with their sheet."""

    quantity: str
    years: str
    hours_per_day: str
    energy_usd_per_kwh: str
    discount_rate: str
    spares_share: str
    engineering_usd: str
    streams: str
    spares: str
    discounted_years: str
    usd_per_watt: str


def spares_formula(at: Inputs) -> str:
    """Systems bought as spares: rounded up, but not for the last bit of a binary product (200 × 0.07 is 14)."""
    return f"=ROUNDUP(ROUND({at.quantity}*{at.spares_share},9),0)"


def discounted_years_formula(at: Inputs) -> str:
    """Years of which each is paid at its end, in years paid today.

    Of n whole years Σ (1+r)^-k = (1-(1+r)^-n)/r; for a small r that loses digits, up to 1.1e-16/r of it, and
    the first terms of the series, n - r·n(n+1)/2, serve instead: they lack a share of up to (r·n)²/6. Where they meet,
    at r = 3e-7, both are right to 4e-10 for the 100 years a problem admits; and r may be 0. A last part of a year
    is paid when the years end.
    """
    years, rate, whole = at.years, at.discount_rate, f"INT({at.years})"
    return (
        f"=IF({rate}<0.0000003,{whole}-{rate}*{whole}*({whole}+1)/2,(1-(1+{rate})^(-{whole}))/{rate})"
        f"+({years}-{whole})/(1+{rate})^{years}"
    )


def usd_per_watt_formula(at: Inputs) -> str:
    """Cost today of the energy of one system for each watt it draws [USD/W]."""
    return f"={at.hours_per_day}*{DAYS_PER_YEAR}/1000*{at.energy_usd_per_kwh}*{at.discounted_years}"


def discounted_years(years: float, rate: float) -> float:
    """The figure of `discounted_years_formula`, summed year by year.

    Examples
    --------
    Two years and a half at 25 %: 0.8 + 0.64 + 0.5/1.25^2.5.

    >>> round(discounted_years(2.5, 0.25), 6)
    1.726217
    """
    whole = floor(years)
    paid = sum((1 + rate) ** -year for year in range(1, whole + 1))
    return float(paid + (years - whole) * (1 + rate) ** -years)


def usd_per_watt(procurement: JsonObject) -> float:
    """The figure of `usd_per_watt_formula`."""
    kwh = procurement["hours_per_day"] * DAYS_PER_YEAR / 1000
    years = discounted_years(procurement["years"], procurement["discount_rate"])
    return float(kwh * procurement["energy_usd_per_kwh"] * years)


def cost_formulas(row: JsonObject, cells: dict[str, str], at: Inputs) -> dict[str, str | float | None]:
    """What stands in the cells of `COSTS` of one row: a formula, or a figure no input moves.

    Parameters
    ----------
    row : dict
        A row of a comparison. What is owned already pays neither price nor spares nor engineering, whatever changes;
        a row without a design has no engineering to speak of.
    cells : dict
        Cells of the row's ``price_usd``, ``power_w`` and `COSTS`.
    at : Inputs
        The input cells.
    """
    price, power = cells["price_usd"], cells["power_w"]
    parts = [cells[name] for name in PARTS]
    found: dict[str, str | float | None] = {
        "fleet_price_usd": _known(price, f"{at.quantity}*{price}"),
        "spares_usd": _known(price, f"{at.spares}*{price}"),
        "engineering_usd": f"={at.engineering_usd}",
        "energy_usd": _known(power, f"{at.quantity}*{power}*{at.usd_per_watt}"),
        "cost_usd": f'=IF(COUNT({",".join(parts)})={len(parts)},{"+".join(parts)},"{UNKNOWN}")',
        "cost_per_stream_usd": _known(cells["cost_usd"], f"{cells['cost_usd']}/({at.quantity}*{at.streams})"),
    }
    if row["fleet_price_usd"] == 0 and row["price_usd"] != 0:
        found |= {"fleet_price_usd": 0.0, "spares_usd": 0.0}
    if row["engineering_usd"] is None or (row["kind"] == "baseline" and row["engineering_usd"] == 0):
        found["engineering_usd"] = row["engineering_usd"]
    return found


def _known(cell: str, formula: str) -> str:
    return f'=IF(ISNUMBER({cell}),{formula},"{UNKNOWN}")'


def write_costs(
    sheet: Sheet, line: int, row: JsonObject, cols: dict[str, int], at: Inputs, *, look: dict[str, object] | None = None
) -> None:
    """Write the costs of one row, as formulas that hold dse's own figures.

    Parameters
    ----------
    sheet, line
        Where.
    row : dict
        A row of a comparison.
    cols : dict
        Columns of ``price_usd``, ``power_w`` and all of `COSTS` on this line; the first two are not written.
    at : Inputs
        The input cells.
    look : dict, optional
        Properties of the cells beside their number format.
    """
    cells = {name: xl_rowcol_to_cell(line, cols[name]) for name in ("price_usd", "power_w", *COSTS)}
    for name, found in cost_formulas(row, cells, at).items():
        shape = {"num_format": number_of(name), "align": "right", **(look or {})}
        if isinstance(found, str):
            sheet.formula(line, cols[name], found, row[name], **shape)
        else:
            sheet.put(line, cols[name], found, **shape)
