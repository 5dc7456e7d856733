"""Chips counted step by step, each a part of the one before, and the last what the candidate table calls feasible."""

from __future__ import annotations

import numpy as np
import pytest

from dse.budgeting.reach import asked_accuracy, reach
from dse.budgeting.times import task_times
from dse.candidates.context import prepare
from dse.candidates.table import chunks
from dse.problem import parse_problem

DOORBELL = """
tasks:
  - name: person
    task: object-detection
    rate_hz: 10
    deadline_ms: 100
    {least}
    stages: [{{name: capture, delay_ms: 38}}, {{name: resize, on: cpu, time_ms: 6}}, {{name: infer}}]
limits: {{{limits}}}
search:
  chips: [{chips}]
"""
CHIPS = '"rk*", "ax6*", jetson-nano, jetson-orin-nano-8gb, raspberry-pi-5'
TIGHT = "power_w: 5, price_usd: 60"


@pytest.fixture(scope="module")
def context_of(knowledge):
    """The runs of a doorbell camera, under other limits."""

    def made(limits: str = TIGHT, least: str = "min_accuracy: 40"):
        problem = parse_problem(DOORBELL.format(limits=limits, least=least, chips=CHIPS))
        return prepare(problem, problem.tasks[0], knowledge)

    return made


@pytest.fixture(scope="module")
def doorbell(context_of):
    context = context_of()
    return context, found(context)


def found(context):
    return reach(context, task_times(context.problem, context.task).network_ms)


def chips_of(context, runs) -> set[str]:
    return set(context.lanes.chip[context.runs.lane[runs]].tolist())


def sure_rows(context):
    budget = float(task_times(context.problem, context.task).network_ms)  # 100 - 38 - 6 = 56 ms
    assert budget == 56
    return np.flatnonzero((context.runs.batch == 1) & (context.service.service_ms <= budget))


def test_every_count_is_a_part_of_the_one_before(doorbell):
    _, one = doorbell
    counts = (one.considered, one.with_runs, one.chips, one.sure, one.accurate, one.within, one.kept)
    assert counts == tuple(sorted(counts, reverse=True))
    assert one.accurate > one.within > 0  # few are that cheap and frugal
    assert {run.chip for run in one.weakest} & {"jetson-nano", "raspberry-pi-5"} == set()
    assert [(bound.name, bound.minimum, bound.maximum) for bound in one.limited] == [
        ("power_w", None, 5),
        ("price_usd", None, 60),
    ]


def test_the_last_count_is_what_the_candidate_table_calls_feasible(doorbell):
    """The second road: every run of one item at a time with every weights, judged by every rule."""
    context, one = doorbell
    single = np.flatnonzero(context.runs.batch == 1)
    feasible = [part.run for part in chunks(context, runs=single, feasible_only=True)]
    chips = chips_of(context, np.concatenate(feasible))
    assert one.kept == len(chips) > 0
    assert {run.chip for run in one.weakest} <= chips
    assert one.weakest_of == "kept"


def test_power_and_price_are_those_of_the_very_runs(context_of):
    """Without an accuracy asked for: power known and at most 5 W, price at most 60 USD or, by default, unknown."""
    context = context_of(least="")
    one, rows, r = found(context), sure_rows(context), context.resources
    watts, usd = r.power_w[rows], r.price_usd[rows]
    frugal = rows[(watts <= 5) & (np.isnan(usd) | (usd <= 60))]
    assert (one.accurate, one.sure) == (None, len(chips_of(context, rows)))
    assert one.within == len(chips_of(context, frugal))
    assert one.within_unknown == one.within - len(chips_of(context, rows[(watts <= 5) & (usd <= 60)])) > 0


def test_an_unknown_figure_counts_as_the_problem_says(context_of):
    """Rejected, those without a price are gone; let pass, those without a power are there."""
    strict = found(context_of("power_w: 5, price_usd: {max: 60, unknown: reject}"))
    usual = found(context_of())
    lenient = found(context_of("power_w: {max: 5, unknown: flag}, price_usd: 60"))
    assert strict.within_unknown == 0
    assert strict.within == usual.within - usual.within_unknown < usual.within <= lenient.within


def test_without_such_limits_nothing_is_said_of_them(context_of):
    one = found(context_of(""))
    assert (one.within, one.within_unknown, one.limited) == (None, 0, ())


def test_accuracy_counts_by_its_lower_end_where_the_network_runs(context_of, doorbell):
    """Of every surely fast run the best lower end among its weights; fewer chips than by the middle value."""
    context, one = doorbell
    rows, entries = sure_rows(context), context.chosen.entries
    low_enough, middle_enough = set(), set()
    for entry in entries.tolist():
        runs = rows[context.runs.net[rows] == context.catalog.entries.net[entry]]
        figures = context.accuracy.of(context.runs.lane[runs], np.full(len(runs), entry))
        low_enough |= chips_of(context, runs[figures.low >= 40_000_000])
        middle_enough |= chips_of(context, runs[figures.value >= 40_000_000])
    assert one.accurate == len(low_enough) < len(middle_enough)
    limited = found(context_of(f"accuracy: 40, {TIGHT}", least=""))
    assert (limited.accurate, limited.within, limited.kept) == (one.accurate, one.within, one.kept)


@pytest.mark.parametrize(
    ("least", "limits", "asked"),
    [
        ("", "power_w: 5", None),
        ("min_accuracy: 40", "power_w: 5", 40),
        ("", "accuracy: 45", 45),
        ("min_accuracy: 40", "accuracy: 45", 45),
        ("min_accuracy: 50", "accuracy: 45", 50),
        ("", "result.accuracy: {min: 44}", 44),
    ],
)
def test_the_higher_of_both_accuracies_is_what_is_asked(least, limits, asked):
    problem = parse_problem(DOORBELL.format(limits=limits, least=least, chips=CHIPS))
    assert asked_accuracy(problem, problem.tasks[0]) == asked


def test_a_step_that_leaves_none_is_followed_by_none(context_of):
    """Nothing runs on a milliwatt: the weakest named are those of the step before."""
    one = found(context_of("power_w: 0.001"))
    assert (one.within, one.kept, one.weakest_of) == (0, 0, "accurate")
    assert one.weakest
    assert all(run.accuracy_low >= 40 and run.sure for run in one.weakest)


def test_the_peak_of_a_run_is_what_one_inference_can_use(knowledge):
    """One core of three of an RK3588 at 6 TOPS: 1.9998; the unit is that of the run."""
    problem = parse_problem(DOORBELL.format(limits="", least="", chips="rk3588") + "  units: [npu]\n")
    context = prepare(problem, problem.tasks[0], knowledge)
    (run,) = found(context).weakest
    assert (run.chip, run.unit, run.peak_precision) == ("rk3588", "npu", "int8")
    assert (run.peak_tops, run.share) == (pytest.approx(1.9998), 0.3333)
