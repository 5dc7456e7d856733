"""The values a field is to take, as they are written on the command line: a list of YAML words, or an exact range."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from dse.yamlfile.reader import EMPTY, read_text
from dse.yamlfile.scalars import Raw

MAX_POINTS = 100_000
"""Most points of one sweep, and so most values of one field; a point takes about a second."""

_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
_RANGE = re.compile(rf"({_NUMBER}):({_NUMBER}):({_NUMBER})", re.ASCII)
_LIKE_A_RANGE = re.compile(rf"{_NUMBER}:\S*", re.ASCII)
_OPENING, _CLOSING, _QUOTES = "[{", "]}", "'\""
_BEFORE_QUOTES = ("", "[", "{", ",", ":")
_EXAMPLE = "write start:stop:step, such as 2:20:2"


class Wrong(NamedTuple):
    """What is wrong with a part of what was written, and what to do."""

    message: str
    hint: str = ""


def values_of(text: str) -> tuple[list[Raw], list[Wrong]]:
    """Values in a text, in order, and everything that is wrong with it.

    Parameters
    ----------
    text : str
        Items between commas; commas inside brackets or quotes do not part. Each item is a word or flow value of
        YAML 1.2, or ``start:stop:step`` with both ends included and every step exact in decimals.

    Examples
    --------
    >>> values_of("0.1:0.4:0.1")[0], values_of("8, [int8, fp16], {max: 5}")[0]
    ([0.1, 0.2, 0.3, 0.4], [8, ['int8', 'fp16'], {'max': 5}])
    """
    values: list[Raw] = []
    wrong: list[Wrong] = []
    for item in parted(text):
        found = _range(item) if _LIKE_A_RANGE.fullmatch(item) else value_of(item)
        if isinstance(found, Wrong):
            wrong.append(found)
        else:
            values += found
    return values, wrong


def value_of(text: str) -> tuple[Raw] | Wrong:
    """The one value a text stands for, by the rules of problem files.

    Examples
    --------
    >>> value_of("on"), value_of("1e6"), value_of("{max: 5}")
    (('on',), (1000000.0,), ({'max': 5},))
    """
    document = read_text(text, "")
    for fault in document.faults:
        if fault.message == EMPTY:
            return Wrong("a value is missing", "give one between the commas, or remove a comma")
        return Wrong(f"`{shortened(text)}`: {fault.message}", fault.hint)
    return (document.data,)


def parted(text: str) -> Iterator[str]:
    """Items between the commas that stand outside of brackets and quotes, without the blanks around them."""
    depth, quote, item = 0, "", ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in _QUOTES and item.rstrip()[-1:] in _BEFORE_QUOTES:  # an apostrophe inside a word is none
            quote = sign
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        if sign == "," and depth <= 0 and not quote:
            yield item.strip()
            item = ""
        else:
            item += sign
    yield item.strip()


def shortened(text: str) -> str:
    """A text for a message: its beginning."""
    return text if len(text) <= 60 else text[:57] + "..."


def _range(text: str) -> list[Raw] | Wrong:
    """Every number from start to stop, in exact decimals; the stop is one of them when a step meets it."""
    parts = _RANGE.fullmatch(text)
    if parts is None:
        return Wrong(f"`{shortened(text)}` is not a range", _EXAMPLE)
    try:
        start, stop, step = (Decimal(part) for part in parts.groups())
        if step == 0:
            return Wrong(f"`{shortened(text)}`: the step is zero", _EXAMPLE)
        steps = (stop - start) / step
    except InvalidOperation:
        return Wrong(f"`{shortened(text)}` is not a range", _EXAMPLE)
    if steps < 0:
        return Wrong(f"`{shortened(text)}`: the step leads away from the end", "change the sign of the step")
    if steps >= MAX_POINTS:
        return Wrong(f"`{shortened(text)}`: more than {MAX_POINTS:,} values", "take a larger step")
    return [_number(start + k * step) for k in range(int(steps) + 1)]


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)
