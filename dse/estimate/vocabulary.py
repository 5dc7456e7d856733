"""Words as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.catalog.types import IntArray, TextArray


def vocabulary(words: TextArray) -> dict[str, int]:
    """Distinct words in the order of the alphabet, so that the order of rows changes nothing."""
    return {word: k for k, word in enumerate(sorted(set(words.tolist())))}


def codes(words: TextArray, numbers: dict[str, int]) -> IntArray:
    """The number of every word; one past the last for a word that has none."""
    return np.array([numbers.get(word, len(numbers)) for word in words.tolist()], dtype=np.int64)


def distinct_rows(columns: Sequence[np.ndarray]) -> tuple[IntArray, IntArray]:
    """First position of every distinct row of parallel columns, and which of them each row is; NaN equals NaN."""
    place: dict[tuple[str, ...], int] = {}
    first: list[int] = []
    of_row = np.empty(len(columns[0]), dtype=np.int64)
    for row, key in enumerate(zip(*(column.astype(str).tolist() for column in columns), strict=True)):
        if key not in place:
            place[key] = len(first)
            first.append(row)
        of_row[row] = place[key]
    return np.array(first, dtype=np.int64), of_row
