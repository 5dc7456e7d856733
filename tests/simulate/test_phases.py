"""Releases stay within what a source promises, and the patterns do what they are named after."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.simulate.layouts import LAYOUTS, moved, random_phases
from dse.simulate.phases import SourcePhasing, releases, window_of
from dse.simulate.plant import Delay, Plant, Resource, Serve, Source, Task

from .plants import alone, batch


def phasing(streams=1, pattern="early", **changes):
    plain = SourcePhasing(
        phases=(0,) * streams,
        first_frames=(0,) * streams,
        patterns=(pattern,) * streams,
        turn=28,
        skipped=0,
        stops=(None,) * streams,
        seed=1,
    )
    return {"cameras": replace(plain, **changes)}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("early", [0, 10, 20, 30, 40]),
        ("late", [8, 18, 28, 38, 48]),
        # The frame of 20 may come at the turn, 28, and does; those before as late, those after as early as allowed.
        ("bunched", [8, 18, 28, 30, 40]),
        ("stretched", [0, 10, 20, 38, 48]),
    ],
)
def test_patterns_place_frames_within_the_jitter(pattern, expected):
    plant = alone(Serve("run", "npu", 1), streams=1, period=10, jitter=8)
    frames = releases(plant, phasing(pattern=pattern), 40)["cameras"]
    assert [frame.actual for frame in frames] == expected
    assert [frame.nominal for frame in frames] == [0, 10, 20, 30, 40]


def test_bunched_frames_of_a_stream_come_at_once_when_the_jitter_exceeds_the_period():
    # Jitter 25, turn at 45: frames of 20, 30 and 40 may all come then, and the next ones when they are due.
    plant = alone(Serve("run", "npu", 1), streams=1, period=10, jitter=25)
    frames = releases(plant, phasing(pattern="bunched", turn=45), 60)["cameras"]
    assert [frame.actual for frame in frames] == [25, 35, 45, 45, 45, 50, 60]


def test_variation_of_delays_counts_as_more_jitter():
    # Of 8 + 4 ticks late the release takes 8 and the delays the rest: all 12 before the turn at 32, then as few as due.
    plant = alone(Delay("send", 1, 5), streams=1, period=10, jitter=8)
    frames = releases(plant, phasing(pattern="bunched", turn=32), 40)["cameras"]
    assert [(frame.actual - frame.nominal, frame.excess) for frame in frames] == [
        (8, 4),
        (8, 4),
        (8, 4),
        (2, 0),
        (0, 0),
    ]


def test_frames_are_left_out_in_order_of_release_and_streams_stop():
    plant = alone(batch(2, "count", 0, 1, 0), streams=2, period=10, may_stop=True)
    frames = releases(plant, phasing(2, phases=(0, 5), skipped=1, stops=(None, 2), first_frames=(3, 0)), 30)["cameras"]
    assert [(frame.stream, frame.frame, frame.actual) for frame in frames] == [
        (1, 0, 5),
        (0, 4, 10),
        (1, 1, 15),
        (0, 5, 20),
        (0, 6, 30),
    ]


def test_a_layout_may_be_moved_to_any_other_pattern():
    plant = alone(batch(4, "count", 0, 1, 0), streams=3, period=100, jitter=30, may_stop=True)
    dice = random.Random(1)
    start = LAYOUTS[0](plant, dice)["cameras"]
    changed = dict.fromkeys(("phases", "patterns", "turn", "skipped", "stops", "seed"), 0)
    for _ in range(400):
        other = moved(plant, {"cameras": start}, dice)["cameras"]
        for name in changed:
            changed[name] += getattr(other, name) != getattr(start, name)
    assert min(changed.values()) > 0


sources = st.builds(
    Source,
    name=st.just("cameras"),
    streams=st.integers(1, 5),
    period=st.integers(1, 50),
    jitter=st.integers(0, 120),
    synchronous=st.booleans(),
    may_stop=st.booleans(),
)


@given(source=sources, size=st.integers(1, 6), nth=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_releases_keep_what_the_source_promises(source, size, nth, seed):
    step = batch(size, "count", 0, 1, 0)
    plant = Plant((Resource("npu"),), (source,), (Task("task", "cameras", every_nth=nth, steps=(step,)),))
    dice = random.Random(seed)
    window = window_of(plant)
    drawn = dice.choice((random_phases, *LAYOUTS))(plant, dice)
    for pattern in (drawn, moved(plant, drawn, dice)):
        frames = releases(plant, pattern, window.released)["cameras"]
        assert all(0 <= frame.actual - frame.nominal <= source.jitter for frame in frames)
        if source.synchronous:
            assert set(pattern["cameras"].phases) == {0}
            assert pattern["cameras"].skipped == 0
        for stream in range(source.streams):
            mine = [frame for frame in frames if frame.stream == stream]
            assert [frame.actual for frame in mine] == sorted(frame.actual for frame in mine)
            assert all(frame.nominal % source.period == pattern["cameras"].phases[stream] for frame in mine)
            numbers = [frame.frame for frame in mine]
            assert numbers == list(range(numbers[0], numbers[0] + len(mine))) if mine else True


def test_two_genlocked_sources_need_not_be_locked_to_each_other():
    sources = tuple(Source(name, 2, 50, synchronous=True) for name in ("left", "right"))
    plant = Plant((), sources, ())
    drawn = [random_phases(plant, random.Random(seed)) for seed in range(20)]
    assert all(len(set(phasing[name].phases)) == 1 for phasing in drawn for name in phasing)
    assert any(phasing["left"].phases != phasing["right"].phases for phasing in drawn)


def test_the_window_is_shorter_where_periods_differ_much():
    # 16 streams of 10 and one of 10,000 ticks: five periods of the slow one are 80,000 frames of the others.
    sources = (Source("fast", 16, 10), Source("slow", 1, 10_000))
    window = window_of(Plant((), sources, ()))
    assert (window.measured, window.released) == (20_000, 40_000)
    # Alike, there are five periods and two more.
    alike = window_of(Plant((), (Source("fast", 16, 10),), ()))
    assert (alike.measured, alike.released) == (50, 70)


def test_the_window_leaves_time_for_every_batch_to_fill():
    # 12 items of 4 streams, every other frame: three periods of 20 to come, one more until the first of them does,
    # and the jitter of 8.
    plant = alone(batch(12, "count", 0, 1, 0), streams=4, period=10, jitter=8)
    plant = Plant(plant.resources, plant.sources, (replace(plant.tasks[0], every_nth=2),))
    window = window_of(plant)
    assert window.measured == 5 * 20 + 2 * (8 + 88)
    assert window.released - window.measured == 2 * 20 + 8 + 88
