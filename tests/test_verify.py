"""The independent check goes red when an answer is wrong: each kind of mistake planted on purpose."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dse.answer import solve_problem
from dse.api import vocabulary_of
from dse.candidates.context import prepare
from dse.candidates.limits import rules_of
from dse.candidates.table import evaluate_all
from dse.errors import VerificationError
from dse.problem.limits import Limit
from dse.problem.load import parse_problem
from dse.timing.ticks import INFINITE
from dse.verify import exact_worst_case_ms, verify_choice, verify_infeasible
from dse.verify.path import ExactPath

TEXT = """
version: 1
name: verify
tasks:
  - name: t
    task: image-classification
    rate_hz: 10
    streams: 2
    jitter_ms: 3
    deadline_ms: 100
    min_accuracy: 70
    overhead_ms: 12.5
limits: {power_w: 25, price_usd: {max: 400, unknown: reject}}
"""


@pytest.fixture(scope="module")
def answer(knowledge):
    """A solved problem with many feasible designs."""
    problem = parse_problem(TEXT, "verify", vocabulary_of(knowledge.catalog))
    found = solve_problem(problem, knowledge)
    assert found.feasible > 20
    return found


def planted(answer, name, value, row=None):
    """The answer's candidates with one figure of the chosen row replaced."""
    column = getattr(answer.candidates, name).copy()
    column[answer.row if row is None else row] = value
    return with_rows(answer, dataclasses.replace(answer.candidates, **{name: column}))


def with_rows(answer, candidates):
    """The survey of the answer with other rows kept."""
    return dataclasses.replace(answer.survey, kept=candidates)


def test_a_right_answer_passes(answer):
    """Both roads agree on what the solver found."""
    lines = verify_choice(answer.context, answer.survey, answer.row, answer.goals)
    assert lines[0] == "7 of 8 requirements recomputed in exact fractions from the catalogue, 1 read from the table"
    assert f"enumerating {answer.feasible:,} feasible" in lines[1]


def test_exact_bound_is_just_below_the_tick_bound(answer):
    """Ticks round up, never down, and by less than a microsecond here."""
    exact = exact_worst_case_ms(answer.context, answer.candidates, answer.row)
    reported = int(answer.candidates.worst_case_ms[answer.row])
    assert exact is not None
    assert 0 <= reported - exact * 10_000 < 10


SERIES = """
tasks:
  - name: t
    task: image-classification
    rate_hz: 10
    deadline_ms: 150
    stages:
      - {name: resize, on: cpu, time_ms: 3}
      - {name: wait, delay_ms: 4, variation_ms: 1}
      - {name: copy, on: dma, time_ms: 2, overlap: 0.5}
      - {name: infer}
      - {name: settle, delay_ms: 6}
      - {name: back, on: dma, time_ms: 1}
      - {name: send, on: link, time_ms: 2}
search: {buffers: [1, 2], units: [npu]}
"""


@pytest.mark.parametrize("chips", ["[qcs8450]", "[rk3588]"])
def test_both_roads_agree_on_what_runs_in_series(knowledge, chips):
    """Two copies on one engine with delays between them, CPU cores known or not: less than a microsecond apart."""
    problem = parse_problem(SERIES.replace("search: {", f"search: {{chips: {chips}, "), "series",
                            vocabulary_of(knowledge.catalog))  # fmt: skip
    context = prepare(problem, problem.tasks[0], knowledge)
    rows = evaluate_all(context)
    for row in range(0, len(rows), max(1, len(rows) // 40)):
        path = ExactPath(context, int(rows.run[row]), int(rows.option[row]))
        worst = path.worst_case_ms()
        if worst is None:
            assert rows.worst_case_ms[row] >= INFINITE
        else:
            assert 0 <= int(rows.worst_case_ms[row]) - worst * 10_000 < 10
            assert 0 <= int(rows.utilization[row]) - path.load() * 1_000_000 < 10
    assert len(rows) > 40


def test_a_bound_that_is_too_small_is_found(answer):
    """A worst case understated by a microsecond."""
    wrong = planted(answer, "worst_case_ms", int(answer.candidates.worst_case_ms[answer.row]) - 10)
    with pytest.raises(VerificationError, match="worst_case_ms"):
        verify_choice(answer.context, wrong, answer.row, answer.goals)


def test_a_wrong_power_is_found(answer):
    """A power figure that does not follow from the catalogue."""
    wrong = planted(answer, "power_w", int(answer.candidates.power_w[answer.row]) - 1_000_000)
    with pytest.raises(VerificationError, match="power_w"):
        verify_choice(answer.context, wrong, answer.row, answer.goals)


@pytest.mark.parametrize("name", ["utilization", "memory_mb"])
def test_a_wrong_load_or_memory_is_found(answer, name):
    """Figures that no solver ever looks at are recomputed too."""
    wrong = planted(answer, name, int(getattr(answer.candidates, name)[answer.row]) + 50_000)
    problem = answer.context.problem.model_copy(
        update={"limits": {**answer.context.problem.limits, name: Limit(name, maximum=10**9)}}
    )
    context = dataclasses.replace(answer.context, problem=problem, rules=rules_of(problem, problem.tasks[0]))
    with pytest.raises(VerificationError, match=name):
        verify_choice(context, wrong, answer.row, answer.goals)


def test_a_wrong_service_is_found(answer):
    """A time of the network that does not follow from its measurement, guard and tail."""
    service = answer.context.service
    faster = dataclasses.replace(service, service_ms=service.service_ms * 0.999)
    with pytest.raises(VerificationError, match="service of the network"):
        verify_choice(dataclasses.replace(answer.context, service=faster), answer.survey, answer.row, answer.goals)


def test_a_better_candidate_is_found(answer):
    """The second-best row sold as the best."""
    with pytest.raises(VerificationError, match="enumeration prefers"):
        verify_choice(answer.context, answer.survey, answer.alternatives[-1], answer.goals)


def test_a_row_over_a_limit_is_found(answer):
    """An infeasible row sold as the answer: its recomputed figures break a limit."""
    whole = evaluate_all(answer.context)
    late = np.flatnonzero((whole.violated != 0) & (whole.worst_case_ms > 1_100_000) & (whole.worst_case_ms < 10**8))
    with pytest.raises(VerificationError, match=r"stable|deadline_ms|power_w|price_usd|min_accuracy|unknown"):
        verify_choice(answer.context, with_rows(answer, whole), int(late[0]), answer.goals)


def test_a_false_infeasible_is_found(answer):
    """Feasible rows exist, yet somebody says there are none."""
    with pytest.raises(VerificationError, match="breaks no requirement"):
        verify_infeasible(answer.context, answer.survey)


def test_a_deadline_miss_that_is_none_is_found(answer):
    """Every row marked as late: the exact bound of the closest contradicts it."""
    nothing = answer.candidates.take(np.zeros(0, dtype=np.int64))
    wrong = dataclasses.replace(answer.survey, kept=nothing, misses=answer.candidates)
    with pytest.raises(VerificationError, match="meets its deadline"):
        verify_infeasible(answer.context, wrong)
