"""Responses at one shared server: hand examples, replays, growth, and the edge of stability."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_shared import by_priority, draw_loads, on_one_level, worst_seen

from dse.timing.load import Load, busy_window, common_period, steps
from dse.timing.shared_unit import backlog, response

F = Fraction
seeds = st.integers(0, 2**32).map(random.Random)


def tasks(services, periods, *, ranked, jitters=None):
    jitters = jitters or [0] * len(services)
    columns = zip(services, periods, jitters, strict=True)
    return [Load(F(c), 1, F(p), F(j), rank if ranked else 0) for rank, (c, p, j) in enumerate(columns)]


@pytest.mark.parametrize(
    ("services", "periods", "ranked", "expected"),
    [
        ((1, 2, 3), (10, 20, 30), False, [6, 6, 6]),  # 1 + 2 + 3, whoever is last
        ((2, 3, 5), (10, 20, 50), True, [7, 10, 10]),  # 5 + 2; 5 + 2 + 3; 2 + 3 + 5
        # First: 1 + 1. Second: behind one of each. Third: releases of the first two at 0, 2.5, 5 and 0, 3.5; its own
        # job released at 3.5 starts at 6 and ends at 7, pushed by its first (3 alone).
        ((1, 1, 1), ("5/2", "7/2", "7/2"), True, [2, 3, F(7, 2)]),
    ],
)
def test_hand_examples(services, periods, ranked, expected):
    loads = tasks(services, periods, ranked=ranked)
    assert [response(loads, k) for k in range(3)] == expected
    ticks = [Load(int(load.service * 2), 1, int(load.period * 2), 0, load.priority) for load in loads]
    assert [response(ticks, k) for k in range(3)] == [2 * value for value in expected]


def test_streams_jitter_and_levels_by_hand():
    # Level 0: two streams of 2 every 20. Level 1: three streams of 3 every 30, J = 5, and one of 4. Level 2: 6.
    loads = [Load(2, 2, 20), Load(3, 3, 30, 5, 1), Load(4, 1, 40, 0, 1), Load(6, 1, 60, 0, 2)]
    assert response(loads, 0) == 6 + 2 * 2  # the lower 6 has just begun
    # The last of level 1 starts behind 6 + 2·3 + 4 + two of 2, = 20; at 20 two more of 2 arrive and go first: 24 + 3.
    assert response(loads, 1) == 27
    # The other of level 1 is behind 6 + 3·3 + 4 = 19, before 20: 19 + 4.
    assert response(loads, 2) == 23
    # Nothing below the last one: 4 + 9 + 4 = 17, then its own 6.
    assert response(loads, 3) == 23


def test_two_frames_at_once():
    # J = 4, P = 10, four streams of 2: 8 jobs within 6: 16 - 6.
    assert backlog([Load(2, 4, 10, 4)]) == 10
    assert response([Load(2, 4, 10, 4)], 0) == 10


def test_more_than_the_server_has_no_bound_and_exactly_all_of_it_has():
    assert response([Load(5, 1, 10), Load(5, 1, 10)], 0) == 10
    assert response([Load(5, 1, 10), Load(6, 1, 10)], 0) is None
    assert response([Load(5, 1, 10, 0, 0), Load(6, 1, 10, 0, 1)], 0) == 11  # the own level keeps up
    assert response([Load(5, 1, 10, 0, 0), Load(6, 1, 10, 0, 1)], 1) is None
    assert response([Load(10, 1, 10), Load(0, 1, 10, 0, 1)], 1) is None  # no work, but never a turn
    # U = 1 and a longer job below: the window never ends, but repeats after 6. A job waits for the lower 1 for ever.
    loads = [Load(1, 1, 2, 0, 0), Load(1, 1, 3, 0, 0), Load(F(1, 6), 1, 1, 0, 0), Load(1, 1, 7, 0, 1)]
    assert response(loads, 0) == 1 + 1 + 1 + F(1, 6)
    assert backlog([Load(5, 1, 10), Load(6, 1, 10)]) is None


def test_windows_and_steps():
    assert common_period([F(5, 2), F(7, 2)]) == F(35, 2)
    assert common_period([4, 6]) == 12
    # 3 at once every 10 with J = 4, and 5 below: 5 + 3 = 8 > 6, so the next 3 join: 11; the one of 16 does not.
    assert busy_window([Load(3, 1, 10, 4)], 5) == 10
    assert list(steps([Load(1, 1, 10, 4), Load(1, 1, 8)], 25)) == [0, 6, 8, 16, 24]


@pytest.mark.parametrize("bad", [{"streams": 0}, {"period": 0}, {"service": -1}, {"jitter": -1}])
def test_impossible_loads_are_refused(bad):
    with pytest.raises(ValueError, match="expected at least one stream, a positive period and no negative times"):
        Load(**({"service": 1, "streams": 1, "period": 10} | bad))


def test_floats_are_refused():
    with pytest.raises(TypeError, match="expected whole ticks or fractions, no floats"):
        Load(1, 1, 2.5)


@pytest.mark.parametrize("kind", ["levels", "one level", "ranked"])
def test_no_replay_exceeds_the_response(kind):
    dice, seen, attained = random.Random(f"unit {kind}"), 0, 0
    for _ in range(70):
        loads = draw_loads(dice, dice.randint(1, 4))
        if kind == "one level":
            loads = on_one_level(loads)
        if kind == "ranked":
            loads = [replace(load, priority=rank, streams=1) for rank, load in enumerate(loads)]
        bounds = [response(loads, k) for k in range(len(loads))]
        worst = worst_seen(loads, by_priority(loads), dice)
        for bound, observed in zip(bounds, worst, strict=True):
            if bound is not None:
                assert observed <= bound, loads
                seen, attained = seen + 1, attained + (observed >= bound - 1)
        if kind == "one level":  # who is last among equals is chance, but somebody is
            assert max(worst) >= bounds[0] - 2, loads
    assert attained >= 0.6 * seen


def test_the_search_can_fail():
    dice, broken = random.Random(5), 0
    for _ in range(20):
        loads = on_one_level(draw_loads(dice, 3, 0.8))
        told = [*loads[:-1], replace(loads[-1], streams=loads[-1].streams + 1)]
        observed = worst_seen(told, by_priority(told), dice)
        broken += observed[0] > response(loads, 0)
    assert broken >= 15


@settings(max_examples=37, deadline=None)
@given(seeds)
def test_more_load_never_helps_and_fractions_agree(dice):
    loads = draw_loads(dice, dice.randint(1, 4), 1.05)
    k, j = dice.randrange(len(loads)), dice.randrange(len(loads))
    bound = response(loads, k)
    exact = [replace(load, service=F(load.service, 7), period=F(load.period, 7), jitter=F(load.jitter, 7))
             for load in loads]  # fmt: skip
    assert response(exact, k) == (None if bound is None else F(bound, 7))
    for heavier in (
        replace(loads[j], service=loads[j].service + dice.randint(1, 4)),
        replace(loads[j], jitter=loads[j].jitter + dice.randint(1, 20)),
        replace(loads[j], streams=loads[j].streams + 1),
    ):
        more = response([*loads[:j], heavier, *loads[j + 1 :]], k)
        assert more is None or (bound is not None and more >= bound)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_one_level_is_the_backlog(dice):
    loads = on_one_level(draw_loads(dice, dice.randint(1, 4)))
    assert {response(loads, k) for k in range(len(loads))} == {backlog(loads)}
