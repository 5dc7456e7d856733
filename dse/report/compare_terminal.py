"""A comparison in the terminal: three lines a design, one for every chip that fails, and counts of the rest."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.text import Text

from dse.report.compare_words import (
    IN_USE,
    SHOWN_MISSES,
    JsonObject,
    asked_words,
    baseline_row,
    cost_words,
    design_words,
    grade_words,
    latency_words,
    of_status,
    power_words,
    price_words,
    score_words,
    share_words,
    tornado_words,
    why_words,
)
from dse.report.text import STATUS_STYLE, number
from dse.report.words import counted

WIDTHS = (13, 34, 16)


def show_comparison(data: JsonObject, console: Console) -> None:
    """Print the comparison of every problem, and whether one chip is enough for all of them."""
    for comparison in data["comparisons"]:
        _show_one(comparison, console)
    if data["line"] is not None:
        console.print(Text(f"product line: {data['line']['text']}", style="bold"))


def _show_one(comparison: JsonObject, console: Console) -> None:
    console.print(Text(comparison["headline"], style="dim"))
    status = Text(comparison["status"], style=STATUS_STYLE[comparison["status"]])
    name = comparison["problem"]["name"] or comparison["problem"]["file"]
    scope = "" if comparison["scope"] == "end-to-end" else " — network only"
    console.print(Text.assemble((name, "bold"), ": ", status, scope))
    console.print(Text(f"at {comparison['at']['mode']}: {comparison['at']['text']}"))
    console.print(Text(asked_words(comparison)))
    for row in of_status(comparison, "feasible"):
        _show_design(row, comparison, console)
    if (used := baseline_row(comparison)) is not None:
        _show_baseline(used, comparison, console)
    for row in of_status(comparison, "unknown"):
        console.print(Text(f"? {design_words(row)}: {why_words(row)}" + _wins(row), style="cyan"))
    failing = of_status(comparison, "fails")
    for row in failing[:SHOWN_MISSES]:
        console.print(Text(f"✗ {row['chip']}: {why_words(row, short=True)}" + _wins(row)))
    if len(failing) > SHOWN_MISSES:
        console.print(
            Text(f"✗ {len(failing) - SHOWN_MISSES} more fail a limit by more: --csv, --md and --html say by how much")
        )
    for reason, count in Counter(row["reason"] for row in of_status(comparison, "no design")).most_common():
        console.print(Text(counted(count, f"chips without a design: {reason}"), style="dim"))
    for text in (*score_words(comparison["scoring"]), *tornado_words(comparison["tornado"])):
        console.print(Text(text))
    for line in comparison["proof"]:
        console.print(Text(f"proof: {line}", style="green"))


def _show_design(row: JsonObject, comparison: JsonObject, console: Console) -> None:
    first = row["rank"] == 1
    style = "bold" if first else ""
    mark = "→" if first else row["rank"]
    console.print(Text(f"{mark} {design_words(row)} · {grade_words(row)}", style=style))
    console.print(Text("    " + _figures(row, comparison["guarantee"])))
    console.print(Text("    " + _bought(row, comparison)))
    if row["differs_in"]:
        console.print(Text(f"    not alike: {'; '.join(row['differs_in'])}", style="yellow"))
    if row["wins_at_text"]:
        console.print(Text(f"    {row['wins_at_text']}"))


def _figures(row: JsonObject, guarantee: str) -> str:
    cells = (f"accuracy {number(row['accuracy'])}", latency_words(row, guarantee), power_words(row))
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()


def _bought(row: JsonObject, comparison: JsonObject) -> str:
    cost = cost_words(row, comparison["procurement"])
    price = price_words(row, comparison["procurement"]["quantity"])
    return f"headroom {share_words(row['rate_headroom'])}  {price}; {cost}"


def _show_baseline(row: JsonObject, comparison: JsonObject, console: Console) -> None:
    if row["model"] is None:
        console.print(Text(f"{IN_USE}: {row['reason']}"))
        return
    console.print(Text(f"{IN_USE}: {design_words(row)} · {grade_words(row)}"))
    console.print(Text("    " + _figures(row, comparison["guarantee"])))
    owned = "paid for already; " if row["reason"] == "owned" else ""
    console.print(Text(f"    {owned}{_bought(row, comparison)}"))
    console.print(Text(f"    {why_words(row) if row['breaks'] or row['lacks'] else 'meets every limit'}"))


def _wins(row: JsonObject) -> str:
    text = row["wins_at_text"]
    return f" → {text}" if text and row["wins_at_price_usd"] is not None else ""
