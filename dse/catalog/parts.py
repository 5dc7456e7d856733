"""What chips and boards have in common: links, memory regions, power, temperature, prices, lifecycle.

A missing figure is None, never zero.
"""

from __future__ import annotations

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


@dataclass(frozen=True)
class Price:
    """A dated list price; ``kind`` says of what (chip, module, card, devkit, board, kit).

    ``place`` is where a catalogue file states it (see `dse.catalog.places`); it never makes two prices differ.
    """

    usd: float
    quantity: int | None
    date: str | None
    kind: str | None
    source: str = ""
    place: int = field(default=0, compare=False)


def latest(prices: tuple[Price, ...]) -> Price | None:
    """The newest dated list price."""
    return max(prices, key=lambda price: price.date or "", default=None)
