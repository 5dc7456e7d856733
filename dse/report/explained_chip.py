"""What to say about one chip: its design or nearest miss, and one line a limit."""

from __future__ import annotations

from typing import Any

from dse.answer import Answer
from dse.candidates.context import Context
from dse.explaining.chip_view import ChipView, LimitView
from dse.report.explained_limits import limit_text, place_text, plain, written_name, written_unit, written_value
from dse.report.summary import alternative_of
from dse.timing.ticks import INFINITE

JsonObject = dict[str, Any]
WHAT = {"stable": "load ", "memory_spare_mb": "spare ", "region_spare_mb": "spare "}
"""What the figure behind some limits is."""


def chip_object(answer: Answer, view: ChipView) -> JsonObject:
    """One chip with a line for every limit; ``status`` is that of a search on this chip alone."""
    context = view.answer.context
    design = None if view.design is None else alternative_of(context, view.design, 0)
    return {
        "chip": view.chip,
        "status": view.answer.status.value,
        "chosen": answer.row is not None and _chip_of_winner(answer) == view.chip,
        "candidates": view.candidates,
        "design": design,
        "limits": [_limit(context, one, view.candidates) for one in view.limits],
        "text": _text(answer, view, design),
    }


def _chip_of_winner(answer: Answer) -> str:
    assert answer.row is not None
    return answer.context.chip_of(int(answer.candidates.run[answer.row])).id


def _text(answer: Answer, view: ChipView, design: JsonObject | None) -> str:
    if design is None:
        reasons = [reason for reason, chips in view.answer.context.space.names.items() if view.chip in chips]
        return f"{view.chip}: {'; '.join(reasons) or 'no network of the task has an accuracy there'}"
    if view.answer.row is None:
        return f"{view.chip}: no design; the nearest is {design['model']} {design['precision']}"
    if answer.row is not None and _chip_of_winner(answer) == view.chip:
        return f"{view.chip}: chosen, with {design['model']} {design['precision']}"
    won = alternative_of(answer.context, answer.candidates, answer.row) if answer.row is not None else None
    instead = "" if won is None else f"; {won['chip']} with {won['model']} comes first by the objectives"
    return f"{view.chip}: a design, {design['model']} {design['precision']}{instead}"


def _limit(context: Context, view: LimitView, candidates: int) -> JsonObject:
    one = view.requirement

    def written(value: int | None) -> float | None:
        return None if value is None or value >= INFINITE else written_value(one, value)

    best, nearest, unit = written(view.best), written(view.nearest), written_unit(one)
    what = WHAT.get(one.rule.column, "")
    behind = f" {unit}" if unit else ""
    said = [
        f"{word} {what}{plain(value)}{behind}"
        for word, value in (("best", best), ("nearest design", nearest))
        if value is not None
    ]
    unbounded = view.nearest is not None and view.nearest >= INFINITE
    if unbounded:
        said.append("nearest design without a bound")
    met = f"met by {view.meeting:,} of {candidates:,}"
    mark = "" if view.is_met else "✗ "
    return {
        "limit": written_name(one),
        "asked": limit_text(context, one),
        "place": place_text(context, one),
        "unit": unit,
        "best": best,
        "nearest": nearest,
        "meeting": view.meeting,
        "met": view.is_met,
        "text": f"{mark}{limit_text(context, one)}: {'; '.join([*said, met])}",
    }
