"""Random small problems: the front is the one that the definition gives over the exported table."""

from __future__ import annotations

import random

import pytest

from tests.random_fronts import check_front

SEEDS = range(100, 104)  # benchmarks/random_problems.py --fronts runs five hundred and more


@pytest.mark.parametrize("seed", SEEDS)
def test_front_equals_the_definition(seed, knowledge, tmp_path):
    check_front(random.Random(seed), knowledge, tmp_path)
