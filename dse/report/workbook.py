"""A comparison of chips as an Excel workbook: what was asked, every chip, the money as formulas, and the evidence.

A buyer changes the quantity or the price of energy in the workbook and sees the costs move. Names come from files of
the user, so text is only ever written as text, and none begins as a formula would.
"""

from __future__ import annotations

import io
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dse.errors import Fault, InputError
from dse.report.table import whole_file

JsonObject = dict[str, Any]
ENDING = ".xlsx"
_MADE = datetime(2000, 1, 1)
"""The date of every workbook: the same comparison gives the same file, whenever it was written."""


def require_workbook(target: Path) -> None:
    """Refuse a workbook that cannot be written, before any work is done.

    Raises
    ------
    InputError
        The ending is not ``.xlsx``, the folder is missing, or xlsxwriter is not installed.
    """
    if target.suffix.casefold() != ENDING:
        raise InputError([Fault(str(target), 0, 0, "", "is no workbook dse can write", f"end in {ENDING}")])
    if not target.parent.is_dir():
        raise InputError([Fault(str(target), 0, 0, "", f"there is no folder `{target.parent}`", "make it first")])
    if find_spec("xlsxwriter") is None:
        hint = 'install it: pip install "dse[report]"'
        raise InputError([Fault(str(target), 0, 0, "", "needs xlsxwriter", hint)])


def write_workbook(data: JsonObject, target: Path) -> None:
    """Write the workbook of one or several comparisons, whole or not at all.

    Parameters
    ----------
    data : dict
        ``comparisons``, ``line``, ``evidence`` and ``versions``, as ``dse compare --json`` prints them.
    target : Path
        The file; one that is there is replaced.

    Raises
    ------
    InputError
        As `require_workbook`.
    """
    require_workbook(target)
    content = workbook_of(data)
    with whole_file(target) as file:
        file.write(content)


def workbook_of(data: JsonObject) -> bytes:
    """The workbook as the bytes of its file; the same data gives the same bytes."""
    from xlsxwriter import Workbook

    from dse.report.sheets.assumptions import inputs_of, write_assumptions_sheet
    from dse.report.sheets.candidates import write_candidates_sheet
    from dse.report.sheets.cells import Formats, Sheet
    from dse.report.sheets.evidence import NAME, Places, write_evidence_sheet
    from dse.report.sheets.names import sheet_names
    from dse.report.sheets.overview import write_overview_sheet
    from dse.report.sheets.sensitivity import has_sensitivity, write_sensitivity_sheet
    from dse.report.sheets.summary import write_summary_sheet

    content = io.BytesIO()
    plain = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    file = Workbook(content, {"in_memory": True, **plain})
    file.set_properties({"title": "Comparison of chips", "author": "dse", "created": _MADE})
    formats, evidence = Formats(file), data.get("evidence") or {}
    places, comparisons = Places(evidence), data["comparisons"]
    names = sheet_names([comparison["problem"]["file"] for comparison in comparisons])
    if len(comparisons) > 1:
        write_overview_sheet(Sheet(file, formats, "Overview"), data, names)
    for comparison, its in zip(comparisons, names, strict=True):
        at = inputs_of(its.assumptions)
        write_summary_sheet(Sheet(file, formats, its.summary), comparison, at)
        write_candidates_sheet(Sheet(file, formats, its.candidates), comparison, at, places)
        write_assumptions_sheet(Sheet(file, formats, its.assumptions), comparison, at, data["versions"])
        if has_sensitivity(comparison):
            write_sensitivity_sheet(Sheet(file, formats, its.sensitivity), comparison)
    if evidence:
        write_evidence_sheet(Sheet(file, formats, NAME), evidence, places)
    file.close()
    return content.getvalue()
