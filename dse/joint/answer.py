"""From a problem with several tasks to its answer: rows of each, the joint model, exact verdicts, alternatives."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from dse.candidates.preference import Goal, goals_of
from dse.catalog.types import IntArray
from dse.errors import VerificationError
from dse.estimate.store import Knowledge
from dse.joint.evaluate import Evaluator, Verdict
from dse.joint.prune import Kept, kept_rows
from dse.joint.sides import Device, Side, sides_of
from dse.joint.totals import Shares
from dse.model.joint import Instance, Row
from dse.model.joint_solve import MOST_COST, JointChoice, JointGoal, Judgement, choose_joint
from dse.problem.spec import Problem
from dse.schema import UNKNOWN, bound_down
from dse.solution import Status
from dse.timing.ticks import up_ticks

PPM = 1_000_000
NORM_STEPS = 10_000
"""Steps of the normalised accuracy of a task of full weight: hundredths of a percent of the way to the best."""
MOST_ENUMERATED = 1_000
"""Combinations up to which the optimum is proven a second time, by trying them all."""


@dataclass(frozen=True)
class JointAnswer:
    """Everything that was found for a problem with several tasks on one device."""

    problem: Problem
    knowledge: Knowledge
    sides: tuple[Side, ...]
    goals: tuple[Goal, ...]
    kept: tuple[Kept, ...]
    choice: JointChoice
    verdict: Verdict | None
    alternatives: tuple[Verdict, ...]
    proofs: tuple[str, ...]
    wall_s: float
    workers: int
    seed: int
    table: Table

    def cost(self, goal: Goal, verdict: Verdict) -> int:
        """Steps of the chosen combination under a goal."""
        number = self.goals.index(goal)
        return self.table.costs_of(verdict)[number]

    def value(self, goal: Goal, cost: int) -> float:
        """What a cost stands for, in the goal's unit; of accuracy the normalised sum in hundredths."""
        if goal.quantity.name == "accuracy":
            return float(sum(np.ceil(scale[2]) for scale in self.table.scales) - cost) / (NORM_STEPS / 100)
        return goal.value(cost)

    def resolution(self, goal: Goal) -> float:
        """Step of a goal in its unit."""
        if goal.quantity.name == "accuracy":
            return 100 / NORM_STEPS
        return goal.quantity.resolution / goal.quantity.scale


@dataclass(frozen=True)
class Table:
    """The rows of all tasks as the solver sees them, and the way back."""

    evaluator: Evaluator
    kept: tuple[Kept, ...]
    instance: Instance
    goals: tuple[Goal, ...]
    scales: tuple[tuple[float, float, float], ...]
    devices: tuple[Device, ...]

    def verdict(self, rows: Sequence[int]) -> Verdict:
        """Exact verdict on rows of the instance."""
        return self.evaluator.judge([int(kept.rows[r]) for kept, r in zip(self.kept, rows, strict=True)])

    def judge(self, rows: tuple[int, ...]) -> Judgement:
        """The same with costs under every goal."""
        verdict = self.verdict(rows)
        return Judgement(verdict.feasible, self.costs_of(verdict))

    def costs_of(self, verdict: Verdict) -> tuple[int, ...]:
        """Exact costs of a combination of kept rows."""
        rows = [int(np.flatnonzero(kept.rows == row)[0]) for kept, row in zip(self.kept, verdict.rows, strict=True)]
        return tuple(
            sum(self.instance.tasks[k][r].costs[number] for k, r in enumerate(rows))
            if is_additive(goal)
            else _cost(goal, verdict.figures[goal.quantity.name])
            for number, goal in enumerate(self.goals)
        )

    def others(self, kinds: set[str], different: str) -> list[list[int]]:
        """Rows of every task on devices of other kinds."""
        gone = {number for number, device in enumerate(self.devices) if self.kind_of(device, different) in kinds}
        return [[r for r, row in enumerate(rows) if row.device not in gone] for rows in self.instance.tasks]

    def kind_of(self, device: Device, different: str) -> str:
        """What listed designs differ in: chip, vendor or tool chain; the whole device where all may be alike."""
        chip = self.evaluator.sides[0].context.catalog.chips[device[0]]
        words = {"chip": chip.id, "vendor": chip.vendor, "toolchain": chip.toolchain or chip.vendor}
        return words.get(different, "|".join(device))

    def everything(self) -> list[list[int]]:
        """All rows of every task."""
        return [list(range(len(rows))) for rows in self.instance.tasks]


def is_additive(goal: Goal) -> bool:
    """Whether the cost of a combination is a sum over its rows, exactly."""
    return goal.quantity.name in ("accuracy", "price_usd")


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
    goals = table.goals
    choice = _choose(table, table.everything(), workers, seed, time_limit_s)
    verdict = None if choice.rows is None else table.verdict(choice.rows)
    proofs = list(_proofs(table, choice, verdict))
    alternatives = _alternatives(table, choice, top, different, workers, seed, time_limit_s)
    return JointAnswer(problem, knowledge, sides, goals, table.kept, choice, verdict, alternatives, tuple(proofs),
                       time.perf_counter() - started, workers, seed, table)  # fmt: skip


def tabled(problem: Problem, sides: tuple[Side, ...]) -> Table:
    """What the solver needs of every task."""
    evaluator = Evaluator(problem, sides)
    goals = goals_of(problem)
    kept = tuple(kept_rows(side, shares) for side, shares in zip(sides, evaluator.shares, strict=True))
    common = set.intersection(*({*one.device} for one in kept))
    kept = tuple(_on(one, common) for one in kept)
    devices = sorted(common)
    number = {device: d for d, device in enumerate(devices)}
    heaviest = max(side.task.weight for side in sides)
    scales = tuple(_scale(side, heaviest) for side in sides)
    tasks = tuple(
        tuple(
            _row(problem, goals, side, shares, own, k, number, scale, first=position == 0) for k in range(len(own.rows))
        )
        for position, (side, shares, own, scale) in enumerate(zip(sides, evaluator.shares, kept, scales, strict=True))
    )
    capacities: list[int | None] = [None] * len(devices)
    for k, device in enumerate(kept[0].device):
        capacity = int(evaluator.shares[0].capacity[kept[0].rows[k]])
        capacities[number[device]] = None if capacity == UNKNOWN else capacity
    by_priority = problem.search.scheduling == "fixed-priority"
    instance = Instance(
        tasks=tasks,
        deadlines=tuple(_deadline(side) for side in sides),
        priorities=tuple(side.task.priority if by_priority else 0 for side in sides),
        capacities=tuple(capacities),
        most_load=_most_load(problem),
    )
    return Table(evaluator, kept, instance, goals, scales, tuple(devices))


def _on(kept: Kept, devices: set[Device]) -> Kept:
    """Only the rows on some devices."""
    chosen = [k for k, device in enumerate(kept.device) if device in devices]
    pick: IntArray = np.array(chosen, dtype=np.int64)
    return Kept(kept.rows[pick], tuple(kept.device[k] for k in chosen), tuple(kept.unit[k] for k in chosen),
                tuple(kept.batched[k] for k in chosen), kept.group[pick], kept.burdens[pick])  # fmt: skip


def _deadline(side: Side) -> int | None:
    deadline = side.task.deadline_ms
    return None if deadline is None else bound_down(deadline, 10_000)


def _most_load(problem: Problem) -> int:
    limit = problem.limits.get("utilization")
    return PPM if limit is None or limit.maximum is None else min(PPM, bound_down(limit.maximum, PPM))


def _scale(side: Side, heaviest: float) -> tuple[float, float, float]:
    """Floor, best and steps of a task's accuracy: its required one, or the lowest that is left, counts 0."""
    accuracy = side.candidates.accuracy[side.rows] / 1e6
    lowest = float(accuracy.min()) if len(accuracy) else 0.0
    floor = lowest if side.task.min_accuracy is None else min(side.task.min_accuracy, lowest)
    best = float(accuracy.max()) if len(accuracy) else 0.0
    return floor, best, NORM_STEPS * side.task.weight / heaviest


def _row(
    problem: Problem,
    goals: Sequence[Goal],
    side: Side,
    shares: Shares,
    kept: Kept,
    k: int,
    number: dict[Device, int],
    scale: tuple[float, float, float],
    *,
    first: bool,
) -> Row:
    row = int(kept.rows[k])
    candidates, context = side.candidates, side.context
    run = int(candidates.run[row])
    arrivals, batch = context.arrivals, int(context.runs.batch[run])
    service = int(up_ticks(context.service.service_ms[[run]])[0])
    jobs = 1 if problem.search.scheduling == "round-robin" else -(-arrivals.streams // batch)
    return Row(
        device=number[kept.device[k]],
        unit=kept.unit[k],
        alone=int(candidates.worst_case_ms[row]),
        added=service * jobs,
        load=arrivals.streams * service * PPM // (batch * arrivals.period_up),
        memory=int(shares.least_memory[row]),
        runtime=str(shares.runtime[row]),
        base=int(shares.base[row]),
        exclusive=kept.batched[k] and problem.search.scheduling != "round-robin",
        costs=tuple(_row_cost(goal, side, shares, row, scale, first=first) for goal in goals),
        place=int(side.order[row]),
    )


def _row_cost(
    goal: Goal, side: Side, shares: Shares, row: int, scale: tuple[float, float, float], *, first: bool
) -> int:
    """Cost of a row: its share of a sum, or a bound from below on that of any combination with it."""
    name = goal.quantity.name
    if name == "accuracy":
        floor, best, steps = scale
        share = 1.0 if best <= floor else (int(side.candidates.accuracy[row]) / 1e6 - floor) / (best - floor)
        return int(np.ceil(steps) - np.floor(steps * share + 1e-9))
    if name == "price_usd":
        return _cost(goal, int(shares.price[row])) if first else 0
    if name == "energy_mj":
        return 0  # a mean over tasks: one of them may lie above it
    return _cost(goal, int(getattr(side.candidates, name)[row]))


def _cost(goal: Goal, figure: int) -> int:
    """Steps of a figure to minimise; unknown is beyond anything known."""
    if figure == UNKNOWN:
        return MOST_COST
    step = goal.quantity.resolution
    steps = -(figure // step) if goal.maximize else -(-figure // step)
    return max(-MOST_COST + 1, min(MOST_COST - 1, steps))


def _choose(table: Table, places: list[list[int]], workers: int, seed: int, time_limit_s: float | None) -> JointChoice:
    """Solve over some rows of every task; the rows of the choice are positions in the whole table."""
    tasks = tuple(tuple(rows[r] for r in own) for rows, own in zip(table.instance.tasks, places, strict=True))
    instance = replace(table.instance, tasks=tasks)
    back = [{r: i for i, r in enumerate(own)} for own in places]

    def no_easier(task: int, row: int) -> list[int]:
        return [back[task][r] for r in table.kept[task].no_easier(places[task][row]).tolist() if r in back[task]]

    goals = [JointGoal(goal.objective.name, _within(goal), is_additive(goal)) for goal in table.goals]
    choice = choose_joint(
        instance, goals, lambda rows: table.judge(tuple(places[k][r] for k, r in enumerate(rows))), no_easier,
        workers=workers, seed=seed, time_limit_s=time_limit_s,
    )  # fmt: skip
    rows = None if choice.rows is None else tuple(places[k][r] for k, r in enumerate(choice.rows))
    return JointChoice(choice.status, rows, choice.proven, choice.models_solved, choice.judged)


def _within(goal: Goal) -> int:
    """What later goals may cost this one, in steps; of accuracy, hundredths of the normalised sum."""
    if goal.quantity.name == "accuracy":
        return int(goal.objective.within * NORM_STEPS / 100)
    return min(goal.within, MOST_COST)


def _alternatives(
    table: Table, choice: JointChoice, top: int, different: str, workers: int, seed: int, time_limit_s: float | None
) -> tuple[Verdict, ...]:
    """The best designs on devices of other kinds, each without the kinds before it."""
    found: list[Verdict] = []
    rows = choice.rows
    kinds: set[str] = set()
    while rows is not None and len(found) < top - 1:
        kinds.add(table.kind_of(table.kept[0].device[rows[0]], different))
        other = table.others(kinds, different)
        if not all(other):
            break
        rows = _choose(table, other, workers, seed, time_limit_s).rows
        if rows is not None:
            found.append(table.verdict(rows))
    return tuple(found)


def _proofs(table: Table, choice: JointChoice, verdict: Verdict | None) -> list[str]:
    """What stands behind the answer."""
    lines = []
    if verdict is not None:
        if not verdict.feasible:
            raise VerificationError(f"the chosen combination misses {', '.join(verdict.violated)}")
        lines.append("every requirement of the combination judged with the exact bounds")
    if choice.status is Status.OPTIMAL or choice.status is Status.INFEASIBLE:
        size = combinations_of(table.kept)
        if size <= MOST_ENUMERATED:
            best = enumerated(table)
            if best != choice.rows:
                raise VerificationError(f"the solver chose {choice.rows}, enumeration {best}")
            lines.append(f"repeated by enumerating all {size:,} combinations of rows that no other row beats")
        else:
            lines.append(
                f"proven by the solver over {size:,} combinations of rows that no other row beats; {choice.judged} of "
                "them were judged exactly, the rest lie behind the bound or are no easier than one that failed"
            )
    return lines


def combinations_of(kept: Sequence[Kept]) -> int:
    """How many combinations of the kept rows lie on one device."""
    counts = [Counter(one.device) for one in kept]
    return sum(prod(count[device] for count in counts) for device in counts[0])


def enumerated(table: Table) -> tuple[int, ...] | None:
    """The lexicographically best combination by trying all of them; None where none holds."""
    found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
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
        most = min(costs[number] for costs, _ in found) + _within(goal)
        found = [one for one in found if one[0][number] <= most]
    return min(found, key=lambda one: (one[0], tuple(tasks[k][r].place for k, r in enumerate(one[1]))))[1]
