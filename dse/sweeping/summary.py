"""What a sweep keeps of one answer: the status, the design with its figures, or why there is none."""

from __future__ import annotations

from typing import Any

from dse.report.words import BETWEEN, ON_THE_BOARD

JsonObject = dict[str, Any]

DEVICE = ("chip", "board", "host", "link", "mode")
"""Columns of what is bought."""
RUN = ("unit", "cores", "runtime", "model", "weights", "input_h", "input_w", "precision",
       "batch", "policy", "timeout_ms", "buffers")  # fmt: skip
"""Columns of how a task runs; with those of the device they are the design."""
FIGURES = ("accuracy", "accuracy_low", "accuracy_grade", "worst_case_ms", "deadline_ms", "slack_ms", "typical_ms",
           "rate_hz", "required_hz", "memory_mb", "grade", "flagged")  # fmt: skip
"""Columns of what a task reaches."""
TOTALS = ("utilization", "power_w", "price_usd", "bottleneck")
"""Columns of the device with all its tasks."""
MOST_NAMED = 3
"""Most limits that a reason names."""
CHAIN = ("worst_case_ms", "deadline_ms", "slack_ms")


def summary_of(data: JsonObject) -> JsonObject:
    """The part of an answer that a sweep shows; the same for the same input, however it was solved.

    Returns
    -------
    dict
        ``status``, ``label`` and ``reason``; ``device``, ``tasks`` and ``chains`` hold columns by name, the latter two
        by the name of the task or chain, and are empty where there is no design. None means unknown.
    """
    found = bool(data["assignments"])
    return {
        "status": data["status"],
        "label": data["label"],
        "reason": None if found else reason_of(data),
        "device": _device(data) if found else {},
        "tasks": {one["task"]: _task(one) for one in data["assignments"]},
        "chains": {one["name"]: {name: one[name] for name in CHAIN} for one in data["chains"]},
    }


def reason_of(data: JsonObject) -> str:
    """Why there is no design: limits that every candidate breaks, or those that refuse most of them."""
    if data["status"] != "infeasible":
        return "stopped before a design was found"
    tasks = data["search"].get("tasks")
    if tasks is None:
        return _refusals("", data["search"]["candidates"], data["killed_by"])
    alone = [
        _refusals(f"{one['task']}: ", one["candidates"], data["killed_by"]) for one in tasks if not one["feasible"]
    ]
    if alone:
        return "; ".join(alone)
    nearest = [miss["text"] for miss in data["nearest_misses"][:1] if "text" in miss]
    return "; nearest: ".join(["each task alone fits, together none does", *nearest])


def _refusals(prefix: str, total: int, killed_by: JsonObject) -> str:
    """What refuses the candidates of one task; `prefix` is what the names of its limits begin with."""
    counts = {name.removeprefix(prefix): one for name, one in killed_by.items() if name.startswith(prefix)}
    if not total:
        return f"{prefix}there is no candidate"
    by_all = [name for name, one in counts.items() if one["candidates"] == total]
    if by_all:
        more = len(by_all) - MOST_NAMED
        names = " and ".join(by_all[:MOST_NAMED]) + (f", and {more} more" if more > 0 else "")
        return f"{prefix}every candidate breaks {names}"
    alone = {name: one["alone"] for name, one in counts.items() if one["alone"]}
    if alone:
        return f"{prefix}{_most(alone, 'alone refuses')}"
    return f"{prefix}{_most({name: one['candidates'] for name, one in counts.items()}, 'refuses')}"


def _most(counts: dict[str, int], verb: str) -> str:
    """The limits with the largest counts, in words."""
    most = sorted(counts, key=lambda name: -counts[name])[:MOST_NAMED]
    comma = "; " if any("," in name for name in most) else ", "
    first, *others = most
    words = f"{first} {verb} {counts[first]:,} candidate{'s' * (counts[first] != 1)}"
    return comma.join([words, *(f"{name} {counts[name]:,}" for name in others if counts[name])])


def _device(data: JsonObject) -> JsonObject:
    device, bottleneck = data["devices"][0], data["bottleneck"]
    columns = {name: device[name] for name in DEVICE}
    return {
        **columns,
        "host": None if device["host"] == ON_THE_BOARD else device["host"],
        "utilization": bottleneck["utilization"],
        "power_w": data["totals"]["power_w"],
        "price_usd": data["totals"]["price_usd"],
        "bottleneck": f"{bottleneck['stage']} on {bottleneck['resource']}",
    }


def _task(one: JsonObject) -> JsonObject:
    latency, rate = one["latency"], one["rate"]
    return {
        **{name: one[name] for name in RUN},
        **{name: one[name] for name in ("accuracy", "accuracy_low", "accuracy_grade")},
        **{name: latency[name] for name in ("worst_case_ms", "deadline_ms", "slack_ms", "typical_ms")},
        "rate_hz": rate["capacity_hz"],
        "required_hz": rate["required_hz"],
        "memory_mb": one["memory"]["total_mb"],
        "grade": latency["grade"],
        "flagged": BETWEEN.join(one["flagged_unknown"]) or None,
    }
