"""``dse ask``: what to ask suppliers and what to measure, because it could change the choice."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import (
    CatalogDirs,
    ExcelFlag,
    JsonFlag,
    ProblemFile,
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


def ask(
    problem_file: ProblemFile,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            help="Write the questions, NAME.quotes.csv for suppliers and NAME.measurements.csv for the bench.",
            show_default=False,
        ),
    ] = None,
    excel: ExcelFlag = False,
    as_json: JsonFlag = False,
    workers: SolverThreads = None,
    seed: SolverSeed = 0,
    catalog: CatalogDirs = None,
) -> None:
    """List the unknown and weak figures that could change the choice, as forms that read back.

    Example: dse ask problem.yaml --csv questions.csv
    """
    from dse import api
    from dse.asking import questions

    if csv is not None:
        from dse.report.questions import forms_beside

        targets = [("--csv", target) for target in (csv, *forms_beside(csv))]
        refuse_clashes(targets)
        refuse_overwriting(targets, read_by([problem_file], roots(catalog)))
    problem = api.load_problem(problem_file, roots(catalog))
    say_if_rebuilt(api.roots_of(problem_file, roots(catalog)))
    knowledge = api.knowledge_of(api.roots_of(problem_file, roots(catalog)))
    found = questions(problem, knowledge, workers=workers or os.cpu_count() or 1, seed=seed)
    if csv is not None:
        from dse.report.questions import write_questions

        for written in write_questions(found, csv, excel=excel):
            remark(f"wrote {written}")
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        from dse.report.asked import show_questions

        show_questions(found, console())
