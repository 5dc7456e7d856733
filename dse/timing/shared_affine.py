"""One server shared by several tasks, in closed form: for screening, and as rows for a 0/1 solver.

The stairs of the exact form (`shared_unit`) are replaced by the lines above them, so that no window but the first
counts. Bini, Nguyen, Richard and Baruah, IEEE Trans. Computers 58, 2009 (affine response bounds); George, Rivierre and
Spuri, INRIA RR-2966, 1996 (FIFO). Everything is in int64 ticks and rounds up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.linear import LinearRow, blocked, burst_of, capacity, share_of, work_of
from dse.timing.ticks import INFINITE, MAX_TICKS, IntArray
from dse.timing.wide import ratio_up


def fifo_affine(tasks: Sequence[Arrivals], services: IntArray) -> IntArray:
    """Longest response at a first in, first out server, the same for all its tasks.

    Parameters
    ----------
    tasks : sequence of Arrivals
        The streams of each task.
    services : (tasks, n)
        Longest time of one job of each task on n candidates [tick].

    Returns
    -------
    (n,)
        Sum of N·C·(1 + J/P) [tick], never below the exact response; INFINITE where the utilisation exceeds 1.
    """
    whole = capacity(tasks)
    total, load = np.zeros((2, np.shape(services)[1]), dtype=np.int64)
    for task, service in zip(tasks, services, strict=True):
        work = work_of(task, service)
        total += burst_of(task, work)
        load += share_of(task, work, whole)
    total[load > whole] = INFINITE
    return total


def npfp_sufficient(tasks: Sequence[Arrivals], services: IntArray, priorities: Sequence[int]) -> IntArray:
    """Longest response of each task at a server with fixed priorities, in order among equals, no preemption.

    Parameters
    ----------
    tasks, services
        As in `fifo_affine`.
    priorities : sequence of int
        Of each task; 0 is highest.

    Returns
    -------
    (tasks, n)
        (B + N·C·(1 + J/P) of own and higher levels - C) / (1 - U of higher levels) + C [tick], with B the longest
        service of a lower level. Never below the exact response; INFINITE where own and higher levels exceed 1.

    Notes
    -----
    A job that arrives a span d into the busy window adds d·U(own)/(1 - U(higher)) - d, which is not positive while
    own and higher levels stay within 1: d = 0 is the worst.
    """
    whole = capacity(tasks)
    services = np.asarray(services, dtype=np.int64)
    works = [work_of(task, service) for task, service in zip(tasks, services, strict=True)]
    result = np.empty(services.shape, dtype=np.int64)
    levels = sorted(set(priorities))
    members = {level: [j for j, priority in enumerate(priorities) if priority == level] for level in levels}
    lower = np.zeros((len(levels), services.shape[1]), dtype=np.int64)
    for rank in range(len(levels) - 2, -1, -1):
        longest = services[members[levels[rank + 1]]].max(axis=0)
        np.maximum(lower[rank + 1], longest, out=lower[rank])
    burst, above = np.zeros((2, services.shape[1]), dtype=np.int64)
    for rank, level in enumerate(levels):
        within = above.copy()
        for j in members[level]:
            burst += burst_of(tasks[j], works[j])
            within += share_of(tasks[j], works[j], whole)
        unstable = (within > whole) | (above >= whole)
        left = np.where(unstable, whole, whole - above)
        for j in members[level]:
            start = ratio_up(np.maximum(lower[rank] + burst - services[j], 0), whole, left)
            result[j] = np.where(unstable | (start >= INFINITE), INFINITE, start + services[j])
        above = within
    return result


def fifo_row(tasks: Sequence[Arrivals], services: Sequence[IntArray], deadline: int) -> LinearRow:
    """Row that holds exactly when `fifo_affine` of the chosen candidates is at most the deadline [tick].

    Parameters
    ----------
    tasks : sequence of Arrivals
        The streams of each task.
    services : one (n_j,) array for each task
        Longest time of one job of each candidate [tick].
    deadline : int
        Shortest deadline of the tasks on the server [tick]; each needs its own row if they may be elsewhere.

    Notes
    -----
    To be used together with `utilization_row`.
    """
    columns = []
    for task, service in zip(tasks, services, strict=True):
        work = work_of(task, service)
        columns.append(blocked(burst_of(task, work), work > task.period_down, deadline))
    return LinearRow(tuple(columns), deadline)


def priority_rows(
    tasks: Sequence[Arrivals],
    services: Sequence[IntArray],
    priorities: Sequence[int],
    k: int,
    own_service: int,
    deadline: int,
) -> list[LinearRow]:
    """Rows that say `npfp_sufficient` of task k, with its candidate fixed, is at most the deadline.

    Parameters
    ----------
    tasks, services, priorities
        As in `fifo_row` and `npfp_sufficient`; the candidates of task k get coefficients 0.
    k, own_service : int
        The task and the service of its chosen candidate [tick].
    deadline : int
        Its deadline [tick], at most MAX_TICKS.

    Returns
    -------
    list of LinearRow
        One for each task of a lower level, which may block, or one if there is none. They hold for all together when
        each holds. Enforce them by the choice of the own candidate, together with `utilization_row` of its own and
        the higher levels.

    Raises
    ------
    ValueError
        The deadline or a service is out of range.

    Notes
    -----
    With t = D - C the closed form reads (B + own + other) <= t·(1 - U(higher)). Moving t·U to the left gives
    N·C·(1 + (t + J)/P) for a higher task: constant once the own candidate is. Rounding up each coefficient costs less
    than a tick per task.
    """
    if deadline > MAX_TICKS:
        message = f"deadline of {deadline} ticks: expected at most {MAX_TICKS}"
        raise ValueError(message)
    start = deadline - own_service
    own = int(burst_of(tasks[k], work_of(tasks[k], np.array([own_service])))[0]) - own_service
    fits = tasks[k].streams * own_service <= tasks[k].period_down
    bound = start - own if fits else -1
    shared: list[IntArray] = []
    for j, (task, service) in enumerate(zip(tasks, services, strict=True)):
        column = np.zeros(len(service), dtype=np.int64)
        if j != k and priorities[j] <= priorities[k]:
            work = work_of(task, service)
            later = max(start, 0) if priorities[j] < priorities[k] else 0
            column = blocked(burst_of(task, work, later), work > task.period_down, bound)
        shared.append(column)
    lower = [j for j, priority in enumerate(priorities) if priority > priorities[k]]
    if not lower:
        return [LinearRow(tuple(shared), bound)]
    rows = []
    for j in lower:
        columns = [*shared]
        columns[j] = np.asarray(services[j], dtype=np.int64)
        rows.append(LinearRow(tuple(columns), bound))
    return rows
