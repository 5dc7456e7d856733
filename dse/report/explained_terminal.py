"""An explanation in the terminal: what clashes and what has to give, or what the choice hangs on."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from dse.report.compare_words import design_words
from dse.report.explained_limits import plain
from dse.report.text import STATUS_STYLE

JsonObject = dict[str, Any]
SHOWN = 8
"""Clashes, misses and unknown figures shown, the first ones."""


def show_explanation(data: JsonObject, console: Console) -> None:
    """Print an explanation."""
    console.print(Text(data["headline"], style="dim"))
    status = Text(data["status"], style=STATUS_STYLE[data["status"]])
    console.print(Text.assemble((data["problem"]["name"] or data["problem"]["file"], "bold"), ": ", status))
    if data["infeasible"] is not None:
        _show_infeasible(data["infeasible"], console)


def _title(console: Console, text: str) -> None:
    console.print(Text(text, style="bold"))


def _lines(console: Console, lines: list[str], more: str = "") -> None:
    for line in lines[:SHOWN]:
        console.print(Text(f"    {line}"))
    if len(lines) > SHOWN:
        console.print(Text(f"    and {len(lines) - SHOWN} more{more}: --json has them all"))


def _show_infeasible(found: JsonObject, console: Console) -> None:
    if found["text"]:
        console.print(Text(found["text"]))
    if found["contradictions"]:
        _title(console, "contradictory by construction")
        _lines(console, [one["text"] for one in found["contradictions"]])
    if found["clashes"]:
        every = "all sets" if found["complete"] else f"the first {len(found['clashes'])} sets"
        _title(console, f"limits that clash, {every}, sharpest first")
        _lines(console, [_clash(one) for one in found["clashes"]])
    _title(console, "each limit alone")
    alone = [one["text"] + _design(one) for one in found["relaxations"]]
    _lines(console, alone or ["no single one relaxed would do"])
    if found["cheapest"]:
        _title(console, "least in all")
        share = f"{100 * found['cheapest']['total_share']:.3g} % in sum"
        _lines(console, [f"{found['cheapest']['text']} ({share}){_design(found['cheapest'])}"])
    if found["if_known"]:
        _title(console, "unknown figures that would decide")
        _lines(console, [one["text"] for one in found["if_known"]])
    if found["limits"]:
        _title(console, "candidates each limit refuses, and refuses as the last")
        _lines(
            console, [f"{one['text']}: {one['candidates']:,}, {one['alone']:,}{_place(one)}" for one in found["limits"]]
        )
    if found["nearest_misses"]:
        _title(console, "nearest misses, one a chip")
        _lines(console, [_miss(one) for one in found["nearest_misses"]])


def _place(one: JsonObject) -> str:
    return f" ({one['place']})" if one["place"] else ""


def _clash(one: JsonObject) -> str:
    lines = sorted({place for place in one["places"] if place})
    where = f" ({', '.join(lines)})" if lines else ""
    if one["follows_rate"]:
        return f"{one['text']}{where}"
    sharpness = one["sharpness"]
    by = "no number resolves it" if sharpness is None else f"resolved by {100 * sharpness:.3g} %"
    return f"{one['text']}{where}; {by}"


def _design(one: JsonObject) -> str:
    return "" if not one["design"] else f": {design_words(one['design'] | {'host': None})}"


def _miss(one: JsonObject) -> str:
    why = "; ".join(item["text"] for item in (*one["breaks"], *one["lacks"]))
    return f"{design_words(one | {'host': None})}: {why}"


def share_text(value: float | None, unit: str) -> str:
    """A figure with its unit; unknown stays a word."""
    return "unknown" if value is None else f"{plain(value)} {unit}".strip()
