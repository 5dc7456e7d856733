"""What every drawing of a front shares: its first lines, names of axes, figures, a design in words, steps of two axes.

A front is the plain object that ``dse pareto --json`` prints. Nothing here chooses what is on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from dse.report.summary import SOFT_LABEL
from dse.report.text import UNKNOWN_TEXT, number

JsonObject = dict[str, Any]
KINDS = {"front": "on the front", "near": "near the front", "unknown": "a figure is unknown"}
"""The kinds of rows in the order in which they are shown, and what each is called."""
OTHERS = "other chips"
LINE_WORDS = "not beaten on these two axes by a design whose figures are all known"
"""What the dotted line joins: designs that lack a figure may well beat it."""
_UNIT_SUFFIXES = ("_ms", "_w", "_usd", "_mb", "_hz", "_mj")
_SMALL = 1e-3


def name_of(front: JsonObject) -> str:
    """The problem's name, or its file where it has none."""
    return str(front["problem"].get("name") or front["problem"].get("file") or "front")


def guarantee_of(front: JsonObject) -> str:
    """What a latency of this front is, where it is no worst case; else empty."""
    return SOFT_LABEL if front.get("guarantee") == "p99" else ""


def titled(front: JsonObject) -> JsonObject:
    """The front with a title on every axis: a latency that is a p99 is not called a worst case."""
    soft = bool(guarantee_of(front))
    axes = [
        {**axis, "title": "p99 estimate [ms]" if soft and axis["name"] == "worst_case_ms" else axis_title(axis)}
        for axis in front["axes"]
    ]
    return {**front, "axes": axes}


def axis_title(axis: JsonObject) -> str:
    """``worst case [ms]``; an attribute of the catalogue keeps its path, which is its only name."""
    if axis.get("title"):
        return str(axis["title"])
    name, unit = str(axis["name"]), str(axis["unit"] or "").removeprefix("metric ")
    if "." not in name:
        suffix = next((one for one in _UNIT_SUFFIXES if name.endswith(one)), "")
        name = name.removesuffix(suffix).replace("_", " ")
    return f"{name} [{unit}]" if unit else name


def better(axis: JsonObject) -> str:
    """Which direction of an axis is the better one."""
    return "higher is better" if axis["sense"] == "maximize" else "lower is better"


def figure(value: object) -> str:
    """A cell as text at four significant digits, no zeros at the end; a figure nobody knows is never 0."""
    if value is None or value == "":
        return UNKNOWN_TEXT
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if 0 < abs(value) < _SMALL:
        return f"{value:.3g}"
    text = number(value, digits=4)
    return text.rstrip("0").rstrip(".") if "." in text else text


def share(value: float) -> str:
    """A share in percent: ``17 %``, and ``0.8 %`` where it is small."""
    return f"{100 * value:.{1 if abs(value) < 0.1 else 0}f} %"


def rows_of(front: JsonObject, kind: str) -> list[JsonObject]:
    """The rows of one kind, in the order of the front."""
    return [row for row in front["rows"] if row["kind"] == kind]


def design(row: JsonObject) -> str:
    """A design in one line, as answers say it."""
    board = f" on {row['board']}" if row.get("board") else ""
    mode = "" if row.get("mode") in (None, "", "default") else f" {row['mode']}"
    batch = "" if row.get("batch") in (None, "", 1) else f" batch {row['batch']}"
    where = ", ".join(str(row[key]) for key in ("unit", "runtime") if row.get(key))
    how = f"{row.get('precision') or 'precision unknown'}{batch}" + (f" on {where}" if where else "")
    return f"{row['chip']}{mode}{board} · {network(row)} [{row.get('weights') or 'no tag'}] · {how}"


def network(row: JsonObject) -> str:
    """The network with the size of its input, as ``name@384`` or ``name@384x640``."""
    height, width = row.get("input_h"), row.get("input_w")
    if not height:
        return str(row["model"])
    return f"{row['model']}@{height}" if width in (None, "", height) else f"{row['model']}@{height}x{width}"


def grades(row: JsonObject) -> str:
    """``time B, accuracy D``; a grade that is not given is left out."""
    pairs = (("time", row.get("grade")), ("accuracy", row.get("accuracy_grade")))
    return ", ".join(f"{what} {grade}" for what, grade in pairs if grade)


def chip_groups(rows: Sequence[JsonObject], most: int) -> dict[str, str]:
    """The group each chip is drawn in: its own for the first `most`, one for all others.

    Chips with most rows on the front come first, then those with most near it, then those with an unknown figure.
    """
    counts = Counter((str(row["chip"]), row["kind"]) for row in rows)
    chips = {chip for chip, _ in counts}
    ranked = sorted(chips, key=lambda chip: (*(-counts[chip, kind] for kind in KINDS), chip))
    own = ranked if len(ranked) <= most else ranked[: most - 1]
    return {chip: chip if chip in own else OTHERS for chip in ranked}


def known(rows: Sequence[JsonObject], axes: Sequence[JsonObject]) -> list[JsonObject]:
    """The rows with a figure on each of these axes: only they have a place in a plot of them."""
    return [row for row in rows if all(row[axis["name"]] is not None for axis in axes)]


def staircase(rows: Sequence[JsonObject], x: JsonObject, y: JsonObject) -> list[tuple[float, float]]:
    """The points that none of these rows beats on two axes alone, from the best x to the best y.

    The line from one to the next keeps y until the next x: left of (or above) it lies what none of them reaches.
    """
    sign_x, sign_y = (-1 if axis["sense"] == "maximize" else 1 for axis in (x, y))
    points = sorted({(sign_x * row[x["name"]], sign_y * row[y["name"]]) for row in known(rows, (x, y))})
    steps: list[tuple[float, float]] = []
    for point in points:
        if not steps or point[1] < steps[-1][1]:
            steps.append(point)
    return [(sign_x * a, sign_y * b) for a, b in steps]
