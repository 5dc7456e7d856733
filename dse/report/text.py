"""An answer in the terminal: numbers to the width of their interval, one table of designs, the worst case in parts."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

JsonObject = dict[str, Any]
STATUS_STYLE = {"optimal": "bold green", "feasible": "bold yellow", "infeasible": "bold red", "unknown": "bold red"}
UNKNOWN_TEXT = "unknown"


def show_answer(data: JsonObject, console: Console) -> None:
    """Print an answer."""
    console.print(Text(data["headline"], style="dim"))
    status = Text(data["status"], style=STATUS_STYLE[data["status"]])
    name = data["problem"]["name"] or data["problem"]["file"]
    scope = "" if data["scope"] == "end-to-end" else " — network only: capture, decode, resize and post-processing not counted"
    label = f" ({data['label']})" if data["label"] else ""
    console.print(Text.assemble((name, "bold"), ": ", status, label, scope))
    if data["assignments"]:
        console.print(_designs(data))
        console.print(_parts(data["assignments"][0]))
        for line in _why(data):
            console.print(Text(line))
    else:
        console.print(_killed(data))
    for item in data["conditional"]:
        console.print(Text(f"if: {item['text']}", style="cyan"))
    if data["baseline"]:
        console.print(Text(_baseline(data["baseline"])))
    for line in data["proof"]:
        console.print(Text(f"proof: {line}", style="green"))


def number(value: float | None, unit: str = "", digits: int = 3) -> str:
    """A figure at `digits` significant digits; unknown stays a word."""
    if value is None:
        return UNKNOWN_TEXT
    if value == 0:
        return f"0 {unit}".strip()
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{round(value, decimals):,.{min(decimals, 4)}f} {unit}".strip()


def interval(value: float | None, low: float | None, high: float | None, unit: str = "") -> str:
    """``≈ 14 (9–23) ms``: no more digits than the interval supports."""
    if value is None or low is None or high is None:
        return UNKNOWN_TEXT
    if high - low < 0.02 * abs(value):
        return number(value, unit)
    return f"≈ {number(value, digits=2)} ({number(low, digits=2)}–{number(high, digits=2)}) {unit}".strip()


def design_rows(data: JsonObject) -> list[JsonObject]:
    """The winner and the alternatives as flat rows."""
    rows = []
    if data["assignments"]:
        a, device = data["assignments"][0], data["devices"][0]
        rows.append({"chip": device["chip"], "mode": device["mode"], "model": a["model"], "weights": a["weights"],
                     "input_h": a["input_h"], "input_w": a["input_w"], "precision": a["precision"], "batch": a["batch"], "unit": a["unit"],
                     "runtime": a["runtime"], "accuracy": a["accuracy"], "worst_case_ms": a["latency"]["worst_case_ms"],
                     "power_w": device["power_w"], "price_usd": device["price_usd"],
                     "utilization": a["rate"]["utilization"], "grade": a["latency"]["grade"]})
    keys = list(rows[0]) if rows else []
    return rows + [{key: other[key] for key in keys} for other in data["alternatives"]]


def _designs(data: JsonObject) -> RenderableType:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column, justify in (("", "left"), ("chip", "left"), ("network", "left"), ("runs as", "left"), ("accuracy", "right"),
                            ("worst case", "right"), ("load", "right"), ("power", "right"), ("price", "right"), ("grade", "left")):
        table.add_column(column, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for k, row in enumerate(design_rows(data)):
        size = f"@{row['input_h']}" if row["input_h"] else ""
        mode = "" if row["mode"] in ("default", "") else f" {row['mode']}"
        table.add_row("→" if k == 0 else str(k + 1), escape(row["chip"] + mode), escape(f"{row['model']}{size} ({row['weights'] or 'no tag'})"),
                      escape(f"{row['precision']} b{row['batch']} {row['unit']} {row['runtime']}"), number(row["accuracy"]),
                      number(row["worst_case_ms"], "ms"), f"{100 * row['utilization']:.0f} %", number(row["power_w"], "W"),
                      number(row["price_usd"], "$"), row["grade"], style="bold" if k == 0 else "")
    return table


def _parts(assignment: JsonObject) -> RenderableType:
    latency = assignment["latency"]
    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    for column, justify in (("stage", "left"), ("part", "left"), ("ms", "right")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for part in latency["parts"]:
        table.add_row(escape(part["stage"]), part["part"].replace("_", " "), f"{part['ms']:.3f}")
    worst = number(latency["worst_case_ms"], "ms", 4)
    deadline = "no deadline" if latency["deadline_ms"] is None else f"deadline {latency['deadline_ms']:g} ms, slack {number(latency['slack_ms'], 'ms')}"
    title = Text(f"worst case {worst} ({latency['realtime_class']}), {deadline}", style="bold")
    return Group(title, table)


def _why(data: JsonObject) -> list[str]:
    a, device, latency = data["assignments"][0], data["devices"][0], data["assignments"][0]["latency"]
    time = interval(latency["typical_ms"], latency["low_ms"], latency["high_ms"], "ms")
    stall = "unknown" if latency["stall_ms"] is None else f"{latency['stall_ms']:g} ms"
    lines = [
        f"network time {time} at the {latency['boundary']}, grade {latency['grade']}: {latency['basis']}",
        f"guard × {latency['guard_factor']:g}, tail × {latency['tail_factor']:g} ({latency['tail_class']}, grade {latency['tail_grade']}), "
        f"longest stall seen on this class {stall} (not in the bound unless guard.tail: max)",
        f"accuracy {interval(a['accuracy'], a['accuracy_low'], a['accuracy_high'])} {a['metric']} on {a['dataset']}, grade {a['accuracy_grade']}: "
        f"{a['accuracy_basis']}",
        f"power {number(device['power_w'], 'W')}: {device['power_basis']} ({device['power_boundary'] or 'boundary not known'}), grade {device['power_grade']}; "
        f"price {number(device['price_usd'], 'USD')}: {device['price'] or 'nobody published one'}",
        f"bottleneck: {data['bottleneck']['stage']} on {data['bottleneck']['resource']}, {100 * data['bottleneck']['utilization']:.0f} % loaded; "
        f"rate {number(a['rate']['capacity_hz'], '/s')} of {number(a['rate']['required_hz'], '/s')} asked",
    ]
    lines += [f"flagged: {name} is unknown" for name in a["flagged_unknown"]]
    return lines


def _killed(data: JsonObject) -> RenderableType:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("limit", "candidates it refuses", "refused by nothing else"):
        table.add_column(column, justify="left" if column == "limit" else "right")
    for name, counts in sorted(data["killed_by"].items(), key=lambda item: -item[1]["candidates"]):
        table.add_row(escape(name), f"{counts['candidates']:,}", f"{counts['alone']:,}")
    return Group(Text("no design meets every limit:"), table)


def _baseline(baseline: JsonObject) -> str:
    if not baseline["found"]:
        return f"baseline: {baseline['text']}"
    broken = f"; breaks {', '.join(baseline['violated'])}" if baseline["violated"] else "; meets every limit"
    return (f"baseline: {baseline['model']} on {baseline['chip']}: worst case {number(baseline['worst_case_ms'], 'ms')}, "
            f"accuracy {number(baseline['accuracy'])}{broken}")
