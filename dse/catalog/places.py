"""Where a figure stands: file and line in one whole number, so that a column of places is one of whole numbers.

A place is ``file x LINES + line``, ``file`` counting the catalogue files in reading order; 0 says that nobody knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LINES = 1 << 24
"""More lines than any file has: the largest file dse reads ends long before."""
SHIPPED = "catalogs"
"""Folder of the catalogues that come with dse, as places show it."""


def place_of(file: int, line: int) -> int:
    """The place of a line in a file, by the number of the file."""
    return file * LINES + line


def file_of(place: int) -> int:
    """Number of the file of a place."""
    return place // LINES


def line_of(place: int) -> int:
    """Line of a place; 0 where only the file is known."""
    return place % LINES


def shown(place: int, files: Sequence[str]) -> str:
    """A place in words; empty where it is not known.

    Examples
    --------
    >>> shown(place_of(1, 118), ("catalogs/tails.csv", "catalogs/measurements/npu-ti.csv"))
    'catalogs/measurements/npu-ti.csv:118'
    >>> shown(place_of(1, 0), ("catalogs/tails.csv", "mine.yaml")), shown(0, ())
    ('mine.yaml', '')
    """
    if not place:
        return ""
    name, line = files[file_of(place)], line_of(place)
    return f"{name}:{line}" if line else name


def nearest(path: str, places: Mapping[str, int]) -> int:
    """Place of a figure by its path, or of the closest group around it; 0 where neither is known.

    Examples
    --------
    >>> nearest("power.max_w", {"": 3, "power": 9}), nearest("toolchain", {"": 3}), nearest("cpu", {})
    (9, 3, 0)
    """
    while path not in places and path:
        path = path.rpartition(".")[0]
    return places.get(path, 0)


def condensed(places: Mapping[str, int]) -> dict[str, int]:
    """Places without those that `nearest` finds anyway, because the group around them stands there too."""
    return {
        path: place for path, place in places.items() if not path or nearest(path.rpartition(".")[0], places) != place
    }
