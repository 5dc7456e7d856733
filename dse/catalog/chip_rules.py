"""What a chip file may hold: every field with its unit and bounds, and the rules a whole chip must keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, get_args

from dse.catalog.fields import Date, Flag, Group, Listed, Number, Precision, Table, Text, precision_hint
from dse.words import Form, UnitKind

CHIP_CLASSES = ("mcu", "camera-soc", "phone", "module", "card", "sbc", "desktop", "server")
MODE_KINDS = ("vendor", "measured", "clock")
UNIT_KINDS: tuple[str, ...] = get_args(UnitKind)
REQUIRED = ("id", "vendor", "class", "form", "units")

_CELSIUS = Number(-273.15, 1000)
_POSITIVE = Number(above=True)
_COUNT = Number(1, whole=True)

UNIT = Group(
    {
        "id": Text(),
        "kind": Text(UNIT_KINDS),
        "count": _COUNT,  # equal cores
        "peak_tops": Table(_POSITIVE, precision_hint),  # [10^12 operation/s], whole unit, dense, per precision
        "one_inference_share": Number(0, 1, above=True),  # share of the peak one inference can use
        "sram_kib": Number(),  # [1024 byte] on chip
        "precisions": Listed(Precision()),
        "tail_class": Text(),  # a row of tails.csv
    }
)
MODE = Group(
    {
        "id": Text(),
        "kind": Text(MODE_KINDS),
        "budget_w": Number(),
        "bandwidth_gbs": _POSITIVE,
        "compute_scale": _POSITIVE,  # rate over that of the reference mode
        "reference": Flag(),
        "source": Text(),
    }
)
CHIP = Group(
    {
        "id": Text(),
        "name": Text(),
        "vendor": Text(),
        "class": Text(CHIP_CLASSES),
        "form": Text(get_args(Form)),
        "release_year": Number(1970, 2100, whole=True),
        "cpu": Text(),
        "cpu_cores": _COUNT,
        "toolchain": Text(),
        "lifecycle_until": Date(("discontinued",)),
        "units": Listed(UNIT, named=True),
        "modes": Listed(MODE, named=True),
        "memory": Group({"type": Text(), "bandwidth_gbs": _POSITIVE, "capacity_gb": _POSITIVE}),
        "link": Group({"name": Text(), "gbs": _POSITIVE}),
        "power": Group({"idle_w": Number(), "typical_w": Number(), "max_w": Number()}),
        "temperature": Group({"min_c": _CELSIUS, "max_c": _CELSIUS, "at": Text(("junction", "case", "ambient"))}),
        "video_decode": Group({"streams_1080p30": Number()}),
        "prices": Listed(Group({"usd": Number(), "quantity": _COUNT, "date": Date(), "kind": Text()})),
        "notes": Text(),
        "sources": Table(Text()),
    }
)

Raw = dict[str, Any]
Complaint = tuple[str, str]
"""What is wrong with a whole chip, and what to do."""
Rule = Callable[[Raw], Iterator[Complaint]]


def required_fields(chip: Raw) -> Iterator[Complaint]:
    """A chip says what it is, who makes it and what executes networks on it."""
    missing = [name for name in REQUIRED if chip.get(name) in (None, [])]
    if missing:
        yield f"missing {', '.join(missing)}", "an entry that changes a known chip needs only its id"


def units_have_a_kind(chip: Raw) -> Iterator[Complaint]:
    """A unit without a kind is named after it."""
    for unit in chip.get("units") or []:
        if unit.get("kind") is None and unit["id"] not in UNIT_KINDS:
            yield f"the unit `{unit['id']}` has no kind", f"add kind: {' | '.join(UNIT_KINDS)}"


def prices_have_a_figure(chip: Raw) -> Iterator[Complaint]:
    """A price that nobody knows is left out."""
    if any(price.get("usd") is None for price in chip.get("prices") or []):
        yield "a price without `usd`", "leave the price out where it is not known"


def one_reference_mode(chip: Raw) -> Iterator[Complaint]:
    """Measurements without a mode belong to at most one of them."""
    named = [str(mode["id"]) for mode in chip.get("modes") or [] if mode.get("reference")]
    if len(named) > 1:
        yield f"several reference modes: {', '.join(named)}", "write reference: false in all but one"


def temperatures_in_order(chip: Raw) -> Iterator[Complaint]:
    """The coldest is not above the hottest."""
    yield from _in_order(chip.get("temperature") or {}, ("min_c", "max_c"))


def powers_in_order(chip: Raw) -> Iterator[Complaint]:
    """Idle is not above typical, typical not above the maximum."""
    yield from _in_order(chip.get("power") or {}, ("idle_w", "typical_w", "max_w"))


def _in_order(group: Raw, names: tuple[str, ...]) -> Iterator[Complaint]:
    known = [(name, group[name]) for name in names if group.get(name) is not None]
    for (lower, least), (upper, most) in pairwise(known):
        if least > most:
            yield f"{lower} {least:g} is above {upper} {most:g}", "check the two figures"


RULES: tuple[Rule, ...] = (
    required_fields,
    units_have_a_kind,
    prices_have_a_figure,
    one_reference_mode,
    temperatures_in_order,
    powers_in_order,
)
"""Judged after every folder's fields are put together."""
