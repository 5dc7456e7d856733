"""Which of several figures of one run counts: own before measured before estimated, and where the clock stood.

A pipelined rate is no latency: it gives way to one. Where cores in parallel have both, the two make one run more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dse.candidates.lanes import Lanes
from dse.candidates.run_table import KNOWN, MEASURED, Runs, concatenate, with_columns
from dse.catalog.types import BoolArray, IntArray
from dse.estimate.evidence import GRADES

BOUNDARIES = ("chip", "host", "pipeline", "app")
"""Where a clock may stand, each around the one before; a word that is none of them is ``unknown``."""
MAX_BATCH = 5000  # batches are at most 4,096
_STRENGTHS = 3  # own, measured, estimated; pipelined rates the same again


def best_evidence(runs: Runs, lanes: Lanes, boundary: str) -> BoolArray:
    """Which runs count, one per network, batch and lane: own measurements before measured before estimated; (n,).

    An own measurement also replaces the figures of other runtimes: it is what the user's product does. A pipelined
    rate, an own one too, is no latency: it replaces no other figure and gives way to any latency of the same lane. Of
    equally good figures, those that include more than `boundary` give way to one taken just there; of the others the
    longer one stays: it leaves less out.
    """
    if not len(runs):
        return np.zeros(0, dtype=np.bool_)
    unit_key = codes([lanes.chip, lanes.mode, lanes.unit, lanes.precision])[runs.lane]
    full_key = codes([lanes.chip, lanes.mode, lanes.unit, lanes.precision, lanes.runtime, lanes.cores.astype(str)])[
        runs.lane
    ]
    pairs = runs.net * MAX_BATCH + runs.batch
    own = (runs.origin == KNOWN) & ~np.isfinite(runs.period_ms)
    own_keys = set(zip(unit_key[own].tolist(), pairs[own].tolist(), strict=True))
    keep = np.ones(len(runs), dtype=np.bool_)
    if own_keys:
        other = runs.origin != KNOWN
        keep &= ~(other & np.array([key in own_keys for key in zip(unit_key.tolist(), pairs.tolist(), strict=True)]))
    of_run = full_key * (int(pairs.max()) + 1) + pairs
    # Nearly every figure is the only one of its run: only the others are weighed.
    several = _shared(of_run)
    keep[several] = _strongest(runs.take(several), of_run[several], keep[several], lanes, boundary)
    return keep


def _shared(values: IntArray) -> IntArray:
    """Positions of the values that occur more than once, ascending."""
    order = np.argsort(values)
    alike = values[order[1:]] == values[order[:-1]]
    return np.unique(np.r_[order[1:][alike], order[:-1][alike]])


def _strongest(runs: Runs, of_run: IntArray, keep: BoolArray, lanes: Lanes, boundary: str) -> BoolArray:
    """Which of several figures of each run counts, none where `keep` leaves none; all (n,)."""
    strength = np.where(runs.origin == KNOWN, 0, np.where(runs.origin == MEASURED, 1, 2))
    strength = strength + _STRENGTHS * np.isfinite(runs.period_ms)
    key = of_run * (2 * _STRENGTHS) + strength
    exact = (lanes.boundary == boundary)[runs.lane]
    around = np.isin(lanes.boundary, BOUNDARIES[BOUNDARIES.index(boundary) + 1 :])[runs.lane]
    keep = keep & ~(around & np.isin(key, key[exact], kind="sort"))
    order = np.lexsort([-runs.base_ms, ~keep, key])
    keep[order[1:][of_run[order[1:]] == of_run[order[:-1]]]] = False
    return keep


def with_parallel_cores(best: Runs, runs: Runs, lanes: Lanes) -> Runs:
    """`best` with one run more wherever cores in parallel have a rate in `runs` beside a latency in `best`.

    Where n cores take an item each, an item every P ms means that each core is busy with its own for n x P: the unit is
    occupied for P, and an item takes n x P or the latency measured alone, whichever is longer (Little's law; grade B).
    The run of the latency alone stays: there one item at a time has the unit to itself.

    References
    ----------
    Little (1961), A proof for the queuing formula L = lambda W, doi:10.1287/opre.9.3.383.
    """
    alone = {key: k for k, key in _parallel(best, lanes) if not np.isfinite(best.period_ms[k])}
    rated = [(k, alone[key]) for k, key in _parallel(runs, lanes) if np.isfinite(runs.period_ms[k]) and key in alone]
    pairs = [(rate, one) for rate, one in rated if runs.period_ms[rate] < best.base_ms[one]]
    if not pairs:
        return best
    rate, one = np.array(pairs, dtype=np.int64).T
    both, latency = runs.take(rate), best.take(one)
    joined = with_columns(
        both,
        base_ms=np.maximum(latency.base_ms, lanes.cores[both.lane] * both.period_ms),
        typical_ms=latency.typical_ms,
        low_ms=latency.low_ms,
        grade=np.full(len(both), GRADES.index("B")),
    )
    return concatenate([best, joined])


def _parallel(runs: Runs, lanes: Lanes) -> Iterator[tuple[int, tuple[int, int, int]]]:
    """Measured runs of several cores: position, and lane, net and batch."""
    if len(runs):
        for k in np.flatnonzero((runs.origin == MEASURED) & (lanes.cores[runs.lane] > 1)).tolist():
            yield k, (int(runs.lane[k]), int(runs.net[k]), int(runs.batch[k]))


def codes(columns: list[np.ndarray]) -> IntArray:
    """One number per distinct combination of texts."""
    index: dict[tuple[str, ...], int] = {}
    return np.array([index.setdefault(key, len(index)) for key in zip(*columns, strict=True)], dtype=np.int64)
