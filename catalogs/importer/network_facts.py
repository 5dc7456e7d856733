"""Operators, licence and address of the weights of every network, from the hand-written ``models/facts.csv``.

    python -m catalogs.importer.network_facts

rewrites these three columns of ``models/models.csv`` and leaves every other cell as it is.

A line of ``facts.csv`` speaks of the rows whose cells match its patterns (``fnmatch``, an empty pattern matches all):
``pattern`` the ``id``, ``weights_pattern`` the tag of the weights, ``source_pattern`` the ``source``. The word ``none``
as a pattern matches an empty cell. A licence belongs to whoever published the weights, so licence lines name the tag;
operators belong to the architecture. Each column takes the first matching line that fills it; ``unknown`` ends the
search with an empty cell. ``operators_source`` and ``license_source`` say where a statement was read.

Operators are the words of ``dse.catalog.operators`` that decide whether a unit can run a network. A filled cell names
all of `RECORDED` that the network needs, an empty cell says nothing. Dense layers are named only where there is nothing
else; softmax, resizing, embedding look-up, sampling, sorting, non-maximum suppression and activations are not recorded.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import filter as matching
from fnmatch import translate
from functools import cache
from pathlib import Path

RECORDED = {
    "3-d": "convolution over three dimensions",
    "attention": "product of two activations: softmax or linear attention",
    "binary": "convolution of one-bit weights with one-bit activations",
    "conv": "ungrouped convolution over one or two dimensions, 1x1 included",
    "deconv": "transposed convolution",
    "deformable": "convolution that samples at computed places",
    "dense": "dense layers and none of the others",
    "depthwise": "convolution with one input channel per group",
    "dilated": "convolution with a dilation above one",
    "grouped": "convolution in groups of several channels",
    "normalization": "statistics taken at run time: layer, group, instance or RMS normalization",
    "recurrent": "LSTM or GRU",
}
"""Operator words used here and what they stand for."""
FILLED = ("operators", "license", "weights_url")
PATTERNS = {"pattern": "id", "source_pattern": "source", "weights_pattern": "weights"}
"""Pattern column of ``facts.csv`` and the column of ``models.csv`` it is held against."""
EMPTY = "none"
UNKNOWN = "unknown"

Row = Mapping[str, str]


def main() -> None:
    """Fill ``models.csv`` beside ``facts.csv``."""
    folder = Path(__file__).resolve().parents[1] / "models"
    table = folder / "models.csv"
    table.write_text(filled(table.read_text(encoding="utf-8"), read_facts(folder / "facts.csv")), encoding="utf-8")


def read_facts(path: Path) -> list[Row]:
    """The lines of ``facts.csv``, in order."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def filled(text: str, facts: Sequence[Row]) -> str:
    """The text of ``models.csv`` with the three columns filled; other cells and the order of rows stay."""
    reader = csv.DictReader(io.StringIO(text))
    columns = list(reader.fieldnames or ())
    rows = list(reader)
    known = by_id({row["id"] for row in rows}, facts)
    if "weights_url" not in columns:
        columns.insert(columns.index("license") + 1, "weights_url")
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row | facts_of(row, known[row["id"]]) for row in rows)
    return out.getvalue()


def by_id(ids: Iterable[str], facts: Iterable[Row]) -> dict[str, list[Row]]:
    """Lines whose first pattern fits, in their order, for each id: a thousand times fewer than lines times rows."""
    found: dict[str, list[Row]] = {name: [] for name in ids}
    for fact in facts:
        for name in matching(found, fact["pattern"] or "*"):
            found[name].append(fact)
    return found


def facts_of(row: Row, facts: Iterable[Row]) -> dict[str, str]:
    """Operators, licence and address of one row of ``models.csv``; empty where no line knows them."""
    found: dict[str, str] = {}
    for fact in facts:
        if len(found) == len(FILLED):
            break
        if matches(row, fact):
            for column in FILLED:
                if fact[column]:
                    found.setdefault(column, fact[column])
    return {column: "" if found.get(column) == UNKNOWN else found.get(column, "") for column in FILLED}


def matches(row: Row, fact: Row) -> bool:
    """True where the row's cells match every pattern of the line."""
    return all(_cell_matches(row[column], fact[pattern]) for pattern, column in PATTERNS.items())


def _cell_matches(cell: str, pattern: str) -> bool:
    if not pattern:
        return True
    return not cell if pattern == EMPTY else _compiled(pattern).match(cell) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """What `fnmatchcase` matches with; it remembers 256 patterns only, and compiles a thousand anew for every row."""
    return re.compile(translate(pattern))


if __name__ == "__main__":
    main()
