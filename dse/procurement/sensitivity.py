"""Which input of the cost matters: one at a time is moved, and what the winner costs then, and what is cheapest, noted.

This is the tornado of decision analysis; for whole grids of inputs there is `dse.sweeping`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dse.problem.fields import MOST_COUNT, exact
from dse.problem.settings import MOST, MOST_YEARS, Procurement
from dse.procurement.costs import parts_of
from dse.procurement.numbers import Number, rational, shown

HALF, TWICE = Fraction(1, 2), Fraction(2)
YEARS_MORE = 2
FEWEST_YEARS = Fraction(1, 2)
HOURS_OF_A_DAY = 24
PRICE_SPREAD = Fraction(20, 100)
"""What a price may differ by between a catalogue and a quote, unless one knows better [share]."""
POWER_SPREAD = Fraction(30, 100)
"""What a power of unknown spread may differ by [share]."""


@dataclass(frozen=True)
class Design:
    """What a cost rests on, for one row of a comparison.

    Parameters
    ----------
    chip : str
        Its name in the result.
    price_usd, power_w : float, Fraction or None
        Price and sustained power of one system [USD], [W].
    power_low_w, power_high_w : float, Fraction or None
        Interval of the power [W]; an end that is None is taken 30 % away.
    owned, has_work : bool
        As for `costs_of`.
    """

    chip: str
    price_usd: Number | None
    power_w: Number | None
    power_low_w: Number | None = None
    power_high_w: Number | None = None
    owned: bool = False
    has_work: bool = True


@dataclass(frozen=True)
class Bar:
    """One input, moved to its low and its high value while all others stay.

    Parameters
    ----------
    factor : str
        Field of ``procurement``, or ``price_usd`` or ``power_w``.
    chip : str or None
        Design whose price or power is moved; None for what all designs share.
    text : str
        What is moved, and how far, in words.
    low_value, high_value : float
        The values of the input, in its unit.
    cost_low, cost_high : float or None
        Cost of the winner at the low and at the high *value* [USD]; None where unknown. Neither need be the lower one.
    cheapest_low, cheapest_high : str or None
        Chip with the least cost among those whose cost is known, at either value; None when no cost is known.
    moves : bool
        Whether another row is the cheapest at one of the two values than as things are given.
    swing : Fraction or None
        Exact distance between the two costs of the winner [USD].
    """

    factor: str
    chip: str | None
    text: str
    low_value: float
    high_value: float
    cost_low: float | None
    cost_high: float | None
    cheapest_low: str | None
    cheapest_high: str | None
    moves: bool
    swing: Fraction | None


@dataclass(frozen=True)
class _Input:
    """An input with its two values; ``chip`` as in `Bar`."""

    factor: str
    chip: str | None
    text: str
    low: Fraction
    high: Fraction


Costs = tuple[Fraction | None, ...]
"""Cost of every row [USD], None where unknown."""


def tornado(rows: Sequence[Design], winner: int, procurement: Procurement, streams: int) -> tuple[Bar, ...]:
    """What the winner costs, and which chip is cheapest, when one input at a time is lower and higher.

    ========================  ==========================  =============================================
    input                     low                         high
    ========================  ==========================  =============================================
    ``quantity``              half, rounded up            twice
    ``years``                 2 less, at least 0.5        2 more, at most 100
    ``hours_per_day``         half                        24
    ``energy_usd_per_kwh``    half                        twice
    ``discount_rate``         0                           twice, at most 1
    ``price_usd`` of a row    20 % less                   20 % more
    ``power_w`` of a row      low end of its interval,    high end of its interval, else 30 % more
                              else 30 % less
    ========================  ==========================  =============================================

    Prices stay those at the quantity of the file: another quantity is not looked up again in price breaks or quotes, so
    that its bar shows the amount bought and not the discount. A row whose price or power is unknown has no bar for it.
    Of the rows beside the winner only bars that move the cheapest are kept, since the winner's cost does not change
    with them; and a figure that changes neither (the price of what is owned) has none.

    Parameters
    ----------
    rows : sequence of Design
        Feasible designs and, if it is to be compared, the baseline.
    winner : int
        Index of the row whose cost is shown.
    procurement : Procurement
        The inputs as given.
    streams : int
        Streams one system serves.

    Returns
    -------
    tuple of Bar
        By falling swing, unknown ones last; equal ones in the order of the table, then of the rows. Of rows that cost
        the same, the first is the cheapest.
    """
    as_given = _costs(rows, procurement, streams)
    bars = []
    for moved in _shared(procurement):
        changed = [_with(procurement, moved.factor, value) for value in (moved.low, moved.high)]
        bars.append(_bar(rows, winner, moved, as_given, [_costs(rows, one, streams) for one in changed]))
    for index, row in enumerate(rows):
        for moved in _own(row):
            ends = [_costs([_changed(row, moved, value)], procurement, streams) for value in (moved.low, moved.high)]
            costs = [(*as_given[:index], *end, *as_given[index + 1 :]) for end in ends]
            bar = _bar(rows, winner, moved, as_given, costs)
            if bar.moves or bar.swing:
                bars.append(bar)
    return tuple(sorted(bars, key=lambda bar: (bar.swing is None, -(bar.swing or 0))))


def _shared(given: Procurement) -> Iterator[_Input]:
    """Inputs all designs share."""
    halves, doubled = (given.quantity + 1) // 2, min(2 * given.quantity, MOST_COUNT)
    yield _Input("quantity", None, "half to twice the systems", Fraction(halves), Fraction(doubled))
    years = exact(given.years)
    shorter = min(years, max(FEWEST_YEARS, years - YEARS_MORE))
    longer = min(Fraction(MOST_YEARS), years + YEARS_MORE)
    yield _Input("years", None, f"{YEARS_MORE} years less to {YEARS_MORE} more", shorter, longer)
    hours = exact(given.hours_per_day) * HALF
    yield _Input("hours_per_day", None, "half the hours to all day", hours, Fraction(HOURS_OF_A_DAY))
    energy = exact(given.energy_usd_per_kwh)
    dear = min(energy * TWICE, Fraction(MOST))
    yield _Input("energy_usd_per_kwh", None, "half to twice the price of energy", energy * HALF, dear)
    rate = min(exact(given.discount_rate) * TWICE, Fraction(1))
    yield _Input("discount_rate", None, "no discount to twice the rate", Fraction(0), rate)


def _own(row: Design) -> Iterator[_Input]:
    """Inputs of one design that are known."""
    price, power = rational(row.price_usd), rational(row.power_w)
    if price is not None:
        share = f"{float(100 * PRICE_SPREAD):g} %"
        text = f"price of {row.chip}, {share} less to {share} more"
        yield _Input("price_usd", row.chip, text, price * (1 - PRICE_SPREAD), price * (1 + PRICE_SPREAD))
    if power is not None:
        low, high = rational(row.power_low_w), rational(row.power_high_w)
        share = f"{float(100 * POWER_SPREAD):g} %"
        least = f"{share} less" if low is None else "low end of its interval"
        most = f"{share} more" if high is None else "high end of its interval"
        low = power * (1 - POWER_SPREAD) if low is None else low
        high = power * (1 + POWER_SPREAD) if high is None else high
        yield _Input("power_w", row.chip, f"power of {row.chip}, {least} to {most}", low, high)


def _with(procurement: Procurement, name: str, value: Fraction) -> Procurement:
    return procurement.model_copy(update={name: int(value) if name == "quantity" else float(value)})


def _changed(row: Design, moved: _Input, value: Fraction) -> Design:
    return replace(row, price_usd=value) if moved.factor == "price_usd" else replace(row, power_w=value)


def _costs(rows: Sequence[Design], procurement: Procurement, streams: int) -> Costs:
    return tuple(
        parts_of(row.price_usd, row.power_w, procurement, streams, owned=row.owned, has_work=row.has_work).total
        for row in rows
    )


def _cheapest(costs: Costs) -> int | None:
    known = [(cost, index) for index, cost in enumerate(costs) if cost is not None]
    return min(known)[1] if known else None


def _bar(rows: Sequence[Design], winner: int, moved: _Input, as_given: Costs, ends: Sequence[Costs]) -> Bar:
    """A bar from the costs of all rows as given, and at the low and the high value."""
    low, high = ends[0][winner], ends[1][winner]
    cheapest = [_cheapest(costs) for costs in ends]
    chips = [None if index is None else rows[index].chip for index in cheapest]
    return Bar(
        factor=moved.factor,
        chip=moved.chip,
        text=moved.text,
        low_value=float(moved.low),
        high_value=float(moved.high),
        cost_low=shown(low),
        cost_high=shown(high),
        cheapest_low=chips[0],
        cheapest_high=chips[1],
        moves=any(index != _cheapest(as_given) for index in cheapest),
        swing=None if low is None or high is None else abs(high - low),
    )
