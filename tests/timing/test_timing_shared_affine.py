"""Closed forms for a shared server: hand examples, never below the exact form, and the same as their linear rows."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_shared import draw_loads, on_one_level

from dse.timing.arrivals import Arrivals
from dse.timing.linear import LinearRow, utilization_row
from dse.timing.load import Load, utilization
from dse.timing.shared_affine import fifo_affine, fifo_row, npfp_sufficient, priority_rows
from dse.timing.shared_unit import response
from dse.timing.ticks import INFINITE, MAX_TICKS, up
from dse.timing.wide import product_at_most, ratio_up

seeds = st.integers(0, 2**32).map(random.Random)


def ticks(value):
    return up(value, "0.0001")


def sources(loads: list[Load]) -> list[Arrivals]:
    return [Arrivals(load.streams, load.period, load.period, load.jitter) for load in loads]


def column(values):
    return np.array(values, dtype=np.int64).reshape(-1, 1)


def tasks(periods, jitters=(0, 0, 0)):
    return [Arrivals(1, ticks(p), ticks(p), ticks(j)) for p, j in zip(periods, jitters, strict=True)]


def test_hand_examples():
    services = column([ticks(1), ticks(2), ticks(3)])
    assert fifo_affine(tasks((10, 20, 30)), services).tolist() == [ticks(6)]  # 1 + 2 + 3
    assert fifo_affine(tasks((10, 20, 30), (5, 0, 0)), services).tolist() == [ticks("6.5")]  # 1·1.5 + 2 + 3
    found = npfp_sufficient(tasks((10, 20, 50)), column([ticks(2), ticks(3), ticks(5)]), (0, 1, 2))
    # 5 + 2; (5 + 2)/0.8 + 3; (2 + 3)/0.65 + 5 = 12.6923 rounded up
    assert found[:, 0].tolist() == [ticks(7), ticks("11.75"), up(Fraction(165, 13), "0.0001")]


def test_one_level_of_the_closed_form_is_fifo():
    source = [Arrivals(3, 100, 100, 7), Arrivals(2, 150, 150, 0)]
    services = np.array([[3, 30, 34], [10, 1, 3]])
    fifo = fifo_affine(source, services).tolist()
    assert npfp_sufficient(source, services, (4, 4)).tolist() == [fifo] * 2
    assert fifo == [10 + 20, 97 + 2, INFINITE]  # 9·1.07, 90·1.07; 102 in 100


def test_all_of_the_server_is_stable_and_a_tick_more_is_not():
    source = [Arrivals(1, 300_000, 300_000), Arrivals(1, 400_000, 400_000)]
    services = np.array([[200_000, 200_000, 200_001], [133_333, 133_334, 133_333]])
    # 2/3 + 1/3: 133 333.33 is all; a tick above either is too much.
    assert (fifo_affine(source, services) < INFINITE).tolist() == [True, False, False]


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_closed_forms_are_never_below_the_exact_response(dice):
    for _ in range(5):
        loads = draw_loads(dice, dice.randint(1, 5), 1.02)
        services = column([load.service for load in loads])
        flat = on_one_level(loads)
        exact = response(flat, 0)
        assert (fifo_affine(sources(loads), services)[0] >= INFINITE) == (exact is None)
        assert exact is None or fifo_affine(sources(loads), services)[0] >= exact
        bounds = npfp_sufficient(sources(loads), services, [load.priority for load in loads])[:, 0]
        for k, bound in enumerate(bounds):
            exact = response(loads, k)
            assert (bound >= INFINITE) == (exact is None)
            assert exact is None or bound >= exact


def chosen_of(dice, loads):
    """Candidates of each task, one of them that of the load, and the choice that takes it."""
    options = [[load.service, dice.randint(0, 2 * load.period), dice.randint(0, 9)] for load in loads]
    for services in options:
        dice.shuffle(services)
    choice = [services.index(load.service) for services, load in zip(options, loads, strict=True)]
    return [np.array(services, dtype=np.int64) for services in options], choice


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_the_fifo_row_holds_exactly_when_the_closed_form_does(dice):
    loads = draw_loads(dice, dice.randint(1, 5), 1.1)
    options, choice = chosen_of(dice, loads)
    bound = int(fifo_affine(sources(loads), column([load.service for load in loads]))[0])
    together = utilization_row(sources(loads), options)
    assert together.holds(choice) == (utilization(loads) <= 1)
    edge = bound if bound < INFINITE else 10**6
    for deadline in (edge - 1, edge, edge + 1, dice.randint(0, 200)):
        row = fifo_row(sources(loads), options, deadline)
        assert (row.holds(choice) and together.holds(choice)) == (bound <= deadline)


@settings(max_examples=75, deadline=None)
@given(seeds, st.booleans())
def test_the_priority_rows_hold_exactly_when_the_closed_form_does(dice, whole):
    loads = draw_loads(dice, dice.randint(1, 5), 1.1)
    unit = 1
    if whole:  # a unit in which no coefficient is rounded: then the rows are the closed form, not only within it
        unit = int(np.lcm.reduce([load.period for load in loads]))
        loads = [replace(load, service=load.service * unit, period=load.period * unit, jitter=load.jitter * unit)
                 for load in loads]  # fmt: skip
    options, choice = chosen_of(dice, loads)
    k = dice.randrange(len(loads))
    priorities = [load.priority for load in loads]
    bound = int(npfp_sufficient(sources(loads), column([load.service for load in loads]), priorities)[k, 0])
    matters = [j for j, priority in enumerate(priorities) if priority <= priorities[k]]
    level = utilization_row([sources(loads)[j] for j in matters], [options[j] for j in matters])
    fits = level.holds([choice[j] for j in matters])
    edge = min(bound, MAX_TICKS - 2 * unit) // unit
    for deadline in (unit * times for times in (edge - 1, edge, edge + 1, dice.randint(0, edge + 1))):
        rows = priority_rows(sources(loads), options, priorities, k, loads[k].service, deadline)
        held = fits and all(row.holds(choice) for row in rows)
        if held:
            exact = response(loads, k)
            assert bound <= deadline or not whole
            assert exact is not None
            assert exact <= deadline
        if whole:
            assert held == (bound <= deadline)


def test_a_task_elsewhere_counts_nothing():
    row = LinearRow((np.array([3, 9]), np.array([4])), 7)
    assert row.holds([0, 0])
    assert row.holds([None, 0])
    assert not row.holds([1, None])


def test_times_out_of_range_are_refused():
    with pytest.raises(ValueError, match=f"deadline of {MAX_TICKS + 1} ticks: expected at most {MAX_TICKS}"):
        priority_rows([Arrivals(1, 10, 10)], [np.array([1])], [0], 0, 1, MAX_TICKS + 1)
    with pytest.raises(ValueError, match="services from -1 to 5 ticks: expected 0 to"):
        fifo_affine([Arrivals(1, 10, 10)], np.array([[5, -1]]))
    with pytest.raises(ValueError, match=f"expected 0 to {MAX_TICKS}"):
        fifo_affine([Arrivals(1, 10, 10)], np.array([[MAX_TICKS + 1]]))


@pytest.mark.parametrize("period", [1, 999_983, 2**40 - 87, MAX_TICKS])
@pytest.mark.parametrize("jitter", [0, 3, MAX_TICKS])
def test_extremes_do_not_overflow(period, jitter):
    # Periods without a short common multiple; the same in fractions, which cannot overflow.
    other = max(1, period - 1)
    source = [
        Arrivals(2**10, period, period, jitter),
        Arrivals(7, other, other, jitter),
        Arrivals(1, period, period, 1),
    ]
    services = np.array([[0, period // 2**11, MAX_TICKS], [0, other // 16, 3], [1, 0, period // 2]])
    fifo = fifo_affine(source, services).tolist()
    found = npfp_sufficient(source, services, (0, 1, 1))[1].tolist()
    for row in range(3):
        loads = [
            Load(int(service), task.streams, task.period_down, task.jitter, priority)
            for service, task, priority in zip(services[:, row], source, (0, 1, 1), strict=True)
        ]
        if utilization(loads) > 1:
            assert fifo[row] == INFINITE
        else:
            exact = sum(load.burst for load in loads)
            assert exact <= fifo[row] <= exact + 3
            higher = loads[0].utilization
            bound = (exact - loads[1].service) / (1 - higher) + loads[1].service
            assert bound <= found[row]
            assert found[row] <= bound + 10 / (1 - higher) + bound / 2**30 or found[row] == INFINITE


whole_times = st.integers(0, 2**41)


@given(st.integers(0, 2**61), whole_times, st.integers(1, 2**41))
def test_wide_ratios_round_up(value, numerator, denominator):
    found = ratio_up(np.array([value]), numerator, denominator)[0]
    exact = -(-value * numerator // denominator)
    assert found == exact or (found == INFINITE and exact >= 2**60)


@given(whole_times, whole_times, whole_times, whole_times)
def test_wide_products_compare(a, b, c, d):
    assert product_at_most(np.array([a]), b, np.array([c]), d)[0] == (a * b <= c * d)
    assert product_at_most(np.array([a]), b, np.array([b]), a)[0]


def test_no_rows_give_no_bounds():
    assert fifo_affine([Arrivals(1, 10, 10, 3)], np.zeros((1, 0), dtype=np.int64)).size == 0
