"""Which line of ``facts.csv`` says what licence the weights of a row of ``models.csv`` have.

``models.csv`` is filled from ``facts.csv``: of the lines whose patterns fit a row, the first that names a licence
decides.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Hashable, Mapping
from functools import cache

import numpy as np
import pandas as pd

from dse.catalog.types import IntArray, TextArray

_PATTERNS = {"source_pattern": "source", "weights_pattern": "weights"}
_EMPTY = "none"


def license_facts(models: pd.DataFrame, facts: pd.DataFrame) -> tuple[TextArray, IntArray]:
    """Where each licence was read, and where it stands: in ``facts.csv`` where that says the same, else in the row.

    Parameters
    ----------
    models, facts : DataFrame
        Rows of ``models.csv`` (n) and ``facts.csv`` with the columns ``depth`` and ``place``; a line speaks of the rows
        of its own folder.

    Returns
    -------
    source (n,), place (n,)
        Empty and 0 where a row has no licence.
    """
    rows: list[dict[str, str]] = models[["id", "source", "weights", "license"]].to_dict("records")  # type: ignore[assignment]
    source = np.full(len(rows), "", dtype=object)
    place = np.where(models.license != "", models.place, 0).astype(np.int64)
    depth = models.depth.tolist()
    open_rows: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        open_rows.setdefault(row["id"], []).append(number)
    for fact in facts[facts.license != ""].to_dict("records"):
        for name in _names(open_rows, fact["pattern"]):
            found = {k for k in open_rows[name] if depth[k] == fact["depth"] and _others_fit(rows[k], fact)}
            for k in found:
                if rows[k]["license"] == fact["license"]:
                    source[k], place[k] = fact["license_source"], fact["place"]
            left = [k for k in open_rows[name] if k not in found]
            open_rows[name] = left
            if not left:
                del open_rows[name]
    return source, place


def _names(open_rows: Mapping[str, list[int]], pattern: str) -> list[str]:
    """Names a pattern fits; most lines take all of them or name one, which needs no look at the others."""
    if pattern and pattern != _EMPTY and not set(pattern) & set("*?["):
        return [pattern] if pattern in open_rows else []
    fits = _fits(pattern)
    return list(open_rows) if not pattern else [name for name in open_rows if fits(name)]


def _others_fit(row: dict[str, str], fact: Mapping[Hashable, str]) -> bool:
    return all(_fits(fact[pattern])(row[column]) for pattern, column in _PATTERNS.items())


@cache
def _fits(pattern: str) -> Callable[[str], bool]:
    """Whether a cell matches a pattern: an empty one takes all, the word ``none`` an empty cell."""
    if not pattern:
        return lambda _cell: True
    if pattern == _EMPTY:
        return lambda cell: not cell
    match = re.compile(fnmatch.translate(pattern)).match
    return lambda cell: match(cell) is not None
