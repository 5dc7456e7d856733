"""Questions in the terminal: whom to ask, of what, what is known, and what it would change."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.text import Text

from dse.report.compare_words import JsonObject, network_words
from dse.report.text import interval, number

TITLES = {"vendor": "ask the vendor", "measure": "measure"}


def show_questions(found: JsonObject, console: Console) -> None:
    """Print the questions about a problem, those of one design together."""
    winner = found["winner"] or "nothing is chosen yet"
    console.print(Text.assemble((found["problem"] or "problem", "bold"), f": {found['status']}, {winner}"))
    if not found["questions"]:
        console.print(Text("nothing that is unknown or estimated could change the choice"))
    for (whom, where, why), rows in groupby(found["questions"], key=_design):
        console.print(Text(f"{TITLES[whom]}: {where}", style="bold" if where.startswith(str(found["winner"])) else ""))
        for row in rows:
            console.print(Text(f"    {row['figure']}: {_known(row)}{_wanted(row)}"))
        console.print(Text(f"    {why}"))


def _design(row: JsonObject) -> tuple[str, str, str]:
    mode = "" if row["mode"] in (None, "", "default") else f" {row['mode']}"
    board = f" on {row['board']}" if row["board"] else ""
    run = "" if row["ask"] == "vendor" else f" · {network_words(row)} · {row['precision']} on {row['unit']}"
    return row["ask"], f"{row['chip']}{mode}{board}{run}", row["why"]


def _known(row: JsonObject) -> str:
    if row["known"] is None:
        return "unknown"
    unit = {"metric points": "points"}.get(row["figure_unit"] or "", row["figure_unit"] or "")
    figure = number(row["known"], unit) if row["low"] is None else interval(row["known"], row["low"], row["high"], unit)
    return f"{figure}" + (f", grade {row['grade']}" if row["grade"] else "")


def _wanted(row: JsonObject) -> str:
    wins = "" if row["wins_at_most"] is None else f"; decides up to {row['wins_at_most']:g}"
    return (f"; asked {row['must']}" if row["must"] and row["figure"] != "network_ms" else "") + wins
