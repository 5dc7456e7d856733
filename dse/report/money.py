"""Costs of one row over the years, as the figures every output shows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dse.problem.settings import Procurement
from dse.procurement.costs import costs_of, engineering_of, spares_of

JsonObject = dict[str, Any]


def money(
    price_usd: float | None, power_w: float | None, asked: Procurement, streams: int, *, owned: bool
) -> JsonObject:
    """Fleet, spares, work, energy, their sum and its share of a stream; see `dse.procurement.costs.costs_of`."""
    return asdict(costs_of(price_usd, power_w, asked, streams, owned=owned))


def conditions(asked: Procurement, streams: int) -> JsonObject:
    """How the systems are bought and run: what costs are worked out from."""
    names = ("quantity", "years", "hours_per_day", "energy_usd_per_kwh", "discount_rate")
    return {
        **{name: getattr(asked, name) for name in names},
        "spares": spares_of(asked),
        "spares_share": asked.spares_share,
        "engineering_usd": float(engineering_of(asked)),
        "streams": streams,
    }
