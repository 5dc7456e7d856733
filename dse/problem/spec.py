"""The problem itself: sources, tasks, chains, and the file as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Annotated

from pydantic import BeforeValidator, Field, PrivateAttr

from dse.problem.fields import (
    AnyNumber,
    Codec,
    Count,
    Deadline,
    Guarantee,
    Many,
    Model,
    Name,
    NonNegative,
    Percent,
    Phase,
    Positive,
    UnknownPolicy,
    exact,
    refuse,
)
from dse.problem.limits import Limit, Limits, default_limits
from dse.problem.scoring import Scoring
from dse.problem.search import Names, Search, Selection, TaskSearch
from dse.problem.settings import (
    Baseline,
    Guard,
    HostField,
    Known,
    ObjectiveField,
    Procurement,
    Reserve,
    default_objectives,
)
from dse.problem.stage import Stage
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path, Place, Position

BATCHES_OF_ONE_STREAM = (1,)
BATCHES_OF_MANY_STREAMS = (1, 2, 4, 8, 16)
Pixels = Annotated[int, Field(ge=1, le=65_536)]
Streams = Annotated[int, Field(ge=1, le=10_000)]


class Rated(Model):
    """Anything that releases items at a rate."""

    streams: Streams = Field(default=1, description="Streams of this kind, such as cameras.")
    rate_hz: Positive | None = Field(default=None, description="Items per second of each stream [Hz].")
    period_given_ms: Positive | None = Field(
        default=None, alias="period_ms", description="Time between items of each stream [ms], instead of rate_hz."
    )
    jitter_ms: NonNegative = Field(default=0.0, description="How late an item may come [ms].")
    phase: Phase = Field(default="arbitrary", description="How streams lie to each other: arbitrary or synchronous.")
    may_stop: bool = Field(default=True, description="Whether a stream may fall silent.")

    @property
    def own_period_ms(self) -> Fraction:
        """Exact time between two items of one stream [ms]; ValueError when none is stated here."""
        if self.rate_hz is not None:
            return 1000 / exact(self.rate_hz)
        if self.period_given_ms is not None:
            return exact(self.period_given_ms)
        message = "neither rate_hz nor period_ms is stated"
        raise ValueError(message)


class Source(Rated):
    """Cameras or other inputs that several tasks may read."""

    name: Name = Field(description="Name tasks refer to.")
    width: Pixels | None = Field(default=None, description="Width of a frame [pixel].")
    height: Pixels | None = Field(default=None, description="Height of a frame [pixel].")
    codec: Codec = Field(default="raw", description="How frames arrive.")
    stages: AnyNumber[Stage] = Field(default=(), description="Steps every frame passes once, for all its readers.")

    @property
    def period_ms(self) -> Fraction:
        """Exact time between two frames of one stream [ms]."""
        return self.own_period_ms


class InputRange(Model):
    """Input sizes to consider, by the shorter side."""

    min_px: Pixels | None = Field(default=None, description="Smallest shorter side [pixel].")
    max_px: Pixels | None = Field(default=None, description="Largest shorter side [pixel].")


class Items(Model):
    """How many items a frame gives to a task that follows another."""

    mean: Positive = Field(default=1.0, description="Average; enters power and energy.")
    max: Count = Field(default=1, description="Most; enters the bound.")


def _items(value: Raw) -> Raw:
    if type(value) in (int, float):
        if type(value) is float and not value.is_integer():
            refuse("must be a whole number, or {mean: …, max: …}")
        return {"mean": value, "max": int(value)}
    return value


class Task(Rated):
    """One network to run: how often, by when, how well."""

    name: Name = Field(description="Name of the task in this file.")
    task: Name = Field(description="What the network does, such as object-detection.")
    dataset: Name | None = Field(default=None, description="Data set of the accuracy; default: the task's main one.")
    metric: Name | None = Field(default=None, description="Measure of the accuracy; default: the data set's main one.")
    source: Name | None = Field(default=None, description="Source it reads, instead of streams and a rate of its own.")
    every_nth: Count = Field(default=1, description="Runs on every n-th frame.")
    deadline_ms: Deadline = Field(
        default=None, description="Time from the end of exposure to the result, worst case [ms]; or the word none."
    )
    guarantee: Guarantee = Field(default="worst-case", description="What the deadline holds for: worst-case or p99.")
    priority: int = Field(default=0, ge=0, le=1_000_000, description="0 is the highest; for fixed-priority.")
    weight: Positive = Field(default=1.0, description="Weight of its accuracy among the tasks.")
    min_accuracy: Percent | None = Field(default=None, description="Least accuracy as deployed [percent].")
    max_accuracy_drop: float | None = Field(
        default=None, ge=0, le=100, description="Most accuracy lost against fp32 [points]."
    )
    models: Names = Field(default_factory=Selection, description="Models to consider, by id or family.")
    input: InputRange = Field(default_factory=InputRange, description="Input sizes to consider.")
    overhead_ms: NonNegative | None = Field(
        default=None, description="Everything but the network in one number [ms]; never beside stages."
    )
    stages: AnyNumber[Stage] = Field(default=(), description="The path of one item, in order; `infer` is the network.")
    search: TaskSearch | None = Field(default=None, description="Replaces fields of the common search.")
    after: Many[Name] = Field(default=(), description="Tasks that release this one when they finish a frame.")
    items_per_frame: Annotated[Items, BeforeValidator(_items, json_schema_input_type=Items | Count)] = Field(
        default_factory=Items, description="Items a frame gives to this task."
    )

    @property
    def period_ms(self) -> Fraction:
        """Exact time between two runs of one stream [ms], for a task with a rate of its own.

        A task that reads a source or follows another one has no rate of its own and raises ValueError;
        `Problem.period_ms` serves every task.
        """
        return self.own_period_ms * self.every_nth


class Chain(Model):
    """Tasks that follow each other, with one deadline for all."""

    name: Name = Field(description="Name of the chain.")
    tasks: Many[Name] = Field(description="Tasks in order.")
    deadline_ms: Positive = Field(description="Time from the release of the first to the end of the last [ms].")


@dataclass(frozen=True)
class Origin:
    """Where a problem was read; never makes two problems differ."""

    file: str = field(default="<memory>", compare=False)
    positions: Mapping[Path, Position] = field(default_factory=dict, compare=False, repr=False)


class Problem(Model):
    """A whole problem file with every default filled in."""

    version: int = Field(default=1, ge=1, le=1, description="Version of the file format.")
    name: str = Field(default="", max_length=200, description="Title for reports.")
    catalogs: AnyNumber[Name] = Field(default=(), description="More catalogue folders, relative to this file.")
    sources: AnyNumber[Source] = Field(default=(), description="Cameras and other inputs.")
    tasks: Many[Task] = Field(description="Networks to run.")
    chains: AnyNumber[Chain] = Field(default=(), description="Deadlines over several tasks.")
    search: Search = Field(default_factory=Search, description="The space that is searched.")
    limits: Limits = Field(default_factory=default_limits, description="Bounds on the whole system.")
    reserve: Reserve = Field(default_factory=Reserve, description="What each device keeps for the rest.")
    host: HostField = Field(default=None, description="Computer a card is plugged into: yours, a board, or none.")
    guard: Guard = Field(default_factory=Guard, description="How careful to be with estimates.")
    objectives: Many[ObjectiveField] = Field(
        default_factory=default_objectives, description="What to improve, in order."
    )
    known: AnyNumber[Known] = Field(default=(), description="Your own measurements.")
    procurement: Procurement = Field(default_factory=Procurement, description="How the system is bought and run.")
    baseline: Baseline | None = Field(default=None, description="What is in use today.")
    scoring: Scoring | None = Field(default=None, description="How a comparison weighs its designs.")

    _origin: Origin = PrivateAttr(default_factory=Origin)

    @property
    def file(self) -> str:
        """File the problem was read from, or ``<memory>``."""
        return self._origin.file

    @property
    def directory(self) -> FilePath:
        """Folder that paths in the file are relative to."""
        return FilePath(self.file).parent

    def place(self, path: Path) -> Place:
        """Line and column where a path, such as ``("limits", "power_w")``, was written; (0, 0) when it was not."""
        position = self._origin.positions.get(path)
        return position.key if position else (0, 0)

    def task(self, name: str) -> Task:
        """Task of this name; KeyError when there is none."""
        return {task.name: task for task in self.tasks}[name]

    def source_of(self, task: Task) -> Source:
        """Source that releases the frames of a task.

        A task in the short form gets a source of its own: its name, codec raw, no stages.
        A task that follows others has the source of the first of them.
        """
        if task.source is not None:
            return {source.name: source for source in self.sources}[task.source]
        if task.after:
            return self.source_of(self.task(task.after[0]))
        shared = {name: getattr(task, name) for name in Rated.model_fields if name in task.model_fields_set}
        shared["period_ms"] = shared.pop("period_given_ms", None)
        return Source.model_validate({"name": task.name, **shared})

    def period_ms(self, task: Task) -> Fraction:
        """Exact time between two runs of a task for one stream [ms], ``every_nth`` included."""
        if task.after and task.source is None:
            return self.period_ms(self.task(task.after[0])) * task.every_nth
        return self.source_of(task).period_ms * task.every_nth

    def items_of(self, task: Task) -> int:
        """Most items of a task that one frame of its source releases, through all tasks between."""
        before = max((self.items_of(self.task(name)) for name in task.after), default=1)
        return before * task.items_per_frame.max

    def search_of(self, task: Task) -> Search:
        """Search for one task: the common one, with the fields the task states itself."""
        if task.search is None:
            return self.search
        return self.search.model_copy(
            update={name: getattr(task.search, name) for name in task.search.model_fields_set}
        )

    def batches_of(self, task: Task) -> tuple[int, ...]:
        """Batch sizes to try for one task, ascending."""
        batches = self.search_of(task).batches
        if batches is not None:
            return tuple(sorted(set(batches)))
        return BATCHES_OF_ONE_STREAM if self.source_of(task).streams == 1 else BATCHES_OF_MANY_STREAMS

    def unknown_policy(self, limit: Limit) -> UnknownPolicy:
        """What to do where a limit meets a missing figure: its own word, else the guard's."""
        return limit.unknown or self.guard.policy(limit.name)
