"""The first place where two files differ, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from dse.bundle.archive import first_byte
from dse.bundle.pack import ANSWER, MANIFEST

MISSING = "nothing"
_SHOWN, _BEFORE = 60, 15


def differences(ours: Mapping[str, bytes], theirs: Mapping[str, bytes]) -> Iterator[str]:
    """Entries that are not the same in two bundles, the answer first, what only follows from others last.

    Parameters
    ----------
    ours, theirs : mapping
        Content by name: of the bundle, and of the one it is compared with.
    """
    for name in sorted(ours.keys() | theirs.keys(), key=lambda name: (name != ANSWER, name == MANIFEST, name)):
        if name not in theirs:
            yield f"{name}: is in the bundle alone"
        elif name not in ours:
            yield f"{name}: is missing in the bundle"
        elif ours[name] != theirs[name]:
            yield f"{name}: {first_difference(name, ours[name], theirs[name])}"


def first_difference(name: str, ours: bytes, theirs: bytes) -> str:
    """Where two contents of one file differ first: the path of a value, or a line."""
    if name.endswith(".json"):
        try:
            return next(_in_values(json.loads(ours), json.loads(theirs), ""), "the same values, written otherwise")
        except (ValueError, RecursionError):
            pass
    lines = ours.split(b"\n"), theirs.split(b"\n")
    for number in range(max(map(len, lines))):
        one, other = (side[number] if number < len(side) else None for side in lines)
        if one != other:
            start = max(0, first_byte(one or b"", other or b"") - _BEFORE)
            return f"line {number + 1}: {_line(one, start)} in the bundle, {_line(other, start)} rebuilt"
    return "the same"


def _in_values(ours: Any, theirs: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in dict.fromkeys([*ours, *theirs]):
            step = f"{path}.{key}" if path else key
            yield from _in_values(ours.get(key, MISSING), theirs.get(key, MISSING), step)
    elif isinstance(ours, list) and isinstance(theirs, list):
        for k in range(max(len(ours), len(theirs))):
            one, other = (side[k] if k < len(side) else MISSING for side in (ours, theirs))
            yield from _in_values(one, other, f"{path}[{k}]")
    elif type(ours) is not type(theirs) or ours != theirs:
        yield f"{path}: {shown(ours)} in the bundle, {shown(theirs)} rebuilt"


def shown(value: object) -> str:
    """A value for a message: shortened, unknown as a word."""
    if value is None:
        return "unknown"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _line(line: bytes | None, start: int) -> str:
    """A line from a little before the place that matters."""
    if line is None:
        return MISSING
    return ("…" if start else "") + shown(line[start:].decode("utf-8", errors="replace"))
