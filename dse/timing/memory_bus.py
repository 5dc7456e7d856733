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
        None when some response, queueing on the own engine included, would exceed its period.

    Notes
    -----
    Memory time is lost only while another is served. The jobs of j that touch a window s were released at most R
    before it: N·ceil((s + R + J)/P) of them, each with its memory time; a fair bus gives j no more than the own
    memory time while both want it. Least fixed point over all services s and responses R together. Any fixed point is
    a bound: the first job to take longer would have met only jobs that did not. Close to regulation by budgets: Yun et
    al., RTAS 2013 (MemGuard).
    """
    services: list[Time] = [load.service for load in loads]
    while True:
        responses = []
        for load, service in zip(loads, services, strict=True):
            found = backlog([replace(load, service=service, memory=0)])
            if found is None or found > load.period:
                return None
            responses.append(found)
        grown = [_lengthened(loads, i, services[i], responses, fair) for i in range(len(loads))]
        if grown == services:
            return services
        services = grown


def _lengthened(loads: Sequence[BusLoad], k: int, service: Time, responses: Sequence[Time], fair: bool) -> Time:
    """Service of load k with the memory time that others take while it lasts `service`."""
    own = loads[k]
    lost: Time = 0
    for j, load in enumerate(loads):
        if j != k and own.memory:
            taken = load.arrivals_half_open(service + responses[j]) * load.memory
            lost += min(taken, own.memory) if fair else taken
    return own.service + lost
