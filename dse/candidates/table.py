"""The candidate table of one task: runs joined with weights and options, evaluated chunk by chunk.

A chunk is about `CHUNK` rows wide so that memory stays bounded however large the space is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from dse.candidates import limits
from dse.candidates.attributes import attribute_columns
from dse.candidates.context import Context
from dse.candidates.worst import time_columns
from dse.catalog.types import BoolArray, IntArray
from dse.estimate.evidence import GRADES
from dse.schema import QUANTITIES, UNKNOWN, to_fixed

CHUNK = 1 << 17
NO_ACCURACY_BIT = limits.MAX_RULES  # of `violated`: no accuracy of sufficient evidence is known


@dataclass(frozen=True)
class Candidates:
    """Evaluated candidates, shape (n,); quantities in the whole numbers of `dse.schema`, `UNKNOWN` where missing.

    ``run``, ``entry`` and ``option`` are positions in the runs, the catalogue's entries and the options of the
    `Context`; ``violated`` and ``unknown`` are bits of its rules.
    """

    run: IntArray
    entry: IntArray
    option: IntArray
    accuracy: IntArray
    accuracy_low: IntArray
    accuracy_high: IntArray
    accuracy_grade: IntArray
    accuracy_basis: IntArray
    worst_case_ms: IntArray
    slack_ms: IntArray
    typical_ms: IntArray
    rate_hz: IntArray
    rate_headroom: IntArray
    utilization: IntArray
    power_w: IntArray
    price_usd: IntArray
    memory_mb: IntArray
    energy_mj: IntArray
    violated: IntArray
    unknown: IntArray

    def take(self, chosen: IntArray | BoolArray) -> Candidates:
        """The chosen rows."""
        return Candidates(**{field.name: getattr(self, field.name)[chosen] for field in fields(Candidates)})

    def __len__(self) -> int:
        return len(self.run)


def concatenate(parts: list[Candidates]) -> Candidates:
    """All parts one after the other; no rows without parts."""
    empty = [np.zeros(0, dtype=np.int64)]
    return Candidates(
        **{f.name: np.concatenate([getattr(part, f.name) for part in parts] or empty) for f in fields(Candidates)}
    )


def evaluate_all(context: Context) -> Candidates:
    """The whole table at once; for spaces that fit in memory."""
    return concatenate(list(chunks(context)))


def chunks(context: Context, size: int = CHUNK) -> Iterator[Candidates]:
    """Evaluated candidates in a fixed order, about `size` at a time."""
    runs = context.runs
    net_of = context.catalog.entries.net
    entries = context.chosen.entries[np.argsort(net_of[context.chosen.entries], kind="stable")]
    first, last = (np.searchsorted(net_of[entries], runs.net, side) for side in ("left", "right"))
    count = last - first
    bounds = np.r_[0, np.cumsum(count)]
    start = 0
    while start < len(runs):
        stop = max(start + 1, int(np.searchsorted(bounds, bounds[start] + size, "right")) - 1)
        block = np.arange(start, stop)
        for option, position in enumerate(context.options):
            # Batches of one are alike under every policy and time-out: they appear once per number of buffers.
            repeated = any(earlier.buffers == position.buffers for earlier in context.options[:option])
            rows = block[(runs.batch[block] > 1) & (count[block] > 0)] if repeated else block[count[block] > 0]
            if len(rows):
                yield _evaluate(context, rows, count[rows], entries, first[rows], option)
        start = stop


def _evaluate(
    context: Context, runs: IntArray, count: IntArray, entries: IntArray, first: IntArray, option: int
) -> Candidates:
    """Fill every column of the runs, each with its entries, under one option."""
    at = np.repeat(np.arange(len(runs)), count)
    run = runs[at]
    offset = np.arange(len(run)) - np.repeat(np.cumsum(count) - count, count)
    entry = entries[first[at] + offset]
    accuracy = context.accuracy.of(context.runs.lane[run], entry)
    columns = {
        name: column[at] for name, column in (time_columns(context, runs, option) | _resources(context, runs)).items()
    }
    columns |= {"accuracy": accuracy.value, "accuracy_low": accuracy.low, "devices": np.ones(len(run), dtype=np.int64)}
    columns["streams"] = np.full(len(run), context.problem.source_of(context.task).streams)
    compared = (accuracy.float_value != UNKNOWN) & (accuracy.low != UNKNOWN)
    columns["accuracy_drop"] = np.where(compared, accuracy.float_value - accuracy.low, UNKNOWN)
    columns |= {name: np.full(len(run), UNKNOWN) for name in limits.NO_FIGURE}
    columns |= attribute_columns(context, run, entry, columns)
    verdict = limits.judge(context.rules, columns, len(run))
    too_weak = accuracy.grade > GRADES.index(context.problem.guard.evidence)
    unusable = ((accuracy.value == UNKNOWN) | too_weak).astype(np.int64)
    shown = {f.name: columns[f.name] for f in fields(Candidates) if f.name in columns}
    return Candidates(
        **shown,
        run=run,
        entry=entry,
        option=np.full(len(run), option),
        accuracy_high=accuracy.high,
        accuracy_grade=accuracy.grade,
        accuracy_basis=accuracy.basis,
        violated=verdict.violated | unusable << NO_ACCURACY_BIT,
        unknown=verdict.unknown,
    )


def _resources(context: Context, runs: IntArray) -> dict[str, IntArray]:
    """Power, price, memory and energy of runs in whole numbers."""
    r = context.resources
    columns = {
        name: to_fixed(getattr(r, name)[runs], QUANTITIES[name].scale)
        for name in ("power_w", "price_usd", "memory_mb", "energy_mj")
    }
    columns["memory_spare_mb"] = to_fixed((r.capacity_mb - r.least_memory_mb)[runs], QUANTITIES["memory_mb"].scale)
    columns["region_spare_mb"] = to_fixed(r.region_spare_mb[runs], QUANTITIES["memory_mb"].scale)
    return columns
