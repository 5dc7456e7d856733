"""Stage by stage with growing jitter: sound for any topology, and loose, because each stage pays the burst again.

For paths that none of the closed forms covers. Richter, PhD thesis, TU Braunschweig, 2005; Henia et al., IEE Proc.
Computers and Digital Techniques 152, 2005 (SymTA/S).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dse.timing.load import BatchLoad, Load, Time
from dse.timing.servers import latency_count_exact


@dataclass(frozen=True)
class Stage:
    """One in-order stage: longest and shortest time of one item, and the number of equal servers."""

    longest: Time
    shortest: Time
    servers: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.shortest <= self.longest or self.servers < 1:
            message = (
                f"stage from {self.shortest} to {self.longest} with {self.servers} servers: expected 0 <= shortest <= "
                "longest and at least one server"
            )
            raise ValueError(message)


def jitter_behind(jitter: Time, longest: Time, shortest: Time) -> Time:
    """Jitter of the arrivals behind a stage of these longest and shortest responses: J + R - r."""
    if shortest > longest:
        message = f"shortest response {shortest} above the longest {longest}"
        raise ValueError(message)
    return jitter + longest - shortest


def tandem_cpa(load: Load, stages: Sequence[Stage]) -> Time | None:
    """Latency of an item through stages in a row: the sum of the responses, each with the jitter of what it receives.

    Parameters
    ----------
    load : Load
        The streams; its service and priority are not used.
    stages : sequence of Stage

    Returns
    -------
    Time or None
        Never below `tandem_exact`. None where a stage cannot keep up.
    """
    total: Time = 0
    arriving = load
    for stage in stages:
        at_stage = BatchLoad(stage.longest, load.streams, load.period, arriving.jitter)
        response = latency_count_exact(at_stage, stage.servers)
        if response is None:
            return None
        total += response
        arriving = replace(arriving, jitter=jitter_behind(arriving.jitter, response, stage.shortest))
    return total
