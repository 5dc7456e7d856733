"""``dse simulate``: replay the chosen design, and see how near its bounds are."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import (
    EXIT_OF_STATUS,
    CatalogDirs,
    JsonFlag,
    ProblemFile,
    SolverThreads,
    console,
    remark,
    roots,
    say_if_rebuilt,
)


def simulate(
    problem_file: ProblemFile,
    as_json: JsonFlag = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", help="Draw the distributions as PNG or SVG; needs dse[plots].", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**31 - 1, help="Seed of the replays.")] = 0,
    phasings: Annotated[int, typer.Option("--phasings", min=2, max=100_000, help="Patterns of arrival to try.")] = 160,
    climbs: Annotated[
        int, typer.Option("--climbs", min=0, max=100_000, help="Steps from the worst of them to still worse ones.")
    ] = 240,
    workers: SolverThreads = None,
    catalog: CatalogDirs = None,
) -> None:
    """Replay the chosen design with adversarial and random phases: observed latencies beside the bounds.

    Example: dse simulate problem.yaml --picture latencies.png
    """
    import json

    from rich.console import Console
    from rich.progress import Progress

    from dse.api import knowledge_of, load_problem, roots_of
    from dse.report.replayed import draw, require_plots, show_replayed
    from dse.simulation import as_json as json_of
    from dse.simulation import simulate_problem

    if picture is not None:
        require_plots(picture)
    problem = load_problem(problem_file, roots(catalog))
    all_roots = roots_of(problem_file, roots(catalog))
    say_if_rebuilt(all_roots)
    with Progress(console=Console(file=sys.stderr), transient=True) as bar:
        work = bar.add_task("replaying", total=None)
        replayed = simulate_problem(
            problem,
            knowledge_of(all_roots),
            workers=workers or os.cpu_count() or 1,
            seed=seed,
            phasings=phasings,
            climbs=climbs,
            progress=lambda done, total: bar.update(work, completed=done, total=total),
        )
    data = json_of(replayed)
    if picture is not None and data["tasks"]:
        draw(data, picture)
        remark(f"wrote {picture}")
    if as_json:
        typer.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        show_replayed(data, console())
    raise typer.Exit(EXIT_OF_STATUS[data["status"]])
