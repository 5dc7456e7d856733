"""The workbook of a comparison as a program reads it: every figure, no text that runs, money as formulas."""

from __future__ import annotations

import random
import re
import zipfile

import openpyxl
import pytest

from dse.errors import InputError
from dse.report import workbook as door
from dse.report.compared_row import COLUMNS
from dse.report.sheets.columns import BANDS, LISTS, REST, SCORES, bands_of, title_of
from dse.report.sheets.costs import COSTS
from dse.report.sheets.names import sheet_names
from dse.report.workbook import require_workbook, workbook_of, write_workbook
from tests.report.compared_example import EVIDENCE, HOSTILE, LINE, SCORING, TORNADO, comparison, example

# openpyxl leaves out the bars of slack, which Excel added after 2007.
pytestmark = pytest.mark.filterwarnings("ignore:.*extension is not supported:UserWarning")
HEAD, FIRST = 2, 3
"""Rows of the sheet of candidates, counted from 1."""


def opened(data, tmp_path, *, values=False):
    target = tmp_path / "book.xlsx"
    write_workbook(data, target)
    return openpyxl.load_workbook(target, data_only=values)


def rich():
    """Two problems with all there can be."""
    data = {**example(scoring=SCORING, tornado=TORNADO), "evidence": EVIDENCE, "line": LINE}
    data["comparisons"].append(comparison())
    first, second, *_ = data["comparisons"][0]["rows"]
    first.update(evidence={"accuracy": "e10", "price": None}, score=0.5, score_low=0.5, score_high=0.5)
    second.update(evidence={"accuracy": "e2", "zest": HOSTILE[0]}, score=None, score_low=0.25, score_high=0.75)
    return data


def columns(sheet):
    """Column letters by head."""
    return {cell.value: cell.column_letter for cell in sheet[HEAD]}


def cell(sheet, row, name):
    return sheet[f"{columns(sheet)[title_of(name)]}{row}"]


def test_a_workbook_is_refused_before_any_work(tmp_path, monkeypatch):
    """Another ending, a missing folder and a missing library each say what to do."""
    with pytest.raises(InputError, match=r"book\.xls.*end in \.xlsx"):
        require_workbook(tmp_path / "book.xls")
    with pytest.raises(InputError, match="there is no folder"):
        require_workbook(tmp_path / "none" / "book.xlsx")
    require_workbook(tmp_path / "book.XLSX")
    monkeypatch.setattr(door, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r'needs xlsxwriter.*pip install "dse\[report\]"'):
        require_workbook(tmp_path / "book.xlsx")


def test_the_same_data_gives_the_same_file():
    """Neither the hour nor the order of the evidence nor the time of the search is in it."""
    data, other = rich(), rich()
    other["evidence"] = dict(reversed(other["evidence"].items()))
    other["comparisons"][0]["search"] |= {"wall_s": 99.0, "workers": 16}
    assert workbook_of(data) == workbook_of(data) == workbook_of(other)


def test_what_is_not_there_has_no_sheet(tmp_path):
    """One problem without evidence or weights has three sheets, two with all have nine."""
    assert opened(example(), tmp_path).sheetnames == ["Summary", "Candidates", "Assumptions"]
    assert opened(rich(), tmp_path).sheetnames == [
        "Overview",
        "Summary 1 recorder",
        "Candidates 1 recorder",
        "Assumptions 1 recorder",
        "Sensitivity 1 recorder",
        "Summary 2 recorder",
        "Candidates 2 recorder",
        "Assumptions 2 recorder",
        "Evidence",
    ]


def test_names_of_sheets_are_legal_whatever_the_files_are_called():
    """Excel takes 31 characters, none of []:*?/\\, no apostrophe at an end, and no name twice whatever its case."""
    rng = random.Random(1)
    files = ["'", "a" * 60 + ".yaml", "A" * 60 + ".yaml", "[]:*?/\\", "", "\U0001f600", "\ud800\x00"]
    files += ["".join(rng.choice("ab[]:*?/\\'= .\n") for _ in range(40)) for _ in range(20)]
    names = [name for its in sheet_names(files) for name in vars(its).values()]
    assert len({name.casefold() for name in names}) == len(names)
    assert all(0 < len(name) <= 31 and not re.search(r"[\[\]:*?/\\'\n]", name) for name in names)


def test_every_row_and_every_column_is_there(tmp_path):
    """The sheet of candidates holds all of `COLUMNS`, each once, and stays readable when it is scrolled."""
    data = example()
    sheet = opened(data, tmp_path)["Candidates"]
    heads = [cell.value for cell in sheet[HEAD]]
    assert sorted(heads) == sorted(title_of(name) for name in (*COLUMNS, *LISTS))
    assert [cell(sheet, FIRST + k, "status").value for k in range(7)] == [
        row["status"] for row in data["comparisons"][0]["rows"]
    ]
    assert sheet.max_row == FIRST + 6
    assert sheet.freeze_panes == "D3"
    assert sheet.auto_filter.ref == f"A2:{sheet.cell(HEAD, len(heads)).column_letter}9"


def test_a_column_that_no_band_knows_is_in_the_last(monkeypatch):
    """A new figure of a row is shown before anybody gives it a place."""
    placed = [name for _, names in BANDS for name in names]
    assert len(placed) == len(set(placed))
    assert {*placed} == {*COLUMNS, *LISTS, *SCORES}
    monkeypatch.setattr("dse.report.sheets.columns.COLUMNS", (*COLUMNS, "new_w"))
    assert bands_of(scored=False)[-1] == (REST, ["new_w"])


def test_unknown_is_a_word(tmp_path):
    """No cell under a head is empty; what nobody knows is said, what needs no figure is a dash, and neither is zero."""
    sheet = opened(example(), tmp_path, values=True)["Candidates"]
    table = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=FIRST)]
    assert all(value is not None and value != "" for row in table for value in row)
    beta, gamma, epsilon = FIRST + 1, FIRST + 3, FIRST + 5
    for row, name in ((beta, "price_usd"), (beta, "cost_usd"), (gamma, "power_w"), (gamma, "energy_usd")):
        assert cell(sheet, row, name).value == "unknown"
    assert {cell(sheet, epsilon, name).value for name in ("accuracy", "power_w", *COSTS)} == {"unknown"}
    assert {cell(sheet, epsilon, name).value for name in ("model", "mode", "rank", "accuracy_grade")} == {"–"}


def test_costs_are_formulas_on_the_input_cells(tmp_path):
    """Every row has the same formulas on its own price and power, and what depends on neither is no formula."""
    sheet = opened(example(), tmp_path)["Candidates"]
    at = {name: columns(sheet)[title_of(name)] for name in ("price_usd", "power_w", *COSTS)}
    for row in range(FIRST, FIRST + 6):
        price, power, fleet, spares, work, energy, cost, _ = (f"{letter}{row}" for letter in at.values())
        found = [cell(sheet, row, name).value for name in COSTS]
        assert found == [
            f"=IF(ISNUMBER({price}),'Assumptions'!$B$5*{price},\"unknown\")",
            f"=IF(ISNUMBER({price}),'Assumptions'!$B$15*{price},\"unknown\")",
            "unknown" if row == FIRST + 5 else "='Assumptions'!$B$11",
            f"=IF(ISNUMBER({power}),'Assumptions'!$B$5*{power}*'Assumptions'!$B$17,\"unknown\")",
            f'=IF(COUNT({fleet},{spares},{work},{energy})=4,{fleet}+{spares}+{work}+{energy},"unknown")',
            f"=IF(ISNUMBER({cost}),{cost}/('Assumptions'!$B$5*'Assumptions'!$B$12),\"unknown\")",
        ]
    owned = [cell(sheet, FIRST + 6, name).value for name in COSTS]
    assert owned[:3] == [0, 0, 0]
    assert all(str(formula).startswith("=IF(") for formula in owned[3:])


def test_formulas_hold_dse_s_own_figures(tmp_path):
    """A viewer that does not calculate shows the figures of the comparison, to the last digit."""
    data = example()
    sheet = opened(data, tmp_path, values=True)["Candidates"]
    for k, row in enumerate(data["comparisons"][0]["rows"]):
        for name in COSTS:
            assert cell(sheet, FIRST + k, name).value == ("unknown" if row[name] is None else row[name]), (k, name)
    # 200 systems of 10 W, 10 h a day at 0.2 USD/kWh: 1460 USD a year; 1460 × (0.8 + 0.64 + 0.5/1.25^2.5) = 2520.28.
    assert round(cell(sheet, FIRST, "energy_usd").value, 2) == 2520.28
    # 206 × 120 + 5000 + 2520.28
    assert round(cell(sheet, FIRST, "cost_usd").value, 2) == 32240.28


def test_the_inputs_stand_where_the_formulas_look(tmp_path):
    """The sheet of assumptions holds what was asked, each with its admitted range, and the spares that follow."""
    sheet = opened(example(), tmp_path)["Assumptions"]
    found = {sheet.cell(row, 1).value: sheet.cell(row, 2).value for row in range(5, 13)}
    assert list(found.values()) == [200, 2.5, 10, 0.2, 0.25, 0.03, 5000, 4]
    assert {str(rule.sqref) for rule in sheet.data_validations.dataValidation} == {f"B{k}" for k in range(5, 13)}
    assert sheet["B15"].value == "=ROUNDUP(ROUND('Assumptions'!$B$5*'Assumptions'!$B$10,9),0)"
    said = " ".join(str(value) for (value,) in sheet.iter_rows(max_col=1, values_only=True))
    assert "not looked up again when the quantity changes" in said
    assert "guard.evidence = D" in said
    assert "dse 0.1.0" in said
    values = opened(example(), tmp_path, values=True)["Assumptions"]
    # 3 % of 200; 0.8 + 0.64 + 0.5/1.25^2.5; 10 h × 365 / 1000 × 0.2 USD/kWh of each of those years.
    assert [round(values[f"B{row}"].value, 6) for row in (15, 16, 17)] == [6, 1.726217, 1.260138]


def test_no_text_is_run(tmp_path):
    """Text that begins as a formula would has an apostrophe before it, wherever it came from."""
    data = rich()
    write_workbook(data, tmp_path / "book.xlsx")
    book = openpyxl.load_workbook(tmp_path / "book.xlsx")
    shown = {str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "s"}
    assert not [text for text in shown if text.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert all(any(f"'{text}" in one for one in shown) for text in HOSTILE[:5])
    formulas = {str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"}
    assert all(not re.search(r"cmd|SUM\(A1|1\+1(?!\))", formula) for formula in formulas)
    with zipfile.ZipFile(tmp_path / "book.xlsx") as parts:
        assert not [name for name in parts.namelist() if "external" in name.casefold() or "vba" in name.casefold()]


@pytest.mark.parametrize(
    "name", ["\ud800", "a\x00b", "x" * 40_000, "_x0041_", "\ufffe", "a\nb", "http://a.invalid", "12"]
)
def test_any_text_is_written_as_text(tmp_path, name):
    """Half of a surrogate pair, characters XML cannot hold and endless names give a workbook that opens."""
    data = example(headline=name, task=name)
    for row in data["comparisons"][0]["rows"]:
        row.update(chip=name, model=row["model"] and name)
    sheet = opened(data, tmp_path)["Candidates"]
    found = cell(sheet, FIRST, "chip")
    assert found.data_type == "s"
    assert found.hyperlink is None


def test_evidence_is_one_step_from_the_row(tmp_path):
    """The id of a row leads to the line with that id; e2 stands before e10."""
    book = opened(rich(), tmp_path)
    sheet, evidence = book["Candidates 1 recorder"], book["Evidence"]
    assert [evidence.cell(row, 1).value for row in (2, 3, 4)] == ["e1", "e2", "e10"]
    for row, one in ((FIRST, "e10"), (FIRST + 1, "e2")):
        found = sheet[f"{columns(sheet)['accuracy']}{row}"]
        assert found.value == one
        target = re.fullmatch(r"'Evidence'!(A[0-9]+)", found.hyperlink.location)
        assert evidence[target[1]].value == one
    assert sheet[f"{columns(sheet)['accuracy']}{FIRST + 2}"].value == "unknown"
    # An id that nothing stands behind is text.
    assert sheet[f"{columns(sheet)['zest']}{FIRST + 1}"].hyperlink is None
    assert evidence["D2"].value == 52.5


def test_the_summary_says_what_is_chosen_and_why(tmp_path):
    """The question, the winner beside the next one, and the leading designs with costs that move."""
    sheet = opened(example(), tmp_path)["Summary"]
    said = {row[0]: row[1] for row in sheet.iter_rows(min_row=4, max_row=24, max_col=2, values_only=True)}
    assert said["Limits"] == "power ≤ 30 W"
    assert said["Order"] == "highest accuracy (0.1 counts as equal), then lowest price of one system"
    assert said["Outcome"] == "the best, proven"
    assert said["Why"] == (
        "first by accuracy, then price of one system: accuracy 52.5 against 52.5 points; "
        "price of one system 120 against unknown USD"
    )
    heads = next(row for row in sheet.iter_rows() if row[0].value == "Chip" and row[1].value == "Rank")
    chips = [sheet.cell(heads[0].row + k, 1).value for k in range(1, 7)]
    assert chips == ["alpha", "beta", f"'{HOSTILE[0]}", "gamma", "delta", "zeta"]
    cost = next(cell.column for cell in heads if cell.value == title_of("cost_usd"))
    assert sheet.cell(heads[0].row + 1, cost).value.startswith("=IF(COUNT(")


def test_no_winner_is_no_error(tmp_path):
    """Proven that there is none, and out of time, are told apart; the nearest miss is named."""
    failed = [row for row in comparison()["rows"] if row["status"] == "fails"]
    for status, words in (
        ("infeasible", "no chip meets every limit, proven"),
        ("unknown", "whether there is one is not known"),
    ):
        sheet = opened(example(status=status, winner=None, rows=failed), tmp_path)["Summary"]
        said = {row[0]: str(row[1]) for row in sheet.iter_rows(max_col=2, values_only=True)}
        assert words in said["Outcome"]
        assert said["Nearest"].startswith("delta: power_w: 31.5 > 30 W")
    assert opened(example(rows=[], winner=None, status="infeasible"), tmp_path).sheetnames[0] == "Summary"


def test_charts_never_draw_the_unknown(tmp_path):
    """A chart takes a word for zero: its cells are those of designs whose cost is known."""
    target = tmp_path / "book.xlsx"
    write_workbook(example(), target)
    sheet = openpyxl.load_workbook(target, data_only=True)["Summary"]
    with zipfile.ZipFile(target) as parts:
        charts = [
            parts.read(name).decode() for name in parts.namelist() if re.fullmatch(r"xl/charts/chart[0-9]+\.xml", name)
        ]
    assert len(charts) == 2
    areas = {area.replace("$", "") for chart in charts for area in re.findall(r"<c:f>Summary!([^<]+)</c:f>", chart)}
    drawn = [
        cell.value for area in areas for row in (sheet[area] if ":" in area else ((sheet[area],),)) for cell in row
    ]
    assert "unknown" not in drawn
    assert {value for value in drawn if isinstance(value, str)} == {"alpha", f"'{HOSTILE[0]}", "delta", "zeta"}


def test_what_several_problems_share(tmp_path):
    """The overview leads to each summary, says whether one chip is enough, and an unknown cost is a word."""
    sheet = opened(rich(), tmp_path)["Overview"]
    assert [sheet.cell(row, 1).hyperlink.location for row in (4, 5)] == [
        "'Summary 1 recorder'!A1",
        "'Summary 2 recorder'!A1",
    ]
    assert [cell.value for cell in sheet[11]][:3] == [f"'{HOSTILE[1]}", "a.yaml, b.yaml", "–"]
    assert sheet["F11"].value == "unknown"


def test_weights_and_inputs_have_a_sheet_of_their_own(tmp_path):
    """A missing cost is a word, a weight without an upper end says any."""
    sheet = opened(rich(), tmp_path)["Sensitivity 1 recorder"]
    rows = [[cell for cell in row if cell is not None] for row in sheet.iter_rows(values_only=True)]
    assert [f"'{HOSTILE[3]}", 0.1, 0.3, 900, "unknown", "alpha", "delta", "yes"] in rows
    assert ["Accuracy (points)", 3, 1.5, "any", "40 → 0; 55 → 1"] in rows
    assert ["Cost over the years (USD)", 2, 0, 4.5, "100 → 1; 2000 → 0"] in rows
    scores = opened(rich(), tmp_path)["Candidates 1 recorder"]
    assert [cell(scores, FIRST + 1, name).value for name in SCORES] == ["unknown", 0.25, 0.75]
