"""Lexicographic optimum with CP-SAT: scale, drop dominated rows, then one model per objective.

After objective k is solved, its value may worsen by at most ``within`` for the objectives that follow. The last
objective is the row's place in the exact order of all objectives and then of names, so the answer is one row whatever
the number of workers, and never a dominated one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from ortools.sat.python import cp_model

from dse.model.choice import ChoiceModel, build, keep_within, minimise
from dse.model.scaling import IntArray, non_dominated, ranks
from dse.solution import Choice, Proven, Status


def choose(
    costs: IntArray,
    withins: Sequence[int],
    names: Sequence[str],
    rank: IntArray,
    *,
    workers: int = 1,
    seed: int = 0,
    time_limit_s: float | None = None,
) -> Choice:
    """The lexicographically best of `costs`.

    Parameters
    ----------
    costs : (n, k)
        Steps to minimise, most important column first.
    withins : (k,)
        Steps each objective may give up for the later ones.
    names : (k,)
        Names of the objectives, for the model's rows.
    rank : (n,)
        Distinct ranks that break ties.
    workers, seed, time_limit_s
        Passed to the solver; none of them changes a proven answer.

    Returns
    -------
    Choice
        ``INFEASIBLE`` without rows; ``OPTIMAL`` when every objective was proven; ``FEASIBLE`` or ``UNKNOWN`` when
        the time ran out with or without a row.
    """
    if not len(costs):
        return Choice(Status.INFEASIBLE, None, (), 0, 0)
    kept = non_dominated(costs, rank)
    # What `within` leaves open is decided by the objectives again, exactly, then by name: never a dominated row.
    order = np.lexsort([rank[kept], *costs[kept].T[::-1]])
    columns = [*costs[kept].T, np.argsort(order, kind="stable").astype(np.int64)]
    choice = build([str(row) for row in kept.tolist()])
    deadline = None if time_limit_s is None else time.monotonic() + time_limit_s
    proven: list[Proven] = []
    row: int | None = None
    for k, column in enumerate(columns):
        rank_of, levels = ranks(column)
        minimise(choice, rank_of)
        if row is not None:
            _start_from(choice, row)
        solver = _solver(workers, seed, deadline)
        status = solver.solve(choice.model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            row = next(i for i, variable in enumerate(choice.select) if solver.boolean_value(variable))
            bound = levels[max(0, min(len(levels) - 1, int(np.ceil(solver.best_objective_bound - 1e-6))))]
            proven.append(Proven(int(column[row]), int(bound)))
        if status != cp_model.OPTIMAL:
            stopped = Status.UNKNOWN if row is None else Status.FEASIBLE
            return Choice(
                stopped, None if row is None else int(kept[row]), tuple(proven[: len(names)]), len(kept), k + 1
            )
        if k < len(names):
            most = int(np.searchsorted(levels, proven[-1].cost + withins[k], "right")) - 1
            keep_within(choice, rank_of, most, names[k])
    assert row is not None
    return Choice(Status.OPTIMAL, int(kept[row]), tuple(proven[: len(names)]), len(kept), len(columns))


def _start_from(choice: ChoiceModel, row: int) -> None:
    """Hint the row found so far: it satisfies everything that was added."""
    choice.model.clear_hints()  # type: ignore[no-untyped-call]
    for i, variable in enumerate(choice.select):
        choice.model.add_hint(variable, i == row)


def _solver(workers: int, seed: int, deadline: float | None) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = seed
    if deadline is not None:
        solver.parameters.max_time_in_seconds = max(0.0, deadline - time.monotonic())
    return solver
