"""``dse explain``: why nothing is feasible, or what the choice hangs on."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from dse.cli.common import (
    EXIT_OF_STATUS,
    CatalogDirs,
    JsonFlag,
    ProblemFile,
    SolverSeed,
    SolverThreads,
    console,
    roots,
    say_if_rebuilt,
)


def explain(
    problem_file: ProblemFile,
    chip: Annotated[
        str | None, typer.Option("--chip", help="Why, or why not, this chip: a pattern.", show_default=False)
    ] = None,
    remedies: Annotated[
        bool, typer.Option("--remedies/--no-remedies", help="Try the usual remedies by solving changed problems.")
    ] = True,
    as_json: JsonFlag = False,
    workers: SolverThreads = None,
    seed: SolverSeed = 0,
    catalog: CatalogDirs = None,
) -> None:
    """Say which limits clash and what has to give, or what the choice hangs on.

    Example: dse explain problem.yaml --chip rk3588
    """
    from dse import api

    problem = api.load_problem(problem_file, roots(catalog))
    say_if_rebuilt(api.roots_of(problem_file, roots(catalog)))
    result = api.explain(
        problem,
        chip=chip,
        remedies=remedies,
        catalogs=roots(catalog),
        workers=workers or os.cpu_count() or 1,
        seed=seed,
    )
    if as_json:
        typer.echo(result.to_json())
    else:
        from dse.report.explained_terminal import show_explanation

        show_explanation(result.data, console())
    raise typer.Exit(EXIT_OF_STATUS[result.status])
