"""Raw values of chip and board files to the parts both have."""

from __future__ import annotations

from dse.catalog import places
from dse.catalog.entries import Merged, Raw
from dse.catalog.parts import Lifecycle, Link, Power, Price, Temperature


def links_of(raw: Raw) -> tuple[Link, ...]:
    """Interfaces to a host."""
    return tuple(
        Link(
            id=link["id"],
            kind=link.get("kind") or link["id"].partition("-")[0],
            generation=link.get("generation"),
            lanes=link.get("lanes"),
            gbs=number(link.get("gbs")),
        )
        for link in raw.get("links") or []
    )


def power_of(raw: Raw) -> Power:
    """Sustained power."""
    power = raw.get("power") or {}
    idle, typical, most = (number(power.get(name)) for name in ("idle_w", "typical_w", "max_w"))
    return Power(idle, typical, most, power.get("boundary"))


def temperature_of(raw: Raw) -> Temperature:
    """Range of operation."""
    temperature = raw.get("temperature") or {}
    return Temperature(number(temperature.get("min_c")), number(temperature.get("max_c")), temperature.get("at"))


def lifecycle_of(raw: Raw) -> Lifecycle:
    """Status and dates; a year, month or day stays as it was written."""
    lifecycle = raw.get("lifecycle") or {}
    return Lifecycle(lifecycle.get("status"), *(date(lifecycle.get(name)) for name in ("until", "last_buy", "as_of")))


def prices_of(entry: Merged) -> tuple[Price, ...]:
    """List prices, each with its place."""
    return tuple(
        Price(
            float(price["usd"]),
            price.get("quantity"),
            date(price.get("date")),
            price.get("kind"),
            price.get("source") or "",
            place=places.nearest(f"prices.{number}.usd", entry.places),
        )
        for number, price in enumerate(entry.raw.get("prices") or [])
    )


def decoder_of(raw: Raw) -> float | None:
    """Streams of 1080p30 the video decoder takes."""
    return number((raw.get("video_decode") or {}).get("streams_1080p30"))


def sources_of(raw: Raw) -> dict[str, str]:
    """Where figures were read; a null takes a source away."""
    return {name: word for name, word in (raw.get("sources") or {}).items() if word is not None}


def number(value: float | None) -> float | None:
    """A figure as a float."""
    return None if value is None else float(value)


def date(value: str | int | None) -> str | None:
    """A date as text."""
    return None if value is None else str(value)
