"""A sweep in the terminal: what was counted, then a line per point with a mark where another design wins."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from dse.report.text import number

JsonObject = dict[str, Any]
MARK = "→"
LEGEND = f"{MARK} another design wins than at the last point with one"


def show_swept(data: JsonObject, console: Console) -> None:
    """Print a sweep."""
    console.print(Text(headline(data), style="bold"))
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("")
    differ = _last_names_differ(data)
    for path in data["fields"]:
        table.add_column(escape(path.rpartition(".")[2] if differ else path), overflow="fold")
    table.add_column("design", overflow="fold")
    for name in ("accuracy", "worst ms", "W", "$"):
        table.add_column(name, justify="right", overflow="fold", min_width=6)
    for point in data["points"]:
        mark = MARK if point["winner_changes"] else ""
        varied = [_value(point["changes"].get(path)) for path in data["fields"]]
        style = "" if point["tasks"] else "dim"
        table.add_row(mark, *map(escape, varied), *map(escape, _design(point)), style=style)
    console.print(table)
    if data["counts"]["winner_changes"]:
        console.print(Text(LEGEND))


def headline(data: JsonObject) -> str:
    """The first line: points, those with a design, and how often the winner changes."""
    counts = data["counts"]
    name = data["problem"]["name"] or data["problem"]["file"]
    words = {"infeasible": "infeasible", "unknown": "stopped without an answer"}
    parts = [f"{counts['points']:,} point{'s' * (counts['points'] != 1)}", f"{counts['with_design']:,} with a design"]
    parts += [f"{counts[status]:,} {text}" for status, text in words.items() if counts[status]]
    parts.append(f"the winner changes at {counts['winner_changes']:,}")
    return f"{name}: {', '.join(parts)}"


def _last_names_differ(data: JsonObject) -> bool:
    """Whether the fields can be told apart by their last names."""
    last = [path.rpartition(".")[2] for path in data["fields"]]
    return len(set(last)) == len(last)


def _value(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _design(point: JsonObject) -> list[str]:
    """What it is, and four figures; of several tasks joined by a plus sign in their order."""
    if not point["tasks"]:
        return [f"{point['status']}: {point['reason']}", "", "", "", ""]
    device, tasks = point["device"], list(point["tasks"].values())
    mode = "" if device["mode"] in ("default", "") else f" {device['mode']}"
    board = f" on {device['board']}" if device["board"] else ""
    proven = "" if point["status"] == "optimal" else f" ({point['status']}, not proven the best)"
    return [
        f"{device['chip']}{mode}{board} · {' + '.join(map(_network, tasks))}{proven}",
        " + ".join(number(one["accuracy"]) for one in tasks),
        " + ".join(number(one["worst_case_ms"]) for one in tasks),
        _short(device["power_w"]),
        _short(device["price_usd"]),
    ]


def _network(one: JsonObject) -> str:
    size = f"@{one['input_h']}" if one["input_h"] else ""
    batch = "" if one["batch"] == 1 else f" batch {one['batch']}"
    return f"{one['model']}{size} {one['precision']}{batch} on {one['unit']}"


def _short(value: float | None) -> str:
    return "?" if value is None else number(value)
