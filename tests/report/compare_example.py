"""A small comparison over two problems as ``dse compare --json`` prints one.

Some names in it try to be more than text, and one holds half of a surrogate pair.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

HOSTILE = "</script><img src=x onerror=document.title='taken'>\"'"
HALF = "half \ud800 pair"
_UNKNOWN_PRICE = {"figure": "price_usd", "must": "≤ 1500 USD", "text": "price_usd is unknown and must be ≤ 1500 USD"}
_TOO_DEAR = {
    "limit": "price_usd",
    "value": 2999.0,
    "bound": 1500.0,
    "unit": "USD",
    "share": 0.999333,
    "text": "price_usd: 2999 > 1500 USD (99.9 % over)",
}
_TOO_SLOW = [
    {"limit": "rate", "value": 6.0, "bound": 1.0, "unit": "", "share": 5.0, "text": "cannot keep up: loaded 600 %"},
    {
        "limit": "deadline_ms",
        "value": None,
        "bound": 500.0,
        "unit": "ms",
        "share": None,
        "text": "deadline_ms: no bound",
    },
]


def _row(chip: str, name: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": "design",
        "status": "feasible",
        "rank": None,
        "reason": None,
        "chip": chip,
        "name": name,
        "vendor": "Maker",
        "form": "module",
        "board": f"{chip}-board",
        "mode": "15W",
        "devices": 1,
        "unit": "gpu",
        "runtime": "rt",
        "model": "yolo",
        "weights": "tag",
        "input_h": 640,
        "input_w": 640,
        "precision": "int8",
        "batch": 1,
        "policy": "dynamic",
        "timeout_ms": 0.0,
        "buffers": 1,
        "accuracy": 50.0,
        "accuracy_low": 49.0,
        "accuracy_high": 51.0,
        "accuracy_grade": "C",
        "worst_case_ms": 400.0,
        "deadline_ms": 500.0,
        "slack_ms": 100.0,
        "typical_ms": 4.5395,
        "low_ms": 2.2551,
        "high_ms": 10.5084,
        "latency_grade": "B",
        "latency_boundary": "host",
        "rate_required_hz": 80.0,
        "rate_hz": 100.0,
        "rate_headroom": 0.25,
        "utilization": 0.8,
        "bottleneck": "infer on gpu",
        "power_w": 20.0,
        "power_boundary": "module",
        "power_basis": "maximum of the chip",
        "power_grade": "C",
        "energy_mj": 200.0,
        "price_usd": 800.0,
        "price_kind": "kit",
        "price_date": "2025-11",
        "price_grade": "A",
        "fleet_price_usd": 160000.0,
        "spares_usd": 4800.0,
        "engineering_usd": 12000.0,
        "energy_usd": 20985.684,
        "cost_usd": 197785.684,
        "cost_per_stream_usd": 61.808,
        "label": "feasible if estimates hold",
        "weakest_grade": "C",
        "weakest_figure": "accuracy",
        "comparable": True,
        "differs_in": [],
        "breaks": [],
        "lacks": [],
        "wins_at_price_usd": None,
        "wins_at_text": "at no price: others come first in an earlier objective",
        "evidence": {},
        **more,
    }


def _without_price(chip: str, name: str, **more: Any) -> dict[str, Any]:
    names = ("price_usd", "price_kind", "price_date", "price_grade", "fleet_price_usd", "spares_usd", "cost_usd")
    unknown = dict.fromkeys((*names, "cost_per_stream_usd"))
    differs = {"comparable": False, "differs_in": ["price: unknown against kit"]}
    return _row(chip, name, **{**unknown, **differs, "lacks": [_UNKNOWN_PRICE], **more})


def _rows() -> list[dict[str, Any]]:
    first = {
        "rank": 1,
        "accuracy": 52.12,
        "accuracy_low": 51.12,
        "accuracy_high": 53.12,
        "wins_at_price_usd": 999.0,
        "wins_at_text": "stays first if one system costs ≤ 999 USD",
        "evidence": {"accuracy": "e1", "price": "e2", "power": "e3"},
        "score": 0.75,
        "score_low": 0.75,
        "score_high": 0.75,
    }
    unsure = {"score": None, "score_low": 0.25, "score_high": 0.5}
    nothing = {"status": "no design", "reason": "no speed figure for these networks", "model": None, "accuracy": None}
    dear = {"price_usd": 2999.0, "breaks": [_TOO_DEAR], "label": None}
    slow = {"worst_case_ms": None, "slack_ms": None, "rate_headroom": -0.8333, "breaks": _TOO_SLOW, "label": None}
    used = {"kind": "baseline", "status": "fails", "accuracy": 40.0, "accuracy_low": 39.0, "accuracy_high": 41.0}
    used |= {"worst_case_ms": 520.0, "slack_ms": -20.0, "fleet_price_usd": 0.0, "spares_usd": 0.0, "reason": "owned"}
    used |= {"engineering_usd": 0.0, "cost_usd": 20985.684, "price_usd": None, "comparable": False}
    used |= {"wins_at_text": None, "differs_in": ["price: unknown against kit"]}
    late = {"limit": "deadline_ms", "value": 520.0, "bound": 500.0, "unit": "ms", "share": 0.04}
    used["breaks"] = [{**late, "text": "deadline_ms: 520 > 500 ms (4 % over)"}]
    return [
        _row("alpha", "Alpha kit", **first),
        _without_price("beta", HOSTILE, rank=2, accuracy=50.235, power_w=25.0, **unsure),
        _row(
            "gamma", "Gamma", rank=3, accuracy=45.0, accuracy_low=44.0, accuracy_high=46.0, power_w=8.0, price_usd=399.5
        ),
        _without_price("delta", HALF, status="unknown", power_w=None, power_boundary=None, weights=HOSTILE),
        _row("epsilon", "Epsilon", status="fails", **dear),
        _row("zeta", "Zeta", status="fails", vendor=HOSTILE, **slow),
        _row("eta", "Eta", **nothing),
        _row("theta", HOSTILE, **nothing),
        _row("old", "Old box", **used),
    ]


def _evidence(figure: str, value: float, unit: str, kind: str, place: str) -> dict[str, Any]:
    said = {"figure": figure, "of": "alpha", "value": value, "unit": unit, "grade": "C", "kind": kind}
    return {**said, "place": place, "source": f"paper of {HOSTILE}", "basis": "scaled from fp32"}


def comparison() -> dict[str, Any]:
    """One problem: three chips that meet every limit, one that may, two that fail, two without a design, one in use."""
    return {
        "problem": {"name": "Recorder", "file": "recorder.yaml"},
        "task": "detect",
        "guarantee": "worst-case",
        "scope": "end-to-end",
        "at": {"mode": "best", "text": "the best design on each chip", "accuracy": None, "model": None},
        "objectives": [
            {"name": "accuracy", "sense": "maximize", "within": 0.1},
            {"name": "price_usd", "sense": "minimize", "within": 0.0},
        ],
        "headline": "1,234 candidates on 6 of 8 chips considered; 3 with a design",
        "status": "optimal",
        "winner": "alpha",
        "limits": [{"name": "deadline_ms", "text": "≤ 500 ms"}, {"name": "price_usd", "text": "≤ 1500 USD"}],
        "metric": "map50-95",
        "dataset": "coco-2017",
        "procurement": {
            "quantity": 200,
            "years": 5.0,
            "hours_per_day": 24.0,
            "energy_usd_per_kwh": 0.15,
            "discount_rate": 0.08,
            "spares": 6,
            "engineering_usd": 12000.0,
            "streams": 16,
        },
        "rows": _rows(),
        "scoring": {
            "weights": {"accuracy": 3, "cost_usd": 2},
            "values": {"accuracy": [[40, 0], [55, 1]], "cost_usd": [[100, 1], [2000, 0]]},
            "winner": "alpha",
            "stability": [
                {"figure": "accuracy", "weight": 3, "low": 1.25, "high": None},
                {"figure": "cost_usd", "weight": 2, "low": 0, "high": 4.5},
            ],
        },
        "tornado": [
            {
                "factor": "quantity",
                "text": f"systems {HOSTILE}",
                "low_value": 100,
                "high_value": 400,
                "cost_low": 105000.0,
                "cost_high": 384000.0,
                "cheapest_low": "alpha",
                "cheapest_high": "gamma",
                "moves": True,
            },
            {
                "factor": "energy_usd_per_kwh",
                "text": "price of energy",
                "low_value": 0.1,
                "high_value": 0.3,
                "cost_low": 190790.0,
                "cost_high": 218771.0,
                "cheapest_low": "gamma",
                "cheapest_high": "gamma",
                "moves": False,
            },
        ],
        "assumptions": [f"tasks[0].weight = 1 {HOSTILE}"],
        "proof": ["optimum re-proven by enumerating 56 feasible of 1,234 candidates"],
        "dropped": {"chips dropped: no speed figure for these networks": 2},
        "search": {"candidates": 1234, "feasible": 56, "wall_s": 1.5, "workers": 2, "seed": 0},
    }


def example() -> dict[str, Any]:
    """Two problems; the second has no chip that meets every limit, and no scores."""
    second = {**deepcopy(comparison()), "problem": {"name": HOSTILE, "file": "two.yaml"}, "guarantee": "p99"}
    rows = [row for row in second["rows"] if row["status"] not in ("feasible",) and row["kind"] == "design"]
    second |= {"rows": rows, "status": "infeasible", "winner": None, "scoring": None, "tornado": []}
    line = {
        "chips": [
            {"chip": "alpha", "serves": ["recorder.yaml"], "fails": ["two.yaml"], "cost_usd": None},
            {"chip": "gamma", "serves": ["recorder.yaml"], "fails": [], "cost_usd": 395571.37},
        ],
        "one_for_all": None,
        "text": "no one chip serves both problems",
    }
    evidence = {
        "e1": _evidence("accuracy", 52.12, "points", "estimated", "catalogs/models/accuracy.csv:118"),
        "e2": _evidence("price", 800.0, "USD", "read", "catalogs/chips/maker.yaml:12"),
        "e3": _evidence("power", 20.0, "W", "stated", "catalogs/chips/maker.yaml:20"),
    }
    versions = {"dse": "0.1.0", "ortools": "9.15", "catalogue": "abc"}
    return {"comparisons": [comparison(), second], "line": line, "evidence": evidence, "versions": versions}
