"""What to say about a winner: how far each limit may move before another is chosen, and what the usual remedies do."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Option
from dse.candidates.preference import Goal
from dse.candidates.table import Candidates
from dse.explaining.demands import DemandRange
from dse.explaining.explain import Explanation
from dse.explaining.overlaps import Reading
from dse.explaining.ranges import Range
from dse.explaining.remedies import Remedy
from dse.report.bottleneck import bottleneck_of
from dse.report.breaks import UNITS
from dse.report.explained_limits import limit_text, place_text, plain, written_name, written_unit, written_value
from dse.report.summary import alternative_of, conditional_of, label_of
from dse.schema import UNKNOWN

JsonObject = dict[str, Any]
IDENTITY = ("chip", "board", "mode", "unit", "runtime", "model", "weights", "input_h", "input_w", "precision", "batch")


def choice_object(explanation: Explanation) -> JsonObject:
    """All that is known about what a choice hangs on; there must be a winner."""
    answer = explanation.answer
    context, row = answer.context, answer.row
    assert row is not None
    limits = [_range_object(answer, one) for one in explanation.ranges]
    return {
        "winner": alternative_of(context, answer.candidates, row),
        "label": label_of(context, answer.candidates, row),
        "limits": limits,
        "binding": [one["limit"] for one in limits if one["binding"]],
        "demands": [_demand_object(answer, one) for one in explanation.demands],
        "bottleneck": bottleneck_of(context, answer.candidates, row),
        "overlap_readings": [_reading_object(one) for one in explanation.readings],
        "runner_up": _runner_up(answer, row),
        "conditional": [conditional_of(context, answer.candidates, item) for item in answer.conditional],
    }


def _demand_object(answer: Answer, found: DemandRange) -> JsonObject:
    """The rates, or the numbers of streams, for which the winner stays, and what is chosen one step beyond."""
    context, demand = answer.context, found.demand

    asked = demand.asked(context.problem) * demand.scale

    def written(steps: int | None) -> float | None:
        return None if steps is None else demand.written(steps)

    row = {
        "demand": demand.name,
        "asked": demand.written(int(asked)) if asked.denominator == 1 else float(asked / demand.scale),
        "unit": demand.unit,
        "lowest": written(found.lowest),
        "highest": written(found.highest),
        "below": None if found.below is None else alternative_of(context, found.below, 0),
        "above": None if found.above is None else alternative_of(context, found.above, 0),
    }
    return row | {"text": _demand_text(row, alternative_of(context, answer.candidates, int(answer.row or 0)))}


def _demand_text(row: JsonObject, winner: JsonObject) -> str:
    """``rate 25 1/s: stays from 24.393 to 25.576; below chip with model, above nothing is feasible``."""
    asked = f"{row['demand']} {plain(row['asked'])} {row['unit'].replace('1/s', '/s')}".strip()
    return f"{asked}: {_stays(row['lowest'], row['highest'], row['below'], row['above'], winner)}"


def _stays(
    lowest: float | None, highest: float | None, below: JsonObject | None, above: JsonObject | None, winner: JsonObject
) -> str:
    """Between which values the winner stays, and what is chosen beyond them."""
    if lowest is None and highest is None:
        return "stays whatever its value"
    ends = f"from {'any value' if lowest is None else plain(lowest)}"
    ends += " for ever" if highest is None else f" to {plain(highest)}"
    sides = (("below", below, lowest), ("above", above, highest))
    beyond = [f"{side} {_beyond_text(design, winner)}" for side, design, end in sides if end is not None]
    return f"stays {ends}; {', '.join(beyond)}"


def _beyond_text(design: JsonObject | None, winner: JsonObject) -> str:
    """Another design by what it differs in: ``rk3588 with yolov8n (accuracy 37.3)``, ``the same with fp16``."""
    if design is None:
        return "nothing is feasible"
    accuracy = "" if design["accuracy"] is None else f" (accuracy {design['accuracy']:.4g})"
    if any(design[name] != winner[name] for name in ("chip", "model")):
        return f"{design['chip']} with {design['model']}{accuracy}"
    differs = [_said(name, design[name]) for name in IDENTITY if design[name] != winner[name]]
    return f"the same with {', '.join(differs) or 'another run, or batches formed otherwise'}{accuracy}"


def _said(name: str, value: object) -> str:
    """A word that says itself, or a number with its name."""
    if name == "board":
        return f"board {value}" if value else "no board"
    return f"{name} {value}" if name in ("batch", "input_h", "input_w") else str(value)


def _range_object(answer: Answer, found: Range) -> JsonObject:
    """One limit with the values of its bound for which the winner stays."""
    one, context = found.requirement, answer.context

    def written(value: int | None) -> float | None:
        return None if value is None else written_value(one, value)

    def designed(one_row: Candidates | None) -> JsonObject | None:
        return None if one_row is None else alternative_of(context, one_row, 0)

    figure, bound = written(found.figure), written_value(one, found.bound)
    slack = None if figure is None else abs(bound - figure)
    row = {
        "limit": written_name(one),
        "place": place_text(context, one),
        "bound": bound,
        "value": figure,
        "unit": written_unit(one),
        "slack": slack,
        "binding": found.is_binding,
        "tightest": written(found.tightest),
        "loosest": written(found.loosest),
        "then": designed(found.entering),
        "else": designed(found.leaving),
        "steps": [
            {"value": written(step.value), "design": alternative_of(context, step.design, 0)} for step in found.steps
        ],
    }
    winner = alternative_of(context, answer.candidates, int(answer.row or 0))
    return row | {"text": _range_text(limit_text(context, one), one.rule.column, row, winner, is_least=found.below)}


def _range_text(name: str, column: str, row: JsonObject, winner: JsonObject, *, is_least: bool) -> str:
    """``deadline_ms 50: now 49.6, slack 0.4; stays from 49.6 to 62.6; above a more accurate one``."""
    if row["value"] is None:
        now = "unknown"
    else:
        end = " at its lower end" if column == "accuracy_low" else ""
        slack = float(f"{row['slack']:.9g}")  # the difference of two decimals, in binary
        now = f"{plain(row['value'])}{end}, slack {plain(slack)}"
    tight, loose = (row["tightest"], row["else"]), (row["loosest"], row["then"])
    (low, below), (high, above) = (loose, tight) if is_least else (tight, loose)
    return f"{name}: now {now}; {_stays(low, high, below, above, winner)}"


def _reading_object(one: Reading) -> JsonObject:
    """One meaning of a stated overlap, with its latency and period."""
    worst, period = (None if ms is None else float(ms) for ms in (one.worst_case_ms, one.period_ms))
    latency = "does not keep up" if worst is None else f"worst case {plain(worst)} ms"
    after = "" if period is None else f", period {period:.6g} ms"
    row = {"as_stated": one.as_stated, "worst_case_ms": worst, "period_ms": period}
    return row | {"text": f"{one.text}: {latency}{after}"}


def _runner_up(answer: Answer, row: int) -> JsonObject | None:
    """The best design on another chip, and what it is worse and better in."""
    if not answer.alternatives:
        return None
    other = answer.alternatives[0]
    both = answer.candidates.take(np.array([row, other]))
    differences = [found for goal in answer.goals if (found := _difference(goal, both)) is not None]
    design = alternative_of(answer.context, answer.candidates, other)
    return {"design": design, "differences": differences}


def _difference(goal: Goal, both: Candidates) -> JsonObject | None:
    """By how much the second is worse (above zero) or better in one objective; None where they are alike."""
    figures = getattr(both, goal.quantity.name)
    name, unit = goal.objective.name, UNITS.get(goal.quantity.unit, goal.quantity.unit)
    if UNKNOWN in figures:
        if figures[0] == figures[1]:
            return None
        return {"objective": name, "worse_by": None, "unit": unit, "text": f"{name}: unknown against known"}
    worse = int(figures[0] - figures[1] if goal.maximize else figures[1] - figures[0]) / goal.quantity.scale
    if worse == 0:
        return None
    text = f"{name} {abs(worse):.4g} {unit}".strip() + (" worse" if worse > 0 else " better")
    return {"objective": name, "worse_by": worse, "unit": unit, "text": text}


def remedy_object(answer: Answer, remedy: Remedy) -> JsonObject:
    """One remedy with what is chosen then."""
    row: JsonObject = {"name": remedy.name, "change": remedy.what, "applies": remedy.answer is not None}
    row |= {"assumption": remedy.assumption or None, "status": None, "same": None, "design": None}
    if remedy.answer is None:
        return row | {"text": f"{remedy.name}: does not apply: {remedy.why_not}"}
    found = remedy.answer
    row["status"] = found.status.value
    if found.row is None:
        said = f"{found.status.value} still" if answer.row is None else f"then {found.status.value}"
        return row | {"text": f"{remedy.name} ({remedy.what}): {said}"}
    design = alternative_of(found.context, found.candidates, found.row)
    before = None if answer.row is None else alternative_of(answer.context, answer.candidates, answer.row)
    same = before is not None and all(design[name] == before[name] for name in IDENTITY)
    same = same and answer.row is not None and _option_of(answer, answer.row) == _option_of(found, found.row)
    said = "the same design" if same else f"{_design_text(design)}{_gained(design, before)}"
    return row | {"same": same, "design": design, "text": f"{remedy.name} ({remedy.what}): {said}"}


def _option_of(answer: Answer, row: int) -> Option:
    """How batches form and how many buffers there are."""
    return answer.context.options[int(answer.candidates.option[row])]


def _design_text(design: JsonObject) -> str:
    size = f"@{design['input_h']}" if design["input_h"] else ""
    return f"{design['chip']} with {design['model']}{size} {design['precision']}"


def _gained(design: JsonObject, before: JsonObject | None) -> str:
    """The accuracy it changes; all of it where there was no design."""
    accuracy = design["accuracy"]
    if accuracy is None:
        return ""
    if before is None or before["accuracy"] is None:
        return f", accuracy {accuracy:.4g}"
    return f", accuracy {accuracy - before['accuracy']:+.3g} points"
