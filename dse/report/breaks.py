"""Which limits a design breaks and by how much, and which it meets only if an unknown figure holds; in words."""

from __future__ import annotations

from typing import Any

from dse.candidates.context import Context
from dse.candidates.excess import Break, breaks_of
from dse.candidates.limits import Rule
from dse.candidates.names import CHIP, MODEL
from dse.candidates.table import Candidates
from dse.estimate.evidence import GRADES
from dse.problem.limits import Limit
from dse.schema import QUANTITIES
from dse.timing.ticks import INFINITE

JsonObject = dict[str, Any]
UNITS = {"metric points": "points", "share": "", "10^6 byte": "MB"}
"""Units of the schema as they stand behind a number."""
NO_ACCURACY = "accuracy"


def failed_and_lacking(context: Context, candidates: Candidates, row: int) -> tuple[list[JsonObject], list[JsonObject]]:
    """The limits one candidate breaks, furthest first, and the unknown figures that a limit is on."""
    found = breaks_of(context, candidates, row)
    failed = sorted((one for one in found if not one.unknown), key=_first_the_rate)
    lacking = [one for one in found if one.unknown and one.rule is not None and _is_asked(context, one.rule)]
    return (
        [_failed(context, candidates, row, one) for one in failed],
        [_lacking(context, one.rule) for one in lacking if one.rule is not None],
    )


def _first_the_rate(one: Break) -> tuple[bool, float]:
    """A load above 1 first: what it does to the worst case and the utilization follows from it."""
    return one.rule is None or one.rule.column != "stable", -one.share


def _is_asked(context: Context, rule: Rule) -> bool:
    """Whether the user wrote the limit; what is always checked says nothing where a size is unknown."""
    return rule.name in context.problem.limits or rule.reject_unknown


def _failed(context: Context, candidates: Candidates, row: int, one: Break) -> JsonObject:
    if one.rule is None:
        text = "no accuracy is known, or only a weaker one than guard.evidence takes"
        return {"limit": NO_ACCURACY, "value": None, "bound": None, "unit": "", "share": None, "text": text}
    rule, limit = one.rule, context.problem.limits.get(one.rule.name)
    if rule.column.startswith("verdict:"):
        value = attribute_of(context, candidates, row, rule.name)
        said = "is unknown" if value is None else f"is {value}"
        text = f"{rule.name} {said}, asked {asked_of(limit)}"
        return {"limit": rule.name, "value": value, "bound": asked_of(limit), "unit": "", "share": None, "text": text}
    value, bound, unit = _numbers(rule, one)
    return {
        "limit": rule.name,
        "value": value,
        "bound": bound,
        "unit": unit,
        "share": None if one.value is None else round(one.share, 6),
        "text": _words(rule, one, value, bound, unit),
    }


def _words(rule: Rule, one: Break, value: float | None, bound: float | None, unit: str) -> str:
    behind = f" {unit}" if unit else ""
    if rule.column == "stable":
        return "cannot keep up with the rate" + ("" if value is None else f": loaded {100 * value:.3g} %")
    if rule.column in ("memory_spare_mb", "region_spare_mb"):
        return f"{rule.name}: {-(value or 0):.3g} MB too little"
    if value is None:
        return f"{rule.name}: no bound, {rule.column} grows without end"
    below = rule.minimum is not None and bound is not None and value < bound
    sign = "<" if below else ">"
    return f"{rule.name}: {value:.4g} {sign} {bound:g}{behind} ({100 * one.share:.3g} % {'short' if below else 'over'})"


def scale_and_unit(rule: Rule) -> tuple[int, str]:
    """Whole numbers of a rule's column per unit, and the unit as it stands behind a number."""
    column = "utilization" if rule.column == "stable" else rule.column
    if column.startswith("stage:"):
        column = "worst_case_ms"
    if column in ("memory_spare_mb", "region_spare_mb"):
        column = "memory_mb"
    if column == "accuracy_drop":
        column = "accuracy"
    quantity = QUANTITIES.get(column)
    return (1, "") if quantity is None else (quantity.scale, UNITS.get(quantity.unit, quantity.unit))


def _numbers(rule: Rule, one: Break) -> tuple[float | None, float | None, str]:
    """Value, broken bound and unit of a rule on a figure."""
    scale, unit = scale_and_unit(rule)
    value = None if one.value is None else one.value / scale
    below = rule.minimum is not None and (one.value is not None and one.value < rule.minimum)
    bound = rule.minimum if below or rule.maximum is None else rule.maximum
    if rule.column == "stable":
        return value, 1.0, ""
    return value, None if bound is None else bound / scale, unit


def _lacking(context: Context, rule: Rule) -> JsonObject:
    limit = context.problem.limits.get(rule.name)
    if rule.column.startswith("verdict:"):
        must = asked_of(limit)
    else:
        quantity = QUANTITIES.get(rule.column)
        scale, unit = (1, "") if quantity is None else (quantity.scale, UNITS.get(quantity.unit, quantity.unit))
        signs = [("≥", rule.minimum), ("≤", rule.maximum)]
        must = " and ".join(f"{sign} {bound / scale:g} {unit}".strip() for sign, bound in signs if bound is not None)
    return {"figure": rule.name, "must": must, "text": f"{rule.name} is unknown and must be {must}"}


def asked_of(limit: Limit | None) -> str:
    """A limit of any kind in words."""
    if limit is None:
        return ""
    if limit.until is not None:
        return f"until {limit.until} at least"
    words = []
    if limit.name == "ambient_c":
        return f"{limit.minimum:g} to {limit.maximum:g} °C"
    if limit.minimum is not None:
        words.append(f"≥ {limit.minimum:g}")
    if limit.maximum is not None:
        words.append(f"≤ {limit.maximum:g}")
    if limit.one_of is not None:
        words.append(f"one of {', '.join(map(str, limit.one_of))}")
    if limit.none_of is not None:
        words.append(f"none of {', '.join(map(str, limit.none_of))}")
    return " and ".join(words)


def attribute_of(context: Context, candidates: Candidates, row: int, name: str) -> float | str | None:
    """What a limit on a word, a date or an attribute looks at."""
    chip = context.chip_of(int(candidates.run[row]))
    if name == "ambient_c":
        low, high = chip.temperature.min_c, chip.temperature.max_c
        return (
            None
            if low is None or high is None
            else f"{low:g} to {high:g} °C ({chip.temperature.at or 'unknown point'})"
        )
    if name == "lifecycle_until":
        life = chip.lifecycle
        return life.last_buy or life.until or life.status
    kind, _, field = name.partition(".")
    if kind == "chip":
        value = CHIP[field](chip)
    elif kind == "model":
        value = MODEL[field](context.catalog, int(candidates.entry[row]))
    else:
        return _figure_of_result(context, candidates, row, field or name)
    return ", ".join(sorted(value)) if isinstance(value, frozenset) else value


def _figure_of_result(context: Context, candidates: Candidates, row: int, name: str) -> float | str | None:
    """A figure or a word of the design itself: ``result.batch``, or a plain figure with a list of values."""
    run = int(candidates.run[row])
    if name in QUANTITIES:
        number = int(getattr(candidates, name)[row])
        value = None if number == INFINITE else QUANTITIES[name].value(number)
        return None if value is None else float(value)
    if name in ("batch", "grade"):
        number = int(getattr(context.runs, name)[run])
        return GRADES[number] if name == "grade" else float(number)
    return str(getattr(context.lanes, name)[context.lane_of(run)])
