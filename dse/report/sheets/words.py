"""What the summary of a workbook says in words: the question, the choice, a design in one line."""

from __future__ import annotations

from typing import Any

from dse.report.sheets.cells import NOTHING
from dse.report.sheets.columns import title_of, unit_of

JsonObject = dict[str, Any]
_STATUS = {
    "optimal": "the best, proven",
    "feasible": "the best that was found; that nothing is better is not proven",
    "infeasible": "no chip meets every limit, proven",
    "unknown": "no design was found in the time given; whether there is one is not known",
}
_SENSES = {"maximize": "highest", "minimize": "lowest"}


def asked_lines(comparison: JsonObject) -> list[tuple[str, str]]:
    """Label and text of what was asked."""
    asked, at = comparison["procurement"], comparison["at"]
    bought = (
        f"quantity {asked['quantity']:,}, spares {asked['spares']:,}, years {asked['years']:g}, "
        f"{asked['hours_per_day']:g} h a day, {asked['energy_usd_per_kwh']:g} USD/kWh, "
        f"discount {100 * asked['discount_rate']:g} % a year, engineering {asked['engineering_usd']:,.2f} USD, "
        f"streams of one system {asked['streams']:,}"
    )
    goals = ", then ".join(_goal(goal) for goal in comparison["objectives"])
    limits = "; ".join(f"{_plain(limit['name'])} {limit['text']}" for limit in comparison["limits"])
    return [
        ("File and task", f"{comparison['problem']['file']}: {comparison['task']}"),
        ("Guarantee", f"{comparison['guarantee']}, {comparison['scope']}"),
        ("Compared at", at["text"]),
        ("Limits", limits or "none"),
        ("Order", goals or "none"),
        ("Accuracy", f"{comparison['metric']} on {comparison['dataset']}"),
        ("Bought and run", bought + " (as asked; the sheet of assumptions may have been changed since)"),
    ]


def winner_lines(comparison: JsonObject) -> list[tuple[str, str]]:
    """Label and text of what is chosen, and why."""
    rows = [row for row in comparison["rows"] if row["kind"] == "design"]
    by_rank = {row["rank"]: row for row in rows if row["rank"] is not None}
    lines: list[tuple[str, str]] = [("Outcome", _STATUS.get(comparison["status"], str(comparison["status"])))]
    first, second = by_rank.get(1), by_rank.get(2)
    if first is None:
        nearest = next((row for row in rows if row["breaks"]), None)
        if nearest is not None:
            lines.append(("Nearest", f"{nearest['chip']}: {standing_words(nearest)}"))
        return lines
    lines += [
        ("Chip", f"{first['chip']}: {first['name']}, {first['vendor']}"),
        ("Design", design_words(first)),
        ("How sure", _sure(first)),
    ]
    figures = [_figure(goal["name"], first, second) for goal in comparison["objectives"]]
    told = "; ".join(figure for figure in figures if figure)
    lines.append(("Why", f"first by {_order(comparison)}" + (f": {told}" if told else "")))
    if second is not None:
        lines.append(("Next", f"{second['chip']}: {design_words(second)}"))
    if first["wins_at_text"]:
        lines.append(("Margin", str(first["wins_at_text"])))
    if comparison.get("scoring"):
        lines.append(("By weighed figures", str(comparison["scoring"]["winner"])))
    return [*lines, ("Proven", "; ".join(comparison["proof"]) or "nothing")]


def design_words(row: JsonObject) -> str:
    """A design in one line: network, precision, and on what it runs."""
    if row["model"] is None:
        return NOTHING
    sizes = sorted({row["input_h"], row["input_w"]} - {None})
    network = row["model"] + (f"@{'×'.join(map(str, sizes))}" if sizes else "")
    batch = "" if row["batch"] == 1 else f"batch {row['batch']}"
    board = row["board"] or "no board"
    parts = (f"{network} [{row['weights']}]", row["precision"], batch, f"{row['unit']} in {row['mode']}", board)
    host = f"host {row['host']}" if row["host"] else ""
    return ", ".join(part for part in (*parts, host) if part)


def standing_words(row: JsonObject) -> str:
    """What a row fails or lacks, else why it is there, and when it would win."""
    said = [one["text"] for one in (*row["breaks"], *row["lacks"])] or [row["reason"]]
    return "; ".join(str(text) for text in (*said, row["wins_at_text"]) if text) or NOTHING


def _goal(goal: JsonObject) -> str:
    within = f" ({goal['within']:g} counts as equal)" if goal["within"] else ""
    return f"{_SENSES.get(goal['sense'], goal['sense'])} {_plain(goal['name'])}{within}"


def _order(comparison: JsonObject) -> str:
    return ", then ".join(_plain(goal["name"]) for goal in comparison["objectives"]) or "name"


def _figure(name: str, first: JsonObject, second: JsonObject | None) -> str:
    """``power of one system 25 W against 40 W``, where the objective is a figure of the rows."""
    name = name.removeprefix("result.")
    values = [row.get(name) for row in (first, second) if row is not None]
    if not isinstance(values[0], int | float):
        return ""
    unit = unit_of(name)
    said = [_number(name, value) if isinstance(value, int | float) else "unknown" for value in values]
    return f"{_plain(name)} {' against '.join(said)}{f' {unit}' if unit and not unit.startswith('%') else ''}"


def _number(name: str, value: float) -> str:
    return f"{100 * value:g} %" if unit_of(name).startswith("%") else f"{value:g}"


def _sure(row: JsonObject) -> str:
    label = row["label"] or "feasible"
    if row["weakest_grade"] is None:
        return label
    return f"{label}; weakest of the figures that decide: {row['weakest_figure']}, grade {row['weakest_grade']}"


def _plain(name: str) -> str:
    """A quantity in words without its unit; a limit or attribute that is no column as it is."""
    name = name.removeprefix("result.")
    if "." in name:
        return name
    title = title_of(name).split(" (")[0]
    return title[0].lower() + title[1:]
