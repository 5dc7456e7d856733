"""The usual remedies tried out: the problem with one thing changed, solved again, and what is chosen then.

Each is something an engineer might do about a design that is too slow or too inaccurate. A remedy that changes nothing
in this problem says why; one that rests on an assumption says which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dse.answer import Answer, solve_problem
from dse.errors import ProblemError
from dse.estimate.store import Knowledge
from dse.explaining.variants import with_search, with_task
from dse.problem.spec import InputRange, Problem

PRUNED_TO = 0.7
"""Share of the network's time that is left after pruning, as a what-if."""
MOST_BATCH = 64


@dataclass(frozen=True)
class Change:
    """A remedy before it is tried: the changed problem, or why there is none."""

    name: str
    what: str
    problem: Problem | None
    why_not: str = ""
    assumption: str = ""


@dataclass(frozen=True)
class Remedy:
    """A remedy with the answer to the changed problem; None where it does not apply, with the reason."""

    name: str
    what: str
    answer: Answer | None
    why_not: str = ""
    assumption: str = ""


def remedies_of(problem: Problem, knowledge: Knowledge, *, workers: int = 1, seed: int = 0) -> tuple[Remedy, ...]:
    """Try every remedy on a checked problem with one task."""
    found = []
    for change in changes_of(problem):
        answer, why_not = None, change.why_not
        if change.problem is not None:
            try:
                answer = solve_problem(change.problem, knowledge, workers=workers, seed=seed, top=1)
            except ProblemError as error:
                why_not = error.faults[0].message
        found.append(Remedy(change.name, change.what, answer, why_not, change.assumption))
    return tuple(found)


def changes_of(problem: Problem) -> Iterator[Change]:
    """Every remedy as a change of the problem, in the order they are usually thought of."""
    tries: tuple[Callable[[Problem], Change], ...] = (
        _double_buffer,
        _larger_batch,
        _all_modes,
        _fewer_frames,
        _any_input,
        _any_precision,
        _int8_only,
        _pruned,
        _more_cores,
        _second_device,
    )
    for one in tries:
        yield one(problem)


def _double_buffer(problem: Problem) -> Change:
    name, what = "double-buffer", "search.buffers: [1, 2]"
    buffers = problem.search_of(problem.tasks[0]).buffers
    if 2 in buffers:
        return Change(name, what, None, "two buffers are searched already")
    return Change(name, what, with_search(problem, buffers=(*buffers, 2)))


def _larger_batch(problem: Problem) -> Change:
    task = problem.tasks[0]
    batches = problem.batches_of(task)
    following = 2 * max(batches)
    name, what = "next batch size", f"search.batches: {[*batches, following]}"
    if following > MOST_BATCH:
        return Change(name, what, None, f"batches up to {max(batches)} are searched already")
    return Change(name, what, with_search(problem, batches=(*batches, following)))


def _all_modes(problem: Problem) -> Change:
    name, what = "all power modes", "search.modes: all"
    if "all" in problem.search_of(problem.tasks[0]).modes:
        return Change(name, what, None, "all modes are searched already")
    return Change(name, what, with_search(problem, modes=("all",)))


def _fewer_frames(problem: Problem) -> Change:
    task = problem.tasks[0]
    assumption = "a result for every frame is not needed"
    what = f"every_nth: {task.every_nth + 1}"
    return Change("skip frames", what, with_task(problem, every_nth=task.every_nth + 1), assumption=assumption)


def _any_input(problem: Problem) -> Change:
    name, what = "smaller and larger inputs", "input without min_px and max_px"
    asked = problem.tasks[0].input
    if asked.min_px is None and asked.max_px is None:
        return Change(name, what, None, "every input size is searched already")
    return Change(name, what, with_task(problem, input=InputRange()))


def _any_precision(problem: Problem) -> Change:
    name, what = "quantize", "search.precisions: all"
    if not problem.search_of(problem.tasks[0]).precisions:
        return Change(name, what, None, "every precision is searched already")
    return Change(name, what, with_search(problem, precisions=()))


def _int8_only(problem: Problem) -> Change:
    name, what = "int8 only", "search.precisions: [int8]"
    if problem.search_of(problem.tasks[0]).precisions == ("int8",):
        return Change(name, what, None, "int8 alone is searched already")
    return Change(name, what, with_search(problem, precisions=("int8",)))


def _pruned(problem: Problem) -> Change:
    """Every time of the network shorter: the guard's factor on it is the one knob that scales them all."""
    factor = problem.guard.application_factor * PRUNED_TO
    guard = problem.guard.model_copy(update={"application_factor": factor})
    share = f"{100 * PRUNED_TO:g} %"
    assumption = f"every network takes {share} of its time and keeps its accuracy, which pruning alone rarely does"
    changed = problem.model_copy(update={"guard": guard})
    return Change(f"prune to {share}", f"guard.application_factor: {factor:g}", changed, assumption=assumption)


def _more_cores(problem: Problem) -> Change:
    name, host = "more CPU cores", problem.host
    if host is None or host.cpu_cores is None:
        return Change(name, "host.cpu_cores", None, "the cores are those of the chip or board: choose another one")
    cores = 2 * host.cpu_cores
    changed = problem.model_copy(update={"host": host.model_copy(update={"cpu_cores": cores})})
    return Change(name, f"host.cpu_cores: {cores:g}", changed)


def _second_device(problem: Problem) -> Change:
    del problem
    return Change("second device", "search.devices.max: 2", None, "not solved yet")
