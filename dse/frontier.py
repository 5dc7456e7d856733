"""From a problem to its front: the table seen part by part, what is never beaten kept, its rows checked.

The table is cut into ranges of runs, each of which gives a front of its own; their union gives the whole one.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from dse.candidates.context import Context, prepare
from dse.candidates.survey import survey
from dse.candidates.table import count_candidates, weights_per_run
from dse.catalog.types import FloatArray
from dse.errors import Fault, InputError
from dse.estimate import store
from dse.estimate.store import Knowledge
from dse.front.axes import Axis
from dse.front.front import Front, front_of, near_front
from dse.front.points import Points, once, together
from dse.parallel import results
from dse.problem.spec import Problem
from dse.problem.supported import refuse_several
from dse.verify import verify_rows

PARTS_PER_WORKER, PARTS_ON_CLUSTER = 4, 32
"""Into how many ranges of runs the table is cut: several per worker, so that none waits long for the last one."""
WORTH_PROCESSES = 20_000_000
"""Candidates from which on a second process earns what its start costs: each prepares the table's runs anew."""
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


@dataclass(frozen=True)
class Part:
    """A range of runs for a worker: the pickled problem, the axes, and the catalogues and quotations to read it with.

    With `best`, the costs of the front of the whole table, (m, k), what is near it is asked for.
    """

    problem: bytes
    roots: tuple[Path, ...]
    catalogue: str
    quotes: str
    axes: tuple[Axis, ...]
    runs: range
    best: FloatArray | None = None
    share: float = 0.0


def front_of_problem(
    problem: Problem,
    knowledge: Knowledge,
    axes: tuple[Axis, ...],
    share: float = 0.0,
    *,
    roots: tuple[Path, ...] = (),
    workers: int | None = 1,
    cluster: str | None = None,
) -> FrontAnswer:
    """The complete front of a checked problem with one task.

    Parameters
    ----------
    problem, knowledge
        What is asked and what is known.
    axes : tuple of Axis
        Two to five figures.
    share : float
        Designs at most this share worse than one on the front, on every axis, are kept beside it; none unless given.

    roots : tuple of Path
        Catalogue folders that `knowledge` was read from beside the shipped ones, for workers.
    workers : int, optional
        Processes on this machine; None takes all cores where the table is large enough to earn it.
    cluster : str, optional
        Address of a dask.distributed scheduler whose workers do it instead.

    Raises
    ------
    ProblemError
        The problem has several tasks, or asks for something the tables cannot hold.
    InputError
        The cluster cannot be used.
    WorkerError
        A worker process is gone.
    VerificationError
        The independent check disagrees with a row: a bug.
    """
    started = time.perf_counter()
    refuse_several([problem], "fronts of", "keep one task for a front")
    context = prepare(problem, problem.tasks[0], knowledge)
    count = count_candidates(context)
    if workers is None:
        workers = (os.cpu_count() or 1) if count >= WORTH_PROCESSES else 1
    if workers == 1 and cluster is None:
        front = front_of(context, axes)
        near = near_front(context, axes, front.best.costs, share) if share else _none_of(front)
    else:
        several = PARTS_ON_CLUSTER if cluster else PARTS_PER_WORKER * workers
        whole = Part(pickle.dumps(problem), roots, knowledge.key, context.quotes.key, axes, range(0))
        parts = [replace(whole, runs=runs) for runs in cut(context, several)]
        with closing(results(front_part, parts, workers=workers, cluster=cluster)) as found:
            fronts = [front for _, front in found]
        front = fronts[0]
        for other in fronts[1:]:
            front = front.joined(other)
        near = _none_of(front)
        if share:
            close = [replace(part, best=front.best.costs, share=share) for part in parts]
            with closing(results(near_part, close, workers=workers, cluster=cluster)) as found:
                near = once(together([near, *(points for _, points in found)]))
    return FrontAnswer(
        context=context,
        axes=axes,
        front=front,
        near=near,
        share=share,
        candidates=count,
        broken={} if front.feasible else survey(context).broken,
        proofs=tuple(_proofs(context, front)),
        wall_s=time.perf_counter() - started,
        workers=workers,
    )


def front_part(part: Part) -> Front:
    """Front of a range of runs, in whatever process."""
    return front_of(_context(part), part.axes, part.runs)


def near_part(part: Part) -> Points:
    """What is near the front of the whole table in a range of runs, in whatever process."""
    assert part.best is not None
    return near_front(_context(part), part.axes, part.best, part.share, part.runs)


def cut(context: Context, parts: int) -> list[range]:
    """Ranges of runs with about as many candidates each; at least one, and none empty unless there are no runs."""
    ends = np.cumsum(weights_per_run(context))
    total = int(ends[-1]) if len(ends) else 0
    wanted = [total * k // parts for k in range(1, parts)]
    edges = sorted({0, *(int(np.searchsorted(ends, count, "left")) for count in wanted), len(ends)})
    return [range(first, last) for first, last in pairwise(edges)] or [range(0)]


def _context(part: Part) -> Context:
    return _prepared(part.problem, part.roots, part.catalogue, part.quotes)


@lru_cache(maxsize=1)
def _prepared(problem: bytes, roots: tuple[Path, ...], catalogue: str, quotes: str) -> Context:
    """The runs of a problem, kept for the other parts that come to the same process."""
    knowledge = store.load(roots)
    read: Problem = pickle.loads(problem)
    if knowledge.key != catalogue:
        folders = ", ".join(map(str, roots)) or "those shipped with dse"
        message = f"a worker has other catalogues: {folders} differ there"
        raise InputError([Fault(read.file, 0, 0, "", message, "give every worker the same catalogue files")])
    context = prepare(read, read.tasks[0], knowledge)
    if context.quotes.key != quotes:
        message = "a worker has other quotations in `procurement.quotes`"
        raise InputError([Fault(read.file, 0, 0, "", message, "give every worker the same file")])
    return context


def _none_of(front: Front) -> Points:
    return front.best.take(np.zeros(0, dtype=np.int64))


def _proofs(context: Context, front: Front) -> list[str]:
    """What the second road checked, evenly over the front."""
    rows = np.unique(np.linspace(0, len(front.best) - 1, min(len(front.best), MOST_CHECKED)).round().astype(np.int64))
    checked = verify_rows(context, front.best.candidates.take(rows))
    spread = f" (of {len(front.best):,} on the front, evenly spread)" if len(front.best) > len(rows) else ""
    return [line + spread for line in checked]
