"""Costs of one row over the years, as the figures every output shows."""

from __future__ import annotations

from math import ceil
from typing import Any

from dse.problem.settings import Procurement

JsonObject = dict[str, Any]


def money(
    price_usd: float | None, power_w: float | None, asked: Procurement, streams: int, *, owned: bool
) -> JsonObject:
    """Fleet, spares, work, energy and their sum in USD at year 0."""
    q, spares = asked.quantity, spares_of(asked)
    fleet = None if price_usd is None else q * price_usd
    sp = None if price_usd is None else spares * price_usd
    eng = engineering_of(asked)
    if owned:
        fleet = sp = eng = 0.0
    energy = None
    if power_w is not None:
        year = q * power_w / 1000 * asked.hours_per_day * 365 * asked.energy_usd_per_kwh
        full = int(asked.years)
        energy = sum(year / (1 + asked.discount_rate) ** k for k in range(1, full + 1))
        energy += (asked.years - full) * year / (1 + asked.discount_rate) ** asked.years
    known = [part for part in (fleet, sp, eng, energy) if part is not None]
    cost = sum(known) if len(known) == 4 else None
    return {
        "fleet_price_usd": fleet,
        "spares_usd": sp,
        "engineering_usd": eng,
        "energy_usd": energy,
        "cost_usd": cost,
        "cost_per_stream_usd": None if cost is None else cost / (q * streams),
    }


def spares_of(asked: Procurement) -> int:
    """Systems bought as spares."""
    return ceil(asked.quantity * asked.spares_share)


def engineering_of(asked: Procurement) -> float:
    """Work that is paid once [USD]."""
    e = asked.engineering
    return 0.0 if e is None else e.days * e.day_rate_usd
