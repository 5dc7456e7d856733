"""Random small problems: the order of chips and the prices that would win equal brute force over the exported table."""

from __future__ import annotations

import random

from tests.random_comparisons import check_comparison

SEEDS = (0, 3, 5)  # benchmarks/random_problems.py --comparisons runs hundreds


def test_comparisons_equal_brute_force(knowledge, tmp_path):
    """Every chip has its standing and its place, and at the price it is told to need it wins, a cent above not."""
    outcomes = set()
    for seed in SEEDS:
        try:
            outcomes.add(check_comparison(random.Random(seed), knowledge, tmp_path))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
    assert {"none", "prices"} <= outcomes
