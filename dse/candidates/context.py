"""Everything the candidates of one task refer to, made once: runs, options, rules, arrivals, stages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dse.candidates.entries import AccuracyOf, TaskEntries, task_entries
from dse.candidates.inputs import faults_of
from dse.candidates.known import with_known
from dse.candidates.lanes import Lanes
from dse.candidates.limits import ONE_REGION, Rule, rules_of
from dse.candidates.path import is_synchronous, shared_stages, stages_of
from dse.candidates.resources import Resources, resources
from dse.candidates.run_table import Runs, Space
from dse.candidates.runs import enumerate_runs
from dse.candidates.service import SOFT_LEVEL, Service, is_soft, tail_of, worst_service
from dse.candidates.stage_places import frame_pixels
from dse.catalog.types import Catalog, Chip, IntArray
from dse.errors import ProblemError
from dse.estimate.store import Knowledge
from dse.problem.fields import exact
from dse.problem.spec import Items, Problem, Task
from dse.problem.stage import Stage
from dse.quotes.choose import Quotes
from dse.quotes.priced import priced
from dse.timing.arrivals import Arrivals
from dse.timing.ticks import down, up

TICK = "0.0001"


@dataclass(frozen=True)
class Option:
    """One way to gather items: policy, time-out and number of buffers."""

    policy: str
    timeout_ms: float
    buffers: int

    @property
    def dynamic(self) -> bool:
        """Whether an idle server takes what waits."""
        return self.policy == "dynamic"

    @property
    def closing(self) -> bool:
        """Whether batches close at a time-out even while the server is busy."""
        return self.policy == "timeout-close"


@dataclass(frozen=True)
class Context:
    """One task with all it needs; positions in candidates refer to the parts of this object.

    The first ``shared_stages`` run on every frame of the source, with the arrivals ``frames``, while the network runs
    on some. ``listed`` is the catalogue with all its list prices; in `catalog` every thing has the one that counts.
    """

    problem: Problem
    task: Task
    knowledge: Knowledge
    chosen: TaskEntries
    space: Space
    options: tuple[Option, ...]
    rules: tuple[Rule, ...]
    arrivals: Arrivals
    stages: tuple[Stage, ...]
    service: Service
    resources: Resources
    accuracy: AccuracyOf
    frames: Arrivals
    shared_stages: int
    listed: Catalog
    quotes: Quotes

    @cached_property
    def frame_pixels(self) -> int:
        """Pixels of one frame of the source."""
        return frame_pixels(self.problem.source_of(self.task))

    @property
    def level(self) -> float | None:
        """Share of the items the deadline holds for, as an estimate; None where it is a bound for all."""
        return SOFT_LEVEL if is_soft(self.task) else None

    @property
    def runs(self) -> Runs:
        """The runs of the space."""
        return self.space.runs

    @property
    def lanes(self) -> Lanes:
        """The lanes of the space."""
        return self.space.lanes

    @property
    def catalog(self) -> Catalog:
        """The catalogue, the user's own networks included."""
        return self.knowledge.catalog

    @cached_property
    def ways(self) -> IntArray:
        """A number per lane: lanes of one number differ in nothing of chip and link that a time depends on."""
        index: dict[tuple[object, ...], int] = {}
        names = zip(self.lanes.chips(self.catalog), self.lanes.boundary.tolist(), strict=True)
        keys = [
            (chip.id, chip.behind_link, chip.link_gbs, chip.bandwidth_gbs, chip.decode_streams_1080p30, boundary)
            for chip, boundary in names
        ]
        return np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int64)

    @cached_property
    def weights_order(self) -> IntArray:
        """Place of every entry of the task among the names of weights; 0 for entries of other tasks."""
        weights = self.catalog.entries.weights[self.chosen.entries].astype(str)
        place = np.zeros(len(self.catalog.entries.net), dtype=np.int64)
        place[self.chosen.entries] = np.unique(weights, return_inverse=True)[1]
        return place

    @cached_property
    def platforms(self) -> IntArray:
        """A number per lane: lanes of one number are one chip on one board in one power mode."""
        index: dict[tuple[str, ...], int] = {}
        names = zip(*(getattr(self.lanes, name).tolist() for name in ("chip", "board", "mode")), strict=True)
        return np.array([index.setdefault(name, len(index)) for name in names], dtype=np.int64)

    def lane_of(self, run: int) -> int:
        """Lane of a run."""
        return int(self.space.runs.lane[run])

    def chip_of(self, run: int) -> Chip:
        """Chip of a run, as it is bought: alone or on its board."""
        lane = self.lane_of(run)
        return self.catalog.platform(self.lanes.chip[lane], self.lanes.board[lane])

    @property
    def required_milli_hz(self) -> int:
        """Items per 1,000 seconds that all streams together ask for, rounded up."""
        rate = 1_000_000 * self.arrivals.streams / self.problem.period_ms(self.task)
        return -((-rate.numerator) // rate.denominator)


def prepare(problem: Problem, task: Task, knowledge: Knowledge) -> Context:
    """Enumerate the runs of a task and all that does not depend on the chunk.

    Raises
    ------
    ProblemError
        The problem asks for a data set, an attribute or a rate that cannot be, or its quotations cannot be used.
    """
    hosted = _with_host(problem, knowledge)
    bought = priced(problem, hosted.catalog)
    extended = with_known(problem, task, replace(hosted, catalog=bought.catalog))
    catalog = extended.knowledge.catalog
    faults = faults_of(problem, catalog)
    if faults:
        raise ProblemError(faults)
    chosen = task_entries(problem, task, catalog)
    space = enumerate_runs(problem, task, extended.knowledge, chosen.nets, extended.own)
    service = worst_service(space, problem.guard, catalog, tail_of(problem, task))
    return Context(
        problem=problem,
        task=task,
        knowledge=extended.knowledge,
        chosen=chosen,
        space=space,
        options=_options(problem, task, _arrivals(problem, task)),
        rules=rules_of(problem, task, regions=any(chip.regions for chip in space.lanes.chips(catalog))),
        arrivals=_arrivals(problem, task),
        frames=_frames(problem, task),
        shared_stages=shared_stages(problem, task),
        stages=stages_of(problem, task),
        service=service,
        resources=resources(problem, space, catalog, service.service_ms),
        accuracy=AccuracyOf(catalog, chosen, space.lanes),
        listed=hosted.catalog,
        quotes=bought.quotes,
    )


def rebased(context: Context, problem: Problem) -> Context:
    """The same task under a problem that differs in rates, bounds and limits alone: runs and evidence stay as they are.

    Making everything anew (`prepare`) gives the same table and takes far longer.
    """
    task = problem.tasks[context.problem.tasks.index(context.task)]
    regions = any(rule.name == ONE_REGION for rule in context.rules)
    arrivals = _arrivals(problem, task)
    return replace(
        context,
        problem=problem,
        task=task,
        rules=rules_of(problem, task, regions=regions),
        arrivals=arrivals,
        frames=_frames(problem, task),
        stages=stages_of(problem, task),
    )


def _frames(problem: Problem, task: Task) -> Arrivals:
    """The frames of a task's source, each once."""
    return _arrivals(problem, task.model_copy(update={"every_nth": 1, "items_per_frame": Items()}))


def _with_host(problem: Problem, knowledge: Knowledge) -> Knowledge:
    """The catalogue with every bare card plugged into the board that the problem names as its host."""
    board = knowledge.catalog.board(problem.host.board) if problem.host and problem.host.board else None
    return knowledge if board is None else replace(knowledge, catalog=replace(knowledge.catalog, host=board.id))


def _arrivals(problem: Problem, task: Task) -> Arrivals:
    """The task's streams in ticks: the period down where items crowd, up where one waits for them."""
    source, period, items = problem.source_of(task), problem.period_ms(task), problem.items_of(task)
    # Where other tasks release it, how late they may do so is a matter of the combination.
    jitter = 0 if task.after else up(exact(source.jitter_ms), TICK)
    synchronous = is_synchronous(problem, task) and not task.after and items == 1
    may_stop = source.may_stop or items > 1 or bool(task.after)
    return Arrivals(source.streams * items, down(period, TICK), up(period, TICK), jitter, may_stop, synchronous)


def _options(problem: Problem, task: Task, arrivals: Arrivals) -> tuple[Option, ...]:
    """Policies x time-outs x buffers; counting has no time-out, and no bound when streams may stop.

    A batch that closes at once is a batch of one, which the other policies know as well: it counts only on its own.
    """
    search = problem.search_of(task)
    policies, times = search.batching.policy, search.batching.timeout_ms
    ways = [("dynamic", timeout) for timeout in times if "dynamic" in policies]
    if "count" in policies and not arrivals.may_stop:
        ways.append(("count", 0.0))
    if "timeout-close" in policies:
        ways += [("timeout-close", timeout) for timeout in times if timeout > 0]
        ways = ways or [("timeout-close", 0.0)]
    return tuple(Option(*way, buffers) for buffers in sorted(set(search.buffers)) for way in ways)
