"""Both forms agree, parts add up, and more load never gives a smaller bound."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from systems import arrivals_of, draw_system, exact_total, path_of

from dse.timing import dynamic as dynamic_module
from dse.timing.arrivals import Arrivals, eta_behind_queue
from dse.timing.exact import ExactArrivals, Network
from dse.timing.path import Path, worst_case, worst_case_exact
from dse.timing.pipeline import pipeline_count, pipeline_dynamic, pipeline_dynamic_fast
from dse.timing.stages import QUEUE, WAIT, Items
from dse.timing.ticks import INFINITE, MAX_TICKS, TICK_MS

PARTS = ("delay", "items", "jitter", "batch_wait", "queue", "blocking", "service", "overlap")
seeds = st.integers(0, 2**32).map(random.Random)


def table(**columns):
    """A path of one row per batch, everything not named being zero."""
    zero = {"delay": 0, "variation": 0, "before": [], "after": [], "overlap": 0, "fixed": 0, "per_item": 0}
    return Path(**(zero | {"timeout": 0, "dynamic": True} | columns))


@settings(max_examples=75, deadline=None)
@given(seeds)
def test_ticks_and_fractions_agree_on_the_grid(dice):
    system = draw_system(dice, most_streams=12)
    parts = worst_case(arrivals_of(system), path_of(system))
    exact = exact_total(system)
    assert parts.stable[0] == (exact is not None)
    assert parts.total[0] == (INFINITE if exact is None else exact / TICK_MS)


@settings(max_examples=37, deadline=None)
@given(seeds)
def test_off_the_grid_ticks_are_never_smaller(dice):
    # The period lies between two ticks: down where items come fast, up where one waits for them.
    system = draw_system(dice)
    source = Arrivals(
        system.streams, system.period, system.period + 1, system.jitter, system.may_stop, system.synchronous
    )
    period = (system.period + Fraction(dice.randint(1, 9), 10)) * TICK_MS
    exact_source = ExactArrivals(system.streams, period, system.jitter * TICK_MS, system.may_stop, system.synchronous)
    ms = [value * TICK_MS for value in (system.fixed, system.per_item, system.timeout)]
    exact = worst_case_exact(
        exact_source,
        Network(system.batch, *ms),
        dynamic=system.dynamic,
        before=[value * TICK_MS for value in system.before],
        after=[value * TICK_MS for value in system.after],
        delay=system.delay * TICK_MS,
        variation=system.variation * TICK_MS,
    )
    total = int(worst_case(source, path_of(system)).total[0])
    assert total == INFINITE or (exact is not None and exact <= total * TICK_MS)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_parts_add_up_in_every_row(dice):
    system = draw_system(dice)
    rows, rng = 50, np.random.default_rng(dice.randrange(2**32))
    share = system.period // system.streams
    path = Path(
        delay=rng.integers(0, 9, rows),
        variation=rng.integers(0, system.period, rows),
        before=[rng.integers(0, share + 2, rows), 1],
        after=[rng.integers(0, share + 2, rows)],
        overlap=rng.integers(0, share + 2, rows),
        batch=rng.integers(1, 9, rows),
        fixed=rng.integers(0, 2 * share + 2, rows),
        per_item=rng.integers(0, share + 2, rows),
        timeout=system.timeout,
        dynamic=rng.random(rows) < 0.5,
    )
    parts = worst_case(replace(arrivals_of(system), may_stop=False), path)
    assert np.array_equal(sum(getattr(parts, name) for name in PARTS), parts.total)
    assert np.array_equal(parts.total == INFINITE, ~parts.stable)
    assert all((getattr(parts, name) >= 0).all() for name in (*PARTS[:-1], "hidden"))
    assert (parts.overlap <= 0).all()
    assert (parts.utilization_ppm[parts.stable] <= 1_000_000).all()
    assert (parts.batch_wait[parts.active_case == QUEUE] == 0).all()
    # The order of the rows does not matter.
    turned = {name: value[::-1] for name, value in vars(path).items() if isinstance(value, np.ndarray)}
    turned |= {"before": [path.before[0][::-1], 1], "after": [path.after[0][::-1]]}
    again = worst_case(replace(arrivals_of(system), may_stop=False), replace(path, **turned))
    assert np.array_equal(again.total, parts.total[::-1])


@settings(max_examples=75, deadline=None)
@given(seeds)
def test_the_full_form_never_exceeds_the_fast_one(dice):
    system = draw_system(dice, most_streams=20)
    columns = [np.array([v]) for v in (system.batch, system.fixed, system.per_item, system.timeout)]
    stages = (system.before, system.after, system.variation)
    full = pipeline_dynamic(arrivals_of(system), *columns, *stages)
    assert full <= pipeline_dynamic_fast(arrivals_of(system), *columns, *stages)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_more_load_never_helps(dice):
    # Streams may stop, or batches are single: then nobody gains from others filling a batch.
    system = replace(draw_system(dice), dynamic=True, may_stop=True)
    total = worst_case(arrivals_of(system), path_of(system)).total[0]
    slower = [stage + dice.randint(0, 3) for stage in system.before], [stage + 1 for stage in system.after]
    for heavier in (
        replace(system, fixed=system.fixed + dice.randint(1, 9)),
        replace(system, per_item=system.per_item + dice.randint(1, 3)),
        replace(system, before=slower[0], after=slower[1]),
        replace(system, jitter=system.jitter + dice.randint(1, system.period)),
        replace(system, variation=system.variation + 1),
        replace(system, timeout=system.timeout + dice.randint(1, 9)),
        replace(system, streams=system.streams + 1),
        replace(system, period=system.period - 1),
    ):
        assert worst_case(arrivals_of(heavier), path_of(heavier)).total[0] >= total


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_counted_batches_grow_with_service_and_jitter(dice):
    system = replace(draw_system(dice), dynamic=False, may_stop=False)
    total = worst_case(arrivals_of(system), path_of(system)).total[0]
    for heavier in (
        replace(system, fixed=system.fixed + dice.randint(1, 9)),
        replace(system, before=[*system.before, 1]),
        replace(system, jitter=system.jitter + dice.randint(1, system.period)),
    ):
        assert worst_case(arrivals_of(heavier), path_of(heavier)).total[0] >= total


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_the_pair_cap_is_the_maximum_it_claims(dice):
    # Against plain enumeration of full batches f and queued items m.
    n, period, size = dice.randint(1, 6), dice.randint(6, 60), dice.randint(2, 5)
    slow, full = dice.randint(0, period // n), dice.randint(0, size * period // n)
    window, fewest = dice.randint(0, 3 * period), dice.randint(0, 3)
    column = lambda value: np.array([value], dtype=np.int64)  # noqa: E731
    items = Items(column(slow), column(slow), column(slow), column(slow), column(0))
    zero = column(0)
    batcher = dynamic_module._Batcher(Arrivals(n, period, period), size, zero, zero, column(full), zero, items)
    many = column(10**6)
    cap = dynamic_module.pair_cap(batcher, column(window), column(fewest), many)[0]
    spread = window + slow
    choices = range(6 * n + 30) if slow else [0]
    lengths = range(fewest, fewest + 3 * n + 12) if full else [fewest]
    assert cap == max(n * -(-(spread + f * full + m * slow) // period) - f * size - m for f in lengths for m in choices)
    behind = eta_behind_queue(Arrivals(n, period, period), column(spread), column(slow))[0]
    assert behind == max(n * -(-(spread + m * slow) // period) - m for m in choices)


def test_active_and_hidden_branch():
    # N = 16, P = 40, b = 4, s = 8: waiting 40 hides a queue of 32.
    parts = worst_case(Arrivals(16, 40, 40), table(batch=np.array([4]), fixed=8, dynamic=False))
    assert (parts.active_case[0], parts.batch_wait[0], parts.queue[0], parts.hidden[0]) == (WAIT, 40, 0, 32)
    assert (parts.total[0], parts.utilization_ppm[0], parts.network_utilization_ppm[0]) == (48, 800_000, 800_000)


def test_dynamic_parts():
    # N = 16, P = 40, b = 16, s = 4 + n, T = 0: two batches share 16 items, 2·4 + 16; idle, one takes 20 at once.
    parts = worst_case(Arrivals(16, 40, 40), table(batch=np.array([16]), fixed=4, per_item=1))
    assert (parts.total[0], parts.hidden[0], parts.active_case[0]) == (24, 20, QUEUE)
    assert (parts.blocking[0], parts.service[0], parts.queue[0]) == (5, 19, 0)


def test_overlap_saves_latency_but_not_more_than_fits():
    path = table(batch=np.array([1, 1, 1]), before=[8], fixed=np.array([14, 14, 3]), overlap=np.array([4, 99, 99]))
    parts = worst_case(Arrivals(1, 40, 40), path)
    assert parts.total.tolist() == [18, 14, 8]
    assert parts.overlap.tolist() == [-4, -8, -3]
    assert parts.utilization_ppm.tolist() == [350_000, 350_000, 200_000]
    saved = worst_case_exact(
        ExactArrivals(1, Fraction(40)),
        Network(1, Fraction(14), Fraction(0)),
        dynamic=True,
        before=[Fraction(8)],
        overlap=Fraction(4),
    )
    assert saved == 18


@pytest.mark.parametrize(("service", "total"), [(9, 36), (10, 40), (11, INFINITE)])
def test_stability_beside_the_edge(service, total):
    parts = worst_case(Arrivals(4, 40, 40), table(batch=np.array([1]), fixed=service))
    assert parts.total.tolist() == [total]
    assert parts.utilization_ppm.tolist() == [service * 100_000]


def test_no_rows_give_no_bounds():
    assert worst_case(Arrivals(4, 40, 40), table(batch=np.array([], dtype=np.int64))).total.size == 0


def test_counted_batches_have_no_bound_when_streams_may_stop():
    source, path = Arrivals(4, 40, 40, may_stop=True), table(batch=np.array([1, 2]), dynamic=np.array([False, False]))
    with pytest.raises(ValueError, match="count batching of 2 items has no bound when a stream may stop"):
        worst_case(source, path)
    with pytest.raises(ValueError, match="use dynamic batching"):
        pipeline_count(source, np.array([2]), np.array([1]))
    with pytest.raises(ValueError, match="use dynamic batching"):
        worst_case_exact(
            ExactArrivals(4, Fraction(40), may_stop=True), Network(2, Fraction(1), Fraction(0)), dynamic=False
        )
    assert worst_case(source, replace(path, dynamic=True)).stable.all()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"fixed": -1}, "fixed: 1 values out of range, first -1 at row 0"),
        ({"fixed": MAX_TICKS + 1}, "fixed: 1 values out of range"),
        ({"per_item": MAX_TICKS}, r"fixed \+ per_item \* batch: 2 values out of range"),
        ({"timeout": 1.5}, "timeout: found float64 values, expected whole numbers"),
        ({"before": [np.array([1, 2, 3])]}, r"before\[0\]: found shape \(3,\), expected \(2,\)"),
        ({"batch": np.array([0, 1])}, "batch: 1 values out of range, first 0 at row 0, expected 1 to"),
    ],
)
def test_values_out_of_range_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        worst_case(Arrivals(4, 40, 40), table(**({"batch": np.array([2, 2])} | columns)))


@pytest.mark.parametrize(
    ("streams", "period", "jitter", "timeout"),
    [
        (1, 1, MAX_TICKS, MAX_TICKS),
        (1, MAX_TICKS, MAX_TICKS, MAX_TICKS),
        (10_000, 10_000, MAX_TICKS, MAX_TICKS),
        (10_000, MAX_TICKS, MAX_TICKS, 0),
        (2**14, MAX_TICKS, 0, MAX_TICKS),
        (9_973, 400_000, 7, 5),
    ],
)
def test_extremes_neither_overflow_nor_run_away(streams, period, jitter, timeout):
    # Utilisation just below 1 on item stages and network, batches that share no divisor with N.
    batch = np.array([1, 8, 8, 63, 63, 1, 4096, 4096])
    share = period // streams
    stop = np.minimum(share * batch, MAX_TICKS)  # longest full batch that is stable
    path = table(
        batch=batch,
        fixed=stop // 2,
        per_item=(stop - stop // 2) // batch,
        before=[share],
        after=[share // 2],
        timeout=timeout,
        dynamic=np.array([True, True, False] * 2 + [True, False]),
    )
    source = Arrivals(streams, period, period, jitter)
    began = time.perf_counter()
    parts = worst_case(source, path)
    assert time.perf_counter() - began < 10
    assert parts.stable.all()
    assert (parts.total >= jitter + parts.service).all()
    assert (parts.total < 2**58).all()
    k = 1  # one row also in fractions, which cannot overflow
    exact = worst_case_exact(
        ExactArrivals(streams, period * TICK_MS, jitter * TICK_MS),
        Network(8, int(path.fixed[k]) * TICK_MS, int(path.per_item[k]) * TICK_MS, timeout * TICK_MS),
        dynamic=True,
        before=[share * TICK_MS],
        after=[share // 2 * TICK_MS],
    )
    assert parts.total[k] * TICK_MS == exact


def test_utilisation_saturates_instead_of_overflowing():
    parts = worst_case(Arrivals(2**14, 1, 1), table(batch=np.array([1]), fixed=MAX_TICKS))
    assert parts.utilization_ppm[0] == 2**40 * 1_000_000
    assert parts.total[0] == INFINITE
