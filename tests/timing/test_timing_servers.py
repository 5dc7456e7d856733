"""Several equal servers: counted batches, item stages, unequal tasks behind one queue."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_shared import any_server, counted, draw_loads, in_row, worst_seen

from dse.timing import batching, pipeline
from dse.timing.arrivals import Arrivals
from dse.timing.load import BatchLoad, Load
from dse.timing.servers import MAX_SERVERS, global_fifo, latency_count, latency_count_exact, tandem, tandem_exact
from dse.timing.ticks import INFINITE, MAX_TICKS

seeds = st.integers(0, 2**32).map(random.Random)


def source(load, *, synchronous=False):
    return Arrivals(load.streams, load.period, load.period, load.jitter, synchronous=synchronous)


def draw_batch(dice, most=1.0):
    """One task of counted batches, with the servers it needs."""
    load, servers = draw_loads(dice, 1)[0], dice.randint(1, 4)
    batch = dice.choice([1, 2, 3, 4, 6])
    service = int(dice.uniform(0.2, most) * servers * batch * load.period / load.streams)
    return BatchLoad(service, load.streams, load.period, load.jitter, 0, batch), servers


def test_hand_examples():
    # 16 at once, three servers: the last is sixth at its server: 6·20.
    assert latency_count_exact(BatchLoad(20, 16, 120), 3) == 120
    assert latency_count(Arrivals(16, 120, 120), np.array([1]), np.array([20]), 3).tolist() == [120]
    # Batches of 4 of 16, two servers, 8 each: waits 40 for its batch. Together: four batches, two a server.
    load = BatchLoad(8, 16, 40, batch=4)
    assert latency_count_exact(load, 2) == 48
    assert latency_count_exact(load, 2, synchronous=True) == 16
    assert latency_count_exact(replace(load, service=30), 2) is None  # four batches of 30 on two servers in 40


def test_unequal_tasks_by_hand():
    # 4 waits for 3 with 2 and 1 at the other server: 4 + 3; then 3 + 3, 2 + 4, 1 + 9/2.
    loads = [Load(service, 1, 20) for service in (4, 3, 2, 1)]
    assert global_fifo(loads, 2) == [7, 6, 6, Fraction(11, 2)]
    assert global_fifo(loads, 4) == [4, 3, 2, 1]  # a server for each
    assert global_fifo(loads, 1) == [10] * 4  # one queue, one server
    assert global_fifo([Load(30, 1, 20), Load(11, 1, 20)], 2) is None


def test_stages_with_servers_by_hand():
    # Ten at once. Stage of 6 at two servers, then 2 at one: the last passes 8 after 9 places at 3 each, 27. But two
    # places take one whole 6: 4·6 and one place at 2, 26.
    assert tandem(Arrivals(10, 60, 60), [6, 2], [2, 1]).tolist() == [8 + 27]
    assert tandem_exact(Load(0, 10, 60), [(6, 2), (2, 1)]) == 8 + 26
    assert tandem(Arrivals(10, 60, 60), [13], [2]).tolist() == [INFINITE]
    assert tandem_exact(Load(0, 10, 60), [(13, 2)]) is None


def test_no_replay_exceeds_counted_batches():
    dice, attained, steady = random.Random("servers"), 0, 0
    for _ in range(60):
        load, servers = draw_batch(dice)
        bound = latency_count_exact(load, servers)
        worst = worst_seen([load], counted([load.batch], servers), dice, trail=7)[0]
        assert worst <= bound, (load, servers)
        if not load.jitter:  # with it the search has to bunch and stretch at once
            steady, attained = steady + 1, attained + (worst >= bound - 2)
    assert attained >= 0.9 * steady >= 10


def test_no_replay_exceeds_the_stages():
    dice, attained = random.Random("stages with servers"), 0
    for _ in range(60):
        load = draw_loads(dice, 1)[0]
        counts = [dice.randint(1, 3) for _ in range(dice.randint(1, 4))]
        times = [dice.randint(0, count * load.period // load.streams) for count in counts]
        bound = tandem_exact(load, list(zip(times, counts, strict=True)))
        stages = [((time,), count) for time, count in zip(times, counts, strict=True)]
        worst = worst_seen([load], in_row(stages), dice)[0]
        assert worst <= bound, (load, times, counts)
        attained += worst >= bound - 2
    assert attained >= 45


def test_no_replay_exceeds_unequal_tasks():
    dice, close, seen = random.Random("global"), 0, 0
    for _ in range(60):
        servers = dice.randint(1, 3)
        loads = draw_loads(dice, dice.randint(2, 5), servers)
        bounds = global_fifo(loads, servers) or []
        if not bounds:
            continue
        for bound, worst in zip(bounds, worst_seen(loads, any_server(servers), dice), strict=True):
            assert worst <= bound, (loads, servers)
            seen, close = seen + 1, close + (bound <= 1.5 * worst + 1)
    assert close >= 0.5 * seen


@settings(max_examples=50, deadline=None)
@given(seeds, st.booleans())
def test_arrays_equal_the_exact_forms_and_one_server_the_plain_ones(dice, synchronous):
    load, servers = draw_batch(dice, 1.1)
    columns = np.array([load.batch]), np.array([load.service])
    exact = latency_count_exact(load, servers, synchronous=synchronous)
    found = latency_count(source(load, synchronous=synchronous), *columns, servers)[0]
    assert found == (INFINITE if exact is None else exact)
    plain = batching.latency_count(source(load, synchronous=synchronous), *columns)
    assert latency_count(source(load, synchronous=synchronous), *columns, np.array([1])) == plain
    counts = [dice.randint(1, 3) for _ in range(3)]
    times = [dice.randint(0, count * load.period // load.streams) for count in counts]
    assert tandem_exact(load, list(zip(times, counts, strict=True))) <= tandem(source(load), times, counts)[0]
    single = [min(time, load.period // load.streams) for time in times]
    alone = tandem_exact(load, [(time, 1) for time in single])
    assert tandem(source(load), single, [1] * 3)[0] == pipeline.tandem(source(load), single)[0] == alone


@settings(max_examples=37, deadline=None)
@given(seeds)
def test_more_load_never_helps(dice):
    load, servers = draw_batch(dice)
    loads = draw_loads(dice, 3, 2)
    j = dice.randrange(3)
    times = [(dice.randint(0, load.period // load.streams), dice.randint(1, 3)) for _ in range(3)]
    for change in ({"service": 3}, {"jitter": 5}, {"streams": 1}):
        name, more = next(iter(change.items()))
        heavier = replace(load, **{name: getattr(load, name) + more})
        if name != "streams" or load.batch == 1:  # further streams fill a batch sooner
            found = latency_count_exact(heavier, servers)
            assert found is None or found >= latency_count_exact(load, servers)
        found = tandem_exact(heavier, times)
        assert found is None or found >= tandem_exact(load, times)
        found = global_fifo(
            [*loads[:j], replace(loads[j], **{name: getattr(loads[j], name) + more}), *loads[j + 1 :]], 2
        )
        base = global_fifo(loads, 2)
        assert found is None or all(x >= y for x, y in zip(found, base, strict=True))


def test_rows_of_different_size_and_servers_are_kept_apart():
    arrivals = Arrivals(8, 400, 400)
    batch, service, servers = np.array([1, 2, 1, 4]), np.array([50, 60, 50, 99]), np.array([1, 2, 3, 1])
    one_by_one = [latency_count(arrivals, batch[[k]], service[[k]], servers[[k]])[0] for k in range(4)]
    assert latency_count(arrivals, batch, service, servers).tolist() == one_by_one


def test_faults_are_named():
    arrivals = Arrivals(4, 40, 40, may_stop=True)
    with pytest.raises(ValueError, match="count batching of 2 items has no bound when a stream may stop"):
        latency_count(arrivals, np.array([2]), np.array([1]), 2)
    with pytest.raises(ValueError, match=f"servers from 0 to 0: expected 1 to {MAX_SERVERS}"):
        latency_count(arrivals, np.array([1]), np.array([1]), 0)
    with pytest.raises(ValueError, match="servers from 2000 to 2000"):
        tandem(arrivals, [1], [2000])


def test_extremes_do_not_overflow():
    for streams, period, jitter in ((1, 1, MAX_TICKS), (2**14, MAX_TICKS, MAX_TICKS), (9_973, 400_000, 7)):
        arrivals, share = Arrivals(streams, period, period, jitter), MAX_SERVERS * (period // streams)
        total = tandem(arrivals, [min(share, MAX_TICKS)], [MAX_SERVERS])[0]
        assert 0 < total < 2**60
        service = min(8 * share, MAX_TICKS)
        found = latency_count(arrivals, np.array([8]), np.array([service]), MAX_SERVERS)[0]
        assert found == latency_count_exact(BatchLoad(service, streams, period, jitter, 0, 8), MAX_SERVERS)
