"""Walks over the plain data of a problem file, whatever shape it has, for the rules that judge it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path

Item = tuple[Path, dict[str, Raw]]


@dataclass(frozen=True)
class Finding:
    """A fault at a path of the document, before it has a line.

    Parameters
    ----------
    path : tuple of keys and indices
        Where it is.
    message, hint : str
        What was found and what is allowed; what to do.
    """

    path: Path
    message: str
    hint: str = ""


def get(data: Raw, *path: str | int) -> Raw:
    """Value at a path; None when there is none."""
    for part in path:
        is_key = isinstance(data, dict) and part in data
        if not (is_key or (isinstance(data, list) and isinstance(part, int) and part < len(data))):
            return None
        data = data[part]
    return data


def entries(data: Raw, *path: str | int) -> Iterator[tuple[Path, Raw]]:
    """Items of the list at a path, or the lone item that stands in its place."""
    value = get(data, *path)
    if isinstance(value, list):
        yield from (((*path, index), item) for index, item in enumerate(value))
    elif value is not None:
        yield path, value


def mappings(data: Raw, *path: str | int) -> Iterator[Item]:
    """As `entries`, only those that are mappings."""
    return ((place, item) for place, item in entries(data, *path) if isinstance(item, dict))


def texts(data: Raw, *path: str | int) -> Iterator[tuple[Path, str]]:
    """As `entries`, only those that are text."""
    return ((place, item) for place, item in entries(data, *path) if isinstance(item, str))


def walk(data: Raw, path: Path = ()) -> Iterator[tuple[Path, Raw]]:
    """Every value of the document with its path, in file order."""
    yield path, data
    if isinstance(data, dict):
        for key, item in data.items():
            yield from walk(item, (*path, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from walk(item, (*path, index))


def stage_lists(data: Raw) -> Iterator[tuple[Item, list[Item]]]:
    """Every task and source that lists stages, with its stages."""
    for group in ("sources", "tasks"):
        for path, owner in mappings(data, group):
            if "stages" in owner:
                yield (path, owner), list(mappings(data, *path, "stages"))


def is_number(value: Raw) -> TypeGuard[float]:
    """Whether a value is a number; a truth value is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
