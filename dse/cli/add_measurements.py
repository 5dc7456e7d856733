"""``dse catalog add-measurements``: checks a file of one's own runs, and says what they change before they are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import CatalogDirs, JsonFlag, remark, roots, show_rows, write_template


def add_measurements(
    file: Annotated[Path, typer.Argument(help="Measurements (CSV); --template writes one.", show_default=False)],
    template: Annotated[bool, typer.Option("--template", help="Write an empty file with an example row.")] = False,
    problem: Annotated[
        list[Path] | None,
        typer.Option("--problem", help="Problem whose winner is compared; may be repeated.", show_default=False),
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder of your own catalogue to keep them in.", show_default=False)
    ] = None,
    as_json: JsonFlag = False,
    catalog: CatalogDirs = None,
) -> None:
    """Check measurements of your own, and say which estimates and which winner they change.

    Example: dse catalog add-measurements runs.csv --problem problem.yaml --into mine
    """
    from dse import addition
    from dse.report.addition import tables

    if template:
        write_template(file, addition.template())
        typer.echo(f"wrote {file}: replace the example row with your own")
        return
    own = roots(catalog)
    if into is not None and into not in own and any(into.glob("*/*.*")):
        own = (*own, into)  # what is kept there will be read together with the file
    found = addition.assess(file, own, tuple(problem or ()))
    if as_json:
        import json

        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        for title, rows in tables(found):
            typer.echo(title)
            show_rows(rows)
            typer.echo("")
    for line in found["warnings"]:
        remark(f"warning: {line}")
    if into is not None:
        target = addition.keep(file, into)
        remark(f"kept in {target}; use them with `--catalog {into}`, or with `catalogs: [{into}]` in a problem file")
    elif not as_json:
        remark("nothing is kept: add `--into DIR` for that")
