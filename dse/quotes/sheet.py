"""What a file of quotations holds: its columns, and one row as it is used and as it is written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from dse.catalog.columns import Column, Sheet

QUOTES = Sheet(
    "quotes",
    (
        Column("item", "id of a chip or board of the catalogue; empty where mpn names a board", required=True),
        Column("supplier", "who quotes", required=True),
        Column("mpn", "manufacturer's part number", required=True),
        Column(
            "price", "price of one piece, in the currency; empty: a delivery time alone", number=True, required=True
        ),
        Column("currency", "ISO code such as EUR; empty: USD", required=True),
        Column("moq", "least number of pieces one may order; empty: 1", number=True, required=True),
        Column("quantity_from", "pieces from which on the price holds; empty: 1", number=True, required=True),
        Column("lead_time_weeks", "delivery time [week]; empty: not said", number=True, required=True),
        Column("valid_until", "last day of the quotation, YYYY-MM-DD; empty: not said", required=True),
    ),
    key=(),
    open=True,
)
"""Columns beside these, such as a question to the supplier, are ignored: a form that was filled in reads back."""
HEADER = tuple(column.name for column in QUOTES.columns)


@dataclass(frozen=True)
class Quote:
    """One quotation.

    Parameters
    ----------
    item : str
        Chip or board, as the catalogue spells its id.
    supplier, mpn, currency, valid_until : str
        As they were written; empty where nothing was. `currency` is in capitals, ``USD`` where the cell is empty.
    price : float or None
        Price of one piece in `currency`; None where only a delivery time was quoted.
    usd : float or None
        The same [USD], rounded up to a millionth.
    moq, quantity_from : int
        Least order, and pieces from which on the price holds.
    lead_time_weeks : float or None
        Delivery time [week].
    file, line
        Where it was read.
    """

    item: str
    supplier: str
    mpn: str
    price: float | None
    currency: str
    usd: float | None
    moq: int
    quantity_from: int
    lead_time_weeks: float | None
    valid_until: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"

    @property
    def source(self) -> str:
        """Who quoted, for how long, and where that was read."""
        words = [f"quotation of {self.supplier or 'a supplier that is not named'}"]
        if self.usd is not None and self.currency != "USD":
            words.append(f"{self.price:.12g} {self.currency}")
        if self.valid_until:
            words.append(f"valid until {self.valid_until}")
        return ", ".join([*words, self.place])


def form(items: Iterable[tuple[str, str]]) -> str:
    """A file to be filled in: the header, and a row with item and part number for each pair of these."""
    return _text([[item, "", mpn, *[""] * (len(HEADER) - 3)] for item, mpn in items])


def written(quotes: Iterable[Quote]) -> str:
    """Quotations as the file they could have been read from."""
    return _text(
        [
            [
                quote.item,
                quote.supplier,
                quote.mpn,
                _cell(quote.price),
                quote.currency,
                str(quote.moq),
                str(quote.quantity_from),
                _cell(quote.lead_time_weeks),
                quote.valid_until,
            ]
            for quote in quotes
        ]
    )


def _cell(number: float | None) -> str:
    return "" if number is None else repr(number)


def _text(rows: Iterable[Iterable[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(rows)
    return out.getvalue()
