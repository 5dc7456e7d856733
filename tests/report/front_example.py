"""A small front over four axes, one of them an attribute of the catalogue, as ``dse pareto --json`` prints one.

Two names in it try to be more than text.
"""

from __future__ import annotations

from typing import Any

HOSTILE_MODEL = "</script><img src=x onerror=document.title='taken'>"
HOSTILE_WEIGHTS = "=cmd()|'$x^{$"

AXES = [
    {"name": "accuracy", "sense": "maximize", "unit": "metric points", "meaning": "accuracy of the weights"},
    {"name": "worst_case_ms", "sense": "minimize", "unit": "ms", "meaning": "bound on the latency of any item"},
    {"name": "power_w", "sense": "minimize", "unit": "W", "meaning": "sustained power"},
    {"name": "chip.memory.bandwidth_gbs", "sense": "maximize", "unit": "GB/s", "meaning": "peak of the memory"},
]
_BANDWIDTH_GBS = {"alpha": 102.4, "beta": 34.1, "gamma": 8.5, "delta": 51.2}
# kind, chip, model, weights, accuracy, worst_case_ms, power_w
_DESIGNS: list[tuple[str, str, str, str, float, float, float | None]] = [
    ("front", "alpha", "resnet50", "V2", 80.5, 40.0, 10.0),
    ("front", "alpha", "resnet18", "V1", 70.25, 22.0, 10.0),
    ("front", "beta", "resnet50", "V2", 80.0, 60.0, 4.0),
    ("front", "beta", HOSTILE_MODEL, HOSTILE_WEIGHTS, 72.0, 35.0, 4.0),
    ("front", "gamma", "mobilenet_v2", "V1", 71.0, 90.0, 0.0005),
    ("near", "alpha", "resnet34", "V1", 75.0, 41.0, 10.1),
    ("unknown", "delta", "resnet50", "V2", 79.0, 30.0, None),
]


def example() -> dict[str, Any]:
    """A fresh copy of it: five designs on the front, one near it, one without its power."""
    return {
        "problem": {"name": "Recorder", "file": "recorder.yaml"},
        "task": "detect",
        "axes": [dict(axis) for axis in AXES],
        "headline": "1,234 candidates, 56 feasible, 5 on the front",
        "guarantee": "worst-case",
        "reason": None,
        "limits": [{"name": "power_w", "text": "≤ 12"}],
        "counts": {"candidates": 1234, "feasible": 56, "front": 5, "near": 1, "unknown": 1},
        "rows": [_row(*design) for design in _DESIGNS],
        "search": {"candidates": 1000, "feasible": 60, "wall_s": 1.5, "workers": 1},
        "versions": {"dse": "0.1.0"},
    }


def estimated() -> dict[str, Any]:
    """The same designs where the latency asked for is a p99, which is an estimate."""
    front = example()
    front["axes"][1]["meaning"] = "estimate of the p99 of the latency"
    rows = [{**row, "label": "p99 estimate, no bound"} for row in front["rows"]]
    return {**front, "guarantee": "p99", "rows": rows}


def empty() -> dict[str, Any]:
    """A front without a design, and why it has none."""
    counts = {"candidates": 1234, "feasible": 0, "front": 0, "near": 0, "unknown": 0}
    reason = "no candidate keeps power_w <= 0.1 & the deadline"
    return {**example(), "rows": [], "reason": reason, "counts": counts, "headline": "1,234 candidates, 0 feasible"}


def _row(
    kind: str, chip: str, model: str, weights: str, accuracy: float, worst: float, power: float | None
) -> dict[str, Any]:
    return {
        "kind": kind,
        "ties": 3 if model == "resnet18" else 1,
        "task": "detect",
        "chip": chip,
        "board": f"{chip}-kit" if chip == "alpha" else None,
        "host": None,
        "link": None,
        "mode": "15w" if chip == "alpha" else "default",
        "unit": "npu",
        "cores": None,
        "runtime": "rt",
        "model": model,
        "weights": weights,
        "input_h": 224,
        "input_w": 224,
        "precision": "int8",
        "batch": 1,
        "policy": "fixed",
        "timeout_ms": 0,
        "buffers": 2,
        "accuracy": accuracy,
        "accuracy_low": accuracy - 1,
        "accuracy_grade": "C",
        "worst_case_ms": worst,
        "typical_ms": worst / 2,
        "rate_hz": 1000 / worst,
        "utilization": 0.25,
        "power_w": power,
        "price_usd": None,
        "chip.memory.bandwidth_gbs": _BANDWIDTH_GBS[chip],
        "memory_mb": 30.0,
        "grade": "B",
        "feasible": True,
        "energy_mj": None if power is None else 12.5,
        "slack_ms": 100 - worst,
        "rate_headroom": 1.5,
        "margins": {"power_w": None if power is None else 1 - power / 12},
        "tightest_limit": None if power is None else "power_w",
        "tightest_margin": None if power is None else 1 - power / 12,
        "bottleneck": "infer on npu",
        "bottleneck_load": 0.25,
        "label": "feasible if estimates hold",
    }
