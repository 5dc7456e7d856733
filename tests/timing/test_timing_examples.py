"""Bounds that can be worked out by hand, in both forms; all numbers in ms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dse.timing import batching, exact, pipeline
from dse.timing.arrivals import Arrivals, delta_max, delta_min, eta_closed, eta_half_open
from dse.timing.ticks import up

F = Fraction


def ticks(value):
    return up(value, "0.0001")


def streams(n, period, jitter=0, *, synchronous=False):
    """The same streams for the array form and the exact form."""
    p, j = ticks(period), ticks(jitter)
    scalar = exact.ExactArrivals(n, F(period), F(jitter), synchronous=synchronous)
    return Arrivals(n, p, p, j, synchronous=synchronous), scalar


@pytest.mark.parametrize(
    ("n", "period", "jitter", "batch", "service", "synchronous", "expected"),
    [
        (16, 40, 0, 1, 2, False, 32),  # 16·2
        (16, 40, 0, 16, 20, False, 60),  # wait 40, then 20
        (16, 40, 0, 16, 20, True, 20),  # no wait, no queue
        (16, 40, 0, 4, 8, False, 48),  # max(40, 4·8) + 8
        (16, 40, 0, 4, 8, True, 32),  # 4·8
        (4, 10, 4, 1, 2, False, 10),  # 8 items in 6 ms: 16 - 6
        (16, 40, 6, 16, 20, False, 66),  # wait 46, then 20
        (3, 10, 0, 1, F(10, 3), False, 10),  # U = 1 exactly is stable
    ],
)
def test_counted_batches(n, period, jitter, batch, service, synchronous, expected):
    array, scalar = streams(n, period, jitter, synchronous=synchronous)
    assert exact.latency_count(scalar, batch, F(service)) == expected
    if F(service) * 10_000 % 1 == 0:
        found = batching.latency_count(array, np.array([batch]), np.array([ticks(service)]))
        assert found.tolist() == [ticks(expected)]


@pytest.mark.parametrize(
    ("batch", "fixed", "per_item", "timeout", "expected", "fast"),
    [
        (16, 4, 1, 0, 24, 40),  # two batches, 16 items: 2·4 + 16
        (8, 2, "0.5", 10, 16, 18),  # T + s(8)
        (8, 2, "0.5", 30, 36, 36),  # T + s(8)
    ],
)
def test_dynamic_batches(batch, fixed, per_item, timeout, expected, fast):
    array, scalar = streams(16, 40)
    network = exact.Network(batch, F(fixed), F(per_item), F(timeout))
    assert exact.latency_dynamic(scalar, network) == expected
    assert exact.latency_dynamic_fast(scalar, network) == fast
    columns = [np.array([value]) for value in (batch, ticks(fixed), ticks(per_item), ticks(timeout))]
    assert batching.latency_dynamic(array, *columns).tolist() == [ticks(expected)]
    assert batching.latency_dynamic_fast(array, *columns).tolist() == [ticks(fast)]


def test_item_stages():
    # 1 + 2 + 1.5 of the item itself, and 15 others through the slowest stage: 4.5 + 15·2.
    array, scalar = streams(16, 40)
    assert exact.tandem(scalar, [F(1), F(2), F(3, 2)]) == F(69, 2)
    assert pipeline.tandem(array, [ticks(1), ticks(2), ticks("1.5")]).tolist() == [ticks("34.5")]


def test_batch_between_item_stages():
    # Items 1 + 0.5 + 0.5, batch 22 (2 transfer, 20 network), wait 40 and 14 places at 1: 133 with a delay of 55.
    array, scalar = streams(16, 40)
    assert 55 + exact.pipeline_count(scalar, 16, F(22), [F(1), F(1, 2)], [F(1, 2)]) == 133
    columns = (np.array([16]), np.array([ticks(22)]), [ticks(1), ticks("0.5")], [ticks("0.5")])
    assert ticks(55) + pipeline.pipeline_count(array, *columns)[0] == ticks(133)


def test_without_stages_the_pipeline_is_the_network_alone():
    array, scalar = streams(5, 10, 3)
    network = exact.Network(4, F(2), F(1), F(1))
    assert exact.pipeline_dynamic(scalar, network, [F(0)]) == exact.latency_dynamic(scalar, network)
    columns = [np.array([value]) for value in (4, ticks(2), ticks(1), ticks(1))]
    assert pipeline.pipeline_dynamic(array, *columns, [0]) == batching.latency_dynamic(array, *columns)


@pytest.mark.parametrize(
    ("buffers", "more", "expected"),
    [
        (1, {}, (22, 22)),  # in series
        (2, {}, (14, 22)),  # the longer one sets the pace, an item still passes both
        (2, {"contention": F(4)}, (18, 26)),
        (2, {"omega": F(1, 2)}, (18, 22)),  # half of the 8 stays visible
    ],
)
def test_double_buffering_changes_the_period_not_the_latency(buffers, more, expected):
    assert exact.overlap(F(8), F(14), buffers, **more) == expected


def test_overlap_needs_a_buffer():
    with pytest.raises(ValueError, match="0 buffers: expected at least 1"):
        exact.overlap(F(8), F(14), 0)


@pytest.mark.parametrize(
    ("n", "period", "more", "expected"),
    [
        (100, 100, {}, 1),  # D/N
        (100, 40, {}, F(2, 5)),  # P/N
        (100, 100, {"tail": F(5, 4)}, F(4, 5)),  # the mean stays below the worst case
        (16, 40, {"batch": 16, "other": F(55), "cap": F(9, 10)}, 5),  # 100 - 55 - 40
        (16, 40, {"batch": 16, "other": F(55), "cap": F(9, 10), "synchronous": True}, 36),  # 0.9·40
    ],
)
def test_service_budget(n, period, more, expected):
    assert exact.service_budget(n, F(period), F(100), **more) == expected


def test_service_budget_is_the_edge_of_the_bound():
    # N = 3, b = 2: the second frame decides, (24 + 20)/4 = 11 < 24/2; one step more misses the deadline.
    budget = exact.service_budget(3, F(20), F(24), batch=2, synchronous=True)
    source = exact.ExactArrivals(3, F(20), synchronous=True)
    assert exact.latency_count(source, 2, budget) <= 24
    more = exact.latency_count(source, 2, budget + F(1, 1000))
    assert more is None or more > 24


def test_arrival_curves():
    # Two streams, P = 10, J = 3: a window of 7 closed reaches the next frame, half-open it does not.
    array = Arrivals(2, 10, 10, 3)
    assert eta_closed(array, np.array([0, 6, 7])).tolist() == [2, 2, 4]
    assert eta_half_open(array, np.array([0, 7, 8])).tolist() == [2, 2, 4]
    assert delta_min(array, np.array([1, 2, 3, 5])).tolist() == [0, 0, 7, 17]
    assert delta_max(array, np.array([1, 2, 3, 4])).tolist() == [0, 13, 13, 23]


def test_stability_of_dynamic_batches_that_never_fill():
    # 2 streams, P = 40: three items never meet, so a full batch of 8 may take longer than four periods.
    array = Arrivals(2, 40, 40)
    columns = (np.array([8, 8]), np.array([0, 0]), np.array([19, 21]))
    assert batching.stable_dynamic(array, *columns, 0).tolist() == [True, False]
    assert batching.stable_count(array, columns[0], columns[2] * 8).tolist() == [True, False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1, 1), "0 streams: expected 1 to"),
        ((1, 0, 1), "expected 1 <= period_down"),
        ((1, 2, 1), "expected 1 <= period_down"),
        ((1, 1, 1, -1), "jitter -1 ticks"),
    ],
)
def test_impossible_streams_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Arrivals(*arguments)


def test_a_batch_of_one_is_an_item_stage():
    # Jitter 25 with P = 10 bunches three frames; the formation wait and the time-out must not show.
    array, scalar = streams(2, 10, 25)
    expected = exact.tandem(scalar, [F(1), F(4), F(1)])
    assert exact.pipeline_count(scalar, 1, F(4), [F(1)], [F(1)]) == expected
    around = ([ticks(1)], [ticks(1)])
    one, zero, service = np.array([1]), np.array([0]), np.array([ticks(4)])
    assert pipeline.pipeline_count(array, one, service, *around)[0] == ticks(expected)
    assert pipeline.tandem(array, [ticks(1), service, ticks(1)])[0] == ticks(expected)
    silent = Arrivals(2, ticks(10), ticks(10), may_stop=True)
    assert pipeline.pipeline_dynamic(silent, one, zero, service, ticks(99))[0] == ticks(8)
