"""Jobs on engines of their own that share a memory bus."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_shared import arrivals

from dse.timing.memory_bus import BusLoad, dram

seeds = st.integers(0, 2**32).map(random.Random)


def replay(loads, fair, dice):
    """Longest service of each load, tick by tick: a job computes or wants memory, the bus serves one engine a tick."""
    offsets = [[-dice.choice([0, 0, 1, dice.randint(0, 9)]) for _ in range(load.streams)] for load in loads]
    jobs = arrivals(loads, offsets, dice, dice.random() < 0.5, 0)
    waiting = [[job.arrival for job in jobs if job.task == task] for task in range(len(loads))]
    work, began, worst = [[] for _ in loads], [0] * len(loads), [0] * len(loads)
    order = list(range(len(loads)))  # who goes first on the bus; a fair one puts who was served last
    dice.shuffle(order)
    now = 0
    while any(waiting) or any(work):
        now = now if any(work) else max(now, min(queue[0] for queue in waiting if queue))
        for task, load in enumerate(loads):
            if not work[task] and waiting[task] and waiting[task][0] <= now:
                waiting[task].pop(0)
                memory, rest = load.memory, load.service - load.memory
                if dice.random() < 0.3:
                    memory, rest = dice.randint(0, memory), dice.randint(0, rest)
                work[task] = [True] * memory + [False] * rest
                if dice.random() < 0.7:
                    dice.shuffle(work[task])
                began[task] = now
        served = next((task for task in order if work[task] and work[task][-1]), None)
        if fair and served is not None:
            order.remove(served)
            order.append(served)
        now += 1
        for task, ticks in enumerate(work):
            if ticks and (not ticks[-1] or task == served):
                ticks.pop()
                if not ticks:
                    worst[task] = max(worst[task], now - began[task])
    return worst


def draw(dice):
    loads = []
    for _ in range(dice.randint(2, 4)):
        period, streams = dice.randint(20, 80), dice.randint(1, 2)
        service = dice.randint(1, max(1, period // (3 * streams)))
        jitter = dice.choice([0, dice.randint(0, period // 4)])
        loads.append(BusLoad(service, streams, period, jitter, 0, dice.randint(0, service // 2)))
    return loads


@pytest.mark.parametrize(
    ("memory", "fair", "expected"),
    [
        ((4, 3), False, [13, 10]),  # one job of the other: 10 + 3, 6 + 4
        ((1, 3), True, [11, 7]),  # no more than the own memory time: 10 + min(3, 1), 6 + 1
        ((1, 3), False, [13, 7]),
        ((0, 3), False, [10, 6]),  # without memory time nothing to lose, and none to take
    ],
)
def test_hand_examples(memory, fair, expected):
    loads = [BusLoad(service, 1, 40, memory=part) for service, part in zip((10, 6), memory, strict=True)]
    assert dram(loads, fair=fair) == expected
    exact = [BusLoad(Fraction(x.service, 3), 1, Fraction(40, 3), memory=Fraction(x.memory, 3)) for x in loads]
    assert dram(exact, fair=fair) == [Fraction(value, 3) for value in expected]


def test_streams_by_hand():
    # Two streams at the other engine: two jobs of 3 while R = 2·(6 + 4): 10 + 6; and the other 6 + 4.
    loads = [BusLoad(10, 1, 60, memory=4), BusLoad(6, 2, 60, memory=3)]
    assert dram(loads) == [16, 10]


def test_jobs_that_began_before_count_by_hand():
    # The second takes 6 + 10 = 16 of its 20. The first meets those released up to 16 before it: within 39 + 16 three
    # of them, 30 + 3·3; within its own 36 alone there would be two.
    assert dram([BusLoad(30, 1, 100, memory=10), BusLoad(6, 1, 20, memory=3)]) == [39, 16]


def test_no_claim_without_room_in_the_period():
    assert dram([BusLoad(10, 1, 12, memory=4), BusLoad(6, 1, 12, memory=3)]) is None  # 13 in 12
    assert dram([BusLoad(21, 2, 40, memory=0)]) is None
    assert dram([BusLoad(20, 2, 40, memory=0)]) == [20]
    assert dram([BusLoad(20, 1, 40, 40, memory=0)]) == [20]  # two at once: 40 for the second
    assert dram([BusLoad(21, 1, 40, 40, memory=0)]) is None


def test_memory_is_part_of_the_service():
    with pytest.raises(ValueError, match="memory time 7: expected 0 to the service 6"):
        BusLoad(6, 1, 40, memory=7)


@pytest.mark.parametrize("fair", [False, True])
def test_no_replay_exceeds_the_bound(fair):
    dice, close, seen = random.Random(f"bus {fair}"), 0, 0
    while seen < 150:
        loads = draw(dice)
        bounds = dram(loads, fair=fair)
        if bounds is None:
            continue
        runs = [replay(loads, fair, dice) for _ in range(8)]
        for bound, worst in zip(bounds, map(max, zip(*runs, strict=True)), strict=True):
            assert worst <= bound, loads
            seen, close = seen + 1, close + (bound <= 1.3 * worst + 1)
    assert close >= 0.5 * seen


@settings(max_examples=37, deadline=None)
@given(seeds)
def test_more_load_never_helps_and_fair_is_never_worse(dice):
    loads = draw(dice)
    j = dice.randrange(len(loads))
    free, fair = dram(loads), dram(loads, fair=True)
    assert free is None or all(x <= y for x, y in zip(fair, free, strict=True))
    for heavier in (
        replace(loads[j], service=loads[j].service + 2),
        replace(loads[j], service=loads[j].service + 1, memory=loads[j].memory + 1),
        replace(loads[j], jitter=loads[j].jitter + 5),
        replace(loads[j], streams=loads[j].streams + 1),
    ):
        changed = [*loads[:j], heavier, *loads[j + 1 :]]
        for less, more in ((free, dram(changed)), (fair, dram(changed, fair=True))):
            assert more is None or (less is not None and all(x <= y for x, y in zip(less, more, strict=True)))
