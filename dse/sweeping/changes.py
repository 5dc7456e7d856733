"""Finds the field a path such as ``tasks.detect.streams`` names, and puts another value into it.

Names are those of the file: items of lists go by their ``name``, or by their number from 0. Whether a field is one that
problem files know is for their schema to say, not for this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NoReturn

from dse.patterns import name_hint
from dse.problem.limits import PREFIXES
from dse.sweeping.values import Wrong, shortened
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import MAX_DEPTH, Path, where

LISTS = ("tasks", "sources", "chains", "stages", "known", "objectives")
"""Fields that hold a list of mappings; where there is one item, the file may leave out the brackets."""
BOUNDS = ("min", "max", "in", "not_in", "unknown")
_FIXED = {
    "catalogs": "the catalogues are the same at all points: sweep once for each",
    "version": "the version of the file format is no choice",
}


class PathError(ValueError):
    """A path leads nowhere; carries what to say."""

    def __init__(self, wrong: Wrong) -> None:
        self.wrong = wrong
        super().__init__(wrong.message)


def locate(data: Raw, text: str) -> Path:
    """Keys and positions of a field in the data of a problem file; the end may be missing there yet.

    Raises
    ------
    PathError
        An item of a list that is not there, a step below what has no fields, or an empty name.

    Examples
    --------
    >>> locate({"tasks": [{"name": "see", "rate_hz": 1}]}, "tasks.see.rate_hz")
    ('tasks', 0, 'rate_hz')
    >>> locate({}, "limits.chip.memory.bandwidth_gbs")
    ('limits', 'chip.memory.bandwidth_gbs')
    """
    names = tuple(text.split("."))
    if not all(name.strip() for name in names):
        _stop(f"`{shortened(text)}` is not the path of a field", "write it as limits.power_w or tasks.detect.streams")
    if len(names) > MAX_DEPTH:
        _stop(f"`{shortened(text)}` has too many parts")
    if names[0] in _FIXED:
        _stop(f"`{names[0]}` cannot be varied", _FIXED[names[0]])
    path: Path = ()
    while names:
        if isinstance(data, dict) and path and path[-1] in LISTS:  # a lone item stands for its list
            _lone, names = _item([data], path, names)
            if not names:
                break
        step, names = _item(data, path, names) if isinstance(data, list) else _key(data, path, names)
        path += step
        data = value_at(data, step)
    return path


def changed(data: Raw, path: Path, value: Raw) -> Raw:
    """The data with another value at a path; what the data hold stays as it is.

    Examples
    --------
    >>> changed({"limits": {"power_w": 5}}, ("limits", "power_w"), 7)
    {'limits': {'power_w': 7}}
    """
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(data, list):
        return [changed(item, rest, value) if k == first else item for k, item in enumerate(data)]
    old = data if isinstance(data, dict) else {}
    return {**old, first: changed(old.get(first), rest, value)}


def _key(data: Raw, path: Path, names: tuple[str, ...]) -> tuple[Path, tuple[str, ...]]:
    """The next key, which may have dots in it, and the names that are left."""
    if isinstance(data, dict):
        for count in range(len(names), 0, -1):
            if ".".join(names[:count]) in data:
                return (".".join(names[:count]),), names[count:]
    elif data is not None:
        _stop(f"{where(path)} has no fields below it", f"vary {where(path)} itself, with {{{names[0]}: …}} if need be")
    elif path and path[-1] in LISTS:
        _stop(f"the file has no `{where(path)}`", "only what the file lists can be varied item by item")
    if path == ("limits",) and names[0] in PREFIXES:
        count = len(names) - (len(names) > 2 and names[-1] in BOUNDS)
        return (".".join(names[:count]),), names[count:]
    return (names[0],), names[1:]


def _item(items: list[Raw], path: Path, names: tuple[str, ...]) -> tuple[Path, tuple[str, ...]]:
    """Position of the item that is meant: by its name, which may have dots in it, or by its number."""
    known = [item.get("name") if isinstance(item, dict) else None for item in items]
    for count in range(len(names), 0, -1):
        if ".".join(names[:count]) in known:
            return (known.index(".".join(names[:count])),), names[count:]
    if names[0].isdecimal() and names[0].isascii() and len(names[0]) < 9 and int(names[0]) < len(items):
        return (int(names[0]),), names[1:]
    hint = name_hint(names[0], [name for name in known if isinstance(name, str)])
    numbers = f"or by number: 0 to {len(items) - 1}" if items else "the list is empty"
    raise PathError(Wrong(f"{where(path)} has no item `{shortened(names[0])}`", f"{hint} {numbers}".strip()))


def value_at(data: Raw, path: Path) -> Raw:
    """What stands at the end of a path; None where nothing does yet.

    Examples
    --------
    >>> value_at({"tasks": [{"rate_hz": 1}]}, ("tasks", 0, "rate_hz")), value_at({}, ("limits", "power_w"))
    (1, None)
    """
    for part in path:
        data = data.get(part) if isinstance(data, dict) else data[part] if isinstance(part, int) and data else None
    return data


def clashes(paths: Iterable[Path]) -> Iterator[tuple[int, int]]:
    """Pairs of positions of which the second path is the first or lies inside it, or the other way round."""
    seen: list[Path] = []
    for k, path in enumerate(paths):
        for j, other in enumerate(seen):
            short = min(len(path), len(other))
            if path[:short] == other[:short]:
                yield j, k
        seen.append(path)


def _stop(message: str, hint: str = "") -> NoReturn:
    raise PathError(Wrong(message, hint))
