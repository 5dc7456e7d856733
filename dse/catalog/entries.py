"""Entries of YAML catalogue files: where each stands, and one folder's over another's, field by field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dse.catalog.entry_rules import Rule
from dse.catalog.evidence import source_of
from dse.catalog.fields import Group
from dse.catalog.paths import CatalogueFile
from dse.catalog.places import condensed, place_of
from dse.errors import Fault
from dse.yamlfile.reader import Document, read_file
from dse.yamlfile.tree import Path

Raw = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """What one file says of one chip or board, and where."""

    raw: Raw
    document: Document
    path: Path
    file: CatalogueFile

    def fault(self, message: str, hint: str = "", inside: Path = ()) -> Fault:
        """Fault of the entry, or of a value inside it, worded with its id."""
        fault = self.document.fault((*self.path, *inside), message, hint)
        return Fault(fault.file, fault.line, fault.column, self._where(inside), message, hint)

    def _where(self, inside: Path) -> str:
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in inside)
        return f"{self.raw.get('id', '')}{''.join(parts)}".lstrip(".")


@dataclass(frozen=True)
class Merged:
    """One chip or board as all folders together describe it, and the last entry that did.

    ``places`` says where each figure stands, by its path in the form of ``sources``; see `dse.catalog.places`.
    """

    raw: Raw
    last: Entry
    places: dict[str, int]


def read_entries(
    files: Sequence[CatalogueFile], shape: Group, rules: Sequence[Rule], faults: list[Fault]
) -> dict[str, Merged]:
    """Entries of the files by id, those of later folders over those of earlier ones.

    Parameters
    ----------
    files : sequence of CatalogueFile
        Those that override others last.
    shape : Group
        The fields an entry may have.
    rules : sequence of Rule
        What a whole entry must keep.
    faults : list of Fault
        Whatever is wrong is appended, and then nothing is returned.
    """
    before = len(faults)
    merged: dict[str, Merged] = {}
    for entry in (entry for file in files for entry in _entries(file, shape, faults)):
        name = entry.raw["id"]
        known = merged.get(name)
        if known is not None and known.last.file.depth == entry.file.depth:
            line, _column = known.last.document.place(known.last.path)
            faults.append(entry.fault(f"listed twice, first in {known.last.file.path}:{line}", "keep one"))
        raw, places = entry.raw, _first_of_each(_places(entry.raw, entry))
        if known is not None:
            raw, places = _over(known.raw, raw), known.places | places
        merged[name] = Merged(raw, entry, places)
    if len(faults) > before:
        return {}  # the rules on whole entries presume sound fields
    for one in merged.values():
        faults += [one.last.fault(message, hint) for rule in rules for message, hint in rule(one.raw)]
    if len(faults) > before:
        return {}
    return {name: replace(one, places=condensed(one.places)) for name, one in merged.items()}


def merge(old: Raw, new: Raw) -> Raw:
    """`new` over `old`: mappings field by field, lists of named entries by `id`, everything else replaced."""
    result = dict(old)
    for key, value in new.items():
        before = result.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            result[key] = merge(before, value)
        elif isinstance(before, list) and isinstance(value, list) and all(_named(item) for item in before + value):
            by_id = {item["id"]: item for item in before}
            by_id.update({item["id"]: merge(by_id.get(item["id"], {}), item) for item in value})
            result[key] = list(by_id.values())
        else:
            result[key] = value
    return result


def _over(old: Raw, new: Raw) -> Raw:
    """`new` over `old`; a figure that `new` gives without a source has none: the old one speaks of another figure."""
    own = new.get("sources") or {}
    bare = {path: "" for path in _figure_paths(new) if source_of(path, own) is None}
    merged = merge(old, new)
    return {**merged, "sources": {**(merged.get("sources") or {}), **bare, **own}} if bare else merged


def _figure_paths(raw: Raw, inside: str = "") -> Iterator[str]:
    """Paths of the figures an entry gives, in the form of its ``sources``; items of lists go by their id."""
    for key, value in raw.items():
        if not inside and key in ("id", "name", "vendor", "class", "form", "sources", "notes", "modes", "prices"):
            continue
        path = inside if key == "units" else f"{inside}.{key}".lstrip(".")
        if isinstance(value, dict):
            yield from _figure_paths(value, path)
        elif isinstance(value, list) and value and all(_named(item) for item in value):
            for item in value:
                within = {name: figure for name, figure in item.items() if name not in ("id", "kind", "tail_class")}
                yield from _figure_paths(within, f"{path}.{item['id']}".lstrip("."))
        elif value is not None:
            yield path


def _places(value: object, entry: Entry, at: Path = (), name: str = "") -> Iterator[tuple[str, int]]:
    """Paths of groups and figures in the form of ``sources``, with their places; an item without an id by number."""
    if name or not at:
        line, _column = entry.document.place((*entry.path, *at))
        yield name, place_of(entry.file.number, line)
    if isinstance(value, dict):
        for key, item in value.items():
            if at or key not in ("id", "name", "notes", "sources"):
                path = name if key == "units" and not at else f"{name}.{key}".lstrip(".")
                yield from _places(item, entry, (*at, key), path)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, dict):
                path = f"{name}.{item.get('id', number)}".lstrip(".")
                yield from _places(item, entry, (*at, number), path)


def _first_of_each(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The first of several: the text of ``cpu`` and a unit of this id go by one path."""
    found: dict[str, int] = {}
    for path, place in pairs:
        found.setdefault(path, place)
    return found


def _named(item: object) -> bool:
    return isinstance(item, dict) and "id" in item


def _entries(file: CatalogueFile, shape: Group, faults: list[Fault]) -> Iterator[Entry]:
    """The entries of a file that have an id; a lone one needs no list."""
    document = read_file(file.path)
    faults += document.faults
    if not document.readable:
        return
    listed = isinstance(document.data, list)
    for index, raw in enumerate(document.data if listed else [document.data]):
        entry = Entry(raw if isinstance(raw, dict) else {}, document, (index,) if listed else (), file)
        if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
            faults.append(entry.fault("an entry is a mapping with an `id` that is text"))
            continue
        faults += [entry.fault(message, hint, inside) for inside, message, hint in shape.faults(raw)]
        yield entry
