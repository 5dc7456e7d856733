"""Limits: every name a problem may bound, the direction of a bare number, and the one form they are brought into."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from dse.patterns import name_hint
from dse.problem.fields import NUMERIC, UnknownPolicy, exact, last_day, refuse
from dse.yamlfile.scalars import Raw

Direction = Literal["max", "min", "covers"]
Value = str | float | bool

DEFAULT_UTILIZATION = 0.95
"""Highest load of any resource unless the file says otherwise [share]."""


@dataclass(frozen=True)
class LimitKind:
    """What is known of a limit before it is given a value.

    Parameters
    ----------
    direction : str
        Meaning of a bare number: upper bound, lower bound, or a point or range that must be covered.
    meaning : str
        What is bounded, with its unit.
    lowest, highest : float or None
        Range a bound may lie in; None when it is open.
    above_lowest : bool
        Whether the lowest value itself is excluded.
    """

    direction: Direction
    meaning: str
    lowest: float | None = 0.0
    highest: float | None = None
    above_lowest: bool = True


KINDS: Mapping[str, LimitKind] = {
    "power_w": LimitKind("max", "sustained power of all devices and hosts at the assigned load [W]"),
    "power_peak_w": LimitKind("max", "peak power the supply must deliver [W]"),
    "price_usd": LimitKind("max", "price of one complete system at the quantity bought [USD]", above_lowest=False),
    "memory_mb": LimitKind("max", "memory used on each device [10^6 byte]"),
    "flash_mb": LimitKind("max", "flash used on each device [10^6 byte]"),
    "utilization": LimitKind("max", "load of every resource [share of 1]", highest=1.0),
    "energy_mj": LimitKind("max", "energy of one item [mJ]"),
    "worst_case_ms": LimitKind("max", "worst-case latency of every task [ms]"),
    "devices": LimitKind("max", "devices in all"),
    "lead_time_weeks": LimitKind("max", "longest delivery time of the parts bought [week]", above_lowest=False),
    "accuracy": LimitKind("min", "accuracy [percent]", highest=100.0, above_lowest=False),
    "slack_ms": LimitKind("min", "time left before the deadline [ms]", lowest=None),
    "rate_headroom": LimitKind("min", "rate to spare [share of the rate asked]", above_lowest=False),
    "lifecycle_until": LimitKind("min", "date until which the parts can be bought"),
    "ambient_c": LimitKind("covers", "temperatures the parts must stand [degree Celsius]", lowest=-273.15),
}
ALIASES: Mapping[str, tuple[str, Fraction]] = {
    "power_mw": ("power_w", Fraction(1, 1000)),
    "power_peak_mw": ("power_peak_w", Fraction(1, 1000)),
    "memory_kib": ("memory_mb", Fraction(1024, 10**6)),
    "flash_kib": ("flash_mb", Fraction(1024, 10**6)),
    "memory_mib": ("memory_mb", Fraction(1024**2, 10**6)),
    "flash_mib": ("flash_mb", Fraction(1024**2, 10**6)),
}
PREFIXES = ("chip", "model", "result")
_FREE = re.compile(rf"({'|'.join(PREFIXES)})(\.[A-Za-z_][A-Za-z0-9_]*)+", re.ASCII)
_KEYS = ("min", "max", "in", "not_in", "unknown")
_OPEN = LimitKind("covers", "", lowest=None)


@dataclass(frozen=True)
class Limit:
    """One limit in the form everything after this station uses.

    Parameters
    ----------
    name : str
        Name in `KINDS`, aliases and their units converted, or an attribute such as ``chip.memory.bandwidth_gbs``.
    minimum, maximum : float or None
        Bounds, both included; for ``ambient_c`` the range that must be covered.
    one_of, none_of : tuple or None
        Values that will do, and values that will not.
    unknown : str or None
        ``reject`` or ``flag`` where the figure is missing; None leaves it to the guard.
    until : str or None
        Earliest acceptable date, ``YYYY-MM-DD``; only for ``lifecycle_until``.
    """

    name: str
    minimum: float | None = None
    maximum: float | None = None
    one_of: tuple[Value, ...] | None = None
    none_of: tuple[Value, ...] | None = None
    unknown: UnknownPolicy | None = None
    until: str | None = None

    @property
    def covers(self) -> bool:
        """Whether the range must lie within what a part stands, instead of the figure within the range."""
        return self.name == "ambient_c"

    @property
    def is_of_chip(self) -> bool:
        """Whether the chip alone decides it."""
        return self.name in ("ambient_c", "lifecycle_until") or self.name.startswith("chip.")

    @property
    def is_attribute(self) -> bool:
        """Whether it bounds any attribute of chip, model or result, not one of `KINDS`."""
        return self.name not in KINDS


@dataclass(frozen=True)
class _Entry:
    """One line below ``limits:`` before it is understood."""

    written: str
    name: str
    factor: Fraction
    value: Raw
    twin: str = ""  # an earlier name for the same limit

    @property
    def kind(self) -> LimitKind:
        return KINDS.get(self.name, _OPEN)


def _entries(value: Raw) -> Raw:
    if not isinstance(value, dict) or any(isinstance(item, Limit) for item in value.values()):
        return value
    seen: dict[str, str] = {}
    entries = {}
    for written, item in value.items():
        name, factor = ALIASES.get(written, (written, Fraction(1)))
        entries[written] = _Entry(written, name, factor, item, seen.get(name, ""))
        seen.setdefault(name, written)
    return entries


def _limit(entry: Raw) -> Raw:
    if not isinstance(entry, _Entry):
        return entry
    if entry.name not in KINDS and not _FREE.fullmatch(entry.name):
        message = f"there is no limit `{entry.written}`"
        near = name_hint(entry.written, (*KINDS, *ALIASES))
        refuse(message, near or "attributes need a prefix: chip. model. or result.")
    if entry.twin:
        refuse(f"bounds the same thing as `{entry.twin}`", "keep one of the two")
    if isinstance(entry.value, dict):
        return _from_mapping(entry, entry.value)
    if entry.name == "lifecycle_until":
        return Limit(entry.name, until=last_day(entry.value))
    if entry.kind is _OPEN:
        return _attribute(entry)
    if entry.kind.direction == "covers":
        low, high = entry.value if isinstance(entry.value, list) and len(entry.value) == 2 else (entry.value,) * 2
        return _ordered(Limit(entry.name, _number(entry, low), _number(entry, high)))
    bound = _number(entry, entry.value)
    return Limit(entry.name, maximum=bound) if entry.kind.direction == "max" else Limit(entry.name, minimum=bound)


def _attribute(entry: _Entry) -> Limit:
    if isinstance(entry.value, int | float) and not isinstance(entry.value, bool):
        refuse(
            f"does not say whether {entry.value:g} is a lower or an upper bound",
            f"write {{min: {entry.value:g}}} or {{max: {entry.value:g}}}",
        )
    return Limit(entry.name, one_of=_values(entry, entry.value))


def _from_mapping(entry: _Entry, given: dict[str, Raw]) -> Limit:
    for key in given:
        if key not in _KEYS:
            refuse(f"unknown field `{key}`", name_hint(key, _KEYS), (key,))
    if not given.keys() - {"unknown"}:
        refuse("states no bound", "give min, max, in or not_in")
    unknown = given.get("unknown")
    if "unknown" in given and unknown not in ("reject", "flag"):
        refuse("must be `reject` or `flag`", inside=("unknown",))
    one_of = _values(entry, given["in"], "in") if "in" in given else None
    none_of = _values(entry, given["not_in"], "not_in") if "not_in" in given else None
    if entry.name == "lifecycle_until":
        if set(given) - {"min", "unknown"}:
            refuse("takes a date as `min` alone")
        return Limit(entry.name, until=last_day(given["min"]), unknown=unknown)
    low = _number(entry, given["min"], "min") if "min" in given else None
    high = _number(entry, given["max"], "max") if "max" in given else None
    return _ordered(Limit(entry.name, low, high, one_of, none_of, unknown))


def _ordered(limit: Limit) -> Limit:
    if limit.minimum is not None and limit.maximum is not None and limit.minimum > limit.maximum:
        refuse(f"nothing can be at least {limit.minimum:g} and at most {limit.maximum:g}")
    return limit


def _number(entry: _Entry, value: Raw, *inside: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        hint = "remove the quotes" if isinstance(value, str) and NUMERIC.fullmatch(value) else ""
        refuse("must be a number", hint, inside)
    try:
        number = float(value)
        bounded = float("-inf") < number < float("inf")
    except OverflowError:
        bounded = False
    if not bounded:
        refuse("must be a finite number", inside=inside)
    kind = entry.kind
    if kind.lowest is not None and (number < kind.lowest or (kind.above_lowest and number == kind.lowest)):
        refuse(f"must be {'more than' if kind.above_lowest else 'at least'} {kind.lowest:g}", inside=inside)
    if kind.highest is not None and number > kind.highest:
        refuse(f"must be at most {kind.highest:g}", inside=inside)
    if entry.name == "accuracy" and 0 < number <= 1:
        hint = f"accuracies are percent: write {float(exact(number) * 100):g}, not {number:g}"
        refuse("is at most one percent", hint, inside)
    if entry.name == "devices" and number != int(number):
        refuse("must be a whole number", inside=inside)
    return float(exact(number) * entry.factor)


def _values(entry: _Entry, value: Raw, *inside: str) -> tuple[Value, ...]:
    items = value if isinstance(value, list) else [value]
    if not items:
        refuse("must not be an empty list", inside=inside)
    for item in items:
        if entry.kind is not _OPEN:
            _number(entry, item, *inside)
        elif not isinstance(item, str | int | float | bool):
            refuse("must list text, numbers or true and false", inside=inside)
    if entry.kind is not _OPEN:
        return tuple(_number(entry, item) for item in items)
    return tuple(float(item) if type(item) is int else item for item in items)


def _complete(limits: dict[str, Limit]) -> dict[str, Limit]:
    named = {limit.name: limit for limit in limits.values()}
    named.setdefault("utilization", Limit("utilization", maximum=DEFAULT_UTILIZATION))
    return named


def default_limits() -> dict[str, Limit]:
    """Limits of a file that states none."""
    return _complete({})


def _json_schema() -> dict[str, Raw]:
    unknown = {"enum": ["reject", "flag"], "description": "What to do where the figure is missing."}
    value = {"type": ["string", "number", "boolean"]}
    values = {"anyOf": [value, {"type": "array", "items": value}]}
    bound = {"type": ["number", "string"]}
    full = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"min": bound, "max": bound, "in": values, "not_in": values, "unknown": unknown},
    }
    bare: dict[str, Raw] = {"max": {"type": "number"}, "min": {"type": "number"}}
    bare["covers"] = {"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}, "maxItems": 2}]}
    signs = {"max": "at most", "min": "at least", "covers": "covers"}
    properties: dict[str, Raw] = {}
    for name, kind in KINDS.items():
        plain = {"type": ["string", "integer"]} if name == "lifecycle_until" else bare[kind.direction]
        properties[name] = {"description": f"{signs[kind.direction]}: {kind.meaning}", "anyOf": [plain, full]}
    for name, (target, _) in ALIASES.items():
        properties[name] = {"description": f"{target} in another unit", "anyOf": [{"type": "number"}, full]}
    attributes = {rf"^({'|'.join(PREFIXES)})\.": {"anyOf": [full, values]}}
    return {"type": "object", "additionalProperties": False, "properties": properties, "patternProperties": attributes}


Limits = Annotated[
    dict[str, Annotated[Limit, BeforeValidator(_limit)]],
    BeforeValidator(_entries),
    AfterValidator(_complete),
    WithJsonSchema(_json_schema()),
]
