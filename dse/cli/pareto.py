"""``dse pareto``: the complete exact front over freely chosen axes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import (
    EXIT_INFEASIBLE,
    CatalogDirs,
    JsonFlag,
    ProblemFile,
    remark,
    roots,
    say_if_rebuilt,
)

AXES = "accuracy,worst_case_ms,power_w,price_usd"


def pareto(
    problem_file: ProblemFile,
    axes: Annotated[
        str, typer.Option("--axes", help="Two to five figures: NAME, NAME:min or NAME:max, separated by commas.")
    ] = AXES,
    near: Annotated[
        str, typer.Option("--near", help="Keep designs within this share of the front, such as 2%.", show_default=False)
    ] = "0",
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the front to a CSV file.", show_default=False)
    ] = None,
    excel: Annotated[bool, typer.Option("--excel", help="Begin CSV files with a byte order mark.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write an interactive page, complete in one file.", show_default=False)
    ] = None,
    png: Annotated[Path | None, typer.Option("--png", help="Draw the front as PNG.", show_default=False)] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the front as SVG.", show_default=False)] = None,
    as_json: JsonFlag = False,
    catalog: CatalogDirs = None,
) -> None:
    """Find every design that no other feasible design beats on the axes; nothing is sampled.

    Example: dse pareto problem.yaml --axes accuracy,worst_case_ms,power_w --csv front.csv --html front.html
    """
    from dse import api
    from dse.front.axes import parse_axes, parse_share

    parse_axes(axes)  # what is wrong with the options is said before anything is looked up
    share = parse_share(near)
    problem = api.load_problem(problem_file, roots(catalog))
    say_if_rebuilt(api.roots_of(problem_file, roots(catalog)))
    result = api.pareto(problem, axes, near=share, catalogs=roots(catalog))
    if csv is not None:
        from dse.report.front_data import write_front

        for written in write_front(result.data, csv, excel=excel):
            remark(f"wrote {written}")
    if as_json:
        typer.echo(result.to_json())
    else:
        pass
    raise typer.Exit(0 if result.data["search"]["feasible"] else EXIT_INFEASIBLE)
