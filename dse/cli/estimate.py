"""``dse estimate``: the time of pairs nobody measured, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.common import CatalogDirs, remark, roots, say_if_rebuilt


def estimate(
    pairs: Annotated[
        Path,
        typer.Argument(
            help="Pairs (CSV) in the columns of measurements; chip, model, precision are needed.", show_default=False
        ),
    ],
    csv: Annotated[Path, typer.Option("--csv", help="CSV file to write.", show_default=False)],
    law: Annotated[
        bool, typer.Option("--law", help="Add what each estimate uses of the rated compute and bandwidth.")
    ] = False,
    catalog: CatalogDirs = None,
) -> None:
    """Estimate the time of networks on chips: one row out per row in, in the same order.

    Adds time_ms_per_item, low_ms and high_ms (90 %), grade, level and basis. Figures are empty where dse refuses, and
    the basis says why.

    Example: dse estimate pairs.csv --csv estimates.csv
    """
    from dse.estimation import read_pairs, write_estimates

    rows = read_pairs(pairs)  # what is wrong with the file is said before a catalogue is compiled
    say_if_rebuilt(roots(catalog))
    counts = write_estimates(rows, csv, roots(catalog), law=law)
    listed = ", ".join(f"{count} {level}" for level, count in counts.items())
    remark(f"wrote {sum(counts.values())} rows to {csv}{f' ({listed})' if listed else ''}")
