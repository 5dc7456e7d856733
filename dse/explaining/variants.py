"""The same problem with one thing changed: what a user would edit in the file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dse.problem.spec import Problem


def with_task(problem: Problem, **changes: Any) -> Problem:  # noqa: ANN401 - fields of many types
    """The problem with fields of its task replaced; none of them is checked again."""
    return problem.model_copy(update={"tasks": (problem.tasks[0].model_copy(update=changes), *problem.tasks[1:])})


def with_search(problem: Problem, **changes: Any) -> Problem:  # noqa: ANN401 - fields of many types
    """The problem with fields of its search replaced, where its task states them, there."""
    task = problem.tasks[0]
    own = {} if task.search is None else {k: v for k, v in changes.items() if k in task.search.model_fields_set}
    common = {key: value for key, value in changes.items() if key not in own}
    if own and task.search is not None:
        problem = with_task(problem, search=task.search.model_copy(update=own))
    return problem.model_copy(update={"search": problem.search.model_copy(update=common)}) if common else problem


def with_rate(problem: Problem, rate_hz: float) -> Problem:
    """The problem with another rate of every stream of its source."""
    return _with_source(problem, rate_hz=rate_hz, period_given_ms=None)


def with_streams(problem: Problem, streams: int) -> Problem:
    """The problem with another number of streams of its source."""
    return _with_source(problem, streams=streams)


def rate_of(problem: Problem) -> Fraction:
    """Frames per second of each stream of the source, exactly."""
    return 1000 / problem.source_of(problem.tasks[0]).period_ms


def streams_of(problem: Problem) -> Fraction:
    """Streams of the source."""
    return Fraction(problem.source_of(problem.tasks[0]).streams)


def _with_source(problem: Problem, **changes: Any) -> Problem:  # noqa: ANN401 - fields of many types
    """The problem with fields of its task's source replaced, or of its task where that is its own source."""
    name = problem.tasks[0].source
    if name is None:
        return with_task(problem, **changes)
    sources = tuple(one.model_copy(update=changes) if one.name == name else one for one in problem.sources)
    return problem.model_copy(update={"sources": sources})
