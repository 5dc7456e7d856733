"""An answer in the terminal: numbers to the width of their interval, one table of designs, the worst case in parts."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from dse.report.saturation import saturation_line
from dse.report.words import counted

JsonObject = dict[str, Any]
STATUS_STYLE = {"optimal": "bold green", "feasible": "bold yellow", "infeasible": "bold red", "unknown": "bold red"}
UNKNOWN_TEXT = "unknown"
HOST_NOT_IN_IT = " (the host's share is not in it)"
LATENCY_WORDS = {"worst-case": "worst case", "p99": "p99 (an estimate)"}
WIDTHS = (13, 19, 9, 14, 13)  # of the figures below each design


def show_answer(data: JsonObject, console: Console) -> None:
    """Print an answer."""
    console.print(Text(data["headline"], style="dim"))
    status = Text(data["status"], style=STATUS_STYLE[data["status"]])
    name = data["problem"]["name"] or data["problem"]["file"]
    scope = (
        ""
        if data["scope"] == "end-to-end"
        else " — network only: capture, decode, resize and post-processing not counted"
    )
    label = f" ({data['label']})" if data["label"] else ""
    console.print(Text.assemble((name, "bold"), ": ", status, label, scope))
    if len(data["assignments"]) > 1:
        from dse.report.joint_text import show_designs

        show_designs(data, console)
    elif data["assignments"]:
        console.print(_designs(data))
        console.print(_parts(data["assignments"][0]))
        for line in _why(data):
            console.print(Text(line))
    elif data["status"] == "infeasible":
        console.print(_killed(data))
    else:
        console.print(Text("stopped before a design was found; nothing is proven either way: give it more time"))
    for item in data["conditional"]:
        console.print(Text(f"if: {item['text']}", style="cyan"))
    if data["baseline"]:
        console.print(Text(_baseline(data["baseline"])))
    for line in data["proof"]:
        console.print(Text(f"proof: {line}", style="green"))
    if data.get("clash"):
        console.print(Text(f"clash: {data['clash']['text']}", style="bold"))
        console.print(Text(f"{data['clash']['relaxation']}; more: dse explain {data['problem']['file']}"))


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
    """The winner and the alternatives as flat rows; of several tasks one row each."""
    if len(data["assignments"]) > 1:
        from dse.report.joint_text import joint_rows

        return joint_rows(data)
    rows = []
    if data["assignments"]:
        a, device = data["assignments"][0], data["devices"][0]
        rows.append(
            {
                "chip": device["chip"],
                "board": device["board"],
                "mode": device["mode"],
                "model": a["model"],
                "weights": a["weights"],
                "input_h": a["input_h"],
                "input_w": a["input_w"],
                "precision": a["precision"],
                "batch": a["batch"],
                "unit": a["unit"],
                "runtime": a["runtime"],
                "accuracy": a["accuracy"],
                "worst_case_ms": a["latency"]["worst_case_ms"],
                "power_w": device["power_w"],
                "price_usd": device["price_usd"],
                "utilization": a["rate"]["utilization"],
                "grade": a["latency"]["grade"],
            }
        )
    keys = list(rows[0]) if rows else []
    return rows + [{key: other[key] for key in keys} for other in data["alternatives"]]


def _designs(data: JsonObject) -> RenderableType:
    """Two lines a design, so that nothing is cut in a narrow terminal: what it is, and its figures in columns."""
    lines: list[RenderableType] = []
    latency = LATENCY_WORDS[data["assignments"][0]["latency"]["guarantee"]]
    for k, row in enumerate(design_rows(data)):
        size = f"@{row['input_h']}" if row["input_h"] else ""
        mode = "" if row["mode"] in ("default", "") else f" {row['mode']}"
        batch = "" if row["batch"] == 1 else f" batch {row['batch']}"
        board = f" on {row['board']}" if row["board"] else ""
        what = f"{row['chip']}{mode}{board} · {row['model']}{size} [{row['weights'] or 'no tag'}]"
        how = f"{row['precision']}{batch} on {row['unit']}, {row['runtime']}"
        style = "bold" if k == 0 else ""
        lines.append(Text(f"{'→' if k == 0 else k + 1} {what} · {how} · grade {row['grade']}", style=style))
        figures = (
            f"accuracy {number(row['accuracy'])}",
            f"{latency} {number(row['worst_case_ms'], 'ms')}",
            f"load {100 * row['utilization']:.0f} %",
            f"power {number(row['power_w'], 'W')}",
            f"price {number(row['price_usd'], '$')}",
        )
        padded = [f"{figure:<{width}}" for figure, width in zip(figures, WIDTHS, strict=True)]
        lines.append(Text("    " + "  ".join(padded).rstrip()))
    return Group(*lines)


def _parts(assignment: JsonObject) -> RenderableType:
    latency = assignment["latency"]
    word = LATENCY_WORDS[latency["guarantee"]]
    worst = f"{word} {number(latency['worst_case_ms'], 'ms', 4)}"
    deadline, slack = latency["deadline_ms"], number(latency["slack_ms"], "ms")
    against = "no deadline" if deadline is None else f"deadline {deadline:g} ms, slack {slack}"
    head = Text(f"{worst} ({latency['realtime_class']}), {against}", style="bold")
    largest = [Text(line) for line in _largest_line(latency["largest_part"], word)]
    return Group(head, parts_table(latency["parts"]), *largest)


def parts_table(parts: list[JsonObject]) -> Table:
    """The worst case in parts."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("stage")
    table.add_column("part")
    table.add_column("ms", justify="right")
    for part in parts:
        table.add_row(escape(part["stage"]), part["part"].replace("_", " "), f"{part['ms']:.3f}")
    return table


def _why(data: JsonObject) -> list[str]:
    """Where each figure of the winner comes from, one line each."""
    a, bottleneck = data["assignments"][0], data["bottleneck"]
    rate = f"{number(a['rate']['capacity_hz'], '/s')} of {number(a['rate']['required_hz'], '/s')} asked"
    load = f"{100 * bottleneck['utilization']:.0f} % loaded"
    lines = [
        *time_lines(a["latency"]),
        accuracy_line(a),
        power_line(data["devices"][0]),
        *temperature_line(data["devices"][0]),
        f"bottleneck: {bottleneck['stage']} on {bottleneck['resource']}, {load}; rate {rate}",
        *_idle_line(bottleneck),
        *saturation_line(data),
    ]
    return lines + [f"flagged: {name} is unknown" for name in a["flagged_unknown"]]


def _idle_line(bottleneck: JsonObject) -> list[str]:
    """What has time left while another resource than the network's is full; nothing where the network's is."""
    network = bottleneck["loads"][0]
    return [] if network["stage"] == bottleneck["stage"] else [f"loads: {bottleneck['text']}"]


def _largest_line(largest: JsonObject | None, whole: str) -> list[str]:
    """The part that makes up most of the latency, and whether a faster chip would shorten it."""
    if largest is None:
        return []
    share = f"{100 * largest['share']:.0f} % of the {whole}"
    helps = "" if largest["depends_on_chip"] else ": a faster chip does not help"
    return [f"largest part: {largest['stage']} {largest['part'].replace('_', ' ')}, {share}{helps}"]


def time_lines(latency: JsonObject) -> list[str]:
    """The network's time with its evidence, and what the worst case makes of it."""
    time = interval(latency["typical_ms"], latency["low_ms"], latency["high_ms"], "ms")
    stall = "unknown" if latency["stall_ms"] is None else f"{latency['stall_ms']:g} ms"
    tail = f"tail × {latency['tail_factor']:g} ({latency['tail_class']}, grade {latency['tail_grade']})"
    lacks_host = latency["boundary"] == "chip" and not latency["covers_boundary"]
    where = _boundary(latency["boundary"]) + (HOST_NOT_IN_IT if lacks_host else "")
    return [
        f"network time {time}, {where}, grade {latency['grade']}: {latency['basis']}",
        *_other_readings(latency["readings"], LATENCY_WORDS[latency["guarantee"]]),
        f"guard × {latency['guard_factor']:g}, {tail}; longest stall seen on this class: {stall}",
    ]


def _other_readings(readings: list[JsonObject], word: str) -> list[str]:
    """What the same run took with the clock elsewhere, one line each."""
    deciding = next((one["boundary"] for one in readings if one["decides"]), None)
    return [
        f"measured {_boundary(one['boundary'])} as well: {number(one['time_ms'], 'ms')}, {word} "
        f"{number(one['worst_case_ms'], 'ms')}{HOST_NOT_IN_IT if one['boundary'] == 'chip' else ''}; "
        f"{_boundary(deciding)} decides"
        for one in readings
        if deciding is not None and not one["decides"]
    ]


def _boundary(word: str) -> str:
    """Where the clock started and stopped."""
    return "boundary not stated" if word == "unknown" else f"at the {word}"


def accuracy_line(a: JsonObject) -> str:
    """The accuracy, its interval and where it comes from."""
    accuracy = interval(a["accuracy"], a["accuracy_low"], a["accuracy_high"])
    return f"accuracy {accuracy} {a['metric']} on {a['dataset']}, grade {a['accuracy_grade']}: {a['accuracy_basis']}"


def temperature_line(device: JsonObject) -> list[str]:
    """The range of temperatures, where it is known."""
    t = device["temperature"]
    if t["min_c"] is None or t["max_c"] is None:
        return []
    at = t["at"] or "reference point not stated"
    return [f"temperature {t['min_c']:g} to {t['max_c']:g} °C ({at})"]


def power_line(device: JsonObject) -> str:
    """Power and price, each with its grade and source."""
    covers = device["power_boundary"] or "boundary not known"
    basis = f"{number(device['power_w'], 'W')}, grade {device['power_grade']}: {device['power_basis']} ({covers})"
    power = "power unknown" if device["power_w"] is None else f"power {basis}"
    price = "price unknown" if device["price_usd"] is None else f"price {number(device['price_usd'], 'USD')}"
    return f"{power}; {price}" + (f": {device['price']}" if device["price"] else "")


def _killed(data: JsonObject) -> RenderableType:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("requirement", "candidates it refuses", "refused by nothing else"):
        table.add_column(column, justify="left" if column == "requirement" else "right")
    for name, counts in sorted(data["killed_by"].items(), key=lambda item: -item[1]["candidates"]):
        table.add_row(escape(name), f"{counts['candidates']:,}", f"{counts['alone']:,}")
    lines = [f"left out: {counted(count, reason)}" for reason, count in data["dropped"].items()]
    lines += [
        f"overloaded: {stage['stage']} on {stage['resource']} needs {100 * stage['utilization']:.0f} % of its time"
        + (f", and that is the least: on {stage['chip']}" if "chip" in stage else "")
        for stage in data["overloaded"]
    ]
    if data["search"].get("combinations"):
        devices = len(data["search"]["devices"])
        lines.append(f"{counted(devices, 'devices')} with rows of every task; each task alone fits, together none does")
    for miss in data["nearest_misses"]:
        if "text" in miss:
            lines.append(f"near miss: {miss['text']}")
            continue
        worst = f"{LATENCY_WORDS[miss['guarantee']]} {number(miss['worst_case_ms'], 'ms')}"
        lines.append(f"near miss: {miss['chip']} with {miss['model']}, {worst}")
        lines += [f"    {line}" for line in _other_readings(miss["readings"], LATENCY_WORDS[miss["guarantee"]])]
    lines += [
        f"does not fit one memory region: {one['model']} on {one['board'] or one['chip']}, {one['content']} of "
        f"{one['needed_bytes']:,} B in {one['region']} of {one['region_bytes']:,} B: {one['over_bytes']:,} B over"
        for one in data["misfits"]
    ]
    head = (
        [Text("no design meets every requirement:"), table] if data["killed_by"] else [Text("there is no candidate:")]
    )
    return Group(*head, *[Text(line) for line in lines])


def _baseline(baseline: JsonObject) -> str:
    if not baseline["found"]:
        return f"baseline: {baseline['text']}"
    broken = f"; breaks {', '.join(baseline['violated'])}" if baseline["violated"] else "; meets every limit"
    bounded = baseline["worst_case_ms"] is not None
    word = LATENCY_WORDS[baseline["guarantee"]]
    worst = f"{word} {number(baseline['worst_case_ms'], 'ms')}" if bounded else "cannot keep up, so no bound"
    what = f"{baseline['model']} on {baseline['chip']}"
    if baseline.get("alone"):
        what += f" for {baseline['task']} alone, the other tasks left out"
    return f"baseline: {what}: {worst}, accuracy {number(baseline['accuracy'])}{broken}"
