"""What explanations say of problems that once were told wrongly; each is small enough to check by hand.

The network of the file takes 1.8806 ms on the one chip, at worst, and keeps up with one item in that time.
"""

from __future__ import annotations

import pytest

from dse.answer import solve_problem
from dse.api import vocabulary_of
from dse.explaining.chip_view import chip_views
from dse.explaining.explain import explain_problem
from dse.explaining.infeasible import infeasible_of
from dse.explaining.ranges import ranges_of
from dse.problem.load import parse_problem
from dse.report.explained import explanation_object
from dse.report.explained_chip import chip_object
from dse.report.explained_clash import clash_object, summary_lines

WORST = 1.8806


def problem_of(knowledge, task, rest="", chips="[ndp120]"):
    text = f"tasks: {{name: t, task: keyword-spotting, {task}}}\nsearch: {{chips: {chips}}}\n{rest}"
    return parse_problem(text, "p.yaml", vocabulary_of(knowledge.catalog))


def explained(knowledge, *args, **changes):
    answer = solve_problem(problem_of(knowledge, *args, **changes), knowledge)
    assert answer.row is None
    return answer, clash_object(answer, infeasible_of(answer))


def test_a_rate_alone_is_the_least_in_all(knowledge):
    """At most 0.95 of the time: 0.95 / 1.8806 ms = 505.16 a second; no other limit has to move."""
    answer, found = explained(knowledge, "rate_hz: 1000, deadline_ms: 100")
    assert found["cheapest"]["changes"][0]["to"] == pytest.approx(950 / WORST, rel=1e-4)
    assert found["cheapest"]["text"].startswith("rate 1000 → 505.1")
    assert found["cheapest"]["total_share"] == pytest.approx(1 - 0.95 / WORST, rel=1e-3)
    assert "least relaxation: rate 1000 → 505.1" in summary_lines(answer, infeasible_of(answer))[1]


def test_a_deadline_moved_alone_is_cheaper_than_with_the_time_left_before_it(knowledge):
    """1.5 ms to 1.8806 + 1 ms is 92 % more; to 1.8806 and no time left would be 25 % and 100 %."""
    _, found = explained(knowledge, "rate_hz: 5, deadline_ms: 1.5", "limits: {slack_ms: 1}")
    assert found["cheapest"]["text"] == "deadline_ms 1.5 → 2.8806 ms"
    assert found["cheapest"]["total_share"] == pytest.approx((WORST + 1) / 1.5 - 1, abs=1e-4)


def test_no_deadline_admits_a_worst_case_without_end(knowledge):
    """At 1000 a second nothing keeps up: the deadline cannot be met whatever its value."""
    _, found = explained(knowledge, "rate_hz: 1000, deadline_ms: 1")
    deadline = next(one for one in found["clashes"] if one["limits"] == ["deadline_ms"])
    assert deadline["sharpness"] is None


def test_what_resolves_a_clash_is_named(knowledge):
    _, found = explained(knowledge, "rate_hz: 5, deadline_ms: 1.5")
    (clash,) = found["clashes"]
    assert [one["text"] for one in clash["resolved_by"]] == ["deadline_ms 1.5 → 1.8806 ms"]
    assert clash["sharpness"] == pytest.approx(WORST / 1.5 - 1, abs=1e-4)


def test_an_overload_of_thousands_is_still_a_number(knowledge):
    _, found = explained(knowledge, "streams: 10000, rate_hz: 1000, deadline_ms: none")
    rate = next(one for one in found["clashes"] if one["limits"] == ["rate"])
    assert rate["sharpness"] == pytest.approx(1, abs=1e-3)


def test_figures_of_the_result_are_not_called_unknown(knowledge):
    limits = "limits: {power_w: {in: [1, 2]}, result.batch: {min: 2}}"
    _, found = explained(knowledge, "rate_hz: 5, deadline_ms: 100", limits)
    broken = {one["limit"]: one["value"] for one in found["nearest_misses"][0]["breaks"]}
    assert broken["result.batch"] == 1
    assert 0 < broken["power_w"] < 0.1


def test_a_limit_from_the_other_side_of_a_bound_is_one_on_what_is_stated(knowledge):
    """The answer states a load rounded up; asked for at least that much, the same design still meets it."""
    plain = solve_problem(problem_of(knowledge, "rate_hz: 3, deadline_ms: 100"), knowledge)
    stated = int(plain.candidates.utilization[plain.row]) / 1_000_000
    same = f"limits: {{utilization: {{min: {stated}}}}}"
    assert solve_problem(problem_of(knowledge, "rate_hz: 3, deadline_ms: 100", same), knowledge).row is not None


def test_the_least_accuracy_is_a_lower_bound(knowledge):
    """The winner stays with any lower bound up to its accuracy, and not the other way round."""
    problem = problem_of(knowledge, "rate_hz: 5, deadline_ms: 100, min_accuracy: 80")
    data = explanation_object(explain_problem(problem, knowledge, remedies=False))
    (accuracy,) = (one for one in data["feasible"]["limits"] if one["limit"] == "min_accuracy")
    assert "stays from any value to 91.1; above nothing is feasible" in accuracy["text"]


def test_a_deadline_under_a_largest_slack_has_no_range(knowledge):
    """It would move the time left before it, which must not grow either."""
    problem = problem_of(knowledge, "rate_hz: 5, deadline_ms: 8", "limits: {slack_ms: {max: 7}}")
    answer = solve_problem(problem, knowledge)
    assert "deadline_ms" not in [one.requirement.name for one in ranges_of(answer)]


def test_chips_the_search_leaves_out_are_named_and_broken_limits_marked(knowledge):
    problem = problem_of(knowledge, "rate_hz: 5, deadline_ms: 1.5", chips="[ndp120, stm32h7]")
    found = chip_views(problem, knowledge, "*", 1)
    assert [one.chip for one in found.views] == ["ndp120"]
    assert found.more == ("stm32h7",)
    assert "rk3588" in found.excluded
    chip = chip_object(solve_problem(problem, knowledge), found.views[0])
    assert {one["limit"]: one["met"] for one in chip["limits"]}["deadline_ms"] is False
    assert any(one["text"].startswith("✗ deadline_ms 1.5") for one in chip["limits"])
