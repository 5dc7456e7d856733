"""Counted batches of several tasks at one server, first in, first out by the time a batch is complete.

A batch of a task no longer waits for its last item while the server works on earlier items alone: what other tasks
bring meanwhile adds. Two cases bound the latency of the first item of a batch: the server became busy after that item
arrived (only others are ahead), or before (own batches completed before it, others until the own batch completes).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.linear import LinearRow, blocked
from dse.timing.load import BatchLoad, Time, common_period, least_fixed_point, steps
from dse.timing.ticks import IntArray
from dse.timing.wide import ratio_up


def shared_batches_fifo_exact(loads: Sequence[BatchLoad], k: int) -> Time | None:
    """Longest time from the arrival of an item of load k to the completion of its batch; None: more than the server.

    Notes
    -----
    With W the wait for the own batch: s + the larger of W + max over 0 <= d <= W of (batches of others in d) - d, and
    max over d >= 0 of (own batches ahead in d) + (batches of others in d + W) - d. Both grow only where an item can
    arrive, so these windows are tried. Beyond the longest busy window, or beyond the time after which all batches
    and frames repeat, nothing is worse.

    References
    ----------
    Richter, PhD thesis, TU Braunschweig, 2005 (event counts in the busy window).
    """
    own, others = loads[k], [load for j, load in enumerate(loads) if j != k]
    if sum((load.utilization for load in loads), Fraction(0)) > 1:
        return None
    wait = own.formation()

    def brought(window: Time) -> Time:
        return sum(load.service * load.batches(window) for load in others)

    after = max(brought(span) - span for span in steps(others, wait + 1) if span <= wait)
    end = _longest_busy(loads)
    spans = {0, *steps([own], end), *(step - wait for step in steps(others, end + wait) if step >= wait)}
    before = max(own.batches_ahead(span) * own.service + brought(span + wait) - span for span in spans)
    return own.service + max(wait + after, before)


def shared_batches_fifo(loads: Sequence[BatchLoad], k: int) -> Fraction | None:
    """Linear form of `shared_batches_fifo_exact`, never smaller; a fraction also in ticks.

    s + max(W + sum of B_j, B' + sum of (B_j + U_j·W)) over the others, with B_j = s·((N + b - 1)/b + N·J/(P·b)) and
    B' the same with N + b - 2 for the own task.
    """
    if sum((load.utilization for load in loads), Fraction(0)) > 1:
        return None
    own, others = loads[k], [load for j, load in enumerate(loads) if j != k]
    bursts = sum((_burst(load, load.batch - 1) for load in others), Fraction(0))
    meanwhile = sum((load.utilization * own.formation() for load in others), Fraction(0))
    return own.service + max(own.formation() + bursts, _burst(own, own.batch - 2) + bursts + meanwhile)


def shared_batches_rows(
    tasks: Sequence[Arrivals],
    services: Sequence[IntArray],
    batches: Sequence[IntArray],
    k: int,
    own: int,
    deadline: int,
) -> tuple[LinearRow, LinearRow]:
    """Rows that say the linear form of task k, with its candidate fixed, is at most the deadline.

    Parameters
    ----------
    tasks : sequence of Arrivals
        The streams of each task; none may stop where a batch has more than one item.
    services, batches : one (n_j,) array for each task
        Longest time of a full batch [tick] and its size, for each candidate.
    k, own : int
        The task and its chosen candidate; the candidates of task k get coefficients 0.
    deadline : int
        Its deadline [tick].

    Returns
    -------
    (LinearRow, LinearRow)
        One for each case of the maximum. Enforce both by the choice of the own candidate, with the utilisation of all
        batches at most 1. Each coefficient is rounded up, which costs a few ticks per task.

    Raises
    ------
    ValueError
        A stream of task k may stop and its batch has more than one item.
    """
    service, batch = int(services[k][own]), int(batches[k][own])
    load = BatchLoad.batched(tasks[k], service, batch)
    wait = int(load.formation())
    fits = load.utilization <= 1
    late = deadline - service - wait if fits else -1
    early = deadline - service - math.ceil(_burst(load, batch - 2)) if fits else -1
    first, second = [], []
    for j, (other, times, sizes) in enumerate(zip(tasks, services, batches, strict=True)):
        times, sizes = np.asarray(times, dtype=np.int64), np.asarray(sizes, dtype=np.int64)  # noqa: PLW2901
        if j == k:
            first.append(np.zeros_like(times))
            second.append(np.zeros_like(times))
            continue
        unstable = times > sizes * other.period_down // other.streams
        work = np.where(unstable, 0, times)
        # Per period N/b batches, at most P of work: the rate times any span stays far below 2**63.
        rate = -(-work * other.streams // sizes)
        burst = rate + -(-work * (sizes - 1) // sizes) + _over_period(rate, other.jitter, other)
        first.append(blocked(burst, unstable, late))
        second.append(blocked(burst + _over_period(rate, wait, other), unstable, early))
    return LinearRow(tuple(first), late), LinearRow(tuple(second), early)


def _over_period(rate: IntArray, span: int, task: Arrivals) -> IntArray:
    """Work in a span [tick] at `rate` ticks of work a period; at most the span, as the rate is at most the period."""
    periods, rest = divmod(span, task.period_down)
    return rate * periods + ratio_up(rate, rest, task.period_down)


def _burst(load: BatchLoad, left: int) -> Fraction:
    """Work of the batches that N items and `left` more complete, with what the jitter adds."""
    later = Fraction(load.streams * load.jitter) / Fraction(load.period)
    return Fraction(load.service) * (load.streams + left + later) / load.batch


def _longest_busy(loads: Sequence[BatchLoad]) -> Time:
    """Longest time the batches keep the server busy, or the time after which batches and frames repeat."""
    repeat = common_period(load.period * (load.batch // math.gcd(load.streams, load.batch)) for load in loads)

    def work(window: Time) -> Time:
        return sum(load.service * load.batches(window) for load in loads)

    return min(least_fixed_point(work, work(0), repeat), repeat)
