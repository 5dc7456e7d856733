"""The candidate table as CSV: the columns every user may rely on, in a fixed order."""

from __future__ import annotations

import csv
import errno
import io
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np

from dse.candidates.context import Context
from dse.candidates.limits import names_of
from dse.candidates.table import NO_ACCURACY_BIT, Candidates, chunks
from dse.estimate.evidence import GRADES
from dse.report.words import ON_THE_BOARD, host_word
from dse.schema import QUANTITIES, UNKNOWN
from dse.timing.ticks import INFINITE

RUN = (
    "unit",
    "cores",
    "runtime",
    "model",
    "weights",
    "input_h",
    "input_w",
    "precision",
    "batch",
    "policy",
    "timeout_ms",
    "buffers",
)
"""What runs, and how: the columns of a candidate that every table of designs has."""
COLUMNS = (
    "task",
    "chip",
    "board",
    "host",
    "link",
    "mode",
    *RUN,
    "accuracy",
    "accuracy_low",
    "accuracy_grade",
    "worst_case_ms",
    "typical_ms",
    "rate_hz",
    "utilization",
    "power_w",
    "price_usd",
    "lead_time_weeks",
    "memory_mb",
    "grade",
    "feasible",
    "violated",
)
TEXTS = (*COLUMNS[: COLUMNS.index("batch")], "policy", "violated")
"""Columns whose cells may come from names that people chose."""
_COUNTS = ("cores", "input_h", "input_w")
NUMBERS = (*_COUNTS, *(name for name in COLUMNS if name not in (*TEXTS, "accuracy_grade", "grade", "feasible")))
"""Columns of numbers; an empty cell is an unknown one."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def rows_of(context: Context, candidates: Candidates) -> Iterator[list[str]]:
    """One list of cells per candidate, in `COLUMNS`, as they are; unknown figures are empty."""
    runs, lanes, catalog = context.runs, context.lanes, context.catalog
    words = (host_word(context, *names) for names in zip(lanes.chips(catalog), lanes.board.tolist(), strict=True))
    hosts = ["" if word in (None, ON_THE_BOARD) else word for word in words]
    numbers = {
        name: _decimals(getattr(candidates, name), QUANTITIES[name].scale) for name in COLUMNS if name in QUANTITIES
    }
    broken = {bits: " | ".join(_violations(context, bits)) for bits in np.unique(candidates.violated).tolist()}
    for k in range(len(candidates)):
        run, entry, option = (
            int(candidates.run[k]),
            int(candidates.entry[k]),
            context.options[int(candidates.option[k])],
        )
        net, lane, chip = int(runs.net[run]), context.lane_of(run), context.chip_of(run)
        text = [
            context.task.name,
            chip.id,
            lanes.board[lane],
            hosts[lane],
            chip.link.label if chip.behind_link and chip.link else "",
            lanes.mode[lane],
            lanes.unit[lane],
            str(lanes.cores[lane] or ""),
            lanes.runtime[lane],
            catalog.nets.id[net],
            str(catalog.entries.weights[entry]),
            str(catalog.nets.input_h[net] or ""),
            str(catalog.nets.input_w[net] or ""),
            lanes.precision[lane],
            str(runs.batch[run]),
            option.policy,
            f"{option.timeout_ms:g}",
            str(option.buffers),
        ]
        violated = int(candidates.violated[k])
        yield [
            *text,
            numbers["accuracy"][k],
            numbers["accuracy_low"][k],
            GRADES[min(int(candidates.accuracy_grade[k]), 4)],
            numbers["worst_case_ms"][k],
            numbers["typical_ms"][k],
            numbers["rate_hz"][k],
            numbers["utilization"][k],
            numbers["power_w"][k],
            numbers["price_usd"][k],
            numbers["lead_time_weeks"][k],
            numbers["memory_mb"][k],
            GRADES[int(runs.grade[run])],
            "true" if violated == 0 else "false",
            broken[violated],
        ]


def safe_row(cells: list[str]) -> list[str]:
    """Cells of `COLUMNS` of which a spreadsheet runs none."""
    return [safe(cell) if name in TEXTS else cell for name, cell in zip(COLUMNS, cells, strict=True)]


def safe(cell: str) -> str:
    """Text a spreadsheet will not run as a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def _violations(context: Context, bits: int) -> list[str]:
    """Names of the broken rules, the missing accuracy among them."""
    names = names_of(bits, context.rules)
    return [*names, "accuracy unknown"] if bits >> NO_ACCURACY_BIT & 1 else names


def _decimals(column: np.ndarray, scale: int) -> list[str]:
    """Whole numbers as exact decimals; unknown and unbounded ones are empty."""
    digits = len(str(scale)) - 1
    return ["" if number in (UNKNOWN, INFINITE) else _decimal(number, scale, digits) for number in column.tolist()]


def _decimal(number: int, scale: int, digits: int) -> str:
    sign, number = ("-", -number) if number < 0 else ("", number)
    fraction = f"{number % scale:0{digits}d}".rstrip("0")
    return f"{sign}{number // scale}" + (f".{fraction}" if fraction else "")


def write_candidates(contexts: Iterable[Context], target: Path) -> int:
    """Write the whole candidate table, task by task and chunk by chunk, whole or not at all; returns the rows."""
    count = 0

    def every_row() -> Iterator[list[str]]:
        nonlocal count
        for context in contexts:
            for chunk in chunks(context):
                count += len(chunk)
                yield from (safe_row(row) for row in rows_of(context, chunk))

    write_csv(target, COLUMNS, every_row())
    return count


def write_csv(target: Path, header: Iterable[str], rows: Iterable[list[str]], *, bom: bool = False) -> None:
    """Write UTF-8 CSV, whole or not at all; `bom` puts a byte order mark first, for Excel.

    No cell of the header is run as a formula; those of `rows` are written as they are.
    """
    encoding = "utf-8-sig" if bom else "utf-8"
    with whole_file(target) as file, io.TextIOWrapper(file, encoding=encoding, newline="") as text:
        _write(text, header, rows)


@contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """A file that replaces `target` when all is written: a reader never sees half of it.

    A link stays one; a pipe or device is written to.
    """
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file to write", str(target))
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    target = target.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).chmod(0o644)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _write(file: TextIO, header: Iterable[str], rows: Iterable[list[str]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(safe, header))
    writer.writerows(rows)
