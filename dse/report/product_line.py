"""Several problems at once: which chips have a design for every product of a line, and what that costs in all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

JsonObject = dict[str, Any]


def product_line(comparisons: Sequence[JsonObject]) -> JsonObject:
    """Which chips serve which problems, those that serve most and cost least first.

    Costs of the problems add up where each is known and its price is of one kind: a chip is bought for every product in
    the same form, or the sum would mean nothing.

    Returns
    -------
    dict
        ``chips``: chip, ``serves``, ``fails`` and ``unknown`` (names of problem files), ``cost_usd`` in all, None where
        unknown;
        ``one_for_all``: the first chip that serves all, None without one; ``text``.
    """
    files = [comparison["problem"]["file"] for comparison in comparisons]
    served: dict[str, dict[str, JsonObject]] = {}
    unknown = {
        (row["chip"], file)
        for comparison, file in zip(comparisons, files, strict=True)
        for row in comparison["rows"]
        if row["kind"] == "design" and row["status"] == "unknown"
    }
    for comparison, file in zip(comparisons, files, strict=True):
        for row in comparison["rows"]:
            if row["kind"] == "design" and row["status"] == "feasible":
                served.setdefault(row["chip"], {}).setdefault(file, row)  # the first of a chip's rows is its best
    chips = [
        {
            "chip": chip,
            "serves": [file for file in files if file in rows],
            "fails": [file for file in files if file not in rows and (chip, file) not in unknown],
            "unknown": [file for file in files if (chip, file) in unknown and file not in rows],
            "cost_usd": _total(list(rows.values())) if len(rows) == len(files) else None,
            "rank_sum": sum(row["rank"] for row in rows.values()),
        }
        for chip, rows in served.items()
    ]
    chips.sort(key=_order)
    one = next((entry["chip"] for entry in chips if len(entry["serves"]) == len(files)), None)
    return {"chips": chips, "one_for_all": one, "text": _text(chips, comparisons)}


def _total(rows: Sequence[JsonObject]) -> float | None:
    costs = [row["cost_usd"] for row in rows]
    if None in costs or len({row["price_kind"] for row in rows}) > 1:
        return None
    return float(sum(costs))


def _order(entry: JsonObject) -> tuple[int, bool, float, int, str]:
    """Most products first, then the lowest cost, unknown ones last, then the better ranks."""
    cost = entry["cost_usd"]
    return -len(entry["serves"]), cost is None, cost or 0.0, entry["rank_sum"], entry["chip"]


def _text(chips: Sequence[JsonObject], comparisons: Sequence[JsonObject]) -> str:
    every = [entry for entry in chips if len(entry["serves"]) == len(comparisons)]
    winners = ", ".join(f"{one['winner'] or 'none'} for {one['problem']['file']}" for one in comparisons)
    if not every:
        most = max((len(entry["serves"]) for entry in chips), default=0)
        return f"no chip has a design for all {len(comparisons)} problems; at most {most} are served by one ({winners})"
    cost = every[0]["cost_usd"]
    said = "its cost in all is unknown" if cost is None else f"{cost:,.0f} USD in all over the years"
    others = f"; {len(every) - 1} more would do" if len(every) > 1 else ""
    return f"one chip is enough: {every[0]['chip']} ({said}){others}; the best of each: {winners}"
