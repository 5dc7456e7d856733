"""A chip as it is bought on a board: its own processors, with the board's price, power, memory, link and host.

What is known of the board takes the place of what is known of the chip alone. Power and price of a host board that
the board is plugged into come on top; where one part is unknown, so is the sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dse.catalog.parts import Lifecycle, Power, Price, Temperature
from dse.catalog.types import Board, Chip, Mode

WHOLE_BOARDS = ("board", "system")
"""Boundaries of a power that covers a board."""


def mounted(chip: Chip, board: Board, boards: Mapping[str, Board]) -> Chip:
    """The chip on a board; ``plugged`` where it hangs on a link of a host.

    A board without a CPU for the application keeps a card's form: it needs a host.
    """
    host = boards[board.host_board] if board.host_board else None
    cores = board.cpu_cores or (host.cpu_cores if host else None)
    hosted = cores is not None or not chip.needs_host
    power = _power(chip, board)
    price = board.latest_price
    if host is not None:
        power, price = _both(power, _own_power(host)), _sum(price, host.latest_price)
    return replace(
        chip,
        name=board.name if host is None else f"{board.name} on {host.name}",
        form="devkit" if hosted else board.form if board.form.endswith("-card") else "card",
        plugged=hosted and chip.needs_host,
        cpu_cores=cores if cores is not None else chip.cpu_cores,
        capacity_gb=chip.capacity_gb if board.memory_gb is None else board.memory_gb,
        links=board.links or chip.links,
        power=power,
        modes=chip.modes if board.form == chip.form else _without_budgets(chip),
        prices=() if price is None else (price,),
        temperature=chip.temperature if board.temperature == Temperature() else board.temperature,
        lifecycle=chip.lifecycle if board.lifecycle == Lifecycle() else board.lifecycle,
        decode_streams_1080p30=board.decode_streams_1080p30 or chip.decode_streams_1080p30,
    )


def _without_budgets(chip: Chip) -> tuple[Mode, ...]:
    """Modes of a chip on a board: a budget is of the module, and says nothing of the board around it."""
    return tuple(replace(mode, budget_w=None) for mode in chip.modes)


def _power(chip: Chip, board: Board) -> Power:
    """Power of the board; that of a chip which is sold as a board stands for it."""
    if board.power.known:
        return _own_power(board)
    return chip.power if chip.power.boundary in WHOLE_BOARDS else Power()


def _own_power(board: Board) -> Power:
    return replace(board.power, boundary=board.power.boundary or "board") if board.power.known else Power()


def _both(one: Power, other: Power) -> Power:
    """Sums of two powers; a maximum nobody states is taken from the typical power of neither."""
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("idle_w", "typical_w", "max_w"))
    idle, typical, most = (None if None in pair else round(sum(pair), 6) for pair in pairs)
    return Power(idle, typical, most, "system")


def _sum(card: Price | None, host: Price | None) -> Price | None:
    """Price of a board and of the host it is plugged into; as old as the older of the two."""
    if card is None or host is None:
        return None
    dates = [price.date for price in (card, host) if price.date is not None]
    sources = " + ".join(price.source for price in (card, host) if price.source)
    return Price(round(card.usd + host.usd, 2), card.quantity, min(dates, default=None), "kit", sources)
