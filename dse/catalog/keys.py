"""What a row of a CSV catalogue is of: its network, its entry, its cells."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dse.catalog.csvfile import CsvTable

Net = tuple[str, int, int]
"""Architecture and input size, 0 where it is not stated."""


def net_keys(table: CsvTable, name: str) -> list[Net]:
    """Architecture and input size of each row, 0 where it is not stated."""
    height, width = (np.nan_to_num(table.numbers[side]).astype(int).tolist() for side in ("input_h", "input_w"))
    return list(zip(table.texts[name].tolist(), height, width, strict=True))


def entry_keys(table: CsvTable) -> list[tuple[str | int, ...]]:
    """Net, weights, data set and metric of each row."""
    rest = (table.texts[column].tolist() for column in ("weights", "dataset", "metric"))
    return [(*net, *words) for net, *words in zip(net_keys(table, "id"), *rest, strict=True)]


def cells_of(table: CsvTable, column: str) -> Iterator[tuple[int, str]]:
    """Row and word of every cell that is not empty; nothing where the file kind has no such column."""
    return ((row, word) for row, word in enumerate(table.texts.get(column, ())) if word)
