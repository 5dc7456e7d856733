"""Cost over the years: by hand, against a plain loop, in its limits, and as the manual derives it."""

from __future__ import annotations

import doctest
import importlib
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dse.problem.fields import exact
from dse.problem.settings import Procurement
from dse.procurement.costs import Costs, annuity, costs_of, parts_of, spares_of

PAGE = (Path(__file__).parents[2] / "docs" / "costs.md").read_text(encoding="utf-8")
FREE: dict[str, Any] = {"energy_usd_per_kwh": 0.0}


def test_by_hand_in_whole_years() -> None:
    """Two systems at 50 USD and one spare, 1000 W each for ten hours a day, two years at 25 %.

    A year takes 2 × 1 kW × 10 h × 365 = 7300 kWh, at 0.2 USD 1460 USD; 1460 × 4/5 + 1460 × 16/25 = 1168 + 934.4.
    """
    file = Procurement(
        quantity=2,
        years=2.0,
        hours_per_day=10.0,
        energy_usd_per_kwh=0.2,
        discount_rate=0.25,
        spares_share=0.1,
        engineering={"days": 1.5, "day_rate_usd": 400.0},
    )
    costs = costs_of(50.0, 1000.0, file, streams=8)
    assert costs == Costs(100.0, 50.0, 600.0, 2102.4, 2852.4, 178.275)  # 100 + 50 + 600 + 2102.4; /16 streams


def test_no_discount_counts_every_hour() -> None:
    """1000 W for 2.5 years of 8760 h at 0.1 USD/kWh are 2190 USD, the half year included exactly."""
    file = Procurement(years=2.5, energy_usd_per_kwh=0.1, discount_rate=0.0)
    assert parts_of(0.0, 1000.0, file, streams=1).energy == 2190


def test_part_of_a_year_alone() -> None:
    """Three quarters of a year cost three quarters, paid after them: 0.75/2^0.75 with a discount of 1."""
    assert float(annuity(0.75, 1.0)) == pytest.approx(0.75 / 2**0.75, rel=1e-15)


def test_long_service_nears_the_perpetuity() -> None:
    """1 USD a year for ever is worth 1/r: at 50 % two, less 2/1.5^100."""
    assert annuity(100.0, 0.5) == 2 - 2 * Fraction(2, 3) ** 100


def test_decimals_of_the_file_are_exact() -> None:
    """Three tenths and three systems at 0.1 USD agree, which binary numbers would not."""
    assert parts_of(0.1, 0.0, Procurement(quantity=3, **FREE), streams=1).total == Fraction(3, 10)
    # 200 × 0.03 is 6 exactly; in binary 0.07 × 100 is a little more than 7 and would become 8 spares
    assert spares_of(Procurement(quantity=200, spares_share=0.03)) == 6
    assert math.ceil(100 * 0.07) == 8
    assert spares_of(Procurement(quantity=100, spares_share=0.07)) == 7
    assert spares_of(Procurement(quantity=1, spares_share=0.001)) == 1
    assert spares_of(Procurement(quantity=1000)) == 0


@pytest.mark.parametrize("nothing", [None, float("nan"), float("inf")])
def test_unknown_is_never_zero(nothing: float | None) -> None:
    """An unknown price leaves the energy known, an unknown power the price; neither has a sum."""
    file = Procurement(engineering={"days": 1.0, "day_rate_usd": 9.0}, spares_share=0.5)
    without_price = costs_of(nothing, 10.0, file, streams=1)
    assert without_price.energy_usd is not None
    assert without_price == Costs(None, None, 9.0, without_price.energy_usd, None, None)
    assert costs_of(5.0, nothing, file, streams=1) == Costs(5.0, 5.0, 9.0, None, None, None)


def test_what_is_owned_pays_for_energy_only() -> None:
    """Neither price (known or not), spares nor engineering; bought again without work, all but the engineering."""
    file = Procurement(quantity=4, spares_share=0.5, engineering={"days": 1.0, "day_rate_usd": 9.0})
    for price in (100.0, None):
        owned = costs_of(price, 10.0, file, streams=1, owned=True)
        assert (owned.fleet_price_usd, owned.spares_usd, owned.engineering_usd) == (0, 0, 0)
        assert owned.cost_usd == owned.energy_usd
    again = costs_of(100.0, 10.0, file, streams=1, has_work=False)
    assert (again.fleet_price_usd, again.spares_usd, again.engineering_usd) == (400, 200, 0)


def test_a_system_serves_a_stream() -> None:
    """A cost for each stream needs one."""
    with pytest.raises(ValueError, match="serves at least one stream, not 0"):
        costs_of(1.0, 1.0, Procurement(), streams=0)


def test_extreme_rates_end() -> None:
    """Rates and times at the ends of what a file may say give a number."""
    for years, rate in ((100.0, 5e-324), (99.5, 1e-300), (5e-324, 1.0), (1e-300, 0.08), (99.999, 0.0812345678901234)):
        assert 0 < annuity(years, rate) <= exact(years)


files = st.builds(
    Procurement,
    quantity=st.integers(1, 1000),
    years=st.floats(0.1, 20),
    hours_per_day=st.floats(0, 24),
    energy_usd_per_kwh=st.floats(0, 2),
    discount_rate=st.one_of(st.just(0.0), st.floats(1e-6, 1)),
    spares_share=st.floats(0, 1),
    engineering=st.one_of(st.none(), st.just({"days": 3.0, "day_rate_usd": 450.0})),
)
prices, powers = st.floats(0, 5000), st.floats(0, 500)


def by_loop(price: float, power: float, file: Procurement) -> float:
    """The same in floats, year by year, as one would write it first."""
    total = file.quantity * price + spares_of(file) * price
    if file.engineering is not None:
        total += file.engineering.days * file.engineering.day_rate_usd
    left, paid = file.years, 0.0
    while left > 0:
        part = min(left, 1.0)
        paid += part
        left = file.years - paid
        energy = file.quantity * power / 1000 * file.hours_per_day * 365 * file.energy_usd_per_kwh
        total += part * energy / (1 + file.discount_rate) ** paid
    return total


@given(prices, powers, files, st.integers(1, 64))
def test_agrees_with_a_plain_loop(price: float, power: float, file: Procurement, streams: int) -> None:
    """Closed form in fractions and loop in floats differ by rounding only; the parts add up; streams divide."""
    costs, parts = costs_of(price, power, file, streams), parts_of(price, power, file, streams)
    assert costs.cost_usd == pytest.approx(by_loop(price, power, file), rel=1e-11, abs=1e-9)
    assert costs.cost_usd is not None
    assert costs.cost_per_stream_usd == pytest.approx(costs.cost_usd / file.quantity / streams, rel=1e-14)
    assert parts.fleet is not None
    assert parts.spares is not None
    assert parts.energy is not None
    assert parts.total == parts.fleet + parts.spares + parts.engineering + parts.energy


@given(prices, powers, files, st.floats(1.01, 3))
def test_more_costs_more(price: float, power: float, file: Procurement, more: float) -> None:
    """The cost never falls with price, power, quantity, hours, price of energy, spares or years; with the discount it
    never rises. A longer part f of a year is paid later, but f/(1 + r)^f still grows where r is at most 1."""

    def cost(price: float = price, power: float = power, **changes: Any) -> Fraction:
        total = parts_of(price, power, file.model_copy(update=changes), 1).total
        assert total is not None
        return total

    assert cost(price=price * more) >= cost() <= cost(power=power * more)
    assert cost(quantity=file.quantity + 1) >= cost()
    assert cost(hours_per_day=min(24.0, file.hours_per_day * more)) >= cost()
    assert cost(energy_usd_per_kwh=file.energy_usd_per_kwh * more) >= cost()
    assert cost(spares_share=min(1.0, file.spares_share * more)) >= cost()
    assert cost(years=file.years * more) >= cost()
    assert cost(discount_rate=min(1.0, file.discount_rate * more)) <= cost()


def test_the_manual_derives_what_the_program_says() -> None:
    """Every line of the calculation in docs/costs.md is right, and its last figures are those of the program."""
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (steps,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    costs = costs_of(100.0, 10.0, Procurement.model_validate(yaml.safe_load(text), strict=False), streams=4)
    known: dict[str, Any] = {"ceil": math.ceil, "__builtins__": {}}
    shown = {}
    for line in steps.splitlines():
        name, formula, number = (part.strip() for part in line.split("="))
        known[name] = eval(formula.replace("×", "*").replace("^", "**"), known)
        assert round(known[name], len(number.partition(".")[2])) == float(number), line
        shown[name] = float(number)
    for name in Costs.__dataclass_fields__:
        assert round(getattr(costs, name), 4) == shown[name], name


def test_the_docstring_is_that_of_the_manual() -> None:
    """Examples of the station run, and both hand calculations start from the same numbers."""
    for name in ("costs", "numbers", "scoring", "sensitivity"):
        results = doctest.testmod(importlib.import_module(f"dse.procurement.{name}"))
        assert results.failed == 0, name
    assert "876 kWh" in str(costs_of.__doc__)
    assert "= 876\n" in PAGE
