"""``dse init`` and ``dse schema``: a problem file to start from, and its JSON Schema for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import EXIT_INPUT, remark


def init(
    target: Annotated[Path, typer.Argument(help="File to write.")] = Path("problem.yaml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
) -> None:
    """Write a commented starter problem.

    Example: dse init camera.yaml
    """
    from dse.problem.starter import STARTER

    if target.exists() and not force:
        remark(f"error: {target} exists; --force overwrites it")
        raise typer.Exit(EXIT_INPUT)
    target.write_text(STARTER, encoding="utf-8")
    remark(f"wrote {target}; next: dse solve {target}")


def schema() -> None:
    """Print the JSON Schema of problem files, for editors.

    Example: dse schema > problem.schema.json
    """
    import json

    from dse.problem.starter import json_schema

    typer.echo(json.dumps(json_schema(), indent=2))
