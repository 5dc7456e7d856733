"""The catalogue as a buyer sees it: one price for every chip and board, quoted or listed, at the quantity bought."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dse.catalog.parts import Price, price_at, price_kind
from dse.catalog.types import Board, Catalog, Chip
from dse.errors import Fault, ProblemError
from dse.problem.spec import Problem
from dse.quotes.choose import Quotes, choose
from dse.quotes.read import read_quotes
from dse.quotes.sheet import Quote


@dataclass(frozen=True)
class Priced:
    """A catalogue whose chips and boards have one price each, and the quotations behind some of them."""

    catalog: Catalog
    quotes: Quotes


def quotes_of(problem: Problem, catalog: Catalog) -> tuple[Quotes, list[Fault]]:
    """The quotations a problem names, weighed at its quantity, and every fault of their file."""
    rows, faults = read_quotes(problem, catalog)
    return choose(rows, problem.procurement.quantity, problem.procurement.as_of), faults


def priced(problem: Problem, catalog: Catalog) -> Priced:
    """Prices at the quantity that a problem buys.

    A quotation for a host board, or for what is plugged into one, takes the place of that part alone.

    Raises
    ------
    ProblemError
        The file of quotations cannot be used: every fault.
    """
    quotes, faults = quotes_of(problem, catalog)
    if faults:
        raise ProblemError(faults)
    chips = {name: _chip(chip, quotes) for name, chip in catalog.chips.items()}
    boards = {name: _board(board, quotes) for name, board in catalog.boards.items()}
    return Priced(replace(catalog, chips=chips, boards=boards), quotes)


def _chip(chip: Chip, quotes: Quotes) -> Chip:
    quote = quotes.used.get(chip.id)
    price = _price(chip, quote, quotes.quantity)
    if quote is None and chip.prices == (() if price is None else (price,)):
        return chip
    lead = None if quote is None else quote.lead_time_weeks
    return replace(chip, prices=() if price is None else (price,), lead_time_weeks=lead)


def _board(board: Board, quotes: Quotes) -> Board:
    quote = quotes.used.get(board.id)
    price = _price(board, quote, quotes.quantity)
    if quote is None and board.prices == (() if price is None else (price,)):
        return board
    lead = None if quote is None else quote.lead_time_weeks
    return replace(board, prices=() if price is None else (price,), lead_time_weeks=lead)


def _price(thing: Chip | Board, quote: Quote | None, quantity: int) -> Price | None:
    """What one costs; a quotation without a price adds its delivery time to the list price."""
    listed = price_at(thing.prices, quantity, thing.form)
    if quote is None:
        return listed
    if quote.usd is None:
        return None if listed is None else replace(listed, lead_time_weeks=quote.lead_time_weeks)
    return Price(
        usd=quote.usd,
        quantity=quote.quantity_from,
        date=None,
        kind=price_kind(thing.form),
        source=quote.source,
        lead_time_weeks=quote.lead_time_weeks,
        supplier=quote.supplier or None,
        mpn=quote.mpn or None,
        valid_until=quote.valid_until or None,
    )
