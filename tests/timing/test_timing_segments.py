"""Paths bounded piece by piece: batches closed by time-out between stages, and sources at a rate of their own."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import System, latencies, releases
from systems import arrivals_of, draw_system, path_of

from dse.timing.arrivals import Arrivals
from dse.timing.exact import ExactArrivals, Network
from dse.timing.path import Path, worst_case, worst_case_exact
from dse.timing.pipeline import tandem
from dse.timing.stages import Items
from dse.timing.ticks import INFINITE, TICK_MS

seeds = st.integers(0, 2**32).map(random.Random)
PARTS = ("delay", "items", "jitter", "batch_wait", "queue", "blocking", "service", "overlap")


def closing(system, **more):
    """Its path with batches that close at the time-out."""
    return replace(path_of(system), dynamic=False, closing=True, **more)


def test_hand_example_of_closing_between_stages():
    # Items of 1 before and 2 after; four streams of period 100, batches of 4 in 20, T = 15. Before: 1 + 3 = 4. At the
    # batcher jitter 4: in 105 eight items, one batch before and seven of one each ahead: 8·20 - 105 = 55, + 20. After:
    # jitter 79: 2 + 3·2.
    parts = worst_case(
        Arrivals(4, 100, 100, may_stop=True),
        Path(0, 0, [1], [2], 0, np.array([4]), 20, 0, 15, dynamic=False, closing=True),
    )
    assert parts.total[0] == 4 + 75 + 8
    # Each item may be a batch of its own, since 4·15 <= 100: 4·20/100.
    assert parts.network_utilization_ppm[0] == 800_000
    # With T = 50 one batch in 50 is not full, the others take a quarter of what is left: 20·(1/50 + (4/100 - 1/50)/4).
    later = worst_case(
        Arrivals(4, 100, 100, may_stop=True),
        Path(0, 0, [], [], 0, np.array([4]), 20, 0, 50, dynamic=False, closing=True),
    )
    assert later.network_utilization_ppm[0] == 500_000


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_both_forms_of_closing_agree_on_the_grid(dice):
    system = replace(draw_system(dice), dynamic=False, synchronous=False, may_stop=dice.random() < 0.5)
    parts = worst_case(arrivals_of(system), closing(system))
    source = ExactArrivals(system.streams, system.period * TICK_MS, system.jitter * TICK_MS, system.may_stop)
    exact = worst_case_exact(
        source,
        Network(system.batch, *(time * TICK_MS for time in (system.fixed, system.per_item, system.timeout))),
        dynamic=False,
        before=[time * TICK_MS for time in system.before],
        after=[time * TICK_MS for time in system.after],
        delay=system.delay * TICK_MS,
        variation=system.variation * TICK_MS,
        closing=True,
    )
    assert parts.stable[0] == (exact is not None)
    assert exact is None or exact <= parts.total[0] * TICK_MS
    assert sum(getattr(parts, name)[0] for name in PARTS) == parts.total[0]


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_no_replay_of_closing_exceeds_the_bound(dice):
    system = replace(draw_system(dice, most_streams=5), dynamic=False, synchronous=False, may_stop=True)
    bound = int(worst_case(arrivals_of(system), closing(system)).total[0])
    if bound == INFINITE:
        return
    for round_ in range(6):
        phases = [dice.choice([0, 1, dice.randrange(system.period)]) for _ in range(system.streams)]
        for pattern in ("early", "bunched", "stretched", "random"):
            items = releases(system, phases, 8 + 3 * (system.jitter // system.period), pattern, dice)
            assert max(play_closing(system, items, dice, full=round_ % 2 == 0)) <= bound


def play_closing(system: System, items, dice, *, full):
    """Latencies from the nominal release: a batch closes at b items or T after its first, whatever the server does."""
    entering = [(item.actual + system.delay - dice.choice([0, system.variation]), item) for item in items]
    entering.sort(key=lambda pair: pair[0])
    times = in_line(system.before, [time for time, _ in entering], dice, full)
    out, free, head = [], 0, 0
    while head < len(times):
        size = 1
        while size < system.batch and head + size < len(times) and times[head + size] < times[head] + system.timeout:
            size += 1
        close = times[head + size - 1] if size == system.batch else times[head] + system.timeout
        free = max(free, close) + taken(system.fixed + system.per_item * size, dice, full)
        out += [free] * size
        head += size
    return [end - item.nominal for end, (_, item) in zip(in_line(system.after, out, dice, full), entering, strict=True)]


def in_line(stages, times, dice, full):
    for longest in stages:
        free, out = 0, []
        for time in times:
            free = max(free, time) + taken(longest, dice, full)
            out.append(free)
        times = out
    return times


def taken(longest, dice, full):
    return longest if full else dice.choice([0, longest, dice.randint(0, longest)])


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_no_replay_of_a_source_at_its_own_rate_exceeds_the_bound(dice):
    """The source's stages see each frame, the task's path every n-th of each stream."""
    every = dice.randint(2, 5)
    system = replace(draw_system(dice, most_streams=4), synchronous=False, delay=0, variation=0)
    share = system.period // system.streams // every
    first = [dice.randint(0, share) for _ in range(dice.randint(1, 2))]
    frames = replace(arrivals_of(system), period_down=system.period // every, period_up=system.period // every)
    system = replace(system, period=frames.period_down * every)
    response = int(tandem(frames, first)[0])
    path = replace(path_of(system), delay=response, variation=response)
    bound = int(worst_case(arrivals_of(system), path).total[0])
    if INFINITE in (response, bound):
        return
    for round_ in range(4):
        # Phases that tell the streams apart, close together or anywhere.
        reach = dice.choice([min(system.streams + 1, frames.period_down), frames.period_down])
        phases = dice.sample(range(reach), system.streams)
        offset = {phase: dice.randrange(every) for phase in phases}
        per_frame = replace(system, period=frames.period_down)
        for pattern in ("early", "bunched", "random"):
            count = every * (8 + 3 * (system.jitter // system.period) + 3 * (system.batch // system.streams))
            items = releases(per_frame, phases, count, pattern, dice)
            done = in_line(first, [item.actual for item in items], dice, full=round_ % 2 == 0)
            kept = [
                replace(item, actual=end)
                for item, end in zip(items, done, strict=True)
                if item.nominal // frames.period_down % every == offset[item.nominal % frames.period_down]
            ]
            seen = latencies(system, kept, dice, full=round_ % 2 == 0)
            assert not seen or max(seen) <= bound


def test_several_servers_are_as_many_stages_in_a_row():
    """c servers of s: the sum of c stages of s/c is s, and the longest per server s/c."""
    rows = Items.of(Arrivals(4, 100, 100), [np.array([8])] * 3, (), 0, 1)
    assert (rows.total[0], rows.slowest[0]) == (24, 8)
    # Four items at once on three servers of 24: the last starts when the first is done, and ends at 48.
    assert tandem(Arrivals(4, 100, 100), [np.array([8])] * 3)[0] == 48


def test_estimate_of_the_wait_in_a_line():
    # N = 16, rho = 16·8/160 = 0.8: half of N times sqrt(1/16 + 2·ln(100)/16) - 1/4 is 4.3907… services of 8: 35.13.
    arrivals = Arrivals(16, 160, 160)
    path = Path(0, 0, [3], [], 0, np.array([1]), 0, 8, 0, dynamic=True, level=0.99)
    parts = worst_case(arrivals, path)
    assert (parts.total[0], parts.queue[0]) == (3 + 8 + 36, 36)
    # Never above the bound: two streams wait for one other.
    for streams in (1, 2, 3):
        few = worst_case(Arrivals(streams, 100, 100), path)
        assert few.total[0] <= worst_case(Arrivals(streams, 100, 100), replace(path, level=None)).total[0]
    assert Fraction(int(few.queue[0])) <= 2 * 8
