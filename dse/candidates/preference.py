"""What "better" means: objectives as costs at their stated resolution, and the lexicographic choice by enumeration.

Below this line everything is minimised. A missing figure costs more than any known one: it never wins on what nobody
knows, and never loses to a figure that does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dse.candidates.context import Context
from dse.candidates.table import Candidates
from dse.catalog.types import IntArray
from dse.problem.fields import exact
from dse.problem.settings import Objective
from dse.problem.spec import Problem
from dse.schema import QUANTITIES, UNKNOWN, Quantity

FAR = 2**40  # steps no two costs are apart


@dataclass(frozen=True)
class Goal:
    """One objective in whole steps of its resolution; `within` is what later ones may cost it."""

    objective: Objective
    quantity: Quantity
    within: int

    @property
    def maximize(self) -> bool:
        """Whether more is better."""
        return self.objective.sense == "maximize"

    def cost(self, column: IntArray) -> IntArray:
        """Steps to minimise, rounded against the candidate; unknown is beyond what `within` could ever give up."""
        known = column != UNKNOWN
        step = self.quantity.resolution
        steps = -(column // step) if self.maximize else -(-column // step)
        worst = int(steps[known].max()) + self.within + 1 if known.any() else 0
        return np.where(known, steps, worst)

    def value(self, cost: int) -> float:
        """The objective a cost stands for, in its unit."""
        return float((-cost if self.maximize else cost) * self.quantity.resolution / self.quantity.scale)


def goals_of(problem: Problem) -> tuple[Goal, ...]:
    """The objectives of a problem, whose names were checked."""
    goals = []
    for objective in problem.objectives:
        quantity = QUANTITIES[objective.name.removeprefix("result.")]
        steps = exact(objective.within) * quantity.scale / quantity.resolution
        goals.append(Goal(objective, quantity, min(int(steps), FAR)))
    return tuple(goals)


@dataclass(frozen=True)
class Ranking:
    """Candidates under the objectives; rows are positions in `candidates`.

    ``feasible`` are the rows that meet every requirement; ``order`` ranks all rows by name, the last tie-break.
    """

    candidates: Candidates
    goals: tuple[Goal, ...]
    feasible: IntArray
    order: IntArray

    def costs(self, rows: IntArray) -> IntArray:
        """Cost of the rows under every goal, shape (rows, goals); unknown is beyond the worst known of the rows."""
        columns = [goal.cost(getattr(self.candidates, goal.quantity.name)[rows]) for goal in self.goals]
        return np.stack(columns, axis=1)

    def best(self, rows: IntArray) -> int:
        """The lexicographically best of some rows, by plain enumeration; there must be one.

        What `within` leaves open is decided by the objectives again, exactly, then by name.
        """
        costs = self.costs(rows)
        left = np.arange(len(rows))
        for column, goal in enumerate(self.goals):
            cost = costs[left, column]
            left = left[cost <= cost.min() + goal.within]
        exactly = np.lexsort([self.order[rows[left]], *costs[left].T[::-1]])
        return int(rows[left[exactly[0]]])

    def with_value(self, quantity: str, rows: IntArray, value: int) -> Ranking:
        """The same ranking if a figure of some rows were `value`."""
        column = getattr(self.candidates, quantity).copy()
        column[rows] = value
        return replace(self, candidates=replace(self.candidates, **{quantity: column}))


def rank_candidates(context: Context, candidates: Candidates, goals: tuple[Goal, ...]) -> Ranking:
    """Order candidates by full name and find the feasible ones."""
    order = np.empty(len(candidates), dtype=np.int64)
    order[np.lexsort(name_keys(context, candidates)[::-1])] = np.arange(len(candidates))
    return Ranking(candidates, goals, np.flatnonzero(candidates.violated == 0), order)


def name_keys(context: Context, candidates: Candidates) -> list[IntArray]:
    """Whole numbers that order candidates by full name, most important first; each (n,).

    Lanes and nets are sorted by name already, so their positions stand for names.
    """
    runs, run = context.runs, candidates.run
    weights = context.weights_order[candidates.entry]
    return [runs.lane[run], runs.net[run], runs.batch[run], weights, candidates.option, candidates.entry]
