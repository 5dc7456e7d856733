"""A comparison of chips in words for those who buy: who comes first and why, what is asked, what moves the answer.

Reads the plain object that ``dse compare --json`` prints. Nothing here chooses anything, and unknown stays a word.
"""

from __future__ import annotations

import math
import re
from typing import Any

from dse.report.front import axis_title
from dse.report.summary import SOFT_LABEL
from dse.report.text import UNKNOWN_TEXT, number

JsonObject = dict[str, Any]
TITLES = {
    "accuracy": "accuracy",
    "min_accuracy": "accuracy",
    "deadline_ms": "latency",
    "worst_case_ms": "worst case",
    "slack_ms": "slack",
    "typical_ms": "typical time",
    "rate": "rate",
    "rate_hz": "rate",
    "rate_headroom": "rate to spare",
    "utilization": "load",
    "power_w": "power",
    "price_usd": "price",
    "cost_usd": "cost over the years",
    "energy_mj": "energy",
    "memory_mb": "memory",
}
"""What a figure or a limit is called; what is not listed keeps its name."""
UNITS = {
    "accuracy": "points",
    "power_w": "W",
    "price_usd": "USD",
    "cost_usd": "USD",
    "energy_mj": "mJ",
    "memory_mb": "MB",
}
NO_WINNER = {
    "infeasible": "No chip meets every limit.",
    "unknown": "No chip is known to meet every limit: the search ended before it could say.",
}


def title_of(name: str) -> str:
    """What a figure is called: ``price`` for ``price_usd``."""
    return TITLES.get(name) or axis_title({"name": name, "unit": ""})


def within(value: float | None, low: float | None, high: float | None) -> str:
    """A figure to a tenth of the width of its interval, which follows: ``52.1 (51.0–53.0)``."""
    if value is None:
        return UNKNOWN_TEXT
    if low is None or high is None or not high > low:
        return number(value)
    decimals = max(0, min(4, -math.floor(math.log10((high - low) / 10))))
    shown, least, most = (f"{one:,.{decimals}f}" for one in (value, low, high))
    return f"{shown} ({least}–{most})"


def usd(value: float | None) -> str:
    """A sum of money that was worked out: cents would only look exact from 10 USD on."""
    if value is None:
        return UNKNOWN_TEXT
    return f"{value:,.0f} USD" if value >= 10 or value == round(value) else f"{value:,.2f} USD"


def price(value: float | None) -> str:
    """A price as it was printed, with its cents where it has some."""
    if value is None:
        return UNKNOWN_TEXT
    return f"{value:,.0f} USD" if value == round(value) else f"{value:,.2f} USD"


def figure(value: float | None, unit: str = "") -> str:
    """A figure to three digits without zeros at its end, and its unit."""
    shown = number(value)
    shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
    return shown if value is None else f"{shown} {unit}".strip()


def first_row(comparison: JsonObject) -> JsonObject | None:
    """The row of the chip that comes first; None where none does."""
    return next((row for row in comparison["rows"] if row.get("rank") == 1), None)


def winner_words(comparison: JsonObject) -> JsonObject:
    """The chip that comes first: its name, why, up to which price, and how sure that is; why there is none."""
    first = first_row(comparison)
    if first is None:
        return {"name": None, "why": NO_WINNER.get(comparison["status"], NO_WINNER["unknown"]), "sure": None}
    keeps, today = first.get("wins_at_text"), first.get("price_usd")
    keeps = keeps and _plain(keeps)
    if keeps and today is not None and first.get("wins_at_price_usd") is not None:
        keeps = f"{keeps} ({price(today)} today)"
    return {
        "name": first.get("name") or first["chip"],
        "why": " comes first: " + _why(comparison, first) + (f"; it {keeps}" if keeps else "") + ".",
        "sure": _how_sure(comparison, first),
    }


def _why(comparison: JsonObject, first: JsonObject) -> str:
    """The first objective on which it goes before the second chip, with both figures."""
    second = next((row for row in comparison["rows"] if row.get("rank") == 2), None)
    if second is None:
        return "it is the only chip that meets every limit"
    other = second.get("name") or second["chip"]
    for goal in comparison["objectives"]:
        name = goal["name"].removeprefix("result.")
        mine, theirs = first.get(name), second.get(name)
        if not isinstance(mine, int | float) or not (theirs is None or isinstance(theirs, int | float)):
            continue
        if theirs is None:
            return f"its {title_of(name)} is {_amount(first, name)}, that of the next, {other}, is unknown"
        if abs(mine - theirs) > (goal.get("within") or 0):
            most = "highest" if goal["sense"] == "maximize" else "lowest"
            place = most if goal is comparison["objectives"][0] else f"{most} of those equal before it"
            next_best = f"{_amount(second, name)} of the next, {other}"
            return f"its {_title(comparison, name)} of {_amount(first, name)} is the {place}, before the {next_best}"
    return f"equal with {other} on every objective that both have a figure for"


def _title(comparison: JsonObject, name: str) -> str:
    soft = comparison["guarantee"] == "p99" and name == "worst_case_ms"
    return "p99 estimate" if soft else title_of(name)


def _amount(row: JsonObject, name: str) -> str:
    """A figure of a row with its unit, to the width of its interval where it has one."""
    if name.endswith("_usd"):
        return price(row[name]) if name == "price_usd" else usd(row[name])
    if f"{name}_low" in row:
        shown = within(row[name], row[f"{name}_low"], row[f"{name}_high"]).split(" ")[0]
    else:
        shown = figure(row[name])
    return f"{shown} {UNITS.get(name, 'ms' if name.endswith('_ms') else '')}".strip()


def _how_sure(comparison: JsonObject, first: JsonObject) -> str:
    """What the answer stands on: proven, and its weakest figure."""
    proven = (
        "Proven: no other design counts as better" if comparison["status"] == "optimal" else "Not proven to be best"
    )
    label, grade = first.get("label"), first.get("weakest_grade")
    words = [f"{proven}."]
    if label:
        words.append(f"{label[0].upper()}{label[1:]}.")
    if grade:
        words.append(f"Its weakest figure is the {first.get('weakest_figure')}, grade {grade}.")
    return " ".join(words)


def tiles(comparison: JsonObject) -> list[tuple[str, str, str]]:
    """The figures of the first chip a buyer looks at: name, figure, and what stands behind it."""
    row = first_row(comparison)
    if row is None:
        return []
    years = comparison["procurement"]["years"]
    latency = "p99 estimate" if comparison["guarantee"] == "p99" else "worst case"
    network = f"{row['model']}@{row['input_h']}" if row.get("input_h") else str(row["model"])
    deadline, slack = row.get("deadline_ms"), row.get("slack_ms")
    spare = "no deadline" if deadline is None else f"of {figure(deadline, 'ms')}, {figure(slack, 'ms')} to spare"
    bought = [row.get("price_kind"), row.get("price_date")]
    accuracy, _, between = within(row["accuracy"], row.get("accuracy_low"), row.get("accuracy_high")).partition(" ")
    network = ", ".join(word for word in (between.strip("()"), network, row.get("precision")) if word)
    return [
        ("accuracy", f"{accuracy} points", network),
        (latency, figure(row.get("worst_case_ms"), "ms"), spare),
        (
            "power",
            figure(row.get("power_w"), "W"),
            f"of the {row['power_boundary']}" if row.get("power_boundary") else "",
        ),
        ("price", price(row.get("price_usd")), ", ".join(str(word) for word in bought if word)),
        (f"cost over {years:g} years", usd(row.get("cost_usd")), f"{usd(row.get('cost_per_stream_usd'))} per stream"),
    ]


def asked(comparison: JsonObject) -> JsonObject:
    """What is asked: limits, the order of the objectives, how the systems are bought and run."""
    limits = [(title_of(one["name"]), _plain(one["text"])) for one in comparison["limits"]]
    return {"limits": limits, "goals": [_goal(comparison, one) for one in comparison["objectives"]]} | {
        "bought": _bought(comparison["procurement"]),
        "guarantee": SOFT_LABEL if comparison["guarantee"] == "p99" else "",
    }


def _plain(text: str) -> str:
    text = text.replace("metric points", "points").removesuffix(" share")
    return re.sub(r"\d{4,}(?= USD)", lambda found: f"{int(found[0]):,}", text)


def _goal(comparison: JsonObject, goal: JsonObject) -> str:
    name = goal["name"].removeprefix("result.")
    direction = "highest" if goal["sense"] == "maximize" else "lowest"
    equal = f" (within {goal['within']:g} counts as equal)" if goal.get("within") else ""
    return f"{direction} {_title(comparison, name)}{equal}"


def _bought(asked_for: JsonObject) -> list[str]:
    """The terms of procurement, each a few words."""
    systems, streams = asked_for["quantity"], asked_for["streams"]
    spares, work = asked_for["spares"], asked_for["engineering_usd"]
    return [
        f"{systems:,} system{'' if systems == 1 else 's'} of {streams} stream{'' if streams == 1 else 's'}",
        f"{spares:,} spare{'' if spares == 1 else 's'}" if spares else "no spares",
        f"{usd(work)} of engineering" if work else "no engineering counted",
        f"{asked_for['years']:g} years at {asked_for['hours_per_day']:g} hours a day",
        f"{asked_for['energy_usd_per_kwh']:g} USD per kWh",
        f"discounted at {100 * asked_for['discount_rate']:g} % a year",
    ]
