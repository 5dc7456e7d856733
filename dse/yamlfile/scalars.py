"""What an unquoted word of a YAML file means, by the core rules of YAML 1.2.

PyYAML follows YAML 1.1, where ``on`` is a truth value, ``010`` is eight, ``16:30`` is a count of seconds and ``1e6``
is text. Only its scanner is used here; the meaning of a word is decided below.
"""

from __future__ import annotations

import re
from typing import Any

Scalar = str | int | float | bool | None
Raw = Any
"""What a YAML file may hold at any place, before it is judged: every shape is possible."""

MAX_DIGITS = 30
"""Longest whole number taken [digit]; far above any quantity, far below where conversion gets slow."""

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_DECIMAL = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OCTAL = re.compile(r"0o[0-7]+", re.ASCII)
_HEX = re.compile(r"0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NOT_A_NUMBER = frozenset({".nan", ".NaN", ".NAN"})


class HugeNumberError(ValueError):
    """A whole number has more digits than any quantity needs."""


def resolve(text: str) -> Scalar:
    """Value of a plain (unquoted) scalar.

    Parameters
    ----------
    text : str
        The word as it stands in the file.

    Returns
    -------
    None, bool, int, float or str
        Dates, times of day and the words ``yes no on off`` stay text; ``010`` is ten; ``.inf`` and ``.nan`` are
        floats, for the schema to refuse.

    Raises
    ------
    HugeNumberError
        The whole number has more than `MAX_DIGITS` digits.

    Examples
    --------
    >>> resolve("on"), resolve("1e6"), resolve("010"), resolve("16:30")
    ('on', 1000000.0, 10, '16:30')
    """
    if text in _NULL:
        return None
    if text in _TRUTH:
        return _TRUTH[text]
    for pattern, base in ((_DECIMAL, 10), (_OCTAL, 8), (_HEX, 16)):
        if pattern.fullmatch(text):
            if len(text) > MAX_DIGITS:
                message = f"a whole number of {len(text)} digits"
                raise HugeNumberError(message)
            return int(text, base)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITY.fullmatch(text):
        return float("-inf") if text.startswith("-") else float("inf")
    return float("nan") if text in _NOT_A_NUMBER else text
