"""``dse pareto``: the complete exact front over freely chosen axes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import (
    EXIT_INFEASIBLE,
    CatalogDirs,
    ExcelFlag,
    JsonFlag,
    ProblemFile,
    console,
    read_by,
    refuse_clashes,
    refuse_overwriting,
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
    excel: ExcelFlag = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write an interactive page, complete in one file.", show_default=False)
    ] = None,
    png: Annotated[Path | None, typer.Option("--png", help="Draw the front as PNG.", show_default=False)] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the front as SVG.", show_default=False)] = None,
    as_json: JsonFlag = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            max=256,
            help="Processes; default: all cores for tables of tens of millions of candidates, else one.",
            show_default=False,
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", help="Scheduler of a dask.distributed cluster: tcp://HOST:PORT.", show_default=False),
    ] = None,
    catalog: CatalogDirs = None,
) -> None:
    """Find every design that no other feasible design beats on the axes; nothing is sampled.

    Example: dse pareto problem.yaml --axes accuracy,worst_case_ms,power_w --csv front.csv --html front.html
    """
    from dse import api
    from dse.front.axes import parse_axes, parse_share

    parse_axes(axes)  # what is wrong with the options is said before anything is looked up
    share = parse_share(near)
    pictures = [picture for picture in (png, svg) if picture is not None]
    _check_targets(problem_file, csv, html, png, svg, roots(catalog))
    problem = api.load_problem(problem_file, roots(catalog))
    say_if_rebuilt(api.roots_of(problem_file, roots(catalog)))
    result = api.pareto(problem, axes, near=share, catalogs=roots(catalog), workers=workers, cluster=cluster)
    if csv is not None:
        from dse.report.front_data import write_front

        for written in write_front(result.data, csv, excel=excel):
            remark(f"wrote {written}")
    if html is not None:
        from dse.report.front_page import write_page

        write_page(result.data, html)
        remark(f"wrote {html}")
    for picture in pictures:
        from dse.report.front_picture import write_picture

        write_picture(result.data, picture)
        remark(f"wrote {picture}")
    if as_json:
        typer.echo(result.to_json())
    else:
        from dse.report.front_terminal import show_front

        show_front(result.data, console())
    raise typer.Exit(0 if result.data["search"]["feasible"] else EXIT_INFEASIBLE)


def _check_targets(
    problem: Path,
    csv: Path | None,
    html: Path | None,
    png: Path | None,
    svg: Path | None,
    catalogs: tuple[Path, ...],
) -> None:
    """Refuse files that cannot be written, or would overwrite one another or the problem, before any work."""
    from dse.errors import Fault, InputError
    from dse.report.front_data import beside, is_of_a_front

    targets = {"--csv": csv, "--html": html, "--png": png, "--svg": svg}
    named = [(option, target) for option, target in targets.items() if target is not None]
    faults = []
    if csv is not None:
        apart = beside(csv)
        named.append(("--csv", apart))
        if apart.exists() and (csv.is_file() or not csv.exists()) and not is_of_a_front(apart):
            message = f"designs that lack a figure go to `{apart}`, and what is there is no such table"
            faults.append(Fault("--csv", 0, 0, str(csv), message, "move it away, or choose another name"))
    for option in ("--png", "--svg"):
        picture, ending = targets[option], f".{option.removeprefix('--')}"
        if picture is not None and picture.suffix.casefold() != ending:
            faults.append(Fault(option, 0, 0, str(picture), f"does not end in {ending}", f"end in {ending}"))
    if faults:
        raise InputError(faults)
    refuse_clashes(named)
    refuse_overwriting(targets.items(), read_by([problem], catalogs))
    if html is not None:
        from dse.report.front_page import require_page

        require_page(html)
    for picture in (png, svg):
        if picture is not None:
            from dse.report.replayed import require_plots

            require_plots(picture)
