"""Costs as coefficients the solver can be trusted with: dense ranks, every row's absolute sum below 2**30.

A choice of one row needs the order of the costs and nothing else, so each cost is replaced by its rank among the
distinct costs of its column. Large coefficients have made CP-SAT certify wrong optima (google/or-tools#5293); the sum
is therefore asserted, not hoped for.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
MAX_ROW_SUM = 2**30


def non_dominated(costs: IntArray, rank: IntArray) -> IntArray:
    """Positions of rows no other row beats, ascending by `rank`; of equal rows the first by rank stays.

    A dominated row is never the lexicographic choice, whatever `within` allows: its dominator satisfies every
    threshold it satisfies.
    """
    from moocore import is_nondominated

    order = np.argsort(rank, kind="stable")
    _, first = np.unique(costs[order], axis=0, return_index=True)
    unique = order[np.sort(first)]
    if costs.shape[1] < 2:
        return unique[costs[unique, 0] == costs[unique, 0].min()][:1] if costs.shape[1] else unique[:1]
    survivors: IntArray = unique[is_nondominated(costs[unique].astype(float))]
    return survivors


def ranks(costs: IntArray) -> tuple[IntArray, IntArray]:
    """Dense rank of every cost (0 is best) and the sorted distinct costs.

    Raises
    ------
    OverflowError
        The ranks of one column sum to 2**30 or more.
    """
    levels, rank = np.unique(costs, return_inverse=True)
    assert_small(rank)
    return rank.astype(np.int64), levels


def assert_small(coefficients: IntArray) -> None:
    """Refuse a linear row whose absolute sum could reach 2**30.

    Raises
    ------
    OverflowError
        It could.
    """
    total = int(np.abs(coefficients).sum())
    if total >= MAX_ROW_SUM:
        raise OverflowError(
            f"the coefficients of one row sum to {total}, the limit is {MAX_ROW_SUM}: narrow the search"
        )
