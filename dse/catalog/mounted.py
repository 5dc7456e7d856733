"""A chip as it is bought on a board: its own processors, with the board's price, power, memory, link and host.

What is known of the board takes the place of what is known of the chip alone. Power and price of a host board that
the board is plugged into come on top, and its temperatures hold too; where one part is unknown, so is the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dse.catalog.parts import Lifecycle, Power, Price, Region, Temperature
from dse.catalog.types import Board, Chip, Mode

WHOLE_BOARDS = ("board", "system")
"""Boundaries of a power that covers a board."""
SUMMED = ("power", "price", "temperature", "lifecycle")
"""Groups of figures that a card and its host bear together."""
ITSELF = ("",)
"""What a group of figures was taken from where no board gives it: the chip."""
SMALL_FORMS = ("mcu", "sensor")
"""Chips that stay what they are on a board: no Linux takes a share of their memory."""


def mounted(chip: Chip, board: Board, boards: Mapping[str, Board]) -> Chip:
    """The chip on a board; ``plugged`` where it hangs on a link of a host.

    A board without a CPU for the application keeps a card's form: it needs a host.
    """
    hosted = board.cpu_cores is not None or not chip.needs_host
    price = board.latest_price
    placed = replace(
        chip,
        name=board.name,
        form=_form(chip, board, hosted=hosted),
        plugged=hosted and chip.needs_host,
        cpu_cores=chip.cpu_cores if board.cpu_cores is None else board.cpu_cores,
        capacity_gb=chip.capacity_gb if board.memory_gb is None else board.memory_gb,
        regions=_regions(chip, board),
        links=board.links or chip.links,
        power=_power(chip, board),
        modes=chip.modes if board.form == chip.form else _without_budgets(chip),
        prices=() if price is None else (price,),
        lead_time_weeks=board.lead_time_weeks,
        temperature=chip.temperature if board.temperature == Temperature() else board.temperature,
        lifecycle=chip.lifecycle if board.lifecycle == Lifecycle() else board.lifecycle,
        decode_streams_1080p30=board.decode_streams_1080p30 or chip.decode_streams_1080p30,
        taken=_taken(board),
    )
    return placed if board.host_board is None else plugged(placed, boards[board.host_board])


def plugged(card: Chip, host: Board) -> Chip:
    """A card in a host: its power and price with the host's, and what both bear of temperature and lifecycle."""
    price = _sum(card.latest_price, host.latest_price)
    return replace(
        card,
        name=f"{card.name} on {host.name}",
        form="devkit",
        plugged=True,
        cpu_cores=host.cpu_cores,
        power=_both(card.power, _own_power(host)),
        modes=_without_budgets(card),
        prices=() if price is None else (price,),
        lead_time_weeks=_longest(card.lead_time_weeks, host.lead_time_weeks),
        temperature=_shared(card.temperature, host.temperature),
        lifecycle=_shorter(card.lifecycle, host.lifecycle),
        taken=card.taken | {group: (*card.taken.get(group, ITSELF), host.id) for group in SUMMED},
    )


def narrowed(card: Chip, host: Board) -> Chip:
    """A card behind the slower of its own link and the host's of that kind; a board file says how it is wired."""
    own = card.link
    slot = next((link for link in host.links if own is not None and link.kind == own.kind), None)
    if own is None or slot is None or own.gbs is None or slot.gbs is None or slot.gbs >= own.gbs:
        return card
    wired = replace(own, generation=slot.generation, lanes=slot.lanes, gbs=slot.gbs)
    return replace(card, links=(wired, *card.links[1:]))


def _taken(board: Board) -> dict[str, tuple[str, ...]]:
    """Which groups of figures of a chip on a board are the board's; all others are the chip's."""
    own = {
        "price": True,
        "power": board.power.known,
        "temperature": board.temperature != Temperature(),
        "lifecycle": board.lifecycle != Lifecycle(),
        "video_decode": bool(board.decode_streams_1080p30),
    }
    return {group: (board.id,) for group, is_own in own.items() if is_own}


def _form(chip: Chip, board: Board, *, hosted: bool) -> str:
    """A computer, a card that needs one, or a chip without an operating system, for which nothing is reserved."""
    if not hosted:
        return board.form if board.form.endswith("-card") else "card"
    return chip.form if chip.form in SMALL_FORMS else "devkit"


def _regions(chip: Chip, board: Board) -> tuple[Region, ...]:
    """Regions of a microcontroller, and the memory a network can live in that the board puts beside it."""
    if not chip.regions or board.memory_gb is None:
        return chip.regions
    return (*chip.regions, Region(f"{board.id} memory", "dram", board.memory_gb * 1e9 / 1024))


def _without_budgets(chip: Chip) -> tuple[Mode, ...]:
    """Modes of a chip on a board: a budget is of the module, and says nothing of the board around it."""
    return tuple(replace(mode, budget_w=None) for mode in chip.modes)


def _power(chip: Chip, board: Board) -> Power:
    """Power of the board; that of a chip which is sold as a board stands for it.

    Of a card it does not where the board is a computer of its own.
    """
    if board.power.known:
        return _own_power(board)
    is_whole = chip.power.boundary in WHOLE_BOARDS and not (chip.needs_host and board.cpu_cores is not None)
    return chip.power if is_whole else Power()


def _own_power(board: Board) -> Power:
    return replace(board.power, boundary=board.power.boundary or "board") if board.power.known else Power()


def _both(one: Power, other: Power) -> Power:
    """Sums of two powers; a maximum nobody states is taken from the typical power of neither.

    Where only one of the two states its maximum, the typical sum is not given either: it would stand for the sustained
    power of both, and can lie below that one's maximum.
    """
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("idle_w", "typical_w", "max_w"))
    idle, typical, most = (None if None in pair else round(sum(pair), 6) for pair in pairs)
    one_sided = (one.max_w is None) != (other.max_w is None)
    return Power(idle, None if one_sided else typical, most, "system")


def _shared(card: Temperature, host: Temperature) -> Temperature:
    """Temperatures that a card and its host both stand; where they are taken if that is the same."""
    return Temperature(
        None if card.min_c is None or host.min_c is None else max(card.min_c, host.min_c),
        None if card.max_c is None or host.max_c is None else min(card.max_c, host.max_c),
        card.at if card.at == host.at else None,
    )


def _shorter(card: Lifecycle, host: Lifecycle) -> Lifecycle:
    """The end that comes first; unknown where either is, over where either is."""
    ends = [life.last_buy or life.until for life in (card, host)]
    over = "discontinued" if "discontinued" in (card.status, host.status) else card.status
    known = [end for end in ends if end is not None]
    return Lifecycle(over, min(known) if len(known) == len(ends) else None, None, card.as_of)


def _sum(card: Price | None, host: Price | None) -> Price | None:
    """Price of a board and of the host it is plugged into: as old as the older of the two, for as many as the more."""
    if card is None or host is None:
        return None
    both = (card, host)
    return Price(
        round(card.usd + host.usd, 6),
        max((price.quantity for price in both if price.quantity is not None), default=None),
        min((price.date for price in both if price.date is not None), default=None),
        "kit",
        _joined(price.source for price in both),
        _longest(card.lead_time_weeks, host.lead_time_weeks),
        _joined(dict.fromkeys(price.supplier for price in both)) or None,
        _joined(price.mpn for price in both) or None,
        min((price.valid_until for price in both if price.valid_until is not None), default=None),
    )


def _joined(words: Iterable[str | None]) -> str:
    return " + ".join(word for word in words if word)


def _longest(card: float | None, host: float | None) -> float | None:
    """Delivery time of two parts: the longer one, unknown where one is."""
    return None if card is None or host is None else max(card, host)
