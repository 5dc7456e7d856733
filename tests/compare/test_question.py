"""What designs of different chips have in common, and which chips are asked at all."""

from __future__ import annotations

import pytest

from dse.answer import solve_problem
from dse.api import load_problem
from dse.compare.comparison import Each, Standing, compare_chips
from dse.compare.question import At, only_chips, question_of
from dse.errors import InputError

CHIPS = ("rk3588", "jetson-orin-nx-16gb", "jetson-agx-xavier", "jetson-xavier-nx", "hailo-8")


@pytest.fixture(scope="module")
def recorder():
    return load_problem("problems/surveillance.yaml")


@pytest.fixture(scope="module")
def answer(recorder, knowledge):
    return solve_problem(only_chips(recorder, CHIPS, knowledge.catalog), knowledge, top=1)


def test_only_chips_that_match_are_asked(recorder, knowledge):
    """Patterns narrow the search, whatever their case; without one it is as it was."""
    assert only_chips(recorder, (), knowledge.catalog) is recorder
    narrowed = only_chips(recorder, ("RK35*", "hailo-8"), knowledge.catalog)
    assert {"rk3588", "rk3576", "hailo-8"} <= set(narrowed.search.chips.include)
    assert all(name.startswith(("rk35", "hailo")) for name in narrowed.search.chips.include)


def test_patterns_without_a_chip_are_refused_together(recorder, knowledge):
    with pytest.raises(InputError) as caught:
        only_chips(recorder, ("rk3589", "jetsen-nano", "rk3588"), knowledge.catalog)
    text = "\n".join(map(str, caught.value.faults))
    assert len(caught.value.faults) == 2
    assert "rk3589" in text
    assert "rk3588" in text  # the nearest name
    assert "jetson-nano" in text


def test_a_chip_the_problem_leaves_out_is_no_match(recorder, knowledge):
    search = recorder.search.model_copy(
        update={"chips": recorder.search.chips.model_copy(update={"exclude": ("rk3588",)})}
    )
    problem = recorder.model_copy(update={"search": search})
    with pytest.raises(InputError, match="leaves out rk3588"):
        only_chips(problem, ("rk3588",), knowledge.catalog)


def test_equal_accuracy_is_what_every_chip_with_a_design_reaches(answer):
    """The floor is the lowest of the chips' best accuracies, and accuracy is no objective any more."""
    found = question_of(answer, At.SAME_ACCURACY)
    rows = answer.survey.feasible
    chip = answer.context.lanes.chip[answer.context.runs.lane[answer.candidates.run[rows]]]
    best = [answer.candidates.accuracy_low[rows][chip == name].max() / 1e6 for name in set(chip.tolist())]
    assert len(best) > 1
    assert found.accuracy == min(best)
    assert found.problem.tasks[0].min_accuracy == found.accuracy
    assert [goal.name for goal in found.problem.objectives] == ["price_usd", "power_w", "worst_case_ms"]


def test_an_accuracy_below_the_limit_of_the_file_does_not_loosen_it(answer):
    assert question_of(answer, At.SAME_ACCURACY, accuracy=10).accuracy == 40


def test_one_network_runs_on_every_chip(recorder, knowledge):
    """All designs are of one network at one size, and chips that cannot run it have no design."""
    found = compare_chips(recorder, knowledge, at=At.SAME_MODEL, chips=CHIPS, model="yolov8s@640")
    entries = {int(row.candidates.entry[row.row]) for row in found.rows if row.rank}
    assert len(entries) == 1
    entry = entries.pop()
    nets = found.context.catalog.nets
    net = int(found.context.catalog.entries.net[entry])
    assert (nets.id[net], nets.input_h[net]) == ("yolov8s", 640)
    assert found.question.model.startswith("yolov8s@640")


def test_a_network_of_another_task_is_refused_with_the_nearest_name(answer):
    with pytest.raises(InputError, match="yolov4"):
        question_of(answer, At.SAME_MODEL, model="yolov4z")


def test_boards_and_modes_can_have_rows_of_their_own(recorder, knowledge):
    """One chip has as many rows as boards or modes, and its first is the chip's own row."""
    by_chip = compare_chips(recorder, knowledge, chips=("jetson-xavier-nx",))
    by_mode = compare_chips(recorder, knowledge, chips=("jetson-xavier-nx",), each=Each.MODE)
    assert len(by_chip.rows) == 1
    assert len(by_mode.rows) > 1
    first, one = by_mode.rows[0], by_chip.rows[0]
    assert first.standing is one.standing is Standing.FEASIBLE
    assert first.candidates.run[first.row] == one.candidates.run[one.row]
