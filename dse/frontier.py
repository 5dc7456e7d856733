"""From a problem to its front: every candidate seen once, what is never beaten kept, each row checked.

The table is cut into ranges of runs, each of which gives a front of its own; their union gives the whole one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dse.candidates.context import Context, prepare
from dse.candidates.survey import survey
from dse.candidates.table import count_candidates
from dse.errors import Fault, ProblemError
from dse.estimate.store import Knowledge
from dse.front.axes import Axis
from dse.front.front import Front, front_of, near_front
from dse.front.points import Points
from dse.problem.spec import Problem
from dse.verify import verify_rows

MOST_CHECKED = 250
"""Rows of a front that the second road works out again; of more it takes as many, evenly spread."""


@dataclass(frozen=True)
class FrontAnswer:
    """A front and what it was found in.

    ``broken`` counts, per requirement, the candidates that break it; only filled where no candidate is feasible.
    """

    context: Context
    axes: tuple[Axis, ...]
    front: Front
    near: Points
    share: float
    candidates: int
    broken: Mapping[str, int]
    proofs: tuple[str, ...]
    wall_s: float
    workers: int

    @property
    def file(self) -> str:
        """Name of the problem file."""
        return Path(self.context.problem.file).name


def front_of_problem(problem: Problem, knowledge: Knowledge, axes: tuple[Axis, ...], share: float = 0.0) -> FrontAnswer:
    """The complete front of a checked problem with one task.

    Parameters
    ----------
    problem, knowledge
        What is asked and what is known.
    axes : tuple of Axis
        Two to five figures.
    share : float
        Designs at most this share worse than one on the front, on every axis, are kept beside it; none unless given.

    Raises
    ------
    ProblemError
        The problem has several tasks, or asks for something the tables cannot hold.
    VerificationError
        The independent check disagrees with a row: a bug.
    """
    started = time.perf_counter()
    refuse_several(problem)
    context = prepare(problem, problem.tasks[0], knowledge)
    front = front_of(context, axes)
    return FrontAnswer(
        context=context,
        axes=axes,
        front=front,
        near=near_front(context, axes, front.best, share) if share else front.best.take(np.zeros(0, dtype=np.int64)),
        share=share,
        candidates=count_candidates(context),
        broken={} if front.feasible else survey(context).broken,
        proofs=tuple(_proofs(context, front)),
        wall_s=time.perf_counter() - started,
        workers=1,
    )


def refuse_several(problem: Problem) -> None:
    """Stop at a problem whose fronts are not yet built."""
    if len(problem.tasks) > 1:
        message = "fronts of problems with several tasks come later; `dse solve` and `dse sweep` take them"
        place = problem.place(("tasks",))
        raise ProblemError([Fault(problem.file, *place, "tasks", message, "keep one task for a front")])


def _proofs(context: Context, front: Front) -> list[str]:
    """What the second road checked, evenly over the front."""
    rows = np.unique(np.linspace(0, len(front.best) - 1, min(len(front.best), MOST_CHECKED)).round().astype(np.int64))
    checked = verify_rows(context, front.best.candidates.take(rows))
    spread = f" (of {len(front.best):,} on the front, evenly spread)" if len(front.best) > len(rows) else ""
    return [line + spread for line in checked]
