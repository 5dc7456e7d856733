"""``dse estimate``: a CSV of pairs in, the same rows with estimates out."""

from __future__ import annotations

import csv
import difflib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dse.api import knowledge_of
from dse.catalog.columns import MEASUREMENTS
from dse.errors import Fault, InputError
from dse.estimate.empirical import Efficiencies, efficiencies
from dse.estimate.pairs import Answers, Named, PairEstimator
from dse.estimate.places import Asked
from dse.patterns import name_hint, normalise
from dse.report.table import write_csv

NEEDED = ("chip", "model", "precision")
PLACE = ("chip", "device", "board", "mode", "unit", "cores", "streams", "runtime", "precision", "batch", "quantity")
NETWORK = ("model", "input_h", "input_w", "params_m", "gmacs")
ALIASES = {"runtime_group": "runtime", "device": "chip"}
COUNTS = {"cores": 0, "streams": 1, "batch": 1, "input_h": 0, "input_w": 0}
"""Columns of whole numbers, and what an empty cell means."""
MOST = 1_000_000
SIZES = {"params_m": (1e-6, 1e7), "gmacs": (1e-6, 1e7)}
"""Sizes of networks with the bounds of what the law is asked for: five decades beyond anything measured."""
QUANTITIES = ("latency", "period")
FOLDED = ("unit", "precision", "quantity")
"""Columns of closed words: capitals do not matter."""
ADDED = ("time_ms_per_item", "low_ms", "high_ms", "grade", "level", "basis")
LAW = ("compute_utilization", "bandwidth_utilization", "bound_by", "model_efficiency", "hardware_efficiency")
_ALIKE = 0.75  # of two names of columns: `gmac` and `gmacs` are, `time` and `runtime` are not


@dataclass(frozen=True)
class Pairs:
    """The rows of a file as they were written, each with the line at which it begins."""

    file: Path
    header: list[str]
    rows: list[list[str]]
    lines: list[int]

    def cells(self, name: str) -> list[str]:
        """A column without white space around its cells; empty where the file lacks it."""
        if name not in self.header:
            return [""] * len(self.rows)
        k = self.header.index(name)
        return [row[k].strip() for row in self.rows]

    def words(self, name: str) -> list[str]:
        """A column by its name; where the file or the cell has nothing, by its alias."""
        found = self.cells(name)
        for alias in (alias for alias, meant in ALIASES.items() if meant == name):
            found = [word or other for word, other in zip(found, self.cells(alias), strict=True)]
        return [word.casefold() for word in found] if name in FOLDED else found

    def carried(self) -> tuple[list[str], list[list[str]]]:
        """Names and cells of the columns that are written back, as they were written."""
        kept = [k for k, name in enumerate(self.header) if name not in (*ADDED, *LAW)]
        return [self.header[k] for k in kept], [[row[k] for row in self.rows] for k in kept]

    def fault(self, row: int, column: str, message: str, hint: str) -> Fault:
        """What is wrong with a cell."""
        return Fault(str(self.file), self.lines[row], 1, column, message, hint)


def estimate_file(file: Path, target: Path, roots: tuple[Path, ...], *, law: bool = False) -> dict[str, int]:
    """Answer for every row of `file` and write them to `target`, whole or not at all.

    Columns that are not understood are carried through. A measured time in the file is ignored and not written back;
    nor are the answers of an earlier run.

    Returns
    -------
    dict
        How many rows there are of each level; refused ones under ``refused``.

    Raises
    ------
    InputError
        The file cannot be used: every fault with its line.
    OSError
        The file cannot be read, or the target not be written.
    """
    return write_estimates(read_pairs(file), target, roots, law=law)


def write_estimates(pairs: Pairs, target: Path, roots: tuple[Path, ...], *, law: bool = False) -> dict[str, int]:
    """As `estimate_file`, for pairs that were read."""
    header, columns = pairs.carried()
    header += [*ADDED, *LAW] if law else ADDED
    levels: list[str] = []
    if pairs.rows:
        knowledge = knowledge_of(roots)
        asked, named = _asked(pairs), _named(pairs)
        answers = PairEstimator(knowledge.catalog, knowledge.estimator).answer(asked, named)
        columns += _answer_columns(answers)
        if law:
            columns += _law_columns(efficiencies(knowledge.catalog, knowledge.estimator, asked, named, answers))
        levels = [str(level) or "refused" for level in answers.level.tolist()]
    write_csv(target, header, (list(row) for row in zip(*columns, strict=True)))
    return {level: levels.count(level) for level in sorted(set(levels))}


def read_pairs(file: Path) -> Pairs:
    """Read a file of pairs and judge it.

    Raises
    ------
    InputError
        Every fault of the file, its header and its cells.
    OSError
        The file cannot be read.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            header = [cell.strip() for cell in next(reader, [])]
            numbered = list(_numbered(reader))
    except UnicodeDecodeError as error:
        message = f"the byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise InputError([Fault(str(file), 0, 0, "", message, "save as CSV in UTF-8")]) from None
    except csv.Error as error:
        hint = "check the quotes of this line"
        raise InputError([Fault(str(file), reader.line_num, 1, "", f"is not valid CSV: {error}", hint)]) from None
    faults = list(_header_faults(file, header))
    if faults and len(header) < len(NEEDED):
        raise InputError(faults)
    faults += [
        Fault(str(file), line, 1, "", f"{len(row)} cells, but the header has {len(header)}", "check commas and quotes")
        for line, row in numbered
        if len(row) != len(header)
    ]
    whole = [(line, row) for line, row in numbered if len(row) == len(header)]
    pairs = Pairs(file, header, [row for _, row in whole], [line for line, _ in whole])
    faults += [*_empty_faults(pairs), *_number_faults(pairs), *_quantity_faults(pairs)]
    if faults:
        raise InputError(faults)
    return pairs


def _numbered(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line at which each begins; a line without a comma or a word is none."""
    begins = reader.line_num + 1  # type: ignore[attr-defined]
    for row in reader:
        if len(row) > 1 or any(cell.strip() for cell in row):
            yield begins, row
        begins = reader.line_num + 1  # type: ignore[attr-defined]


def _header_faults(file: Path, header: list[str]) -> Iterator[Fault]:
    begin = f"begin with the columns {', '.join(NEEDED)}"
    if not any(header):
        yield Fault(str(file), 0, 0, "", "is empty", begin)
        return
    if len(header) == 1 and ";" in header[0]:
        yield Fault(str(file), 1, 1, "", "the columns are separated by semicolons", "save with commas")
        return
    there = {ALIASES.get(name, name) for name in header}
    read = {*PLACE, *NETWORK, *ALIASES}
    lacking = sorted(name for name in read if ALIASES.get(name, name) not in there)
    strange = [name for name in dict.fromkeys(header) if name and name not in read | {*ADDED, *MEASUREMENTS.by_name}]
    # A column without which the file is nothing goes before one that looks more alike.
    needed = [name for name in lacking if ALIASES.get(name, name) in NEEDED]
    meant = {name: _meant(name, needed) or _meant(name, lacking) for name in strange}
    for name in NEEDED:
        if name not in there and name not in {ALIASES.get(near, near) for near in meant.values()}:
            yield Fault(str(file), 1, 1, name, "the required column is missing", begin)
    for name, near in meant.items():
        if near:
            yield Fault(str(file), 1, 1, name, "unknown column", f"did you mean `{near}`?")
    for name in dict.fromkeys(header):
        if name and header.count(name) > 1:
            yield Fault(str(file), 1, 1, name, "the column is there twice", "keep one of the two")


def _meant(name: str, lacking: list[str]) -> str:
    """The column which a name that is none resembles, of those the file lacks; empty where there is none."""
    plain = normalise(name)
    longer = [known for known in lacking if plain.startswith(f"{normalise(known)}-")]
    by_form = {normalise(known): known for known in lacking}
    near = difflib.get_close_matches(plain[:80], by_form, n=1, cutoff=_ALIKE)
    return max(longer, key=len) if longer else by_form[near[0]] if near else ""


def _empty_faults(pairs: Pairs) -> Iterator[Fault]:
    for name in NEEDED:
        own = next((column for column in (name, *ALIASES) if _means(column, name) and column in pairs.header), "")
        for row, word in enumerate(pairs.words(name)):
            if own and not word:
                yield pairs.fault(row, own, "the cell is empty", f"every row needs {', '.join(NEEDED)}")


def _means(column: str, name: str) -> bool:
    return ALIASES.get(column, column) == name


def _number_faults(pairs: Pairs) -> Iterator[Fault]:
    for name in (*COUNTS, *SIZES):
        least, most = SIZES.get(name, (0, MOST))
        wanted = f"0 or a number from {least:g} to {most:g}" if name in SIZES else f"a whole number from 0 to {MOST}"
        words = pairs.cells(name)
        wrong = {word for word in set(words) if word and not _is_within(word, least, most, whole=name in COUNTS)}
        for row, word in enumerate(words):
            if word in wrong:
                message = f"found `{word[:40]}`, expected {wanted}"
                yield pairs.fault(row, name, message, "leave it empty if it is not known")


def _is_within(word: str, least: float, most: float, *, whole: bool) -> bool:
    """Whether a word is a decimal number between the bounds, or 0."""
    try:
        value = float(word)
    except ValueError:
        return False
    if not math.isfinite(value) or "_" in word:
        return False
    return value == 0 or (least <= value <= most and not (whole and value % 1))


def _quantity_faults(pairs: Pairs) -> Iterator[Fault]:
    for row, word in enumerate(pairs.words("quantity")):
        if word and word not in QUANTITIES:
            yield pairs.fault(row, "quantity", f"found `{word[:40]}`", name_hint(word, QUANTITIES))


def _asked(pairs: Pairs) -> list[Asked]:
    columns: dict[str, list[Any]] = {name: pairs.words(name) for name in PLACE}
    for name in ("cores", "streams", "batch"):
        columns[name] = [_count(word, COUNTS[name]) for word in columns[name]]
    # No network at all is no load: nobody said how many.
    columns["streams"] = [max(count, 1) for count in columns["streams"]]
    columns["quantity"] = [word or "latency" for word in columns["quantity"]]
    return [Asked(**dict(zip(PLACE, row, strict=True))) for row in zip(*columns.values(), strict=True)]


def _named(pairs: Pairs) -> list[Named]:
    columns: dict[str, list[Any]] = {name: pairs.words(name) for name in NETWORK}
    for name in ("input_h", "input_w"):
        columns[name] = [_count(word, COUNTS[name]) for word in columns[name]]
    for name in SIZES:
        # A size of 0 is a gap that somebody filled in.
        columns[name] = [(float(word) if word else 0) or float("nan") for word in columns[name]]
    return [Named(*row) for row in zip(*columns.values(), strict=True)]


def _count(word: str, default: int) -> int:
    return int(float(word)) if word else default


def _answer_columns(answers: Answers) -> list[list[str]]:
    times = [
        [_digits(value) for value in column.tolist()] for column in (answers.time_ms, answers.low_ms, answers.high_ms)
    ]
    return [*times, *(column.tolist() for column in (answers.grade, answers.level, answers.basis))]


def _law_columns(found: Efficiencies) -> list[list[str]]:
    figures = (found.compute, found.bandwidth, found.model, found.hardware)
    compute, bandwidth, model, hardware = ([_digits(value) for value in figure.tolist()] for figure in figures)
    return [compute, bandwidth, found.bound_by.tolist(), model, hardware]


def _digits(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.6g}"
