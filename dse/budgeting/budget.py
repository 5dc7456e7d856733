"""The whole budget of a problem: of every task alone, of all on one server, and of chains of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from dse.budgeting.families import Family, Tier, families, tiers_of
from dse.budgeting.reach import Reach, asked_accuracy, reach
from dse.budgeting.tails import ClassMean, class_means
from dse.budgeting.times import TaskTimes, cap_of, task_times
from dse.budgeting.work import Work, works
from dse.candidates.context import Context, prepare
from dse.candidates.path import INCLUDES_TRANSFER
from dse.estimate.store import Knowledge
from dse.problem.fields import exact
from dse.problem.spec import Problem, Task


@dataclass(frozen=True)
class TaskBudget:
    """Everything known of the budget of one task before a design is chosen.

    ``min_accuracy`` is the highest of the least accuracies asked for, by the task or by a limit.
    """

    times: TaskTimes
    dataset: str
    metric: str
    min_accuracy: float | None
    means: tuple[ClassMean, ...]
    works: tuple[Work, ...]
    tiers: tuple[Tier, ...]
    families: tuple[Family, ...]
    reach: Reach


@dataclass(frozen=True)
class Together:
    """All tasks on one server: the sum of items/s times time may reach the cap; with equal times each has so much."""

    items_per_s: Fraction
    cap: Fraction
    each_ms: Fraction


@dataclass(frozen=True)
class ChainLeft:
    """What a chain leaves for its networks and their queues, one frame, in all [ms]; negative where nothing is."""

    name: str
    tasks: tuple[str, ...]
    deadline_ms: Fraction
    left_ms: Fraction


@dataclass(frozen=True)
class Budget:
    """The budget of a problem."""

    problem: str
    file: str
    tasks: tuple[TaskBudget, ...]
    together: Together | None
    chains: tuple[ChainLeft, ...]


def budget_of(problem: Problem, knowledge: Knowledge) -> Budget:
    """The budget of every task, and what the tasks share.

    Raises
    ------
    ProblemError
        The problem asks for something the tables cannot hold.
    """
    times = times_of(problem)
    tasks = tuple(
        _task_budget(problem, task, found, knowledge) for task, found in zip(problem.tasks, times, strict=True)
    )
    return Budget(problem.name, problem.file, tasks, together(problem, times), chains_of(problem, times))


def times_of(problem: Problem) -> tuple[TaskTimes, ...]:
    """The times of every task: of the problem alone."""
    return tuple(task_times(problem, task) for task in problem.tasks)


def together(problem: Problem, times: tuple[TaskTimes, ...]) -> Together | None:
    """The load all tasks share if one server takes them all; None for a task alone."""
    if len(times) < 2:
        return None
    rate, cap = sum((one.items_per_s for one in times), Fraction(0)), cap_of(problem)
    return Together(rate, cap, 1000 * cap / rate)


def chains_of(problem: Problem, times: tuple[TaskTimes, ...]) -> tuple[ChainLeft, ...]:
    """What every chain leaves for its networks and their queues.

    What surrounds the last task includes what surrounds those before it.
    """
    by_name = {one.task: one for one in times}
    return tuple(
        ChainLeft(
            chain.name,
            chain.tasks,
            exact(chain.deadline_ms),
            exact(chain.deadline_ms) - by_name[chain.tasks[-1]].around.total_ms,
        )
        for chain in problem.chains
    )


def _task_budget(problem: Problem, task: Task, times: TaskTimes, knowledge: Knowledge) -> TaskBudget:
    context = prepare(problem, task, knowledge)
    catalog, chosen = context.catalog, context.chosen
    means = class_means(problem, task, times.network_ms, catalog.tails)
    work = works(catalog, chosen.nets, means)
    tiers = tiers_of(work)
    return TaskBudget(
        times=times if _uploads(context) else replace(times, around=times.around.without_links()),
        dataset=chosen.dataset,
        metric=chosen.metric,
        min_accuracy=asked_accuracy(problem, task),
        means=means,
        works=work,
        tiers=tiers,
        families=families(catalog, chosen.entries, tiers),
        reach=reach(context, times.network_ms),
    )


def _uploads(context: Context) -> bool:
    """Whether some run moves its input over a link, and its time does not include that."""
    lanes, used = context.lanes, set(context.runs.lane.tolist())
    ways = zip(lanes.chips(context.catalog), lanes.boundary.tolist(), strict=True)
    return any(
        chip.behind_link and boundary not in INCLUDES_TRANSFER
        for lane, (chip, boundary) in enumerate(ways)
        if lane in used
    )
