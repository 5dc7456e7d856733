"""Latencies of tasks that share a device: small systems worked out by hand, and what must hold for all of them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.timing.joint import Flow, Visit, latencies, loads_by_resource

seeds = st.integers(0, 2**32).map(random.Random)


def on_unit(service: int, unit: str = "npu", **more: object) -> Visit:
    return Visit("infer", unit, service, ordered=True, **more)  # type: ignore[arg-type]


def task(name: str, *visits: Visit, streams: int = 1, period: int = 100, **more: object) -> Flow:
    return Flow(name, streams, period, period, visits, **more)  # type: ignore[arg-type]


def own_times(flows: list[Flow], order: str = "fifo") -> list[int]:
    found = latencies(flows, order)  # type: ignore[arg-type]
    assert found is not None
    for latency in found:
        assert sum(part.ticks for part in latency.parts) == latency.own
    return [latency.own for latency in found]


def test_two_tasks_first_in_first_out_with_jitter():
    # J = P of the first: two jobs of it and one of the other may wait at once, 2 + 2 + 3; the first counts its jitter.
    flows = [task("a", on_unit(2), period=10, jitter=10), task("b", on_unit(3), period=20)]
    assert own_times(flows) == [10 + 7, 7]
    # With J = 5 a second job of the first cannot be there already: 2 + 3.
    assert own_times([replace(flows[0], jitter=5), flows[1]]) == [5 + 5, 5]


def test_fixed_priority():
    # 5 + 2; 5 + 2 + 3; 2 + 3 + 5: the longest lower job blocks once.
    flows = [task("a", on_unit(2), period=10, priority=0), task("b", on_unit(3), period=20, priority=1),
             task("c", on_unit(5), period=50, priority=2)]  # fmt: skip
    assert own_times(flows, "fixed-priority") == [7, 10, 10]


def test_round_robin():
    # Each answers before its next job: one job of all, 2 + 3 + 5.
    flows = [task("a", on_unit(2), period=20), task("b", on_unit(3), period=30), task("c", on_unit(5), period=50)]
    assert own_times(flows, "round-robin") == [10, 10, 10]


def test_counted_batches_of_two_tasks():
    # Either waits 40 for its batch. First: 6 + 40 + one batch of 5. Second: 5 + 40 + two batches of 6.
    batches = {"batch": 4, "policy": "count"}
    flows = [task("a", Visit("infer", "npu", 0, 6, ordered=True, **batches), streams=8, period=40),  # type: ignore[arg-type]
             task("b", Visit("infer", "npu", 0, 5, ordered=True, **batches), streams=4, period=40)]  # type: ignore[arg-type] # fmt: skip
    assert own_times(flows) == [51, 57]
    assert latencies([replace(flows[0], may_stop=True), flows[1]]) is None  # a batch may never be full
    assert latencies(flows, "round-robin") is None


def test_a_batcher_that_closes_when_it_likes_shares_its_unit_with_nobody():
    early = Visit("infer", "npu", 1, 4, batch=4, policy="dynamic", ordered=True)
    flows = [task("a", early, streams=4), task("b", on_unit(3))]
    assert latencies(flows) is None
    assert latencies([flows[0], task("b", on_unit(3, "gpu"))]) is not None


def test_private_stages_before_and_after_a_shared_unit():
    # 4 on the core, 5 of the other and 3 on the unit, 6 behind it. The other: 3 + 5.
    flows = [task("a", Visit("resize", "core a", 4), on_unit(3), Visit("draw", "core b", 6)), task("b", on_unit(5))]
    assert own_times(flows) == [18, 8]
    # Two streams: 4 + 4 on the core; behind it two items that cost at most 6 each, one of 5, and once the stage that
    # is not the slowest: 8 + (12 + 5) + 3.
    assert own_times([replace(flows[0], streams=2), flows[1]])[0] == 28


def test_a_task_released_by_another_several_times_a_frame():
    # On one unit: 10 + 3·2 for the last of either; the second counts from its release, 16 after the frame.
    detect, plate = task("detect", on_unit(10)), task("plate", on_unit(2), streams=3, after=(0,))
    found = latencies([detect, plate])
    assert found is not None
    assert [(one.own, one.finish) for one in found] == [(16, 16), (16, 32)]
    # On units of their own: 10, then 3·2.
    found = latencies([detect, replace(plate, visits=(on_unit(2, "gpu"),))])
    assert found is not None
    assert [(one.own, one.finish) for one in found] == [(10, 10), (6, 16)]


def test_a_join_waits_for_the_last():
    flows = [task("a", on_unit(10, "npu")), task("b", on_unit(20, "gpu")), task("c", on_unit(5, "dsp"), after=(0, 1))]
    found = latencies(flows)
    assert found is not None
    assert [(one.own, one.finish) for one in found] == [(10, 10), (20, 20), (5, 25)]


def test_stages_of_a_source_that_two_tasks_read():
    # The decoder gives a frame at most 4 + 4 after its release, of two streams. Behind it 2·3 and, of every second
    # frame, 2·6 may meet.
    source = task("cam", Visit("decode", "decoder", 4), streams=2, period=50)
    tasks = [task("a", on_unit(3), streams=2, period=50, after=(0,)),
             task("b", on_unit(6), streams=2, period=100, after=(0,))]  # fmt: skip
    found = latencies([source, *tasks])
    assert found is not None
    assert [(one.own, one.finish) for one in found] == [(8, 8), (18, 26), (18, 26)]


def test_units_that_share_the_memory():
    # While one batch is served, one of the other unit passes 3 or 4 of its memory time over the bus: 10 + 3, 6 + 4.
    flows = [task("a", on_unit(10, "npu", memory=4), period=40), task("b", on_unit(6, "gpu", memory=3), period=40)]
    assert own_times(flows) == [13, 10]
    # On one unit they exclude each other: 10 + 6.
    assert own_times([flows[0], task("b", on_unit(6, "npu", memory=3), period=40)]) == [16, 16]


def test_memory_traffic_is_counted_where_the_task_is_released():
    """A task that is released late may bring the traffic of two frames into one window."""
    # b is released 95 late at most, so that two of its batches may fall into any window of 10: 10 + 2·3.
    late = task("late", Visit("wait", "line", 95))
    flows = [late, task("a", on_unit(10, "npu", memory=1)),
             task("b", Visit("copy", "bus", 1), on_unit(6, "gpu", memory=3), after=(0,))]  # fmt: skip
    assert own_times(flows)[1] == 16


def test_stages_that_share_the_last_core():
    # 4 and 6 meet on the core, and each network runs on its own unit: 4 + 6 + 5 either way.
    flows = [
        task("a", Visit("resize", "cpu", 4), on_unit(5, "npu")),
        task("b", Visit("resize", "cpu", 6), on_unit(5, "gpu")),
    ]
    assert own_times(flows) == [15, 15]


def test_a_stage_on_a_unit_waits_in_the_order_of_the_unit():
    # In turns, a stage is one more queue at the unit: 2 + 3 + 4 for each.
    flows = [task("a", on_unit(2), period=50), task("b", Visit("resize", "npu", 3), on_unit(4, "gpu"), period=50),
             task("c", on_unit(4), period=50)]  # fmt: skip
    assert own_times(flows, "round-robin") == [9, 9 + 4, 9]


def test_more_work_than_time_has_no_bound():
    flows = [task("a", on_unit(60)), task("b", on_unit(41))]
    assert latencies(flows) is None
    assert loads_by_resource(flows)["npu"] == pytest.approx(1.01)


def test_tasks_that_release_each_other_are_refused():
    with pytest.raises(ValueError, match="release each other in a circle"):
        latencies([task("a", on_unit(1), after=(1,)), task("b", on_unit(1), after=(0,))])


def drawn(dice: random.Random) -> list[Flow]:
    """Two to four tasks of single items with stages around them, some released by others; loads up to about one."""
    flows: list[Flow] = []
    count = dice.randint(2, 4)
    period = dice.choice([60, 100, 150])
    for k in range(count):
        most = max(1, period // (count + 1))
        after = (dice.randrange(k),) if k and dice.random() < 0.3 else ()
        streams = flows[after[0]].streams * dice.randint(1, 2) if after else dice.randint(1, 2)
        time = max(1, dice.randint(1, most) // streams)
        stages = [Visit("pre", dice.choice(["cpu", f"core {k}"]), dice.randint(1, 4)),
                  on_unit(time, dice.choice(["npu", "npu", "gpu"]), memory=dice.choice([0, 0, 1])),
                  Visit("post", dice.choice(["cpu", f"core {k} b", "bus"]), dice.randint(1, 4))]  # fmt: skip
        kept = [visit for visit in stages if visit.ordered or dice.random() < 0.5]
        flows.append(task(f"t{k}", *kept, streams=streams, period=period, after=after, priority=dice.randint(0, 2),
                          jitter=0 if after else dice.choice([0, 0, dice.randint(1, 30)])))  # fmt: skip
    return flows


@settings(max_examples=37, deadline=None)
@given(seeds, st.sampled_from(["fifo", "fixed-priority", "round-robin"]))
def test_more_of_anything_never_helps(dice, order):
    flows = drawn(dice)
    before = latencies(flows, order)
    k = dice.randrange(len(flows))
    flow, v = flows[k], dice.randrange(len(flows[k].visits))
    longer = tuple(replace(one, per_item=one.per_item + dice.randint(1, 5)) if w == v else one
                   for w, one in enumerate(flow.visits))  # fmt: skip
    changes = [replace(flow, visits=longer), replace(flow, streams=flow.streams + 1)]
    if not flow.after:
        changes.append(replace(flow, jitter=flow.jitter + dice.randint(1, 40)))
    heavier = [[*flows[:k], changed, *flows[k + 1 :]] for changed in changes]
    heavier.append([*flows, task("new", on_unit(dice.randint(1, 9)), priority=dice.randint(0, 2))])
    for system in heavier:
        after = latencies(system, order)
        if after is None:
            continue
        assert before is not None
        for less, more in zip(before, after, strict=False):
            assert less.own <= more.own
            assert less.finish <= more.finish


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_the_order_of_the_list_does_not_matter(dice):
    flows = drawn(dice)
    places = list(range(len(flows)))
    dice.shuffle(places)
    turned = [replace(flows[old], after=tuple(places.index(parent) for parent in flows[old].after)) for old in places]
    found, again = latencies(flows), latencies(turned)
    assert (found is None) == (again is None)
    if found is not None and again is not None:
        assert [found[old] for old in places] == list(again)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_a_frame_is_done_when_its_last_task_is(dice):
    flows = drawn(dice)
    found = latencies(flows)
    for flow, latency in zip(flows, found or (), strict=False):
        assert found is not None
        released = max((found[parent].finish for parent in flow.after), default=0)
        assert latency.finish == released + latency.own >= latency.own
        assert latency.own >= sum(visit.service for visit in flow.visits) + flow.jitter


def test_a_resource_held_inside_one_unit_serves_no_other():
    """Task a copies over dma while it holds the npu: a visit of b to dma would wait without a bound being known.

    Under the same unit both copies wait for the unit itself, and the bound is that of the unit: 6 + 4 = 10.
    """
    a = Flow("a", 1, 100, 100, (Visit("infer", "npu", 6, ordered=True),), held=("dma",))
    b = Flow("b", 1, 100, 100, (Visit("copy", "dma", 1), Visit("infer", "gpu", 4, ordered=True)))
    assert latencies((a, b)) is None
    beside = replace(b, visits=(Visit("infer", "gpu", 4, ordered=True),), held=("dma",))
    assert latencies((a, beside)) is None
    under = replace(b, visits=(Visit("infer", "npu", 4, ordered=True),), held=("dma",))
    found = latencies((a, under))
    assert found is not None
    assert [latency.own for latency in found] == [10, 10]
