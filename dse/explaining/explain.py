"""From a problem to its explanation: solved once, then asked why."""

from __future__ import annotations

from dataclasses import dataclass

from dse.answer import Answer, solve_problem
from dse.estimate.store import Knowledge
from dse.explaining.chip_view import ChipViews, chip_views
from dse.explaining.demands import DEMANDS, DemandRange, demand_range
from dse.explaining.infeasible import Infeasible, infeasible_of
from dse.explaining.overlaps import Reading, overlap_readings
from dse.explaining.ranges import Range, ranges_of
from dse.explaining.remedies import Remedy, remedies_of
from dse.problem.spec import Problem
from dse.solution import Status

MOST_CHIPS = 8
"""Chips explained by one pattern."""


@dataclass(frozen=True)
class Explanation:
    """An answer and why it is so.

    Parameters
    ----------
    answer : Answer
        What was found, with the best design on another chip as the runner-up.
    infeasible : Infeasible or None
        Why there is no design.
    ranges : tuple of Range
        Of a winner, over which values of each limit it stays.
    demands : tuple of DemandRange
        Of a winner, over which rates of every stream, and numbers of streams, it stays; those that were looked for.
    readings : tuple of Reading
        What a stated overlap may have meant, for a winner.
    remedies : tuple of Remedy
        The usual remedies, tried.
    chips : ChipViews
        The chips that were asked about.
    """

    answer: Answer
    infeasible: Infeasible | None
    ranges: tuple[Range, ...]
    demands: tuple[DemandRange, ...]
    readings: tuple[Reading, ...]
    remedies: tuple[Remedy, ...]
    chips: ChipViews


def explain_problem(
    problem: Problem,
    knowledge: Knowledge,
    *,
    chip: str | None = None,
    remedies: bool = True,
    workers: int = 1,
    seed: int = 0,
) -> Explanation:
    """Explain a checked problem with one task.

    Parameters
    ----------
    problem, knowledge
        What is asked and known.
    chip : str, optional
        Pattern of chips to look at one by one.
    remedies : bool
        Whether to solve changed problems as well.
    workers, seed
        For the solver.

    Raises
    ------
    InputError
        The pattern fits no chip.
    ProblemError
        The problem asks for something the tables cannot hold.
    VerificationError
        The independent check disagrees: a bug.
    """
    chips = ChipViews() if chip is None else chip_views(problem, knowledge, chip, MOST_CHIPS)
    answer = solve_problem(problem, knowledge, workers=workers, seed=seed, top=2)
    return Explanation(
        answer,
        infeasible_of(answer) if answer.status is Status.INFEASIBLE else None,
        ranges_of(answer),
        tuple(found for demand in DEMANDS if (found := demand_range(answer, demand)) is not None),
        overlap_readings(answer),
        remedies_of(problem, knowledge, workers=workers, seed=seed) if remedies else (),
        chips,
    )
