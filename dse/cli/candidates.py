"""``dse candidates``: the evaluated candidate table, every column."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import CatalogDirs, ProblemFile, remark, roots, say_if_rebuilt


def candidates(
    problem_file: ProblemFile,
    csv: Annotated[Path, typer.Option("--csv", help="CSV file to write.", show_default=False)],
    catalog: CatalogDirs = None,
) -> None:
    """Write every candidate of every task, alone on its chip, with its figures and the limits it breaks.

    Example: dse candidates problem.yaml --csv candidates.csv
    """
    from dse.api import knowledge_of, load_problem, roots_of
    from dse.candidates.context import prepare
    from dse.report.table import write_candidates

    problem = load_problem(problem_file, roots(catalog))
    all_roots = roots_of(problem_file, roots(catalog))
    say_if_rebuilt(all_roots)
    knowledge = knowledge_of(all_roots)
    count = write_candidates((prepare(problem, task, knowledge) for task in problem.tasks), csv)
    remark(f"wrote {count} candidates to {csv}")
