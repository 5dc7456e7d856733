"""The rules a whole chip or board must keep, judged after every folder's fields are put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from dse.catalog.shapes import UNIT_KINDS

CHIP_REQUIRED = ("id", "vendor", "class", "form", "units")
BOARD_REQUIRED = ("id", "vendor", "chip", "form")
Raw = dict[str, Any]
Complaint = tuple[str, str]
"""What is wrong with a whole entry, and what to do."""
Rule = Callable[[Raw], Iterator[Complaint]]


def chip_is_whole(chip: Raw) -> Iterator[Complaint]:
    """A chip says what it is, who makes it and what executes networks on it."""
    yield from _missing(chip, CHIP_REQUIRED)


def board_is_whole(board: Raw) -> Iterator[Complaint]:
    """A board says what it is, who makes it and which chip is on it."""
    yield from _missing(board, BOARD_REQUIRED)


def _missing(entry: Raw, required: tuple[str, ...]) -> Iterator[Complaint]:
    missing = [name for name in required if entry.get(name) in (None, [])]
    if missing:
        yield f"missing {', '.join(missing)}", "an entry that changes a known one needs only its id"


def units_have_a_kind(chip: Raw) -> Iterator[Complaint]:
    """A unit without a kind is named after it."""
    for unit in chip.get("units") or []:
        if unit.get("kind") is None and unit["id"] not in UNIT_KINDS:
            yield f"the unit `{unit['id']}` has no kind", f"add kind: {' | '.join(UNIT_KINDS)}"


def prices_have_a_figure(entry: Raw) -> Iterator[Complaint]:
    """A price that nobody knows is left out."""
    if any(price.get("usd") is None for price in entry.get("prices") or []):
        yield "a price without `usd`", "leave the price out where it is not known"


def one_reference_mode(chip: Raw) -> Iterator[Complaint]:
    """Measurements without a mode belong to at most one of them."""
    named = [str(mode["id"]) for mode in chip.get("modes") or [] if mode.get("reference")]
    if len(named) > 1:
        yield f"several reference modes: {', '.join(named)}", "write reference: false in all but one"


def temperatures_in_order(entry: Raw) -> Iterator[Complaint]:
    """The coldest is not above the hottest."""
    yield from _in_order(entry.get("temperature") or {}, ("min_c", "max_c"))


def powers_in_order(entry: Raw) -> Iterator[Complaint]:
    """Idle is not above typical, typical not above the maximum."""
    yield from _in_order(entry.get("power") or {}, ("idle_w", "typical_w", "max_w"))


def _in_order(group: Raw, names: tuple[str, ...]) -> Iterator[Complaint]:
    known = [(name, group[name]) for name in names if group.get(name) is not None]
    for (lower, least), (upper, most) in pairwise(known):
        if least > most:
            yield f"{lower} {least:g} is above {upper} {most:g}", "check the two figures"


def one_host(board: Raw) -> Iterator[Complaint]:
    """The application runs on the board's own CPU or on that of another board, not on both."""
    host = board.get("host") or {}
    if host.get("board") is not None and host.get("cpu_cores") is not None:
        yield "the host is another board and has cores of its own", "keep `board` or `cpu_cores`"


def regions_have_a_size(chip: Raw) -> Iterator[Complaint]:
    """A memory region nobody knows the size of is left out."""
    for region in (chip.get("memory") or {}).get("regions") or []:
        if region.get("kib") is None or region.get("kind") is None:
            yield f"the memory region `{region['id']}` lacks its size or kind", "write kib and kind, or leave it out"


_BOTH: tuple[Rule, ...] = (prices_have_a_figure, temperatures_in_order, powers_in_order)
CHIP_RULES: tuple[Rule, ...] = (chip_is_whole, units_have_a_kind, one_reference_mode, regions_have_a_size, *_BOTH)
BOARD_RULES: tuple[Rule, ...] = (board_is_whole, one_host, *_BOTH)
