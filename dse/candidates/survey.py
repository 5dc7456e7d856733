"""The whole candidate table seen once, chunk by chunk: what can still win is kept, the rest is counted.

Memory follows the chunk and the survivors, not the size of the space.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context
from dse.candidates.table import NO_ACCURACY_BIT, Block, Candidates, blocks, concatenate
from dse.catalog.types import IntArray
from dse.schema import UNKNOWN

CLOSEST_MISSES = 20
NO_ACCURACY = "accuracy unknown, or weaker than guard.evidence"


@dataclass(frozen=True)
class Survey:
    """What a pass over all candidates leaves.

    Parameters
    ----------
    kept : Candidates
        Rows that no known figure refuses: the feasible ones, and those that only lack a figure.
    total : int
        Candidates seen.
    broken, alone : dict
        Per requirement: candidates that break it, and that break nothing else.
    misses : Candidates
        The rows closest to the deadline among those that miss nothing but it.
    lightest : Candidates
        Of the rows that cannot keep up with the rate the one of the smallest load; empty where one keeps up.
    patterns : dict
        For every set of broken requirements, as bits, how many candidates break exactly these.
    """

    kept: Candidates
    total: int
    broken: dict[str, int]
    alone: dict[str, int]
    misses: Candidates
    lightest: Candidates
    patterns: dict[int, int]

    @property
    def feasible(self) -> IntArray:
        """Positions in `kept` that meet every requirement."""
        return np.flatnonzero(self.kept.violated == 0)


def survey(context: Context) -> Survey:
    """Evaluate every candidate of a task once."""
    bits = {rule.name: bit for bit, rule in enumerate(context.rules)} | {NO_ACCURACY: NO_ACCURACY_BIT}
    broken, alone = dict.fromkeys(bits, 0), dict.fromkeys(bits, 0)
    together: Counter[int] = Counter()
    kept: list[Candidates] = []
    misses = concatenate([])
    slow: list[Candidates] = []
    total = 0
    for block in blocks(context):
        total += len(block)
        patterns, counts = np.unique(block.violated, return_counts=True)
        for pattern, count in zip(patterns.tolist(), counts.tolist(), strict=True):
            together[pattern] += count
            for name, bit in bits.items():
                broken[name] += count if pattern >> bit & 1 else 0
                alone[name] += count if pattern == 1 << bit else 0
        kept.append(block.take(np.flatnonzero((block.violated & ~block.unknown) == 0)))
        slow.append(block.take(_lightest(block, 1 << bits["rate"])))
        if "deadline_ms" in bits:
            close = block.take(_closest(block, 1 << bits["deadline_ms"]))
            misses = _first(concatenate([misses, close]), "worst_case_ms", CLOSEST_MISSES)
    named = {name: count for name, count in broken.items() if count}
    never_in_time = broken["rate"] == total
    lightest = _first(concatenate(slow), "utilization", 1 if never_in_time else 0)
    alone = {name: alone[name] for name in named}
    return Survey(concatenate(kept), total, named, alone, misses, lightest, dict(sorted(together.items())))


def _lightest(block: Block, too_slow: int) -> IntArray:
    """Position of the smallest load among the rows that break the rule of the rate; empty without one."""
    late = np.flatnonzero((block.violated & too_slow) != 0)
    load = block.column("utilization", late)
    known = np.flatnonzero(load != UNKNOWN)
    return late[known[np.argmin(load[known], keepdims=True)]] if len(known) else late[:0]


def _closest(block: Block, only: int) -> IntArray:
    """Positions of the smallest worst cases among the rows that break nothing but the rule `only`."""
    late = np.flatnonzero(block.violated == only)
    return late[np.argsort(block.column("worst_case_ms", late), kind="stable")[:CLOSEST_MISSES]]


def _first(candidates: Candidates, column: str, count: int) -> Candidates:
    """The rows with the smallest figures, the earlier ones of equals."""
    return candidates.take(np.argsort(getattr(candidates, column), kind="stable")[:count])
