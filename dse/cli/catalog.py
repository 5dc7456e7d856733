"""``dse catalog``: what exists, and every figure of one thing with its source."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from dse.cli import audit
from dse.cli.add_measurements import add_measurements
from dse.cli.add_model import add_model
from dse.cli.common import EXIT_INPUT, CatalogDirs, JsonFlag, remark, roots, say_if_rebuilt, show_rows

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Look into the catalogues of chips, networks and measurements."
)

app.command("check")(audit.check)
app.command("coverage")(audit.coverage)
app.command("add-measurements")(add_measurements)
app.command("add-model")(add_model)


class What(StrEnum):
    """Kinds of thing the catalogue lists."""

    CHIPS = "chips"
    BOARDS = "boards"
    MODELS = "models"
    TASKS = "tasks"
    DATASETS = "datasets"
    RUNTIMES = "runtimes"
    VENDORS = "vendors"


@app.command("list")
def list_(
    what: Annotated[What, typer.Argument(help="What to list.", show_default=False)],
    as_json: JsonFlag = False,
    catalog: CatalogDirs = None,
) -> None:
    """List what the catalogue holds.

    Example: dse catalog list chips
    """
    from dse.api import knowledge_of
    from dse.report.listing import listing

    rows = listing(knowledge_of(roots(catalog)).catalog, what.value)
    say_if_rebuilt(roots(catalog))
    if as_json:
        import json

        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    show_rows([list(rows[0]), *([*row.values()] for row in rows)] if rows else [["nothing"]])


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="Id of a chip, a board or a model.", show_default=False)],
    measurements: Annotated[
        str | None,
        typer.Option(help="Show its measurements instead: pattern of models of a chip, or chips of a model."),
    ] = None,
    as_json: JsonFlag = False,
    catalog: CatalogDirs = None,
) -> None:
    """Show every figure of a chip, board or model with its source and how sure it is.

    Example: dse catalog show rk3588 --measurements "yolo*"
    """
    from dse.api import knowledge_of
    from dse.patterns import name_hint
    from dse.report.detail import details, names

    held = knowledge_of(roots(catalog)).catalog
    say_if_rebuilt(roots(catalog))
    found = details(held, name, measurements)
    if found is None:
        hint = name_hint(name, names(held)) or "see `dse catalog list chips`, boards and `dse catalog list models`"
        remark(f"error: nothing is called `{name}` ({hint})")
        raise typer.Exit(EXIT_INPUT)
    if as_json:
        import json

        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    rows = [
        [row["figure"], "unknown" if row["value"] is None else row["value"], row["grade"], row["source"]]
        for row in found
    ]
    show_rows([["figure", "value", "grade", "source"], *rows])
