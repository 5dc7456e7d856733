"""Completion times of small plants, worked out by hand."""

from __future__ import annotations

import random

import pytest

from dse.simulate.plant import Batch, Delay, Plant, Resource, Serve, Source, Task
from dse.simulate.replay import Release, replay

from .plants import alone, at, batch, completions, played


def test_items_of_one_server_queue():
    # Served 0-10, 10-20, 25-35.
    assert completions(played(alone(Serve("run", "npu", 10)), 0, 3, 25)) == [10, 20, 35]


def test_a_batch_by_count_waits_for_its_last_item_and_an_incomplete_one_never_leaves():
    # Batches of 2 are ready at 4 and 7; served 4-14 and 14-24; the fifth item stays.
    trace = played(alone(batch(2, "count", 0, 10, 0)), 0, 4, 6, 7, 30)
    assert completions(trace) == [14, 14, 24, 24]
    assert trace.unfinished == {"cameras": 0, "task": 1}
    assert [item.sojourns for item in trace.items["task"]] == [(14,), (10,), (18,), (17,)]


def test_a_dynamic_batch_is_what_waits_when_the_server_is_free_and_the_oldest_has_waited():
    # The first two wait until 5, served 5-11 (4 + 2). Three have come by 11: served 11-18. The one of 12 may go from
    # 17 on, when the server is busy: served 18-23.
    assert completions(played(alone(batch(3, "dynamic", 5, 4, 1)), 0, 2, 6, 7, 8, 12)) == [11, 11, 18, 18, 18, 23]


def test_a_full_dynamic_batch_does_not_wait():
    # Full at 2: served 2-9, as is the one that is full at 10.
    assert completions(played(alone(batch(3, "dynamic", 50, 4, 1)), 0, 1, 2, 8, 9, 10)) == [9, 9, 9, 17, 17, 17]


def test_without_time_out_a_dynamic_batch_starts_at_once():
    # The first goes alone, 0-5; the two that came meanwhile go together, 5-11.
    assert completions(played(alone(batch(3, "dynamic", 0, 4, 1)), 0, 1, 2)) == [5, 11, 11]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        # Served 5-26. The items of 6 and 12 wait for the server: taken together 26-48, unless their batches have been
        # closed at 11 and 17, which take 26-47 and 47-68.
        ("dynamic", [26, 48, 48]),
        ("timeout-close", [26, 47, 68]),
    ],
)
def test_a_closed_batch_stays_small_while_the_server_is_busy(policy, expected):
    assert completions(played(alone(batch(3, policy, 5, 20, 1)), 0, 6, 12)) == expected


def test_a_batch_that_closes_by_its_size_closes_before_its_time_out():
    # Closed at 2: served 2-9. The next one begins with the item of 3, not with the old time-out at 5: closed at 8.
    assert completions(played(alone(batch(3, "timeout-close", 5, 4, 1)), 0, 1, 2, 3)) == [9, 9, 9, 14]


def test_items_leave_several_servers_in_the_order_they_came():
    # Three items close at 0 and take 30 on one server. The one of 1 closes at 6 and is done at 16 on the other, but
    # leaves behind them.
    plant = alone(batch(3, "timeout-close", 5, 0, 10), servers=2)
    assert completions(played(plant, 0, 0, 0, 1)) == [30, 30, 30, 30]


def test_servers_work_at_the_same_time():
    # 0-10 and 1-11 on two servers, then 10-20 and 11-21.
    assert completions(played(alone(Serve("run", "npu", 10), servers=2), 0, 1, 2, 3)) == [10, 11, 20, 21]


def test_a_pipeline_pays_the_slowest_stage_for_every_item_ahead():
    # Stage a until 1, 2, 3; stage b until 1 + 4, 9, 13; stage c 2 later.
    plant = alone(Serve("a", "a", 1), Serve("b", "b", 4), Serve("c", "c", 2))
    trace = played(plant, 0, 0, 0)
    assert sorted(completions(trace)) == [7, 11, 15]
    assert [item.sojourns for item in trace.items["task"]] == [(1, 4, 2), (2, 7, 2), (3, 10, 2)]


def test_one_resource_may_serve_two_steps_of_a_task():
    # First step 0-3; then the item of 1 (its first step, waiting since 1) 3-6, before the second step waiting since 3:
    # 6-10; last 10-14.
    assert completions(played(alone(Serve("a", "cpu", 3), Serve("b", "cpu", 4)), 0, 1)) == [10, 14]


def two_tasks(order, services=(10, 10)):
    sources = (Source("left", 9, 1000), Source("right", 9, 1000))
    tasks = (
        Task("low", "left", priority=1, steps=(Serve("run", "npu", services[0]),)),
        Task("high", "right", priority=0, steps=(Serve("run", "npu", services[1]),)),
    )
    return Plant((Resource("npu", 1, order),), sources, tasks)


@pytest.mark.parametrize(
    ("order", "low", "high"),
    [
        ("fifo", [10, 20, 30], [40, 50]),
        ("fixed-priority", [10, 40, 50], [20, 30]),  # the first of low is running and not interrupted
        ("round-robin", [10, 30, 50], [20, 40]),
    ],
)
def test_who_goes_next_on_a_shared_resource(order, low, high):
    # Three items of low come at 0, two of high at 1, while the first one runs; all take 10.
    for seed in range(5):
        trace = replay(two_tasks(order), {"left": at(0, 0, 0), "right": at(1, 1)}, random.Random(seed))
        assert sorted(completions(trace, "low")) == low
        assert sorted(completions(trace, "high")) == high


def test_equal_priorities_go_by_arrival():
    plant = alone(Serve("run", "npu", 10), order="fixed-priority")
    assert completions(played(plant, 0, 2, 1)) == [10, 30, 20]


def test_batches_of_two_tasks_go_by_the_time_they_are_ready():
    # The batch of one is ready at 5, that of the other at 4 though its first item came later; served 4-14, 14-34.
    sources = (Source("left", 9, 1000), Source("right", 9, 1000))
    steps = {
        "one": Batch("network", "npu", 2, "count", 0, 20, 0),
        "other": Batch("network", "npu", 2, "count", 0, 10, 0),
    }
    tasks = (Task("one", "left", steps=(steps["one"],)), Task("other", "right", steps=(steps["other"],)))
    trace = replay(Plant((Resource("npu"),), sources, tasks), {"left": at(0, 5), "right": at(3, 4)}, random.Random(1))
    assert completions(trace, "one") == [34, 34]
    assert completions(trace, "other") == [14, 14]


def test_round_robin_gives_each_task_one_batch_a_turn():
    # Ready: two batches of left at 0, one of right at 1. Served left 0-10, right 10-20, left 20-30.
    sources = (Source("left", 9, 1000), Source("right", 9, 1000))
    step = Batch("network", "npu", 2, "dynamic", 0, 10, 0)
    plant = Plant(
        (Resource("npu", 1, "round-robin"),),
        sources,
        (Task("l", "left", steps=(step,)), Task("r", "right", steps=(step,))),
    )
    frames = {"left": at(0, 1, 2, 3), "right": at(4, 5)}
    trace = replay(plant, frames, random.Random(1))
    # The item of 0 starts alone, 0-10; then right's two, 10-20; then left's oldest two, 20-30; then the last, 30-40.
    assert completions(trace, "l") == [10, 30, 30, 40]
    assert completions(trace, "r") == [20, 20]


def test_overlap_lets_the_next_step_begin_earlier_and_keeps_the_server():
    # Transfer 0-8, network from 5 on: 5-19. The second transfer starts at 8, hands over at 13; network 19-33.
    plant = alone(Serve("transfer", "dma", 8, hidden=3), Serve("run", "npu", 14))
    assert completions(played(plant, 0, 1)) == [19, 33]


def test_no_step_is_over_before_its_input_is_complete():
    # The transfer ends at 8, so the network does, though it began at 0 and needs 2.
    assert completions(played(alone(Serve("transfer", "dma", 8, hidden=8), Serve("run", "npu", 2)), 0)) == [8]
    assert completions(played(alone(Serve("transfer", "dma", 8, hidden=8), Delay("send", 2, 2)), 0)) == [8]


def test_a_delay_takes_the_excess_it_is_told_the_first_delay_first():
    # 5 to 15, then 0 to 10: of 12 more than the least, the first takes 10 and the second 2.
    plant = alone(Delay("capture", 5, 15), Delay("send", 0, 10))
    trace = replay(plant, {"cameras": [Release(0, 0, 0, 0, excess=12)]}, random.Random(1))
    assert [item.sojourns for item in trace.items["task"]] == [(15, 2)]


@pytest.mark.parametrize(("keeps", "expected"), [("stream", [10, 0, 10]), ("task", [10, 10, 10])])
def test_a_delay_keeps_the_order_of_a_stream_or_of_the_task(keeps, expected):
    # The first frame of stream 0 is late by 10; its second one and that of stream 1 are not late at all.
    frames = [Release(0, 0, 0, 0, 10), Release(1, 0, 0, 0, 0), Release(0, 1, 2, 2, 0)]
    orders = set()
    for seed in range(30):
        trace = replay(alone(Delay("send", 0, 10, keeps=keeps)), {"cameras": frames}, random.Random(seed))
        found = {(item.stream, item.frame): item.completed for item in trace.items["task"]}
        orders.add((found[0, 0], found[1, 0], found[0, 1]))
    assert max(orders) == tuple(expected)


def test_every_nth_frame_goes_by_the_number_of_the_frame():
    # Of frames 1 to 6, every other: 2, 4, 6, released at 10, 30, 50.
    source = Source("camera", 1, 10)
    plant = Plant(
        (Resource("npu"),), (source,), (Task("task", "camera", every_nth=2, steps=(Serve("run", "npu", 3),)),)
    )
    frames = [Release(0, number, 10 * number - 10, 10 * number - 10) for number in range(1, 7)]
    trace = replay(plant, {"camera": frames}, random.Random(1))
    assert [(item.frame, item.completed) for item in trace.items["task"]] == [(2, 13), (4, 33), (6, 53)]


def join(*, detections=1):
    """Two detectors and what waits for both, on a resource each."""
    tasks = (
        Task("boxes", "camera", every_nth=2, items_per_frame=detections, steps=(Serve("run", "a", 5),)),
        Task("lanes", "camera", every_nth=3, steps=(Serve("run", "b", 8),)),
        Task("fuse", "camera", after=("boxes", "lanes"), items_per_frame=2, steps=(Serve("run", "c", 3),)),
    )
    return Plant((Resource("a"), Resource("b"), Resource("c")), (Source("camera", 1, 10),), tasks)


def test_a_task_waits_for_all_it_comes_after():
    # Both take frame 0 and 6. Frame 0: boxes at 5, lanes at 8; its two items are fused by 11 and 14.
    frames = [Release(0, number, 10 * number, 10 * number) for number in range(7)]
    trace = replay(join(), {"camera": frames}, random.Random(1))
    assert [(item.frame, item.nominal, item.completed) for item in trace.items["fuse"]] == [
        (0, 8, 11),
        (0, 8, 14),
        (6, 68, 71),
        (6, 68, 74),
    ]
    assert [item.born for item in trace.items["fuse"]] == [0, 0, 60, 60]


def test_a_task_waits_for_the_last_item_of_the_frame():
    # Three boxes of 5 each are done at 15, later than lanes at 8; fused by 18 and 21.
    trace = replay(join(detections=3), {"camera": [Release(0, 0, 0, 0)]}, random.Random(1))
    assert completions(trace, "fuse") == [18, 21]


def test_steps_of_a_source_run_once_for_all_its_tasks():
    # Decoded by 4; both tasks start then, on one accelerator each, and count from the release of the frame at 1.
    source = Source("camera", 1, 100, steps=(Serve("decode", "cpu", 3),))
    tasks = tuple(Task(name, "camera", steps=(Serve("run", name, 5),)) for name in ("npu", "gpu"))
    plant = Plant((Resource("cpu"), Resource("npu"), Resource("gpu")), (source,), tasks)
    trace = replay(plant, {"camera": [Release(0, 0, 0, 1)]}, random.Random(1))
    assert [(frame.left, frame.sojourns) for frame in trace.frames["camera"]] == [(4, (3,))]
    for name in ("npu", "gpu"):
        (item,) = trace.items[name]
        assert (item.nominal, item.actual, item.completed, item.latency) == (0, 1, 9, 9)


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ({"radio": at(0)}, "releases of 'radio': no such source, expected cameras"),
        ({"cameras": [Release(9, 0, 0, 0)]}, "stream 9, expected 0 to 8"),
        ({"cameras": [Release(0, 0, 5, 5), Release(0, 1, 4, 4)]}, "stream 0 goes back in time to 4"),
    ],
)
def test_impossible_releases_are_refused(frames, message):
    with pytest.raises(ValueError, match=message):
        replay(alone(Serve("run", "npu", 10)), frames, random.Random(1))
