"""The same from Python: load a problem, check it, solve it, sweep it, look at its candidates.

>>> import dse
>>> result = dse.solve(dse.load_problem("problems/inspection.yaml"))  # doctest: +SKIP
>>> result.status, result.to_frame()  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dse.errors import Fault, InputError
from dse.problem.load import peek_catalogs
from dse.problem.spec import Problem
from dse.results import Budgeted, BundleCheck, BundleDiff, Compared, Explained, FrontResult, Result, Sweep
from dse.solving import Roots, answer_to, checked_problem, knowledge_of, vocabulary_of
from dse.yamlfile.reader import read_file


def roots_of(path: Path, extra: Roots = ()) -> Roots:
    """Catalogue folders for a problem file: the command line's, then the file's own."""
    return (*extra, *peek_catalogs(path))


def load_problem(path: str | Path, catalogs: Roots = ()) -> Problem:
    """Read and check a problem file against the catalogues.

    Raises
    ------
    ProblemError
        Everything that is wrong with it, with lines and suggestions.
    CatalogError
        A catalogue folder cannot be used.
    """
    file = Path(path)
    knowledge = knowledge_of(roots_of(file, catalogs))
    return checked_problem(read_file(file), knowledge, vocabulary_of(knowledge.catalog))


def solve(
    problem: Problem,
    *,
    catalogs: Roots = (),
    workers: int = 1,
    seed: int = 0,
    top: int = 5,
    different: str = "chip",
    time_limit_s: float | None = None,
) -> Result:
    """Best design, alternatives and what would change the choice.

    Raises
    ------
    ProblemError
        The problem asks for something the tables cannot hold.
    VerificationError
        The independent check disagrees with the solver: a bug.
    """
    knowledge = knowledge_of(roots_of(Path(problem.file), catalogs))
    return Result(
        answer_to(
            problem,
            knowledge,
            workers=workers,
            seed=seed,
            top=top,
            different=different,
            time_limit_s=time_limit_s,
            explain=True,
        )
    )


def budget(problem: Problem, *, catalogs: Roots = ()) -> Budgeted:
    """The time, the work and the bytes one inference of each task may take, before any chip is named.

    Raises
    ------
    ProblemError
        The problem asks for something the tables cannot hold.
    """
    from dse.budgeting.budget import budget_of
    from dse.report.budget import budget_object

    return Budgeted(budget_object(budget_of(problem, knowledge_of(roots_of(Path(problem.file), catalogs)))))


def pareto(
    problem: Problem,
    axes: str | Sequence[str] = "accuracy,worst_case_ms,power_w,price_usd",
    *,
    near: str | float = 0.0,
    catalogs: Roots = (),
    workers: int | None = None,
    cluster: str | None = None,
) -> FrontResult:
    """The complete exact front of a problem with one task.

    Parameters
    ----------
    problem : Problem
        What is asked.
    axes : str or list of str
        Two to five figures, ``name`` or ``name:min`` or ``name:max``, separated by commas or in a list.
    near : float or str
        Designs at most this share worse than one on the front, on every axis, are listed beside it.
    catalogs : tuple of Path
        Extra catalogue folders.
    workers : int, optional
        Processes on this machine; by default all cores for tables of tens of millions of candidates, else one.
    cluster : str, optional
        Address of a dask.distributed scheduler whose workers do it instead.

    Raises
    ------
    InputError
        An axis that cannot be, a problem with several tasks, or a cluster that cannot be used.
    WorkerError
        A worker process is gone in the middle of the work.
    VerificationError
        The independent check disagrees with a row: a bug.
    """
    from dse.front.axes import parse_axes, parse_share
    from dse.frontier import front_of_problem
    from dse.report.front_data import front_object

    # Workers may run elsewhere: a relative folder would be another one there.
    roots = tuple(root.resolve() for root in roots_of(Path(problem.file), catalogs))
    asked, share = parse_axes(axes, "axes"), parse_share(near, "near")
    answer = front_of_problem(problem, knowledge_of(roots), asked, share, roots=roots, workers=workers, cluster=cluster)
    return FrontResult(front_object(answer))


def compare(
    problems: Problem | Sequence[Problem],
    *,
    at: str = "best",
    accuracy: float | None = None,
    model: str | None = None,
    chips: Sequence[str] = (),
    each: str = "chip",
    catalogs: Roots = (),
    workers: int = 1,
    seed: int = 0,
) -> Compared:
    """A row for every chip: its best design for each problem, or what stands against it.

    Parameters
    ----------
    problems : Problem or list of Problem
        What is asked; of several, whether one chip is enough for all is said too.
    at : str
        ``best``; ``same-accuracy``: designs that reach `accuracy`, by default what every chip with a design reaches;
        ``same-model``: designs of one network, by default the one most chips can run.
    chips : list of str
        Patterns of chips to compare; all that the searches admit unless given.
    each : str
        ``chip``, ``board`` or ``mode``: what has a row of its own.
    catalogs, workers, seed
        As of `solve`.

    Raises
    ------
    InputError
        A word, a pattern or a problem that cannot be; problems with several tasks are refused so far.
    VerificationError
        The independent check disagrees: a bug.
    """
    from dse.comparing import compared, request_of

    asked = [problems] if isinstance(problems, Problem) else list(problems)
    request = request_of(at, accuracy, model, chips, each, workers=workers, seed=seed)
    knowledge = [knowledge_of(roots_of(Path(problem.file), catalogs)) for problem in asked]
    return Compared(compared(asked, knowledge, request))


def explain(
    problem: Problem,
    *,
    chip: str | None = None,
    remedies: bool = True,
    catalogs: Roots = (),
    workers: int = 1,
    seed: int = 0,
) -> Explained:
    """Which limits clash and what has to give where nothing is feasible; else what the choice hangs on.

    Parameters
    ----------
    problem : Problem
        What is asked.
    chip : str, optional
        Pattern of chips: why, or why not, each of them.
    remedies : bool
        Whether to try the usual remedies, each by solving a changed problem.
    catalogs, workers, seed
        As of `solve`.

    Raises
    ------
    InputError
        The pattern fits no chip of the search.
    ProblemError
        The problem asks for something the tables cannot hold; problems with several tasks are refused so far.
    VerificationError
        The independent check disagrees: a bug.
    """
    from dse.explanation import explained

    knowledge = knowledge_of(roots_of(Path(problem.file), catalogs))
    return Explained(explained(problem, knowledge, chip=chip, remedies=remedies, workers=workers, seed=seed))


def sweep(
    problem: Problem | str | Path,
    vary: Mapping[str, str | Sequence[Any]] | None = None,
    *,
    points: str | Path | None = None,
    catalogs: Roots = (),
    workers: int = 1,
    cluster: str | None = None,
    seed: int = 0,
    time_limit_s: float | None = None,
    csv: str | Path | None = None,
    resume: bool = False,
    excel: bool = False,
) -> Sweep:
    """Solve a problem file again and again with some of its fields changed.

    Parameters
    ----------
    problem : path or Problem
        Problem file; of a problem that was loaded, its file is read again.
    vary : mapping
        Fields, such as ``limits.power_w``, each with its values or with their text: ``"2:20:2"``. Every combination
        is a point; the last field varies fastest.
    points : path, optional
        CSV file with a point per row under a header of fields, instead of `vary`.
    catalogs, seed, time_limit_s
        As of `solve`, for every point.
    workers : int
        Processes on this machine, each with one thread.
    cluster : str, optional
        Address of a dask.distributed scheduler whose workers solve the points instead.
    csv : path, optional
        Table to write. Finished points are kept beside it, in a file that ends in ``.part``, until all are.
    resume, excel : bool
        Go on with such a file; begin the table with a byte order mark.

    Raises
    ------
    InputError
        The problem, a field, a value, a point or the cluster cannot be used; nothing was solved.
    WorkerError
        A worker process is gone in the middle of the work.
    VerificationError
        The independent check disagrees with the solver: a bug.
    """
    from dse.sweeping.run import Settings, prepare, run

    prepared = prepare(
        _file_of(problem) if isinstance(problem, Problem) else Path(problem),
        catalogs,
        tuple((vary or {}).items()),
        None if points is None else Path(points),
        Settings(seed, time_limit_s),
    )
    target = None if csv is None else Path(csv)
    return Sweep(run(prepared, workers=workers, cluster=cluster, csv=target, resume=resume, excel=excel))


def _file_of(problem: Problem) -> Path:
    if not Path(problem.file).is_file():
        message = "a sweep changes the fields of a problem file, and this problem has none"
        raise InputError([Fault(problem.file, 0, 0, "", message, "write the problem to a file and give its path")])
    return Path(problem.file)


def write_bundle(
    target: str | Path,
    problems: str | Path | Sequence[str | Path],
    command: str = "compare",
    *,
    catalogs: Roots = (),
    workers: int = 1,
    **options: Any,  # noqa: ANN401 - of the command
) -> dict[str, Any]:
    """Answer problem files, and write the answer with everything it rests on to one file; returns the answer.

    Parameters
    ----------
    target : path
        Zip file to write.
    problems : path or list of paths
        Problem files.
    command : str
        ``compare``, or ``solve`` for one problem.
    catalogs : tuple of Path
        Extra catalogue folders.
    workers : int
        Solver threads; the file does not depend on them.
    **options
        Of the command: ``at``, ``accuracy``, ``model``, ``chips``, ``each``, ``seed``, or ``top``, ``different``,
        ``seed``.

    Raises
    ------
    InputError
        A problem, a catalogue or an option is wrong, or cannot go into a bundle.
    VerificationError
        The independent check disagrees with the solver: a bug.
    """
    from dse.bundle.inputs import gather
    from dse.bundle.pack import pack
    from dse.bundle.request import Request
    from dse.report.table import whole_file

    files = [Path(problems)] if isinstance(problems, str | Path) else [Path(one) for one in problems]
    try:
        request = Request(command, options)
    except ValueError as error:
        raise InputError([Fault("the bundle", 0, 0, "", str(error))]) from None
    for file in files:
        load_problem(file, catalogs)  # what is wrong is said of the file that was given, not of its copy
    done = pack(gather(files, catalogs), request, workers=workers)
    with whole_file(Path(target)) as stream:
        stream.write(done.content)
    return done.answer


def verify_bundle(bundle: str | Path, *, workers: int = 1) -> BundleCheck:
    """Check a bundle: every hash, and every byte of the answer worked out again.

    Raises
    ------
    InputError
        It is no bundle, or so damaged that there is nothing to compare.
    """
    from dse.bundle.verify import verify

    return BundleCheck(verify(Path(bundle), workers=workers).data())


def diff_bundles(older: str | Path, newer: str | Path, *, solve: bool = True) -> BundleDiff:
    """What is different between two bundles, and which difference moved the choice.

    Parameters
    ----------
    older, newer : path
        Bundles.
    solve : bool
        Whether the older problem may be solved again with one change at a time.

    Raises
    ------
    InputError
        One of them is no bundle, or was altered.
    """
    from dse.bundle.diff import diff

    return BundleDiff(diff(Path(older), Path(newer), solve=solve))


__all__ = [
    "Budgeted",
    "BundleCheck",
    "BundleDiff",
    "Compared",
    "Explained",
    "FrontResult",
    "InputError",
    "Problem",
    "Result",
    "Sweep",
    "budget",
    "compare",
    "diff_bundles",
    "explain",
    "knowledge_of",
    "load_problem",
    "pareto",
    "roots_of",
    "solve",
    "sweep",
    "verify_bundle",
    "vocabulary_of",
    "write_bundle",
]
