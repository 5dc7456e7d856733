"""What new measurements change: beside estimates, beside older measurements, and in the estimates of their unit."""

from __future__ import annotations

import numpy as np
import pytest

from dse.estimate.change import Arrival, arrivals, shifts
from tests.estimate import tiny
from tests.estimate.tiny import nets

WORK = [0.3, 0.5, 1.0, 2.0, 4.0]
NETS = nets(WORK)
OLD = [{"chip": "a", "net": k, "time_ms": 10 * work**0.75} for k, work in enumerate(WORK)]
"""A unit that keeps the law of the field: 10 ms for a network of 1 GMAC."""


def knowledge(rows, of_nets=NETS):
    return tiny.knowledge(of_nets, rows)


def change(new, old=OLD):
    """Knowledge without and with some rows."""
    return knowledge(old), knowledge([*old, *new])


def row(chip="a", net=2, time_ms=10.0, **others):
    return {"chip": chip, "net": net, "time_ms": time_ms, **others}


def test_only_what_is_new_arrives_in_the_order_of_the_file():
    before, after = change([row(net=4, time_ms=30), row(chip="b", net=0, time_ms=7)])
    first, second = arrivals(before, after)
    assert (first.where, first.model, first.input_h, first.input_w) == ("a npu rt int8", "net4", 224, 224)
    assert (second.where, second.model, second.measured_ms) == ("b npu rt int8", "net0", 7)
    assert arrivals(before, before) == []


def test_an_arrival_stands_beside_the_estimate_of_before():
    """Networks 0, 1, 3 and 4 were measured; the estimate of network 2 is the law's, with its 90 % interval."""
    old = [of for of in OLD if of["net"] != 2]
    before, after = change([row(time_ms=11.0)], old)
    (found,) = arrivals(before, after)
    typical, spread = before.speeds.typical_ms[0, 2], before.speeds.spread[0, 2]
    assert found.estimated_ms == pytest.approx(10, rel=0.01)
    assert (found.estimated_ms, found.low_ms, found.high_ms) == (typical, typical / spread, typical * spread)
    assert (found.grade, found.inside, found.surprising) == ("C", True, False)
    assert found.ratio == pytest.approx(11 / typical)


def test_an_arrival_stands_beside_older_measurements_of_the_same_run():
    """8 and 12.5 ms: their geometric mean is 10 ms, and they state no interval to be inside of."""
    before, after = change([row(time_ms=20)], [row(time_ms=8), row(time_ms=12.5)])
    (found,) = arrivals(before, after)
    assert (found.estimated_ms, found.low_ms, found.high_ms) == pytest.approx((10, 8, 12.5))
    assert (found.grade, found.inside, found.ratio) == ("A", None, pytest.approx(2))


@pytest.mark.parametrize(
    "other",
    [
        {"batch": 4},
        {"quantity": "period"},
        {"runtime": "other"},
        {"mode": "slow"},
        {"cores": 2},
        {"precision": "fp16"},
        {"chip": "b"},
        {"unit": "gpu"},
    ],
)
def test_an_older_measurement_of_something_else_is_not_of_the_same_run(other):
    """A batch, a period, another runtime, mode, core count or precision: nothing was known, or an estimate."""
    before, after = change([row(**other)])
    (found,) = arrivals(before, after)
    assert (found.estimated_ms, found.low_ms, found.high_ms, found.grade) == (None, None, None, None)
    assert (found.ratio, found.inside, found.surprising) == (None, None, False)


def test_statistics_are_brought_to_the_mean():
    """A minimum is 1.05 times below the mean, on both sides."""
    before, after = change([row(statistic="min", time_ms=10)], [row(statistic="min", time_ms=20)])
    (found,) = arrivals(before, after)
    assert (found.measured_ms, found.estimated_ms) == pytest.approx((10.5, 21))


@pytest.mark.parametrize(
    ("measured", "doubted"), [(1, True), (3.33, True), (3.34, False), (10, False), (30, False), (30.1, True)]
)
def test_a_measurement_more_than_three_times_away_is_doubted(measured, doubted):
    found = Arrival("a", "m", 1, 1, measured, 10, 5, 20, "C")
    assert found.surprising is doubted
    assert found.inside is (5 <= measured <= 20)


def test_a_measurement_at_its_estimate_narrows_or_keeps():
    """What the law said is confirmed: no time of the unit moves, no interval widens."""
    old = [of for of in OLD if of["net"] != 2]
    before = knowledge(old)
    _, after = change([row(time_ms=float(before.speeds.typical_ms[0, 2]))], old)
    for shift in shifts(before, after):
        assert shift.new == 0
        assert shift.spread_after <= shift.spread_before
    free = [0, 1, 3, 4]
    assert (after.speeds.spread[0, free] <= before.speeds.spread[0, free] * (1 + 1e-9)).all()
    assert after.speeds.typical_ms[0, free] == pytest.approx(before.speeds.typical_ms[0, free], rel=0.05)


def test_a_wild_measurement_moves_the_estimates_of_its_unit_alone():
    """Network 2 in 200 ms instead of 10: the others on the unit come out slower; chip b stays as it was."""
    others = [{**of, "chip": "b", "time_ms": 3 * of["time_ms"]} for of in OLD[:4]]
    before, after = change([row(time_ms=200)], [*(of for of in OLD if of["net"] != 2), *others])
    (found,) = arrivals(before, after)
    assert found.surprising
    of_a = next(shift for shift in shifts(before, after) if shift.where == "a npu rt int8")
    assert of_a.time_factor > 1.05
    assert of_a.new == 0


def test_a_unit_that_had_none_gets_new_estimates():
    """Three networks on chip b: the estimates of the other two are new there, and chip a keeps its own."""
    new = [row(chip="b", net=k, time_ms=5 * WORK[k] ** 0.75) for k in (0, 2, 4)]
    before, after = change(new)
    of_b = next(shift for shift in shifts(before, after) if shift.where == "b npu rt int8")
    assert (of_b.networks, of_b.new, of_b.time_factor, of_b.spread_before) == (2, 2, None, None)
    assert of_b.spread_after > 1
    at = int(np.flatnonzero(after.speeds.calibrations.chip == "b")[0])
    assert "ABCDE"[after.speeds.grade[at, 1]] == "C"
    assert after.speeds.typical_ms[at, 1] == pytest.approx(5 * 0.5**0.75, rel=0.2)


def test_nothing_changes_without_news():
    before = knowledge(OLD)
    assert shifts(before, before) == []


def test_networks_are_matched_by_name_not_by_place():
    """A network that comes first in the new catalogue moves the others, and is itself new."""
    before = knowledge(OLD)
    moved = nets([0.7, *WORK], ids=["a-first", *(f"net{k}" for k in range(5))])
    after = knowledge([{**of, "net": of["net"] + 1} for of in OLD], moved)
    (shift,) = shifts(before, after)
    assert (shift.networks, shift.new, shift.time_factor) == (1, 1, None)


def test_a_unit_is_named_by_what_sets_it_apart():
    """The default mode and a core count nobody stated are left out."""
    before, after = change([row(mode="default", cores=3), row(mode="20W", unit="gpu", precision="fp16")])
    assert [one.where for one in arrivals(before, after)] == ["a npu 3 cores rt int8", "a 20W gpu rt fp16"]


def test_the_units_with_the_most_networks_come_first():
    new = [row(chip="b", net=k, time_ms=5 * WORK[k] ** 0.75) for k in (0, 2, 4)]
    before, after = change([*new, row(chip="c", net=0, time_ms=1), row(time_ms=200)])
    found = shifts(before, after)
    assert [shift.networks for shift in found] == sorted((shift.networks for shift in found), reverse=True)


def test_a_measured_batch_stands_beside_no_estimate_of_a_single_run():
    before, after = change([row(batch=8)])
    assert [one.estimated_ms for one in arrivals(before, after)] == [None]
