"""The part of the shipped catalogues an answer rests on, as text: entries of chips and boards, rows of tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dse.catalog.paths import CatalogueFile, catalogue_files, shipped_root
from dse.report.compare_table import EVIDENCE, evidence_of

JsonObject = dict[str, Any]
FOLDER = "catalogue"
_PLACE = re.compile(r"catalogs/(.+\.csv):([0-9]{1,9})")
_ENTRY = re.compile(r"^- ", re.MULTILINE)
_ID = re.compile(r"""\bid: *["']?([^\s,"'}]+)""")
_KEYS = {"chips": ("chip",), "boards": ("board", "host")}


def extract(answer: JsonObject) -> dict[str, bytes]:
    """Files of a bundle by name: what the shipped catalogues say of everything the answer names."""
    files = catalogue_files((shipped_root(),))
    evidence = answer.get("evidence") or {}
    found = {f"{FOLDER}/evidence.csv": table(EVIDENCE, evidence_of({"evidence": evidence}))}
    for folder, keys in _KEYS.items():
        wanted = {name for key in keys for name in words_of(answer, key)}
        for file in files:
            if file.label.startswith(f"{folder}/"):
                found |= {f"{FOLDER}/{folder}/{name}.yaml": text for name, text in _entries(file, wanted)}
    lines = _lines(evidence)
    for file in files:
        if file.label in lines:
            found[f"{FOLDER}/{file.label}"] = _rows(file, lines[file.label])
    return found


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> bytes:
    """UTF-8 CSV of cells that are text already."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def words_of(node: object, key: str) -> Iterator[str]:
    """Every text that stands behind a key, anywhere in an answer."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key and isinstance(value, str):
                yield value
            else:
                yield from words_of(value, key)
    elif isinstance(node, list):
        for item in node:
            yield from words_of(item, key)


def _entries(file: CatalogueFile, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    """Entries of a shipped YAML file, which is a list, as they stand there."""
    text = file.path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    starts = [match.start() for match in _ENTRY.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        entry = text[start:end]
        name = _ID.search(entry)
        if name is not None and name[1] in wanted:
            line = text.count("\n", 0, start) + 1
            yield name[1], f"# catalogs/{file.label}:{line}\n{entry.rstrip()}\n".encode()


def _lines(evidence: Mapping[str, JsonObject]) -> dict[str, set[int]]:
    """Lines of shipped tables that figures come from, by file."""
    found: dict[str, set[int]] = {}
    for what in evidence.values():
        place = _PLACE.fullmatch(what.get("place") or "")
        if place is not None:
            found.setdefault(place[1], set()).add(int(place[2]))
    return found


def _rows(file: CatalogueFile, lines: set[int]) -> bytes:
    """Rows of a shipped table as they stand there, behind the number of the line they begin on."""
    reader = csv.reader(io.StringIO(file.path.read_bytes().decode("utf-8-sig"), newline=""))
    header, before = next(reader), reader.line_num
    kept = []
    for row in reader:
        first, before = before + 1, reader.line_num
        if any(first <= line <= before for line in lines):
            kept.append([str(first), *row])
    return table(("line", *header), kept)
