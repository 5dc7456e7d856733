"""``dse catalog check`` and ``dse catalog coverage``: doubts about the catalogue, and how much it covers."""

from __future__ import annotations

from typing import Annotated

import typer

from dse.cli.common import EXIT_INPUT, CatalogDirs, JsonFlag, remark, roots, say_if_rebuilt, show_rows


def check(
    explained: Annotated[bool, typer.Option("--explained", help="Show explained findings too, with reasons.")] = False,
    as_json: JsonFlag = False,
    catalog: CatalogDirs = None,
) -> None:
    """Doubt every figure: named rules over all files; exit code 2 when a finding stands unexplained.

    Example: dse catalog check --catalog mine
    """
    from dse.audit.check import RULES, check
    from dse.audit.finding import rule_name
    from dse.catalog.paths import shipped_root

    report = check((shipped_root(), *roots(catalog)))
    if as_json:
        import json
        from dataclasses import asdict

        found = {
            "open": [asdict(finding) for finding in report.open],
            "explained": [{**asdict(finding), "reason": reason} for finding, reason in report.explained],
            "rules": {rule_name(rule): (rule.__doc__ or "").splitlines()[0] for rule in RULES},
        }
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        show_rows([["rule", "open", "explained"], *([name, *counts] for name, counts in report.counts.items())])
        for finding in report.open:
            typer.echo(str(finding))
        for finding, reason in report.explained if explained else ():
            typer.echo(f"{finding} (explained: {reason})")
    if report.open:
        remark(
            f"{len(report.open)} findings stand unexplained: correct the figures, or give the reason in explained.csv"
        )
        raise typer.Exit(EXIT_INPUT)
    if not as_json:
        typer.echo(f"sound: {len(RULES)} rules, nothing unexplained")


def coverage(as_json: JsonFlag = False, catalog: CatalogDirs = None) -> None:
    """Count what the catalogue covers: chips by task, sourced and confirmed figures, power and prices.

    Example: dse catalog coverage --json
    """
    from dse.api import knowledge_of
    from dse.audit.coverage import coverage

    found = coverage(knowledge_of(roots(catalog)).catalog)
    say_if_rebuilt(roots(catalog))
    if as_json:
        import json

        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    from dse.report.coverage import matrix_rows, summary_rows

    show_rows(summary_rows(found))
    typer.echo("")
    show_rows(matrix_rows(found))
