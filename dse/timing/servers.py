"""Several equal servers behind one queue: counted batches, item stages in a row, unequal tasks.

A queue hands its first job to the server that is free first; results leave in order. Services may be shorter than
given: the recursions only grow with them (Kiefer and Wolfowitz 1955). Scalar forms are exact and work on `Load`, array
forms on int64 ticks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.load import BatchLoad, Load, Time, utilization
from dse.timing.stages import formation, span
from dse.timing.ticks import INFINITE, IntArray

#: Most servers of a stage: keeps what they have in service within int64.
MAX_SERVERS = 2**10


def latency_count(arrivals: Arrivals, batch: IntArray, service: IntArray, servers: IntArray | int) -> IntArray:
    """Latency of batches of exactly b items at c servers, from the release of an item to the end of its batch.

    Parameters
    ----------
    arrivals : Arrivals
        The streams; none may stop when a batch is larger than 1.
    batch, service : (n,)
        b, and the longest time of a full batch [tick].
    servers : (n,) or scalar
        c, 1 to MAX_SERVERS.

    Returns
    -------
    (n,)
        max(W, Q) + s [tick], INFINITE where N·s > c·b·P. W is the wait until the batch is full, Q the backlog: each
        server takes every c-th batch, so only every c-th of the batches ahead delays. Attained as a supremum.

    Raises
    ------
    ValueError
        A stream may stop: a batch then waits for ever. Or a number of servers is out of range.
    """
    batch = np.asarray(batch, dtype=np.int64)
    service, count = (np.broadcast_to(np.asarray(x, dtype=np.int64), batch.shape) for x in (service, servers))
    _check_servers(count)
    if arrivals.may_stop and (batch > 1).any():
        message = f"count batching of {batch.max()} items has no bound when a stream may stop: use dynamic batching"
        raise ValueError(message)
    total = np.zeros(batch.shape, dtype=np.int64)
    for key in np.unique(batch * MAX_SERVERS + count - 1):
        size, c = int(key) // MAX_SERVERS, int(key) % MAX_SERVERS + 1
        rows = np.flatnonzero((batch == size) & (count == c))
        total[rows] = _count(arrivals, size, c, service[rows])
    return total


def latency_count_exact(load: BatchLoad, servers: int = 1, *, synchronous: bool = False) -> Time | None:
    """As `latency_count` for one candidate, exactly; `synchronous` as in `Arrivals`. None: no bound."""
    if load.utilization > servers:
        return None
    n, b = load.streams, load.batch
    aligned = math.gcd(n, b) if synchronous else 1
    queue: Time = 0
    first = int(load.jitter // load.period) + 1
    for frames in range(first, first + _repeat(n, b * servers) + 1):
        batches = (frames * n - aligned - 1 + b) // (b * servers)
        queue = max(queue, batches * load.service - load.shortest_span((frames - 1) * n + 1))
    return max(load.formation(aligned), queue) + load.service


def tandem(
    arrivals: Arrivals,
    stages: Sequence[IntArray | int],
    servers: Sequence[IntArray | int],
    variation: IntArray | int = 0,
) -> IntArray:
    """Latency of an item through item stages in a row, each with servers of its own.

    Parameters
    ----------
    arrivals : Arrivals
        The streams.
    stages, servers : sequences of (n,) or scalar
        Longest time of one item at each stage [tick], and its number of servers c, 1 to MAX_SERVERS.
    variation : (n,) or scalar
        Variation of delays on the way [tick]; adds to the jitter.

    Returns
    -------
    (n,)
        Sum of the stages + max over m of floor(m·slowest) - delta_min(m + 1) [tick], with the slowest s/c. Exact for
        one server each. INFINITE where N·s > c·P at a stage.

    References
    ----------
    Friedman, Operations Research 13, 1965; Le Boudec and Thiran, Network Calculus, 2001, ch. 1.
    """
    rows = np.broadcast_shapes((1,), np.shape(variation), *map(np.shape, stages), *map(np.shape, servers))
    jitter = np.zeros(rows, dtype=np.int64) + arrivals.jitter + variation
    frames = jitter // arrivals.period_down + 1
    total, queue, later = np.zeros((3, *rows), dtype=np.int64)
    stable = np.ones(rows, dtype=np.bool_)
    gap = span(arrivals, frames + 1, jitter)
    moved = frames * arrivals.streams - 1
    for time, count in zip(stages, servers, strict=True):
        longest, c = np.asarray(time, dtype=np.int64), np.asarray(count, dtype=np.int64)
        _check_servers(c)
        keeps_up = longest <= c * arrivals.period_down // arrivals.streams
        stable &= keeps_up
        calm = longest * keeps_up
        total += longest
        np.maximum(queue, moved * calm // c, out=queue)
        np.maximum(later, (moved + arrivals.streams) * calm // c, out=later)
    return np.where(stable, total + np.maximum(queue, later - gap), INFINITE)


def tandem_exact(load: Load, stages: Sequence[tuple[Time, int]]) -> Time | None:
    """As `tandem` for one candidate, with the exact weight of a path; None: no bound.

    Parameters
    ----------
    load : Load
        The streams; its service is not used.
    stages : sequence of (longest time of one item, number of servers)

    Notes
    -----
    A path moves m items forward by steps of c items that cost s each, in any stage; the heaviest way to do so is an
    unbounded knapsack. It is at most m·(largest s/c), which ends the search once it cannot grow any more.
    """
    rate = max((Fraction(time) / count for time, count in stages), default=Fraction(0))
    if load.streams * rate > load.period:
        return None
    heaviest: list[Time] = [0]
    first = int(load.jitter // load.period) + 1
    worst: Time = 0
    for frames in range(first, first + math.lcm(*(count for _, count in stages)) + 1):
        moved = frames * load.streams - 1
        for places in range(len(heaviest), moved + 1):
            steps = [heaviest[places - count] + time for time, count in stages if count <= places]
            heaviest.append(max([heaviest[-1], *steps]))
        worst = max(worst, heaviest[moved] - load.shortest_span(moved + 1))
        # The line above the knapsack falls from here on: N·rate <= P.
        if (moved + load.streams) * rate - load.shortest_span(moved + load.streams + 1) <= worst:
            break
    return sum(time for time, _ in stages) + worst


def global_fifo(loads: Sequence[Load], servers: int) -> list[Fraction] | None:
    """Longest responses of unequal tasks that share one queue of c servers; None: more than c servers can give.

    Returns
    -------
    list of Fraction
        One for each load; a fraction also in ticks.

    Notes
    -----
    Least fixed point over all responses R: ahead of a job are at most N·ceil((R + J)/P) jobs of each task. If at
    least c are ahead, all servers are busy until it starts; leaving out the servers of the k largest jobs, the other
    c - k share the rest, for each k < c. Any fixed point is a bound, by induction over the jobs in order of arrival.
    It is capped by (work of a burst - C + (c - 1) largest jobs in service)/c, as all servers are busy from the start
    of the busy window on.

    References
    ----------
    Graham, SIAM J. Applied Mathematics 17, 1969 (list scheduling).
    """
    if utilization(loads) > servers:
        return None
    singles = sorted((load.service for load in loads for _ in range(min(load.streams, servers - 1))), reverse=True)
    carry = sum(singles[: servers - 1])
    everything = sum((load.burst for load in loads), Fraction(0)) + carry
    caps = [load.service + (everything - load.service) / servers for load in loads]
    found = [Fraction(load.service) for load in loads]
    while True:
        counts = [load.arrivals_half_open(response) for load, response in zip(loads, found, strict=True)]
        grown = [
            min(caps[k], load.service + _shared_wait(loads, [c - (j == k) for j, c in enumerate(counts)], servers))
            for k, load in enumerate(loads)
        ]
        if grown == found:
            return found
        found = grown


def _shared_wait(loads: Sequence[Load], ahead: Sequence[int], servers: int) -> Fraction:
    """Least over k of (work ahead - k largest jobs)/(c - k); 0 when a server is free."""
    if sum(ahead) < servers:
        return Fraction(0)
    largest = sorted(
        (load.service for load, count in zip(loads, ahead, strict=True) for _ in range(min(count, servers - 1))),
        reverse=True,
    )
    work = Fraction(sum(load.service * count for load, count in zip(loads, ahead, strict=True)))
    return min((work - sum(largest[:k])) / (servers - k) for k in range(servers))


def _count(arrivals: Arrivals, batch: int, servers: int, service: IntArray) -> IntArray:
    streams = arrivals.streams
    stable = service <= batch * servers * arrivals.period_down // streams
    work = service * stable
    jitter = np.full_like(work, arrivals.jitter)
    aligned = math.gcd(streams, batch) if arrivals.synchronous else 1
    queue = formation(arrivals, batch, np.zeros_like(work), jitter, aligned)
    first = jitter // arrivals.period_down + 1
    for step in range(_repeat(streams, batch * servers) + 1):
        frames = first + step
        batches = (frames * streams - aligned - 1 + batch) // (batch * servers)
        np.maximum(queue, batches * work - span(arrivals, frames, jitter), out=queue)
    return np.where(stable, queue + service, INFINITE)


def _repeat(streams: int, batch: int) -> int:
    """Frames after which whole batches and whole frames meet again."""
    return batch // math.gcd(streams, batch)


def _check_servers(servers: IntArray) -> None:
    if servers.size and not 1 <= int(servers.min()) <= int(servers.max()) <= MAX_SERVERS:
        message = f"servers from {servers.min()} to {servers.max()}: expected 1 to {MAX_SERVERS}"
        raise ValueError(message)
