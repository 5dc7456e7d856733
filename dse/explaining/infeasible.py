"""Why nothing is feasible: contradictions, clashing limits, what has to give, and what comes nearest on every chip."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Context, rebased
from dse.candidates.table import Candidates
from dse.compare.comparison import Each, groups_of
from dse.compare.gather import Gathered, gather
from dse.explaining.clashes import Clash, Clashes, clashes_of
from dse.explaining.construction import Contradiction, contradictions_of
from dse.explaining.demands import RATE, STREAMS, most_served
from dse.explaining.relaxing import Near, Relaxations, relaxations_of
from dse.explaining.variants import rate_of, with_rate
from dse.schema import QUANTITIES


@dataclass(frozen=True)
class Ranked:
    """A clash with the candidate whose limits in it need the least sum of relative relaxations; None where none can."""

    clash: Clash
    resolving: Near | None

    @property
    def sharpness(self) -> float:
        """That sum; infinite where no number resolves it."""
        return inf if self.resolving is None else self.resolving.total


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
        Where nothing keeps up with the rate and no lower one alone would do.
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
    milli_hz = most_served(context, RATE) if rates else None
    return Infeasible(
        contradictions_of(context),
        clashes,
        tuple(ranked),
        relaxations,
        None if milli_hz is None else RATE.written(milli_hz),
        most_served(context, STREAMS) if rates else None,
        _slower(answer) if rates and milli_hz is None else None,
    )


def _slower(answer: Answer) -> Slower | None:
    """Load is in proportion to the rate: the lightest candidate says which rate it keeps up with."""
    lightest = answer.survey.lightest
    if not len(lightest):
        return None
    limit = next((rule.maximum for rule in answer.context.rules if rule.column == "utilization"), None)
    scale = QUANTITIES["utilization"].scale
    most = scale if limit is None else min(limit, scale)
    rate_hz = int(rate_of(answer.context.problem) * 1000 * most / int(lightest.utilization[0])) / 1000
    if rate_hz <= 0:
        return None
    context = rebased(answer.context, with_rate(answer.context.problem, rate_hz))
    return Slower(rate_hz, context, relaxations_of(context))


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
