"""Lexicographic optimum of several tasks on one device: the relaxed model proposes, exact judgement disposes.

Goals that are sums over the chosen rows are minimised as they stand. The others (the worst case, power, load …) are
known exactly only of a whole combination: the model holds a lower bound, learns the exact cost of what it proposed and
of all that is no easier, and is done when its proven bound reaches the best it has seen (logic-based Benders
decomposition; Hooker and Ottosson, Mathematical Programming 96, 2003).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from dse.model.joint import Cut, Instance, JointModel
from dse.model.scaling import MAX_ROW_SUM
from dse.model.solve import BOUND_ROUNDING, new_solver
from dse.solution import Proven, Status

MOST_COST = 2**28
"""Costs saturate here; an unknown figure costs this much."""

Combination = tuple[int, ...]


@dataclass(frozen=True)
class JointGoal:
    """One objective. ``additive``: the sum of the chosen rows' costs; else the rows' costs bound it from below.

    ``within`` is what later goals may cost it, in steps. ``waiting`` is the length of a step [tick] where the cost is
    the longest latency: the model then knows what tasks on one unit add to each other; 0 for other goals.
    """

    name: str
    within: int
    additive: bool
    waiting: int = 0


@dataclass(frozen=True)
class Judgement:
    """What exact judgement says of a combination: whether it holds, and its cost under every goal."""

    feasible: bool
    costs: tuple[int, ...]


@dataclass(frozen=True)
class JointChoice:
    """The chosen rows, one per task; None without any. ``proven`` as in `dse.solution.Choice`."""

    status: Status
    rows: Combination | None
    proven: tuple[Proven, ...]
    models_solved: int
    judged: int


class _Search:
    """The state of one lexicographic search."""

    def __init__(
        self,
        instance: Instance,
        goals: Sequence[JointGoal],
        judge: Callable[[Combination], Judgement],
        no_easier: Callable[[int, int], Sequence[int]],
        easier: Callable[[int, int], Sequence[int]],
        workers: int,
        seed: int,
        time_limit_s: float | None,
    ) -> None:
        self._instance, self._no_easier, self._easier = instance, no_easier, easier
        self._goals, self._judge_exactly = goals, judge
        self._workers, self._seed = workers, seed
        self._deadline = None if time_limit_s is None else time.monotonic() + time_limit_s
        self.model = JointModel(instance)
        self.caps: list[tuple[int, int]] = []
        self.best: Combination | None = None
        self.models_solved = self.judged = 0

    def _judge(self, rows: Combination) -> Judgement:
        self.judged += 1
        return self._judge_exactly(rows)

    def _holds(self, found: Judgement) -> bool:
        """Whether a combination meets every requirement and what earlier goals leave."""
        return found.feasible and all(found.costs[capped] <= most for capped, most in self.caps)

    def _forbid(self, rows: Combination) -> None:
        """Cut off a combination that does not hold, and all that are no easier than an easier one that does not either.

        For each task in turn the easiest row that still fails is looked for by halving: the fewer burdens it takes to
        fail, the more the cut takes away.
        """
        failing = list(rows)
        for task, row in enumerate(rows):
            easier = list(self._easier(task, row))
            low, high = 0, len(easier) - 1
            while low < high:
                middle = (low + high) // 2
                tried = (*failing[:task], easier[middle], *failing[task + 1 :])
                if self._holds(self._judge(tried)):
                    low = middle + 1
                else:
                    high = middle
                    failing[task] = easier[middle]
        self.model.forbid(self._no_easier_than(tuple(failing)))

    def _no_easier_than(self, rows: Combination) -> Cut:
        return Cut(tuple(tuple(self._no_easier(k, r)) for k, r in enumerate(rows)))

    def minimise(self, goal: int, additive: bool) -> tuple[int, int] | None:
        """Least cost of a goal and its proven bound; None where nothing holds at all."""
        variable = None if additive else self._bounded(goal)
        if variable is not None and self._goals[goal].waiting:
            self.model.waiting(variable, self._goals[goal].waiting)
        expression = self.model.cost(goal) if variable is None else variable
        best: int | None = None
        while True:
            status, solver = self._solve(expression)
            if status == cp_model.INFEASIBLE:
                return None if best is None else (best, best)
            if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                raise TimeoutError
            bound = int(np.ceil(solver.best_objective_bound - BOUND_ROUNDING))
            if best is not None and bound >= best:
                return best, best
            rows = self._chosen(solver)
            found = self._judge(rows)
            if not self._holds(found):
                self._forbid(rows)
                continue
            if best is None or found.costs[goal] < best:
                best, self.best = found.costs[goal], rows
            if status == cp_model.OPTIMAL and (additive or bound >= best):
                return best, min(bound, best)
            if variable is None:
                raise TimeoutError
            self.model.at_least(variable, found.costs[goal], self._no_easier_than(rows))

    def keep(self, goal: int, additive: bool, most: int) -> None:
        """Let later goals cost this one no more than `most`."""
        if additive:
            self.model.model.add(self.model.cost(goal) <= most)
        else:
            self.caps.append((goal, most))

    def name(self, task: int) -> None:
        """Of all that is still open, the first row of a task by name."""
        rows = self._instance.tasks[task]
        order = np.argsort([row.place for row in rows], kind="stable")
        rank = np.empty(len(rows), dtype=np.int64)
        rank[order] = np.arange(len(rows))
        while True:
            status, solver = self._solve(sum(int(rank[r]) * x for r, x in enumerate(self.model.select[task])))
            if status != cp_model.OPTIMAL:
                raise TimeoutError
            chosen = self._chosen(solver)
            if self._holds(self._judge(chosen)):
                self.best = chosen
                self.model.model.add(self.model.select[task][chosen[task]] == 1)
                return
            self._forbid(chosen)

    def _solve(self, expression: cp_model.LinearExprT) -> tuple[cp_model.CpSolverStatus, cp_model.CpSolver]:
        """Minimise an expression once, starting from the best combination so far."""
        self.model.model.minimize(expression)
        self._hint()
        solver = new_solver(self._workers, self._seed, self._deadline)
        status = solver.solve(self.model.model)
        self.models_solved += 1
        return status, solver

    def _chosen(self, solver: cp_model.CpSolver) -> Combination:
        """The row of every task in the solver's solution."""
        return tuple(
            next(r for r, variable in enumerate(column) if solver.boolean_value(variable))
            for column in self.model.select
        )

    def _bounded(self, goal: int) -> cp_model.IntVar:
        """A variable not below the cost of any chosen row."""
        variable = self.model.model.new_int_var(-MOST_COST, MOST_COST, f"cost[{goal}]")
        for k, rows in enumerate(self._instance.tasks):
            costs = np.array([row.costs[goal] for row in rows], dtype=np.int64)
            coarse = int(np.abs(costs).sum()) // (MAX_ROW_SUM // 2) + 1
            rough = costs // coarse  # rounded down: still a lower bound
            column = sum(int(cost) * x for cost, x in zip(rough, self.model.select[k], strict=True) if cost)
            self.model.model.add(variable >= coarse * column)
        return variable

    def _hint(self) -> None:
        if self.best is None:
            return
        self.model.model.clear_hints()  # type: ignore[no-untyped-call]
        for column, chosen in zip(self.model.select, self.best, strict=True):
            for r, variable in enumerate(column):
                self.model.model.add_hint(variable, r == chosen)


def choose_joint(
    instance: Instance,
    goals: Sequence[JointGoal],
    judge: Callable[[Combination], Judgement],
    no_easier: Callable[[int, int], Sequence[int]],
    easier: Callable[[int, int], Sequence[int]],
    *,
    workers: int = 1,
    seed: int = 0,
    time_limit_s: float | None = None,
) -> JointChoice:
    """The lexicographically best combination of one row per task.

    Parameters
    ----------
    instance : Instance
        Rows, deadlines and capacities.
    goals : sequence of JointGoal
        Most important first.
    judge : callable
        Exact verdict on a combination.
    no_easier : callable
        Task and row to the rows of the task with which everything is at least as hard.
    easier : callable
        Task and row to the rows with which nothing is harder, itself included, the easiest first.
    workers, seed, time_limit_s
        Passed to the solver; none of them changes a proven answer.
    """
    if not all(instance.tasks):
        return JointChoice(Status.INFEASIBLE, None, (), 0, 0)
    search = _Search(instance, goals, judge, no_easier, easier, workers, seed, time_limit_s)
    proven: list[Proven] = []
    try:
        for turn in (1, 2):
            for number, goal in enumerate(goals):
                if turn == 2 and goal.within == 0:
                    continue
                found = search.minimise(number, goal.additive)
                if found is None:
                    return JointChoice(Status.INFEASIBLE, None, (), search.models_solved, search.judged)
                cost, bound = found
                if turn == 1:
                    proven.append(Proven(cost, bound))
                search.keep(number, goal.additive, cost + (goal.within if turn == 1 else 0))
        for task in range(len(instance.tasks)):
            search.name(task)
    except TimeoutError:
        status = Status.UNKNOWN if search.best is None else Status.FEASIBLE
        return JointChoice(status, search.best, tuple(proven), search.models_solved, search.judged)
    return JointChoice(Status.OPTIMAL, search.best, tuple(proven), search.models_solved, search.judged)
