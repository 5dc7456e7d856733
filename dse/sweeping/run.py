"""A sweep from its plan to its table: check every point, solve those that are not in the journal, write the result."""

from __future__ import annotations

import errno
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dse.errors import Fault, InputError, ProblemError
from dse.parallel import program, results
from dse.problem.load import peek_catalogs, problem_of
from dse.problem.raw import get
from dse.report.table import write_csv
from dse.solving import Roots, answer_to, knowledge_of
from dse.sweeping.checking import Names, judged
from dse.sweeping.journal import Fingerprint, Journal, journal_of
from dse.sweeping.points import Plan, Vary, grid, listed
from dse.sweeping.rows import cells, designs_in, header, rows, with_changes
from dse.sweeping.summary import summary_of
from dse.yamlfile.reader import Document, read_file
from dse.yamlfile.scalars import Raw

JsonObject = dict[str, Any]
Progress = Callable[[int, int], None]
STATUSES = ("optimal", "feasible", "infeasible", "unknown")


@dataclass(frozen=True)
class Settings:
    """How every point is solved; `time_limit_s` [s] makes the outcome depend on the machine."""

    seed: int = 0
    time_limit_s: float | None = None


@dataclass(frozen=True)
class Prepared:
    """A sweep whose points have all been checked."""

    document: Document
    roots: Roots
    plan: Plan
    names: Names
    catalogue: str
    settings: Settings = field(default_factory=Settings)

    @cached_property
    def quotations(self) -> Mapping[str, str]:
        """Files of quotations that some point names, each with a checksum of what it holds."""
        names = {quotes_named(self.plan.data(self.document.data, point)) for point in self.plan.points}
        return {name: checksum(self.document.name, name) for name in names}

    def fingerprint(self) -> Fingerprint:
        """Everything that decides the results."""
        asked = [self.plan.fields, [point.values for point in self.plan.points]]
        return {
            **program(),
            "problem": _digest(self.document.data),
            "catalogue": self.catalogue,
            "points": _digest(asked),
            "quotes": _digest(sorted(self.quotations.items())),
            "seed": self.settings.seed,
            "time_limit_s": self.settings.time_limit_s,
        }


@dataclass(frozen=True)
class Job:
    """One point for a worker: the data of its problem, and the catalogues and quotations it must be solved with."""

    file: str
    data: Raw
    roots: Roots
    catalogue: str
    quotes: str
    settings: Settings


def prepare(
    file: Path, extra: Roots = (), vary: Vary = (), points: Path | None = None, settings: Settings | None = None
) -> Prepared:
    """Read the problem and lay out its points, every one of them checked; `extra` are more catalogue folders.

    Raises
    ------
    InputError
        The problem, the fields, the values or a point is wrong: every fault that could be found.
    OSError
        The file of points cannot be read.
    """
    document = read_file(file)
    if not document.readable or not isinstance(document.data, dict):
        problem_of(document)  # says what is wrong
    if bool(vary) == (points is not None):
        message = "say which fields to vary" if points is None else "fields are varied by a grid and by a file"
        raise InputError([Fault(str(file), 0, 0, "", message, "give --vary PATH=VALUES, or --points FILE.csv")])
    plan, faults = grid(document.data, vary) if points is None else listed(document.data, points)
    # Workers may run elsewhere: a relative folder would be another one there.
    roots = tuple(root.resolve() for root in (*extra, *peek_catalogs(file)))
    knowledge = knowledge_of(roots)
    names, more = judged(document, plan, knowledge)
    if faults or more:
        found = sorted({*faults, *more})
        raise (ProblemError if all(fault.file == document.name for fault in found) else InputError)(found)
    return Prepared(document, roots, plan, names, knowledge.key, settings or Settings())


def run(
    prepared: Prepared,
    *,
    workers: int = 1,
    cluster: str | None = None,
    csv: Path | None = None,
    resume: bool = False,
    excel: bool = False,
    progress: Progress = lambda _done, _total: None,
) -> JsonObject:
    """Solve every point; returns the object that ``dse sweep --json`` prints.

    Parameters
    ----------
    prepared : Prepared
        The sweep.
    workers, cluster
        Where the points are solved, see `dse.parallel.results`.
    csv : Path, optional
        Table to write, whole or not at all. What is finished is kept in a journal beside it until then.
    resume, excel : bool
        Whether to go on with a journal; whether the table begins with a byte order mark.
    progress : callable
        Called with the points done and all points.

    Raises
    ------
    InputError
        The journal or the cluster cannot be used.
    WorkerError
        A worker process is gone; finished points are in the journal.
    VerificationError
        The independent check disagrees with the solver: a bug.
    """
    total = len(prepared.plan.points)
    with _journal(prepared, csv, resume) as journal:
        done: dict[int, JsonObject] = {} if journal is None else dict(journal.done)
        progress(len(done), total)
        left = [point for point in prepared.plan.points if point.number not in done]
        jobs = [_job(prepared, prepared.plan.data(prepared.document.data, point)) for point in left]
        # Closed at once, not when the garbage is collected: an interrupt must not leave processes behind.
        with closing(results(solve_point, jobs, workers=workers, cluster=cluster)) as found:
            for position, summary in found:
                number = left[position].number
                if journal is not None:
                    journal.add(number, summary)
                done[number] = summary
                progress(len(done), total)
        data = _as_json(prepared, with_changes(prepared.plan, prepared.document.data, done))
        if csv is not None:
            write_csv(csv, header(data), map(cells, rows(data)), bom=excel)
        if journal is not None:
            journal.remove()
    return data


def solve_point(job: Job) -> JsonObject:
    """Answer of one point, as far as a sweep shows it; with one thread, in whatever process.

    Raises
    ------
    InputError
        This machine has other catalogues or quotations than the one that asks.
    """
    knowledge = knowledge_of(job.roots)
    if knowledge.key != job.catalogue:
        folders = ", ".join(map(str, job.roots)) or "those shipped with dse"
        message = f"a worker has other catalogues: {folders} differ there"
        raise InputError([Fault(job.file, 0, 0, "", message, "give every worker the same catalogue files")])
    if checksum(job.file, quotes_named(job.data)) != job.quotes:
        message = "a worker has other quotations in `procurement.quotes`"
        raise InputError([Fault(job.file, 0, 0, "", message, "give every worker the same file")])
    problem = problem_of(Document(job.file, job.data))
    settings = job.settings
    answer = answer_to(problem, knowledge, top=1, seed=settings.seed, time_limit_s=settings.time_limit_s)
    return summary_of(answer)


def _job(prepared: Prepared, data: Raw) -> Job:
    quotes = prepared.quotations[quotes_named(data)]
    return Job(prepared.document.name, data, prepared.roots, prepared.catalogue, quotes, prepared.settings)


def quotes_named(data: Raw) -> str:
    """File of quotations that the data of a problem names; empty without one."""
    name = get(data, "procurement", "quotes")
    return name if isinstance(name, str) else ""


def checksum(file: str, name: str) -> str:
    """What a file beside a problem file holds; empty where no name is given, or nothing can be read."""
    try:
        content = (Path(file).parent / name).read_bytes() if name else b""
    except OSError:
        return ""
    return hashlib.blake2b(content, digest_size=16).hexdigest() if content else ""


def _journal(prepared: Prepared, csv: Path | None, resume: bool) -> Journal | nullcontext[None]:
    """The journal beside the table; none where there is no table, or it is a pipe."""
    if csv is not None and csv.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file to write", str(csv))
    if csv is None or (csv.exists() and not csv.is_file()):
        return nullcontext()
    return Journal(journal_of(csv), prepared.fingerprint(), points=len(prepared.plan.points), resume=resume)


def _as_json(prepared: Prepared, points: list[JsonObject]) -> JsonObject:
    statuses = Counter(point["status"] for point in points)
    given: Mapping[str, Raw] = prepared.document.data
    versions = {name: value or None for name, value in program().items() if name in ("dse", "ortools")}
    return {
        "problem": {"name": str(given.get("name", "")), "file": Path(prepared.document.name).name},
        "fields": list(prepared.plan.fields),
        "tasks": list(prepared.names.tasks),
        "chains": list(prepared.names.chains),
        "counts": {
            "points": len(points),
            "with_design": sum(bool(point["tasks"]) for point in points),
            "designs": designs_in(points),
            "winner_changes": sum(point["winner_changes"] is True for point in points),
            **{status: statuses[status] for status in STATUSES},
        },
        "points": points,
        "versions": {**versions, "catalogue": prepared.catalogue},
    }


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
