"""What happens at one instant may happen in any order, and nothing that has an order loses it."""

from __future__ import annotations

import random

from dse.simulate.plant import Plant, Resource, Serve, Source, Task
from dse.simulate.replay import Release, replay

from .plants import alone, at, batch, completions, played

SEEDS = range(200)


def test_an_item_that_comes_when_the_server_becomes_free_may_catch_the_batch_or_miss_it():
    # Served 0-10. Of the two items of 10, none, one or both are in time for the batch that could start then; an idle
    # server takes the first one alone or both.
    plant = alone(batch(2, "dynamic", 0, 10, 0))
    seen = {tuple(sorted(completions(played(plant, 0, 10, 10, seed=seed)))) for seed in SEEDS}
    assert seen == {(10, 20, 20), (10, 20, 30)}


def test_an_item_that_comes_when_the_time_out_passes_may_catch_the_batch_or_miss_it():
    for policy in ("dynamic", "timeout-close"):
        plant = alone(batch(3, policy, 5, 10, 0))
        seen = {tuple(completions(played(plant, 0, 5, seed=seed))) for seed in SEEDS}
        # Missed: its own time-out passes at 10, the server is free at 15.
        assert seen == {(15, 15), (15, 25)}


def test_two_tasks_that_come_together_may_go_in_either_order_whatever_their_priority():
    for order in ("fifo", "fixed-priority", "round-robin"):
        tasks = (
            Task("low", "cameras", priority=1, steps=(Serve("run", "npu", 10),)),
            Task("high", "cameras", priority=0, steps=(Serve("run", "npu", 3),)),
        )
        plant = Plant((Resource("npu", 1, order),), (Source("cameras", 1, 100),), tasks)
        traces = [replay(plant, {"cameras": at(0)}, random.Random(seed)) for seed in SEEDS]
        seen = {(*completions(trace, "low"), *completions(trace, "high")) for trace in traces}
        assert seen == {(10, 13), (13, 3)}


def test_streams_that_come_together_may_go_in_every_order():
    plant = alone(Serve("run", "npu", 10))
    assert len({tuple(completions(played(plant, 0, 0, 0, seed=seed))) for seed in SEEDS}) == 6


def test_frames_of_one_stream_keep_their_order_at_one_instant():
    # Jitter beyond the period: three frames of a stream come at once, through three stages.
    plant = alone(Serve("a", "a", 0), batch(2, "dynamic", 0, 0, 0), Serve("c", "c", 4))
    frames = [Release(0, number, number, 9) for number in range(3)]
    for seed in SEEDS:
        assert completions(replay(plant, {"cameras": frames}, random.Random(seed))) == [13, 17, 21]


def test_items_of_one_batch_keep_their_order_in_the_next_stage():
    plant = alone(batch(3, "count", 0, 10, 0), Serve("after", "cpu", 2))
    for seed in SEEDS:
        assert completions(played(plant, 0, 1, 2, seed=seed)) == [14, 16, 18]
