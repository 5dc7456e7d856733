"""``dse quotes``: writes a form for suppliers, and says what the filled-in one changes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dse.cli.common import CatalogDirs, JsonFlag, ProblemFile, remark, roots, show_rows, write_template

USED = ("item", "supplier", "mpn", "price_usd", "list_price_usd", "quantity_from", "lead_time_weeks", "valid_until",
        "place")  # fmt: skip


def quotes(
    problem_file: ProblemFile,
    template: Annotated[
        Path | None,
        typer.Option("--template", help="Write a form (CSV) with what the problem may buy.", show_default=False),
    ] = None,
    as_json: JsonFlag = False,
    catalog: CatalogDirs = None,
) -> None:
    """Check the quotations a problem names: which counts for each item, and why others do not.

    Example: dse quotes problem.yaml --template quotes.csv
    """
    from dse import quotation

    if template is not None:
        text, count = quotation.template(problem_file, roots(catalog))
        write_template(template, text)
        typer.echo(f"wrote {template}: {count} items; `procurement: {{quotes: FILE}}` in the problem names the file")
        return
    found = quotation.read(problem_file, roots(catalog))
    if as_json:
        import json

        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    if found["file"] is None:
        remark("the problem names no quotations: `procurement: {quotes: FILE.csv}`; --template writes a form")
        return
    as_of = "no day is asked for" if found["as_of"] is None else f"valid on {found['as_of']}"
    typer.echo(f"{found['file']}: for {found['quantity']:,} pieces, {as_of}: {len(found['used'])} used")
    _show([*USED], found["used"])
    if found["unused"]:
        typer.echo(f"\n{len(found['unused'])} not used")
        _show(["item", "supplier", "place", "reason"], found["unused"])


def _show(names: list[str], rows: list[dict[str, Any]]) -> None:
    if rows:
        show_rows([names, *(["" if row[name] is None else row[name] for name in names] for row in rows)])
