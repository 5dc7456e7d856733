"""The candidate table of one task: runs joined with weights and options, evaluated chunk by chunk.

A chunk is about `CHUNK` rows wide so that memory stays bounded however large the space is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np

from dse.candidates import limits
from dse.candidates.attributes import entry_verdicts, run_verdicts
from dse.candidates.context import Context
from dse.candidates.entries import AccuracyColumns
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
    lead_time_weeks: IntArray
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


@dataclass(frozen=True)
class Block:
    """Judged candidates whose other figures are only filled in where somebody asks for them; n of them, of m runs.

    Parameters
    ----------
    violated, unknown : (n,)
        Bits of the requirements that are broken, and of those that met an unknown figure.
    at : (n,)
        Position of each candidate's run among those evaluated.
    run, option, entry
        Positions of the runs (m,), of the option, and of the entries (n,).
    of_run : dict
        Columns that the run decides, (m,).
    accuracy : AccuracyColumns
        Accuracy of each candidate, (n,).
    """

    violated: IntArray
    unknown: IntArray
    at: IntArray
    run: IntArray
    option: int
    entry: IntArray
    of_run: Mapping[str, IntArray]
    accuracy: AccuracyColumns

    def __len__(self) -> int:
        return len(self.at)

    def column(self, name: str, rows: IntArray) -> IntArray:
        """One figure that the run decides, of some candidates."""
        return self.of_run[name][self.at[rows]]

    def take(self, rows: IntArray) -> Candidates:
        """Candidates with all their figures."""
        at = self.at[rows]
        return Candidates(
            **{f.name: self.of_run[f.name][at] for f in fields(Candidates) if f.name in self.of_run},
            run=self.run[at],
            entry=self.entry[rows],
            option=np.full(len(at), self.option),
            accuracy=self.accuracy.value[rows],
            accuracy_low=self.accuracy.low[rows],
            accuracy_high=self.accuracy.high[rows],
            accuracy_grade=self.accuracy.grade[rows],
            accuracy_basis=self.accuracy.basis[rows],
            violated=self.violated[rows],
            unknown=self.unknown[rows],
        )


def chunks(
    context: Context, size: int = CHUNK, *, runs: IntArray | range | None = None, feasible_only: bool = False
) -> Iterator[Candidates]:
    """Evaluated candidates in a fixed order; parameters as of `blocks`."""
    for block in blocks(context, size, runs=runs, feasible_only=feasible_only):
        yield block.take(np.flatnonzero(block.violated == 0) if feasible_only else np.arange(len(block)))


def blocks(
    context: Context, size: int = CHUNK, *, runs: IntArray | range | None = None, feasible_only: bool = False
) -> Iterator[Block]:
    """Judged candidates in a fixed order, about `size` at a time.

    Parameters
    ----------
    context : Context
        The task and all that does not depend on the chunk.
    size : int
        Candidates a block is about, before any is left out.
    runs : array or range, optional
        Positions of the runs to evaluate, ascending; all of them unless given.
    feasible_only : bool
        Leave out candidates whose run alone already breaks a requirement by a known figure: they are never formed.
    """
    chosen = np.arange(len(context.runs)) if runs is None else np.asarray(runs, dtype=np.int64)
    count, batch = weights_per_run(context)[chosen], context.runs.batch[chosen]
    bounds = np.r_[0, np.cumsum(count)]
    start, end = 0, len(chosen)
    while start < end:
        stop = min(end, max(start + 1, int(np.searchsorted(bounds, bounds[start] + size, "right")) - 1))
        block = np.arange(start, stop)
        for option, position in enumerate(context.options):
            # Batches of one are alike under every policy and time-out: they appear once per number of buffers.
            repeated = any(earlier.buffers == position.buffers for earlier in context.options[:option])
            rows = block[(batch[block] > 1) & (count[block] > 0)] if repeated else block[count[block] > 0]
            if len(rows):
                yield judged(context, chosen[rows], option, feasible_only)
        start = stop


def weights_per_run(context: Context) -> IntArray:
    """How many entries of the task every run can have."""
    net_of = context.catalog.entries.net[context.chosen.entries]
    counts: IntArray = np.bincount(net_of, minlength=len(context.catalog.nets.id))
    return counts[context.runs.net]


def count_candidates(context: Context) -> int:
    """How many candidates the whole table has."""
    count, several = weights_per_run(context), context.runs.batch > 1
    ways, buffers = len(context.options), len({option.buffers for option in context.options})
    return int(count[several].sum() * ways + count[~several].sum() * buffers)


def judged(context: Context, runs: IntArray, option: int, feasible_only: bool = False) -> Block:
    """Join the runs with their entries under one option, and judge every pair.

    What a run decides alone is judged once per run, before its weights multiply it.
    """
    rules = list(enumerate(context.rules))
    of_run = time_columns(context, runs, option) | _resources(context, runs)
    of_run["devices"] = np.ones(len(runs), dtype=np.int64)
    of_run["streams"] = np.full(len(runs), context.problem.source_of(context.task).streams)
    of_run |= {name: np.full(len(runs), UNKNOWN) for name in limits.NO_FIGURE}
    of_run |= run_verdicts(context, runs, of_run)
    early = limits.judge([(bit, rule) for bit, rule in rules if rule.column in of_run], of_run, len(runs))
    refused = early.violated & ~early.unknown
    kept = np.flatnonzero(refused == 0) if feasible_only else np.arange(len(runs))
    at, entry = _joined(context, runs[kept])
    at = kept[at]
    run = runs[at]
    accuracy = context.accuracy.of(context.runs.lane[run], entry)
    columns = {"accuracy": accuracy.value, "accuracy_low": accuracy.low}
    compared = (accuracy.float_value != UNKNOWN) & (accuracy.low != UNKNOWN)
    columns["accuracy_drop"] = np.where(compared, accuracy.float_value - accuracy.low, UNKNOWN)
    columns |= entry_verdicts(context, run, entry, columns)
    late = limits.judge([(bit, rule) for bit, rule in rules if rule.column not in of_run], columns, len(run))
    too_weak = accuracy.grade > GRADES.index(context.problem.guard.evidence)
    unusable = ((accuracy.value == UNKNOWN) | too_weak).astype(np.int64)
    return Block(
        violated=early.violated[at] | late.violated | unusable << NO_ACCURACY_BIT,
        unknown=early.unknown[at] | late.unknown,
        at=at,
        run=runs,
        option=option,
        entry=entry,
        of_run=of_run,
        accuracy=accuracy,
    )


def _joined(context: Context, runs: IntArray) -> tuple[IntArray, IntArray]:
    """Every run with each of its weights: position in `runs`, and the entry."""
    net_of = context.catalog.entries.net
    entries = context.chosen.entries[np.argsort(net_of[context.chosen.entries], kind="stable")]
    first, last = (np.searchsorted(net_of[entries], context.runs.net[runs], side) for side in ("left", "right"))
    count = last - first
    at = np.repeat(np.arange(len(runs)), count)
    offset = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)
    return at, entries[first[at] + offset]


def _resources(context: Context, runs: IntArray) -> dict[str, IntArray]:
    """Power, price, delivery time, memory and energy of runs in whole numbers."""
    r = context.resources
    columns = {
        name: to_fixed(getattr(r, name)[runs], QUANTITIES[name].scale)
        for name in ("power_w", "price_usd", "lead_time_weeks", "memory_mb", "energy_mj")
    }
    columns["memory_spare_mb"] = to_fixed((r.capacity_mb - r.least_memory_mb)[runs], QUANTITIES["memory_mb"].scale)
    columns["region_spare_mb"] = to_fixed(r.region_spare_mb[runs], QUANTITIES["memory_mb"].scale)
    return columns
