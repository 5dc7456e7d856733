"""Several tasks through the same stages, a shared server with private stages behind it, and stage by stage."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_shared import draw_loads, in_row, unit_then_row, worst_seen

from dse.timing.arrivals import Arrivals
from dse.timing.compositional import Stage, jitter_behind, tandem_cpa
from dse.timing.linear import utilization_row
from dse.timing.load import Load
from dse.timing.multiclass import multiclass_row, tandem_multiclass, tandem_multiclass_affine, unit_then_stages
from dse.timing.servers import tandem_exact
from dse.timing.shared_unit import backlog

seeds = st.integers(0, 2**32).map(random.Random)


def draw_stages(dice, loads, stages):
    """Times of each task at each stage: one of them, anywhere, is the service of the load."""
    times = [[dice.randint(0, load.service) for _ in range(stages)] for load in loads]
    for row, load in zip(times, loads, strict=True):
        row[dice.randrange(stages)] = load.service
    return times


def test_two_tasks_through_two_stages():
    # Each item has a stage of 2: 2 + 2, and the other stage once more at its longest, 2.
    assert tandem_multiclass([Load(0, 1, 20)] * 2, [(1, 2), (2, 1)]) == 6
    assert tandem_multiclass_affine([Load(0, 1, 20)] * 2, [(1, 2), (2, 1)]) == 6
    assert tandem_multiclass([Load(0, 1, 20), Load(0, 10, 20)], [(1, 2), (2, 1)]) is None


def test_one_task_is_a_tandem():
    # 1 + 2 + 1.5 and 15·2, in half units: 9 + 60.
    assert (
        tandem_multiclass([Load(0, 16, 80)], [(2, 4, 3)])
        == 69
        == tandem_exact(Load(0, 16, 80), [(2, 1), (4, 1), (3, 1)])
    )
    assert unit_then_stages([Load(2, 16, 80)], 0, [4, 3]) == 69


def test_stages_behind_a_shared_server_by_hand():
    # Two of 3 and one of 4 at once: 3 + 3 + 4 = 10 at the server. Behind it 5 and 2, so own items count 5 each:
    # 4 + 2·5 + (3 + 5 + 2) - 5 = 19.
    loads = [Load(3, 2, 100), Load(4, 1, 100)]
    assert unit_then_stages(loads, 0, []) == 10
    assert unit_then_stages(loads, 0, [5, 2]) == 19
    assert unit_then_stages(loads, 0, [50]) is None


def test_no_replay_exceeds_the_bound_of_several_tasks():
    dice, close = random.Random("multiclass"), 0
    for _ in range(50):
        loads = draw_loads(dice, dice.randint(1, 3))
        times = draw_stages(dice, loads, dice.randint(1, 4))
        bound = tandem_multiclass(loads, times)
        stages = [(longest, 1) for longest in zip(*times, strict=True)]
        worst = max(worst_seen(loads, in_row(stages), dice))
        assert worst <= bound, (loads, times)
        close += bound <= 1.25 * worst + 1
    assert close >= 30


def test_no_replay_exceeds_the_bound_of_stages_behind_a_server():
    dice, close, played = random.Random("unit then stages"), 0, 0
    while played < 60:
        loads = draw_loads(dice, dice.randint(1, 3))
        k = dice.randrange(len(loads))
        after = [dice.randint(0, 2 * loads[k].service) for _ in range(dice.randint(0, 3))]
        bound = unit_then_stages(loads, k, after)
        if bound is None:
            continue
        played += 1
        worst = worst_seen(loads, unit_then_row(k, after), dice)[k]
        assert worst <= bound, (loads, k, after)
        close += bound <= 1.25 * worst + 1
    assert close >= 30


@settings(max_examples=37, deadline=None)
@given(seeds)
def test_order_of_the_forms_and_growth(dice):
    loads = draw_loads(dice, dice.randint(1, 3), 1.02)
    times = draw_stages(dice, loads, 3)
    exact, affine = tandem_multiclass(loads, times), tandem_multiclass_affine(loads, times)
    assert (exact is None) == (affine is None)
    assert exact is None or exact <= affine
    k, j = dice.randrange(len(loads)), dice.randrange(len(loads))
    after = [dice.randint(0, loads[k].service) for _ in range(2)]
    assert unit_then_stages(loads, k, []) == backlog(loads)
    base = unit_then_stages(loads, k, after)
    for heavier in (
        replace(loads[j], service=loads[j].service + dice.randint(1, 4)),
        replace(loads[j], jitter=loads[j].jitter + dice.randint(1, 20)),
        replace(loads[j], streams=loads[j].streams + 1),
    ):
        changed = [*loads[:j], heavier, *loads[j + 1 :]]
        more = unit_then_stages(changed, k, after)
        assert more is None or (base is not None and more >= base)
        slower = [[x + (row == j) for x in stage] for row, stage in enumerate(times)]
        more = tandem_multiclass(changed, slower)
        assert more is None or (exact is not None and more >= exact)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_the_row_is_the_affine_form(dice):
    loads = draw_loads(dice, dice.randint(1, 3), 1.1)
    times = draw_stages(dice, loads, 2)
    tasks = [Arrivals(load.streams, load.period, load.period, load.jitter) for load in loads]
    columns = [[np.array([time]) for time in row] for row in times]
    together = utilization_row(tasks, [np.array([load.service]) for load in loads])
    visits = sum(slowest := [max(stage) for stage in zip(*times, strict=True)]) - max(slowest)
    affine, choice = tandem_multiclass_affine(loads, times), [0] * len(loads)
    for deadline in range(0, 300, 23):
        held = multiclass_row(tasks, columns, visits, deadline).holds(choice) and together.holds(choice)
        assert not held or affine <= deadline
        assert held or affine is None or affine > deadline - len(loads)


def test_stage_by_stage_by_hand():
    # In half units: N = 16, P = 80. 16·2 = 32; then J = 30: 16 + 16 items in 50: 128 - 50 = 78; then J = 30 + 74:
    # 32 items at once, 96.
    stages = [Stage(2, 2), Stage(4, 4), Stage(3, 3)]
    assert tandem_cpa(Load(0, 16, 80), stages) == 32 + 78 + 96
    assert tandem_cpa(Load(0, 16, 80), [*stages, Stage(6, 0)]) is None
    assert jitter_behind(5, 30, 2) == 33


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_stage_by_stage_is_never_below_the_whole(dice):
    load = draw_loads(dice, 1)[0]
    times = [(dice.randint(0, load.service), dice.randint(1, 3)) for _ in range(dice.randint(1, 4))]
    whole = tandem_exact(load, times)
    loose = tandem_cpa(load, [Stage(time, dice.choice([0, time]), servers) for time, servers in times])
    assert whole <= loose


def test_impossible_stages_are_refused():
    with pytest.raises(ValueError, match="expected 0 <= shortest <= longest and at least one server"):
        Stage(3, 4)
    with pytest.raises(ValueError, match="shortest response 4 above the longest 3"):
        jitter_behind(0, 3, 4)
