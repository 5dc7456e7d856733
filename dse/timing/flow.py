"""What meets on a device that several tasks share: items and the resources they visit, and what is found for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Order = Literal["fifo", "fixed-priority", "round-robin"]
Policy = Literal["count", "dynamic", "timeout-close"]


@dataclass(frozen=True)
class Visit:
    """One visit of an item at a resource.

    A batch of k items takes at most fixed + per_item·k [tick]; a stage without batches has ``fixed`` 0 and ``batch`` 1.
    ``policy`` and ``timeout`` say how batches close, as in `Path`. ``ordered`` marks the network's unit, whose order is
    that of the problem; there ``memory`` [tick] of a batch is pure memory time, for which jobs on other units wait.
    """

    stage: str
    resource: str
    per_item: int
    fixed: int = 0
    batch: int = 1
    policy: Policy = "dynamic"
    timeout: int = 0
    ordered: bool = False
    memory: int = 0

    @property
    def service(self) -> int:
        """Longest time of a full batch [tick]."""
        return self.fixed + self.per_item * self.batch


@dataclass(frozen=True)
class Flow:
    """One task on a device, or the stages of a camera that several tasks read.

    Parameters
    ----------
    name : str
        The task.
    streams, period, period_up, jitter
        N, P rounded down and up, J; see `Arrivals`. A flow with ``after`` has no jitter of its own.
    visits : sequence of Visit
        In the order of the path.
    delay, variation : int
        Delays that occupy nothing, their variation included, and that variation.
    saved : int
        What overlaps of neighbouring visits hide.
    after : sequence of int
        Flows that release an item of this one when the last of them has finished the frame.
    held : sequence of str
        Resources beside the unit that it keeps busy while it holds the unit: of stages in series with the network.
    """

    name: str
    streams: int
    period: int
    period_up: int
    visits: tuple[Visit, ...]
    jitter: int = 0
    delay: int = 0
    variation: int = 0
    saved: int = 0
    after: tuple[int, ...] = ()
    priority: int = 0
    may_stop: bool = False
    synchronous: bool = False
    held: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """Part of a latency: service, queue (own earlier items), blocking (other tasks) or batch_wait at a stage."""

    stage: str
    kind: str
    ticks: int


@dataclass(frozen=True)
class Latency:
    """Latency of one flow.

    ``own`` counts from its release [tick]: for a flow that starts with a frame from its nominal release, jitter
    included. ``finish`` counts from the nominal release of the frame. The parts add up to ``own``.
    """

    own: int
    finish: int
    parts: tuple[Part, ...]
