"""A budget in the terminal: the two sides of the time, then work, families and chips, then what binds."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dse.report.budget import BINDS, JsonObject
from dse.report.budget_words import (
    batch_cells,
    burst_words,
    deadline_words,
    family_cells,
    gain_words,
    one_bit_words,
    rate_words,
    reach_words,
    tier_words,
    work_cells,
)
from dse.report.text import number

MEANS_A_LINE = 2
SHOWN_FAMILIES = 24
NOTHING = "→ nothing is left for the network: no design on one server can do this"


def show_budget(data: JsonObject, console: Console) -> None:
    """Print the budget of every task, and what tasks share."""
    for task in data["tasks"]:
        _show_task(task, data, console)
    for line in _shared(data):
        console.print(Text(line))


def _show_task(task: JsonObject, data: JsonObject, console: Console) -> None:
    times = task["times"]
    name = data["problem"]["name"] or data["problem"]["file"]
    console.print(Text.assemble((f"{name}: ", "bold"), (times["task"], "bold"), ", one inference at a time"))
    for line in (*rate_words(times), *deadline_words(times), *burst_words(times)):
        console.print(Text(line))
    if times["network_ms"] <= 0:
        console.print(Text(f"{NOTHING}; {BINDS[times['binds']]} binds", style="bold red"))
        return
    slowest = f"→ {times['network_ms']:.3f} ms for the slowest run of the network: {BINDS[times['binds']]} binds"
    console.print(Text(slowest, style="bold"))
    _show_means(task["means"], console)
    _show_batches(times["batches"], console)
    _show_work(task, console)
    _show_families(task, console)
    for line in gain_words(task):
        console.print(Text(line, style="bold"))
    console.print(Text(one_bit_words(task["reach"])))
    for line in reach_words(task):
        console.print(Text(line))


def _show_means(means: list[JsonObject], console: Console) -> None:
    console.print(Text("mean time that leaves, by class of unit (its slow runs take × so much)"))
    cells = []
    for mean in means:
        value = mean["mean_ms"]
        time = "unknown" if value is None else f"{value:.3f} ms" if value > 0 else "nothing"
        cells.append(f"{mean['tail_class']:<14}{time} (× {mean['factor']:g})")
    for k in range(0, len(cells), MEANS_A_LINE):
        console.print(Text("  " + "".join(f"{cell:<39}" for cell in cells[k : k + MEANS_A_LINE]).rstrip()))


def _show_batches(batches: list[JsonObject], console: Console) -> None:
    if not batches:
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("a whole batch of", "by rate", "by deadline", "if the first waits for the last"):
        table.add_column(name, justify="right", no_wrap=True)
    for batch in batches:
        table.add_row(*(Text(cell) for cell in batch_cells(batch)))
    console.print(table)


def _show_work(task: JsonObject, console: Console) -> None:
    console.print(Text("work in that time: as measured runs use a unit (90 %), and at most as rated"))
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    for name, left in (("unit", True), ("TOPS", False), ("GMAC/s", False), ("MAC", False), ("at most", False)):
        table.add_column(name, justify="left" if left else "right", no_wrap=True)
    table.add_column("MB", justify="right", no_wrap=True)
    for work in task["works"]:
        table.add_row(*(Text(cell) for cell in work_cells(work)))
    console.print(table)


def _show_families(task: JsonObject, console: Console) -> None:
    minimum = task["min_accuracy"]
    asked = "" if minimum is None else f"; asked for: {number(minimum)}"
    console.print(Text(f"families by work alone: best {task['metric']} on {task['dataset']} that fits{asked}"))
    for tier in task["tiers"]:
        console.print(Text(f"  {tier_words(tier)}"))
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("family", no_wrap=True)
    table.add_column("from MAC", justify="right", no_wrap=True)
    for tier in task["tiers"]:
        table.add_column(tier["name"], no_wrap=True)
    table.add_column("chips", justify="right", no_wrap=True)
    for family in task["families"][:SHOWN_FAMILIES]:
        table.add_row(*(Text(cell) for cell in family_cells(family, task)))
    console.print(table)
    if len(task["families"]) > SHOWN_FAMILIES:
        console.print(Text(f"  {len(task['families']) - SHOWN_FAMILIES} more families: --json"))
    console.print(Text("  ? only where a unit is used as well as the best 5 %; chips: with a run in time", style="dim"))


def _shared(data: JsonObject) -> list[str]:
    lines = []
    if (shared := data["together"]) is not None:
        parts = " + ".join(f"{task['times']['items_per_s']:,.10g}·t({task['times']['task']})" for task in data["tasks"])
        lines.append(f"all tasks on one server, times in ms: {parts} ≤ {1000 * shared['cap']:,.10g}")
        lines.append(f"  with equal times {shared['each_ms']:.3f} ms each, slowest runs")
    for chain in data["chains"]:
        left = f"{chain['left_ms']:.3f} ms are left" if chain["left_ms"] > 0 else "nothing is left"
        lines.append(f"chain {chain['name']}: {left} for all networks and queues of {' → '.join(chain['tasks'])}")
    return lines
