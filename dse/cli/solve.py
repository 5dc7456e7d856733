"""``dse solve``: the best design, the alternatives, and why it won."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from dse.cli.common import (
    EXIT_OF_STATUS,
    CatalogDirs,
    JsonFlag,
    ProblemFile,
    SolverSeed,
    SolverThreads,
    console,
    read_by,
    refuse_overwriting,
    remark,
    roots,
    say_if_rebuilt,
)


class Different(StrEnum):
    """What listed designs differ in."""

    CHIP = "chip"
    VENDOR = "vendor"
    TOOLCHAIN = "toolchain"
    NONE = "none"


def solve(
    problem_file: ProblemFile,
    as_json: JsonFlag = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the designs listed to a CSV file.", show_default=False)
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, max=1000, help="How many designs to list.")] = 5,
    different: Annotated[
        Different, typer.Option("--different", help="What listed designs differ in.")
    ] = Different.CHIP,
    workers: SolverThreads = None,
    seed: SolverSeed = 0,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0.0, help="Seconds for the solver; default: none.", show_default=False),
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option("--bundle", help="Write the answer and all it rests on to a zip file.", show_default=False),
    ] = None,
    catalog: CatalogDirs = None,
) -> None:
    """Find the best design within every limit, and prove it.

    Example: dse solve problem.yaml --top 3
    """
    from dse import api

    _refuse(csv, bundle, problem_file, time_limit, roots(catalog))
    problem = api.load_problem(problem_file, roots(catalog))
    say_if_rebuilt(api.roots_of(problem_file, roots(catalog)))
    how: dict[str, Any] = {
        "catalogs": roots(catalog),
        "workers": workers or os.cpu_count() or 1,
        "seed": seed,
        "top": top,
        "different": different.value,
    }
    if bundle is None:
        result = api.solve(problem, time_limit_s=time_limit, **how)
    else:
        result = api.Result(api.write_bundle(bundle, problem_file, "solve", **how))
        remark(f"wrote {bundle}")
    if csv is not None:
        from dse.report.table import safe, write_csv
        from dse.report.text import design_rows

        rows = design_rows(result.data)
        write_csv(
            csv,
            list(rows[0]) if rows else ["chip"],
            [[safe("" if cell is None else str(cell)) for cell in row.values()] for row in rows],
        )
        remark(f"wrote {csv}")
    if as_json:
        typer.echo(result.to_json())
    else:
        from dse.report.text import show_answer

        show_answer(result.data, console())
    raise typer.Exit(EXIT_OF_STATUS[result.status])


def _refuse(
    csv: Path | None, bundle: Path | None, problem_file: Path, time_limit: float | None, catalogs: tuple[Path, ...]
) -> None:
    """Refuse to write over what is read, and a bundle that no second run could confirm."""
    from dse.errors import Fault, InputError

    if bundle is not None and time_limit is not None:
        message = "what is found in a given time differs from machine to machine: nobody could check it"
        raise InputError([Fault("--bundle", 0, 0, "", message, "leave out --time-limit")])
    refuse_overwriting([("--csv", csv), ("--bundle", bundle)], read_by([problem_file], catalogs))
