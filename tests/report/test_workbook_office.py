"""The formulas of a workbook as an office program works them out, also after a buyer has changed the inputs."""

from __future__ import annotations

import shutil
import subprocess

import openpyxl
import pytest

from dse.problem.settings import Procurement
from dse.report.money import money
from dse.report.sheets.columns import title_of
from dse.report.sheets.costs import COSTS
from dse.report.workbook import write_workbook
from tests.report.compared_example import ASKED, STREAMS, example

pytestmark = pytest.mark.filterwarnings("ignore:.*extension is not supported:UserWarning")
OFFICE = shutil.which("soffice")
CELLS = {
    "quantity": "B5",
    "years": "B6",
    "hours_per_day": "B7",
    "energy_usd_per_kwh": "B8",
    "discount_rate": "B9",
    "spares_share": "B10",
    "engineering": "B11",
}
CHANGES = {
    "as-asked": {},
    "bought": {"quantity": 57, "spares_share": 0.5, "engineering": None},
    "energy": {"energy_usd_per_kwh": 0.31, "hours_per_day": 7.5},
    "undiscounted": {"years": 4.5, "discount_rate": 0},
    "short": {"years": 0.25},
    "series": {"years": 100, "discount_rate": 0.29e-6},
    "closed": {"years": 99.5, "discount_rate": 0.31e-6},
    "steep": {"years": 7, "discount_rate": 1},
}
"""Around 3e-7 the formula changes from the series to the closed sum, with the most years a problem may have."""


@pytest.fixture(scope="module")
def calculated(tmp_path_factory):
    """Each change, calculated: openpyxl drops the figures that were stored, so that the program must."""
    if OFFICE is None:
        pytest.skip("no soffice on the PATH: apt-get install libreoffice-calc-nogui")
    folder = tmp_path_factory.mktemp("office")
    write_workbook(example(), folder / "book.xlsx")
    for name, change in {**CHANGES, "binary": {"spares_share": 0.07}}.items():
        book = openpyxl.load_workbook(folder / "book.xlsx")
        for key, value in change.items():
            book["Assumptions"][CELLS[key]] = 0 if value is None else value
        book.save(folder / f"{name}.xlsx")
    files = [str(folder / f"{name}.xlsx") for name in (*CHANGES, "binary")]
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [OFFICE, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(folder / "done"), *files]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    names = (*CHANGES, "binary")
    return {name: openpyxl.load_workbook(folder / "done" / f"{name}.xlsx", data_only=True) for name in names}


def expected(change):
    """What dse itself says of every row under the changed inputs."""
    asked = Procurement(**{**ASKED.model_dump(exclude_none=True), **change})
    found = []
    for row in example()["comparisons"][0]["rows"]:
        costs = money(row["price_usd"], row["power_w"], asked, STREAMS, owned=row["reason"] == "owned")
        found.append((row["chip"], dict.fromkeys(COSTS) if row["status"] == "no design" else costs))
    return found


def same(value, figure):
    if figure is None:
        return value == "unknown"
    return value == pytest.approx(figure, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", CHANGES)
def test_every_cost_follows_the_inputs(calculated, name):
    """Each cell of money on the sheet of candidates and in the summary is dse's own figure for those inputs."""
    rows = expected(CHANGES[name])
    book = calculated[name]
    sheet = book["Candidates"]
    letters = {cell.value: cell.column for cell in sheet[2]}
    for line, (chip, costs) in enumerate(rows, start=3):
        for key, figure in costs.items():
            assert same(sheet.cell(line, letters[title_of(key)]).value, figure), (chip, key)
    summary, of_chip = book["Summary"], dict(rows)
    heads, seen = {}, 0
    for row in summary.iter_rows():
        if row[0].value == "Chip" and row[1].value != "alpha":
            heads = {cell.value: cell.column - 1 for cell in row}
        costs = of_chip.get(str(row[0].value).removeprefix("'"))
        if costs is not None and title_of("cost_usd") in heads:
            for key, figure in costs.items():
                if title_of(key) in heads:
                    assert same(row[heads[title_of(key)]].value, figure), (row[0].coordinate, key)
                    seen += 1
    # Six rows with six figures, four of them again below the charts with five.
    assert seen == 6 * 6 + 4 * 5


def test_a_share_of_spares_is_no_binary_product(calculated):
    """7 % of 200 are 14 systems, though the product of floats is a little more."""
    assert 200 * 0.07 > 14
    assert calculated["binary"]["Assumptions"]["B15"].value == 14


@pytest.mark.parametrize("name", CHANGES)
def test_no_formula_ends_in_an_error(calculated, name):
    """Unknown prices and powers, and the ends of what the inputs admit, are no errors."""
    cells = [cell for sheet in calculated[name] for row in sheet.iter_rows() for cell in row]
    assert not [cell.coordinate for cell in cells if cell.data_type == "e" or str(cell.value).startswith(("#", "Err:"))]
