"""What one inference may take, from the problem alone: worked by hand, and the very edge of the exact bound."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.budgeting.budget import chains_of, times_of, together
from dse.budgeting.tails import class_means
from dse.budgeting.times import TaskTimes, task_times
from dse.catalog.types import Tail
from dse.problem import load_problem, parse_problem
from dse.timing.exact import ExactArrivals, Network, service_budget
from dse.timing.path import worst_case_exact

F = Fraction
PROBLEMS = Path(__file__).parents[2] / "problems"
TAILS = {
    "jetson-gpu": Tail(1.1784, 1.0263, 8.52, "C", "read"),
    "soc-npu": Tail(1.6, 1.2, None, "E", "assumed"),
}


def shipped(name: str) -> tuple[TaskTimes, ...]:
    return times_of(load_problem(PROBLEMS / f"{name}.yaml"))


def asked(fields: str, rest: str = "") -> TaskTimes:
    problem = parse_problem(f"tasks: [{{name: see, task: t, {fields}}}]\n{rest}")
    return task_times(problem, problem.tasks[0])


def test_a_hundred_streams_leave_one_millisecond():
    """1000 inferences a second: 1 ms bare, 0.95 at the cap, which binds before 100 ms/100 of the deadline."""
    (times,) = shipped("hundred-streams")
    assert (times.items_per_s, times.bare_ms, times.capped_ms) == (1000, 1, F("0.95"))
    assert (times.left_ms, times.burst.items, times.burst.limit_ms) == (100, 100, 1)
    assert (times.network_ms, times.binds) == (F("0.95"), "rate")


def test_the_slow_runs_of_a_class_leave_less_on_average():
    """0.95/1.1784 = 0.8062 on a Jetson, 0.95/1.6 = 0.59375 on an NPU inside a system on chip."""
    problem = load_problem(PROBLEMS / "hundred-streams.yaml")
    jetson, npu = class_means(problem, problem.tasks[0], F("0.95"), TAILS)
    assert (jetson.mean_ms, npu.mean_ms) == (F("0.95") / F("1.1784"), F("0.59375"))
    assert float(jetson.mean_ms) == pytest.approx(0.8062, abs=5e-5)


def test_a_recorder_is_bound_by_its_rate():
    """16 cameras, 5 frames a second: 80/s, 12.5 ms. 500 - 120 - 10 = 370 ms are left.

    With 10 ms of jitter and 60 of variation two frames of all cameras come within 200 - 70 = 130 ms: 500/32 = 15.625.
    """
    (times,) = shipped("surveillance")
    assert (times.items_per_s, times.bare_ms, times.capped_ms) == (80, F("12.5"), F("11.875"))
    assert (times.left_ms, times.burst.items, times.burst.window_ms) == (370, 32, 130)
    assert (times.burst.limit_ms, times.network_ms, times.binds) == (F("15.625"), F("11.875"), "rate")
    assert times.around.open == ("decode", "upload")


def test_an_inspection_is_bound_by_its_deadline():
    """One camera, 2 parts a second: 500 ms by rate; 50 - 12 - 8 - 4 = 26 ms by deadline."""
    (times,) = shipped("inspection")
    assert (times.bare_ms, times.capped_ms, times.network_ms, times.binds) == (500, 475, 26, "deadline")
    assert (times.around.delay_ms, times.around.stages_ms) == (20, 4)


def test_several_tasks_alone_together_and_in_a_chain():
    """Detector: 4 cameras, 5/s: 50 ms; 400 - 40 - 5 - 3 - 2 = 350 left, (350 + 175)/8 = 65.625 by deadline.

    Crops: 4 of each of 20 frames a second: 12.5 ms. Together 20 + 80 a second: 950/100 = 9.5 ms each. The chain:
    600 - 50 around the detector - 1 for the crop = 549.
    """
    problem = load_problem(PROBLEMS / "plates.yaml")
    detect, classify = times = times_of(problem)
    assert (detect.bare_ms, detect.left_ms, detect.burst.limit_ms) == (50, 350, F("65.625"))
    assert (classify.items_per_s, classify.bare_ms, classify.due_ms, classify.burst) == (80, F("12.5"), None, None)
    shared = together(problem, times)
    assert (shared.items_per_s, shared.each_ms) == (100, F("9.5"))
    (chain,) = chains_of(problem, times)
    assert (chain.left_ms, chain.tasks) == (549, ("detect", "classify"))


def test_without_a_deadline_the_rate_alone_decides():
    times = asked("rate_hz: 50, deadline_ms: none")
    assert (times.left_ms, times.burst, times.network_ms, times.binds) == (None, None, 19, "rate")


@pytest.mark.parametrize(("delay", "left", "most"), [(99, 1, 1), (100, 0, 0), (101, -1, 0)])
def test_a_deadline_below_what_is_fixed_leaves_nothing(delay, left, most):
    """100 ms less the delay; at the edge and beyond nothing is left, and the deadline is what says so."""
    times = asked(f"rate_hz: 1, deadline_ms: 100, stages: [{{name: wire, delay_ms: {delay}}}, {{name: infer}}]")
    assert (times.left_ms, times.network_ms, times.binds) == (left, most, "deadline")


def test_a_stage_that_cannot_keep_up_leaves_nothing():
    """60 ms each 50 ms: no network helps. 47.5 ms of 50 is the cap of 0.95 itself, and allowed."""
    stage = "rate_hz: 20, deadline_ms: 1000, stages: [{{name: crop, on: cpu, time_ms: {}}}, {{name: infer}}]"
    times = asked(stage.format(60))
    assert (times.around.overloaded, times.network_ms, times.binds) == (("crop",), 0, "stages")
    assert asked(stage.format(47.5)).around.overloaded == ()


def test_limits_that_tighten_rate_and_deadline():
    """A headroom of 0.25 caps the load at 0.8; slack comes off the deadline; the limit on the worst case is one too."""
    assert asked("rate_hz: 10, deadline_ms: none", "limits: {rate_headroom: 0.25}").network_ms == 80
    assert asked("rate_hz: 10, deadline_ms: 50", "limits: {slack_ms: 8}").network_ms == 42
    assert asked("rate_hz: 10, deadline_ms: none", "limits: {worst_case_ms: 30}").network_ms == 30
    stages = "stages: [{name: infer, max_ms: 7, contention_ms: 2}]"
    limited = asked(f"rate_hz: 10, deadline_ms: 50, {stages}")
    assert (limited.network_ms, limited.binds) == (5, "max_ms")  # the bus is part of the stage: 7 - 2


@pytest.mark.parametrize("slack", ["-50", "-1e300", "0"])
def test_a_slack_below_zero_does_not_lengthen_the_deadline(slack):
    """The result may be 50 ms late by that limit alone; the deadline of 1 ms still binds."""
    times = asked("rate_hz: 5, deadline_ms: 1", f"limits: {{slack_ms: {slack}}}")
    assert (times.due_ms, times.network_ms, times.binds) == (1, 1, "deadline")


def test_transfers_that_only_chips_behind_a_link_need_are_told_apart():
    """Nobody wrote the upload: it is there for cards; a stated number of bytes takes time on every chip."""
    around = asked("rate_hz: 1, deadline_ms: 100").around
    assert (around.open, around.by_link) == (("upload",), ("upload",))
    assert (around.without_links().open, around.without_links().by_link) == ((), ())
    stated = asked("rate_hz: 1, deadline_ms: 100, stages: [{name: move, mbytes: 2}, {name: infer}]").around
    assert (stated.open, stated.by_link, stated.without_links().open) == (("move",), (), ("move",))


def test_what_depends_on_the_chip_counts_at_its_least():
    """2 ms on one chip and 4 on the others; 3 ms in software beside a decoder without a time of its own."""
    stages = "{name: crop, on: cpu, time_ms: {default: 4, rk3588: 2}}, {name: scale, on: cpu, time_ms: 1}"
    times = asked(f"rate_hz: 1, deadline_ms: 100, stages: [{stages}, {{name: infer}}]")
    assert (times.around.stages_ms, times.around.open) == (3, ("crop",))
    decode = "{name: decode, on: video-decoder, else: {on: cpu, time_ms: 3}}"
    times = asked(f"rate_hz: 1, deadline_ms: 100, stages: [{decode}, {{name: infer}}]")
    assert (times.around.stages_ms, times.around.open) == (0, ("decode",))


def test_what_the_network_may_hide_of_the_stage_behind_it_is_not_lost():
    """Half of 4 ms may be hidden behind the network: 100 - 4 + 2 = 98 at most."""
    stages = "{name: infer, overlap: 0.5}, {name: sort, on: cpu, time_ms: 4}"
    assert asked(f"rate_hz: 1, deadline_ms: 100, stages: [{stages}]").network_ms == 98


def test_stages_of_a_source_at_its_own_rate_queue_on_their_own():
    """Two cameras, 5 ms each frame: the second is through after 10; the network runs on every second frame: 80 ms."""
    rest = "sources: [{name: cam, streams: 2, rate_hz: 25, stages: [{name: fix, on: cpu, time_ms: 5}]}]"
    times = asked("source: cam, every_nth: 2, deadline_ms: 90, overhead_ms: 0", rest)
    assert (times.around.stages_ms, times.left_ms) == (10, 80)
    assert (times.bare_ms, times.burst.limit_ms, times.network_ms) == (40, 40, 38)


def test_batches_by_rate_by_deadline_and_when_the_first_waits_for_the_last():
    """16 cameras, 200 ms: sixteen take 190 at 0.95; waiting for the last takes 200 + 70 of 370 ms, so 100 are left."""
    (times,) = shipped("surveillance")
    two, *_, sixteen = times.batches
    assert (two.batch, two.rate_ms, two.at_once_ms, two.counted_ms) == (2, F("23.75"), F("31.25"), F("23.75"))
    assert (sixteen.batch, sixteen.rate_ms, sixteen.at_once_ms, sixteen.counted_ms) == (16, 190, 250, 100)
    (hundred,) = shipped("hundred-streams")
    assert {batch.counted_ms for batch in hundred.batches} == {0}  # a whole period passes until a batch is full


def test_an_estimate_for_most_items_counts_no_wait_and_the_lesser_tail():
    problem = parse_problem(
        "tasks: [{name: see, task: t, streams: 4, rate_hz: 10, deadline_ms: 20, guarantee: p99, overhead_ms: 0}]"
    )
    times = task_times(problem, problem.tasks[0])
    assert (times.burst.limit_ms, times.network_ms, times.binds) == (20, 20, "deadline")
    jetson, _ = class_means(problem, problem.tasks[0], times.network_ms, TAILS)
    assert jetson.mean_ms == 20 / F("1.0263")


def test_the_longest_stall_comes_off_first_and_unknown_ones_leave_the_mean_unknown():
    """(100 - 8.52)/(1.1784 · 1.25); nobody published a stall of the NPUs."""
    problem = parse_problem(
        "tasks: [{name: see, task: t, rate_hz: 1, deadline_ms: 100}]\nguard: {tail: max, application_factor: 1.25}"
    )
    jetson, npu = class_means(problem, problem.tasks[0], F(100), TAILS)
    assert (jetson.mean_ms, npu.mean_ms) == (F("91.48") / F("1.1784") / F("1.25"), None)
    assert class_means(problem, problem.tasks[0], F(5), TAILS)[0].mean_ms == 0  # the stall alone is longer


# The edge, on random systems.

TENTHS = st.integers(0, 400).map(lambda tenths: F(tenths, 10))


@st.composite
def systems(draw: st.DrawFn) -> dict[str, F | int]:
    """Mostly stages that keep up, and deadlines on both sides of what the rate asks."""
    n, period = draw(st.integers(1, 12)), draw(st.integers(20, 200))
    stages = {name: F(draw(st.integers(0, 98)) * period // (10 * n), 10) for name in ("before", "after")}
    figures = {name: draw(TENTHS) for name in ("jitter", "delay", "variation")}
    fixed = sum(stages.values()) * (n + 1) + sum(figures.values()) + figures["variation"]
    due = max(1, math.ceil(fixed * F(draw(st.integers(2, 14)), 10)) + draw(st.integers(0, period)))
    overlap = F(draw(st.sampled_from(["0", "0.25", "1"])))
    return {"n": n, "period": period, "due": due, "overlap": overlap, **stages, **figures}


def times_of_system(system: dict[str, F | int], **changes: F | int) -> TaskTimes:
    one = {name: float(value) for name, value in (system | changes).items()}
    stages = (
        f"{{name: wire, delay_ms: {one['delay']}, variation_ms: {one['variation']}}}, "
        f"{{name: crop, on: cpu, time_ms: {one['before']}, overlap: {one['overlap']}}}, {{name: infer}}, "
        f"{{name: sort, on: cpu, time_ms: {one['after']}}}"
    )
    source = f"streams: {int(one['n'])}, period_ms: {one['period']}, jitter_ms: {one['jitter']}"
    return asked(f"{source}, deadline_ms: {one['due']}, stages: [{stages}]")


def worst(system: dict[str, F | int], time: F) -> F | None:
    """The exact bound of the path with a network of this time: the second road."""
    source = ExactArrivals(int(system["n"]), F(system["period"]), F(system["jitter"]))
    return worst_case_exact(
        source,
        Network(1, F(0), time),
        dynamic=False,
        before=(F(system["before"]),),
        after=(F(system["after"]),),
        delay=F(system["delay"]) + F(system["variation"]),
        variation=F(system["variation"]),
        overlap=F(system["overlap"]) * min(F(system["before"]), time),
    )


@given(systems())
def test_the_budget_is_the_edge_of_the_exact_bound(system):
    """At the budget the deadline and the load are kept, a millionth beyond it one of them is not."""
    times = times_of_system(system)
    load = F(system["n"]) / F(system["period"])
    if times.network_ms > 0:
        assert worst(system, times.network_ms) <= system["due"]
        assert times.network_ms * load <= F("0.95")
    if not times.around.overloaded:
        beyond = times.network_ms + F(1, 10**6)
        late = worst(system, beyond)
        assert late is None or late > system["due"] or beyond * load > F("0.95")


@given(systems(), st.integers(1, 5), TENTHS)
def test_more_streams_or_less_time_never_raise_the_budget(system, more, less):
    most = times_of_system(system).network_ms
    assert times_of_system(system, n=system["n"] + more).network_ms <= most
    assert times_of_system(system, due=max(F("0.1"), system["due"] - less)).network_ms <= most
    assert times_of_system(system, jitter=system["jitter"] + less).network_ms <= most


@given(systems())
def test_without_stages_it_is_the_budget_of_counted_batches_of_one(system):
    times = times_of_system(system, delay=0, variation=0, before=0, after=0)
    n, period, jitter = int(system["n"]), F(system["period"]), F(system["jitter"])
    left = F(system["due"]) - jitter
    expected = service_budget(n, period, left, jitter=jitter, cap=F("0.95"))
    assert times.network_ms == max(F(0), expected)
