"""Random small problems: the answer equals brute force over the exported table, and every limit holds exactly."""

from __future__ import annotations

import random

import pytest

from tests.random_problems import check_one

SEEDS = range(8)  # benchmarks/random_problems.py runs a thousand and more


@pytest.mark.parametrize("seed", SEEDS)
def test_answer_equals_brute_force(seed, knowledge, tmp_path):
    """Whatever the limits and objectives, no candidate beats the answer and none is feasible when it says so."""
    check_one(random.Random(seed), knowledge, tmp_path)


def test_the_sample_holds_both_outcomes(knowledge, tmp_path):
    """A check that only ever saw one outcome would check little."""
    outcomes = {check_one(random.Random(seed), knowledge, tmp_path) for seed in range(5)}
    assert outcomes == {"optimal", "infeasible"}
