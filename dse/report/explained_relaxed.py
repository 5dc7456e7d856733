"""What to say of limits that give way: one alone, the least of all changes, and what a clash takes."""

from __future__ import annotations

from typing import Any

from dse.candidates.context import Context
from dse.candidates.excess import breaks_of
from dse.candidates.table import Candidates
from dse.explaining.infeasible import Infeasible
from dse.explaining.relaxing import Near, Relaxation, bound_of
from dse.explaining.requirements import CAPACITY, Kind, Requirement, requirements_of
from dse.explaining.variants import rate_of, streams_of
from dse.report.breaks import asked_of, attribute_of
from dse.report.explained_limits import (
    plain,
    written_name,
    written_unit,
    written_value,
)
from dse.report.summary import alternative_of

JsonObject = dict[str, Any]
SHOWN_VALUES = 8
"""Values of a word that would do, at most."""


def single_of(context: Context, one: Requirement, found: Infeasible) -> JsonObject:
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


def streams_given(context: Context, found: Infeasible) -> JsonObject:
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
        "share": None if one.kind is Kind.ALWAYS else relaxed.share,  # nobody asked for it, and nobody can relax it
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


def cheapest_of(context: Context, found: Infeasible, singles: list[JsonObject]) -> JsonObject | None:
    """The least sum of relative relaxations that admits a candidate: of one limit alone, or of several at once.

    Several at once are what the nearest candidate that keeps up with the rate needs; where nothing keeps up with it, at
    the highest rate that something does keep up with. ``keeping`` has the same for candidates that meet a limit which
    this one does not.
    """
    together = _several(context, found)  # at the highest rate that is kept up with, the rate may be all
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
    changes = [*before, *changes_of(context, near, -1)]
    return {
        "total_share": sum(change["share"] for change in changes),
        "changes": changes,
        "design": alternative_of(context, near.design, 0),
        "text": ", ".join(change["text"] for change in changes),
    }


def changes_of(context: Context, near: Near, bits: int) -> list[JsonObject]:
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
