"""What is bought, again: which parts, which price and which delivery time counts for each; from all list prices and all
quotations, not from the catalogue that the table was made with.
"""

from __future__ import annotations

from fractions import Fraction

from dse.candidates.context import Context
from dse.catalog.parts import Price, price_kind
from dse.catalog.types import Board, Chip
from dse.problem.fields import exact
from dse.quotes.sheet import Quote
from dse.verify.figures import host_figure

MILLIONTH = Fraction(1, 1_000_000)


def price_usd(context: Context, run: int) -> Fraction | None:
    """Price of every part and of a host that is to be bought, at the quantity asked [USD]."""
    host = host_figure(context, run, "price_usd")
    parts = [None if host is None else exact(float(host))]
    parts += [_part_usd(context, part) for part in _parts(context, run)]
    known = [part for part in parts if part is not None]
    return sum(known, Fraction(0)) if len(known) == len(parts) else None


def lead_time_weeks(context: Context, run: int) -> Fraction | None:
    """Delivery time of the part that comes last [week]; None where one is not quoted, as of a host that is stated."""
    quotes = [_quote(context, part) for part in _parts(context, run)]
    times = [None if quote is None else quote.lead_time_weeks for quote in quotes]
    host = context.problem.host
    is_stated = host is not None and host.board is None and not host.absent and not host.owned
    if None in times or (is_stated and context.chip_of(run).needs_host):
        return None
    return max(exact(time) for time in times if time is not None)


def _parts(context: Context, run: int) -> list[Chip | Board]:
    """The chip or its board, and the board that this one is plugged into; with all their list prices."""
    lane, listed = context.lane_of(run), context.listed
    chip, board = listed.chips[context.lanes.chip[lane]], listed.boards.get(context.lanes.board[lane])
    host = None if board is None else board.host_board
    is_card = chip.needs_host and (board is None or board.cpu_cores is None)
    if host is None and is_card:
        host = listed.host
    return [chip if board is None else board, *([] if host is None else [listed.boards[host]])]


def _part_usd(context: Context, part: Chip | Board) -> Fraction | None:
    quote = _quote(context, part)
    if quote is None or quote.price is None:
        price = _list_price(list(part.prices), context.problem.procurement.quantity, part.form)
        return None if price is None else exact(price.usd)
    return _usd(context, quote)


def _usd(context: Context, quote: Quote) -> Fraction:
    """Dollars for a quoted price, up to the next millionth."""
    rate = 1.0 if quote.currency == "USD" else context.problem.procurement.usd_per[quote.currency]
    usd = exact(quote.price or 0.0) * exact(rate)
    whole = usd // MILLIONTH * MILLIONTH
    return whole if whole == usd else whole + MILLIONTH


def _quote(context: Context, part: Chip | Board) -> Quote | None:
    """The quotation for one part: by elimination, a rule at a time."""
    asked = context.problem.procurement
    left = [
        quote
        for quote in context.quotes.rows
        if quote.item == part.id and max(quote.moq, quote.quantity_from) <= asked.quantity
    ]
    if asked.as_of is not None:
        left = [quote for quote in left if not quote.valid_until or quote.valid_until >= asked.as_of]
    left = [quote for quote in left if quote.price is not None] or left
    if not left:
        return None
    most = max(quote.quantity_from for quote in left)
    left = [quote for quote in left if quote.quantity_from == most]
    if left[0].price is not None:
        least = min(_usd(context, quote) for quote in left)
        left = [quote for quote in left if _usd(context, quote) == least]
    return sorted(left, key=lambda quote: (quote.supplier, quote.line))[0]


def _list_price(prices: list[Price], pieces: int, form: str) -> Price | None:
    """The list price that holds for so many pieces: of the thing itself, for the most pieces, the newest."""
    own = [price for price in prices if price.kind == price_kind(form)] or prices
    fitting = [price for price in own if price.quantity is None or price.quantity <= pieces]
    if not fitting:
        fewest = min((price.quantity or 1 for price in own), default=1)
        fitting = [price for price in own if price.quantity == fewest]
    ordered = sorted(fitting, key=lambda price: (price.quantity or 1, price.date or ""), reverse=True)
    return ordered[0] if ordered else None
