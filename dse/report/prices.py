"""A price in words: of what, from when or by whom, for how many pieces."""

from __future__ import annotations

from dse.catalog.parts import Price


def price_text(price: Price | None, asked: int) -> str | None:
    """What a price is of and where it comes from; one for more pieces than the `asked` ones says so.

    Examples
    --------
    >>> price_text(Price(20.0, 1000, "2023-03", "chip", "the maker's shop"), 1)
    "chip, 2023-03, at 1,000 pieces, 1 asked, the maker's shop"
    """
    if price is None:
        return None
    pieces = price.quantity or 1
    words = [price.kind or "kind not stated"]
    if price.date is not None or price.supplier is None:
        words.append(price.date or "no date")
    words.append(f"at {pieces:,} pieces" + (f", {asked:,} asked" if pieces > asked else ""))
    words.append(price.source or "source not stated")
    return ", ".join(words)
