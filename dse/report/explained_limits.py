"""Limits as the user wrote them, in words and numbers: name, bound, unit and line of the problem file."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from dse.candidates.context import Context
from dse.explaining.requirements import Kind, Requirement
from dse.explaining.variants import rate_of
from dse.problem.limits import ALIASES, KINDS
from dse.report.breaks import asked_of, scale_and_unit

JsonObject = dict[str, Any]


def written_name(one: Requirement) -> str:
    """The name that stands in the file: ``power_mw`` where that is what the user wrote."""
    if one.path and one.path[0] == "limits":
        return str(one.path[1])
    return one.name


def written_value(one: Requirement, number: int) -> float:
    """A whole number of the rule's column in the unit the user wrote the limit in."""
    factor = ALIASES[written_name(one)][1] if written_name(one) in ALIASES else Fraction(1)
    return float(Fraction(number, scale_and_unit(one.rule)[0]) / factor)


def written_unit(one: Requirement) -> str:
    """The unit of `written_value`."""
    name = written_name(one)
    if name in ALIASES:
        return {"mw": "mW", "kib": "KiB", "mib": "MiB"}[name.rpartition("_")[2]]
    return scale_and_unit(one.rule)[1]


def plain(value: float) -> str:
    """A figure with all the digits it has, up to twelve."""
    return f"{value:.12g}"


def limit_text(context: Context, one: Requirement) -> str:
    """``deadline_ms 60``, ``rate 30 /s``, ``chip.form one of soc``: a limit as one says it."""
    name, rule = written_name(one), one.rule
    if rule.column == "stable":
        streams = context.problem.source_of(context.task).streams
        return f"rate {float(rate_of(context.problem)):g} /s" + (f" × {streams} streams" if streams > 1 else "")
    if one.is_yes_or_no:
        return f"{name} {asked_of(context.problem.limits.get(rule.name))}"
    if one.kind is Kind.ALWAYS:
        return name
    bounds = [bound for bound in (rule.minimum, rule.maximum) if bound is not None]
    kind = KINDS.get(rule.name)
    usual = kind is None or len(bounds) > 1 or (kind.direction == "max") == (rule.maximum is not None)
    sign = "" if usual else "≥ " if rule.maximum is None else "≤ "
    return f"{name} {sign}{' to '.join(plain(written_value(one, bound)) for bound in bounds)}"


def place_text(context: Context, one: Requirement) -> str:
    """``problem.yaml:8``, or what a limit is that nobody wrote."""
    if one.line:
        return f"{Path(context.problem.file).name}:{one.line}"
    return "" if one.kind is Kind.ASKED else one.kind.value


def requirement_object(context: Context, one: Requirement, refused: int, alone: int) -> JsonObject:
    """One limit with how many candidates it refuses, and how many it refuses as the last."""
    return {
        "limit": written_name(one),
        "text": limit_text(context, one),
        "kind": one.kind.value,
        "place": place_text(context, one),
        "line": one.line or None,
        "candidates": refused,
        "alone": alone,
    }
