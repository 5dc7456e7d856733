"""Catalogue files to typed rows; later folders override earlier ones, field by field or row by row."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, replace
from pathlib import Path

from dse.catalog import build, references, row_rules
from dse.catalog.boards import read_boards
from dse.catalog.chips import read_chips
from dse.catalog.columns import SHEETS, Sheet
from dse.catalog.csvfile import CsvTable, read_csv
from dse.catalog.keys import entry_keys, net_keys
from dse.catalog.paths import CatalogueFile, catalogue_files
from dse.catalog.types import Catalog, Chip
from dse.errors import CatalogError, Fault
from dse.patterns import name_hint

Tables = dict[str, list[CsvTable]]
_SHEET_OF = {"models/models.csv": "models", "models/accuracies.csv": "accuracies", "tails.csv": "tails",
             "toolchains.csv": "toolchains", "explained.csv": "explained",
             "models/facts.csv": "facts"}  # fmt: skip
_KNOWN_LABELS = ("chips/*.yaml", "boards/*.yaml", *_SHEET_OF, "measurements/*.csv")


@dataclass(frozen=True)
class Shelves:
    """The catalogue, and every row of its CSV files with the line it stands on, used or not."""

    catalog: Catalog
    tables: Tables


def read_catalog(roots: tuple[Path, ...]) -> Catalog:
    """The catalogue of all folders; see `read_shelves`."""
    return read_shelves(roots).catalog


def read_shelves(roots: tuple[Path, ...]) -> Shelves:
    """Read every catalogue below `roots`.

    Parameters
    ----------
    roots : tuple of Path
        Folders; the first one comes with dse, the others are the user's and may hold only some of the files. Chips
        and boards with a known id override field by field, rows of models, accuracies, tails and tool chains with a
        known key row by row; measurements add to those of the earlier folders.

    Raises
    ------
    CatalogError
        Everything that is wrong with any file, all at once.
    """
    faults: list[Fault] = []
    files = catalogue_files(roots)
    yaml_files, tables = _open(files, faults)
    tail_classes = {name for table in tables["tails"] for name in table.texts["class"]}
    chips = read_chips(yaml_files["chips"], tail_classes, faults)
    boards = read_boards(yaml_files["boards"], chips, faults)
    _judge(tables, chips, faults)
    if faults:
        raise CatalogError(faults)
    frames = {name: build.frame(name, of_kind) for name, of_kind in tables.items()}
    catalog = build.catalog(chips, boards, frames)
    return Shelves(replace(catalog, files=tuple(file.shown for file in files)), tables)


def toolchain_group(word: str, toolchains: tuple[tuple[str, str], ...]) -> str:
    """The group of tool versions whose quantization is alike; a word no pattern knows is its own group.

    Examples
    --------
    >>> toolchain_group("Hailo Model Zoo v5.2.0", (("hailo*", "hailo"),))
    'hailo'
    >>> toolchain_group("bmrt", ())
    'bmrt'
    """
    lowered = word.lower()
    return next((group for pattern, group in toolchains if fnmatch.fnmatchcase(lowered, pattern)), lowered)


def _open(files: list[CatalogueFile], faults: list[Fault]) -> tuple[dict[str, list[CatalogueFile]], Tables]:
    """Chip and board files, and the rows of every CSV file by kind."""
    sheets: dict[str, Sheet] = {sheet.name: sheet for sheet in SHEETS}
    tables: Tables = {name: [] for name in sheets}
    yaml_files: dict[str, list[CatalogueFile]] = {"chips": [], "boards": []}
    for file in files:
        folder, _slash, _name = file.label.rpartition("/")
        kind = "measurements" if folder == "measurements" else _SHEET_OF.get(file.label)
        if folder in yaml_files:
            yaml_files[folder].append(file)
        elif kind is None:
            hint = name_hint(file.label, _KNOWN_LABELS, short=12)
            faults.append(Fault(str(file.path), 0, 0, "", f"no catalogue file is called `{file.label}`", hint))
        else:
            table = read_csv(file, sheets[kind], faults)
            if table is not None:
                tables[kind].append(table)
    return yaml_files, tables


def _judge(tables: Tables, chips: dict[str, Chip], faults: list[Fault]) -> None:
    """Apply every rule to every file that could be read."""
    known = references.Known(
        chips=chips,
        nets=frozenset(key for table in tables["models"] for key in net_keys(table, "id")),
        entries=frozenset(key for table in tables["models"] for key in entry_keys(table)),
    )
    readable = not faults
    for kind, table in ((kind, table) for kind, of_kind in tables.items() for table in of_kind):
        faults += [fault for rule in row_rules.RULES.get(kind, ()) for fault in rule(table)]
        # A file that could not be read would make every reference to it a fault of its own.
        rules = references.RULES.get(kind, ()) + (references.USER_RULES.get(kind, ()) if table.file.users else ())
        faults += [fault for rule in rules if readable for fault in rule(table, known)]
