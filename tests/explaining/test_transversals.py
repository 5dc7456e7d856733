"""Clashing sets are the minimal hitting sets of what the candidates break: small ones by hand, many by trying."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.explaining.transversals import bits_of, minimal_hitting_sets, minimal_patterns
from dse.model.clash import can_be_met

SETS = st.lists(st.integers(0, 2**6 - 1), max_size=9)


def by_trying(patterns):
    """All subsets of six limits, the small ones first; those that hit everything and contain none found before."""
    found = []
    for size in range(7):
        for chosen in combinations(range(6), size):
            bits = sum(1 << bit for bit in chosen)
            if all(bits & pattern for pattern in patterns) and not any(bits & one == one for one in found):
                found.append(bits)
    return sorted(found, key=lambda bits: (bits.bit_count(), bits))


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ([], [0]),  # no candidate at all: nothing needs to be asked for nothing to be found
        ([0, 0b1], []),  # a candidate that breaks nothing
        ([0b1], [0b1]),
        ([0b01, 0b11], [0b01]),  # the second breaks more than the first: it does not matter
        ([0b01, 0b10], [0b11]),  # one too slow, the other too inaccurate: both limits clash
        ([0b011, 0b101, 0b110], [0b011, 0b101, 0b110]),
    ],
)
def test_small_ones_by_hand(patterns, expected):
    assert minimal_hitting_sets(patterns) == (expected, True)


@given(SETS)
def test_all_are_found_and_no_other(patterns):
    assert minimal_hitting_sets(patterns)[0] == by_trying(patterns)


@given(SETS)
def test_dropping_larger_patterns_changes_nothing(patterns):
    assert by_trying(minimal_patterns(patterns)) == by_trying(patterns)


def test_a_count_that_is_reached_is_said():
    patterns = [0b11 << 2 * k for k in range(5)]  # 2 ways to hit each of five pairs: 32 sets
    assert len(minimal_hitting_sets(patterns, 32)[0]) == 32
    assert minimal_hitting_sets(patterns, 32)[1]
    some, complete = minimal_hitting_sets(patterns, 31)
    assert (len(some), complete) == (31, False)
    assert all(len(bits_of(one)) == 5 for one in some)


@pytest.mark.parametrize(("wanted", "met"), [(0b011, False), (0b001, True), (0b010, True), (0b110, True), (0, True)])
def test_the_model_decides_a_set(wanted, met):
    """One candidate is too slow (bit 0), the other too inaccurate (bit 1) and too dear (bit 2)."""
    names = ("deadline_ms", "min_accuracy", "price_usd")
    assert can_be_met([0b001, 0b110], names, wanted) is met


def test_without_a_candidate_nothing_can_be_met():
    assert not can_be_met([], (), 0)
