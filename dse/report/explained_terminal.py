"""An explanation in the terminal: what clashes and what has to give, or what the choice hangs on."""

from __future__ import annotations

import textwrap
from typing import Any

from rich.console import Console
from rich.text import Text

from dse.report.compare_words import design_words
from dse.report.explained_limits import plain
from dse.report.text import LATENCY_WORDS, STATUS_STYLE, number

JsonObject = dict[str, Any]
SHOWN = 8
"""Clashes, misses and unknown figures shown, the first ones."""


def show_explanation(data: JsonObject, console: Console) -> None:
    """Print an explanation."""
    console.print(Text(data["headline"], style="dim"))
    status = Text(data["status"], style=STATUS_STYLE[data["status"]])
    label = "" if data["feasible"] is None else f" ({data['feasible']['label']})"
    console.print(Text.assemble((data["problem"]["name"] or data["problem"]["file"], "bold"), ": ", status, label))
    if data["infeasible"] is not None:
        _show_infeasible(data["infeasible"], console)
    if data["feasible"] is not None:
        _show_choice(data["feasible"], console)
    if data["remedies"]:
        _title(console, "usual remedies, each alone")
        for one in data["remedies"]:
            assumed = f"; assumed: {one['assumption']}" if one["assumption"] else ""
            _say(console, f"{one['text']}{assumed}", style="" if one["applies"] else "dim")
    for chip in data["chips"]:
        _title(console, chip["text"])
        for limit in chip["limits"]:
            _say(console, limit["text"], style="" if limit["met"] else "bold")
    for what, names in (
        ("left out by the search (search.chips)", data["chips_not_searched"]),
        ("more fit the pattern, not shown", data["chips_not_shown"]),
    ):
        if names:
            _say(console, f"{len(names)} {what}: {', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''}")


def _show_choice(found: JsonObject, console: Console) -> None:
    winner = found["winner"]
    console.print(Text(f"→ {design_words(winner | {'host': None})}", style="bold"))
    worst = number(winner["worst_case_ms"], "ms")
    figures = f"accuracy {number(winner['accuracy'])}, {LATENCY_WORDS[winner['guarantee']]} {worst}"
    _say(console, f"{figures}, power {number(winner['power_w'], 'W')}, price {number(winner['price_usd'], 'USD')}")
    _title(console, "each limit alone: over which values this design stays first")
    for one in found["limits"]:
        _say(console, one["text"] + ("; binding" if one["binding"] else ""), style="bold" if one["binding"] else "")
        for step in one["steps"]:
            _say(console, f"at {plain(step['value'])}: {_step(step['design'])}", deeper=4)
    for one in found["demands"]:
        _say(console, one["text"])
    if found["overlap_readings"]:
        _title(console, "what the stated overlap may mean")
        _lines(console, [one["text"] for one in found["overlap_readings"]])
    bottleneck = found["bottleneck"]
    load = f"{100 * bottleneck['utilization']:.0f} %"
    console.print(Text(f"bottleneck: {bottleneck['stage']} on {bottleneck['resource']}, {load}; {bottleneck['text']}"))
    if found["runner_up"] is not None:
        other = found["runner_up"]
        differs = ", ".join(one["text"] for one in other["differences"]) or "alike in every objective"
        console.print(Text(f"best on another chip: {design_words(other['design'] | {'host': None})}: {differs}"))
    else:
        console.print(Text("best on another chip: there is none that is feasible"))
    for item in found["conditional"]:
        console.print(Text(f"if: {item['text']}", style="cyan"))


def _step(design: JsonObject) -> str:
    return f"accuracy {number(design['accuracy'], digits=4)}, {design['chip']} with {design['model']}"


def _title(console: Console, text: str) -> None:
    console.print(Text(text, style="bold"))


def _lines(console: Console, lines: list[str]) -> None:
    for line in lines[:SHOWN]:
        _say(console, line)
    if len(lines) > SHOWN:
        _say(console, f"and {len(lines) - SHOWN} more: --json has them all")


def _say(console: Console, line: str, *, style: str = "", deeper: int = 0) -> None:
    """One line below a title, its continuation set in further."""
    indent = " " * (4 + deeper)
    wrapped = textwrap.wrap(
        line,
        console.width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    console.print(Text("\n".join(wrapped), style=style), soft_wrap=True)


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
        cheapest = found["cheapest"]
        kept = [f"{one['keeps']} kept: {_together(one)}" for one in cheapest["keeping"]]
        _lines(console, [_together(cheapest), *kept])
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
    lines = dict.fromkeys(place for place in one["places"] if place)
    where = f" ({', '.join(lines)})" if lines else ""
    if one["follows_rate"]:
        return f"{one['text']}{where}"
    if one["sharpness"] is None:
        return f"{one['text']}{where}; no number resolves it"
    changes = ", ".join(change["text"] for change in one["resolved_by"])
    return f"{one['text']}{where}; all else aside it takes {changes} ({100 * one['sharpness']:.3g} %)"


def _together(one: JsonObject) -> str:
    return f"{one['text']} ({100 * one['total_share']:.3g} % in sum){_design(one)}"


def _design(one: JsonObject) -> str:
    return "" if not one["design"] else f": {design_words(one['design'] | {'host': None})}"


def _miss(one: JsonObject) -> str:
    why = "; ".join(item["text"] for item in (*one["breaks"], *one["lacks"]))
    return f"{design_words(one | {'host': None})}: {why}"
