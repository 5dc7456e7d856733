"""Linear rows over 0/1 choices: each task takes at most one of its candidates on the shared unit, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.load import common_period
from dse.timing.ticks import MAX_TICKS, BoolArray, IntArray
from dse.timing.wide import ratio_up

#: Finest unit of utilisation: a common period beyond it is replaced by it, and shares then round up.
_FINEST = 2**40


@dataclass(frozen=True)
class LinearRow:
    """Sum over tasks of coefficient·(candidate chosen) <= bound.

    Parameters
    ----------
    coefficients : one (n_j,) array for each task
        One entry >= 0 for each candidate. One that cannot be stable on its own has bound + 1 or more.
    bound : int
        Right side; negative when nothing can hold.
    """

    coefficients: tuple[IntArray, ...]
    bound: int

    def holds(self, choice: Sequence[int | None]) -> bool:
        """Whether the row holds for the candidate chosen for each task, None for a task that is elsewhere."""
        pairs = zip(self.coefficients, choice, strict=True)
        return sum(int(column[row]) for column, row in pairs if row is not None) <= self.bound


def utilization_row(tasks: Sequence[Arrivals], services: Sequence[IntArray]) -> LinearRow:
    """Demand of all tasks at most 1, in parts of `capacity`.

    Parameters
    ----------
    tasks : sequence of Arrivals
        The streams of each task.
    services : one (n_j,) array for each task
        Longest time of one job of each candidate [tick].
    """
    whole = capacity(tasks)
    works = (work_of(task, service) for task, service in zip(tasks, services, strict=True))
    shares = tuple(share_of(task, work, whole) for task, work in zip(tasks, works, strict=True))
    return LinearRow(shares, whole)


def capacity(tasks: Sequence[Arrivals]) -> int:
    """Parts that make up a utilisation of 1: the common period, in which all shares are whole, if it is not too long.

    Else 2**40, in which a share is rounded up.
    """
    return min(int(common_period(task.period_down for task in tasks)), _FINEST)


def work_of(task: Arrivals, service: IntArray) -> IntArray:
    """Work N·C that the streams of a task bring in a period [tick]; P + 1 when it is more than P, which is unstable.

    Raises
    ------
    ValueError
        A service is negative or beyond MAX_TICKS.
    """
    service = np.asarray(service, dtype=np.int64)
    if service.size and not 0 <= int(service.min()) <= int(service.max()) <= MAX_TICKS:
        message = f"services from {service.min()} to {service.max()} ticks: expected 0 to {MAX_TICKS}"
        raise ValueError(message)
    return np.asarray(np.minimum(task.streams * service, task.period_down + 1))


def share_of(task: Arrivals, work: IntArray, whole: int) -> IntArray:
    """Utilisation work/P in parts of `whole`, rounded up."""
    parts, rest = divmod(whole, task.period_down)
    if rest:
        return ratio_up(work, whole, task.period_down)
    return work if parts == 1 else work * parts


def burst_of(task: Arrivals, work: IntArray, later: int = 0) -> IntArray:
    """Work that can be waiting at once, N·C·(1 + (J + later)/P) [tick], rounded up; `later` [tick] >= 0 is a window."""
    spread = task.jitter + later
    return work + ratio_up(work, spread, task.period_down) if spread else work


def blocked(coefficients: IntArray, unstable: BoolArray, bound: int) -> IntArray:
    """Coefficients with those of unstable candidates raised beyond the bound."""
    return np.where(unstable, max(bound, 0) + 1, coefficients)
