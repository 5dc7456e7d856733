"""Lexicographic optimum with CP-SAT: scale, drop dominated rows, then one model per objective.

After objective k is solved, its value may worsen by at most ``within`` for the objectives that follow. The last
objective is the row's place in the exact order of all objectives and then of names, so the answer is one row whatever
the number of workers, and never a dominated one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from dse.model.choice import ChoiceModel, build, keep_within, minimise
from dse.model.scaling import IntArray, non_dominated, ranks
from dse.solution import Choice, Proven, Status

BOUND_ROUNDING = 1e-6  # the solver reports bounds on whole numbers as floats


def choose(
    costs: IntArray,
    withins: Sequence[int],
    names: Sequence[str],
    rank: IntArray,
    *,
    label_of: Callable[[int], str] = str,
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
    label_of : callable
        Name of a row in the model, for the solver's logs.
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
    place = np.argsort(order, kind="stable").astype(np.int64)
    choice = build([label_of(row) for row in kept.tolist()])
    deadline = None if time_limit_s is None else time.monotonic() + time_limit_s
    proven: list[Proven] = []
    row: int | None = None
    status, solved = Status.OPTIMAL, 0
    for column, name, within in zip([*costs[kept].T, place], [*names, None], [*withins, 0], strict=True):
        ranked, levels = ranks(column)
        minimise(choice, ranked)
        found = _solve_once(choice, row, new_solver(workers, seed, deadline))
        solved += 1
        if found.row is not None:
            row = found.row
            proven.append(Proven(int(column[row]), int(levels[found.bound])))
        if not found.optimal:
            status = Status.UNKNOWN if row is None else Status.FEASIBLE
            break
        if name is not None:
            most = int(np.searchsorted(levels, proven[-1].cost + within, "right")) - 1
            keep_within(choice, ranked, most, name)
    chosen = None if row is None else int(kept[row])
    return Choice(status, chosen, tuple(proven[: len(names)]), len(kept), solved)


@dataclass(frozen=True)
class _Found:
    """Outcome of one run of the solver: the row, None without one, and the proven bound on its rank."""

    row: int | None
    bound: int
    optimal: bool


def _solve_once(choice: ChoiceModel, start: int | None, solver: cp_model.CpSolver) -> _Found:
    """Minimise the model's objective, starting from a row that satisfies everything so far."""
    if start is not None:
        _start_from(choice, start)
    status = solver.solve(choice.model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return _Found(None, 0, optimal=False)
    row = next(i for i, variable in enumerate(choice.select) if solver.boolean_value(variable))
    # Ranks are whole numbers: a bound of 2.9999999 proves 3.
    bound = max(0, int(np.ceil(solver.best_objective_bound - BOUND_ROUNDING)))
    return _Found(row, bound, optimal=status == cp_model.OPTIMAL)


def _start_from(choice: ChoiceModel, row: int) -> None:
    """Hint the row found so far: it satisfies everything that was added."""
    choice.model.clear_hints()  # type: ignore[no-untyped-call]
    for i, variable in enumerate(choice.select):
        choice.model.add_hint(variable, i == row)


def new_solver(workers: int, seed: int, deadline: float | None) -> cp_model.CpSolver:
    """A solver with the time that is left until `deadline` (`time.monotonic`)."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = seed
    # An interrupt is for the whole command: the solver would only end its present model, and the next would begin.
    solver.parameters.catch_sigint_signal = False
    if deadline is not None:
        solver.parameters.max_time_in_seconds = max(0.0, deadline - time.monotonic())
    return solver
