"""What to say about a problem without a design: contradictions, clashes, what has to give, nearest misses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Context
from dse.candidates.survey import NO_ACCURACY
from dse.explaining.infeasible import Infeasible, Ranked, nearest_of
from dse.explaining.requirements import Requirement, requirements_of
from dse.report.breaks import failed_and_lacking
from dse.report.explained_limits import (
    limit_text,
    place_text,
    requirement_object,
    written_name,
)
from dse.report.explained_relaxed import changes_of, cheapest_of, single_of, streams_given
from dse.report.summary import alternative_of

JsonObject = dict[str, Any]
GIVEN = "no candidate has an accuracy of sufficient evidence: no limit is to blame, and none relaxed would help"
NOTHING = "there is no candidate: nothing of the search is known to run this task"
MISSES = 10
"""Nearest misses listed, each on a chip of its own."""


def clash_object(answer: Answer, found: Infeasible) -> JsonObject:
    """All that is known about why there is no design."""
    context = answer.context
    singles = [*(single_of(context, one, found) for one in requirements_of(context)), streams_given(context, found)]
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
        "cheapest": cheapest_of(context, found, singles),
        "if_known": [item for one in requirements_of(context) for item in _lacking(context, one, found)],
        "nearest_misses": list(_misses(answer)),
    }


def summary_lines(answer: Answer, found: Infeasible) -> list[str]:
    """Two lines for the end of an answer: the sharpest clash, and its least relaxation."""
    context = answer.context
    if not found.ranked:
        return [_given(answer, found) or NOTHING, "other networks or chips, or weaker evidence (guard.evidence)"]
    sharpest = _clash(context, found.ranked[0])
    ways = [*(single_of(context, one, found) for one in requirements_of(context)), streams_given(context, found)]
    cheapest = cheapest_of(context, found, ways)
    ways = sorted((way for way in ways if way["share"] is not None), key=lambda way: way["share"])
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
        "resolved_by": [] if one.resolving is None else changes_of(context, one.resolving, one.clash.bits),
        "follows_rate": one.clash.follows_rate,
        "text": text,
    }


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
