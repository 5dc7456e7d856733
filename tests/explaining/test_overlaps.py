"""A stated overlap is read in three ways, with the figures of the field report: 22, 18 and 26 ms."""

from __future__ import annotations

from pathlib import Path

import pytest

from dse.answer import solve_problem
from dse.api import load_problem
from dse.explaining.overlaps import overlap_readings

PROBLEMS = Path(__file__).parents[2] / "problems"


def test_the_three_readings_of_in_parallel(knowledge):
    """8 ms copy and 14 ms network: one after the other; half of the copy hidden; side by side, 4 ms of contention."""
    answer = solve_problem(load_problem(PROBLEMS / "smart-camera-rk3588-tuned.yaml"), knowledge)
    readings = overlap_readings(answer)
    assert [one.worst_case_ms for one in readings] == [22, 18, 26]
    assert [float(one.period_ms) for one in readings] == pytest.approx([22, 18, 18], abs=1e-4)
    assert [one.as_stated for one in readings] == [False, True, False]


@pytest.mark.parametrize("name", ["smart-camera-rk3588", "hard-real-time"])
def test_without_a_winner_or_an_overlap_there_is_nothing_to_read(knowledge, name):
    assert overlap_readings(solve_problem(load_problem(PROBLEMS / f"{name}.yaml"), knowledge)) == ()
