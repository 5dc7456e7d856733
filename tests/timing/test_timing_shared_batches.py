"""Counted batches of several tasks at one server."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_shared import counted, draw_loads, worst_seen

from dse.timing.arrivals import Arrivals
from dse.timing.load import BatchLoad, Load
from dse.timing.servers import latency_count_exact
from dse.timing.shared_batches import shared_batches_fifo, shared_batches_fifo_exact, shared_batches_rows
from dse.timing.shared_unit import backlog
from dse.timing.ticks import MAX_TICKS

seeds = st.integers(0, 2**32).map(random.Random)


def draw_batches(dice, tasks, most=1.0):
    """Random loads whose batches together use up to `most` of the server."""
    loads = []
    for load in draw_loads(dice, tasks, most, streams=3):
        batch = dice.choice([1, 2, 3, 4, 6])
        loads.append(BatchLoad(load.service * batch, load.streams, load.period, load.jitter, 0, batch))
    return loads


def test_hand_example():
    # N = 8 and 4, P = 40, b = 4, s = 6 and 5; either waits 40 for its batch.
    # First: 6 + 40 + 5, the other's batch comes as its own is full. Second: 5 + 40 + two of 6.
    loads = [BatchLoad(6, 8, 40, batch=4), BatchLoad(5, 4, 40, batch=4)]
    assert [shared_batches_fifo_exact(loads, k) for k in (0, 1)] == [51, 57]
    # Linear: 6 + max(40 + 5·7/4, 6·10/4 + 5·7/4 + 40·20/160); 5 + max(40 + 6·11/4, 5·6/4 + 6·11/4 + 40·48/160).
    assert [shared_batches_fifo(loads, k) for k in (0, 1)] == [Fraction(219, 4), Fraction(123, 2)]
    assert shared_batches_fifo_exact([*loads, BatchLoad(30, 1, 40)], 0) is None
    assert shared_batches_fifo([*loads, BatchLoad(30, 1, 40)], 0) is None


def test_others_during_the_wait_for_the_own_batch_by_hand():
    # Own: four streams, pairs of 40 every 100: waits 100 for a pair, two pairs may be ahead of it. Other: single items
    # of 12 every 60, J = 20: three within the 100. Busy before: 40 + 2·40 + 3·12; busy after: 40 + 100 + 12.
    loads = [BatchLoad(40, 4, 100, batch=2), BatchLoad(12, 1, 60, 20)]
    assert shared_batches_fifo_exact(loads, 0) == 156


def test_no_replay_exceeds_the_bound():
    dice, close, seen = random.Random("shared batches"), 0, 0
    for _ in range(50):
        loads = draw_batches(dice, dice.randint(1, 3))
        bounds = [shared_batches_fifo_exact(loads, k) for k in range(len(loads))]
        worst = worst_seen(loads, counted([load.batch for load in loads]), dice, trail=7)
        for bound, observed in zip(bounds, worst, strict=True):
            assert observed <= bound, loads
            seen, close = seen + 1, close + (bound <= 1.1 * observed + 1)
    assert close >= 0.5 * seen


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_special_cases_and_order_of_the_forms(dice):
    loads = draw_batches(dice, dice.randint(1, 3), 1.02)
    for k in range(len(loads)):
        exact, linear = shared_batches_fifo_exact(loads, k), shared_batches_fifo(loads, k)
        assert (exact is None) == (linear is None)
        assert exact is None or exact <= linear
        assert latency_count_exact(loads[k]) == shared_batches_fifo_exact([loads[k]], 0)
    single = [replace(load, batch=1) for load in draw_batches(dice, 3, 0.2)]
    assert shared_batches_fifo_exact(single, 0) == backlog(
        [Load(load.service, load.streams, load.period, load.jitter) for load in single]
    )


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_more_load_never_helps(dice):
    loads = draw_batches(dice, dice.randint(1, 3))
    k, j = dice.randrange(len(loads)), dice.randrange(len(loads))
    changed = [
        replace(loads[j], service=loads[j].service + dice.randint(1, 4)),
        replace(loads[j], jitter=loads[j].jitter + dice.randint(1, 20)),
    ]
    if j != k:  # further streams of its own fill a batch sooner
        changed.append(replace(loads[j], streams=loads[j].streams + 1))
    for form in (shared_batches_fifo_exact, shared_batches_fifo):
        for heavier in changed:
            more = form([*loads[:j], heavier, *loads[j + 1 :]], k)
            assert more is None or more >= form(loads, k)


@settings(max_examples=50, deadline=None)
@given(seeds, st.booleans())
def test_the_rows_hold_exactly_when_the_linear_form_does(dice, whole):
    loads = draw_batches(dice, dice.randint(1, 3))
    unit = 1
    if whole:  # a unit in which nothing is rounded
        unit = int(np.lcm.reduce([load.period for load in loads])) * int(np.lcm.reduce([load.batch for load in loads]))
        loads = [replace(load, service=load.service * unit, period=load.period * unit, jitter=load.jitter * unit)
                 for load in loads]  # fmt: skip
    tasks = [Arrivals(load.streams, load.period, load.period, load.jitter) for load in loads]
    services = [np.array([load.service, dice.randint(0, 9)], dtype=np.int64) for load in loads]
    batches = [np.array([load.batch, 1]) for load in loads]
    k, choice = dice.randrange(len(loads)), [0] * len(loads)
    linear = shared_batches_fifo(loads, k)
    if linear is None:  # rounding up the services took the server beyond its limit
        return
    edge = int(linear // unit)
    for deadline in (unit * times for times in (edge - 1, edge, edge + 1, dice.randint(0, 400))):
        held = all(row.holds(choice) for row in shared_batches_rows(tasks, services, batches, k, 0, deadline))
        assert linear <= deadline or not held
        if whole:
            assert held == (linear <= deadline)
        elif linear + 3 * len(loads) <= deadline:
            assert held


def test_a_candidate_that_is_not_stable_never_fits():
    tasks = [Arrivals(4, 40, 40), Arrivals(2, 40, 40)]
    services, batches = [np.array([41, 5]), np.array([90, 5])], [np.array([4, 4]), np.array([4, 4])]
    own = shared_batches_rows(tasks, services, batches, 0, 0, 10**6)
    other = shared_batches_rows(tasks, services, batches, 0, 1, 10**6)
    assert not any(row.holds([0, None]) for row in own)
    assert not any(row.holds([1, 0]) for row in other)
    assert all(row.holds([1, 1]) for row in other)


def test_streams_that_may_stop_are_refused():
    silent = Arrivals(2, 40, 40, may_stop=True)
    with pytest.raises(ValueError, match="count batching of 2 items has no bound when a stream may stop"):
        BatchLoad.batched(silent, 3, 2)
    with pytest.raises(ValueError, match="batch of 0 items: expected at least 1"):
        BatchLoad(3, 2, 40, batch=0)
    assert BatchLoad.batched(Arrivals(2, 40, 41, 5), 3, 2, 4) == BatchLoad(3, 2, 40, 9, 0, 2, 41)
    assert BatchLoad.batched(Arrivals(2, 40, 41, 5), 3, 2, 4).formation() == 41 + 9
    assert Load.of(silent, 3, 2, 4) == Load(3, 2, 40, 4, 2)


def test_extremes_do_not_overflow():
    tasks = [Arrivals(1, MAX_TICKS, MAX_TICKS, MAX_TICKS), Arrivals(2**14, 1, 1, MAX_TICKS), Arrivals(3, 2**39, 2**39)]
    services, batches = [np.array([2**39]), np.array([0]), np.array([2**37])], [np.array([4096])] * 3
    for row in shared_batches_rows(tasks, services, batches, 0, 0, 2**60):
        assert all(0 <= int(column[0]) < 2**60 for column in row.coefficients)
        assert row.holds([0, 0, 0])
