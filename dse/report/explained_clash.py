"""What to say about a problem without a design: contradictions, clashes, what has to give, nearest misses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Context
from dse.candidates.excess import breaks_of
from dse.candidates.survey import NO_ACCURACY
from dse.candidates.table import Candidates
from dse.explaining.infeasible import Infeasible, Ranked, nearest_of
from dse.explaining.relaxing import Near, Relaxation, bound_of
from dse.explaining.requirements import CAPACITY, Kind, Requirement, requirements_of
from dse.explaining.variants import rate_of, streams_of
from dse.report.breaks import asked_of, attribute_of, failed_and_lacking
from dse.report.explained_limits import (
    limit_text,
    place_text,
    plain,
    requirement_object,
    written_name,
    written_unit,
    written_value,
)
from dse.report.summary import alternative_of

JsonObject = dict[str, Any]
GIVEN = "no candidate has an accuracy of sufficient evidence: no limit is to blame, and none relaxed would help"
NOTHING = "there is no candidate: nothing of the search is known to run this task"
SHOWN_VALUES = 8
"""Values of a word that would do, at most."""
MISSES = 10
"""Nearest misses listed, each on a chip of its own."""


def clash_object(answer: Answer, found: Infeasible) -> JsonObject:
    """All that is known about why there is no design."""
    context = answer.context
    singles = [*(_single(context, one, found) for one in requirements_of(context)), _streams(context, found)]
    return {
        "text": _given(answer, found),
        "limits": list(_requirements(answer)),
        "contradictions": [
            {"limit": written_name(one.requirement), "best": one.best, "text": one.text} for one in found.contradictions
        ],
        "clashes": [_clash(context, one) for one in found.ranked],
        "complete": found.clashes.complete,
        "models_solved": found.clashes.solves,
        "relaxations": [one for one in singles if one["candidates_alone"] or one["to"] is not None],
        "cheapest": _cheapest(context, found, singles),
        "if_known": [item for one in requirements_of(context) for item in _lacking(context, one, found)],
        "nearest_misses": list(_misses(answer)),
    }


def summary_lines(answer: Answer, found: Infeasible) -> list[str]:
    """Two lines for the end of an answer: the sharpest clash, and its least relaxation."""
    context = answer.context
    if not found.ranked:
        return [_given(answer, found) or NOTHING, "other networks or chips, or weaker evidence (guard.evidence)"]
    sharpest = _clash(context, found.ranked[0])
    ways = [*(_single(context, one, found) for one in requirements_of(context)), _streams(context, found)]
    cheapest = _cheapest(context, found, ways)
    ways = sorted((way for way in ways if way["to"] is not None), key=lambda way: way["share"])
    if ways:
        said = f"least relaxation: {ways[0]['text']}"
    elif cheapest is not None:
        said = f"no limit alone would do; cheapest together: {cheapest['text']}"
    else:
        said = "no number relaxed would do"
    return [sharpest["text"], said]


def _given(answer: Answer, found: Infeasible) -> str | None:
    if not answer.survey.total:
        return NOTHING
    return GIVEN if found.clashes.given else None


def _requirements(answer: Answer) -> Iterator[JsonObject]:
    """Limits that refuse a candidate, those that refuse most first."""
    context, survey = answer.context, answer.survey
    rows = [
        requirement_object(context, one, survey.broken[one.name], survey.alone[one.name])
        for one in requirements_of(context)
        if one.name in survey.broken
    ]
    if NO_ACCURACY in survey.broken:
        given = {"limit": "accuracy known", "text": NO_ACCURACY, "kind": "given", "place": "given", "line": None}
        rows.append(given | {"candidates": survey.broken[NO_ACCURACY], "alone": survey.alone[NO_ACCURACY]})
    yield from sorted(rows, key=lambda row: -row["candidates"])


def _clash(context: Context, one: Ranked) -> JsonObject:
    members = [limit_text(context, member) for member in one.clash.members]
    if len(members) == 1:
        text = f"no candidate meets {members[0]}"
    else:
        text = f"{', '.join(members[:-1])} and {members[-1]} cannot be met together"
    if one.clash.follows_rate:
        text += ": nothing keeps up with the rate"
    return {
        "limits": [written_name(member) for member in one.clash.members],
        "places": [place_text(context, member) for member in one.clash.members],
        "sharpness": None if one.resolving is None else one.sharpness,
        "resolved_by": [] if one.resolving is None else _changes(context, one.resolving, one.clash.bits),
        "follows_rate": one.clash.follows_rate,
        "text": text,
    }


def _single(context: Context, one: Requirement, found: Infeasible) -> JsonObject:
    """What one limit alone would have to be; ``to`` is None where no number does it."""
    row = _unmoved(written_name(one))
    if one.rule.column == "stable":
        return row | _rate(context, found)
    others = found.relaxations.others.get(one.bit)
    if others is not None:
        return row | _would_do(context, one, others)
    relaxed = found.relaxations.single.get(one.bit)
    return row if relaxed is None else row | _moved(context, relaxed)


def _unmoved(name: str) -> JsonObject:
    """A limit that no value of it alone would mend."""
    row: JsonObject = {"limit": name, "from": None, "to": None, "unit": "", "share": None, "would_do": []}
    return row | {"candidates_alone": 0, "design": None, "text": f"{name}: no value of it alone would do"}


def _streams(context: Context, found: Infeasible) -> JsonObject:
    """Streams are no limit of the file's, but what has to give as often as one."""
    row, asked = _unmoved("streams"), int(streams_of(context.problem))
    if found.streams is None:
        return row
    text = f"streams {asked} → {found.streams}"
    return row | {"from": asked, "to": found.streams, "share": abs(1 - found.streams / asked), "text": text}


def _rate(context: Context, found: Infeasible) -> JsonObject:
    if found.rate_hz is None:
        return {}
    asked = float(rate_of(context.problem))
    share, text = abs(1 - found.rate_hz / asked), f"rate {asked:g} → {found.rate_hz:.12g} /s"
    return {"from": asked, "to": found.rate_hz, "unit": "1/s", "share": share, "text": text}


def _moved(context: Context, relaxed: Relaxation) -> JsonObject:
    one, unit = relaxed.requirement, written_unit(relaxed.requirement)
    before, after = (written_value(one, number) for number in (bound_of(one, below=relaxed.below), relaxed.value))
    if one.kind is Kind.ALWAYS:
        missing = -relaxed.value
        what = "more memory" if one.name == CAPACITY else "more in the tightest region"
        text = f"{one.name}: {missing:,} B {what}"
    else:
        text = f"{written_name(one)} {plain(before)} → {plain(after)}" + (f" {unit}" if unit else "")
    return {
        "from": before,
        "to": after,
        "unit": unit,
        "share": relaxed.share,
        "candidates_alone": 1,
        "design": alternative_of(context, relaxed.design, 0),
        "text": text,
    }


def _would_do(context: Context, one: Requirement, others: Candidates) -> JsonObject:
    """Values of a word, date or attribute that would admit a candidate; of numbers the nearest first."""
    values: dict[str, int] = {}
    numbers: dict[float, int] = {}
    for row in range(len(others)):
        value = attribute_of(context, others, row, one.name)
        if isinstance(value, int | float):
            numbers.setdefault(float(value), row)
        else:
            values.setdefault(str(value or "another value"), row)
    limit = context.problem.limits.get(one.rule.name)
    words = sorted(values)
    if numbers and limit is not None:
        nearest = min(numbers, key=lambda value: _distance(value, limit.minimum, limit.maximum))
        words = [plain(nearest), *(plain(value) for value in sorted(numbers) if value != nearest)]
    row = numbers[float(words[0])] if numbers and words[0] not in values else values[words[0]]
    shown = ", ".join(words[:SHOWN_VALUES]) + (
        f" and {len(words) - SHOWN_VALUES} more" if len(words) > SHOWN_VALUES else ""
    )
    text = f"{written_name(one)} {asked_of(limit)}: {shown} would do"
    return {
        "would_do": words,
        "candidates_alone": len(others),
        "design": alternative_of(context, others, row),
        "text": text,
    }


def _distance(value: float, minimum: float | None, maximum: float | None) -> float:
    short, over = (0.0 if minimum is None else minimum - value), (0.0 if maximum is None else value - maximum)
    return max(0.0, short, over)


def _cheapest(context: Context, found: Infeasible, singles: list[JsonObject]) -> JsonObject | None:
    """The least sum of relative relaxations that admits a candidate: of one limit alone, or of several at once.

    Several at once are what the nearest candidate that keeps up with the rate needs; where nothing keeps up with it, at
    the highest rate that something does keep up with. ``keeping`` has the same for candidates that meet a limit which
    this one does not.
    """
    together = _several(context, found)
    alone = min((one for one in singles if one["share"] is not None), key=lambda one: one["share"], default=None)
    if alone is None or (together is not None and together["total_share"] <= alone["share"]):
        return together
    change = {name: alone[name] for name in ("limit", "from", "to", "unit", "share", "text")}
    keeping = [] if together is None else together["keeping"]
    one = {"total_share": alone["share"], "changes": [change], "design": alone["design"], "text": alone["text"]}
    return one | {"keeping": keeping}


def _several(context: Context, found: Infeasible) -> JsonObject | None:
    """What the nearest candidate needs."""
    slower, before = found.slower, list[JsonObject]()
    relaxations = found.relaxations
    if slower is not None:
        asked, relaxations = float(rate_of(context.problem)), slower.relaxations
        share, text = 1 - slower.rate_hz / asked, f"rate {asked:g} → {slower.rate_hz:.12g} /s"
        before = [{"limit": "rate", "from": asked, "to": slower.rate_hz, "unit": "1/s", "share": share, "text": text}]
        context = slower.context
    if relaxations.cheapest is None:
        return None
    broken = int(relaxations.cheapest.design.violated[0])
    keeping = [
        {"keeps": written_name(one)} | _together(context, relaxations.keeping[one.bit], before)
        for one in requirements_of(context)
        if broken >> one.bit & 1 and one.bit in relaxations.keeping
    ]
    return _together(context, relaxations.cheapest, before) | {"keeping": keeping}


def _together(context: Context, near: Near, before: list[JsonObject]) -> JsonObject:
    """All limits of one candidate relaxed to what it needs, behind changes made before."""
    changes = [*before, *_changes(context, near, -1)]
    return {
        "total_share": sum(change["share"] for change in changes),
        "changes": changes,
        "design": alternative_of(context, near.design, 0),
        "text": ", ".join(change["text"] for change in changes),
    }


def _changes(context: Context, near: Near, bits: int) -> list[JsonObject]:
    """What each limit of some bits would have to be for a candidate."""
    by_name = {one.name: one for one in requirements_of(context)}
    return [
        _change(by_name[broken.rule.name], broken.value, broken.share)
        for broken in breaks_of(context, near.design, 0)
        if broken.rule is not None and not broken.unknown and bits >> by_name[broken.rule.name].bit & 1
    ]


def _change(one: Requirement, value: int | None, share: float) -> JsonObject:
    name, unit = written_name(one), written_unit(one)
    nothing: JsonObject = {"limit": name, "from": None, "to": None, "unit": ""}
    if one.rule.column == "stable":
        down = share / (1 + share)
        return nothing | {
            "share": down,
            "text": f"{name} down by {100 * down:.3g} % (loaded {100 * (1 + share):.3g} %)",
        }
    if value is None:
        return nothing | {"share": share, "text": f"{name}: follows from the rate"}
    below = one.rule.minimum is not None and value < one.rule.minimum
    before, after = written_value(one, bound_of(one, below=below)), written_value(one, value)
    text = f"{name} {plain(before)} → {plain(after)}" + (f" {unit}" if unit else "")
    if one.kind is Kind.ALWAYS:
        text = f"{name}: {-value:,} B more"
    return {"limit": name, "from": before, "to": after, "unit": unit, "share": share, "text": text}


def _lacking(context: Context, one: Requirement, found: Infeasible) -> Iterator[JsonObject]:
    """Designs that one unknown figure alone refuses, and what it must be."""
    rows = found.relaxations.lacking.get(one.bit)
    if rows is None:
        return
    seen = set()
    for row in range(len(rows)):
        design = alternative_of(context, rows, row)
        if design["chip"] in seen:
            continue
        seen.add(design["chip"])
        _, lacking = failed_and_lacking(context, rows, row)
        must = next((item["must"] for item in lacking if item["figure"] == one.rule.name), "")
        what = {"power_w": "it draws", "price_usd": "it costs"}.get(one.name, f"its {one.name} is")
        text = f"{design['chip']} with {design['model']} would do if {what} {must}"
        yield {"limit": written_name(one), "must": must, "design": design, "text": text}


def _misses(answer: Answer) -> Iterator[JsonObject]:
    """The nearest candidate on every chip, what it breaks and what it lacks."""
    lacking, nearest = nearest_of(answer)
    for rows in (lacking, nearest):
        for row in range(min(len(rows), MISSES)):
            one = rows.take(np.array([row]))
            failed, unknown = failed_and_lacking(answer.context, one, 0)
            yield {**alternative_of(answer.context, one, 0), "breaks": failed, "lacks": unknown}
