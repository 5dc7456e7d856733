"""How names are compared everywhere: case does not matter, ``-`` and ``_`` are alike, ``*`` and ``?`` are wildcards."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from fnmatch import fnmatchcase


def normalise(name: str) -> str:
    """Form of a name in which two spellings of one thing are equal.

    Examples
    --------
    >>> normalise("Tiny_YOLOv4")
    'tiny-yolov4'
    """
    return name.strip().casefold().replace("_", "-")


def is_pattern(text: str) -> bool:
    """Whether a text has wildcards, and so may stand for several names."""
    return any(sign in text for sign in "*?[")


def matches(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern; a pattern without wildcards fits its own name alone.

    Examples
    --------
    >>> matches("YOLO*", "yolov5s"), matches("tiny_yolov4", "tiny-yolov4"), matches("yolo", "yolov5s")
    (True, True, False)
    """
    return fnmatchcase(normalise(name), normalise(pattern))


def matches_any(patterns: Iterable[str], names: Iterable[str]) -> bool:
    """Whether one of the names (an id, its family) fits one of the patterns."""
    names = tuple(names)
    return any(matches(pattern, name) for pattern in patterns for name in names)


def nearest(name: str, known: Iterable[str]) -> str:
    """Known name that looks most like a misspelt one; empty when none is near."""
    by_form = {normalise(candidate): candidate for candidate in sorted(known)}
    found = difflib.get_close_matches(normalise(name)[:80], by_form, n=1, cutoff=0.6)
    return by_form[found[0]] if found else ""


def name_hint(name: str, known: Iterable[str], *, short: int = 10) -> str:
    """Hint for a misspelt name: the nearest known one, and all of them when they are few.

    Parameters
    ----------
    name : str
        What the user wrote.
    known : iterable of str
        Names that would have been right.
    short : int
        Longest list that is written out.
    """
    names = sorted(set(known))
    near = nearest(name, names)
    parts = [f"did you mean `{near}`?"] if near else []
    if 0 < len(names) <= short:
        parts.append(f"allowed: {', '.join(names)}")
    return " ".join(parts)
