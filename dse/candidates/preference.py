"""What "better" means: objectives as costs at their stated resolution, and the lexicographic choice by enumeration.

Below this line everything is minimised. A missing figure costs more than any known one: it never wins on what nobody
knows, and never loses to a figure that does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass

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


def costs_of(goals: tuple[Goal, ...], candidates: Candidates) -> IntArray:
    """Cost of every candidate under every goal, shape (n, goals)."""
    columns = [goal.cost(getattr(candidates, goal.quantity.name)) for goal in goals]
    return np.stack(columns, axis=1) if columns else np.zeros((len(candidates), 0), dtype=np.int64)


def name_order(context: Context, candidates: Candidates) -> IntArray:
    """Rank of candidates by full name: the last, total tie-break. Shape (n,).

    Lanes and nets are sorted by name already, so their positions stand for names. Only rows that no known figure
    refuses are ranked, the others share the last rank: they can never be chosen.
    """
    possible = np.flatnonzero((candidates.violated & ~candidates.unknown) == 0)
    rank = np.full(len(candidates), len(candidates), dtype=np.int64)
    rank[possible] = _ranked(context, candidates.take(possible))
    return rank


def _ranked(context: Context, candidates: Candidates) -> IntArray:
    runs, run = context.runs, candidates.run
    weights = context.catalog.entries.weights[context.chosen.entries].astype(str)
    place = np.zeros(len(context.catalog.entries.net), dtype=np.int64)
    place[context.chosen.entries] = np.unique(weights, return_inverse=True)[1]
    keys = [
        candidates.entry,
        candidates.option,
        place[candidates.entry],
        runs.batch[run],
        runs.net[run],
        runs.lane[run],
    ]
    rank = np.empty(len(candidates), dtype=np.int64)
    rank[np.lexsort(keys)] = np.arange(len(candidates))
    return rank


def best(costs: IntArray, goals: tuple[Goal, ...], rank: IntArray) -> int:
    """Position of the lexicographically best row, by plain enumeration; rows must not be empty.

    What `within` leaves open is decided by the objectives again, exactly, then by `rank`.
    """
    left = np.arange(len(costs))
    for column, goal in enumerate(goals):
        cost = costs[left, column]
        left = left[cost <= cost.min() + goal.within]
    return int(left[np.lexsort([rank[left], *costs[left].T[::-1]])[0]])
