"""Random small problems: the answer equals brute force over the exported table, and every limit holds exactly."""

from __future__ import annotations

import random

from tests.random_problems import check_one

SEEDS = range(8)  # benchmarks/random_problems.py runs a thousand and more


def test_answers_equal_brute_force(knowledge, tmp_path):
    """Whatever the limits and objectives, no candidate beats an answer and none is feasible where there is none.

    One test, so that it can ask for both outcomes: a check that only ever saw one would check little.
    """
    outcomes = set()
    for seed in SEEDS:
        try:
            outcomes.add(check_one(random.Random(seed), knowledge, tmp_path))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
    assert outcomes == {"optimal", "infeasible"}
