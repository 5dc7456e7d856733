"""Figures of a budget as text: times with digits enough, work with its prefix, and lines broken to a width."""

from __future__ import annotations

import math
import re

from dse.report.text import JsonObject, number

PREFIXES = ((1e3, "T"), (1.0, "G"), (1e-3, "M"))
"""Of 10^9: the first that leaves at least one; below, the last."""
UNKNOWN = "unknown"
DIGITS, DECIMALS = 3, 3
TINY, HUGE = 1e-9, 1e9
"""Times beyond these are written with an exponent [ms]."""
WHOLE = 32
"""Letters of the longest word that is not broken inside."""
_WORDS, _PARTS = re.compile(r"\S+\s*"), re.compile(r"[^/:,_-]*[/:,_-]+\s*|[^/:,_-]+")


def time(value: float) -> str:
    """A time [ms] with three decimals, or with three digits where it is shorter than those show: ``0.0001 ms``."""
    size = abs(value)
    if size >= HUGE or 0 < size < TINY:
        return f"{value:.{DIGITS}g} ms"
    decimals = max(DECIMALS, DIGITS - 1 - math.floor(math.log10(size))) if size else DECIMALS
    whole, _, part = f"{value:.{decimals}f}".partition(".")
    return f"{whole}.{part[:DECIMALS]}{part[DECIMALS:].rstrip('0')} ms"


def left(value: float) -> str:
    """A time, or that there is none."""
    return time(value) if value > 0 else "nothing"


def short(value: float) -> str:
    """A time as it was written, up to six digits."""
    return f"{value:,.6g}"


def accuracy(value: float | None) -> str:
    """An accuracy with one decimal."""
    return UNKNOWN if value is None else f"{value:.1f}"


def ranged(interval: JsonObject | None) -> str:
    """Work with its range, given in 10^9 MAC."""
    if interval is None:
        return UNKNOWN
    scale, prefix = _prefix(interval["value"])
    value, low, high = (number(interval[name] / scale, digits=2) for name in ("value", "low", "high"))
    return f"{value} {prefix} ({low}–{high})"


def macs(gmacs: float | None) -> str:
    """Work, given in 10^9 MAC."""
    if gmacs is None:
        return UNKNOWN
    scale, prefix = _prefix(gmacs)
    return f"{number(gmacs / scale, digits=2)} {prefix}"


def wrapped(line: str, width: int) -> list[str]:
    """A line broken to a width at spaces, and in longer words after ``/ : , _ -``; the rest is indented by two more."""
    indent = len(line) - len(line.lstrip()) + 2
    lines, here = [], line[: indent - 2]
    words = _WORDS.findall(line.lstrip())
    pieces = (piece for word in words for piece in (_PARTS.findall(word) if len(word) > WHOLE else [word]))
    for piece in pieces:
        if here.strip() and len(here) + len(piece.rstrip()) > width:
            lines.append(here.rstrip())
            here = " " * indent
        here += piece
    return [*lines, here.rstrip()]


def _prefix(gmacs: float) -> tuple[float, str]:
    return next((pair for pair in PREFIXES if gmacs >= pair[0]), PREFIXES[-1])
