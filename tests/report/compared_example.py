"""A small comparison of chips as ``dse compare --json`` prints one; some of its names try to be more than text."""

from __future__ import annotations

from typing import Any

from dse.problem.settings import Procurement
from dse.procurement.costs import spares_of
from dse.report.compared_row import COLUMNS
from dse.report.money import money

HOSTILE = ("=cmd()|'/c calc'!A1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1")
"""Text that a spreadsheet would run, were it taken for a formula."""
ASKED = Procurement(
    quantity=200,
    years=2.5,
    hours_per_day=10,
    energy_usd_per_kwh=0.2,
    discount_rate=0.25,
    spares_share=0.03,
    engineering={"days": 10, "day_rate_usd": 500},
)
STREAMS = 4
# status, rank, chip, price, power; what follows from the two is dse's own.
DESIGNS = (
    ("feasible", 1, "alpha", 120.0, 10.0),
    ("feasible", 2, "beta", None, 4.0),
    ("feasible", 3, HOSTILE[0], 80.25, 2.5),
    ("unknown", None, "gamma", 40.0, None),
    ("fails", None, "delta", 900.0, 31.5),
)


def example(**changed: Any) -> dict[str, Any]:
    """A fresh copy of it: five designs, a chip without one, and what is owned; fields of it may be changed."""
    return {"comparisons": [comparison(**changed)], "line": None, "evidence": {}, "versions": {"dse": "0.1.0"}}


def comparison(asked: Procurement = ASKED, **changed: Any) -> dict[str, Any]:
    """One comparison of the example."""
    names = ("quantity", "years", "hours_per_day", "energy_usd_per_kwh", "discount_rate", "spares_share")
    found = {
        "problem": {"name": HOSTILE[1], "file": "recorder.yaml"},
        "task": "detect",
        "guarantee": "worst-case",
        "scope": "end-to-end",
        "at": {"mode": "best", "text": HOSTILE[2], "accuracy": None, "model": None},
        "each": "chip",
        "objectives": [
            {"name": "accuracy", "sense": "maximize", "within": 0.1},
            {"name": "price_usd", "sense": "minimize", "within": 0.0},
        ],
        "headline": HOSTILE[3],
        "status": "optimal",
        "winner": "alpha",
        "limits": [{"name": "power_w", "text": "≤ 30 W"}],
        "metric": "map50-95",
        "dataset": "coco-2017",
        "procurement": {
            **{name: getattr(asked, name) for name in names},
            "spares": spares_of(asked),
            "engineering_usd": 5000.0,
            "streams": STREAMS,
        },
        "rows": [*(design(*one, asked=asked) for one in DESIGNS), no_design(), in_use(asked)],
        "scoring": None,
        "tornado": [],
        "assumptions": [HOSTILE[4], "guard.evidence = D"],
        "proof": [HOSTILE[5]],
        "dropped": {HOSTILE[0]: 3},
        "search": {"candidates": 1234, "feasible": 56, "wall_s": 1.5, "workers": 2, "seed": 0},
    }
    return {**found, **changed}


def design(
    status: str, rank: int | None, chip: str, price: float | None, power: float | None, *, asked: Procurement
) -> dict[str, Any]:
    """A row with a design."""
    fails = {
        "limit": "power_w",
        "value": power,
        "bound": 30.0,
        "unit": "W",
        "share": 0.05,
        "text": "power_w: 31.5 > 30 W",
    }
    lacks = {"figure": "power_w", "must": "≤ 30 W", "text": "power_w is unknown and must be ≤ 30 W"}
    return {
        **dict.fromkeys(COLUMNS),
        **{"kind": "design", "status": status, "rank": rank, "chip": chip, "name": HOSTILE[1], "vendor": "any"},
        **{"board": None, "mode": "15w", "devices": 1, "unit": "npu", "runtime": "rt", "model": "net", "weights": "V1"},
        **{"input_h": 640, "input_w": 640, "precision": "int8", "batch": 1, "policy": "fixed", "timeout_ms": 0.0},
        **{"accuracy": 52.5, "accuracy_low": 52.0, "accuracy_high": 53.0, "accuracy_grade": "B", "worst_case_ms": 40.0},
        **{"deadline_ms": 50.0, "slack_ms": 10.0, "utilization": 0.25, "power_w": power, "price_usd": price},
        "weakest_grade": "B",
        "weakest_figure": "accuracy",
        "wins_at_text": HOSTILE[2],
        **money(price, power, asked, STREAMS, owned=False),
        "breaks": [fails] if status == "fails" else [],
        "lacks": [lacks] if power is None else [],
        "differs_in": [],
    }


def no_design() -> dict[str, Any]:
    """A row of a chip on which nothing is known to run."""
    lists: dict[str, Any] = {"breaks": [], "lacks": [], "differs_in": []}
    head = {"kind": "design", "status": "no design", "chip": "epsilon", "reason": "no speed figure for these networks"}
    return {**dict.fromkeys(COLUMNS), **head, **lists}


def in_use(asked: Procurement) -> dict[str, Any]:
    """What is owned already: it pays its energy alone."""
    row = design("feasible", None, "zeta", 60.0, 20.0, asked=asked)
    return {**row, "kind": "baseline", "reason": "owned", **money(60.0, 20.0, asked, STREAMS, owned=True)}


EVIDENCE = {
    f"e{number}": {
        "figure": "accuracy",
        "of": "net [V1] int8",
        "value": 52.5,
        "unit": "points",
        "grade": "B",
        "kind": "measured",
        "place": "catalogs/measurements/any.csv:118",
        "source": HOSTILE[0],
        "basis": None,
    }
    for number in (10, 2, 1)
}
TORNADO = [
    {
        "factor": "energy_usd_per_kwh",
        "text": HOSTILE[3],
        **{"low_value": 0.1, "high_value": 0.3, "cost_low": 900.0, "cost_high": None},
        **{"cheapest_low": "alpha", "cheapest_high": "delta", "moves": True},
    }
]
SCORING = {
    "weights": {"accuracy": 3.0, "cost_usd": 2.0},
    "values": {"accuracy": [[40, 0], [55, 1]], "cost_usd": [[100, 1], [2000, 0]]},
    "winner": "alpha",
    "stability": [
        {"figure": "accuracy", "weight": 3.0, "low": 1.5, "high": None},
        {"figure": "cost_usd", "weight": 2.0, "low": 0.0, "high": 4.5},
    ],
}
LINE = {
    "chips": [
        {"chip": "alpha", "serves": ["a.yaml"], "fails": ["b.yaml"], "cost_usd": 123.0},
        {"chip": HOSTILE[1], "serves": ["a.yaml", "b.yaml"], "fails": [], "cost_usd": None},
    ],
    "one_for_all": HOSTILE[1],
    "text": HOSTILE[2],
}
