"""Families of networks within the work of weak, middling and strong chips: a table, and what a stronger one changes."""

from __future__ import annotations

from dse.catalog.metrics import PERCENT
from dse.report.budget_figures import UNKNOWN, accuracy, macs, ranged
from dse.report.text import JsonObject, number

NAMED = 4
"""Families that are named where there are more."""
NO_LIMIT = "-"
LEAST_NAME = 8
"""Letters of a network's name that a table shows at least."""


def heading(task: JsonObject) -> list[str]:
    """What the table compares, and by which figures."""
    unit = " [%]" if task["metric"] in PERCENT else ""
    asked = "" if task["min_accuracy"] is None else f"; asked for: {number(task['min_accuracy'])}"
    return [
        f"families by work alone: best published {task['metric']}{unit} on {task['dataset']} within it{asked}",
        "  as one source publishes it, at full precision where it does: what runs on a chip may be less accurate",
    ]


def legend(task: JsonObject) -> str:
    """What the marks in the table mean."""
    below = (
        "" if task["min_accuracy"] is None else f"( ) published below the {number(task['min_accuracy'])} asked for; "
    )
    return f"  {below}? only where a unit is used as well as the best 5 %; chips: with a run in time, however accurate"


def tier_words(tier: JsonObject) -> str:
    """The unit that stands for a tier, and where its utilization comes from."""
    work = tier["work"]
    used, whose = work["utilization"], "it" if work["scope"] == "unit" else work["tail_class"]
    return (
        f"{tier['name']}: {work['chip']} {work['unit']}, {ranged(work['gmacs'])} MAC; "
        f"{100 * used['value']:.2g} % of its peak used, {work['runs']} runs on {whose}"
    )


def family_rows(families: list[JsonObject], task: JsonObject, width: int) -> list[list[str]]:
    """Cells of the table: a family, its least work, its best member on every tier, and chips with a run in time.

    Names of networks are cut to what `width` letters in all leave, and to no fewer than `LEAST_NAME`.
    """
    tiers = [tier["name"] for tier in task["tiers"]]
    chips = {one["family"]: str(one["chips"]) for one in task["reach"]["families"]}
    outer = [
        (one["name"], "one bit" if one["binarized"] else macs(one["least_gmacs"]), chips.get(one["name"], "0"))
        for one in families
    ]
    marked = [[_member(one, tier, task["min_accuracy"]) for tier in tiers] for one in families]
    widths = [max(len(head), *(len(row[k]) for row in outer)) for k, head in enumerate(("family", "from MAC", "chips"))]
    figures = [max(len(row[k][0]) for row in marked) for k in range(len(tiers))]
    apart = len(tiers) + 2 + len(tiers)  # between columns, and between a figure and its name
    room = max(LEAST_NAME, (width - sum(widths) - apart - sum(figures)) // max(1, len(tiers)))
    cells = [[_cut(*pair, size + 1 + room) for pair, size in zip(row, figures, strict=True)] for row in marked]
    return [[name, least, *row, count] for (name, least, count), row in zip(outer, cells, strict=True)]


def _member(family: JsonObject, tier: str, asked: float | None) -> tuple[str, str]:
    """Marked accuracy and name of the best member of a family on a tier."""
    sure, maybe = family["likely"].get(tier), family["perhaps"].get(tier)
    member = sure or maybe
    if member is None:
        return NO_LIMIT, ""
    figure = accuracy(member["accuracy"])
    below = asked is not None and member["accuracy"] is not None and member["accuracy"] < asked
    return f"{'' if sure else '?'}{f'({figure})' if below else figure}", member["model"]


def _cut(figure: str, name: str, room: int) -> str:
    cell = f"{figure} {name}".rstrip()
    return cell if len(cell) <= room else cell[: room - 1] + "…"


def gain_words(task: JsonObject) -> list[str]:
    """What a stronger chip changes: families that become possible, which reach what is asked, the best published."""
    lines: list[str] = []
    before: tuple[list[str], float | None] | None = None
    for tier in (one["name"] for one in task["tiers"]):
        members = {one["name"]: one["likely"][tier] for one in task["families"] if tier in one["likely"]}
        best = max(members.values(), key=lambda member: member["accuracy"] or 0.0, default=None)
        value = None if best is None else best["accuracy"]
        if before is None:
            text = _first_words(task, tier, list(members))
        else:
            new = [name for name in members if name not in before[0]]
            text = (
                f"{len(new) or 'no'} more {'family' if len(new) == 1 else 'families'}{': ' if new else ''}{_names(new)}"
            )
        lines.append(f"{tier} chips: {text}")
        if members and task["min_accuracy"] is not None:
            lines.append(f"  {_reaching_words(members, task['min_accuracy'])}")
        if best is not None and value is not None:
            gain = "" if before is None or before[1] is None else f" (+{value - before[1]:.1f})"
            lines.append(
                f"  best published: {_range(best)}{gain} {best['precision']}, {best['model']}, {best['source']}"
            )
        before = (list(members), value)
    return lines


def _first_words(task: JsonObject, tier: str, names: list[str]) -> str:
    """Families within the work of the first tier, and those that perhaps are."""
    maybe = [one["name"] for one in task["families"] if tier in one["perhaps"] and tier not in one["likely"]]
    text = f"within their work {', '.join(names)}" if names else "no family is within their work"
    return text + (f"; {', '.join(maybe)} perhaps" if maybe else "")


def _reaching_words(members: dict[str, JsonObject], asked: float) -> str:
    """Which of the families within the work publish what is asked for; one without a figure is neither."""
    reach = [name for name, one in members.items() if one["accuracy"] is not None and one["accuracy"] >= asked]
    below = [name for name, one in members.items() if one["accuracy"] is not None and one["accuracy"] < asked]
    unknown = [name for name, one in members.items() if one["accuracy"] is None]
    few = _names(reach) if len(members) == len(reach) or len(reach) <= NAMED else ""
    text = f"{len(reach) or 'none'} of {len(members)} reach {number(asked)} as published{': ' if few else ''}{few}"
    text += f"; below it: {_names(below)}" if below else ""
    return text + (f"; {UNKNOWN}: {_names(unknown)}" if unknown else "")


def _names(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")


def _range(member: JsonObject) -> str:
    """Accuracy, with its interval where sources differ."""
    low, high = member["low"], member["high"]
    apart = low is not None and high is not None and high > low
    return accuracy(member["accuracy"]) + (f" ({accuracy(low)}–{accuracy(high)})" if apart else "")
