"""A second opinion on answers: brute force over the exported candidate table, in decimals and plain Python.

Shares nothing with the package but the CSV file it reads.
"""

from __future__ import annotations

import csv
import random
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any

Row = dict[str, str]
STEPS = {
    "accuracy": Decimal("0.01"),
    "worst_case_ms": Decimal("0.001"),
    "power_w": Decimal("0.001"),
    "price_usd": Decimal("0.01"),
    "utilization": Decimal("0.001"),
    "memory_mb": Decimal("0.001"),
}
# Limits the oracle decides itself from the columns of the file; for the others it believes the column `violated`.
UPPER = ("power_w", "price_usd", "utilization", "memory_mb", "worst_case_ms")
OWN_RULES = {*UPPER, "accuracy", "deadline_ms", "min_accuracy"}


def read_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_feasible(row: Row, spec: dict[str, Any]) -> bool:
    """Every limit of the problem as a person would check it by hand."""
    task, limits = spec["tasks"][0], {"utilization": 0.95, **spec.get("limits", {})}
    if {name for name in row["violated"].split(" | ") if name} - OWN_RULES:
        return False
    if not row["worst_case_ms"] or Decimal(row["worst_case_ms"]) > Decimal(repr(task["deadline_ms"])):
        return False
    if "min_accuracy" in task and (
        not row["accuracy_low"] or Decimal(row["accuracy_low"]) < Decimal(repr(task["min_accuracy"]))
    ):
        return False
    for name, limit in limits.items():
        most, policy = limit, "reject"
        if isinstance(limit, dict):
            most, policy = limit["max"], limit.get("unknown", policy)
        elif name == "price_usd":
            policy = "flag"
        column = row["accuracy_low"] if name == "accuracy" else row[name]
        if column == "":
            if policy == "reject":
                return False
        elif name == "accuracy":
            if Decimal(column) < Decimal(repr(most)):
                return False
        elif Decimal(column) > Decimal(repr(most)):
            return False
    return True


def best_rows(rows: list[Row], spec: dict[str, Any]) -> list[Row]:
    """Lexicographic optimum with `within`, every objective at its stated resolution; all rows that tie exactly."""
    left = [row for row in rows if is_feasible(row, spec)]
    exact: list[dict[int, Decimal]] = []
    for objective in spec["objectives"]:
        maximize = "maximize" in objective
        name = objective["maximize"] if maximize else objective["minimize"]
        within = Decimal(repr(objective.get("within", 0)))
        known = [row for row in left if row[name] != ""]
        if not known:
            continue
        values = {id(row): _step(row[name], STEPS[name], maximize) for row in known}
        best = (max if maximize else min)(values.values())
        slack = (within / STEPS[name]).to_integral_value(ROUND_FLOOR) * STEPS[name]
        left = [row for row in known if abs(values[id(row)] - best) <= slack]
        sign = -1 if maximize else 1
        exact.append({id(row): sign * value for row, value in zip(known, values.values(), strict=True)})
    order = {id(row): tuple(values[id(row)] for values in exact) for row in left}
    return [row for row in left if order[id(row)] == min(order.values())]


def _step(text: str, step: Decimal, maximize: bool) -> Decimal:
    """Rounded to the resolution, against the candidate."""
    return (Decimal(text) / step).to_integral_value(ROUND_FLOOR if maximize else ROUND_CEILING) * step


def random_spec(rng: random.Random, chips: list[str]) -> dict[str, Any]:
    """A small problem file as data: few chips, random limits, objectives and streams; often infeasible."""
    task_name, models, floor = rng.choice(
        [
            ("image-classification", ["*mobilenet*", "*resnet*", "*squeezenet*", "*efficientnet*"], (55, 80)),
            ("image-classification", ["*shufflenet*", "*regnet*", "quicknet*", "*mobilenet*"], (50, 78)),
            ("object-detection", ["yolov5*", "yolov8*", "*ssd*", "nanodet*", "yolo11*"], (15, 50)),
            ("keyword-spotting", ["*"], (80, 92)),
            ("visual-wake-words", ["*"], (75, 92)),
        ]
    )
    streams = rng.choice([1, 1, 1, 2, 4, 16])
    task: dict[str, Any] = {
        "name": "t",
        "task": task_name,
        "streams": streams,
        "rate_hz": rng.choice([1, 5, 10, 15, 29.97, 30, 100]),
        "deadline_ms": rng.choice([2, 10, 20, 33.3, 50, 100, 250, 500, 1000]),
        "models": rng.sample(models, rng.randint(1, len(models))),
    }
    if rng.random() < 0.7:
        task["min_accuracy"] = round(rng.uniform(*floor), 1)
    if rng.random() < 0.5:
        task["overhead_ms"] = rng.choice([0, 1.5, 7.25, 20])
    elif rng.random() < 0.6:
        task["stages"] = [
            {"name": "resize", "on": "cpu", "time_ms": rng.choice([0.5, 1.3, 4])},
            {"name": "upload", "on": "dma", "mbytes": "auto", "overlap": rng.choice([0.0, 0.5])},
            {"name": "infer"},
            {"name": "answer", "on": "cpu", "time_ms": rng.choice([0.1, 2])},
        ]
    if rng.random() < 0.4:
        task["jitter_ms"] = rng.choice([1, 5.5, 12])
    if rng.random() < 0.3:
        task["may_stop"] = False
    search: dict[str, Any] = {"chips": rng.sample(chips, rng.randint(2, 10)), "batches": [1, 4, 8]}
    if rng.random() < 0.3:
        search["batching"] = {"policy": rng.choice([["dynamic"], ["dynamic", "count"]]), "timeout_ms": [0, 5]}
        if "count" in search["batching"]["policy"] and task.get("may_stop", True):
            search["batching"]["policy"] = ["dynamic"]
    if rng.random() < 0.3:
        search["buffers"] = [1, 2]
    limits: dict[str, Any] = {}
    if rng.random() < 0.5:
        policy = rng.choice(["reject", "flag"])
        limits["power_w"] = {"max": rng.choice([0.5, 5, 10, 15, 30, 60]), "unknown": policy}
    if rng.random() < 0.4:
        limits["price_usd"] = {"max": rng.choice([50, 130, 300, 1000]), "unknown": rng.choice(["reject", "flag"])}
    if rng.random() < 0.3:
        limits["utilization"] = rng.choice([0.5, 0.8, 1.0])
    objectives = rng.sample(
        [
            {"maximize": "accuracy", "within": rng.choice([0, 0.1, 1, 5])},
            {"minimize": "price_usd", "within": rng.choice([0, 50])},
            {"minimize": "power_w", "within": rng.choice([0, 0.5, 5])},
            {"minimize": "worst_case_ms", "within": rng.choice([0, 0.5, 10])},
            {"minimize": "utilization", "within": rng.choice([0, 0.05])},
        ],
        rng.randint(1, 5),
    )
    guard = {"evidence": rng.choice(["A", "B", "C", "D", "D", "E"]), "tail": rng.choice(["p99", "p99.9", "p99.9"])}
    around = _path_of_a_camera(rng, task, search)
    return {
        "version": 1,
        "name": "random",
        **around,
        "tasks": [task],
        "search": search,
        "limits": limits,
        "objectives": objectives,
        "guard": guard,
        "host": {"owned": True, "cpu_cores": 8},
    }


def _path_of_a_camera(rng: random.Random, task: dict[str, Any], search: dict[str, Any]) -> dict[str, Any]:
    """Now and then a source with stages of its own, other ways to close a batch, and an estimate for a guarantee."""
    if rng.random() < 0.15:
        task["guarantee"] = "p99"
    if rng.random() < 0.2:
        batching = search.setdefault("batching", {"policy": ["dynamic"], "timeout_ms": [0, 5]})
        batching["policy"] = [*batching["policy"], "timeout-close"]
    if rng.random() < 0.6:
        return {}
    source = {key: task.pop(key) for key in ("streams", "rate_hz", "jitter_ms", "may_stop") if key in task}
    stages = [
        {"name": "net", "delay_ms": 3, "variation_ms": rng.choice([0, 1.5])},
        {"name": "decode", "on": "video-decoder", "overlap": rng.choice([0, 0.25])},
        {"name": "isp", "on": "isp", "time_ms": rng.choice([0.7, 3.1]), "servers": rng.choice([1, 2])},
    ]
    if rng.random() < 0.7:
        stages[1]["else"] = {"on": "cpu", "time_ms": rng.choice([1.1, 4])}
    task |= {"source": "cam", "every_nth": rng.choice([1, 2, 5])}
    return {"sources": [{"name": "cam", **source, "stages": [s for s in stages if rng.random() < 0.6]}]}
