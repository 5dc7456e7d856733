"""From the slowest run to the mean: what a network may take on average on each class of unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dse.candidates.service import tail_of
from dse.catalog.types import Tail
from dse.problem.fields import exact
from dse.problem.spec import Problem, Task


@dataclass(frozen=True)
class ClassMean:
    """Largest mean time on one class of unit [ms], with the factor from the mean to the slow run that counts.

    ``stall_ms`` is the stall that is taken off first, with ``guard.tail: max`` alone. None where nobody published it.
    """

    tail_class: str
    factor: Fraction
    stall_ms: Fraction
    mean_ms: Fraction | None
    grade: str
    source: str


def class_means(problem: Problem, task: Task, network_ms: Fraction, tails: dict[str, Tail]) -> tuple[ClassMean, ...]:
    """The largest mean time on every class of unit, from the longest time of the slowest run [ms].

    mean = (longest - stall) / (tail x application factor); zero where nothing is left.
    """
    wanted, application = tail_of(problem, task), exact(problem.guard.application_factor)
    found = []
    for name, tail in tails.items():
        factor = exact(tail.p99_over_mean if wanted == "p99" else tail.p999_over_mean)
        stall = exact(tail.stall_ms or 0.0) if wanted == "max" else Fraction(0)
        unknown = wanted == "max" and (tail.stall_ms is None or math.isnan(tail.stall_ms))
        mean = None if unknown else max(Fraction(0), network_ms - stall) / (factor * application)
        found.append(ClassMean(name, factor, stall, mean, tail.grade, tail.source))
    return tuple(found)
