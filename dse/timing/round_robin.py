"""One server that serves its tasks in turns: one job a turn, or one dynamic batch a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dse.timing.load import BatchLoad, Load, Time, common_period, least_fixed_point
from dse.timing.shared_unit import backlog
from dse.timing.shared_unit import response as priority_response


def round_robin(loads: Sequence[Load], k: int) -> Time | None:
    """Longest time from the arrival of a job of load k to its completion, one job of each waiting task a round.

    Parameters
    ----------
    loads : sequence of Load
        The tasks; the jobs of one task, of all its streams, are served in order of arrival. No priorities.

    Returns
    -------
    Time or None
        None when neither the rounds nor the server as a whole can keep up.

    Notes
    -----
    From the first of q own jobs that wait in a row to the completion of the q-th, each other task has at most q turns,
    the job in service at the beginning counted as one. Nor has it more turns than jobs that arrive from R before the
    beginning, with R its own longest response: older ones are gone. t_q = q·C + sum of min(q, arrivals in R + t_q)·C_j
    and the response is max over q of t_q - (shortest span of q jobs), until the row ends before the next job.
    R starts as the response behind all other work, which bounds every policy that never idles, and is refined
    while that helps; each refinement is sound. The result is no more than that response, nor than the one with a whole
    round for each own job, which holds even when the others ask for more than the server can give.

    References
    ----------
    Richter, PhD thesis, TU Braunschweig, 2005 (busy times of q events).
    """
    others_first = [
        priority_response([replace(load, priority=int(j == i)) for j, load in enumerate(loads)], i)
        for i in range(len(loads))
    ]
    known = others_first
    for _ in loads:
        refined = [_by_turns(loads, i, known) for i in range(len(loads))]
        if refined == known:
            break
        known = refined
    return known[k]


def round_robin_dynamic(loads: Sequence[BatchLoad], k: int, timeout: Time) -> Time | None:
    """Longest time from the arrival of an item of load k to the end of its batch, one dynamic batch of a task a turn.

    Parameters
    ----------
    loads : sequence of BatchLoad
        The tasks with the service of a full batch. Streams may stop.
    k : int
        Which one.
    timeout : Time
        Its T: a batch of fewer than b items is due when its oldest item has waited so long.

    Returns
    -------
    Time or None
        S + s + max(T, max over q of m_q·S - (qP - J)+), with S the longest round and m_q the full batches ahead that q
        frames bring. Coarse: all others count as always full. None when N·S > b·P.

    Notes
    -----
    The turn for a batch starts at most S after the later of the start of the turn before and the instant it is due.
    Unrolled back to a turn that started because it was due, or to the last one that emptied the queue; all turns in
    between took b items, so the m-th last was complete at least the span of (m - 1)·b + 2 items before the arrival.
    """
    own = loads[k]
    longest_round = sum(load.service for load in loads)
    if own.streams * longest_round > own.batch * own.period:
        return None
    worst = timeout
    first = int(own.jitter // own.period) + 1
    for frames in range(first, first + own.batch + 1):
        ahead = (frames * own.streams - 2) // own.batch + 1
        worst = max(worst, ahead * longest_round - own.shortest_span((frames - 1) * own.streams + 1))
    return longest_round + own.service + worst


def _by_turns(loads: Sequence[Load], k: int, known: Sequence[Time | None]) -> Time | None:
    """Response of load k when each other one is known to respond within `known`; no more than what is known of k."""
    own = loads[k]
    rounds = backlog([replace(own, service=sum(load.service for load in loads))])  # each own job costs a whole round
    limits = [limit for limit in (known[k], rounds) if limit is not None]
    if not limits:
        return None
    limit = min(limits)
    frames = own.jitter // own.period + max(2, common_period(load.period for load in loads) // own.period)
    worst: Time = 0
    end: Time = 0
    for q in range(1, own.streams * int(frames) + 1):
        end = _end_of_turns(loads, k, known, q, end)
        worst = max(worst, end - own.shortest_span(q))
        if worst >= limit:
            return limit
        if end <= own.shortest_span(q + 1):
            return worst
    return limit  # own jobs wait without a pause: nothing better is proven


def _end_of_turns(loads: Sequence[Load], k: int, known: Sequence[Time | None], q: int, earliest: Time) -> Time:
    """End of the q-th own job that waits in a row, not before `earliest`."""

    def grow(end: Time) -> Time:
        total = q * loads[k].service
        for j, load in enumerate(loads):
            if j != k:
                response = known[j]
                turns = q if response is None else min(q, load.arrivals(response + end))
                total += turns * load.service
        return total

    return least_fixed_point(grow, max(earliest, q * loads[k].service))
