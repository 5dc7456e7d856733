"""``dse diff``: what two bundles differ in, and which difference moved the choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import JsonFlag, console


def diff(
    old: Annotated[Path, typer.Argument(help="The older bundle.", show_default=False)],
    new: Annotated[Path, typer.Argument(help="The newer bundle.", show_default=False)],
    as_json: JsonFlag = False,
    no_solve: Annotated[
        bool, typer.Option("--no-solve", help="Solve nothing again: the rows alone say what moved the choice.")
    ] = False,
) -> None:
    """Say what is different between two bundles, and which figure, limit or field moved the choice.

    Example: dse diff old.zip new.zip
    """
    from dse import api

    found = api.diff_bundles(old, new, solve=not no_solve)
    if as_json:
        typer.echo(json.dumps(found.data, indent=2, ensure_ascii=False))
    else:
        from dse.report.bundled import show_diff

        show_diff(found.data, console())
