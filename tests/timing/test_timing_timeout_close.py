"""Batches closed by time-out even while the server is busy."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_shared import closed_by_timeout, worst_seen

from dse.timing.arrivals import Arrivals
from dse.timing.exact import ExactArrivals, Network
from dse.timing.load import Load
from dse.timing.stages import QUEUE, WAIT
from dse.timing.ticks import INFINITE, MAX_TICKS, up
from dse.timing.timeout_close import (
    bound_timeout_close,
    latency_timeout_close,
    latency_timeout_close_exact,
    stable_timeout_close,
    stable_timeout_close_exact,
)

F = Fraction
seeds = st.integers(0, 2**32).map(random.Random)


def columns(*values):
    return [np.array([value], dtype=np.int64) for value in values]


def draw(dice, most=1.0):
    """Streams, period, jitter, batch, fixed, per item, time-out; small time-outs often pile batches up."""
    streams, period, batch = dice.randint(1, 6), dice.randint(20, 200), dice.choice([1, 2, 3, 4, 6, 8])
    full = int(dice.uniform(0.1, most) * batch * period / streams)
    per_item = int(dice.random() * full / batch)
    jitter = dice.choice([0, 0, dice.randint(0, 2 * period)])
    timeout = dice.choice([0, dice.randint(0, 12), dice.randint(0, period), dice.randint(0, 3 * period)])
    return streams, period, jitter, batch, full - per_item * batch, per_item, timeout


def both(system, *, may_stop=False):
    streams, period, jitter, batch, fixed, per_item, timeout = system
    array = latency_timeout_close(
        Arrivals(streams, period, period, jitter, may_stop), *columns(batch, fixed, per_item, timeout)
    )
    network = Network(batch, F(fixed), F(per_item), F(timeout))
    return int(array[0]), latency_timeout_close_exact(ExactArrivals(streams, F(period), F(jitter), may_stop), network)


def test_hand_example():
    # N = 16, P = 40, b = 8, s = 2 + n/2, T = 10: a full batch (6) whose last item comes with 14 more and the own one:
    # one batch of 8 and six of the own: 2 + 4 + 2 + 7 = 15, above T; the own batch takes 6.
    times = [up(value, "0.0001") for value in (2, "0.5", 10)]
    found = bound_timeout_close(Arrivals(16, 400_000, 400_000), 8, *columns(*times))
    assert (found.total[0], found.queue[0], found.service[0], found.active_case[0]) == (210_000, 150_000, 60_000, QUEUE)
    assert found.hidden[0] == 100_000
    assert latency_timeout_close_exact(ExactArrivals(16, F(40)), Network(8, F(2), F(1, 2), F(10))) == 21
    # T = 30 decides: 30 + 6.
    assert both((16, 400, 0, 8, 20, 5, 300)) == (360, 360)
    found = bound_timeout_close(Arrivals(16, 400, 400), 8, *columns(20, 5, 300))
    assert (found.batch_wait[0], found.active_case[0]) == (300, WAIT)


def test_small_batches_pile_up_at_a_low_rate_of_full_ones():
    # Full batches use 16·8/(8·40) = 0.4. With T = 2 half of the time brings a batch of 4: 0.2 + 4·0.4 = 1.8.
    assert stable_timeout_close(Arrivals(16, 400_000, 400_000), *columns(8, 40_000, 5_000, 20_000)).tolist() == [False]
    assert not stable_timeout_close_exact(ExactArrivals(16, F(40)), Network(8, F(4), F(1, 2), F(2)))
    assert both((16, 400, 0, 8, 40, 5, 20)) == (INFINITE, None)


def test_single_items_are_a_queue():
    # Four of 2 within P = 10, J = 4: 8 items in 6 ms: 16 - 6, whatever T.
    assert both((4, 10, 4, 1, 2, 0, 99)) == (10, 10)


def test_at_full_use_the_line_counts():
    # s = T = P/N: if every item were a batch of its own the server would never fall behind nor gain. Frames differ for
    # ever, so the line above them all counts, 160 for the 16 items of a frame, and the own 10.
    assert both((16, 160, 0, 4, 10, 0, 10)) == (170, 170)


def test_a_stream_that_stops_lets_the_time_out_count():
    # Two streams, b = 2: the second item comes within 40, or never; T = 90, s = 5.
    assert both((2, 40, 0, 2, 5, 0, 90)) == (45, 45)
    assert both((2, 40, 0, 2, 5, 0, 90), may_stop=True) == (95, 95)


def test_no_replay_exceeds_the_bound():
    dice, close, played = random.Random("time-out"), 0, 0
    while played < 80:
        system = draw(dice)
        streams, period, jitter, batch, fixed, per_item, timeout = system
        bound, exact = both(system, may_stop=True)
        if exact is None:
            continue
        played += 1
        play = closed_by_timeout(batch, fixed, per_item, timeout)
        worst = worst_seen([Load(1, streams, period, jitter)], play, dice)[0]
        assert worst <= exact <= bound, system
        close += exact <= 1.25 * worst + 1
    assert close >= 40


@settings(max_examples=75, deadline=None)
@given(seeds)
def test_the_array_form_is_never_below_the_exact_one(dice):
    system = draw(dice, 1.05)
    bound, exact = both(system)
    assert (bound >= INFINITE) == (exact is None)
    assert exact is None or bound >= exact
    streams, period, jitter, *network = system
    array = stable_timeout_close(Arrivals(streams, period, period, jitter), *columns(*network))
    assert array[0] == (exact is not None)


def draw_piling(dice):
    """Time-outs a little shorter than the fixed time: some batches that are not full cost most, but not all of them."""
    streams, batch, fixed = dice.choice([8, 12, 16]), dice.choice([2, 3, 4]), dice.randint(8, 20)
    timeout = dice.randint(fixed * (batch - 1) // batch, fixed)
    return (
        streams,
        streams * (fixed + dice.randint(0, 8)),
        dice.choice([0, dice.randint(0, 200)]),
        batch,
        fixed,
        0,
        timeout,
    )


@pytest.mark.parametrize("draw_one", [draw, draw_piling])
def test_both_forms_mostly_agree(draw_one):
    dice, equal, seen = random.Random(2), 0, 0
    for _ in range(200):
        bound, exact = both(draw_one(dice))
        if exact is not None:
            assert bound >= exact
            seen, equal = seen + 1, equal + (bound == exact)
    assert equal >= 0.9 * seen >= 90


@settings(max_examples=37, deadline=None)
@given(seeds)
def test_more_load_never_helps(dice):
    streams, period, jitter, batch, fixed, per_item, timeout = draw(dice)
    _, base = both((streams, period, jitter, batch, fixed, per_item, timeout), may_stop=True)
    for heavier in (
        (streams + 1, period, jitter, batch, fixed, per_item, timeout),
        (streams, period, jitter + 7, batch, fixed, per_item, timeout),
        (streams, period, jitter, batch, fixed + 3, per_item, timeout),
        (streams, period, jitter, batch, fixed, per_item + 1, timeout),
    ):
        _, more = both(heavier, may_stop=True)
        assert more is None or (base is not None and more >= base)


def test_rows_of_different_sizes_are_kept_apart():
    arrivals = Arrivals(5, 300, 300, 20)
    table = [np.array(x) for x in ([4, 1, 8, 4], [20, 30, 40, 500], [3, 2, 1, 9], [50, 0, 10, 60])]
    one_by_one = [latency_timeout_close(arrivals, *(column[[k]] for column in table))[0] for k in range(4)]
    assert latency_timeout_close(arrivals, *table).tolist() == one_by_one
    assert one_by_one[3] == INFINITE


@pytest.mark.parametrize("streams", [1, 7, 2**14])
@pytest.mark.parametrize("period", [1, 400_000, MAX_TICKS])
@pytest.mark.parametrize("jitter", [0, MAX_TICKS])
def test_extremes_do_not_overflow(streams, period, jitter):
    arrivals, share = Arrivals(streams, period, period, jitter), period // streams
    batch = np.array([1, 2, 64, 64, 4096, 4096, 4096])
    most = np.array([share, share, 3 * share, MAX_TICKS, share * 4096 // 3, MAX_TICKS, 0])
    fixed = np.minimum(most // 2, MAX_TICKS // 2)
    table = (batch, fixed, fixed // batch, np.array([0, 5, MAX_TICKS, MAX_TICKS, MAX_TICKS, 1, 1]))
    found, stable = latency_timeout_close(arrivals, *table), stable_timeout_close(arrivals, *table)
    for k in range(len(batch)):
        network = Network(*(F(int(column[k])) if at else int(column[k]) for at, column in enumerate(table)))
        source = ExactArrivals(streams, F(period), F(jitter))
        assert stable[k] == stable_timeout_close_exact(source, network)
        if stable[k]:
            assert network.service(network.batch) <= found[k] < 2**60
        else:
            assert found[k] == INFINITE
