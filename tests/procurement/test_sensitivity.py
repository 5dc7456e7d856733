"""One input at a time: both costs of the winner by hand, and which chip is cheapest there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.problem.settings import Procurement
from dse.procurement.costs import costs_of
from dse.procurement.sensitivity import Bar, Design, tornado

FILE = Procurement(quantity=10, years=4.0, hours_per_day=12.0, energy_usd_per_kwh=0.1, discount_rate=0.0)
"""1 W for a year of 12 × 365 h costs 0.438 USD, for four years 1.752 USD."""
CHEAP = Design("cheap", price_usd=100.0, power_w=100.0)  # 10 × (100 + 175.2) = 2752 USD
FRUGAL = Design("frugal", price_usd=250.0, power_w=10.0)  # 10 × (250 + 17.52) = 2675.2 USD


def bars(*rows: Design, winner: int = 0, file: Procurement = FILE) -> dict[tuple[str, str | None], Bar]:
    found = tornado(rows, winner, file, streams=1)
    swings = [bar.swing for bar in found]
    assert swings == sorted(swings, key=lambda swing: (swing is None, -(swing or 0)))
    return {(bar.factor, bar.chip): bar for bar in found}


def test_every_input_by_hand() -> None:
    """The winner draws more and costs less: what makes energy cheap makes it the cheapest as well."""
    found = bars(CHEAP, FRUGAL)
    expected = {  # values, costs of the winner, cheapest at both
        ("quantity", None): ((5, 20), (1376, 5504), ("frugal", "frugal")),
        # two years: 1000 + 876 against 2500 + 87.6; six: 1000 + 2628 against 2500 + 262.8
        ("years", None): ((2, 6), (1876, 3628), ("cheap", "frugal")),
        ("hours_per_day", None): ((6, 24), (1876, 4504), ("cheap", "frugal")),
        ("energy_usd_per_kwh", None): ((0.05, 0.2), (1876, 4504), ("cheap", "frugal")),
        ("discount_rate", None): ((0, 0), (2752, 2752), ("frugal", "frugal")),
        ("price_usd", "cheap"): ((80, 120), (2552, 2952), ("cheap", "frugal")),
        ("power_w", "cheap"): ((70, 130), (2226.4, 3277.6), ("cheap", "frugal")),
        # at 300 USD the other one costs 3175.2; its power never matters: 13 W are 227.76 USD, 2727.76 in all
        ("price_usd", "frugal"): ((200, 300), (2752, 2752), ("frugal", "cheap")),
    }
    assert found.keys() == expected.keys()
    for key, (values, costs, cheapest) in expected.items():
        bar = found[key]
        assert (bar.low_value, bar.high_value) == values, key
        assert (bar.cost_low, bar.cost_high) == costs, key
        assert (bar.cheapest_low, bar.cheapest_high) == cheapest, key
        assert bar.moves == ("cheap" in cheapest), key  # as given, the frugal one is the cheapest
    assert [bar.factor for bar in tornado((CHEAP, FRUGAL), 0, FILE, 1)][:3] == [
        "quantity",
        "hours_per_day",
        "energy_usd_per_kwh",
    ]


def test_discount_goes_from_none_to_twice() -> None:
    """At 25 % a single year costs 438/1.25 USD for 100 W and ten systems; at none 438, at 50 % 292."""
    file = FILE.model_copy(update={"discount_rate": 0.25, "years": 1.0})
    bar = bars(replace(CHEAP, price_usd=0.0), file=file)["discount_rate", None]
    assert (bar.low_value, bar.high_value, bar.cost_low, bar.cost_high) == (0, 0.5, 438, 292)
    assert bar.swing == 146


def test_power_goes_over_its_interval() -> None:
    """A known end is taken as it is, the other one is 30 % away."""
    both = bars(replace(CHEAP, power_low_w=95.0, power_high_w=150.0))["power_w", "cheap"]
    assert (both.low_value, both.high_value) == (95, 150)
    assert both.text == "power of cheap, low end of its interval to high end of its interval"
    half = bars(replace(CHEAP, power_high_w=150.0))["power_w", "cheap"]
    assert (half.low_value, half.high_value) == (70, 150)
    assert half.text == "power of cheap, 30 % less to high end of its interval"


@pytest.mark.parametrize(
    ("changes", "factor", "values"),
    [
        ({"quantity": 1}, "quantity", (1, 2)),
        ({"quantity": 7}, "quantity", (4, 14)),
        ({"quantity": 1_000_000}, "quantity", (500_000, 1_000_000)),
        ({"years": 0.25}, "years", (0.25, 2.25)),
        ({"years": 2.25}, "years", (0.5, 4.25)),
        ({"years": 99.0}, "years", (97, 100)),
        ({"hours_per_day": 0.0}, "hours_per_day", (0, 24)),
        ({"hours_per_day": 24.0}, "hours_per_day", (12, 24)),
        ({"energy_usd_per_kwh": 1e9}, "energy_usd_per_kwh", (5e8, 1e9)),
        ({"discount_rate": 0.7}, "discount_rate", (0, 1)),
        ({"discount_rate": 0.15}, "discount_rate", (0, 0.3)),
    ],
)
def test_values_stay_within_what_a_file_may_say(changes: dict[str, float], factor: str, values: object) -> None:
    """An input is never moved to where the file could not put it, and decimals stay decimals."""
    bar = bars(CHEAP, file=FILE.model_copy(update=changes))[factor, None]
    assert (bar.low_value, bar.high_value) == values


def test_unknown_costs_stay_unknown() -> None:
    """A winner without a price has no cost and no bar for its price; the cheapest is sought among the others."""
    found = bars(Design("dark", None, 5.0), FRUGAL)
    assert ("price_usd", "dark") not in found
    assert ("power_w", "dark") not in found  # moves a cost nobody knows
    assert {bar.cost_low for bar in found.values()} == {None}
    assert {bar.cheapest_low for bar in found.values()} == {"frugal"}
    assert not any(bar.moves for bar in found.values())
    alone = bars(Design("dark", None, None))
    assert {bar.cheapest_high for bar in alone.values()} == {None}
    assert [factor for factor, _ in alone] == [
        "quantity", "years", "hours_per_day", "energy_usd_per_kwh", "discount_rate",
    ]  # fmt: skip


def test_what_is_owned_has_no_price_to_move() -> None:
    """It costs its energy, whatever its price; and of rows that cost the same the first is the cheapest."""
    found = bars(CHEAP, replace(CHEAP, chip="ours", owned=True), winner=1)
    assert ("price_usd", "ours") not in found
    assert found["years", None].cost_low == 876
    assert found["quantity", None].cheapest_low == "ours"
    twins = bars(CHEAP, replace(CHEAP, chip="twin"))
    assert twins["quantity", None].cheapest_low == "cheap"
    assert twins["price_usd", "cheap"].cheapest_high == "twin"


amounts = st.one_of(st.none(), st.floats(1, 500))
designs = st.builds(Design, st.sampled_from("abcd"), amounts, amounts, owned=st.booleans(), has_work=st.booleans())


@given(st.lists(designs, min_size=1, max_size=4), st.data())
@settings(deadline=None, max_examples=50)
def test_costs_are_those_of_an_altered_file(rows: list[Design], data: st.DataObject) -> None:
    """Each end is what `costs_of` says once the file, or the winner's figure, is altered by hand."""
    winner = data.draw(st.integers(0, len(rows) - 1))
    file = FILE.model_copy(update={"discount_rate": 0.08, "years": 3.5})
    row = rows[winner]
    for bar in tornado(rows, winner, file, 3):
        for value, cost in ((bar.low_value, bar.cost_low), (bar.high_value, bar.cost_high)):
            if bar.chip is None:
                number = int(value) if bar.factor == "quantity" else value
                altered, one = file.model_copy(update={bar.factor: number}), row
            elif bar.chip == row.chip and bar.swing:
                altered, one = file, replace(row, **{bar.factor: value})
            else:
                altered, one = file, row
            wanted = costs_of(one.price_usd, one.power_w, altered, 3, owned=one.owned, has_work=one.has_work).cost_usd
            assert cost == (wanted if wanted is None else pytest.approx(wanted, rel=1e-12))
