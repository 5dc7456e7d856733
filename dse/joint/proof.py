"""What stands behind an answer for several tasks: the second road, and the choice repeated by enumeration."""

from __future__ import annotations

from itertools import product

from dse.errors import VerificationError
from dse.joint.evaluate import Verdict
from dse.joint.table import Table, within_of
from dse.model.joint_solve import Combination, JointChoice
from dse.problem.spec import Problem
from dse.solution import Status
from dse.verify import verify_infeasible
from dse.verify.combination import Reported, verify_combination

MOST_ENUMERATED = 1_000
"""Combinations up to which the optimum is proven a second time, by trying them all."""


def proofs_of(problem: Problem, table: Table, choice: JointChoice, verdict: Verdict | None) -> list[str]:
    """What was checked, one line each.

    Raises
    ------
    VerificationError
        The second road disagrees: a bug.
    """
    lines = []
    if verdict is not None:
        if not verdict.feasible:
            raise VerificationError(f"the chosen combination misses {', '.join(verdict.violated)}")
        rows = [(side.context, side.candidates, row)
                for side, row in zip(table.evaluator.sides, verdict.rows, strict=True)]  # fmt: skip
        reported = Reported(verdict.worst, verdict.chains, verdict.loads, verdict.figures)
        lines += verify_combination(problem, rows, reported)
    sides = table.evaluator.sides
    impossible = [side for side in sides if not len(side.rows)] if choice.status is Status.INFEASIBLE else []
    if impossible:
        return [f"{side.task.name}: {line}" for side in impossible
                for line in verify_infeasible(side.context, side.found)]  # fmt: skip
    if choice.status in (Status.OPTIMAL, Status.INFEASIBLE):
        lines.append(_optimum(table, choice))
    return lines


def _optimum(table: Table, choice: JointChoice) -> str:
    """That no other combination is better: by trying them all where they are few."""
    size = table.combinations
    if size > MOST_ENUMERATED:
        return (
            f"proven by the solver over {size:,} combinations of rows that no other row beats; {choice.judged} of "
            "them were judged exactly, the rest lie behind the bound or are no easier than one that failed"
        )
    best = enumerated(table)
    if best != choice.rows:
        raise VerificationError(f"the solver chose {choice.rows}, enumeration {best}")
    return f"repeated by enumerating all {size:,} combinations of rows that no other row beats"


def enumerated(table: Table) -> Combination | None:
    """The lexicographically best combination by trying all of them; None where none holds."""
    found: list[tuple[tuple[int, ...], Combination]] = []
    tasks = table.instance.tasks
    for d in range(len(table.devices)):
        own = [[r for r, row in enumerate(rows) if row.device == d] for rows in tasks]
        for rows in product(*own):
            judged = table.judge(rows)
            if judged.feasible:
                found.append((judged.costs, rows))
    if not found:
        return None
    for number, goal in enumerate(table.goals):
        most = min(costs[number] for costs, _ in found) + within_of(goal)
        found = [one for one in found if one[0][number] <= most]
    return min(found, key=lambda one: (one[0], tuple(tasks[k][r].place for k, r in enumerate(one[1]))))[1]
