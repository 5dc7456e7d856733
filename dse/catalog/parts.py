"""What chips and boards have in common: links, memory regions, power, temperature, prices, lifecycle.

A missing figure is None, never zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Link:
    """An interface to a host: ``gbs`` is the raw rate one way [10^9 byte/s]."""

    id: str
    kind: str
    generation: str | None
    lanes: int | None
    gbs: float | None

    @property
    def label(self) -> str:
        """The link as people write it, such as ``pcie 3 x4``."""
        words = (self.kind, self.generation, None if self.lanes is None else f"x{self.lanes}")
        return " ".join(word for word in words if word)


@dataclass(frozen=True)
class Region:
    """A memory region a network must fit into [1024 byte]; ``kind``: sram, tcm, flash, psram, rram, mram."""

    id: str
    kind: str
    kib: float


@dataclass(frozen=True)
class Power:
    """Sustained power [W]; ``boundary`` says of what: rail, module, board or system."""

    idle_w: float | None = None
    typical_w: float | None = None
    max_w: float | None = None
    boundary: str | None = None

    @property
    def known(self) -> bool:
        """Whether any figure is."""
        return not self.idle_w is self.typical_w is self.max_w is None


@dataclass(frozen=True)
class Temperature:
    """Range of operation [°C] and where it is taken: junction, case or ambient."""

    min_c: float | None = None
    max_c: float | None = None
    at: str | None = None


@dataclass(frozen=True)
class Lifecycle:
    """How long the part can be bought, and as of when that was said."""

    status: str | None = None
    until: str | None = None
    last_buy: str | None = None
    as_of: str | None = None


PRICE_KIND = {"soc": "chip", "mcu": "chip", "sensor": "chip", "m2-card": "card", "pcie-card": "card", "hat": "card",
              "usb-stick": "card", "sbc": "board", "box": "kit"}  # fmt: skip
"""Kind of price that is of the thing itself, by its form; other forms have one of their own name."""


@dataclass(frozen=True)
class Price:
    """A list price, dated, or a quoted one; ``kind`` says of what (chip, module, card, devkit, board, kit).

    ``quantity`` is how many pieces it holds from, None where the source does not say. A quoted price has no date of its
    own but a last day, ``valid_until``; its ``lead_time_weeks`` is the delivery time [week]. ``place`` is where a
    catalogue file states it (see `dse.catalog.places`); it never makes two prices differ.
    """

    usd: float
    quantity: int | None
    date: str | None
    kind: str | None
    source: str = ""
    lead_time_weeks: float | None = None
    supplier: str | None = None
    mpn: str | None = None
    valid_until: str | None = None
    place: int = field(default=0, compare=False)


def price_kind(form: str) -> str:
    """Kind of price that is of the thing itself, and not of a kit with it or of a part of it."""
    return PRICE_KIND.get(form, form)


def price_at(prices: Iterable[Price], pieces: int, form: str) -> Price | None:
    """What one piece costs where so many are bought.

    Prices of the thing itself go before all others. Of those that hold for so many pieces, the one for the largest
    quantity counts, the newest where several are for it. Where all are for more pieces than are bought, the one for the
    fewest stands in: its ``quantity`` tells.

    Examples
    --------
    >>> breaks = [Price(12.0, None, "2026", "chip"), Price(9.0, 1000, "2024", "chip")]
    >>> [price_at(breaks, pieces, "soc").usd for pieces in (1, 999, 1000)]
    [12.0, 12.0, 9.0]
    >>> price_at(breaks[1:], 1, "soc").usd
    9.0
    """
    listed = list(prices)
    right = [price for price in listed if price.kind == price_kind(form)] or listed
    if not right:
        return None
    breaks = {price.quantity or 1 for price in right}
    wanted = max((one for one in breaks if one <= pieces), default=min(breaks))
    return max((price for price in right if (price.quantity or 1) == wanted), key=lambda price: price.date or "")
