"""Scores of a comparison's designs where the problem weighs figures, and what each input of the cost does to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dse.problem.scoring import Scoring
from dse.problem.settings import Procurement
from dse.procurement.numbers import shown
from dse.procurement.scoring import score_rows, stability
from dse.procurement.sensitivity import Bar, Design, tornado

JsonObject = dict[str, Any]


def score(rows: Sequence[JsonObject], scoring: Scoring | None) -> JsonObject | None:
    """Give every feasible row its score, and tell who wins and how far each weight may move; None without weights.

    Rows that are no design have no score; the baseline takes part where it meets every limit.
    """
    for row in rows:
        row.update(score=None, score_low=None, score_high=None)
    if scoring is None:
        return None
    feasible = [row for row in rows if row["status"] == "feasible" and row["model"] is not None]
    scores = score_rows(feasible, scoring)
    for row, one in zip(feasible, scores.rows, strict=True):
        row.update(score=shown(one.score), score_low=float(one.low), score_high=float(one.high))
    return {
        "weights": dict(scoring.weights),
        "values": {name: [[float(x), float(y)] for x, y in points] for name, points in scores.values.items()},
        "winner": None if scores.winner is None else feasible[scores.winner]["chip"],
        "order": [feasible[index]["chip"] for index in scores.order],
        "stability": [
            {"figure": one.figure, "weight": float(one.weight), "low": float(one.low), "high": shown(one.high)}
            for one in stability(scores)
        ],
    }


def sensitivity(rows: Sequence[JsonObject], asked: Procurement, streams: int) -> list[JsonObject]:
    """What the winner costs, and who is cheapest, when one input at a time is lower and higher; empty without one."""
    designs = [row for row in rows if row["status"] == "feasible" and row["model"] is not None]
    first = next((k for k, row in enumerate(designs) if row["rank"] == 1), None)
    if first is None:
        return []
    priced = [Design(row["chip"], row["price_usd"], row["power_w"], owned=row["reason"] == "owned") for row in designs]
    return [_bar(bar) for bar in tornado(priced, first, asked, streams)]


def _bar(bar: Bar) -> JsonObject:
    names = ("factor", "chip", "text", "low_value", "high_value", "cost_low", "cost_high")
    return {
        **{name: getattr(bar, name) for name in names},
        "cheapest_low": bar.cheapest_low,
        "cheapest_high": bar.cheapest_high,
        "moves": bar.moves,
    }
