"""A sweep in the terminal: what was counted, then a line per point with a mark where another design wins."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from dse.report.text import number
from dse.report.words import BETWEEN

JsonObject = dict[str, Any]
MARK = "→"
LEGEND = f"{MARK} another design wins than at the nearest point before that has one"
ALONG = " (in a grid: along the last field, else along the one before it)"


def show_swept(data: JsonObject, console: Console) -> None:
    """Print a sweep."""
    console.print(Text(headline(data), style="bold"))
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("")
    differ = _last_names_differ(data)
    for path in data["fields"]:
        table.add_column(escape(path.rpartition(".")[2] if differ else path), overflow="fold")
    table.add_column("design", overflow="fold")
    for name in ("accuracy", "worst ms", *(escape(f"{chain} ms") for chain in data["chains"]), "W", "$"):
        table.add_column(name, justify="right", overflow="fold", min_width=6)
    for point in data["points"]:
        mark = MARK if point["winner_changes"] else ""
        varied = [_value(point["values"][path]) for path in data["fields"]]
        style = "" if point["tasks"] else "dim"
        table.add_row(mark, *map(escape, varied), *map(escape, _design(point, data["chains"])), style=style)
    console.print(table)
    if data["counts"]["winner_changes"]:
        console.print(Text(LEGEND + ALONG * (len(data["fields"]) > 1)))
    for name, count in _flagged(data).items():
        console.print(Text(f"{name} is unknown and passes at {_counted(count, 'point')}"))


def headline(data: JsonObject) -> str:
    """The first line: how many points, how many with a design, how many designs, and how often another one wins."""
    counts = data["counts"]
    name = data["problem"]["name"] or data["problem"]["file"]
    words = {"infeasible": "infeasible", "unknown": "stopped without an answer"}
    parts = [_counted(counts["points"], "point"), f"{counts['with_design']:,} with a design"]
    parts += [f"{counts[status]:,} {text}" for status, text in words.items() if counts[status]]
    line = f"{name}: {', '.join(parts)}"
    if counts["designs"] == 1:
        line += "; 1 design wins"
    elif counts["designs"]:
        changes = counts["winner_changes"]
        line += f"; {counts['designs']:,} different designs win"
        line += f", another design than before at {_counted(changes, 'point')}" if changes else ""
    return line


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _flagged(data: JsonObject) -> Counter[str]:
    """Limits that are passed only because a figure is unknown, with the number of points."""
    found: Counter[str] = Counter()
    for point in data["points"]:
        cells = (one["flagged"] for one in point["tasks"].values())
        names = [name for cell in cells if cell for name in cell.split(BETWEEN)]
        found.update(list(dict.fromkeys(names)))  # a point counts once
    return found


def _last_names_differ(data: JsonObject) -> bool:
    """Whether the fields can be told apart by their last names."""
    last = [path.rpartition(".")[2] for path in data["fields"]]
    return len(set(last)) == len(last)


def _value(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _design(point: JsonObject, chains: list[str]) -> list[str]:
    """What it is, and its figures; of several tasks joined by a plus sign in their order."""
    if not point["tasks"]:
        return [f"{point['status']}: {point['reason']}", *[""] * (4 + len(chains))]
    device, tasks = point["device"], list(point["tasks"].values())
    mode = "" if device["mode"] in ("default", "") else f" {device['mode']}"
    board = f" on {device['board']}" if device["board"] else ""
    proven = "" if point["status"] == "optimal" else f" ({point['status']}, not proven the best)"
    return [
        f"{device['chip']}{mode}{board} · {' + '.join(map(_network, tasks))}{proven}",
        " + ".join(number(one["accuracy"]) for one in tasks),
        " + ".join(number(one["worst_case_ms"]) for one in tasks),
        *(_short(point["chains"][name]["worst_case_ms"]) if name in point["chains"] else "" for name in chains),
        _short(device["power_w"]),
        _short(device["price_usd"]),
    ]


def _network(one: JsonObject) -> str:
    size = f"@{one['input_h']}" if one["input_h"] else ""
    batch = "" if one["batch"] == 1 else f" batch {one['batch']}"
    return f"{one['model']}{size} {one['precision']}{batch} on {one['unit']}"


def _short(value: float | None) -> str:
    return "?" if value is None else number(value)
