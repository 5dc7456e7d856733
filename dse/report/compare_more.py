"""The parts of a comparison beside its rows, in words: chips nothing runs on, what moves the cost, scores, the line."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from dse.report.compare_page_words import figure, title_of, usd

JsonObject = dict[str, Any]


def reasons(comparison: JsonObject) -> list[tuple[str, list[str]]]:
    """Why nothing is known to run on a chip, with the chips it is true of; the most frequent reason first."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in comparison["rows"]:
        if row["status"] == "no design" and row["kind"] != "baseline":
            found[row.get("reason") or "no reason is known"].append(row.get("name") or row["chip"])
    return sorted(((why, sorted(chips)) for why, chips in found.items()), key=lambda pair: (-len(pair[1]), pair[0]))


def swings(comparison: JsonObject) -> list[JsonObject]:
    """What moves the cost of the first chip, as lines with a bar: ends as shares [0, 1] of all that is drawn."""
    entries = [one for one in comparison.get("tornado") or [] if None not in (one["cost_low"], one["cost_high"])]
    if not entries:
        return []
    ends = [one[name] for one in entries for name in ("cost_low", "cost_high")]
    least, width = min(ends), (max(ends) - min(ends)) or 1.0
    return [
        {
            "name": one.get("text") or title_of(one["factor"]),
            "low": figure(one["low_value"]),
            "high": figure(one["high_value"]),
            "cost_low": usd(one["cost_low"]),
            "cost_high": usd(one["cost_high"]),
            "start": (min(one["cost_low"], one["cost_high"]) - least) / width,
            "length": abs(one["cost_high"] - one["cost_low"]) / width,
            "moves": _moves(comparison, one),
        }
        for one in entries
    ]


def _moves(comparison: JsonObject, one: JsonObject) -> str:
    """Whether another chip becomes the cheapest within the range."""
    low, high = (name_of(comparison, one[end]) for end in ("cheapest_low", "cheapest_high"))
    if not one["moves"]:
        return f"no, {low} is the cheapest throughout"
    return f"yes: {low} at the low end, {high} at the high end"


def name_of(comparison: JsonObject, chip: str | None) -> str:
    """A chip's name as it is sold, or its id."""
    if chip is None:
        return "no chip"
    return next((row.get("name") or chip for row in comparison["rows"] if row["chip"] == chip), chip)


def weighed(comparison: JsonObject) -> JsonObject | None:
    """Weights, how far each may move, and what counts as worth nothing and everything; None without scores."""
    scoring = comparison.get("scoring")
    if not scoring:
        return None
    ranges = {one["figure"]: one for one in scoring.get("stability") or []}
    return {
        "winner": name_of(comparison, scoring.get("winner")),
        "weights": [
            {
                "name": title_of(figure),
                "weight": f"{weight:g}",
                "range": _range(ranges.get(figure)),
                "values": ", ".join(f"{x:,g} → {v:g}" for x, v in (scoring.get("values") or {}).get(figure, [])),
            }
            for figure, weight in scoring["weights"].items()
        ],
        "rows": [
            (row.get("name") or row["chip"], _score(row))
            for row in sorted(_scored(comparison), key=lambda row: -(row.get("score") or row.get("score_low") or 0))
        ],
    }


def _scored(comparison: JsonObject) -> list[JsonObject]:
    return [row for row in comparison["rows"] if row.get("score") is not None or row.get("score_low") is not None]


def _score(row: JsonObject) -> str:
    if row.get("score") is not None:
        return f"{row['score']:.2f}"
    return f"unknown, {row['score_low']:.2f} to {row['score_high']:.2f}"


def _range(one: JsonObject | None) -> str:
    if one is None:
        return "unknown"
    if one["high"] is None:
        return f"{one['low']:.3g} and more"
    return f"{one['low']:.3g} to {one['high']:.3g}"


def product_line(data: JsonObject) -> JsonObject | None:
    """Whether one chip is enough for all problems; None for a single problem."""
    line = data.get("line")
    if not line:
        return None
    files = [one["problem"]["file"] for one in data["comparisons"]]
    names = [one["problem"].get("name") or one["problem"]["file"] for one in data["comparisons"]]
    known = {row["chip"]: row.get("name") or row["chip"] for one in data["comparisons"] for row in one["rows"]}
    one_for_all = line.get("one_for_all")
    return {
        "text": line.get("text") or "",
        "one_for_all": None if one_for_all is None else known.get(one_for_all, one_for_all),
        "problems": names,
        "chips": [
            {
                "name": known.get(one["chip"], one["chip"]),
                "serves": ["yes" if file in one["serves"] else _not(file in one["fails"]) for file in files],
                "cost": usd(one.get("cost_usd")),
            }
            for one in line["chips"]
        ],
    }


def _not(fails: bool) -> str:
    return "no" if fails else "unknown"
