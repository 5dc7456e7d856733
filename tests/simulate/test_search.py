"""The search finds bounds that are known to be exact, within 2 %, and never more."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from dse.simulate.plant import Batch, Delay, Plant, Resource, Serve, Source, Task
from dse.simulate.search import distribution, search

from .plants import MS, alone, batch, sharing


def cameras(*steps, **source):
    """16 streams of 40 ms unless told otherwise."""
    times = {name: int(source.pop(name, default) * MS) for name, default in (("period", 40), ("jitter", 0))}
    servers = source.pop("servers", 1)
    return alone(*steps, servers=servers, streams=source.pop("streams", 16), **times, **source)


def npu(*arguments):
    return batch(*arguments, unit=MS)


def stage(name, time):
    return Serve(name, name, int(time * MS))


# Derivations in milliseconds, for N streams of period P that may have any phases.
KNOWN = {
    "all 16 at once, 2 each: 16·2": (32, cameras(npu(1, "count", 0, 2, 0))),
    "16 of 16: the last one is a period behind: 40 + 20": (60, cameras(npu(16, "count", 0, 20, 0))),
    "the same, genlocked: nobody waits": (20, cameras(npu(16, "count", 0, 20, 0), synchronous=True)),
    "4 of 16: waits for the next frame: 40 + 8": (48, cameras(npu(4, "count", 0, 8, 0))),
    "the same, genlocked: the fourth batch: 4·8": (32, cameras(npu(4, "count", 0, 8, 0), synchronous=True)),
    "dynamic: 16 in two batches: 2·4 + 16·1": (24, cameras(npu(16, "dynamic", 0, 4, 1))),
    "dynamic: waits 10 for others that come just before it goes: 10 + 2 + 8·0.5": (
        16,
        cameras(npu(8, "dynamic", 10, 2, 0.5)),
    ),
    "16 on 3 servers: the sixth turn: 6·20": (120, cameras(Serve("run", "npu", 20 * MS), period=120, servers=3)),
    "three stages: their sum and 15 times the slowest: 4.5 + 15·2": (
        34.5,
        cameras(stage("a", 1), stage("b", 2), stage("c", 1.5)),
    ),
    "decode and send, 16 of 16 with a stage of 1 before: 2 + 22 + 55 + 40 + 14·1": (
        133,
        cameras(
            Delay("capture", 55 * MS, 55 * MS),
            stage("a", 1),
            stage("b", 0.5),
            npu(16, "count", 0, 22, 0),
            stage("c", 0.5),
        ),
    ),
}


@pytest.mark.parametrize("case", KNOWN)
def test_the_worst_of_one_task_is_found(case):
    bound, plant = KNOWN[case]
    observed = search(plant, seed=1, phasings=60, climbs=160)
    assert 0.98 * bound * MS <= observed.tasks["task"].latency <= bound * MS


def test_bunched_frames_are_found():
    # 4 streams of 10 ms, jitter 4: eight items can come within 6 ms: the last one waits for 16 - 6 from its arrival.
    plant = cameras(npu(1, "count", 0, 2, 0), streams=4, period=10, jitter=4)
    observed = search(plant, seed=1, phasings=60, climbs=100)
    assert 9.8 * MS <= observed.sojourns["task", "network"] <= 10 * MS


SHARED = {
    # FIFO: one job of each at once, the last waits for all. George, Rivierre and Spuri 1996.
    "fifo": ((1, 2, 3), (10, 20, 30), (6, 6, 6), 1),
    # Round robin: the others have one turn each.
    "round-robin": ((1, 2, 3), (10, 20, 30), (6, 6, 6), 1),
    # Blocked by a longer job of less priority that has just begun: 5 + 2; 5 + 2 + 3; 2 + 3 + 5.
    "fixed-priority": ((2, 3, 5), (10, 20, 50), (7, 10, 10), 1),
}


@pytest.mark.parametrize("order", SHARED)
def test_the_worst_of_tasks_that_share_a_resource_is_found(order):
    services, periods, bounds, servers = SHARED[order]
    observed = search(sharing(services, periods, order, servers), seed=1, phasings=60, climbs=60)
    for worst, bound in zip(observed.tasks.values(), bounds, strict=True):
        assert 0.98 * bound * MS <= worst.latency <= bound * MS


def test_a_job_pushed_by_an_earlier_one_of_its_own_task_is_found():
    # 1, 1, 1 every 2.5, 3.5, 3.5: the second job of the last task starts at 6, released at 3.5: 7 - 3.5. Its first one
    # takes 3. Davis, Burns, Bril and Lukkien 2007.
    observed = search(sharing((1, 1, 1), (2.5, 3.5, 3.5), "fixed-priority"), seed=1, phasings=60, climbs=60)
    assert [worst.latency / MS for worst in observed.tasks.values()] == pytest.approx([2, 3, 3.5], rel=0.02)
    assert observed.tasks["task 2"].latency <= 3.5 * MS


def test_batches_of_two_tasks_wait_for_each_other():
    # 8 and 4 streams of 40 ms in batches of 4, taking 6 and 5: a period to fill, then one batch of the other (or two)
    # that closed just before: 40 + 5 + 6 and 40 + 2·6 + 5.
    sources = (Source("left", 8, 40 * MS), Source("right", 4, 40 * MS))
    tasks = tuple(
        Task(name, name.split()[1], steps=(Batch("network", "npu", 4, "count", 0, time * MS, 0),))
        for name, time in (("of left", 6), ("of right", 5))
    )
    observed = search(Plant((Resource("npu"),), sources, tasks), seed=1)
    for name, bound in (("of left", 51), ("of right", 57)):
        assert 0.98 * bound * MS <= observed.tasks[name].latency <= bound * MS


def chained():
    """Detection of 2 ms for 4 streams at once, then two items of 1 ms each: all in one chain."""
    tasks = (
        Task("detect", "cameras", steps=(stage("npu", 2),)),
        Task("read", "cameras", after=("detect",), items_per_frame=2, steps=(stage("cpu", 1),)),
    )
    return Plant((Resource("npu"), Resource("cpu")), (Source("cameras", 4, 40 * MS),), tasks)


def test_a_chain_counts_from_the_first_release_to_the_last_completion():
    # The fourth frame leaves the npu at 8; its two items need 2 more. Reading alone takes 2, and up to 8 when shorter
    # detections let all four frames arrive at once.
    observed = search(chained(), seed=1, chains=[("detect", "read"), ("read",)], phasings=30, climbs=30)
    assert observed.chains["detect", "read"].latency == 10 * MS
    assert observed.tasks["detect"].latency == 8 * MS
    assert observed.tasks["read"].latency == observed.chains["read",].latency
    assert 2 * MS < observed.chains["read",].latency <= 8 * MS
    assert observed.sojourns["detect", "npu"] == 8 * MS
    assert observed.tasks["read"].frames == 2 * observed.chains["detect", "read"].frames


def test_the_worst_replay_can_be_repeated():
    plant, chain = chained(), ("detect", "read")
    observed = search(plant, seed=3, chains=[chain], phasings=20, climbs=20)
    worst = observed.tasks["detect"]
    assert max(item.latency for item in worst.play.run(plant).items["detect"]) == worst.latency


def test_a_seed_decides_everything_and_progress_is_told():
    steps = []
    first = search(chained(), seed=5, phasings=10, climbs=5, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(done, 15) for done in range(1, 16)]
    assert first == search(chained(), seed=5, phasings=10, climbs=5)
    assert first.distributions != search(chained(), seed=6, phasings=10, climbs=5).distributions


def test_the_distribution_is_that_of_random_phases():
    # Never waiting, every item takes 2; with all streams at once the search sees 32 (above). At a load of 0.8 random
    # phases queue, yet half of the items wait for less than three others.
    observed = search(KNOWN["all 16 at once, 2 each: 16·2"][1], seed=1, phasings=80, climbs=0)
    usual = observed.distributions["task"]
    assert 2 * MS < usual.mean < 8 * MS
    assert usual.p50 <= usual.p99 <= usual.p999 < observed.tasks["task"].latency
    assert len(usual.sample) == 2000
    assert max(usual.sample) < observed.tasks["task"].latency


def test_percentiles_go_by_rank():
    # 1 to 1000: half of them are at most 500, 99 % at most 990, 99.9 % at most 999.
    found = distribution(list(range(1, 1001)), 10, random.Random(1))
    assert (found.mean, found.p50, found.p99, found.p999, len(found.sample)) == (500.5, 500, 990, 999, 10)


def test_streams_that_may_stop_leave_a_batch_to_its_time_out():
    # Two streams of 40 ms: alive, a partner comes within 40. One that is silent leaves the other to wait for 90.
    alive = cameras(npu(2, "dynamic", 90, 5, 0), streams=2)
    silent = Plant(alive.resources, (replace(alive.sources[0], may_stop=True),), alive.tasks)
    assert search(alive, seed=1, phasings=40, climbs=40).tasks["task"].latency <= 45 * MS
    assert search(silent, seed=1, phasings=40, climbs=40).tasks["task"].latency == 95 * MS


@pytest.mark.parametrize("chain", [(), ("task", "other")])
def test_a_chain_of_unknown_tasks_is_refused(chain):
    with pytest.raises(ValueError, match="expected names of tasks, of task"):
        search(cameras(npu(1, "count", 0, 2, 0)), seed=1, chains=[chain])
