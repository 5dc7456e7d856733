"""The candidate table of one task: runs joined with weights, policies and buffers, evaluated chunk by chunk.

A chunk is at most `CHUNK` rows wide so that memory stays bounded however large the space is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from dse.candidates import limits as limit_rules
from dse.candidates.entries import AccuracyOf, TaskEntries, task_entries
from dse.candidates.known import with_known
from dse.candidates.path import INCLUDES_TRANSFER, item_path, stages_of
from dse.candidates.resources import Resources, resources
from dse.candidates.runs import Runs, Space, enumerate_runs
from dse.candidates.service import Service, worst_service
from dse.catalog.types import BoolArray, Chip, IntArray
from dse.errors import Fault, ProblemError
from dse.estimate.store import Knowledge
from dse.problem.fields import exact
from dse.problem.spec import Problem, Task
from dse.problem.stage import Stage
from dse.schema import QUANTITIES, UNKNOWN, to_fixed
from dse.timing.arrivals import Arrivals
from dse.timing.path import Path, worst_case
from dse.timing.ticks import INFINITE, MAX_TICKS, down, up, up_ticks

CHUNK = 1 << 17
TICK = "0.0001"


@dataclass(frozen=True)
class Option:
    """One way to gather items: policy, time-out and number of buffers."""

    dynamic: bool
    timeout_ms: float
    buffers: int

    @property
    def policy(self) -> str:
        """The word of the problem file."""
        return "dynamic" if self.dynamic else "count"


@dataclass(frozen=True)
class Candidates:
    """Evaluated candidates, shape (n,); quantities in the whole numbers of `dse.schema`, `UNKNOWN` where missing.

    ``run``, ``entry`` and ``option`` are positions in the runs, the catalogue's entries and the options of the
    `Context`; ``violated`` and ``unknown`` are bits of its rules.
    """

    run: IntArray
    entry: IntArray
    option: IntArray
    accuracy: IntArray
    accuracy_low: IntArray
    accuracy_high: IntArray
    accuracy_grade: IntArray
    accuracy_basis: IntArray
    worst_case_ms: IntArray
    slack_ms: IntArray
    typical_ms: IntArray
    rate_hz: IntArray
    rate_headroom: IntArray
    utilization: IntArray
    power_w: IntArray
    price_usd: IntArray
    memory_mb: IntArray
    energy_mj: IntArray
    violated: IntArray
    unknown: IntArray

    def take(self, chosen: np.ndarray) -> Candidates:
        """The chosen rows."""
        return Candidates(**{field.name: getattr(self, field.name)[chosen] for field in fields(Candidates)})

    def __len__(self) -> int:
        return len(self.run)


def concatenate(parts: list[Candidates]) -> Candidates:
    """All parts one after the other."""
    return Candidates(**{f.name: np.concatenate([getattr(part, f.name) for part in parts] or [np.zeros(0, dtype=np.int64)])
                         for f in fields(Candidates)})


@dataclass(frozen=True)
class Context:
    """Everything a task's candidates refer to; made once, shared by all chunks."""

    problem: Problem
    task: Task
    knowledge: Knowledge
    chosen: TaskEntries
    space: Space
    options: tuple[Option, ...]
    rules: tuple[limit_rules.Rule, ...]
    arrivals: Arrivals
    stages: tuple[Stage, ...]
    service: Service
    resources: Resources
    accuracy: AccuracyOf | None

    @property
    def runs(self) -> Runs:
        """The runs of the space."""
        return self.space.runs


def prepare(problem: Problem, task: Task, knowledge: Knowledge) -> Context:
    """Enumerate the runs of a task and all that does not depend on the chunk.

    Raises
    ------
    ProblemError
        The problem asks for a data set, attribute or time that cannot be.
    """
    extended = with_known(problem, knowledge)
    catalog = extended.knowledge.catalog
    chosen = task_entries(problem, task, catalog)
    space = enumerate_runs(problem, task, extended.knowledge, chosen.nets, extended.runs)
    service = worst_service(space.runs, problem.guard, catalog)
    return Context(
        problem=problem, task=task, knowledge=extended.knowledge, chosen=chosen, space=space,
        options=_options(problem, task), rules=limit_rules.rules_of(problem, task), arrivals=arrivals_of(problem, task),
        stages=stages_of(problem, task), service=service,
        resources=resources(problem, space.runs, catalog, service.service_ms),
        accuracy=AccuracyOf(catalog, chosen, space.runs) if len(space.runs) else None)


def arrivals_of(problem: Problem, task: Task) -> Arrivals:
    """The task's streams in ticks: the period down where items crowd, up where one waits for them."""
    source, period = problem.source_of(task), problem.period_ms(task)
    try:
        return Arrivals(source.streams, down(period, TICK), up(period, TICK), up(exact(source.jitter_ms), TICK),
                        source.may_stop, source.phase == "synchronous")
    except ValueError as error:
        raise ProblemError([Fault(problem.file, *problem.place(("tasks", 0)), "tasks[0]", f"rate out of range: {error}")]) from None


def _options(problem: Problem, task: Task) -> tuple[Option, ...]:
    """Policies x time-outs x buffers; counting has no time-out and no bound when streams may stop."""
    search, source = problem.search_of(task), problem.source_of(task)
    ways = [(True, timeout) for timeout in search.batching.timeout_ms if "dynamic" in search.batching.policy]
    if "count" in search.batching.policy and not source.may_stop:
        ways.append((False, 0.0))
    return tuple(Option(dynamic, timeout, buffers) for buffers in sorted(set(search.buffers)) for dynamic, timeout in ways)


def chunks(context: Context) -> Iterator[Candidates]:
    """Evaluated candidates in a fixed order, at most about `CHUNK` at a time."""
    if context.accuracy is None:
        return
    chosen, runs = context.chosen, context.runs
    order = np.argsort(context.knowledge.catalog.entries.net[chosen.entries], kind="stable")
    entries = chosen.entries[order]
    nets = context.knowledge.catalog.entries.net[entries]
    first, last = np.searchsorted(nets, runs.net, "left"), np.searchsorted(nets, runs.net, "right")
    count = last - first
    bounds = np.r_[0, np.cumsum(count)]
    start = 0
    while start < len(runs):
        stop = max(start + 1, int(np.searchsorted(bounds, bounds[start] + CHUNK, "right")) - 1)
        block = np.arange(start, stop)
        run = np.repeat(block, count[block])
        offset = np.arange(len(run)) - np.repeat(bounds[block] - bounds[start], count[block])
        entry = entries[np.repeat(first[block], count[block]) + offset]
        for position in range(len(context.options)):
            rows = _worth_an_option(context, run, position)
            if rows.any():
                yield _evaluate(context, run[rows], entry[rows], position)
        start = stop


def _worth_an_option(context: Context, run: IntArray, position: int) -> BoolArray:
    """Batches of one are alike under every policy and time-out: they appear once per number of buffers."""
    option = context.options[position]
    earlier = any(o.buffers == option.buffers for o in context.options[:position])
    return context.runs.batch[run] > 1 if earlier else np.ones(len(run), dtype=bool)


def evaluate_all(context: Context) -> Candidates:
    """The whole table at once; for spaces that fit in memory."""
    return concatenate(list(chunks(context)))


def _evaluate(context: Context, run: IntArray, entry: IntArray, option: int) -> Candidates:
    """Fill every column of run x entry pairs under one option."""
    assert context.accuracy is not None  # noqa: S101 - chunks() yields nothing without runs
    catalog = context.knowledge.catalog
    accuracy = context.accuracy.of(run, entry)
    timed = time_columns(context, np.unique(run), option)
    at = np.searchsorted(np.unique(run), run)
    resource = context.resources
    columns: dict[str, IntArray] = {name: column[at] for name, column in timed.items()}
    for name in ("power_w", "price_usd", "memory_mb", "energy_mj"):
        columns[name] = to_fixed(getattr(resource, name), QUANTITIES[name].scale)[run]
    spare = resource.capacity_mb - resource.memory_mb
    columns["memory_spare_mb"] = to_fixed(spare, QUANTITIES["memory_mb"].scale)[run]
    columns["accuracy"], columns["accuracy_low"] = accuracy.value, accuracy.low
    known = (accuracy.float_value != UNKNOWN) & (accuracy.low != UNKNOWN)
    columns["accuracy_drop"] = np.where(known, accuracy.float_value - accuracy.low, UNKNOWN)
    columns |= _attribute_columns(context, run, entry, columns)
    columns["devices"] = np.ones(len(run), dtype=np.int64)
    for name in limit_rules.NO_FIGURE:
        columns[name] = np.full(len(run), UNKNOWN)
    verdict = limit_rules.judge(context.rules, columns, len(run))
    unusable = (accuracy.value == UNKNOWN) | (accuracy.grade > "ABCDE".index(context.problem.guard.evidence))
    violated = verdict.violated | unusable.astype(np.int64) << NO_ACCURACY_BIT
    shown = {f.name: columns[f.name] for f in fields(Candidates) if f.name in columns}
    del catalog
    return Candidates(**shown, run=run, entry=entry, option=np.full(len(run), option), accuracy_high=accuracy.high,
                      accuracy_grade=accuracy.grade, accuracy_basis=accuracy.basis, violated=violated, unknown=verdict.unknown)


NO_ACCURACY_BIT = limit_rules.MAX_RULES  # set where no accuracy of sufficient evidence is known


def time_columns(context: Context, run: IntArray, option: int) -> dict[str, IntArray]:
    """Worst case, rate and load of runs under one option, in whole numbers."""
    paths, known, stage_columns = paths_of(context, run, option)
    parts = worst_case(context.arrivals, paths)
    stable = parts.stable & known
    deadline = context.task.deadline_ms
    allowed = down(exact(deadline), TICK) if deadline is not None else UNKNOWN
    required_mhz = Required(context).milli_hz
    load = np.maximum(parts.utilization_ppm, 1)
    rate = np.minimum(required_mhz * 1_000_000 // load, 2**50)
    worst = np.where(known, np.where(parts.stable, parts.total, INFINITE), UNKNOWN)
    bounded = known & parts.stable & (deadline is not None)
    headroom = np.minimum(1_000_000 * 1_000_000 // load - 1_000_000, 2**50)
    typical = to_fixed(context.runs.typical_ms[run], QUANTITIES["typical_ms"].scale)
    return {"worst_case_ms": worst, "slack_ms": np.where(bounded, allowed - worst, UNKNOWN), "stable": stable.astype(np.int64),
            "utilization": np.where(known, parts.utilization_ppm, UNKNOWN), "typical_ms": typical,
            "rate_hz": np.where(known, rate, UNKNOWN), "rate_headroom": np.where(known, headroom, UNKNOWN), **stage_columns}


@dataclass(frozen=True)
class Required:
    """The rate a task asks for, all streams together."""

    context: Context

    @property
    def milli_hz(self) -> int:
        """Items per 1,000 seconds, rounded up."""
        exact_rate = 1_000_000 * self.context.arrivals.streams / self.context.problem.period_ms(self.context.task)
        return -((-exact_rate.numerator) // exact_rate.denominator)


def paths_of(context: Context, run: IntArray, option: int) -> tuple[Path, BoolArray, dict[str, IntArray]]:
    """The path in ticks of every run, where it is known, and the times of single stages that carry a limit."""
    runs, catalog, choice = context.runs, context.knowledge.catalog, context.options[option]
    names, chip = np.unique(runs.chip[run].astype(str), return_inverse=True)
    chips: list[Chip] = [catalog.chips[name] for name in names]
    nets = catalog.nets
    megapixels = (nets.input_h * nets.input_w)[runs.net[run]] / 1e6
    upload_free = np.isin(runs.boundary[run].astype(str), INCLUDES_TRANSFER)
    path = item_path(context.stages, chips, chip, megapixels, upload_free, context.resources.cores_left[run], choice.buffers)
    service_ms = context.service.service_ms[run]
    extra_ms = context.service.extra_ms[run]
    known = path.known & np.isfinite(service_ms) & (service_ms * 10_000 < MAX_TICKS) & (extra_ms * 10_000 < MAX_TICKS)
    service = up_ticks(np.where(known, service_ms, 0.0))
    extra = up_ticks(np.where(known, extra_ms, 0.0))
    batch = runs.batch[run]
    in_series = sum((times.ticks for times in path.merged), start=np.zeros(len(run), dtype=np.int64))
    hidden = np.zeros(len(run), dtype=np.int64)
    for times in (*path.merged, *path.before):
        per_item = service // batch
        hidden += (np.minimum(times.ticks, per_item) * times.stage.overlap).astype(np.int64)
    merged_hidden = sum(((np.minimum(t.ticks, service // batch) * t.stage.overlap).astype(np.int64) for t in path.merged),
                        start=np.zeros(len(run), dtype=np.int64))
    one = batch == 1
    ticks = Path(
        delay=path.delay + extra, variation=path.variation, before=[t.ticks for t in path.before],
        after=[t.ticks for t in path.after], overlap=hidden - merged_hidden, batch=batch,
        fixed=np.where(one, 0, service), per_item=np.where(one, service, 0) + in_series - merged_hidden,
        timeout=up(exact(choice.timeout_ms), TICK), dynamic=choice.dynamic)
    return ticks, known, _stage_columns(context, path.all_stages, service, known)


def _stage_columns(context: Context, timed: tuple, service: IntArray, known: BoolArray) -> dict[str, IntArray]:  # type: ignore[type-arg]
    """Own time of each stage with a ``max_ms``, delays included."""
    columns = {}
    for stage in context.task.stages:
        if stage.max_ms is None:
            continue
        of_stage = sum((t.ticks for t in timed if t.stage.name == stage.name), start=np.zeros(len(service), dtype=np.int64))
        ticks = service if stage.name == "infer" else of_stage
        if stage.delay_ms is not None:
            ticks = np.full(len(service), up(exact(stage.delay_ms) + exact(stage.variation_ms), TICK))
        columns[f"stage:{stage.name}"] = np.where(known, ticks, UNKNOWN)
    return columns


def _attribute_columns(context: Context, run: IntArray, entry: IntArray, columns: dict[str, IntArray]) -> dict[str, IntArray]:
    """Verdicts on attributes of chip, model and result."""
    catalog, problem = context.knowledge.catalog, context.problem
    names, code = np.unique(context.runs.chip[run].astype(str), return_inverse=True)
    found = {name: verdict[code] for name, verdict in
             limit_rules.chip_verdicts(problem, [catalog.chips[n] for n in names]).items()}
    unique, back = np.unique(entry, return_inverse=True)
    found |= {name: verdict[back] for name, verdict in limit_rules.model_verdicts(problem, catalog, unique).items()}
    for limit in problem.limits.values():
        if f"verdict:{limit.name}" in found or (not limit.is_attribute and not limit.one_of and not limit.none_of):
            continue
        found[f"verdict:{limit.name}"] = _result_verdict(context, limit, run, columns)
    return found


def _result_verdict(context: Context, limit: limit_rules.Limit, run: IntArray, columns: dict[str, IntArray]) -> IntArray:
    """A limit with lists, or on ``result.``: judged value by value, each distinct value once."""
    name = limit.name.removeprefix("result.")
    if name in QUANTITIES:
        numbers, back = np.unique(columns[name], return_inverse=True)
        values = [QUANTITIES[name].value(number) for number in numbers]
        verdicts = [limit_rules.value_verdict(limit, None if v is None else float(v)) for v in values]
        return np.array(verdicts, dtype=np.int64)[back]
    word = "ABCDE" if name == "grade" else None
    column = getattr(context.runs, name)[run]
    unique_words, back = np.unique(column.astype(str), return_inverse=True)
    values_of = [word[int(w)] if word else (float(w) if name == "batch" else w) for w in unique_words]
    return np.array([limit_rules.value_verdict(limit, v) for v in values_of], dtype=np.int64)[back]
