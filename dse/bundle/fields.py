"""What is different between the inputs of two bundles: fields of problems, rows of tables, entries of catalogues."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dse.bundle.difference import shown
from dse.yamlfile.reader import read_bytes
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path as Place
from dse.yamlfile.tree import where

JsonObject = dict[str, Any]
MOST_PAIRED = 300
"""Rows that are looked at for which became which; of longer lists it is said what went and what came."""
_IDENTIFYING = 4


class Missing:
    """Stands where there is no value at all; None is one that a file can hold."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = Missing()


@dataclass(frozen=True)
class Change:
    """One difference of inputs.

    Parameters
    ----------
    file : str
        File it is in, as the newer bundle calls it.
    name : str
        Path of the field, or what identifies a row; empty for the file as a whole.
    old, new
        Values; `MISSING` where there is none.
    place : tuple
        Keys and positions of the field in its file.
    """

    file: str
    name: str
    old: Any
    new: Any
    place: Place = field(default=(), compare=False)

    def data(self) -> JsonObject:
        """The change as JSON: ``change`` tells a value that is not there from one that is null."""
        kind = "added" if self.old is MISSING else "removed" if self.new is MISSING else "changed"
        old, new = (None if value is MISSING else value for value in (self.old, self.new))
        return {"file": self.file, "name": self.name, "change": kind, "old": old, "new": new, "text": self.text}

    @property
    def text(self) -> str:
        """The change in words."""
        name = self.name or self.file
        if self.old is MISSING:
            return f"{name}: new" if self.new in ("", None) else f"{name}: new, {shown(self.new)}"
        if self.new is MISSING:
            return f"{name}: gone" if self.old in ("", None) else f"{name}: gone, was {shown(self.old)}"
        return f"{name}: {shown(self.old)} → {shown(self.new)}"


def field_changes(file: str, old: bytes, new: bytes) -> list[Change]:
    """Fields of a YAML file that differ, by their paths; a file that is only written otherwise has none."""
    return list(_between(file, read_bytes(old, "").data, read_bytes(new, "").data, (), ""))


def file_changes(file: str, old: bytes | None, new: bytes | None) -> list[Change]:
    """What is different in a catalogue file or a table of quotations; None is no file."""
    if old is None or new is None:
        return [Change(file, "", MISSING if old is None else "", MISSING if new is None else "")]
    if file.endswith((".yaml", ".yml")):
        before, after = (_by_id(read_bytes(content, "").data) for content in (old, new))
        return list(_between(file, before, after, (), ""))
    return list(_rows(file, old, new))


def with_value(data: Raw, place: Place, value: Any) -> Raw:  # noqa: ANN401 - a value of a file, or none
    """The data with another value at a place; `MISSING` takes it away.

    Examples
    --------
    >>> with_value({"a": [{"b": 1}]}, ("a", 0, "b"), MISSING), with_value({}, ("a", "b"), 2)
    ({'a': [{}]}, {'a': {'b': 2}})
    """
    if not place:
        return value
    first, rest = place[0], place[1:]
    if isinstance(data, list):
        return [with_value(item, rest, value) if k == first else item for k, item in enumerate(data)]
    kept = dict(data) if isinstance(data, dict) else {}
    if not rest and value is MISSING:
        kept.pop(first, None)
    else:
        kept[first] = with_value(kept.get(first), rest, value)
    return kept


def _between(file: str, old: Any, new: Any, place: Place, name: str) -> Iterator[Change]:  # noqa: ANN401 - data of a file
    """Differences below a place; lists of the same named items go item by item, others as a whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            step = f"{name}.{key}" if name else str(key)
            yield from _between(file, old.get(key, MISSING), new.get(key, MISSING), (*place, key), step)
    elif isinstance(old, list) and isinstance(new, list) and _names(old) is not None and _names(old) == _names(new):
        for k, item in enumerate(_names(old) or ()):
            yield from _between(file, old[k], new[k], (*place, k), f"{name}.{item}")
    elif type(old) is not type(new) or old != new:
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (old, new))
        if not (numbers and old == new):
            yield Change(file, name or where(place), old, new, place)


def _names(items: list[Any]) -> list[str] | None:
    """Names of the items of a list, where each is a mapping with a name of its own."""
    names = [item.get("name") if isinstance(item, dict) else None for item in items]
    found = [name for name in names if isinstance(name, str)]
    return found if items and len(set(found)) == len(items) else None


def _by_id(data: Raw) -> Any:  # noqa: ANN401 - data of a file
    """Entries of a catalogue file by their id."""
    items = data if isinstance(data, list) else [data]
    named = {str(item["id"]): item for item in items if isinstance(item, dict) and "id" in item}
    return named if len(named) == len(items) else data


def _rows(file: str, old: bytes, new: bytes) -> Iterator[Change]:
    """Rows of two tables that differ; a row that changed in part is told from one that went and one that came."""
    gone, come = _only(old, new), _only(new, old)
    if len(gone) + len(come) <= MOST_PAIRED:
        for row in list(gone):
            alike = max(come, key=lambda other: _equal(row, other), default=None)
            if alike is None or 2 * _equal(row, alike) < len(row):
                continue
            gone.remove(row)
            come.remove(alike)
            for column in dict.fromkeys([*row, *alike]):
                before, after = row.get(column, MISSING), alike.get(column, MISSING)
                if before != after:
                    yield Change(file, f"{_title(row, alike)}: {column}", before, after)
    yield from (Change(file, _title(row, row), "", MISSING) for row in gone)
    yield from (Change(file, _title(row, row), MISSING, "") for row in come)


def _only(content: bytes, other: bytes) -> list[dict[str, str]]:
    """Rows of a table that another one has not."""
    tables = [[tuple(row.items()) for row in _dicts(side)] for side in (content, other)]
    left = Counter(tables[0]) - Counter(tables[1])
    return [dict(row) for row in left.elements()]


def _dicts(content: bytes) -> Iterator[dict[str, str]]:
    reader = csv.DictReader(
        io.StringIO(content.decode("utf-8-sig", errors="replace"), newline=""), restkey="", restval=""
    )
    for row in reader:
        yield {str(name): str(cell) for name, cell in row.items()}


def _equal(row: Mapping[str, str], other: Mapping[str, str]) -> int:
    return sum(other.get(name) == cell for name, cell in row.items())


def _title(row: Mapping[str, str], other: Mapping[str, str]) -> str:
    """The first cells that two rows share: what a reader knows them by."""
    same = [cell for name, cell in row.items() if cell and other.get(name) == cell]
    return " ".join(same[:_IDENTIFYING]) or "a row"
