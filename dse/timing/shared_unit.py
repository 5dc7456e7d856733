"""Response of a job at one server that several tasks share: no preemption, fixed priorities, in order among equals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dse.timing.load import Load, Time, busy_window, last_span, least_fixed_point, steps, utilization


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
    since a job may push a later one of its own task (self-pushing). There are few, except at a utilisation of exactly 1
    with periods that have no short common multiple.

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
    for span in steps(level, _last_span(own, level, higher, blocking)):
        ahead = blocking + sum(load.service * load.arrivals(span) for load in level) - own.service
        start = _start(ahead, higher, start)
        worst = max(worst, start + own.service - span)
    return worst


def backlog(loads: Sequence[Load]) -> Time | None:
    """Longest time to work off what all loads have brought: the response at a FIFO server, the same for each.

    max over d of (work arriving in the closed window [0, d]) - d; priorities have no meaning here.
    """
    return response([replace(load, priority=0) for load in loads], 0)


def _last_span(own: Load, level: Sequence[Load], higher: Sequence[Load], blocking: Time) -> Time:
    """Span from which on no response is longer: the end of the busy window, or where the line above all stairs is low.

    The line is the closed form of `shared_affine`; at the span 0 the stairs are often as high already.
    """
    left = 1 - utilization(higher)
    bursts = sum((load.burst for load in [*level, *higher]), Fraction(0))
    line = (blocking + bursts - own.service) / left + own.service
    at_once = blocking + sum(load.service * load.arrivals(0) for load in level) - own.service
    reached = _start(at_once, higher, 0) + own.service
    limit = last_span(line, 1 - utilization(level) / left, reached)
    return busy_window([*level, *higher], blocking, limit)


def _start(ahead: Time, higher: Sequence[Load], earliest: Time) -> Time:
    """Start of a job behind fixed work and all higher jobs that arrive until then."""
    return least_fixed_point(
        lambda start: ahead + sum(load.service * load.arrivals(start) for load in higher), max(ahead, earliest)
    )
