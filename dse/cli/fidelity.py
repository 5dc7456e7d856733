"""``dse fidelity``: how good the estimates are, on measurements they have not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.common import EXIT_INPUT, EXIT_INTERNAL, CatalogDirs, JsonFlag, remark, roots, show_rows

if TYPE_CHECKING:
    import pandas as pd

    from dse.fidelity.decisions import Decisions

TESTS = "pair, model, few, chip"


def fidelity(
    test: Annotated[
        list[str] | None,
        typer.Option(
            "--test", help=f"Which of {TESTS} to run; may be repeated. Default: pair and model.", show_default=False
        ),
    ] = None,
    chips: Annotated[
        int | None, typer.Option("--chips", min=1, help="Leave out only so many chips in turn.", show_default=False)
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", help="CSV file to write the scores to.", show_default=False)
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", help="Recorded scores; ends with 1 if one is more than 10 % worse.", show_default=False
        ),
    ] = None,
    as_json: JsonFlag = False,
    catalog: CatalogDirs = None,
) -> None:
    """Hold measurements back, estimate them from the others, and compare.

    Pairs of chip and network, whole networks, whole chips, and chips of which one, three or ten networks are known;
    with what the default guard decides in 500 random problems, and beside three baselines.

    Example: dse fidelity --test pair --test chip --chips 10
    """
    from dse.api import knowledge_of
    from dse.fidelity.report import compare, table
    from dse.heldout.rows import measured_rows
    from dse.heldout.run import TESTS as KNOWN
    from dse.heldout.run import Trial, splits
    from dse.report import fidelity as words

    wanted = test or ["pair", "model"]
    unknown = sorted(set(wanted) - set(KNOWN))
    if unknown:
        remark(f"error: --test: found `{unknown[0]}`, expected one of {TESTS}")
        raise typer.Exit(EXIT_INPUT)
    recorded = None
    if against is not None:
        recorded = _recorded(against)
    rows = measured_rows(knowledge_of(roots(catalog)).catalog)
    trial = Trial(rows)
    parts = splits(rows.frame, wanted, chips)
    for k, split in enumerate(parts):
        remark(f"{k + 1} of {len(parts)}: {split.name} {split.part}".rstrip())
        trial.add(split)
    scored, decisions = table(trial.judged), trial.decisions()
    if as_json:
        import json

        text = {
            "scores": json.loads(scored.to_json(orient="records")),
            "decisions": {
                name: {"no_guard": _known(plain), "default_guard": _known(guarded)}
                for name, (plain, guarded) in decisions.items()
            },
        }
        typer.echo(json.dumps(text, indent=2))
    else:
        for found in (words.score_rows(scored), words.baseline_rows(scored), words.decision_rows(decisions)):
            show_rows(found)
            typer.echo("")
    if record is not None:
        scored.round(6).to_csv(record, index=False, lineterminator="\n")
        remark(f"wrote {len(scored)} rows to {record}")
    if recorded is not None:
        worse = compare(recorded[recorded["split"].isin(set(scored["split"]))], scored)
        missing = sorted(set(scored["split"]) - set(recorded["split"]))
        for line in [f"{split}: no score of it is in {against}" for split in missing] + words.worse_lines(worse):
            remark(f"worse: {line}")
        if worse or missing:
            raise typer.Exit(EXIT_INTERNAL)
        remark(f"no score is more than 10 % worse than in {against}")


def _known(found: Decisions) -> dict[str, float | None]:
    """Figures by name; what has none is null in JSON."""
    return {name: None if value != value else value for name, value in vars(found).items()}  # noqa: PLR0124


def _recorded(file: Path) -> pd.DataFrame:
    """A table that --record wrote."""
    import pandas as pd

    from dse.errors import Fault, InputError

    needed = {"split", "group", "method", "median_ape", "factor90", "answered"}
    try:
        table = pd.read_csv(file)
    except (ValueError, UnicodeDecodeError) as error:
        reason = f"is no table of scores: {str(error).splitlines()[0]}"
        raise InputError([Fault(str(file), 0, 0, "", reason, "write one with `--record`")]) from None
    lacking = sorted(needed - set(table.columns))
    if lacking:
        reason = f"lacks the columns {', '.join(lacking)}"
        raise InputError([Fault(str(file), 1, 1, "", reason, "write one with `--record`")])
    return table
