"""The longest time one inference may take on one server, from the problem alone: by its rate, and by its deadline.

    by rate       t <= cap·P/N
    by deadline   t·(m + 1) <= D - A + (qP - J)+   for the items of q + 1 frames that come together, m + 1 = (q + 1)·N

with N items per period P, cap the largest load allowed, D the deadline, A everything around the network, J the jitter
there. Both hold for the slowest run of a network, and are exact; whichever is smaller binds. No design on one server
that takes items one at a time can take longer, since stages that depend on the chip count at their least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dse.budgeting.stated import ZERO, Around, around
from dse.candidates.path import is_synchronous
from dse.candidates.service import is_soft
from dse.problem.fields import exact
from dse.problem.spec import Problem, Task
from dse.problem.stage import INFER
from dse.timing.exact import service_budget

ONE = Fraction(1)


@dataclass(frozen=True)
class Burst:
    """Items that may come within a window [ms], and the longest time of each with which the last is in time [ms]."""

    items: int
    window_ms: Fraction
    limit_ms: Fraction


@dataclass(frozen=True)
class BatchTimes:
    """Longest time of a whole batch [ms], slowest run, its wait for the memory bus in it; None where there is no limit.

    ``rate_ms`` by the rate; ``at_once_ms`` by the deadline when items come together and nobody waits for a batch
    to fill, so that the least number of batches is in front; ``counted_ms`` by both when the first item of a batch
    waits for the last, which a stream that stops would make last for ever. Zero where nothing is left.
    """

    batch: int
    rate_ms: Fraction
    at_once_ms: Fraction | None
    counted_ms: Fraction | None


@dataclass(frozen=True)
class TaskTimes:
    """What one inference of a task may take on one server [ms].

    ``bare_ms`` is by the rate alone, ``capped_ms`` under the cap on load, ``deadline_ms`` by the burst that decides
    (None without a deadline), ``stage_ms`` the limit stated for the network itself. ``network_ms`` is the least of the
    three less the wait for the memory bus: the slowest run of the network, zero where nothing is left; ``binds`` says
    which: ``rate``, ``deadline``, ``max_ms`` or ``stages``.
    """

    task: str
    streams: int
    items_per_frame: int
    period_ms: Fraction
    items_per_s: Fraction
    cap: Fraction
    bare_ms: Fraction
    capped_ms: Fraction
    around: Around
    due_ms: Fraction | None
    left_ms: Fraction | None
    burst: Burst | None
    stage_ms: Fraction | None
    network_ms: Fraction
    binds: str
    batches: tuple[BatchTimes, ...]
    soft: bool
    follows: tuple[str, ...]


def task_times(problem: Problem, task: Task) -> TaskTimes:
    """The times one inference of a task may take, from the problem alone."""
    cap = cap_of(problem)
    source, period, items = problem.source_of(task), problem.period_ms(task), problem.items_of(task)
    each, found = source.streams * items, around(problem, task, cap)
    due = due_ms(problem, task)
    left = None if due is None else due - found.total_ms
    jitter, soft = found.jitter_ms + found.variation_ms, is_soft(task)
    burst = None if left is None else _burst(left, each, period, jitter, found, soft=soft)
    stage = next((exact(s.max_ms) for s in task.stages if s.name == INFER and s.max_ms is not None), None)
    limits = {"rate": cap * period / each} | ({} if burst is None else {"deadline": burst.limit_ms})
    net = {name: limit - found.contention_ms for name, limit in limits.items()}
    net |= {"max_ms": stage - found.contention_ms} if stage is not None else {}
    net |= {"stages": ZERO} if found.overloaded else {}
    binds = min(net, key=lambda name: net[name])
    aligned = is_synchronous(problem, task) and not task.after and items == 1
    return TaskTimes(
        task=task.name,
        streams=source.streams,
        items_per_frame=items,
        period_ms=period,
        items_per_s=1000 * each / period,
        cap=cap,
        bare_ms=period / each,
        capped_ms=limits["rate"],
        around=found,
        due_ms=due,
        left_ms=left,
        burst=burst,
        stage_ms=stage,
        network_ms=max(ZERO, net[binds]),
        binds=binds,
        batches=tuple(
            _batch(batch, cap, period, each, left, jitter, aligned=aligned, soft=soft)
            for batch in problem.batches_of(task)
            if batch > 1
        ),
        soft=soft,
        follows=task.after,
    )


def cap_of(problem: Problem) -> Fraction:
    """Largest load of a server: `limits.utilization`, or what `limits.rate_headroom` leaves; 1 without either."""
    limits = problem.limits
    load, spare = limits.get("utilization"), limits.get("rate_headroom")
    cap = ONE if load is None or load.maximum is None else min(ONE, exact(load.maximum))
    if spare is not None and spare.minimum is not None:
        cap = min(cap, 1 / (1 + exact(spare.minimum)))
    return cap


def due_ms(problem: Problem, task: Task) -> Fraction | None:
    """Time until the result must be there [ms]: the deadline less the slack asked for, or the limit on it.

    A slack below zero is a looser limit than the deadline itself, which still binds.
    """
    limits, found = problem.limits, []
    if task.deadline_ms is not None:
        slack = limits.get("slack_ms")
        found.append(exact(task.deadline_ms) - max(ZERO, exact((slack.minimum if slack else None) or 0.0)))
    worst = limits.get("worst_case_ms")
    if worst is not None and worst.maximum is not None:
        found.append(exact(worst.maximum))
    return min(found, default=None)


def _burst(left: Fraction, each: int, period: Fraction, jitter: Fraction, found: Around, *, soft: bool) -> Burst:
    """The burst that allows the least time: `each` items a period, within `left` ms after delays, jitter and stages.

    One frame more than the jitter spans is enough: each further one brings no more work than time, or the rate binds.
    An estimate for most items counts no wait: the item alone must be in time.
    """
    if soft:
        return Burst(1, ZERO, left + found.ahead_ms * found.ahead_share)
    first = math.floor(jitter / period)
    bursts = []
    for q in (first, first + 1):
        items, window = (q + 1) * each, max(ZERO, q * period - jitter)
        bursts.append(Burst(items, window, _longest(left + window, items, found)))
    return min(bursts, key=lambda burst: burst.limit_ms)


def _longest(left: Fraction, items: int, found: Around) -> Fraction:
    """Largest t with m·max(t, slowest) + t - share·min(t, ahead) <= left, m + 1 being the items [ms]."""
    limits = []
    for queued, fixed in ((items - 1, ZERO), (0, (items - 1) * found.slowest_ms)):
        limits.append((left - fixed + found.ahead_share * found.ahead_ms) / (queued + 1))
        if queued + 1 > found.ahead_share:
            limits.append((left - fixed) / (queued + 1 - found.ahead_share))
        elif left < fixed:
            limits.append(left - fixed)
    return min(limits)


def _batch(
    batch: int,
    cap: Fraction,
    period: Fraction,
    each: int,
    left: Fraction | None,
    jitter: Fraction,
    *,
    aligned: bool,
    soft: bool,
) -> BatchTimes:
    """The limits on a batch. What stages hide behind the network is not counted."""
    rate = cap * period * batch / each
    if left is None or soft:
        return BatchTimes(batch, rate, None, None)
    first = math.floor(jitter / period)
    frames = range(first, first + batch // math.gcd(each, batch) + 1)  # later ones bring no more work than time
    at_once = [(left + max(ZERO, q * period - jitter)) / max(1, (q + 1) * each // batch) for q in frames]
    counted = service_budget(each, period, left, batch=batch, jitter=jitter, cap=cap, synchronous=aligned)
    return BatchTimes(batch, rate, max(ZERO, min(at_once)), max(ZERO, counted))
