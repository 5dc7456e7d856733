"""One CSV file as columns of text and numbers, each row with its line; judges the text, not what it means."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dse.catalog.columns import Sheet
from dse.catalog.paths import CatalogueFile
from dse.catalog.types import FloatArray, TextArray
from dse.errors import Fault
from dse.patterns import name_hint, nearest

csv.field_size_limit(1_000_000)


@dataclass(frozen=True)
class CsvTable:
    """The kept columns of one file.

    Parameters
    ----------
    file : CatalogueFile
        Where it was read.
    lines : list of int
        Line at which each row begins.
    texts : mapping of column to (n,) text
        White space around a cell is dropped; a column the file lacks is empty.
    numbers : mapping of column to (n,) float
        NaN where a cell is empty.
    """

    file: CatalogueFile
    lines: list[int]
    texts: dict[str, TextArray]
    numbers: dict[str, FloatArray]

    def __len__(self) -> int:
        return len(self.lines)

    def fault(self, row: int, column: str, message: str, hint: str = "") -> Fault:
        """What is wrong with a cell, with the line of its row."""
        return Fault(str(self.file.path), self.lines[row], 1, column, message, hint)


def read_csv(file: CatalogueFile, sheet: Sheet, faults: list[Fault]) -> CsvTable | None:
    """Read one file; every fault of its text is appended to `faults`, and None returned when it cannot be used."""
    name = str(file.path)
    try:
        with file.path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            header = [cell.strip() for cell in next(reader, [])]
            rows, lines = _rows(reader)
    except UnicodeDecodeError as error:
        faults.append(
            Fault(name, 0, 0, "", f"the byte 0x{error.object[error.start]:02x} is not UTF-8", "save as UTF-8")
        )
        return None
    except csv.Error as error:
        faults.append(
            Fault(name, reader.line_num, 1, "", f"is not valid CSV: {error}", "check the quotes of this line")
        )
        return None
    except OSError as error:
        faults.append(Fault(name, 0, 0, "", f"cannot be read: {(error.strerror or str(error)).lower()}"))
        return None
    wrong = [Fault(name, 1, 1, *parts) for parts in _header_faults(header, sheet)]
    wrong += [
        Fault(name, line, 1, "", f"{len(row)} cells, but the header has {len(header)}", "check the commas and quotes")
        for line, row in zip(lines, rows, strict=True)
        if len(row) != len(header)
    ]
    if wrong:
        faults += wrong
        return None
    if sheet.answers:
        filled = [k for k, cells in enumerate(rows) if is_filled(dict(zip(header, cells, strict=True)), sheet)]
        rows, lines = [rows[k] for k in filled], [lines[k] for k in filled]
    return _columns(file, sheet, header, rows, lines, faults)


def is_filled(cells: Mapping[str, str], sheet: Sheet) -> bool:
    """Whether a row says anything: one that is empty in all answers of its sheet is a form nobody filled in."""
    return not sheet.answers or any(cells.get(name, "").strip() for name in sheet.answers)


def _rows(reader: Iterator[list[str]]) -> tuple[list[list[str]], list[int]]:
    """Rows that are not blank, and the line at which each begins."""
    rows, lines = [], []
    begins = reader.line_num + 1  # type: ignore[attr-defined]
    for row in reader:
        if any(row):
            rows.append(row)
            lines.append(begins)
        begins = reader.line_num + 1  # type: ignore[attr-defined]
    return rows, lines


def _header_faults(header: list[str], sheet: Sheet) -> Iterator[tuple[str, str, str]]:
    """Column, what was found, what to do."""
    if not header:
        yield "", "is empty", f"begin with the columns {', '.join(c.name for c in sheet.columns if c.required)}"
        return
    if len(header) == 1 and ";" in header[0]:
        yield "", "the columns are separated by semicolons", "save with commas"
        return
    known = sheet.by_name
    for column in dict.fromkeys(header):
        if column not in known and not sheet.open:
            yield column, "unknown column", name_hint(column, known)
        elif column in known and header.count(column) > 1:
            yield column, "the column is there twice", "keep one of the two"
    for name, declared in known.items():
        if declared.required and name not in header:
            near = nearest(name, (column for column in header if column and column not in known)) if sheet.open else ""
            meant = f"; or is it your column `{near}`?" if near else ""
            yield name, "the required column is missing", f"it holds: {declared.meaning}{meant}"


def _columns(
    file: CatalogueFile, sheet: Sheet, header: list[str], rows: list[list[str]], lines: list[int], faults: list[Fault]
) -> CsvTable:
    cells = dict(zip(header, zip(*rows, strict=True), strict=True)) if rows else {}
    table = CsvTable(file, lines, {}, {})
    blank = ("",) * len(rows)
    for column in sheet.columns:
        if not column.kept:
            continue
        text = [cell.strip() for cell in cells.get(column.name, blank)]
        if column.filled:
            faults += [
                table.fault(row, column.name, "the cell is empty", f"it holds: {column.meaning}")
                for row, cell in enumerate(text)
                if not cell
            ]
        if column.number:
            table.numbers[column.name] = _to_numbers(table, column.name, text, faults)
        else:
            table.texts[column.name] = np.array(text, dtype=object)
    return table


def _to_numbers(table: CsvTable, column: str, text: list[str], faults: list[Fault]) -> FloatArray:
    """NaN for empty cells; anything else that is no finite number is a fault."""
    of_word = {word: _number(word) for word in set(text)}
    faults += [
        table.fault(row, column, f"found `{word}`, expected a finite number", "leave the cell empty if it is not known")
        for row, word in enumerate(text)
        if of_word[word] is None
    ]
    return np.array([np.nan if of_word[word] is None else of_word[word] for word in text], dtype=np.float64)


def _number(word: str) -> float | None:
    """NaN for an empty cell, None for a word that is no finite decimal number."""
    if not word:
        return math.nan
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in word else None
