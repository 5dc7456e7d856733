"""What arrives: frames per second of each stream, and streams. How far each may move is found by choosing again.

Figures of time depend on what arrives, all others do not. So only candidates that break nothing but limits on times can
ever be chosen when it changes: their runs alone are evaluated again, over and over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Context, rebased
from dse.candidates.preference import Ranking, rank_candidates
from dse.candidates.table import NO_ACCURACY_BIT, Candidates, blocks, chunks, concatenate, weights_per_run
from dse.candidates.worst import time_columns
from dse.catalog.types import IntArray
from dse.explaining.variants import rate_of, streams_of, with_rate, with_streams
from dse.problem.spec import Problem
from dse.schema import QUANTITIES, UNKNOWN
from dse.timing.ticks import MAX_STREAMS

MOST_CANDIDATES = 3_000_000
"""Candidates of the runs that count beyond which they are not evaluated over and over."""
PROBES = 12
"""Values looked at between the one asked and the one where the winner should be overloaded, before halving."""
MOST_TIMES = 64
"""How many times the value asked is looked at, at most."""


@dataclass(frozen=True)
class Demand:
    """One of the two, in whole steps.

    Parameters
    ----------
    name, unit : str
        As one says it.
    scale : int
        Steps per unit.
    asked : function
        The value of a problem, in units.
    moved : function
        The problem with another value, in steps.
    """

    name: str
    unit: str
    scale: int
    asked: Callable[[Problem], Fraction]
    moved: Callable[[Problem, int], Problem]

    def written(self, steps: int) -> float:
        """A number of steps in units, whole where a step is one."""
        return steps if self.scale == 1 else steps / self.scale


RATE = Demand("rate", "1/s", 1000, rate_of, lambda problem, milli_hz: with_rate(problem, milli_hz / 1000))
STREAMS = Demand("streams", "", 1, streams_of, with_streams)
DEMANDS = (RATE, STREAMS)


@dataclass(frozen=True)
class DemandRange:
    """The values with which the winner is chosen, in whole steps of the demand.

    Parameters
    ----------
    demand : Demand
        Rate or streams.
    lowest, highest : int or None
        Ends of the range; None where it stays down to the least value there is, or up to the largest.
    below, above : Candidates or None
        What is chosen one step beyond the ends, one row; None where nothing is feasible there, or without an end.
    """

    demand: Demand
    lowest: int | None
    highest: int | None
    below: Candidates | None
    above: Candidates | None


def nearest_served(context: Context, demand: Demand) -> int | None:
    """The value next to the one asked with which some design is feasible, in steps.

    With it there is a design, and one step nearer to the one asked there is none. Downwards by quarters, then narrowed
    down; where nothing lower does, upwards, since a batch fills earlier at a higher rate. A window between two values
    looked at may be missed. None where none is found, and where too many candidates would be evaluated over and over.
    """
    runs = _contenders(context, demand)
    if not _is_quick(context, runs):
        return None

    def serves(steps: int) -> bool:
        return _is_feasible(_moved(context, demand, steps), _with_batches(context, demand, steps, runs))

    asked = demand.asked(context.problem) * demand.scale
    high = math.ceil(asked)  # not feasible, or it would not be asked
    low = high * 3 // 4
    while low and not serves(low):
        high, low = low, low * 3 // 4
    if low:
        return edge(serves, low, high)
    if not (context.runs.batch[runs] > 1).any():
        return None
    low, high = math.floor(asked), math.ceil(asked * Fraction(5, 4))
    while high <= asked * MOST_TIMES and not serves(high):
        low, high = high, math.ceil(Fraction(high) * Fraction(5, 4))
    return edge(serves, high, low) if high <= asked * MOST_TIMES else None


def demand_range(answer: Answer, demand: Demand) -> DemandRange | None:
    """Over which values the winner is chosen: one step beyond an end another design is, or none.

    Values between the ends are not all tried: a few are, before the first one that fails is narrowed down by halving.
    None without a winner, where too many candidates would be evaluated over and over, and for a single stream whose
    batches are left to the search (more streams would be searched with others).
    """
    row, context = answer.row, answer.context
    if row is None or (
        demand is STREAMS and streams_of(context.problem) == 1 and _searches_batches_by_streams(context)
    ):
        return None
    winner = answer.candidates.take(np.array([row]))
    every = _contenders(context, demand)
    runs = _contenders(context, demand, answer, winner)
    if not _is_quick(context, runs):
        return None

    def chosen(steps: int, among: IntArray) -> tuple[Context, Candidates | None]:
        other = _moved(context, demand, steps)
        return other, _best(other, answer, _with_batches(context, demand, steps, among))

    def stays(steps: int) -> bool:
        _, best = chosen(steps, runs)
        return best is not None and _same(best, winner)

    asked = demand.asked(context.problem) * demand.scale
    lowest = _lowest(stays, math.ceil(asked))
    highest = _highest(stays, math.floor(asked), _upwards(answer, winner, demand))
    return DemandRange(
        demand,
        lowest,
        highest,
        None if lowest is None else chosen(lowest - 1, every)[1],
        None if highest is None else chosen(highest + 1, every)[1],
    )


def _upwards(answer: Answer, winner: Candidates, demand: Demand) -> Iterator[int]:
    """Values above the one asked, up to one with which the winner's load is too high whatever else."""
    asked = demand.asked(answer.context.problem) * demand.scale
    limit = answer.context.problem.limits.get("utilization")
    most = 1.0 if limit is None or limit.maximum is None else min(1.0, limit.maximum)
    load = max(int(winner.utilization[0]), 1) / QUANTITIES["utilization"].scale
    far = math.ceil(float(asked) * most / load) + 1
    largest = MAX_STREAMS if demand is STREAMS else max(far, math.ceil(asked * MOST_TIMES))
    far = min(far, largest)
    yield from sorted({math.floor(asked + (far - asked) * Fraction(k, PROBES)) for k in range(1, PROBES + 1)} - {asked})
    while far < largest:  # load is not always in proportion: batches close earlier, loads of slow rates are rounded
        far = min(2 * far, largest)
        yield far


def _highest(stays: Callable[[int], bool], asked: int, upwards: Iterator[int]) -> int | None:
    """Upwards by these steps, then narrowed down; None where it stays at all of them."""
    good = asked
    for steps in upwards:
        if not stays(steps):
            return edge(stays, good, steps)
        good = steps
    return None


def _lowest(stays: Callable[[int], bool], asked: int) -> int | None:
    """Downwards by halves, then narrowed down; None where it stays down to a single step."""
    low, good = asked // 2, asked
    while low and stays(low):
        low, good = low // 2, low
    if low == 0:
        return None if good == 1 or stays(1) else edge(stays, good, 1)
    return edge(stays, good, low)


def edge(test: Callable[[int], bool], good: int, bad: int) -> int:
    """A value that passes, next to one that does not, between one that passes and one that does not."""
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if test(middle) else (good, middle)
    return good


def _contenders(
    context: Context, demand: Demand, answer: Answer | None = None, winner: Candidates | None = None
) -> IntArray:
    """Runs of candidates that break nothing a change of the demand could not mend, ascending.

    With a winner only those that could come before it: no worse in the first objective than its `within` allows, where
    that does not depend on the demand itself.
    """
    free = ~np.int64(_moving_bits(context, demand))
    found = np.zeros(len(context.runs), dtype=np.bool_)
    goal = None if answer is None else answer.goals[0]
    if goal is not None and winner is not None:
        own = getattr(winner, goal.quantity.name)
        if own[0] == UNKNOWN or goal.quantity.name in _moving_columns(context, demand):
            goal = None
    for block in blocks(context):
        rows = np.flatnonzero((block.violated & free) == 0)
        if goal is not None and winner is not None and len(rows):
            figures = getattr(block.take(rows), goal.quantity.name)
            worst = goal.cost(getattr(winner, goal.quantity.name))[0] + goal.within
            rows = rows[(figures != UNKNOWN) & (goal.cost(figures) <= worst)]
        found[block.run[block.at[rows]]] = True
    return np.flatnonzero(found)


def _moving_columns(context: Context, demand: Demand) -> set[str]:
    """Columns that what arrives decides."""
    own = {"streams"} if demand is STREAMS else set()
    return own | (set(time_columns(context, np.zeros(1, dtype=np.int64), 0)) if len(context.runs) else set())


def _moving_bits(context: Context, demand: Demand) -> int:
    columns = _moving_columns(context, demand)
    figures = [rule.column.removeprefix("verdict:").removeprefix("result.") for rule in context.rules]
    bits = sum(1 << bit for bit, figure in enumerate(figures) if figure in columns)
    assert not bits >> NO_ACCURACY_BIT
    return bits


def _is_quick(context: Context, runs: IntArray) -> bool:
    return 0 < int(weights_per_run(context)[runs].sum()) * len(context.options) <= MOST_CANDIDATES


def _searches_batches_by_streams(context: Context) -> bool:
    return context.problem.search_of(context.task).batches is None


def _with_batches(context: Context, demand: Demand, steps: int, runs: IntArray) -> IntArray:
    """Of the runs, those whose batch would be searched: for one stream others are than for several."""
    if demand is not STREAMS or not _searches_batches_by_streams(context):
        return runs
    task = context.problem.tasks.index(context.task)
    moved = with_streams(context.problem, steps)
    return runs[np.isin(context.runs.batch[runs], moved.batches_of(moved.tasks[task]))]


def _moved(context: Context, demand: Demand, steps: int) -> Context:
    return rebased(context, demand.moved(context.problem, steps))


def _is_feasible(context: Context, runs: IntArray) -> bool:
    return any(bool((block.violated == 0).any()) for block in blocks(context, runs=runs, feasible_only=True))


def _best(context: Context, answer: Answer, runs: IntArray) -> Candidates | None:
    """What is chosen among some runs, one row; positions of runs, weights and options are those of the answer."""
    feasible = concatenate(list(chunks(context, runs=runs, feasible_only=True)))
    if not len(feasible):
        return None
    ranking: Ranking = rank_candidates(context, feasible, answer.goals)
    return feasible.take(np.array([ranking.best(ranking.feasible)]))


def _same(one: Candidates, other: Candidates) -> bool:
    return all(getattr(one, name)[0] == getattr(other, name)[0] for name in ("run", "entry", "option"))
