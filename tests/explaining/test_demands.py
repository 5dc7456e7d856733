"""How far rate and streams may move: solving anew at an end chooses the same, one step beyond another design."""

from __future__ import annotations

from pathlib import Path

import pytest

from dse.answer import solve_problem
from dse.api import load_problem, vocabulary_of
from dse.candidates.context import prepare, rebased
from dse.candidates.survey import survey
from dse.candidates.table import blocks
from dse.explaining.demands import DEMANDS, RATE, STREAMS, demand_range, nearest_served
from dse.explaining.explain import explain_problem
from dse.explaining.variants import with_rate, with_streams
from dse.problem.load import parse_problem
from dse.report.explained_choice import choice_object

PROBLEMS = Path(__file__).parents[2] / "problems"
SEVERAL = """
name: several
tasks: {name: t, task: object-detection, streams: 3, rate_hz: 10, deadline_ms: 100, min_accuracy: 30, models: ['yolo*']}
limits: {power_w: 30, utilization: 0.9}
search: {chips: [jetson-orin-nano-8gb, rk3588, hailo-8]}
"""


def several(knowledge, old="name: several", new="name: several"):
    """Three cameras, with one part of the file replaced."""
    return parse_problem(SEVERAL.replace(old, new), "several", vocabulary_of(knowledge.catalog))


def identity(answer):
    """What is chosen, in words: positions of runs are others where other batches are searched."""
    if answer.row is None:
        return None
    context, row = answer.context, answer.row
    run = int(answer.candidates.run[row])
    lane, entry = context.lane_of(run), int(answer.candidates.entry[row])
    words = [
        str(getattr(context.lanes, name)[lane]) for name in ("chip", "board", "mode", "unit", "runtime", "precision")
    ]
    return (*words, int(context.runs.net[run]), int(context.runs.batch[run]), entry, int(answer.candidates.option[row]))


def test_another_rate_makes_the_same_table_as_starting_anew(knowledge):
    problem = load_problem(PROBLEMS / "hard-real-time.yaml")
    answer, faster = solve_problem(problem, knowledge), with_rate(problem, 77)
    anew = solve_problem(faster, knowledge).survey
    again = survey(rebased(answer.context, faster))
    assert again.patterns == anew.patterns
    assert (again.kept.worst_case_ms == anew.kept.worst_case_ms).all()


def test_other_streams_make_the_same_table_as_starting_anew(knowledge):
    problem = several(knowledge)
    more = with_streams(problem, 5)
    again = survey(rebased(prepare(problem, problem.tasks[0], knowledge), more))
    anew = survey(prepare(more, more.tasks[0], knowledge))
    assert again.patterns == anew.patterns
    assert (again.kept.worst_case_ms == anew.kept.worst_case_ms).all()


@pytest.mark.parametrize("demand", DEMANDS, ids=lambda demand: demand.name)
def test_ends_of_the_range_agree_with_solving_anew(knowledge, demand):
    problem = several(knowledge)
    answer = solve_problem(problem, knowledge)
    found = demand_range(answer, demand)
    assert found.lowest is not None or found.highest is not None
    for end, outwards in ((found.lowest, -1), (found.highest, 1)):
        if end is not None:
            assert identity(solve_problem(demand.moved(problem, end), knowledge)) == identity(answer)
            beyond = solve_problem(demand.moved(problem, end + outwards), knowledge)
            assert identity(beyond) != identity(answer)
            design = found.below if outwards < 0 else found.above
            assert (design is None) == (beyond.row is None)
            if design is not None:
                assert int(design.accuracy[0]) == int(beyond.candidates.accuracy[beyond.row])


def test_the_rate_of_one_stream_has_a_range_too(knowledge):
    problem = load_problem(PROBLEMS / "hard-real-time.yaml")
    answer = solve_problem(problem, knowledge)
    found = demand_range(answer, RATE)
    assert found.highest > 500_000
    assert identity(solve_problem(RATE.moved(problem, found.highest), knowledge)) == identity(answer)
    assert identity(solve_problem(RATE.moved(problem, found.highest + 1), knowledge)) != identity(answer)
    assert demand_range(answer, STREAMS) is None  # two streams would be searched with batches as well


@pytest.mark.parametrize("demand", DEMANDS, ids=lambda demand: demand.name)
def test_the_most_that_is_served_is_feasible_and_one_step_more_is_not(knowledge, demand):
    problem = several(
        knowledge, "streams: 3, rate_hz: 10, deadline_ms: 100", "streams: 300, rate_hz: 10, deadline_ms: 3000"
    )
    answer = solve_problem(problem, knowledge)
    assert answer.row is None
    most = nearest_served(answer.context, demand)

    def feasible(steps):
        other = demand.moved(problem, steps)
        context = prepare(other, other.tasks[0], knowledge)
        return any((block.violated == 0).any() for block in blocks(context, feasible_only=True))

    assert most > 0
    assert feasible(most)
    assert not feasible(most + 1)


def test_ranges_are_told_with_what_comes_beyond_them(knowledge):
    problem = several(knowledge)
    rate, streams = choice_object(explain_problem(problem, knowledge, remedies=False))["demands"]
    assert rate["text"].startswith("rate 10 /s: stays from ")
    assert streams["text"].startswith("streams 3: stays from ")
    for one in (rate, streams):
        assert (one["below"] is None) or one["below"]["chip"] in one["text"]
