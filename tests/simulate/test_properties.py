"""What holds in every replay: nothing is lost, nothing overtakes, nobody works twice at once, and dice decide alone."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from dse.simulate.layouts import LAYOUTS, random_phases
from dse.simulate.phases import window_of
from dse.simulate.plant import Batch, Delay, Plant, Resource, Serve, Source, Task
from dse.simulate.search import Play

RESOURCES = ("cpu", "npu")
times = st.integers(0, 30)
named = st.sampled_from(RESOURCES)


@st.composite
def lines(draw, *, may_end_hidden=False):
    """Up to three steps with names of their own."""
    steps = []
    for number in range(draw(st.integers(0, 3))):
        name = f"step {number}"
        kind = draw(st.sampled_from(("delay", "serve", "batch")))
        if kind == "delay":
            least = draw(times)
            steps.append(Delay(name, least, least + draw(times), draw(st.sampled_from(("stream", "task")))))
        elif kind == "serve":
            time = draw(times)
            steps.append(Serve(name, draw(named), time, draw(st.integers(0, time))))
        else:
            policy = draw(st.sampled_from(("dynamic", "timeout-close")))
            steps.append(
                Batch(name, draw(named), draw(st.integers(1, 4)), policy, draw(times), draw(times), draw(times))
            )
    if steps and isinstance(steps[-1], Serve):
        steps[-1] = Serve(steps[-1].name, steps[-1].resource, steps[-1].time)
    return tuple(steps)


@st.composite
def plants(draw):
    """Two sources, up to three tasks, the later ones after earlier ones or not; nothing that waits for ever."""
    orders = st.sampled_from(("fifo", "fixed-priority", "round-robin"))
    resources = tuple(Resource(name, draw(st.integers(1, 2)), draw(orders)) for name in RESOURCES)
    sources = tuple(
        Source(
            name,
            draw(st.integers(1, 3)),
            draw(st.integers(20, 200)),
            draw(st.integers(0, 100)),
            draw(st.booleans()),
            draw(st.booleans()),
            draw(lines()),
        )
        for name in ("left", "right")
    )
    tasks = []
    for number in range(draw(st.integers(1, 3))):
        source = draw(st.sampled_from(("left", "right")))
        candidates = [task.name for task in tasks if task.source == source]
        after = tuple(draw(st.sets(st.sampled_from(candidates)))) if candidates else ()
        nth, items = draw(st.integers(1, 2)), draw(st.integers(1, 2))
        tasks.append(Task(f"task {number}", source, tuple(sorted(after)), nth, items, number % 2, draw(lines())))
    return Plant(resources, sources, tuple(tasks))


def a_play(plant, seed):
    dice = random.Random(seed)
    layout = dice.choice((random_phases, *LAYOUTS))
    return Play(layout(plant, dice), dice.getrandbits(32), dice.choice(("longest", "random")))


@settings(max_examples=30, deadline=None)
@given(plant=plants(), seed=st.integers(0, 10**6))
def test_every_item_that_enters_leaves_once_and_never_before_it_came(plant, seed):
    trace = a_play(plant, seed).run(plant)
    assert set(trace.unfinished.values()) == {0}
    for task in plant.tasks:
        items = trace.items[task.name]
        assert len({(item.stream, item.frame, item.index) for item in items}) == len(items)
        taken = [item.frame % plant.strides[task.name] == 0 for item in items]
        assert all(taken)
        assert all(item.born <= item.nominal <= item.actual <= item.completed for item in items)
        if not task.after:
            offered = [f for f in trace.frames[task.source] if f.frame % plant.strides[task.name] == 0]
            assert len(items) == len(offered) * task.items_per_frame


@settings(max_examples=30, deadline=None)
@given(plant=plants(), seed=st.integers(0, 10**6))
def test_sojourns_add_up_to_the_time_from_release_to_completion(plant, seed):
    trace = a_play(plant, seed).run(plant)
    for source in plant.sources:
        assert all(frame.actual + sum(frame.sojourns) == frame.left for frame in trace.frames[source.name])
    for task in plant.tasks:
        left = {(frame.stream, frame.frame): frame.left for frame in trace.frames[task.source]}
        for item in trace.items[task.name]:
            begun = item.actual if task.after else left[item.stream, item.frame]
            assert begun + sum(item.sojourns) == item.completed


@settings(max_examples=25, deadline=None)
@given(plant=plants(), seed=st.integers(0, 10**6))
def test_a_stream_stays_in_order(plant, seed):
    trace = a_play(plant, seed).run(plant)
    for passages in (*trace.frames.values(), *(trace.items[task.name] for task in plant.tasks if not task.after)):
        last = {}
        for passage in passages:
            assert passage.frame >= last.get(passage.stream, 0)
            last[passage.stream] = passage.frame


@settings(max_examples=20, deadline=None)
@given(plant=plants(), seed=st.integers(0, 10**6))
def test_the_same_dice_give_the_same_trace(plant, seed):
    assert a_play(plant, seed).run(plant) == a_play(plant, seed).run(plant)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    services=st.lists(st.integers(1, 40), min_size=1, max_size=3),
    streams=st.integers(1, 5),
    jitter=st.integers(0, 300),
)
def test_item_stages_agree_with_the_max_plus_recursion(seed, services, streams, jitter):
    # D(n, k) = max(D(n, k - 1), D(n - 1, k)) + s(k), Baccelli, Cohen, Olsder and Quadrat 1992.
    names = [f"stage {number}" for number in range(len(services))]
    steps = tuple(Serve(name, name, time) for name, time in zip(names, services, strict=True))
    source = Source("cameras", streams, 200, jitter)
    plant = Plant(tuple(Resource(name) for name in names), (source,), (Task("task", "cameras", steps=steps),))
    play = Play(random_phases(plant, random.Random(seed)), seed, "longest")
    trace = play.run(plant, window_of(plant))
    done = [0] * len(services)
    for item in trace.items["task"]:
        time = item.actual
        for stage, service in enumerate(services):
            done[stage] = time = max(time, done[stage]) + service
        assert item.completed == time
