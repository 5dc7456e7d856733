"""What an audit finds, and the catalogue as its rules see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from dse.catalog.csvfile import CsvTable
from dse.catalog.paths import CatalogueFile
from dse.catalog.read import Shelves
from dse.catalog.types import Catalog

LANE = ["chip", "mode", "unit", "cores", "runtime", "precision"]
"""Columns under which measurements of different networks compare."""


@dataclass(frozen=True, order=True)
class Finding:
    """One doubt: ``thing`` names what it is about by ids alone, so that an explanation outlives a moved line."""

    file: str
    line: int
    rule: str
    thing: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.rule}: {self.thing}: {self.message}"


@dataclass(frozen=True)
class Evidence:
    """Everything a rule may look at."""

    shelves: Shelves

    @property
    def catalog(self) -> Catalog:
        """The catalogue as the solver sees it."""
        return self.shelves.catalog

    @cached_property
    def speeds(self) -> pd.DataFrame:
        """All measurements in use, with ``file``, ``line``, ``thing`` and the MACs and parameters of their network."""
        rows = _rows(self.shelves.tables["measurements"])
        rows = rows[rows.excluded == ""].reset_index(drop=True)
        sides, size = _sizes(rows)
        batch = rows.batch.fillna(0).astype(int).astype(str)
        words = [rows.chip, rows.unit, rows["mode"], rows.runtime, rows.model + "@" + size, rows.precision]
        rows["thing"] = pd.Series(
            [" ".join(filter(None, parts)) for parts in zip(*words, "batch " + batch, rows.quantity, strict=True)],
            index=rows.index,
            dtype=object,
        )
        nets = self.catalog.nets
        facts = pd.DataFrame({"model": nets.id, "h": nets.input_h, "w": nets.input_w, "stem": nets.stem,
                              "gmacs": nets.gmacs, "params_m": nets.params_m})  # fmt: skip
        # The rows' own sizes are what their source printed; rules compare those of the catalogue.
        own = rows.drop(columns=["gmacs", "params_m"]).assign(h=sides.input_h, w=sides.input_w)
        known = own.merge(facts, on=["model", "h", "w"], how="left")
        return known.set_axis(rows.index)

    @cached_property
    def models(self) -> pd.DataFrame:
        """All rows of models.csv with ``file``, ``line`` and ``thing``."""
        return _entry_rows(self.shelves.tables["models"])

    @cached_property
    def accuracies(self) -> pd.DataFrame:
        """All rows of accuracies.csv with ``file``, ``line`` and ``thing``."""
        return _entry_rows(self.shelves.tables["accuracies"])


Rule = Callable[[Evidence], Iterator[Finding]]
"""A named rule; its name in messages is that of the function, with hyphens."""


def rule_name(rule: Rule) -> str:
    """Name of a rule as people write it.

    Examples
    --------
    >>> def speed_above_peak(_): ...
    >>> rule_name(speed_above_peak)
    'speed-above-peak'
    """
    return rule.__name__.replace("_", "-")


def row_findings(rows: pd.DataFrame, rule: Rule, messages: list[str]) -> Iterator[Finding]:
    """One finding per row."""
    for file, line, thing, message in zip(rows.file, rows.line, rows.thing, messages, strict=True):
        yield Finding(file, line, rule_name(rule), thing, message)


def _rows(tables: list[CsvTable]) -> pd.DataFrame:
    parts = [
        pd.DataFrame({**table.texts, **table.numbers, "file": _shown(table.file), "line": table.lines})
        for table in tables
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _sizes(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Height and width of the input, 0 where not stated; and both as text."""
    sides = rows[["input_h", "input_w"]].fillna(0).astype(int)
    return sides, sides.input_h.astype(str) + "x" + sides.input_w.astype(str)


def _shown(file: CatalogueFile) -> str:
    """A user's file by its path, one that comes with dse by its place in the catalogues."""
    return str(file.path) if file.users else file.label


def _entry_rows(tables: list[CsvTable]) -> pd.DataFrame:
    rows = _rows(tables)
    _sides, size = _sizes(rows)
    words = [rows.id + "@" + size, rows.weights, rows.dataset, rows.metric]
    if "precision" in rows:
        words += [rows.precision, rows.toolchain]
    rows["thing"] = [" ".join(filter(None, parts)) for parts in zip(*words, strict=True)]
    return rows
