"""One row into a CSV file of a user's catalogue: whole or not at all, with everything that was there before.

The new content goes into ``.NAME.new`` beside the file, which only one process can create, and takes its place at once.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dse.catalog.columns import Sheet
from dse.catalog.csvfile import read_csv
from dse.catalog.paths import CatalogueFile
from dse.catalog.row_rules import RULES
from dse.errors import CatalogError, Fault

Row = Mapping[str, str]


@dataclass(frozen=True)
class Prepared:
    """A row that is ready to be written: the finished file stands beside the one it will replace."""

    target: Path
    draft: Path

    def finish(self) -> None:
        """Let the new file take the place of the old one."""
        os.replace(self.draft, self.target)

    def drop(self) -> None:
        """Leave everything as it was."""
        with suppress(OSError):
            self.draft.unlink()


def prepare(folder: Path, sheet: Sheet, row: Row, *, replace: bool) -> Prepared:
    """Write the file with the row beside the file without it, and check it.

    Parameters
    ----------
    folder : Path
        The user's catalogue folder; made if it is not there.
    sheet : Sheet
        Kind of file, of those in the folder ``models``.
    row : mapping of column to text
        Columns the sheet does not have are left out.
    replace : bool
        Whether a row with the same key is replaced; otherwise it is an error.

    Raises
    ------
    CatalogError
        The file is not in order, holds the key already, or the row breaks a rule.
    """
    label = f"models/{sheet.name}.csv"
    shown = folder / label
    target = shown.resolve()
    draft = target.with_name(f".{target.name}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        stream = draft.open("x", encoding="utf-8", newline="")
    except FileExistsError:
        hint = f"wait for the other command; if there is none, remove {draft}"
        raise CatalogError([Fault(str(shown), 0, 0, "", "is being written by another command", hint)]) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CatalogError([Fault(str(shown), 0, 0, "", f"cannot be written: {reason}")]) from None
    prepared = Prepared(target, draft)
    try:
        with stream:
            stream.write(_content(target, shown, sheet, row, replace=replace))
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        _check(draft, shown, label, sheet)
    except BaseException:
        prepared.drop()
        raise
    return prepared


def _content(target: Path, shown: Path, sheet: Sheet, row: Row, *, replace: bool) -> str:
    """The whole new file; lines that need no change keep every byte."""
    named = {name: text for name, text in row.items() if name in sheet.by_name}
    if not target.exists() or not target.read_bytes().strip():
        return _line([column.name for column in sheet.columns if column.name in named]) + _line(named.values())
    faults: list[Fault] = []
    if read_csv(CatalogueFile(target, "", 1), sheet, faults) is None:
        raise CatalogError(faults)
    text = target.read_bytes().decode("utf-8")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    rows = list(csv.reader(io.StringIO(text.removeprefix(mark), newline=""), strict=True))
    header = [name.strip() for name in rows[0]]
    same = [index for index, cells in enumerate(rows) if index and _key(header, cells, sheet) == _key_of(named, sheet)]
    if same and not replace:
        raise CatalogError([Fault(str(shown), 0, 0, "id", f"`{row['id']}` is there already with this input and these "
                                  "weights, data set and metric", "--replace takes its place")])  # fmt: skip
    columns = [*header, *(name for name, cell in named.items() if cell and name not in header)]
    added = _line([named.get(name, "") for name in columns])
    if not same and columns == header:
        end = "\r\n" if "\r\n" in text else "\n"
        return text + ("" if text.endswith(("\n", "\r")) else end) + added.replace("\n", end)
    kept = [cells for index, cells in enumerate(rows) if index and index not in same and any(cells)]
    filled = [[*cells, *[""] * (len(columns) - len(cells))] for cells in kept]
    return mark + _line(columns) + "".join(map(_line, filled)) + added


def _line(cells: Iterable[str]) -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerow(cells)
    return stream.getvalue()


def _key(header: Sequence[str], cells: Sequence[str], sheet: Sheet) -> tuple[str | float, ...]:
    return _key_of(dict(zip(header, (cell.strip() for cell in cells), strict=False)), sheet)


def _key_of(row: Row, sheet: Sheet) -> tuple[str | float, ...]:
    """What makes a row one thing; an input of 0 is the same as none."""
    numbers = {column.name for column in sheet.columns if column.number}
    return tuple(float(row.get(name) or 0) if name in numbers else row.get(name, "") for name in sheet.key)


def _check(draft: Path, shown: Path, label: str, sheet: Sheet) -> None:
    """The rules on every file of its kind, on the new file as a whole."""
    faults: list[Fault] = []
    table = read_csv(CatalogueFile(draft, label, 1), sheet, faults)
    if table is not None and not faults:
        faults += [fault for rule in RULES.get(sheet.name, ()) for fault in rule(table)]
    if faults:
        raise CatalogError([dataclasses.replace(fault, file=str(shown)) for fault in faults])


def keep_all(folder: Path, rows: Sequence[tuple[Sheet, Row]], *, replace: bool) -> list[Path]:
    """Add one row to each of several files; all new files are finished and checked before the first takes its place.

    Raises
    ------
    CatalogError
        As in `prepare`; then no file has changed.
    """
    ready: list[Prepared] = []
    try:
        for sheet, row in rows:
            ready.append(prepare(folder, sheet, row, replace=replace))
        while ready:
            ready[0].finish()
            del ready[0]
    except BaseException:
        for one in ready:
            one.drop()
        raise
    return [folder / f"models/{sheet.name}.csv" for sheet, _row in rows]
