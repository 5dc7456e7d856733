"""Servers that take turns: jobs one at a time, and dynamic batches."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from replay_shared import draw_loads, dynamic_in_turns, in_turns, worst_seen

from dse.timing.load import BatchLoad, Load, utilization
from dse.timing.round_robin import round_robin, round_robin_dynamic

seeds = st.integers(0, 2**32).map(random.Random)


def test_one_round_by_hand():
    # Nobody comes again within a round: 1 + 2 + 3 for each, as at a FIFO server.
    loads = [Load(1, 1, 10), Load(2, 1, 20), Load(3, 1, 30)]
    assert [round_robin(loads, k) for k in range(3)] == [6, 6, 6]


def test_a_burst_waits_a_round_for_each_of_its_jobs():
    # Three of 1 together against an endless supply of 2: rounds of 3, 9 in all. Two against one lone job of 5: 7.
    assert round_robin([Load(1, 3, 90), Load(2, 10, 60)], 0) == 9
    assert round_robin([Load(1, 2, 90), Load(5, 1, 90)], 0) == 7
    # The lone job waits for one of the others at most: 1 + 5.
    assert round_robin([Load(1, 2, 90), Load(5, 1, 90)], 1) == 6


def test_rounds_protect_from_a_task_that_overloads_the_server():
    loads = [Load(1, 1, 10), Load(4, 5, 10)]
    assert round_robin(loads, 0) == 5
    assert round_robin(loads, 1) is None


def test_no_replay_exceeds_the_rounds():
    dice, close, seen = random.Random("turns"), 0, 0
    for _ in range(60):
        loads = draw_loads(dice, dice.randint(1, 4), dice.choice([1.0, 1.0, 1.3]))
        bounds = [round_robin(loads, k) for k in range(len(loads))]
        for bound, observed in zip(bounds, worst_seen(loads, in_turns(len(loads)), dice), strict=True):
            assert bound is None or observed <= bound, loads
            seen, close = seen + (bound is not None), close + (bound is not None and bound <= 1.1 * observed + 1)
        assert None not in bounds or utilization(loads) > 1
    assert close >= 0.5 * seen


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_more_load_never_helps_and_fractions_agree(dice):
    loads = draw_loads(dice, dice.randint(1, 3))
    k, j = dice.randrange(len(loads)), dice.randrange(len(loads))
    bound = round_robin(loads, k)
    exact = [Load(Fraction(x.service, 7), x.streams, Fraction(x.period, 7), Fraction(x.jitter, 7)) for x in loads]
    assert round_robin(exact, k) == Fraction(bound, 7)
    for heavier in (
        replace(loads[j], service=loads[j].service + dice.randint(1, 4)),
        replace(loads[j], jitter=loads[j].jitter + dice.randint(1, 20)),
        replace(loads[j], streams=loads[j].streams + 1),
    ):
        more = round_robin([*loads[:j], heavier, *loads[j + 1 :]], k)
        assert more is None or more >= bound


def test_batchers_in_turn_by_hand():
    # Rounds of 6 + 5 = 11. Eight items together, b = 4: the last item of one batch, four of the next, then the first
    # of the own: two batches ahead, 11 + (22 or T) + 6.
    loads = [BatchLoad(6, 8, 40, batch=4), BatchLoad(5, 4, 40, batch=4)]
    assert round_robin_dynamic(loads, 0, 3) == 39
    assert round_robin_dynamic(loads, 0, 25) == 42
    # Four items: the last one of a batch, then the own: one ahead.
    assert round_robin_dynamic(loads, 1, 3) == 11 + 5 + 11
    assert round_robin_dynamic([*loads, BatchLoad(10, 1, 99)], 0, 3) is None  # 8·21 > 4·40


def test_no_replay_exceeds_the_rounds_of_batches():
    dice, played = random.Random("batchers"), 0
    while played < 60:
        loads = draw_loads(dice, dice.randint(1, 3), 1.5)
        sizes, waits = [dice.randint(1, 5) for _ in loads], [dice.choice([0, dice.randint(0, 60)]) for _ in loads]
        batches = [BatchLoad(x.service, x.streams, x.period, x.jitter, 0, b) for x, b in zip(loads, sizes, strict=True)]
        bounds = [round_robin_dynamic(batches, k, waits[k]) for k in range(len(loads))]
        if all(bound is None for bound in bounds):
            continue
        played += 1
        for bound, seen in zip(bounds, worst_seen(batches, dynamic_in_turns(sizes, waits), dice), strict=True):
            assert bound is None or seen <= bound, (batches, waits)
