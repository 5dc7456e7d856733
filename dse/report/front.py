"""What every drawing of a front shares: names of axes, figures as text, a design in words, and the steps of two axes.

A front is the plain object that ``dse pareto --json`` prints. Nothing here chooses what is on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from dse.report.text import UNKNOWN_TEXT, number

JsonObject = dict[str, Any]
KINDS = {"front": "on the front", "near": "near the front", "unknown": "a figure is unknown"}
"""The kinds of rows in the order in which they are shown, and what each is called."""
OTHERS = "other chips"
_UNIT_SUFFIXES = ("_ms", "_w", "_usd", "_mb", "_hz", "_mj")
_SMALL = 1e-3


def axis_title(axis: JsonObject) -> str:
    """``worst case [ms]``; an attribute of the catalogue keeps its path, which is its only name."""
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


def chip_groups(rows: Sequence[JsonObject], most: int) -> dict[str, str]:
    """The group each chip is drawn in: its own for the `most` that have most rows, one for all others."""
    counts = Counter(str(row["chip"]) for row in rows)
    ranked = sorted(counts, key=lambda chip: (-counts[chip], chip))
    own = ranked if len(ranked) <= most else ranked[: most - 1]
    return {chip: chip if chip in own else OTHERS for chip in ranked}


def known(rows: Sequence[JsonObject], axes: Sequence[JsonObject]) -> list[JsonObject]:
    """The rows with a figure on each of these axes: only they have a place in a plot of them."""
    return [row for row in rows if all(row[axis["name"]] is not None for axis in axes)]


def staircase(rows: Sequence[JsonObject], x: JsonObject, y: JsonObject) -> list[tuple[float, float]]:
    """The points nothing beats on two axes alone, from the best x to the best y.

    The line from one to the next keeps y until the next x: left of (or above) it lies what no design reaches.
    """
    sign_x, sign_y = (-1 if axis["sense"] == "maximize" else 1 for axis in (x, y))
    points = sorted({(sign_x * row[x["name"]], sign_y * row[y["name"]]) for row in known(rows, (x, y))})
    steps: list[tuple[float, float]] = []
    for point in points:
        if not steps or point[1] < steps[-1][1]:
            steps.append(point)
    return [(sign_x * a, sign_y * b) for a, b in steps]
