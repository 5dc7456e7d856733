"""The points of a sweep, in order: every combination of some lists of values, or the rows of a file."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path as FilePath

from dse.errors import Fault, InputError
from dse.sweeping.changes import PathError, changed, clashes, locate, value_at
from dse.sweeping.values import MAX_POINTS, Wrong, shortened, value_of, values_of
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path

VARY = "--vary"
Vary = Sequence[tuple[str, str | Sequence[Raw]]]
"""Paths with what each is to be: values, or the text of the command line for them."""


@dataclass(frozen=True)
class Point:
    """One what-if.

    Parameters
    ----------
    number : int
        Place in the order, from 1.
    place : tuple of int
        Which value of each field of the grid it has, from 0; of a point in a file, which row.
    values : tuple of (index, value)
        Which of the sweep's fields are changed, and to what; a field that is not named stays as it is.
    line : int
        Line of a file of points; 0 without one.
    """

    number: int
    place: tuple[int, ...]
    values: tuple[tuple[int, Raw], ...]
    line: int = 0


@dataclass(frozen=True)
class Plan:
    """All points, the fields they change as the user wrote them, and where those stand in the data.

    `file` is that of the points; empty when they are a grid.
    """

    fields: tuple[str, ...]
    places: tuple[Path, ...]
    points: tuple[Point, ...]
    file: str = ""

    def data(self, data: Raw, point: Point) -> Raw:
        """What the problem file would hold at a point."""
        for index, value in point.values:
            data = changed(data, self.places[index], value)
        return data

    def changes(self, point: Point) -> dict[str, Raw]:
        """Fields that a point changes, with their values."""
        return {self.fields[index]: value for index, value in point.values}

    def as_in_file(self, data: Raw) -> dict[str, Raw]:
        """What the problem file has where the fields stand; None where it has nothing there."""
        return {name: value_at(data, place) for name, place in zip(self.fields, self.places, strict=True)}


_AS_IT_IS = Plan((), (), (Point(1, (), ()),))
"""What can be judged where the plan itself is wrong: the problem file."""


def split_vary(texts: Iterable[str]) -> list[tuple[str, str]]:
    """``PATH=VALUES`` of the command line in two.

    Raises
    ------
    InputError
        A text without an equals sign.
    """
    pairs = [text.partition("=") for text in texts]
    faults = [
        Fault(f"{VARY} {shortened(path)}", 0, 0, "", "says no values", "write PATH=VALUES, as limits.power_w=2:20:2")
        for path, sign, values in pairs
        if not sign or not values.strip()
    ]
    if faults:
        raise InputError(faults)
    return [(path.strip(), values) for path, _sign, values in pairs]


def grid(data: Raw, vary: Vary) -> tuple[Plan, list[Fault]]:
    """Every combination of the values, the last field varying fastest; and all that is wrong with what was asked.

    Fields that are sound make a plan even where others are not, so that their values can be judged as well.
    """
    faults: list[Fault] = []
    found: list[tuple[str, Path]] = []
    fields, places, lists = [], [], []
    for text, given in vary:
        values, wrong = values_of(given) if isinstance(given, str) else (list(given), [])
        if not values and not wrong:
            wrong = [Wrong("says no values")]
        place, more = _located(data, text)
        faults += [Fault(f"{VARY} {shortened(text)}", 0, 0, "", *one) for one in (*more, *wrong)]
        if place is not None:
            found.append((text, place))
        if place is not None and values:
            fields.append(text)
            places.append(place)
            lists.append(values)
    faults += [Fault(f"{VARY} {shortened(text)}", 0, 0, "", *wrong) for text, wrong in _clashing(found)]
    count = prod(len(values) for values in lists)
    if count > MAX_POINTS:
        message = f"{count:,} points are more than {MAX_POINTS:,}"
        return _AS_IT_IS, [*faults, Fault(VARY, 0, 0, "", message, "take larger steps or fewer fields")]
    along = itertools.product(*(range(len(values)) for values in lists))
    points = (
        Point(number, place, tuple((k, values[j]) for k, (j, values) in enumerate(zip(place, lists, strict=True))))
        for number, place in enumerate(along, start=1)
    )
    return Plan(tuple(fields), tuple(places), tuple(points)), faults


def listed(data: Raw, file: FilePath) -> tuple[Plan, list[Fault]]:
    """The rows of a CSV file under a header of paths; an empty cell leaves its field as the problem file has it.

    Raises
    ------
    InputError
        There is no such file, it is no CSV, or it has no rows.
    OSError
        The file cannot be read.
    """
    header, rows = _read(file)
    faults: list[Fault] = []
    places: list[Path] = []
    for text in header:
        place, wrong = _located(data, text)
        faults += [Fault(str(file), 1, 1, shortened(text), *one) for one in wrong]
        places.append(place or (text,))
    if not faults:
        pairs = list(zip(header, places, strict=True))
        faults += [Fault(str(file), 1, 1, shortened(text), *wrong) for text, wrong in _clashing(pairs)]
    points = []
    for number, (line, row) in enumerate(rows, start=1):
        values = []
        for index, cell in enumerate(row):
            value = value_of(cell.strip()) if cell.strip() else ()
            if isinstance(value, Wrong):
                faults.append(Fault(str(file), line, 1, header[index], *value))
            else:
                values += [(index, one) for one in value]
        points.append(Point(number, (number - 1,), tuple(values), line))
    return (_AS_IT_IS if faults else Plan(tuple(header), tuple(places), tuple(points), str(file))), faults


def _located(data: Raw, text: str) -> tuple[Path | None, list[Wrong]]:
    try:
        return locate(data, text), []
    except PathError as error:
        return None, [error.wrong]


def _clashing(found: Sequence[tuple[str, Path]]) -> Iterator[tuple[str, Wrong]]:
    """Fields that are varied twice, and fields inside of others that are varied as a whole."""
    for first, second in clashes(place for _text, place in found):
        (text, place), (other, other_place) = found[second], found[first]
        message = "is varied twice" if place == other_place else f"and {other} change the same part of the file"
        yield text, Wrong(message, "keep one of the two")


def _read(file: FilePath) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header and rows, each with its line."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            lines = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except FileNotFoundError:
        raise InputError([Fault(str(file), 0, 0, "", "there is no such file")]) from None
    except IsADirectoryError:
        raise InputError([Fault(str(file), 0, 0, "", "is a directory", "name a file in it")]) from None
    except UnicodeDecodeError as error:
        message = f"the byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise InputError([Fault(str(file), 0, 0, "", message, "save as CSV in UTF-8")]) from None
    except csv.Error as error:
        hint = "check the quotes of this line"
        raise InputError([Fault(str(file), reader.line_num, 1, "", f"is not valid CSV: {error}", hint)]) from None
    begin = "begin with a line of paths such as limits.power_w, and give every point a line"
    if len(lines) < 2:
        raise InputError([Fault(str(file), 0, 0, "", "has no points" if lines else "is empty", begin)])
    (_line, header), *rows = lines
    faults = [
        Fault(str(file), line, 1, "", f"{len(row)} cells, but the header has {len(header)}", "check commas and quotes")
        for line, row in rows
        if len(row) != len(header)
    ]
    if len(rows) > MAX_POINTS:
        faults.append(Fault(str(file), 0, 0, "", f"{len(rows):,} points are more than {MAX_POINTS:,}"))
    if faults:
        raise InputError(faults)
    return [cell.strip() for cell in header], rows
