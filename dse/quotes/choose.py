"""Which of several quotations counts for an item at the quantity that is bought, and why the others do not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dse.quotes.sheet import Quote

MOST_REMARKS = 20


@dataclass(frozen=True)
class Unused:
    """A quotation that decides nothing, and why."""

    quote: Quote
    reason: str

    def __str__(self) -> str:
        by = f" of {self.quote.supplier}" if self.quote.supplier else ""
        return f"{self.quote.place}: the quotation{by} for {self.quote.item} is not used: {self.reason}"


@dataclass(frozen=True)
class Quotes:
    """All quotations of a problem.

    Parameters
    ----------
    quantity : int
        Systems bought.
    as_of : str or None
        Day on which they must be valid; None: none counts as expired.
    rows : tuple of Quote
        Every one, in the order of the file.
    used : mapping of item to Quote
        The one that counts for each item.
    unused : tuple of Unused
        The others, in the order of the file.
    """

    quantity: int = 1
    as_of: str | None = None
    rows: tuple[Quote, ...] = ()
    used: Mapping[str, Quote] = field(default_factory=dict)
    unused: tuple[Unused, ...] = ()

    @property
    def key(self) -> str:
        """A checksum of everything that was read: equal where the same quotations are known."""
        return hashlib.sha256(repr(self.rows).encode()).hexdigest() if self.rows else ""

    def remarks(self) -> list[str]:
        """What a reader of an answer must know of them, one line each."""
        if not self.rows:
            return []
        lines = [str(one) for one in self.unused[:MOST_REMARKS]]
        if len(self.unused) > MOST_REMARKS:
            lines.append(f"{len(self.unused) - MOST_REMARKS} more quotations are not used: `dse quotes` lists them")
        if self.as_of is None and any(quote.valid_until for quote in self.rows):
            lines.append("no quotation counts as expired: `procurement.as_of` names no day")
        return lines


def choose(rows: Iterable[Quote], quantity: int, as_of: str | None) -> Quotes:
    """Weigh quotations.

    A quotation can be used where it holds for `quantity` pieces, as many may be ordered, and it is valid on the day
    `as_of`. Of those for one item the one for the largest quantity counts, of several such the cheapest, and then the
    first by the supplier's name. A quotation of a delivery time alone counts where none with a price does.
    """
    rows = tuple(rows)
    reasons: dict[Quote, str] = {}
    best: dict[str, Quote] = {}
    for quote in rows:
        reason = _obstacle(quote, quantity, as_of)
        if reason:
            reasons[quote] = reason
        elif quote.item not in best or _rank(quote) < _rank(best[quote.item]):
            best[quote.item] = quote
    for quote in rows:
        if quote not in reasons and quote != best[quote.item]:
            reasons[quote] = _better(best[quote.item], quote)
    unused = tuple(Unused(quote, reasons[quote]) for quote in rows if quote in reasons)
    return Quotes(quantity, as_of, rows, dict(sorted(best.items())), unused)


def _obstacle(quote: Quote, quantity: int, as_of: str | None) -> str:
    """Why a quotation cannot be used; empty where it can."""
    if quote.quantity_from > quantity:
        return f"it holds from {quote.quantity_from:,} pieces on, {quantity:,} are bought"
    if quote.moq > quantity:
        return f"at least {quote.moq:,} pieces must be ordered, {quantity:,} are bought"
    if as_of is not None and quote.valid_until and quote.valid_until < as_of:
        return f"it was valid until {quote.valid_until}, the day asked for is {as_of}"
    return ""


def _rank(quote: Quote) -> tuple[bool, int, float, str, int]:
    """Place among the quotations for an item: less goes first."""
    return quote.usd is None, -quote.quantity_from, quote.usd or 0.0, quote.supplier, quote.line


def _better(best: Quote, quote: Quote) -> str:
    """Why another quotation goes first."""
    if quote.usd is None and best.usd is not None:
        why = "states a price"
    elif best.quantity_from > quote.quantity_from:
        why = f"is for {best.quantity_from:,} pieces on"
    elif best.usd is not None and quote.usd is not None and best.usd < quote.usd:
        why = "is cheaper"
    else:
        why = "comes first by the name of its supplier" if best.supplier != quote.supplier else "stands before it"
    return f"{best.place} {why}"
