"""``dse sweep``: the same problem with some of its fields changed, one answer per point."""

from __future__ import annotations

import gc
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dse.cli.common import (
    EXIT_INFEASIBLE,
    EXIT_STOPPED,
    CatalogDirs,
    ExcelFlag,
    JsonFlag,
    ProblemFile,
    SolverSeed,
    console,
    read_by,
    refuse_overwriting,
    remark,
    roots,
    say_if_rebuilt,
)

if TYPE_CHECKING:
    from dse.sweeping.run import Prepared


def sweep(
    problem_file: ProblemFile,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            help="Field and values: limits.power_w=2:20:2 (start:stop:step) or tasks.detect.streams=8,16,32; "
            "several make a grid, the last varies fastest.",
            show_default=False,
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option("--points", help="CSV file with a header of fields and a point per row.", show_default=False),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="CSV file to write, one row per point.", show_default=False)
    ] = None,
    excel: ExcelFlag = False,
    as_json: JsonFlag = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what an interrupted run left beside the CSV file.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, max=256, help="Processes; default: all cores.", show_default=False),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster", help="Scheduler of a dask cluster, as tcp://host:8786; needs dse[cluster].", show_default=False
        ),
    ] = None,
    seed: SolverSeed = 0,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0.0, help="Seconds for each point; default: none.", show_default=False),
    ] = None,
    catalog: CatalogDirs = None,
) -> None:
    """Solve the problem at every point of a grid of changes to its fields.

    Example: dse sweep problem.yaml --vary limits.power_w=2:20:2 --csv sweep.csv
    """
    import json

    from dse.errors import Fault, InputError
    from dse.sweeping.journal import journal_of
    from dse.sweeping.points import split_vary
    from dse.sweeping.run import Settings, prepare

    if resume and csv is None:
        message = "what is finished is kept beside the CSV file, and none is named"
        raise InputError([Fault("--resume", 0, 0, "", message, "give --csv FILE")])
    if csv is not None:
        inputs = read_by([problem_file], roots(catalog)) | ({} if points is None else {"the file of points": points})
        journal = journal_of(csv) if csv.name else None
        refuse_overwriting([("--csv", csv), ("--csv, its journal", journal)], inputs)
    prepared = prepare(problem_file, roots(catalog), split_vary(vary or ()), points, Settings(seed, time_limit))
    say_if_rebuilt(prepared.roots)
    data = _run(prepared, csv, workers=workers or os.cpu_count() or 1, cluster=cluster, resume=resume, excel=excel)
    if csv is not None:
        remark(f"wrote {data['counts']['points']} points to {csv}")
    if as_json:
        typer.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        from dse.report.swept import show_swept

        show_swept(data, console())
    raise typer.Exit(_exit_code(data["counts"]))


def _run(prepared: Prepared, csv: Path | None, **how: Any) -> dict[str, Any]:  # noqa: ANN401 - passed on
    """Run with a bar on a terminal; an interrupt, or the loss of a worker, says what is kept."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from dse.errors import WorkerError
    from dse.sweeping.journal import journal_of
    from dse.sweeping.run import run

    gc.enable()  # unlike other commands this one may run for hours
    # What breaks is reported in our own words; the libraries would add pages to it.
    for name in ("distributed", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    err = Console(file=sys.stderr)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
    try:
        with bar:
            work = bar.add_task("solving", total=None)
            return run(
                prepared, csv=csv, progress=lambda done, total: bar.update(work, completed=done, total=total), **how
            )
    except (KeyboardInterrupt, WorkerError) as error:
        journal = None if csv is None else journal_of(csv)
        what = "interrupted" if isinstance(error, KeyboardInterrupt) else f"error: {error}"
        kept = f"; {journal} holds what is finished: --resume goes on with it" if journal and journal.exists() else ""
        remark(what + kept)
        raise typer.Exit(EXIT_STOPPED) from None


def _exit_code(counts: dict[str, int]) -> int:
    """0 with a design at any point; else 4 when a point stopped without an answer, 3 when all are infeasible."""
    if counts["with_design"]:
        return 0
    return EXIT_STOPPED if counts["unknown"] else EXIT_INFEASIBLE
