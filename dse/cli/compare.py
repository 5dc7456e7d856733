"""``dse compare``: chips beside one another for this workload, in the files buyers use."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from dse.cli.common import (
    EXIT_INFEASIBLE,
    CatalogDirs,
    ExcelFlag,
    JsonFlag,
    SolverSeed,
    SolverThreads,
    console,
    read_by,
    refuse_clashes,
    refuse_overwriting,
    remark,
    roots,
    say_if_rebuilt,
)


class AtWord(StrEnum):
    """What designs of different chips have in common."""

    BEST = "best"
    SAME_ACCURACY = "same-accuracy"
    SAME_MODEL = "same-model"


class EachWord(StrEnum):
    """What has a row of its own."""

    CHIP = "chip"
    BOARD = "board"
    MODE = "mode"


def compare(
    problem_files: Annotated[list[Path], typer.Argument(help="Problem files (YAML).", show_default=False)],
    at: Annotated[
        AtWord, typer.Option("--at", help="Compare the best designs, designs of equal accuracy, or one network.")
    ] = AtWord.BEST,
    accuracy: Annotated[
        float | None,
        typer.Option(
            "--accuracy",
            help="Points for same-accuracy; default: the most that every chip with a design reaches.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", help="Network for same-model; default: the one most chips can run.", show_default=False
        ),
    ] = None,
    chips: Annotated[
        str | None, typer.Option("--chips", help="Only these chips: patterns, by commas.", show_default=False)
    ] = None,
    each: Annotated[EachWord, typer.Option("--each", help="One row for each.")] = EachWord.CHIP,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write all rows; evidence goes to NAME.evidence.csv.", show_default=False),
    ] = None,
    excel: ExcelFlag = False,
    xlsx: Annotated[
        Path | None, typer.Option("--xlsx", help="Write a workbook with live formulas.", show_default=False)
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page, complete in one file.", show_default=False)
    ] = None,
    md: Annotated[Path | None, typer.Option("--md", help="Write Markdown.", show_default=False)] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            help="Write the answer and all it rests on, for `dse verify`, to a zip file.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonFlag = False,
    workers: SolverThreads = None,
    seed: SolverSeed = 0,
    catalog: CatalogDirs = None,
) -> None:
    """Compare chips for this workload: each with its best design, or with the limit it fails and by how much.

    Example: dse compare problem.yaml --xlsx chips.xlsx --html chips.html
    """
    from dse import api
    from dse.errors import Fault, InputError

    if chips is not None and not any(pattern.strip() for pattern in chips.split(",")):
        raise InputError([Fault("--chips", 0, 0, chips, "names no chip", "write patterns such as rk35*,jetson*")])
    targets = {"--csv": csv, "--xlsx": xlsx, "--html": html, "--md": md, "--bundle": bundle}
    _check_targets(targets, problem_files, roots(catalog))
    problems = [api.load_problem(file, roots(catalog)) for file in problem_files]
    for file in problem_files:
        say_if_rebuilt(api.roots_of(file, roots(catalog)))
    how: dict[str, Any] = {
        "at": at.value,
        "accuracy": accuracy,
        "model": model,
        "chips": [pattern.strip() for pattern in (chips or "").split(",") if pattern.strip()],
        "each": each.value,
        "catalogs": roots(catalog),
        "workers": workers or os.cpu_count() or 1,
        "seed": seed,
    }
    if bundle is None:
        result = api.compare(problems, **how)
    else:
        result = api.Compared(api.write_bundle(bundle, problem_files, "compare", **how))
        remark(f"wrote {bundle}")
    for written in _write(result.data, targets, excel=excel):
        remark(f"wrote {written}")
    if as_json:
        typer.echo(result.to_json())
    else:
        from dse.report.compare_terminal import show_comparison

        show_comparison(result.data, console())
    designs = [comparison["search"]["feasible"] for comparison in result.data["comparisons"]]
    raise typer.Exit(0 if any(designs) else EXIT_INFEASIBLE)


def _check_targets(targets: dict[str, Path | None], problems: list[Path], catalogs: tuple[Path, ...]) -> None:
    """Refuse files that cannot be written, or would overwrite one another or what is read, before any work."""
    from dse.report.compare_table import evidence_file

    named = [(option, target) for option, target in targets.items() if target is not None]
    if (csv := targets["--csv"]) is not None:
        named.append(("--csv", evidence_file(csv)))
    refuse_clashes(named)
    refuse_overwriting(named, read_by(problems, catalogs))
    if (xlsx := targets["--xlsx"]) is not None:
        from dse.report.workbook import require_workbook

        require_workbook(xlsx)
    if (html := targets["--html"]) is not None:
        from dse.report.compare_page import require_compare_page

        require_compare_page(html)


def _write(data: dict[str, Any], targets: dict[str, Path | None], *, excel: bool) -> list[Path]:
    """Write every file asked for; returns the names."""
    written: list[Path] = []
    if (csv := targets["--csv"]) is not None:
        from dse.report.compare_table import write_comparison

        written += write_comparison(data, csv, excel=excel)
    if (md := targets["--md"]) is not None:
        from dse.report.compare_markdown import write_markdown

        write_markdown(data, md)
        written.append(md)
    if (xlsx := targets["--xlsx"]) is not None:
        from dse.report.workbook import write_workbook

        write_workbook(data, xlsx)
        written.append(xlsx)
    if (html := targets["--html"]) is not None:
        from dse.report.compare_page import write_compare_page

        write_compare_page(data, html)
        written.append(html)
    return written
