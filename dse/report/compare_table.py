"""A comparison as CSV: one row per chip and problem, and the evidence of its figures in a second file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dse.report.compared_row import COLUMNS
from dse.report.front_data import cell_text
from dse.report.table import write_csv
from dse.report.words import BETWEEN

JsonObject = dict[str, Any]
LISTS = {"differs_in": None, "breaks": "text", "lacks": "text"}
"""Columns that list several things in one cell, and what of each is shown."""
FIGURES = ("accuracy", "latency", "power", "energy", "price", "memory", "temperature", "lifecycle", "license")
"""Figures whose evidence has a column of its own, with the id of a row in the second file."""
SCORES = ("score", "score_low", "score_high")
HEADER = (
    "problem",
    *COLUMNS,
    *LISTS,
    *SCORES,
    *(f"{name}_evidence" for name in FIGURES),
)
EVIDENCE = ("id", "figure", "of", "value", "unit", "grade", "kind", "place", "source", "basis", "from")


def write_comparison(data: JsonObject, target: Path, *, excel: bool = False) -> list[Path]:
    """Write the rows of every problem, and the evidence to ``NAME.evidence.csv`` beside it; returns the files written.

    A pipe or a device takes the rows alone.
    """
    write_csv(target, HEADER, rows_of(data), bom=excel)
    if target.exists() and not target.is_file():
        return [target]
    apart = evidence_file(target)
    write_csv(apart, EVIDENCE, evidence_of(data), bom=excel)
    return [target, apart]


def evidence_file(target: Path) -> Path:
    """The second file of a comparison."""
    return target.with_name(f"{target.stem}.evidence{target.suffix}")


def rows_of(data: JsonObject) -> Iterator[list[str]]:
    """One list of cells per row, in `HEADER`; unknown figures are empty, and no cell is a formula to a spreadsheet."""
    for comparison in data["comparisons"]:
        for row in comparison["rows"]:
            known = row.get("evidence") or {}
            cells = [comparison["problem"]["file"], *(row.get(name) for name in COLUMNS)]
            cells += [_listed(row[name], of) for name, of in LISTS.items()]
            cells += [*(row.get(name) for name in SCORES), *(known.get(name) for name in FIGURES)]
            yield [cell_text(cell) for cell in cells]


def _listed(values: list[Any], of: str | None) -> str | None:
    return BETWEEN.join(value if of is None else value[of] for value in values) or None


def evidence_of(data: JsonObject) -> Iterator[list[str]]:
    """One list of cells per piece of evidence, in `EVIDENCE`."""
    for name, record in data["evidence"].items():
        values = {**record, "id": name, "from": BETWEEN.join(record.get("from") or ()) or None}
        yield [cell_text(values.get(column)) for column in EVIDENCE]
