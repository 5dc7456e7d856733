"""One row of a comparison as plain figures: the design, what is bought, what it costs, how sure it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.candidates.context import Context
from dse.candidates.names import MODEL
from dse.candidates.resources import POWER_BASES, POWER_GRADES
from dse.candidates.service import is_soft
from dse.candidates.table import Candidates
from dse.catalog.evidence import parse
from dse.catalog.types import Chip
from dse.compare.standing import Threshold
from dse.estimate.evidence import GRADES
from dse.report.bottleneck import busiest_of, loads_of
from dse.report.breaks import failed_and_lacking
from dse.report.design import Design, describe, power_boundary
from dse.report.detail import GRADE_OF
from dse.report.money import money
from dse.report.summary import cell, label_of, realtime_class
from dse.report.table import RUN
from dse.report.words import host_word
from dse.schema import QUANTITIES

JsonObject = dict[str, Any]
COLUMNS = (
    "kind",
    "status",
    "rank",
    "reason",
    "chip",
    "name",
    "vendor",
    "form",
    "board",
    "host",
    "mode",
    "link",
    "devices",
    *RUN,
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "accuracy_grade",
    "worst_case_ms",
    "deadline_ms",
    "slack_ms",
    "typical_ms",
    "low_ms",
    "high_ms",
    "latency_grade",
    "latency_boundary",
    "realtime_class",
    "rate_required_hz",
    "rate_hz",
    "rate_headroom",
    "utilization",
    "bottleneck",
    "memory_mb",
    "power_w",
    "power_boundary",
    "power_basis",
    "power_grade",
    "energy_mj",
    "energy_grade",
    "price_usd",
    "price_kind",
    "price_date",
    "price_quantity",
    "price_grade",
    "supplier",
    "mpn",
    "valid_until",
    "lead_time_weeks",
    "fleet_price_usd",
    "spares_usd",
    "engineering_usd",
    "energy_usd",
    "cost_usd",
    "cost_per_stream_usd",
    "temperature_min_c",
    "temperature_max_c",
    "temperature_at",
    "lifecycle_status",
    "lifecycle_until",
    "last_buy",
    "lifecycle_as_of",
    "toolchain",
    "license",
    "label",
    "weakest_grade",
    "weakest_figure",
    "comparable",
    "wins_at_price_usd",
    "wins_at_text",
)
"""The plain figures of a row, in the order of every table; lists stand beside them."""


def design_figures(context: Context, candidates: Candidates, row: int, *, owned: bool = False) -> JsonObject:
    """Every figure of a design; None means unknown."""
    d = describe(context, candidates, row)
    failed, lacking = failed_and_lacking(context, candidates, row)
    figures = {
        **_bought(context, d),
        **_network(context, candidates, row, d),
        **_latency(context, candidates, row, d),
        **_load(context, candidates, row, d),
        **_power(context, candidates, row, d),
        **_price(candidates, row, d),
        **_life(d.chip),
        "toolchain": d.chip.toolchain,
        "license": MODEL["license"](context.catalog, int(candidates.entry[row])),
        "label": label_of(context, candidates, row),
        "breaks": failed,
        "lacks": lacking,
    }
    streams = context.problem.source_of(context.task).streams
    figures |= money(figures["price_usd"], figures["power_w"], context.problem.procurement, streams, owned=owned)
    return figures | _weakest(context, figures)


def _bought(context: Context, d: Design) -> JsonObject:
    return {
        **chip_words(d.chip),
        "name": d.chip.name,
        "board": d.board or None,
        "host": host_word(context, d.chip, d.board),
        "mode": d.mode,
        "link": d.chip.link.label if d.chip.behind_link and d.chip.link else None,
        "devices": 1,
    }


def chip_words(chip: Chip) -> JsonObject:
    """What is known of a chip without a design on it."""
    return {"chip": chip.id, "name": chip.name, "vendor": chip.vendor, "form": chip.form}


def _network(context: Context, candidates: Candidates, row: int, d: Design) -> JsonObject:
    return {
        **{name: getattr(d, name) for name in RUN},
        **{name: cell(candidates, name, row) for name in ("accuracy", "accuracy_low")},
        "accuracy_high": int(candidates.accuracy_high[row]) / QUANTITIES["accuracy"].scale,
        "accuracy_grade": GRADES[int(candidates.accuracy_grade[row])],
    }


def _latency(context: Context, candidates: Candidates, row: int, d: Design) -> JsonObject:
    runs, worst = context.runs, cell(candidates, "worst_case_ms", row)
    return {
        "worst_case_ms": worst,
        "deadline_ms": context.task.deadline_ms,
        "slack_ms": cell(candidates, "slack_ms", row),
        "typical_ms": d.typical_ms,
        "low_ms": round(float(runs.low_ms[d.run]), 4),
        "high_ms": round(float(runs.base_ms[d.run] * runs.spread[d.run]), 4),
        "latency_grade": d.grade,
        "latency_boundary": d.boundary,
        "realtime_class": None if is_soft(context.task) else realtime_class(worst),
    }


def _load(context: Context, candidates: Candidates, row: int, d: Design) -> JsonObject:
    busiest = busiest_of(loads_of(context, d.run, int(candidates.option[row])))
    return {
        "rate_required_hz": float(context.arrivals.streams * 1000 / context.problem.period_ms(context.task)),
        **{name: cell(candidates, name, row) for name in ("rate_hz", "rate_headroom", "utilization")},
        "bottleneck": f"{busiest['stage']} on {busiest['resource']}",
        "memory_mb": cell(candidates, "memory_mb", row),
    }


def _power(context: Context, candidates: Candidates, row: int, d: Design) -> JsonObject:
    basis = int(context.resources.power_basis[d.run])
    power, energy = cell(candidates, "power_w", row), cell(candidates, "energy_mj", row)
    measured = bool(np.isfinite(context.runs.energy_mj[d.run]))
    return {
        "power_w": power,
        "power_boundary": power_boundary(context, d),
        "power_basis": POWER_BASES[basis],
        "power_grade": None if power is None else POWER_GRADES[basis],
        "energy_mj": energy,
        "energy_grade": None if energy is None else "A" if measured else max(d.grade, POWER_GRADES[basis]),
    }


def _price(candidates: Candidates, row: int, d: Design) -> JsonObject:
    price, total = d.chip.latest_price, cell(candidates, "price_usd", row)
    return {
        "price_usd": total,
        "price_kind": None if price is None else price.kind,
        "price_date": None if price is None else price.date,
        "price_quantity": None if price is None else price.quantity,
        "price_grade": None if total is None or price is None else price_grade(price.source),
        **{name: getattr(price, name, None) for name in ("supplier", "mpn", "valid_until")},
        "lead_time_weeks": cell(candidates, "lead_time_weeks", row),
    }


def price_grade(source: str) -> str:
    """How sure a price is: a quotation is as good as a document; of several parts the weakest counts.

    Examples
    --------
    >>> price_grade("read 2026-11-30: the maker's shop"), price_grade("quotation of us, q.csv:2 + recalled 2026")
    ('A', 'D')
    """
    grades = []
    for part in source.split(" + "):
        said = parse(part)
        quoted = part.startswith("quotation ")
        grades.append("A" if quoted else "E" if said is None else GRADE_OF[said.confidence])
    return max(grades)


def _life(chip: Chip) -> JsonObject:
    return {
        "temperature_min_c": chip.temperature.min_c,
        "temperature_max_c": chip.temperature.max_c,
        "temperature_at": chip.temperature.at,
        "lifecycle_status": chip.lifecycle.status,
        "lifecycle_until": chip.lifecycle.until,
        "last_buy": chip.lifecycle.last_buy,
        "lifecycle_as_of": chip.lifecycle.as_of,
    }


def _weakest(context: Context, figures: JsonObject) -> JsonObject:
    """The weakest grade among the figures that decide: those a limit or an objective is on, and time and accuracy."""
    deciding = {"latency", "accuracy"}
    asked = {*context.problem.limits, *(goal.name.removeprefix("result.") for goal in context.problem.objectives)}
    for name, quantity in (("power", "power_w"), ("price", "price_usd"), ("energy", "energy_mj")):
        if quantity in asked and figures[f"{name}_grade"] is not None:
            deciding.add(name)
    weakest = max(sorted(deciding), key=lambda name: figures[f"{name}_grade"])
    return {"weakest_grade": figures[f"{weakest}_grade"], "weakest_figure": weakest}


def wins_at_words(threshold: Threshold | None, *, leads: bool, fails: bool) -> JsonObject:
    """The price, or the power, at which a design would be chosen, as a figure and in words."""
    price = threshold.value if threshold is not None and threshold.quantity == "price_usd" else None
    return {"wins_at_price_usd": price, "wins_at_text": _wins_at(threshold, leads=leads, fails=fails)}


def _wins_at(threshold: Threshold | None, *, leads: bool, fails: bool) -> str | None:
    if threshold is None:
        return "at no price: it fails another limit" if fails else None
    verb, unit = {"price_usd": ("costs", "USD"), "power_w": ("draws", "W")}[threshold.quantity]
    if threshold.value is None:
        return f"at no {'price' if unit == 'USD' else 'power'}: others come first in an earlier objective"
    keeps = "stays first" if leads else "wins"
    if threshold.any:
        return f"{keeps} whatever it {verb}"
    return f"{keeps} if one system {verb} ≤ {threshold.value:g} {unit}"


def comparable(figures: JsonObject, reference: JsonObject | None) -> JsonObject:
    """Whether the figures of a row mean the same thing as those of the first, and in what they do not.

    None where one of the two has no design. The price of a bare chip is not that of a kit, the power of a module not
    that of a system, a time taken at the chip not one taken at the host.
    """
    if reference is None or figures["model"] is None:
        return {"comparable": None, "differs_in": []}
    differs = [
        f"{label}: {figures[name] or 'unknown'} against {reference[name] or 'unknown'}"
        for name, label in (("price_kind", "price"), ("power_boundary", "power"), ("latency_boundary", "latency"))
        if figures[name] != reference[name]
    ]
    return {"comparable": not differs, "differs_in": differs}
