"""What to ask, as plain rows: one list of questions, a form for suppliers, and a form for the bench."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dse.compare.asking import Question
from dse.quotes.sheet import HEADER as QUOTES
from dse.report.compared_row import design_figures
from dse.report.front_data import cell_text
from dse.report.table import RUN, write_csv
from dse.schema import QUANTITIES

JsonObject = dict[str, Any]
COLUMNS = (
    "ask",
    "chip",
    "board",
    "mode",
    *RUN[: RUN.index("policy")],
    "figure",
    "figure_unit",
    "known",
    "low",
    "high",
    "grade",
    "must",
    "wins_at_most",
    "why",
    "answer_in",
)
BENCH = (
    "chip",
    "board",
    "mode",
    *(name for name in RUN[: RUN.index("policy")] if name != "weights"),
    "quantity",
    "time_ms_per_item",
    "statistic",
    "boundary",
    "power_w",
    "power_boundary",
    "source_repo",
    "date",
    "notes",
)
"""Columns of the form for the bench: a file of measurements."""
_DESIGN = COLUMNS[1 : COLUMNS.index("figure")]


def question_rows(questions: Sequence[Question]) -> list[JsonObject]:
    """Every question once, with what is known now; None means unknown."""
    found: dict[tuple[object, ...], JsonObject] = {}
    for question in questions:
        row = _row(question)
        found.setdefault(tuple(row[name] for name in COLUMNS if name != "why"), row)  # the winner's own why goes first
    return list(found.values())


def _row(question: Question) -> JsonObject:
    figures = design_figures(question.context, question.candidates, question.row)
    return {
        "ask": question.whom.value,
        **{name: figures[name] for name in _DESIGN},
        "figure": question.figure,
        **_known(question, figures),
        "must": _must(question),
        "wins_at_most": question.most,
        "why": question.why,
        "answer_in": _answer_in(question, figures),
    }


def _known(question: Question, figures: JsonObject) -> JsonObject:
    """What is known of the figure now."""
    if question.figure == "network_ms":
        known = {name: figures[f"{name}_ms"] for name in ("low", "high")}
        return {"figure_unit": "ms", "known": figures["typical_ms"], **known, "grade": figures["latency_grade"]}
    if question.figure == "accuracy":
        known = {name: figures[f"accuracy_{name}"] for name in ("low", "high", "grade")}
        return {"figure_unit": "points", "known": figures["accuracy"], **known}
    quantity = QUANTITIES.get(question.figure)
    grade = figures.get(f"{question.figure.removesuffix('_usd').removesuffix('_w')}_grade")
    return {
        "figure_unit": None if quantity is None else quantity.unit,
        "known": figures.get(question.figure),
        "low": None,
        "high": None,
        "grade": grade,
    }


def _must(question: Question) -> str | None:
    """The limit a figure is asked for."""
    rule = question.rule
    if question.figure == "network_ms":
        slack = question.candidates.slack_ms[question.row] / QUANTITIES["slack_ms"].scale
        return f"now {slack:.4g} ms of the deadline are left" if question.context.task.deadline_ms else None
    if rule is None or rule.column.startswith("verdict:"):
        return None
    scale = QUANTITIES[rule.column].scale if rule.column in QUANTITIES else 1
    signs = [("≥", rule.minimum), ("≤", rule.maximum)]
    return " and ".join(f"{sign} {bound / scale:g}" for sign, bound in signs if bound is not None) or None


def _answer_in(question: Question, figures: JsonObject) -> str:
    """Where the answer is read back from."""
    if question.figure in ("price_usd", "lead_time_weeks"):
        return "quotes: " + ("price" if question.figure == "price_usd" else "lead_time_weeks")
    if question.figure == "network_ms":
        return "measurements: time_ms_per_item"
    if question.figure == "accuracy":
        return "catalogue: models/accuracies.csv"
    if question.figure == "power_w":
        return "measurements: power_w; or catalogue: power.max_w of the chip or board"
    place = "boards" if figures["board"] else "chips"
    return f"catalogue: {place}/{figures['board'] or figures['chip']}.yaml"


def write_questions(found: JsonObject, target: Path, *, excel: bool = False) -> list[Path]:
    """Write all questions, and beside them the forms that have a row; returns the files written.

    ``NAME.quotes.csv`` goes to suppliers and is read back by ``procurement.quotes``: it does not say which price would
    win. ``NAME.measurements.csv`` goes to the bench and is read back by ``dse catalog add-measurements``. A pipe or a
    device takes the questions alone.
    """
    rows = found["questions"]
    write_csv(target, COLUMNS, ([cell_text(row[name]) for name in COLUMNS] for row in rows), bom=excel)
    written = [target]
    if target.exists() and not target.is_file():
        return written
    quotes, bench = forms_beside(target)
    for file, header, cells in (
        (quotes, (*QUOTES, "question"), _quotes(rows, found["quantity"])),
        (bench, BENCH, _bench(rows)),
    ):
        listed = list(cells)
        if listed or file.exists():  # never one that earlier questions left
            write_csv(file, header, listed, bom=excel)
            written.append(file)
    return written


def forms_beside(target: Path) -> tuple[Path, Path]:
    """The forms for suppliers and for the bench."""
    return target.with_name(f"{target.stem}.quotes.csv"), target.with_name(f"{target.stem}.measurements.csv")


def _quotes(rows: Sequence[JsonObject], quantity: int) -> Iterator[list[str]]:
    """One row per item whose price or delivery time is asked."""
    items = dict.fromkeys(row["board"] or row["chip"] for row in rows if row["answer_in"].startswith("quotes"))
    pieces = "1 piece" if quantity == 1 else f"{quantity:,} pieces"
    for item in items:
        cells = {"item": item, "question": f"price, delivery time and validity for {pieces}?"}
        yield [cell_text(cells.get(name)) for name in (*QUOTES, "question")]


def _bench(rows: Sequence[JsonObject]) -> Iterator[list[str]]:
    """One row per run that is to be measured, its time and power left empty."""
    runs: dict[tuple[object, ...], list[JsonObject]] = {}
    names = BENCH[: BENCH.index("quantity")]
    for row in rows:
        if row["answer_in"].startswith("measurements"):
            runs.setdefault(tuple(row[name] for name in names), []).append(row)
    for run, questions in runs.items():
        words = "; ".join(dict.fromkeys(f"{one['figure']}: {one['why']}" for one in questions))
        cells = {**dict(zip(names, run, strict=True)), "quantity": "latency", "notes": words}
        yield [cell_text(cells.get(name)) for name in BENCH]
