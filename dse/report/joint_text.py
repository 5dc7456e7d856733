"""An answer for several tasks in the terminal: the device, then each task with its worst case in parts."""

from __future__ import annotations

from typing import Any

from rich.console import Console, Group, RenderableType
from rich.text import Text

from dse.report.saturation import saturation_line
from dse.report.text import accuracy_line, number, parts_table, power_line, temperature_line, time_lines

JsonObject = dict[str, Any]


def show_designs(data: JsonObject, console: Console) -> None:
    """Print what was chosen and what came next."""
    device = data["devices"][0]
    console.print(Text(f"→ {_device(device)}", style="bold"))
    loads = data["bottleneck"]
    console.print(Text(f"    {_totals(device, loads['utilization'], _longest(data))}"))
    for one in data["assignments"]:
        console.print(Text(f"    {one['task']}: {_network(one)}", style="bold"))
    for k, other in enumerate(data["alternatives"]):
        console.print(Text(f"{k + 2} {_device(other)}"))
        console.print(Text(f"    {_totals(other, other['utilization'], other['worst_case_ms'])}"))
        for one in other["tasks"]:
            console.print(Text(f"    {one['task']}: {_network(one)}"))
    for one in data["assignments"]:
        console.print(_task(one))
    for chain in data["chains"]:
        worst, slack = number(chain["worst_case_ms"], "ms", 4), number(chain["slack_ms"], "ms")
        line = f"chain {chain['name']} ({' → '.join(chain['tasks'])}): worst case {worst}, deadline "
        console.print(Text(f"{line}{chain['deadline_ms']:g} ms, slack {slack}", style="bold"))
    for line in [power_line(device), *temperature_line(device), *_bottleneck(data)]:
        console.print(Text(line))
    for name in sorted({name for one in data["assignments"] for name in one["flagged_unknown"]}):
        console.print(Text(f"flagged: {name} is unknown"))


def joint_rows(data: JsonObject) -> list[JsonObject]:
    """The winner and the alternatives as flat rows, one per task of each design."""
    designs: list[tuple[JsonObject, list[JsonObject]]] = []
    if data["assignments"]:
        device = data["devices"][0] | {"utilization": data["bottleneck"]["utilization"]}
        own = [one | {"worst_case_ms": one["latency"]["worst_case_ms"], "grade": one["latency"]["grade"]}
               for one in data["assignments"]]  # fmt: skip
        designs.append((device, own))
    designs += [(other, other["tasks"]) for other in data["alternatives"]]
    of_device = ("chip", "board", "mode", "power_w", "price_usd", "utilization")
    of_task = ("task", "model", "weights", "input_h", "input_w", "precision", "batch", "unit", "runtime", "accuracy",
               "worst_case_ms", "grade")  # fmt: skip
    return [
        {"design": k + 1, **{name: device[name] for name in of_device}, **{name: one[name] for name in of_task}}
        for k, (device, tasks) in enumerate(designs)
        for one in tasks
    ]


def _device(device: JsonObject) -> str:
    mode = "" if device["mode"] in ("default", "") else f" {device['mode']}"
    return f"{device['chip']}{mode}{' on ' + device['board'] if device['board'] else ''}"


def _totals(device: JsonObject, load: float, worst: float | None) -> str:
    power, price = number(device["power_w"], "W"), number(device["price_usd"], "$")
    longest = number(worst, "ms")
    return f"longest worst case {longest}  busiest resource {100 * load:.0f} %  power {power}  price {price}"


def _longest(data: JsonObject) -> float:
    return max(float(one["latency"]["worst_case_ms"]) for one in data["assignments"])


def _network(one: JsonObject) -> str:
    size = f"@{one['input_h']}" if one["input_h"] else ""
    batch = "" if one["batch"] == 1 else f" batch {one['batch']}"
    how = f"{one['precision']}{batch} on {one['unit']}, {one['runtime']}"
    grade = one["latency"]["grade"] if "latency" in one else one["grade"]
    network = f"{one['model']}{size} [{one['weights'] or 'no tag'}]"
    return f"{network} · {how} · accuracy {number(one['accuracy'])} · grade {grade}"


def _task(one: JsonObject) -> RenderableType:
    latency = one["latency"]
    worst, alone = number(latency["worst_case_ms"], "ms", 4), number(latency["worst_case_alone_ms"], "ms", 4)
    deadline = "no deadline" if latency["deadline_ms"] is None else f"deadline {latency['deadline_ms']:g} ms"
    slack = "" if latency["slack_ms"] is None else f", slack {number(latency['slack_ms'], 'ms')}"
    head = f"{one['task']}: worst case {worst} ({latency['realtime_class']}) from {latency['counted_from']}, {deadline}"
    lines = [Text(line) for line in [*time_lines(latency), accuracy_line(one)]]
    return Group(Text(f"{head}{slack}; alone {alone}", style="bold"), parts_table(latency["parts"]), *lines)


def _bottleneck(data: JsonObject) -> list[str]:
    bottleneck = data["bottleneck"]
    others = [f"{one['resource']} {100 * one['utilization']:.0f} %" for one in bottleneck["loads"]
              if one["resource"] != bottleneck["resource"]]  # fmt: skip
    beside = f"; beside it {', '.join(others)}" if others else ""
    load = f"{100 * bottleneck['utilization']:.0f} % loaded"
    line = f"bottleneck: {bottleneck['stage']} on {bottleneck['resource']}, {load}{beside}"
    return [line, *saturation_line(data)]
