"""From a problem with several tasks to its answer: rows of each, the joint model, exact verdicts, alternatives."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dse.estimate.store import Knowledge
from dse.joint.evaluate import Verdict
from dse.joint.misses import Miss, nearest_misses
from dse.joint.proof import proofs_of
from dse.joint.sides import Side, sides_of
from dse.joint.table import Table, is_additive, tabled, waiting_step, within_of
from dse.model.joint_solve import JointChoice, JointGoal, Judgement, choose_joint
from dse.problem.spec import Problem
from dse.solution import Status


@dataclass(frozen=True)
class JointAnswer:
    """Everything that was found for a problem with several tasks on one device.

    ``choice`` holds positions in the table, verdicts those of candidates; ``misses`` are there when nothing holds.
    """

    problem: Problem
    sides: tuple[Side, ...]
    table: Table
    choice: JointChoice
    verdict: Verdict | None
    alternatives: tuple[Verdict, ...]
    misses: tuple[Miss, ...]
    proofs: tuple[str, ...]
    wall_s: float
    workers: int
    seed: int


@dataclass(frozen=True)
class _Solver:
    """The table and what the solver is to run with."""

    table: Table
    workers: int
    seed: int
    time_limit_s: float | None

    def best(self, places: Sequence[Sequence[int]]) -> JointChoice:
        """Solve over some rows of every task; the rows of the choice are positions in the whole table."""
        table = self.table
        tasks = tuple(tuple(rows[r] for r in own) for rows, own in zip(table.instance.tasks, places, strict=True))
        back = [{r: i for i, r in enumerate(own)} for own in places]

        def judge(rows: Sequence[int]) -> Judgement:
            return table.judge([places[k][r] for k, r in enumerate(rows)])

        def no_easier(task: int, row: int) -> list[int]:
            return [back[task][r] for r in table.kept[task].no_easier(places[task][row]).tolist() if r in back[task]]

        def easier(task: int, row: int) -> list[int]:
            return [back[task][r] for r in table.kept[task].easier(places[task][row]).tolist() if r in back[task]]

        choice = choose_joint(
            replace(table.instance, tasks=tasks),
            [
                JointGoal(goal.objective.name, within_of(goal), is_additive(goal), waiting_step(goal))
                for goal in table.goals
            ],
            judge,
            no_easier,
            easier,
            workers=self.workers,
            seed=self.seed,
            time_limit_s=self.time_limit_s,
        )
        rows = None if choice.rows is None else tuple(places[k][r] for k, r in enumerate(choice.rows))
        return replace(choice, rows=rows)

    def others(self, first: JointChoice, top: int, different: str) -> tuple[Verdict, ...]:
        """The best designs on devices of other kinds, each without the kinds before it."""
        found: list[Verdict] = []
        kinds: set[str] = set()
        rows = first.rows
        while rows is not None and len(found) < top - 1:
            kinds.add(self.table.kind_of(self.table.kept[0].device[rows[0]], different))
            left = self.table.without(kinds, different)
            if not all(left):
                break
            rows = self.best(left).rows
            if rows is not None:
                found.append(self.table.verdict(rows))
        return tuple(found)


def solve_joint(
    problem: Problem,
    knowledge: Knowledge,
    *,
    workers: int = 1,
    seed: int = 0,
    top: int = 5,
    different: str = "chip",
    time_limit_s: float | None = None,
) -> JointAnswer:
    """Solve a checked problem with several tasks; arguments and errors as of `dse.answer.solve_problem`."""
    started = time.perf_counter()
    sides = sides_of(problem, knowledge)
    table = tabled(problem, sides)
    solver = _Solver(table, workers, seed, time_limit_s)
    choice = solver.best(table.everything())
    verdict = None if choice.rows is None else table.verdict(choice.rows)
    return JointAnswer(
        problem=problem,
        sides=sides,
        table=table,
        choice=choice,
        verdict=verdict,
        alternatives=solver.others(choice, top, different),
        misses=nearest_misses(table) if choice.status is Status.INFEASIBLE else (),
        proofs=tuple(proofs_of(problem, table, choice, verdict)),
        wall_s=time.perf_counter() - started,
        workers=workers,
        seed=seed,
    )
