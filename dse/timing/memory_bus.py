"""Tasks on engines of their own that share one memory bus: how much longer a job takes when others use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dse.timing.load import Load, Time
from dse.timing.shared_unit import backlog


@dataclass(frozen=True)
class BusLoad(Load):
    """A `Load` alone on its engine, FIFO; `memory` is the part of the service that is pure memory time.

    That is its traffic over the bandwidth all share, the bandwidth rounded down; at most the service.
    """

    memory: Time = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.memory <= self.service:
            message = f"memory time {self.memory}: expected 0 to the service {self.service}"
            raise ValueError(message)


def dram(loads: Sequence[BusLoad], *, fair: bool = False) -> list[Time] | None:
    """Longest service of a job of each load, memory contention included.

    Parameters
    ----------
    loads : sequence of BusLoad
        Their services alone, without contention.
    fair : bool
        The arbiter shares the bus equally among those who want it (processor sharing, round robin of short bursts).
        Else it may be any that never idles.

    Returns
    -------
    list of Time or None
        None when some response (queueing on the own engine included) plus jitter is not proven to stay within the
        period: then nothing is claimed.

    Notes
    -----
    Memory time is lost only while another is served. The jobs of j that touch a window s were released at most R
    before it: N·ceil((s + R + J)/P) of them, each with its memory time; a fair bus gives j no more than the own
    memory time while both want it. Least fixed point for s. It begins with R + J = P, which the result then
    confirms (the first job to respond later would have met only jobs that did not), and repeats with the R found; each
    round is sound. Close to regulation by budgets: Yun et al., RTAS 2013 (MemGuard).
    """
    responses: list[Time] = [load.period - load.jitter for load in loads]
    if any(response < 0 for response in responses):
        return None
    while True:
        services = [_lengthened(loads, i, responses, fair) for i in range(len(loads))]
        refined = []
        for load, service in zip(loads, services, strict=True):
            found = None if service is None else backlog([replace(load, service=service)])
            if found is None or found + load.jitter > load.period:
                return None
            refined.append(found)
        if refined == responses:
            return [service for service in services if service is not None]
        responses = refined


def _lengthened(loads: Sequence[BusLoad], k: int, responses: Sequence[Time], fair: bool) -> Time | None:
    """Service of load k with the memory time of the others; None beyond its period."""
    own = loads[k]
    if own.memory == 0:
        return own.service
    service = own.service
    while service <= own.period:
        lost: Time = 0
        for j, load in enumerate(loads):
            if j != k:
                taken = load.arrivals_half_open(service + responses[j]) * load.memory
                lost += min(taken, own.memory) if fair else taken
        if own.service + lost == service:
            return service
        service = own.service + lost
    return None
