"""``dse verify``: whether a bundle is as it was written, and the same when it is worked out again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import EXIT_INPUT, EXIT_STOPPED, JsonFlag, SolverThreads, console

EXIT_OF_OUTCOME = {"same": 0, "altered": EXIT_INPUT, "other version": EXIT_STOPPED}


def verify(
    bundle: Annotated[Path, typer.Argument(help="Bundle that `--bundle` wrote.", show_default=False)],
    as_json: JsonFlag = False,
    workers: SolverThreads = None,
) -> None:
    """Check every byte of a bundle: hashes, and the answer worked out again; 2: altered, 4: of another version.

    Example: dse verify answer.zip
    """
    from dse import api

    checked = api.verify_bundle(bundle, workers=workers or os.cpu_count() or 1)
    if as_json:
        typer.echo(json.dumps(checked.data, indent=2, ensure_ascii=False))
    else:
        from dse.report.bundled import show_verified

        show_verified(checked.data, console())
    raise typer.Exit(EXIT_OF_OUTCOME[checked.outcome])
