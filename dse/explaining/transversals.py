"""Minimal hitting sets of sets of bits: which limits clash, given what every candidate breaks.

Limits clash when every candidate breaks one of them: when they hit the set of limits that each candidate breaks. The
minimal clashing sets are the minimal hitting sets of those sets, and of those sets only the minimal ones matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice


def minimal_patterns(patterns: Iterable[int]) -> list[int]:
    """The sets of bits that contain no other of them, by size, then by value.

    Examples
    --------
    >>> minimal_patterns([0b110, 0b010, 0b101, 0b101])
    [2, 5]
    """
    kept: list[int] = []
    for pattern in sorted(set(patterns), key=lambda bits: (bits.bit_count(), bits)):
        if not any(pattern & small == small for small in kept):
            kept.append(pattern)
    return kept


def minimal_hitting_sets(patterns: Iterable[int], most: int | None = None) -> tuple[list[int], bool]:
    """Every minimal set of bits that shares one with each pattern, at most `most`, and whether these are all.

    One empty set without patterns; none where a pattern is empty, for nothing hits it.

    Examples
    --------
    >>> minimal_hitting_sets([0b011, 0b110])
    ([2, 5], True)
    """
    found = list(islice(_hitting_sets(minimal_patterns(patterns)), None if most is None else most + 1))
    complete = most is None or len(found) <= most
    return sorted(found[:most], key=lambda bits: (bits.bit_count(), bits)), complete


def _hitting_sets(edges: list[int]) -> Iterator[int]:
    """One by one, in a fixed order and in memory that follows the depth alone.

    References
    ----------
    Murakami, Uno (2014), Efficient algorithms for dualizing large-scale hypergraphs, doi:10.1016/j.dam.2014.01.012
    (algorithm MMCS).
    """
    if 0 in edges:
        return
    everything = 0
    for edge in edges:
        everything |= edge
    yield from _search(edges, 0, everything, {}, frozenset(range(len(edges))))


def _search(
    edges: list[int], chosen: int, candidates: int, critical: dict[int, frozenset[int]], uncovered: frozenset[int]
) -> Iterator[int]:
    """Sets that extend `chosen` by `candidates`; `critical` are the edges that each chosen bit alone hits."""
    if not uncovered:
        yield chosen
        return
    tightest = min(uncovered, key=lambda edge: ((edges[edge] & candidates).bit_count(), edge))
    branch = edges[tightest] & candidates
    candidates &= ~branch
    for bit in bits_of(branch):
        hit = frozenset(edge for edge in range(len(edges)) if edges[edge] >> bit & 1)
        left = {one: edges_of - hit for one, edges_of in critical.items()}
        if all(left.values()):  # otherwise a bit chosen before is no longer needed
            own = {bit: uncovered & hit}
            yield from _search(edges, chosen | 1 << bit, candidates, left | own, uncovered - hit)
            candidates |= 1 << bit


def bits_of(pattern: int) -> list[int]:
    """Positions of the bits that are set, ascending."""
    return [bit for bit in range(pattern.bit_length()) if pattern >> bit & 1]
