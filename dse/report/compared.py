"""What to say about a comparison: one plain structure for every file it is written to, the terminal and Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dse.candidates.path import scope_of
from dse.compare.comparison import Comparison, Row, Standing
from dse.problem.defaults import defaults_used
from dse.report.assumptions import design_cautions
from dse.report.baseline import InUse
from dse.report.compared_row import COLUMNS, chip_words, comparable, design_figures, wins_at_words
from dse.report.evidence import Evidence, evidence_of
from dse.report.front_data import bound_words
from dse.report.money import conditions
from dse.report.summary import dropped_chips, looked_at, versions
from dse.report.weighed import score, sensitivity

JsonObject = dict[str, Any]
DESIGN, BASELINE = "design", "baseline"


def comparison_object(comparison: Comparison, baseline: InUse | None = None) -> JsonObject:
    """One problem's comparison; None means unknown. All but ``search.wall_s`` and ``workers`` repeats exactly."""
    answer, context = comparison.answer, comparison.context
    problem, task = context.problem, context.task
    rows = [_row_object(comparison, row) for row in comparison.rows]
    if baseline is not None:
        rows.append(_baseline_object(baseline))
    first = next((row for row in rows if row["rank"] == 1), None)
    for row in rows:
        row.update(comparable(row, first))
    streams = problem.source_of(task).streams
    return {
        "problem": {"name": problem.name, "file": Path(problem.file).name},
        "task": task.name,
        "guarantee": task.guarantee,
        "scope": scope_of(task),
        "at": {
            "mode": comparison.question.at.value,
            "text": comparison.question.text,
            "accuracy": comparison.question.accuracy,
            "model": comparison.question.model,
        },
        "each": comparison.each.value,
        "objectives": [
            {"name": goal.objective.name, "sense": goal.objective.sense, "within": goal.objective.within}
            for goal in answer.goals
        ],
        "headline": _headline(comparison),
        "status": answer.status.value,
        "winner": None if first is None else first["chip"],
        "limits": [{"name": rule.name, "text": text} for rule in context.rules if (text := bound_words(rule))],
        "metric": context.chosen.metric,
        "dataset": context.chosen.dataset,
        "procurement": conditions(problem.procurement, streams),
        "scoring": score(rows, problem.scoring),
        "rows": rows,
        "tornado": sensitivity(rows, problem.procurement, streams),
        "assumptions": _assumptions(comparison),
        "proof": list(comparison.proofs),
        "dropped": dropped_chips(answer),
        "search": {
            "candidates": answer.survey.total,
            "feasible": answer.feasible,
            "wall_s": round(comparison.wall_s, 3),
            "workers": answer.workers,
            "seed": answer.seed,
        },
        "versions": versions(context),
    }


def evidence_of_rows(comparison: Comparison, baseline: InUse | None = None) -> list[Mapping[str, Evidence]]:
    """What the figures of every row rest on, in the order of the rows; nothing for rows without a design."""
    context = comparison.context
    found: list[Mapping[str, Evidence]] = [
        {} if row.candidates is None else evidence_of(context, row.candidates, row.row) for row in comparison.rows
    ]
    if baseline is not None and baseline.context is not None and baseline.candidates is not None:
        found.append(evidence_of(baseline.context, baseline.candidates, baseline.row))
    elif baseline is not None:
        found.append({})
    return found


def _headline(comparison: Comparison) -> str:
    """How much was looked at, and how the chips do."""
    answer, rows = comparison.answer, comparison.rows
    counts = [(sum(row.standing is standing for row in rows), words) for standing, words in _COUNTED]
    seen = looked_at(comparison.context, answer.survey.total, {})
    return "; ".join([*seen, *(f"{count} {words}" for count, words in counts)])


_COUNTED = (
    (Standing.FEASIBLE, "with a design"),
    (Standing.UNKNOWN, "that lack a figure a limit is on"),
    (Standing.FAILS, "that fail a limit"),
    (Standing.NO_DESIGN, "on which nothing is known to run"),
)


def _row_object(comparison: Comparison, row: Row) -> JsonObject:
    context = comparison.context
    head = {"kind": DESIGN, "status": row.standing.value, "rank": row.rank, "reason": row.reason or None}
    if row.candidates is None:
        chip = context.catalog.chips[row.chip]
        return {**_no_figures(), **head, **chip_words(chip), **wins_at_words(None, leads=False, fails=False)}
    figures = design_figures(context, row.candidates, row.row)
    if row.standing is not Standing.FEASIBLE:
        figures["label"] = None
    words = wins_at_words(row.wins_at, leads=row.rank == 1, fails=row.standing is Standing.FAILS)
    return {**head, **figures, **words}


def _no_figures() -> JsonObject:
    """The figures of a row without a design."""
    return dict.fromkeys(COLUMNS) | {"breaks": [], "lacks": []}


def _baseline_object(found: InUse) -> JsonObject:
    head = {"kind": BASELINE, "rank": None, "wins_at_price_usd": None, "wins_at_text": None}
    if found.context is None or found.candidates is None:
        said = {"chip": found.asked.chip, "status": Standing.NO_DESIGN.value, "reason": found.text}
        return {**_no_figures(), **head, **said}
    figures = design_figures(found.context, found.candidates, found.row, owned=found.asked.owned)
    violated, unknown = (int(getattr(found.candidates, name)[found.row]) for name in ("violated", "unknown"))
    standing = Standing.FAILS if violated & ~unknown else Standing.UNKNOWN if violated else Standing.FEASIBLE
    return {**head, **figures, "status": standing.value, "reason": "owned" if found.asked.owned else None}


def _assumptions(comparison: Comparison) -> list[str]:
    """What is taken for granted: defaults of the file, and cautions of the first design."""
    context = comparison.context
    lines = [f"{path} = {value}" for path, value in defaults_used(context.problem)]
    if scope_of(context.task) == "network-only":
        lines.append("network only: capture, decode, resize and post-processing not counted")
    first = comparison.rows[0] if comparison.rows else None
    if first is not None and first.rank == 1 and first.candidates is not None:
        lines += [f"{first.chip}: {line}" for line in design_cautions(context, first.candidates, first.row)]
    return lines
