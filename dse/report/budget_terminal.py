"""A budget in the terminal: the two sides of the time, then work, families and chips, then what binds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dse.report import budget_families as of_families
from dse.report import budget_work as of_work
from dse.report.budget import BINDS
from dse.report.budget_figures import time, wrapped
from dse.report.budget_words import burst_words, deadline_words, one_bit_words, rate_words, reach_words
from dse.report.text import JsonObject

MEAN_WIDTH = 39
SHOWN_FAMILIES = 24
NOTHING = "→ nothing is left for the network: no design on one server can do this"
LEFT = ("unit", "family")


def show_budget(data: JsonObject, console: Console) -> None:
    """Print the budget of every task, and what tasks share, as wide as the console is."""
    for task in data["tasks"]:
        _show_task(task, data, console)
    _lines(_shared(data), console)


def _show_task(task: JsonObject, data: JsonObject, console: Console) -> None:
    times = task["times"]
    name = data["problem"]["name"] or data["problem"]["file"]
    console.print(Text.assemble((f"{name}: ", "bold"), (times["task"], "bold"), ", one inference at a time"))
    _lines((*rate_words(times), *deadline_words(times), *burst_words(times)), console)
    if times["network_ms"] <= 0:
        _lines([f"{NOTHING}; {BINDS[times['binds']]} binds"], console, style="bold red")
        return
    slowest = f"→ {time(times['network_ms'])} for the slowest run of the network: {BINDS[times['binds']]} binds"
    _lines([slowest], console, style="bold")
    _show_means(task["means"], console)
    _show_batches(times["batches"], console)
    _lines(of_work.work_words(task["works"]), console)
    _show_table(of_work.WORK_COLUMNS, [of_work.work_cells(work) for work in task["works"]], console)
    _show_families(task, console)
    _lines(of_families.gain_words(task), console, style="bold")
    _lines([one_bit_words(task["reach"]), *reach_words(task, several=len(data["tasks"]) > 1)], console)


def _show_means(means: list[JsonObject], console: Console) -> None:
    _lines(["mean time that leaves, by class of unit (its slow runs take × so much)"], console)
    cells, a_line = of_work.mean_cells(means), max(1, (console.width - 2) // MEAN_WIDTH)
    for k in range(0, len(cells), a_line):
        console.print(Text("  " + "".join(f"{cell:<{MEAN_WIDTH}}" for cell in cells[k : k + a_line]).rstrip()))


def _show_batches(batches: list[JsonObject], console: Console) -> None:
    if batches:
        _show_table(of_work.BATCH_COLUMNS, [of_work.batch_cells(batch) for batch in batches], console, apart=2)
        _lines([f"  {of_work.BATCH_WORDS}"], console, style="dim")


def _show_families(task: JsonObject, console: Console) -> None:
    _lines(of_families.heading(task), console)
    _lines([f"  {of_families.tier_words(tier)}" for tier in task["tiers"]], console)
    shown, tiers = task["families"][:SHOWN_FAMILIES], [tier["name"] for tier in task["tiers"]]
    if shown:
        rows = of_families.family_rows(shown, task, console.width)
        _show_table(("family", "from MAC", *tiers, "chips"), rows, console, left=(*LEFT, *tiers))
    if len(task["families"]) > SHOWN_FAMILIES:
        _lines([f"  {len(task['families']) - SHOWN_FAMILIES} more families: --json"], console)
    _lines([of_families.legend(task)], console, style="dim")


def _show_table(
    columns: Sequence[str],
    rows: list[list[str]],
    console: Console,
    *,
    left: tuple[str, ...] = LEFT,
    apart: int = 1,
) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, apart, 0, 0))
    for name in columns:
        table.add_column(name, justify="left" if name in left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _lines(lines: Iterable[str], console: Console, style: str = "") -> None:
    """Lines broken where words and parts of a path end."""
    for line in lines:
        for part in wrapped(line, console.width):
            console.print(Text(part, style=style))


def _shared(data: JsonObject) -> list[str]:
    lines = []
    if (shared := data["together"]) is not None:
        parts = " + ".join(f"{task['times']['items_per_s']:,.10g}·t({task['times']['task']})" for task in data["tasks"])
        lines.append(f"all tasks on one server, times in ms: {parts} ≤ {1000 * shared['cap']:,.10g}")
        lines.append(f"  with equal times {time(shared['each_ms'])} each, slowest runs")
    for chain in data["chains"]:
        left = f"{time(chain['left_ms'])} are left" if chain["left_ms"] > 0 else "nothing is left"
        lines.append(f"chain {chain['name']}: {left} for all networks and queues of {' → '.join(chain['tasks'])}")
    return lines
