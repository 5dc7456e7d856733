"""What a problem asks of the candidate table that the table cannot hold, found before anything is enumerated."""

from __future__ import annotations

from collections.abc import Iterator

from dse.candidates.entries import data_sets_of, main_data_set
from dse.candidates.limits import MAX_RULES, rules_of
from dse.candidates.names import CHIP, MODEL, RUN_WORDS
from dse.candidates.runs import is_searched
from dse.catalog.metrics import LOWER_IS_BETTER
from dse.catalog.types import Catalog
from dse.errors import Fault
from dse.patterns import name_hint
from dse.problem.spec import Problem, Task
from dse.schema import OBJECTIVE_QUANTITIES, QUANTITIES
from dse.timing.ticks import MAX_STREAMS, MAX_TICKS, TICKS_PER_MS


def faults_of(problem: Problem, catalog: Catalog) -> list[Fault]:
    """Attributes, objectives, data sets and rates that cannot be, each at its line."""
    found = [*_attributes(problem), *_objectives(problem), *_chips(problem, catalog)]
    for position, task in enumerate(problem.tasks):
        found += [*_data_set(problem, task, position, catalog), *_rate(problem, task, position)]
        if not found and len(rules_of(problem, task)) > MAX_RULES:
            found.append(_fault(problem, ("limits",), "limits", f"more than {MAX_RULES} requirements"))
    return found


def _fault(problem: Problem, path: tuple[str | int, ...], where: str, message: str, hint: str = "") -> Fault:
    """A fault at the place of `path`, or of the nearest thing around it that was written."""
    while len(path) > 1 and problem.place(path) == (0, 0):
        path = path[:-1]
    return Fault(problem.file, *problem.place(path), where, message, hint)


def _attributes(problem: Problem) -> Iterator[Fault]:
    """Limits on attributes that do not exist."""
    for limit in problem.limits.values():
        if not limit.is_attribute:
            continue
        prefix, _, name = limit.name.partition(".")
        known = {"chip": list(CHIP), "model": list(MODEL), "result": [*QUANTITIES, *RUN_WORDS]}[prefix]
        if name not in known:
            message, hint = f"there is no attribute `{name}` of a {prefix}", name_hint(name, known, short=24)
            yield _fault(problem, ("limits", limit.name), f"limits.{limit.name}", message, hint)


def _chips(problem: Problem, catalog: Catalog) -> Iterator[Fault]:
    """A search that admits no chip, or cards alone without a computer to put them in."""
    for task in problem.tasks:
        named = [chip for chip in catalog.chips.values() if is_searched(chip, problem.search_of(task))]
        if not named:
            message = "no chip of the catalogue has all these properties"
            yield _fault(problem, ("search", "chips"), "search.chips", message)
        elif problem.host is None and all(chip.needs_host for chip in named):
            message = f"every chip the search admits is a card: {', '.join(chip.id for chip in named[:5])}"
            hint = "state its `host:`, such as {owned: true, cpu_cores: 8}"
            yield _fault(problem, ("search", "chips"), "search.chips", message, hint)


def _objectives(problem: Problem) -> Iterator[Fault]:
    """Objectives the table has no column for."""
    for position, objective in enumerate(problem.objectives):
        if objective.name.removeprefix("result.") not in OBJECTIVE_QUANTITIES:
            message = f"this version cannot optimise `{objective.name}`"
            hint = f"possible: {', '.join(OBJECTIVE_QUANTITIES)}"
            yield _fault(problem, ("objectives", position), f"objectives[{position}]", message, hint)


def _data_set(problem: Problem, task: Task, position: int, catalog: Catalog) -> Iterator[Fault]:
    """A data set and metric on which no network of the task has an accuracy."""
    known = data_sets_of(task, catalog)
    pair = main_data_set(task, catalog)
    if pair not in known:
        message = f"no {task.task} network has an accuracy on {pair[0] or 'any data set'} as {pair[1] or 'any metric'}"
        if pair[1] in LOWER_IS_BETTER:
            message = f"{pair[1]} is better when it is smaller: this version cannot rank by it"
        hint = f"known: {', '.join(' '.join(one) for one in sorted(known)[:12])}" if known else ""
        key = "dataset" if task.dataset else "metric" if task.metric else "task"
        yield _fault(problem, ("tasks", position, key), f"tasks[{position}].{key}", message, hint)


def _rate(problem: Problem, task: Task, position: int) -> Iterator[Fault]:
    """Periods, jitters and numbers of streams beyond what the bounds' arithmetic holds."""
    source, period = problem.source_of(task), problem.period_ms(task)
    where, path = f"tasks[{position}]", ("tasks", position)
    if not 1 <= period * TICKS_PER_MS <= MAX_TICKS:
        message = f"a period of {float(period):g} ms is out of range"
        yield _fault(
            problem, path, where, message, f"between {1 / TICKS_PER_MS} ms and {MAX_TICKS / TICKS_PER_MS:g} ms"
        )
    times = {"jitter_ms": source.jitter_ms, "deadline_ms": task.deadline_ms, "overhead_ms": task.overhead_ms}
    times |= {
        f"stage {s.name}": (s.delay_ms or 0) + s.variation_ms + s.contention_ms for s in (*source.stages, *task.stages)
    }
    times["timeout_ms"] = max(problem.search_of(task).batching.timeout_ms)
    for name, value in times.items():
        if value is not None and value * TICKS_PER_MS > MAX_TICKS / 16:
            most = f"at most {MAX_TICKS / 16 / TICKS_PER_MS:g} ms"
            yield _fault(problem, path, where, f"{name}: {value:g} ms is out of range", most)
    if source.streams > MAX_STREAMS:
        yield _fault(problem, path, where, f"{source.streams} streams are too many", f"at most {MAX_STREAMS}")
