"""What a problem asks of the candidate table that the table cannot hold, found before anything is enumerated."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dse.candidates.boards import boards_of
from dse.candidates.data_sets import data_sets_of, main_data_set
from dse.candidates.entries import task_entries
from dse.candidates.limits import MAX_RULES, NO_FIGURE, rules_of
from dse.candidates.names import CHIP, MODEL, RUN_WORDS
from dse.candidates.runs import is_searched
from dse.catalog.metrics import LOWER_IS_BETTER
from dse.catalog.types import Catalog
from dse.errors import Fault
from dse.patterns import name_hint, normalise
from dse.problem.spec import Problem, Task
from dse.schema import OBJECTIVE_QUANTITIES, QUANTITIES
from dse.timing.ticks import MAX_STREAMS, MAX_TICKS, TICKS_PER_MS

LONGEST_MS = MAX_TICKS / 16 / TICKS_PER_MS
"""No single time is longer: about two hours."""


def faults_of(problem: Problem, catalog: Catalog) -> list[Fault]:
    """Limits, objectives, data sets, networks, rates and times that cannot be, each at its line."""
    found = [
        *_limits(problem),
        *_objectives(problem),
        *_chips(problem, catalog),
        *_host(problem, catalog),
        *_known(problem, catalog),
    ]
    for position, task in enumerate(problem.tasks):
        found += _times(problem, task, position)
        found += list(_data_set(problem, task, position, catalog)) or _networks(problem, task, position, catalog)
        if not found and len(rules_of(problem, task)) > MAX_RULES:
            found.append(_fault(problem, ("limits",), "limits", f"more than {MAX_RULES} requirements"))
    return found


def _fault(problem: Problem, path: tuple[str | int, ...], where: str, message: str, hint: str = "") -> Fault:
    """A fault at the place of `path`, or of the nearest thing around it that was written."""
    while len(path) > 1 and problem.place(path) == (0, 0):
        path = path[:-1]
    return Fault(problem.file, *problem.place(path), where, message, hint)


def _limits(problem: Problem) -> Iterator[Fault]:
    """Limits on attributes that do not exist, and lists of values for what is no single value."""
    for limit in problem.limits.values():
        if not limit.is_attribute:
            if (limit.one_of or limit.none_of) and limit.name in (*NO_FIGURE, "ambient_c", "devices"):
                message = "takes no list of values"
                yield _fault(problem, ("limits", limit.name), f"limits.{limit.name}", message, "give min or max")
            continue
        prefix, _, name = limit.name.partition(".")
        known = {"chip": list(CHIP), "model": list(MODEL), "result": [*QUANTITIES, *RUN_WORDS]}[prefix]
        if name not in known:
            message, hint = f"there is no attribute `{name}` of a {prefix}", name_hint(name, known, short=24)
            yield _fault(problem, ("limits", limit.name), f"limits.{limit.name}", message, hint)


def _chips(problem: Problem, catalog: Catalog) -> Iterator[Fault]:
    """A search that admits no chip, or cards alone without a computer to put them in."""
    for task in problem.tasks:
        search = problem.search_of(task)
        named = [chip for chip in catalog.chips.values() if is_searched(chip, search)]
        if not named:
            message = "no chip of the catalogue has all these properties"
            yield _fault(problem, ("search", "chips"), "search.chips", message)
        elif search.boards.include and not any(boards_of(chip, catalog, search, has_host=True) for chip in named):
            message = "no board that the search takes carries a chip it takes"
            carrying = [board.id for board in catalog.boards.values() if board.chip in {chip.id for chip in named}]
            hint = f"boards with these chips: {', '.join(carrying[:8]) or 'none'}"
            yield _fault(problem, ("search", "boards"), "search.boards", message, hint)
        elif problem.host is None and all(
            chip.needs_host and not boards_of(chip, catalog, search, has_host=False) for chip in named
        ):
            message = f"every chip the search admits is a card: {', '.join(chip.id for chip in named[:5])}"
            hint = "state its `host:`, such as {owned: true, cpu_cores: 8}"
            yield _fault(problem, ("search", "chips"), "search.chips", message, hint)


def _host(problem: Problem, catalog: Catalog) -> Iterator[Fault]:
    """A host by name that is no computer."""
    if problem.host is not None and problem.host.board is not None:
        board = catalog.board(problem.host.board)
        stated = [name for name in ("owned", "cpu_cores", "power_w", "price_usd") if getattr(problem.host, name)]
        if stated:
            message = f"the host is a board of the catalogue, and states {', '.join(stated)} as well"
            yield _fault(problem, ("host",), "host", message, "keep `board`, or state the figures without it")
        if board is not None and board.cpu_cores is None:
            computers = ", ".join(sorted(name for name, other in catalog.boards.items() if other.cpu_cores)[:8])
            message = f"the board `{board.id}` has no CPU of its own for the application"
            yield _fault(problem, ("host",), "host", message, f"a computer such as {computers}")


def _known(problem: Problem, catalog: Catalog) -> Iterator[Fault]:
    """Own measurements in a power mode, or on a kind of unit, that their chip does not have."""
    chips = {normalise(chip.id): chip for chip in catalog.chips.values()}
    for position, known in enumerate(problem.known):
        chip = chips.get(normalise(known.chip or known.board or ""))
        if chip is None:
            continue
        has = {"mode": [mode.id for mode in chip.modes], "unit": sorted({unit.kind for unit in chip.units})}
        for key, names in has.items():
            asked = getattr(known, key)
            if asked is not None and normalise(asked) not in {normalise(name) for name in names}:
                message, hint = f"{chip.id} has no {key} `{asked}`", f"known: {', '.join(names) or 'none'}"
                yield _fault(problem, ("known", position, key), f"known[{position}].{key}", message, hint)


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


def _networks(problem: Problem, task: Task, position: int, catalog: Catalog) -> Iterator[Fault]:
    """A selection of models and inputs that leaves no network of the task."""
    chosen = task_entries(problem, task, catalog)
    if not len(chosen.entries):
        key = "input" if task.input.min_px or task.input.max_px else "models"
        judged = f"with an accuracy on {chosen.dataset} as {chosen.metric}"
        message = f"no {task.task} network {judged} passes `models` and `input`"
        yield _fault(problem, ("tasks", position, key), f"tasks[{position}].{key}", message)


def _times(problem: Problem, task: Task, position: int) -> Iterator[Fault]:
    """Periods, times and numbers of streams beyond what the bounds' arithmetic holds."""
    source = problem.source_of(task)
    where, path = f"tasks[{position}]", ("tasks", position)
    periods = (source.period_ms, problem.period_ms(task))  # of frames, and of those the network sees
    wrong = next((period for period in periods if not 1 <= period * TICKS_PER_MS <= MAX_TICKS), None)
    if wrong is not None:
        allowed = f"between {1 / TICKS_PER_MS} ms and {MAX_TICKS / TICKS_PER_MS:g} ms"
        yield _fault(
            problem, path, where, f"a period of {float(min(wrong, Fraction(10**300))):g} ms is out of range", allowed
        )
    for name, place, value in _stated_times(problem, task, position):
        if value > LONGEST_MS:
            message = f"{name}: {value:g} ms is out of range"
            yield _fault(problem, place, f"{place[0]}[{place[1]}]", message, f"at most {LONGEST_MS:g} ms")
    if source.streams > MAX_STREAMS:
        yield _fault(problem, path, where, f"{source.streams} streams are too many", f"at most {MAX_STREAMS}")


def _stated_times(problem: Problem, task: Task, position: int) -> Iterator[tuple[str, tuple[str | int, ...], float]]:
    """Name, place and value [ms] of every time that enters the bounds of a task; some names repeat."""
    source, path = problem.source_of(task), ("tasks", position)
    yield "jitter_ms", path, source.jitter_ms
    yield "deadline_ms", path, task.deadline_ms or 0.0
    yield "overhead_ms", path, task.overhead_ms or 0.0
    yield "timeout_ms", path, max(problem.search_of(task).batching.timeout_ms)
    for stage in (*source.stages, *task.stages):
        other = stage.otherwise
        instead = () if other is None else (other.time_ms, other.ms_per_mpx)
        figures = [one for one in (stage.time_ms, stage.ms_per_mpx, *instead) if one is not None]
        stated = [value for one in figures for value in (one.default or 0.0, *one.by_chip.values())]
        fixed = (stage.delay_ms or 0.0) + stage.variation_ms + stage.contention_ms
        yield f"stage {stage.name}", path, max([fixed, *stated])
    for k, known in enumerate(problem.known):
        yield "time", ("known", k), max(known.latency_ms or 0.0, known.period_given_ms or 0.0)
