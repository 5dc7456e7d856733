"""What a design costs to buy and to run over the years, as money at the beginning of the first year."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from dse.problem.fields import exact
from dse.problem.settings import Procurement
from dse.procurement.numbers import Number, rational, shown

DAYS_PER_YEAR = 365
"""Leap days are left out: a quarter of a day in a year is below the spread of any power figure."""
DIGITS = 50
"""Decimal digits of the one irrational factor: the discount of a last part of a year. A float shows 17."""


@dataclass(frozen=True)
class Parts:
    """The four parts of a cost, exactly [USD]; None is unknown.

    Parameters
    ----------
    fleet, spares : Fraction or None
        Price of the systems in service, and of those bought as spares.
    engineering : Fraction
        Work that is paid once; 0 where the file states none.
    energy : Fraction or None
        Energy of the systems in service over the years, discounted.
    streams : int
        Streams of all systems in service.
    """

    fleet: Fraction | None
    spares: Fraction | None
    engineering: Fraction
    energy: Fraction | None
    streams: int

    @property
    def total(self) -> Fraction | None:
        """Sum of the four [USD]; None when one of them is."""
        if self.fleet is None or self.spares is None or self.energy is None:
            return None
        return self.fleet + self.spares + self.engineering + self.energy

    @property
    def per_stream(self) -> Fraction | None:
        """The sum for each stream of each system in service [USD]."""
        return None if self.total is None else self.total / self.streams


@dataclass(frozen=True)
class Costs:
    """`Parts` as they are shown: each the float nearest to the exact amount [USD], not to cents; None is unknown.

    Every figure is rounded for itself, so that the sum of the parts may differ from ``cost_usd`` in the last digit.
    """

    fleet_price_usd: float | None
    spares_usd: float | None
    engineering_usd: float
    energy_usd: float | None
    cost_usd: float | None
    cost_per_stream_usd: float | None


def costs_of(
    price_usd: Number | None,
    power_w: Number | None,
    procurement: Procurement,
    streams: int,
    *,
    owned: bool = False,
    has_work: bool = True,
) -> Costs:
    """Cost of a design over its years in service, as money at their beginning (net present value).

    Bought are ``quantity`` systems and ``ceil(quantity * spares_share)`` spares, and the engineering, all at once.
    The energy of a year is paid at its end, so that year k is divided by ``(1 + discount_rate)**k``; a last part f of
    a year costs f of a year's energy and is paid when the service ends, after ``years``. Spares draw no power.

    Parameters
    ----------
    price_usd : float, Fraction or None
        Price of one system [USD].
    power_w : float, Fraction or None
        Sustained power of one system [W].
    procurement : Procurement
        How many, for how long, and at what rates.
    streams : int
        Streams one system serves, at least 1.
    owned : bool
        It is there already: neither price nor spares nor engineering is paid.
    has_work : bool
        Whether the engineering is paid; False for what is in use and would be bought again as it is.

    Returns
    -------
    Costs
        Floats nearest to the exact amounts. What rests on an unknown figure is None, and so is every sum with it.

    Raises
    ------
    ValueError
        There is less than one stream.

    Examples
    --------
    Ten systems at 100 USD and one spare, three days of work at 500 USD. The energy of a year is 10 × 10 W × 8760 h =
    876 kWh, at 0.1 USD/kWh 87.6 USD; over two and a half years at 10 %: 87.6/1.1 + 87.6/1.21 + 43.8/1.1^2.5 = 186.55.

    >>> file = Procurement(
    ...     quantity=10, years=2.5, energy_usd_per_kwh=0.1, discount_rate=0.1, spares_share=0.05,
    ...     engineering={"days": 3, "day_rate_usd": 500},
    ... )
    >>> costs = costs_of(100.0, 10.0, file, streams=4)
    >>> costs.fleet_price_usd, costs.spares_usd, costs.engineering_usd, round(costs.energy_usd, 2)
    (1000.0, 100.0, 1500.0, 186.55)
    >>> round(costs.cost_usd, 2), round(costs.cost_per_stream_usd, 3)
    (2786.55, 69.664)
    >>> costs_of(None, 10.0, file, streams=4).cost_usd is None
    True

    References
    ----------
    Brealey, Myers, Allen (2011), Principles of Corporate Finance, 10th edition, chapter 2 (annuities).
    """
    parts = parts_of(price_usd, power_w, procurement, streams, owned=owned, has_work=has_work)
    return Costs(
        fleet_price_usd=shown(parts.fleet),
        spares_usd=shown(parts.spares),
        engineering_usd=float(parts.engineering),
        energy_usd=shown(parts.energy),
        cost_usd=shown(parts.total),
        cost_per_stream_usd=shown(parts.per_stream),
    )


def parts_of(
    price_usd: Number | None,
    power_w: Number | None,
    procurement: Procurement,
    streams: int,
    *,
    owned: bool = False,
    has_work: bool = True,
) -> Parts:
    """The same as `costs_of` in exact fractions, to be compared before anything is rounded."""
    if streams < 1:
        message = f"a system serves at least one stream, not {streams}"
        raise ValueError(message)
    price = Fraction(0) if owned else rational(price_usd)
    power = rational(power_w)
    return Parts(
        fleet=None if price is None else procurement.quantity * price,
        spares=None if price is None else spares_of(procurement) * price,
        engineering=Fraction(0) if owned or not has_work else engineering_of(procurement),
        energy=None if power is None else procurement.quantity * power * _usd_per_watt(procurement),
        streams=procurement.quantity * streams,
    )


def spares_of(procurement: Procurement) -> int:
    """Systems bought as spares: the share of the quantity, rounded up.

    Examples
    --------
    >>> spares_of(Procurement(quantity=200, spares_share=0.03)), spares_of(Procurement(quantity=201, spares_share=0.03))
    (6, 7)
    """
    return math.ceil(procurement.quantity * exact(procurement.spares_share))


def engineering_of(procurement: Procurement) -> Fraction:
    """Work that is paid once [USD]; 0 where the file states none."""
    work = procurement.engineering
    return Fraction(0) if work is None else exact(work.days) * exact(work.day_rate_usd)


def _usd_per_watt(procurement: Procurement) -> Fraction:
    """Discounted cost of drawing one watt for all hours in service [USD/W]."""
    kwh_per_year = Fraction(1, 1000) * exact(procurement.hours_per_day) * DAYS_PER_YEAR
    return kwh_per_year * exact(procurement.energy_usd_per_kwh) * annuity(procurement.years, procurement.discount_rate)


@lru_cache(maxsize=256)
def annuity(years: float, discount_rate: float) -> Fraction:
    """Value at the beginning of 1 USD at the end of each year, and of a part of it for a last part of a year [USD].

    With q = 1/(1 + r), n whole years and the part f: (1 - q^n)/r + f·q^(n + f), or simply n + f when r is 0. The whole
    years are exact; the factor q^f is rounded to 50 digits, which is far below what a float can show.

    Parameters
    ----------
    years : float
        Years in service, more than 0.
    discount_rate : float
        Share by which later money is worth less each year, 0 or more.

    Examples
    --------
    Two years at 25 %: 4/5 + 16/25.

    >>> annuity(2.0, 0.25)
    Fraction(36, 25)
    """
    span, rate = exact(years), exact(discount_rate)
    if rate == 0:
        return span
    whole = math.floor(span)
    part = span - whole
    factor = 1 / (1 + rate)
    later = factor**whole
    total = (1 - later) / rate
    if part:
        total += part * later / _power(1 + rate, part)
    return total


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """A power with an exponent below 1, to `DIGITS` digits."""
    context = Context(prec=DIGITS)
    numbers = [context.divide(Decimal(x.numerator), Decimal(x.denominator)) for x in (base, exponent)]
    return Fraction(context.power(*numbers))
