"""``dse budget``: the time, the work and the bytes one inference may take, before any chip is named."""

from __future__ import annotations

import typer

from dse.cli.common import CatalogDirs, JsonFlag, ProblemFile, console, roots, say_if_rebuilt


def budget(problem_file: ProblemFile, as_json: JsonFlag = False, catalog: CatalogDirs = None) -> None:
    """Say what one inference may take: time by rate and deadline, then work, bytes, families and chips that keep to it.

    Example: dse budget problem.yaml
    """
    from dse import api

    problem = api.load_problem(problem_file, roots(catalog))
    say_if_rebuilt(api.roots_of(problem_file, roots(catalog)))
    result = api.budget(problem, catalogs=roots(catalog))
    if as_json:
        typer.echo(result.to_json())
        return
    from dse.report.budget_terminal import show_budget

    show_budget(result.data, console())
