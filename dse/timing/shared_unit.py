"""Response of a job at one server that several tasks share: no preemption, fixed priorities, in order among equals."""

from __future__ import annotations

from collections.abc import Sequence

from dse.timing.load import Load, Time, busy_window, least_fixed_point, steps, utilization


def response(loads: Sequence[Load], k: int) -> Time | None:
    """Longest time from the arrival of a job of load k at the server to its completion.

    Parameters
    ----------
    loads : sequence of Load
        All tasks at the server. With equal priorities the server is first in, first out; with different ones it has
        fixed priorities.
    k : int
        Which one.

    Returns
    -------
    Time or None
        Attained as a supremum for one level and for levels of one stream each. None: the own and higher levels demand
        more than the server can give.

    Notes
    -----
    Busy window of the own and higher levels, which starts when a lower job (the longest of them) has just begun: it
    runs to its end, so nothing may be subtracted. The own job arrives a span d later and is the last of the arrivals of
    its level in the closed window [0, d]. It starts at the least w = (lower) + (own level in [0, d]) - C + (higher in
    [0, w]); a higher job that arrives at the very start still goes first. All spans at which the level grows are tried,
    since a job may push a later one of its own task (self-pushing).

    References
    ----------
    George, Rivierre and Spuri, INRIA RR-2966, 1996 (FIFO); Davis, Burns, Bril and Lukkien, Real-Time Systems 35, 2007,
    doi:10.1007/s11241-007-9012-7 (fixed priorities); Tindell, Burns and Wellings, 1994 (event counts).
    """
    own = loads[k]
    level = [load for load in loads if load.priority == own.priority]
    higher = [load for load in loads if load.priority < own.priority]
    blocking = max((load.service for load in loads if load.priority > own.priority), default=0)
    # A job without work could starve behind higher levels that take everything.
    if utilization([*level, *higher]) > 1 or utilization(higher) == 1:
        return None
    start: Time = 0
    worst: Time = 0
    for span in steps(level, busy_window([*level, *higher], blocking)):
        ahead = blocking + sum(load.service * load.arrivals(span) for load in level) - own.service
        start = _start(ahead, higher, start)
        worst = max(worst, start + own.service - span)
    return worst


def backlog(loads: Sequence[Load]) -> Time | None:
    """Longest time to work off what all loads have brought: the response at a FIFO server, the same for each.

    max over d of (work arriving in the closed window [0, d]) - d; priorities have no meaning here.
    """
    if utilization(loads) > 1:
        return None
    return max(
        sum(load.service * load.arrivals(span) for load in loads) - span for span in steps(loads, busy_window(loads))
    )


def _start(ahead: Time, higher: Sequence[Load], earliest: Time) -> Time:
    """Start of a job behind fixed work and all higher jobs that arrive until then."""
    return least_fixed_point(
        lambda start: ahead + sum(load.service * load.arrivals(start) for load in higher), max(ahead, earliest)
    )
