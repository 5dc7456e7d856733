"""Why nothing is feasible: contradictions, clashing limits, what has to give, and what comes nearest on every chip."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Context, rebased
from dse.candidates.table import Candidates, judged
from dse.compare.comparison import Each, groups_of
from dse.compare.gather import Gathered, gather
from dse.explaining.clashes import Clash, Clashes, clashes_of
from dse.explaining.construction import Contradiction, contradictions_of
from dse.explaining.demands import RATE, STREAMS, edge, nearest_served
from dse.explaining.relaxing import Near, Relaxations, relaxations_of


@dataclass(frozen=True)
class Ranked:
    """A clash with the candidate whose limits in it need the least sum of relative relaxations; None where none can."""

    clash: Clash
    resolving: Near | None

    @property
    def sharpness(self) -> float:
        """That sum; infinite where no number resolves it."""
        return math.inf if self.resolving is None else self.resolving.total


@dataclass(frozen=True)
class Slower:
    """The problem at the highest rate of every stream that some candidate keeps up with, and what else has to give."""

    rate_hz: float
    context: Context
    relaxations: Relaxations


@dataclass(frozen=True)
class Infeasible:
    """What stands against every candidate.

    Parameters
    ----------
    contradictions : tuple
        Limits out of reach by construction.
    clashes : Clashes
        The minimal clashing sets; `ranked` has them with their sharpness, sharpest first and consequences of the rate
        last.
    relaxations : Relaxations
        What each limit alone would have to be, and the cheapest combination.
    rate_hz : float or None
        The highest rate of every stream that would do.
    streams : int or None
        The largest number of streams that would do.
    slower : Slower or None
        Where nothing keeps up with the rate.
    """

    contradictions: tuple[Contradiction, ...]
    clashes: Clashes
    ranked: tuple[Ranked, ...]
    relaxations: Relaxations
    rate_hz: float | None
    streams: int | None
    slower: Slower | None


def infeasible_of(answer: Answer, *, rates: bool = True) -> Infeasible:
    """Explain an answer without a design.

    Parameters
    ----------
    answer : Answer
        What was found.
    rates : bool
        Whether to look for a rate and a number of streams that would do, by solving again.

    Raises
    ------
    VerificationError
        A solve disagrees with the enumeration: a bug.
    """
    context, patterns = answer.context, answer.survey.patterns
    clashes = clashes_of(context, patterns, seed=answer.seed)
    relaxations = relaxations_of(context, clashes.found)
    ranked = [Ranked(*pair) for pair in zip(clashes.found, relaxations.resolving, strict=True)]
    ranked.sort(key=lambda one: (one.clash.follows_rate, -one.sharpness, one.clash.bits))
    milli_hz = nearest_served(context, RATE) if rates else None
    return Infeasible(
        contradictions_of(context),
        clashes,
        tuple(ranked),
        relaxations,
        None if milli_hz is None else RATE.written(milli_hz),
        nearest_served(context, STREAMS) if rates else None,
        _slower(answer) if rates else None,
    )


def _slower(answer: Answer) -> Slower | None:
    """Where nothing keeps up with the rate: the highest one that the lightest candidate keeps up with."""
    lightest, context = answer.survey.lightest, answer.context
    if not len(lightest):
        return None
    of_load = sum(1 << bit for bit, rule in enumerate(context.rules) if rule.column in ("stable", "utilization"))

    def keeps_up(milli_hz: int) -> bool:
        found = judged(rebased(context, RATE.moved(context.problem, milli_hz)), lightest.run, int(lightest.option[0]))
        return bool(((found.violated & of_load) == 0).any())

    high = math.ceil(RATE.asked(context.problem) * RATE.scale)
    low = high // 2
    while low and not keeps_up(low):
        high, low = low, low // 2
    if not low:
        return None
    milli_hz = edge(keeps_up, low, high)
    slower = rebased(context, RATE.moved(context.problem, milli_hz))
    return Slower(RATE.written(milli_hz), slower, relaxations_of(slower))


def nearest_of(answer: Answer) -> tuple[Candidates, Candidates]:
    """One candidate a chip: those that only lack a figure, and those that break limits, the nearest first."""
    context = answer.context
    group, _ = groups_of(context, Each.CHIP)
    found: Gathered = gather(context, group, 0)
    order = np.argsort(found.share, kind="stable")
    of_row = group[context.runs.lane[found.kept.run]]
    lacking = np.flatnonzero(found.kept.violated != 0)
    first = lacking[np.unique(of_row[lacking], return_index=True)[1]]
    return found.kept.take(first), found.nearest.take(order)
