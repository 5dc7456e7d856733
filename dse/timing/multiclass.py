"""Several tasks with times of their own through the same in-order stages of one server each.

Latency is the heaviest path from an earlier arrival to the result (max-plus recursion; Baccelli, Cohen, Olsder and
Quadrat, Synchronization and Linearity, 1992). A path passes the items between one by one and changes the stage now and
then. Every item counts once, with at most its longest stage; each stage but one adds a second visit of the item at
which the path enters or leaves it. Every job takes time, however little: items of two tasks never leave a stage at one
instant, so the order in which they entered the first stage is that of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.linear import LinearRow, blocked, burst_of, work_of
from dse.timing.load import Load, Time, utilization
from dse.timing.shared_unit import backlog
from dse.timing.ticks import IntArray


def tandem_multiclass(loads: Sequence[Load], stages: Sequence[Sequence[Time]]) -> Time | None:
    """Longest latency of an item of any task through all stages, first in, first out.

    Parameters
    ----------
    loads : sequence of Load
        The streams of each task; service and priority are not used.
    stages : (tasks, stages)
        Longest time of one item of each task at each stage.

    Returns
    -------
    Time or None
        max over d of (longest stage of each item in the closed window [0, d]) - d + the stages but one, each at its
        longest task. None when the longest stages of the tasks add up to more than one server.
    """
    longest = [replace(load, service=max(times)) for load, times in zip(loads, stages, strict=True)]
    behind = backlog(longest)
    return None if behind is None else behind + _second_visits(stages)


def tandem_multiclass_affine(loads: Sequence[Load], stages: Sequence[Sequence[Time]]) -> Fraction | None:
    """Linear form of `tandem_multiclass`, never smaller: the window costs the sum of N·m·(1 + J/P)."""
    longest = [replace(load, service=max(times)) for load, times in zip(loads, stages, strict=True)]
    if utilization(longest) > 1:
        return None
    return sum((load.burst for load in longest), Fraction(0)) + _second_visits(stages)


def unit_then_stages(loads: Sequence[Load], k: int, after: Sequence[Time]) -> Time | None:
    """Longest time from the arrival at a shared FIFO server to the end of the last stage behind it.

    Parameters
    ----------
    loads : sequence of Load
        The tasks at the server; priorities are not used.
    k : int
        The task whose items go on.
    after : sequence of Time
        Longest time of one of its items at each private stage behind the server, in order.

    Returns
    -------
    Time or None
        max over d of (others in the closed window [0, d]) + m·(own in [0, d]) - d + (C and all stages) - m, with m the
        longest of C and the stages. None when the utilisation with m in place of C exceeds 1.

    Notes
    -----
    A heaviest path begins with the arrival of some job a span d earlier, passes jobs of all tasks at the server up to
    an own item, and from there own items at the stages. Jobs that arrive after the own item are behind it. Each job of
    the window counts once: another task's with at most its service, an own one with at most m. Of the server and the
    stages, all but the slowest add one more own visit (where the path leaves those before it and enters those behind).
    """
    own = loads[k]
    slowest = max(own.service, *after) if after else own.service
    behind = backlog([replace(load, service=slowest) if j == k else load for j, load in enumerate(loads)])
    return None if behind is None else behind + own.service + sum(after) - slowest


def multiclass_row(
    tasks: Sequence[Arrivals],
    stages: Sequence[Sequence[IntArray]],
    second_visits: int,
    deadline: int,
) -> LinearRow:
    """Row that says `tandem_multiclass_affine` of the chosen candidates is at most the deadline.

    Parameters
    ----------
    tasks : sequence of Arrivals
        The streams of each task.
    stages : for each task, a sequence of (n_j,) arrays
        Longest time of one item of each candidate at each stage [tick].
    second_visits : int
        What the stages but one add [tick]: a constant no choice exceeds, or 0 if the solver adds variables v_k that
        are at least each chosen time at stage k.
    deadline : int
        [tick].
    """
    works = [work_of(task, np.max(times, axis=0)) for task, times in zip(tasks, stages, strict=True)]
    bound = deadline - second_visits
    columns = []
    for task, work in zip(tasks, works, strict=True):
        columns.append(blocked(burst_of(task, work), work > task.period_down, bound))
    return LinearRow(tuple(columns), bound)


def _second_visits(stages: Sequence[Sequence[Time]]) -> Time:
    """Longest time of any task at each stage, summed over all stages but the one where that is largest."""
    slowest: list[Time] = [max(times) for times in zip(*stages, strict=True)]
    return sum(slowest) - max(slowest)
