"""The whole candidate table seen once, chunk by chunk: what can still win is kept, the rest is counted.

Memory follows the chunk and the survivors, not the size of the space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.candidates.context import Context
from dse.candidates.table import NO_ACCURACY_BIT, Candidates, chunks, concatenate
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
    """

    kept: Candidates
    total: int
    broken: dict[str, int]
    alone: dict[str, int]
    misses: Candidates
    lightest: Candidates

    @property
    def feasible(self) -> IntArray:
        """Positions in `kept` that meet every requirement."""
        return np.flatnonzero(self.kept.violated == 0)


def survey(context: Context) -> Survey:
    """Evaluate every candidate of a task once."""
    bits = {rule.name: bit for bit, rule in enumerate(context.rules)} | {NO_ACCURACY: NO_ACCURACY_BIT}
    broken, alone = dict.fromkeys(bits, 0), dict.fromkeys(bits, 0)
    kept: list[Candidates] = []
    misses: list[Candidates] = []
    slow: list[Candidates] = []
    total = 0
    for chunk in chunks(context):
        total += len(chunk)
        patterns, counts = np.unique(chunk.violated, return_counts=True)
        for pattern, count in zip(patterns.tolist(), counts.tolist(), strict=True):
            for name, bit in bits.items():
                broken[name] += count if pattern >> bit & 1 else 0
                alone[name] += count if pattern == 1 << bit else 0
        kept.append(chunk.take(np.flatnonzero((chunk.violated & ~chunk.unknown) == 0)))
        slow = [_lightest(concatenate([*slow, _lightest(chunk, 1 << bits["rate"])]), 1 << bits["rate"])]
        if "deadline_ms" in bits:
            only = 1 << bits["deadline_ms"]
            misses = [_closest(concatenate([*misses, _closest(chunk, only)]), only)]
    named = {name: count for name, count in broken.items() if count}
    lightest = concatenate(slow).take(np.arange(len(concatenate(slow)) if broken["rate"] == total else 0))
    return Survey(concatenate(kept), total, named, {name: alone[name] for name in named}, concatenate(misses), lightest)


def _lightest(candidates: Candidates, too_slow: int) -> Candidates:
    """The row of the smallest load among those that break the rule of the rate."""
    late = np.flatnonzero(((candidates.violated & too_slow) != 0) & (candidates.utilization != UNKNOWN))
    order = np.argsort(candidates.utilization[late], kind="stable")
    return candidates.take(late[order[:1]])


def _closest(candidates: Candidates, only: int) -> Candidates:
    """The rows with the smallest worst case among those that break nothing but the rule `only`."""
    late = np.flatnonzero(candidates.violated == only)
    order = np.argsort(candidates.worst_case_ms[late], kind="stable")
    return candidates.take(late[order[:CLOSEST_MISSES]])
