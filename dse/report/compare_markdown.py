"""A comparison as Markdown, to be pasted where decisions are discussed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dse.report.compare_words import (
    IN_USE,
    JsonObject,
    asked_words,
    baseline_row,
    design_words,
    money_words,
    network_words,
    of_status,
    power_words,
    price_words,
    score_words,
    share_words,
    tornado_words,
    why_words,
)
from dse.report.text import LATENCY_WORDS, UNKNOWN_TEXT, number

MOST_EVIDENCE = 400
"""Rows of evidence a Markdown file still shows; the CSV has all."""


def markdown_of(data: JsonObject) -> str:
    """The whole comparison as Markdown; the same data gives the same text."""
    lines: list[str] = []
    if data["line"] is not None:
        lines += ["# Product line", "", _safe(data["line"]["text"]), "", *_line_table(data["line"]), ""]
    for comparison in data["comparisons"]:
        lines += _one(comparison)
    lines += _evidence(data["evidence"], data["comparisons"])
    versions = data["versions"]
    lines += ["---", "", f"dse {versions['dse']}, ortools {versions['ortools']}, catalogue `{versions['catalogue']}`"]
    return "\n".join(lines) + "\n"


def write_markdown(data: JsonObject, target: Path) -> None:
    """Write it, whole or not at all."""
    from dse.report.table import whole_file

    with whole_file(target) as file:
        file.write(markdown_of(data).encode("utf-8", "replace"))


def _one(comparison: JsonObject) -> Iterator[str]:
    yield from (f"# {_safe(comparison['problem']['name'] or comparison['problem']['file'])}", "")
    yield from (_safe(comparison["headline"]), "")
    yield f"- **{comparison['status']}**, at {comparison['at']['mode']}: {_safe(comparison['at']['text'])}"
    limits = "; ".join(f"{one['name']} {one['text']}" for one in comparison["limits"])
    yield f"- asked: {_safe(limits)}"
    yield from (f"- bought: {asked_words(comparison)}", "")
    rows = [*of_status(comparison, "feasible")]
    if (used := baseline_row(comparison)) is not None:
        rows.append(used)
    if rows:
        yield from (*_table(_HEADER, [_cells(row, comparison) for row in rows]), "")
    for title, status in (("Lack a figure", "unknown"), ("Fail a limit", "fails"), ("Nothing known", "no design")):
        listed = of_status(comparison, status)
        if listed:
            yield from (f"## {title}: {len(listed)}", "")
            cells = [[design_words(row), why_words(row), row["wins_at_text"] or ""] for row in listed]
            yield from (*_table(("chip", "why", "wins"), cells), "")
    weighed = [*score_words(comparison["scoring"]), *tornado_words(comparison["tornado"])]
    if weighed:
        yield from ("## What moves the choice", "", *(f"- {_safe(text)}" for text in weighed), "")
    if comparison["assumptions"]:
        yield from ("## Assumptions", "", *(f"- {_safe(line)}" for line in comparison["assumptions"]), "")
    yield from ("## Proof", "", *(f"- {_safe(line)}" for line in comparison["proof"]), "")


_HEADER = (
    "rank",
    "design",
    "network",
    "accuracy",
    "worst case [ms]",
    "slack [ms]",
    "headroom",
    "power",
    "price",
    "cost over the years",
    "a stream",
    "temperature [°C]",
    "lifecycle",
    "licence",
    "weakest grade",
    "alike",
    "wins",
)


def _cells(row: JsonObject, comparison: JsonObject) -> list[str]:
    if row["model"] is None:
        return [IN_USE, f"{row['chip']}: {row['reason']}", *[""] * (len(_HEADER) - 2)]
    rank = IN_USE if row["kind"] == "baseline" else str(row["rank"])
    worst = number(row["worst_case_ms"], digits=4)
    alike = "yes" if row["comparable"] else UNKNOWN_TEXT if row["comparable"] is None else "; ".join(row["differs_in"])
    return [
        rank,
        f"{row['chip']} {row['mode'] or ''}" + (f" on {row['board']}" if row["board"] else ""),
        f"{network_words(row)} {row['precision']}" + ("" if row["batch"] == 1 else f" batch {row['batch']}"),
        f"{number(row['accuracy'])} ({row['accuracy_grade']})",
        worst if comparison["guarantee"] == "worst-case" else f"{LATENCY_WORDS[comparison['guarantee']]} {worst}",
        number(row["slack_ms"]),
        share_words(row["rate_headroom"]),
        power_words(row),
        price_words(row, comparison["procurement"]["quantity"]),
        money_words(row["cost_usd"]),
        money_words(row["cost_per_stream_usd"]),
        _range(row),
        row["last_buy"] or row["lifecycle_until"] or row["lifecycle_status"] or UNKNOWN_TEXT,
        row["license"] or UNKNOWN_TEXT,
        f"{row['weakest_grade']} ({row['weakest_figure']})",
        alike,
        (row["wins_at_text"] or "") if row["kind"] == "design" else why_words(row) or "meets every limit",
    ]


def _range(row: JsonObject) -> str:
    low, high = row["temperature_min_c"], row["temperature_max_c"]
    if low is None or high is None:
        return UNKNOWN_TEXT
    return f"{low:g} to {high:g} ({row['temperature_at'] or 'where is not said'})"


def _line_table(line: JsonObject) -> list[str]:
    cells = [
        [entry["chip"], ", ".join(entry["serves"]), ", ".join(entry["fails"]), money_words(entry["cost_usd"])]
        for entry in line["chips"]
    ]
    return _table(("chip", "serves", "fails", "cost in all"), cells)


def _evidence(evidence: JsonObject, comparisons: list[JsonObject]) -> Iterator[str]:
    """The evidence of the designs shown, by id."""
    rows = [row for comparison in comparisons for row in comparison["rows"] if row["status"] == "feasible"]
    used = list(dict.fromkeys(name for row in rows for name in (row.get("evidence") or {}).values() if name))
    shown = [name for name in used if name in evidence][:MOST_EVIDENCE]
    if not shown:
        return
    yield from ("# Evidence of the designs", "")
    records = [(name, evidence[name]) for name in shown]
    cells = [
        [name, one["figure"], one["of"], _value(one), one["grade"], one["kind"], one["place"], one["source"] or ""]
        for name, one in records
    ]
    yield from (*_table(("id", "figure", "of", "value", "grade", "kind", "place", "source"), cells), "")


def _value(record: JsonObject) -> str:
    value = record["value"]
    if value is None:
        return UNKNOWN_TEXT
    shown = f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
    return f"{shown} {record['unit'] or ''}".strip()


def _table(header: tuple[str, ...], rows: list[list[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(_safe(str(cell or "")) for cell in line) + " |" for line in lines]


def _safe(text: str) -> str:
    """Text that stays in its cell and is no markup."""
    for sign in "\\|<>*_`[]":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
