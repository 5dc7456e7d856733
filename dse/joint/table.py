"""The rows of all tasks as the solver sees them: costs, loads and waits as whole numbers, and the way back."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dse.candidates.preference import Goal, goals_of
from dse.joint.evaluate import PPM, Evaluator, Verdict
from dse.joint.prune import Kept, kept_rows
from dse.joint.sides import Device, Side
from dse.joint.totals import Shares
from dse.model.joint import Instance, Row
from dse.model.joint_solve import MOST_COST, Judgement
from dse.problem.spec import Problem
from dse.schema import QUANTITIES, UNKNOWN, bound_down
from dse.timing.ticks import up_ticks

NORM_STEPS = 10_000
"""Steps of the normalised accuracy of a task of full weight: hundredths of a percent of the way to the best."""
STEPS_PER_POINT = NORM_STEPS // 100


@dataclass(frozen=True)
class Scale:
    """How the accuracy of one task becomes a cost.

    ``floor`` [percent] is the required accuracy, or the lowest that is left; ``best`` the highest. The way between
    them is ``steps`` long, fewer for tasks of less weight.
    """

    floor: float
    best: float
    steps: float

    @property
    def whole(self) -> int:
        """Cost of an accuracy at the floor."""
        return math.ceil(self.steps)

    def cost(self, accuracy: float) -> int:
        """Steps that an accuracy [percent] lacks; rounded against it."""
        share = 1.0 if self.best <= self.floor else (accuracy - self.floor) / (self.best - self.floor)
        return self.whole - math.floor(self.steps * share + 1e-9)


@dataclass(frozen=True)
class Table:
    """The rows of all tasks that lie on a device where every task has some.

    ``instance`` is what the solver sees of them; rows of it and of ``kept`` have the same positions, task by task, and
    its devices are positions in ``devices``.
    """

    evaluator: Evaluator
    kept: tuple[Kept, ...]
    instance: Instance
    goals: tuple[Goal, ...]
    scales: tuple[Scale, ...]
    devices: tuple[Device, ...]

    @property
    def combinations(self) -> int:
        """How many combinations of one row per task lie on one device."""
        counts = [Counter(one.device) for one in self.kept]
        return sum(math.prod(count[device] for count in counts) for device in self.devices)

    def verdict(self, rows: Sequence[int]) -> Verdict:
        """Exact verdict on rows of the instance."""
        return self.evaluator.judge([int(kept.rows[r]) for kept, r in zip(self.kept, rows, strict=True)])

    def judge(self, rows: Sequence[int]) -> Judgement:
        """The same with costs under every goal."""
        verdict = self.verdict(rows)
        return Judgement(verdict.feasible, self.costs_of(rows, verdict))

    def costs_of(self, rows: Sequence[int], verdict: Verdict) -> tuple[int, ...]:
        """Exact costs of rows of the instance, on which the verdict was given."""
        chosen = [self.instance.tasks[k][r] for k, r in enumerate(rows)]
        return tuple(
            sum(row.costs[number] for row in chosen)
            if is_additive(goal)
            else _cost(goal, verdict.figures[goal.quantity.name])
            for number, goal in enumerate(self.goals)
        )

    def value(self, goal: Goal, cost: int) -> float:
        """What a cost stands for, in the goal's unit; of accuracy the normalised sum in hundredths."""
        if goal.quantity.name == "accuracy":
            return (sum(scale.whole for scale in self.scales) - cost) / STEPS_PER_POINT
        return goal.value(cost)

    def everything(self) -> list[list[int]]:
        """All rows of every task."""
        return [list(range(len(rows))) for rows in self.instance.tasks]

    def without(self, kinds: set[str], different: str) -> list[list[int]]:
        """Rows of every task on devices of other kinds."""
        gone = {number for number, device in enumerate(self.devices) if self.kind_of(device, different) in kinds}
        return [[r for r, row in enumerate(rows) if row.device not in gone] for rows in self.instance.tasks]

    def kind_of(self, device: Device, different: str) -> str:
        """What listed designs differ in: chip, vendor or tool chain; the whole device where all may be alike."""
        chip = self.evaluator.sides[0].context.catalog.chips[device[0]]
        words = {"chip": chip.id, "vendor": chip.vendor, "toolchain": chip.toolchain or chip.vendor}
        return words.get(different, "|".join(device))


def is_additive(goal: Goal) -> bool:
    """Whether the cost of a combination is a sum over its rows, exactly."""
    return goal.quantity.name in ("accuracy", "price_usd")


def waiting_step(goal: Goal) -> int:
    """Step of the longest latency [tick]; 0 for goals that are something else."""
    return goal.quantity.resolution if goal.quantity.name == "worst_case_ms" else 0


def resolution_of(goal: Goal) -> float:
    """Step of a goal in its unit."""
    return 1 / STEPS_PER_POINT if goal.quantity.name == "accuracy" else goal.quantity.resolution / goal.quantity.scale


def within_of(goal: Goal) -> int:
    """What later goals may cost this one, in steps; of accuracy, hundredths of the normalised sum."""
    if goal.quantity.name == "accuracy":
        return int(goal.objective.within * STEPS_PER_POINT)
    return min(goal.within, MOST_COST)


def tabled(problem: Problem, sides: tuple[Side, ...]) -> Table:
    """What the solver needs of every task."""
    evaluator = Evaluator(problem, sides)
    kept = tuple(kept_rows(side, shares) for side, shares in zip(sides, evaluator.shares, strict=True))
    common = set.intersection(*({*one.device} for one in kept))
    kept = tuple(one.on(common) for one in kept)
    devices = tuple(sorted(common))
    goals = goals_of(problem)
    heaviest = max(side.task.weight for side in sides)
    scales = tuple(_scale(side, heaviest) for side in sides)
    makers = [
        _Rows(problem, goals, side, shares, own, devices, scale, first=position == 0)
        for position, (side, shares, own, scale) in enumerate(zip(sides, evaluator.shares, kept, scales, strict=True))
    ]
    by_priority = problem.search.scheduling == "fixed-priority"
    instance = Instance(
        tasks=tuple(maker.rows() for maker in makers),
        deadlines=tuple(_deadline(side) for side in sides),
        priorities=tuple(side.task.priority if by_priority else 0 for side in sides),
        capacities=_capacities(devices, kept[0], evaluator.shares[0]),
        most_load=_most_load(problem),
    )
    return Table(evaluator, kept, instance, goals, scales, devices)


def _capacities(devices: Sequence[Device], kept: Kept, shares: Shares) -> tuple[int | None, ...]:
    """Memory of every device, read from any row that lies on it."""
    of = {device: int(shares.capacity[row]) for device, row in zip(kept.device, kept.rows.tolist(), strict=True)}
    return tuple(None if of[device] == UNKNOWN else of[device] for device in devices)


def _deadline(side: Side) -> int | None:
    deadline = side.task.deadline_ms
    return None if deadline is None else bound_down(deadline, QUANTITIES["worst_case_ms"].scale)


def _most_load(problem: Problem) -> int:
    limit = problem.limits.get("utilization")
    return PPM if limit is None or limit.maximum is None else min(PPM, bound_down(limit.maximum, PPM))


def _scale(side: Side, heaviest: float) -> Scale:
    accuracy = side.candidates.accuracy[side.rows] / QUANTITIES["accuracy"].scale
    lowest, best = (float(accuracy.min()), float(accuracy.max())) if len(accuracy) else (0.0, 0.0)
    floor = lowest if side.task.min_accuracy is None else min(side.task.min_accuracy, lowest)
    return Scale(floor, best, NORM_STEPS * side.task.weight / heaviest)


@dataclass(frozen=True)
class _Rows:
    """Makes the rows of one task; ``first`` says that its rows carry what counts once per device."""

    problem: Problem
    goals: Sequence[Goal]
    side: Side
    shares: Shares
    kept: Kept
    devices: tuple[Device, ...]
    scale: Scale
    first: bool

    def rows(self) -> tuple[Row, ...]:
        """One row for each that was kept."""
        number = {device: d for d, device in enumerate(self.devices)}
        return tuple(self._row(k, number[device]) for k, device in enumerate(self.kept.device))

    def _row(self, k: int, device: int) -> Row:
        row = int(self.kept.rows[k])
        candidates, context, shares = self.side.candidates, self.side.context, self.shares
        run = int(candidates.run[row])
        arrivals, batch = context.arrivals, int(context.runs.batch[run])
        service = int(up_ticks(context.service.service_ms[[run]])[0])
        in_turns = self.problem.search.scheduling == "round-robin"
        return Row(
            device=device,
            unit=self.kept.unit[k],
            alone=int(candidates.worst_case_ms[row]),
            added=service * (1 if in_turns else -(-arrivals.streams // batch)),
            load=arrivals.streams * service * PPM // (batch * arrivals.period_up),
            memory=int(shares.least_memory[row]),
            runtime=str(shares.runtime[row]),
            base=int(shares.base[row]),
            exclusive=self.kept.batched[k] and not in_turns,
            costs=tuple(self._row_cost(goal, row) for goal in self.goals),
            place=int(self.side.order[row]),
        )

    def _row_cost(self, goal: Goal, row: int) -> int:
        """Cost of a row: its share of a sum, or a bound from below on that of any combination with it."""
        name, candidates = goal.quantity.name, self.side.candidates
        if name == "accuracy":
            return self.scale.cost(int(candidates.accuracy[row]) / goal.quantity.scale)
        if name == "price_usd":
            return _cost(goal, int(self.shares.price[row])) if self.first else 0
        if name == "energy_mj":
            return 0  # a mean over tasks: one of them may lie above it
        return _cost(goal, int(getattr(candidates, name)[row]))


def _cost(goal: Goal, figure: int) -> int:
    """Steps of a figure to minimise; unknown is beyond anything known."""
    if figure == UNKNOWN:
        return MOST_COST
    step = goal.quantity.resolution
    steps = -(figure // step) if goal.maximize else -(-figure // step)
    return max(-MOST_COST + 1, min(MOST_COST - 1, steps))
