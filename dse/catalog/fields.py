"""The kinds of value a chip file is made of: each says what may stand in its place, and what to do otherwise.

A field only judges; it never changes a value. ``null`` may stand anywhere: the figure is not known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from dse.patterns import name_hint
from dse.words import PRECISIONS, is_precision
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path

Finding = tuple[Path, str, str]
"""Path of the culprit below the value that is judged, what was found, what to do."""

_DATE = re.compile(r"(19|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


class Field(Protocol):
    """Anything that can judge a value."""

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield everything wrong with a value that is not null."""


@dataclass(frozen=True)
class Text:
    """Text; one of `choices` if there are any."""

    choices: tuple[str, ...] = ()

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield the fault of a value that is no text, or not one of the choices."""
        if not isinstance(value, str):
            yield (), f"found {_shown(value)}, expected text", "put quotes around it" if _is_plain(value) else ""
        elif not value.strip():
            yield (), "found empty text", "leave the field out where nothing is known"
        elif self.choices and value not in self.choices:
            yield (), f"found `{value}`", name_hint(value, self.choices)


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


@dataclass(frozen=True)
class Name:
    """An id: it stands in tables, file names and patterns."""

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield the fault of a value that cannot be an id."""
        if not isinstance(value, str) or _NAME.fullmatch(value) is None:
            yield (
                (),
                f"found {_shown(value)}",
                "an id holds letters, digits and . _ + - and begins with one of the first two",
            )


@dataclass(frozen=True)
class Date:
    """A year, month or day; one of `words` in its place."""

    words: tuple[str, ...] = ()

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield the fault of a value that is no date."""
        if value in self.words or (type(value) in (str, int) and _DATE.fullmatch(str(value))):
            return
        instead = f", or {' or '.join(self.words)}" if self.words else ""
        yield (), f"found {_shown(value)}", f"write a date such as 2031, 2031-06 or 2031-06-30{instead}"


@dataclass(frozen=True)
class Number:
    """A finite number within [`low`, `high`]; `above` leaves `low` itself out."""

    low: float = 0.0
    high: float = math.inf
    above: bool = False
    whole: bool = False

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield the fault of a value that is no number, or out of bounds."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            hint = "remove the quotes" if _looks_like_a_number(value) else "use null where nothing is known"
            yield (), f"found {_shown(value)}, expected a number", hint
        elif not math.isfinite(value):
            yield (), f"found {value}, expected a finite number", "use null where nothing is known"
        elif self.whole and value != int(value):
            yield (), f"found {value:g}, expected a whole number", ""
        elif value < self.low or value > self.high or (self.above and value == self.low):
            yield (), f"found {value:g}, expected {self._bounds()}", ""

    def _bounds(self) -> str:
        least = f"{'more than' if self.above else 'at least'} {self.low:g}"
        return least if math.isinf(self.high) else f"{least} and at most {self.high:g}"


@dataclass(frozen=True)
class Flag:
    """``true`` or ``false``."""

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield the fault of a value that is no truth value."""
        if not isinstance(value, bool):
            yield (), f"found {_shown(value)}", "write true or false"


@dataclass(frozen=True)
class Group:
    """A mapping with known fields."""

    fields: Mapping[str, Field]

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield unknown fields and whatever is wrong inside the known ones."""
        if not isinstance(value, dict):
            yield (), f"found {_shown(value)}, expected a mapping of {', '.join(self.fields)}", ""
            return
        for key, item in value.items():
            if key not in self.fields:
                yield (key,), "unknown field", name_hint(key, self.fields, short=12)
            elif item is not None:
                yield from _inside(key, self.fields[key].faults(item))


@dataclass(frozen=True)
class Table:
    """A mapping from names, judged by `names`, to values of one kind."""

    values: Field
    names: Callable[[str], str | None] = lambda _name: None

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield names that are not taken and whatever is wrong with the values."""
        if not isinstance(value, dict):
            yield (), f"found {_shown(value)}, expected a mapping", ""
            return
        for key, item in value.items():
            hint = self.names(key)
            if hint is not None:
                yield (key,), f"unknown name `{key}`", hint
            elif item is not None:
                yield from _inside(key, self.values.faults(item))


@dataclass(frozen=True)
class Listed:
    """A list of items of one kind; with `named`, mappings that each have their own ``id``."""

    items: Field
    named: bool = False

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield whatever is wrong with the items, and names that stand twice."""
        if not isinstance(value, list):
            yield (), f"found {_shown(value)}, expected a list", "begin each item with `- `"
            return
        seen: set[str] = set()
        for index, item in enumerate(value):
            if item is None:
                yield (index,), "found null, expected an item", ""
                continue
            yield from _inside(index, self.items.faults(item))
            if self.named and isinstance(item, dict):
                name = item.get("id")
                if name is None:
                    yield (index,), "missing `id`", "every item has its own"
                elif str(name) in seen:
                    yield (index, "id"), f"`{name}` is listed twice", "keep one of the two"
                seen.add(str(name))


@dataclass(frozen=True)
class Precision:
    """One of the canonical precisions."""

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield the fault of a word that names no precision."""
        hint = precision_hint(str(value))
        if hint is not None:
            yield (), f"found {_shown(value)}", hint


def precision_hint(name: str) -> str | None:
    """None for a precision; else what to write in its place."""
    return None if is_precision(name) else name_hint(name, (*PRECISIONS, "mixed-…"))


def _inside(key: str | int, findings: Iterator[Finding]) -> Iterator[Finding]:
    return (((key, *path), message, hint) for path, message, hint in findings)


def _is_plain(value: Raw) -> bool:
    return isinstance(value, int | float)


def _looks_like_a_number(value: Raw) -> bool:
    try:
        return isinstance(value, str) and math.isfinite(float(value))
    except ValueError:
        return False


def _shown(value: Raw) -> str:
    """A value as the message shows it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return f"`{value}`" if isinstance(value, str) else str(value)
