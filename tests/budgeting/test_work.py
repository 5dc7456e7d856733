"""Work, families and chips within a budget, against the shipped catalogue and against the candidate table."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from dse.budgeting.families import families, tiers_of
from dse.budgeting.reach import reach
from dse.budgeting.tails import class_means
from dse.budgeting.times import task_times
from dse.budgeting.work import STRONG, WEAK, works
from dse.candidates.context import prepare
from dse.candidates.kernels import binarized
from dse.candidates.worst import time_columns
from dse.problem import load_problem

F = Fraction
PROBLEMS = Path(__file__).parents[2] / "problems"
NAMES = ("hundred-streams", "surveillance", "inspection")


@pytest.fixture(scope="module")
def contexts(knowledge):
    """The runs of three problems, each prepared once."""
    problems = {name: load_problem(PROBLEMS / f"{name}.yaml") for name in NAMES}
    return {name: prepare(problem, problem.tasks[0], knowledge) for name, problem in problems.items()}


@pytest.fixture(scope="module")
def hundred(contexts):
    return contexts["hundred-streams"]


@pytest.fixture(scope="module")
def found(hundred):
    """Works and tiers of the hundred streams, at 0.95 ms."""
    means = class_means(hundred.problem, hundred.task, F("0.95"), hundred.catalog.tails)
    work = works(hundred.catalog, hundred.chosen.nets, means)
    return {one.chip: one for one in work}, tiers_of(work)


def test_limits_by_rated_figures_are_exact(found):
    """RK3566: 0.8 TOPS are 400 GMAC/s, 0.95/1.6 ms of them 0.2375 GMAC; 8.4 GB/s move 4.9875 MB.

    RK3588: one inference uses 0.3333 of 6 TOPS at int8; the bandwidth of a Hailo-8 is not known.
    """
    rows, _ = found
    assert (rows["rk3566"].most_gmacs, rows["rk3566"].most_mb) == (F("0.2375"), F("4.9875"))
    assert (rows["rk3588"].peak_tops, rows["rk3588"].share) == (F("1.9998"), F("0.3333"))
    assert (rows["rk3588"].precision, rows["rk3566"].share) == ("int8", 1)
    assert rows["hailo-8"].most_mb is None


def test_likely_work_goes_by_the_median_of_measured_runs(found, hundred):
    """One row after the other for a Raspberry Pi 5: 2 G / (t · peak), at most 1; the middle of them."""
    rows, _ = found
    work, m, nets = rows["raspberry-pi-5"], hundred.catalog.measurements, hundred.catalog.nets
    peaks = {"int8": 0.614, "fp16": 0.307, "fp32": 0.154, "float": 0.307}
    shares = [
        min(1.0, 2 * nets.gmacs[m.net[k]] / (m.time_ms[k] * peaks[m.precision[k]]))
        for k in np.flatnonzero((m.chip == "raspberry-pi-5") & (m.unit == "cpu") & (m.batch == 1)).tolist()
        if m.quantity[k] == "latency" and m.net[k] in hundred.chosen.nets and np.isfinite(nets.gmacs[m.net[k]])
    ]
    assert (work.scope, work.runs) == ("unit", len(shares))
    assert work.utilization.value == pytest.approx(median(shares))
    assert work.gmacs.value == pytest.approx(median(shares) * 307 * 0.95 / 2.3094 / 1000)
    assert work.utilization.low < work.utilization.value < work.utilization.high <= 1


def test_no_range_of_work_lies_above_the_limit(found):
    for work in found[0].values():
        if work.gmacs is not None:
            assert work.gmacs.low <= work.gmacs.value <= work.gmacs.high <= float(work.most_gmacs) * (1 + 1e-12)


def test_the_best_member_of_a_family_is_within_the_budget_and_none_within_is_better(found, hundred):
    _, tiers = found
    catalog, nets = hundred.catalog, hundred.catalog.nets
    listed = families(catalog, hundred.chosen.entries, tiers)
    limits = {tier.name: tier.work.gmacs.value for tier in tiers}
    one_bit = binarized(catalog)
    for family in listed:
        for tier, member in family.likely.items():
            assert member.gmacs <= limits[tier]
            assert not one_bit[np.flatnonzero(nets.id == member.model)].all()
    names = {tier: {family.name for family in listed if tier in family.likely} for tier in limits}
    assert {"mobilenet_v1", "mobilenet_v2", "mobilenet_v3"} <= names[WEAK] < names[STRONG]
    squeezenet = next(family for family in listed if family.name == "squeezenet")
    assert WEAK not in squeezenet.likely
    assert squeezenet.perhaps[WEAK].model == "shufflenet_v2_x0_5"  # 0.04 GMAC: SqueezeNet itself has 0.35
    fits = (nets.family[catalog.entries.net[hundred.chosen.entries]] == "mobilenet_v2") & (
        nets.gmacs[catalog.entries.net[hundred.chosen.entries]] <= limits[WEAK]
    )
    entries = set(hundred.chosen.entries[fits].tolist())
    figures = catalog.accuracies
    published = [
        float(accuracy)
        for entry, precision, accuracy in zip(figures.entry, figures.precision, figures.accuracy, strict=True)
        if entry in entries and precision == "fp32"
    ]
    best = next(family for family in listed if family.name == "mobilenet_v2").likely[WEAK]
    assert best.accuracy == max(published)
    assert best.low <= best.accuracy <= best.high
    assert best.source


def test_binarized_networks_count_only_where_they_run(hundred):
    """Kernels for one bit are measured on a Raspberry Pi 4 alone, and not within 0.95/2.3094 ms there."""
    one = reach(hundred, F("0.95"))
    assert (one.one_bit.chip, one.one_bit.precision) == ("raspberry-pi-4", "binary")
    assert one.one_bit.mean_ms > one.one_bit.budget_ms == pytest.approx(0.95 / 2.3094)
    (family,) = [family for family in one.families if family.family == "binary"]
    assert (family.chips, family.weakest) == (0, None)


@pytest.mark.parametrize("name", NAMES)
def test_no_run_that_keeps_deadline_and_load_takes_longer_than_the_budget(contexts, name):
    """The table of candidates is the second road: of 4,000 runs, one item at a time, on whatever chip."""
    context = contexts[name]
    budget = task_times(context.problem, context.task).network_ms
    single = np.flatnonzero(context.runs.batch == 1)
    rows = np.random.default_rng(0).choice(single, min(4000, len(single)), replace=False)
    rows = np.r_[rows, single[np.argsort(np.abs(context.service.service_ms[single] - float(budget)))[:500]]]
    columns = time_columns(context, rows, 0)
    kept = (columns["slack_ms"] >= 0) & (columns["stable"] == 1) & (columns["utilization"] <= 950_000)
    assert kept.any()
    assert context.service.service_ms[rows[kept]].max() <= float(budget) + 1e-9


def test_chips_in_time_are_counted_and_the_weakest_named(hundred):
    """Nothing surrounds the network here: a chip is surely in time when a run of it is, its margin included."""
    one = reach(hundred, F("0.95"))
    service, runs = hundred.service, hundred.runs
    single = runs.batch == 1
    sure = single & (service.service_ms <= 0.95)
    assert one.sure == len(set(hundred.lanes.chip[runs.lane[sure]].tolist()))
    likely = single & (service.service_ms / service.guard <= 0.95)
    assert one.chips == len(set(hundred.lanes.chip[runs.lane[likely]].tolist()))
    assert one.sure <= one.chips <= one.with_runs <= one.considered
    peaks = [run.peak_tops for run in one.weakest]
    assert peaks == sorted(peaks)
    assert all(run.mean_ms <= run.budget_ms for run in one.weakest)
    assert one.weakest_of == "kept"
    assert all(run.accuracy >= run.accuracy_low >= 65 for run in one.weakest)


def test_nothing_left_is_no_work_and_no_chip(hundred):
    means = class_means(hundred.problem, hundred.task, F(0), hundred.catalog.tails)
    work = works(hundred.catalog, hundred.chosen.nets, means)
    assert {one.most_gmacs for one in work} == {0}
    assert not any(family.perhaps for family in families(hundred.catalog, hundred.chosen.entries, tiers_of(work)))
    none = reach(hundred, F(0))
    assert (none.chips, none.sure, none.accurate, none.within, none.kept, none.weakest) == (0, 0, 0, None, 0, ())
