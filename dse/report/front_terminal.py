"""A front in the terminal: two of its axes as a plot in characters, and the rows as a table."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from dse.report.charplot import character_plot
from dse.report.front import (
    KINDS,
    OTHERS,
    JsonObject,
    axis_title,
    better,
    chip_groups,
    design,
    figure,
    grades,
    guarantee_of,
    known,
    name_of,
    rows_of,
    share,
    staircase,
    titled,
)
from dse.report.rows import show_rows
from dse.report.table import RUN
from dse.report.text import UNKNOWN_TEXT

LETTERS = "ABCDEFGHIJKL"
OTHER_MARK, NEAR_MARK, UNKNOWN_MARK = "o", "+", "?"
HEIGHT, LEAST, MOST = 20, 40, 110
"""Lines of the plot, and the narrowest and widest it is drawn."""
LEAST_BESIDE = 70
"""Characters a design needs to stand beside its figures."""
WORDS = (
    "chip",
    "board",
    "host",
    "mode",
    *RUN[: RUN.index("policy")],
    "tightest_limit",
    "tightest_margin",
    "bottleneck",
    "grade",
    "label",
    "ties",
)
"""What stands in a line of tab-separated text after the kind and the axes."""


def show_front(front: JsonObject, console: Console, *, plot: bool = True, axes: tuple[int, int] = (1, 0)) -> None:
    """Print a front; `axes` are the places of the axes that the plot draws across and up.

    Elsewhere than in a terminal the rows are tab-separated and nothing is coloured.
    """
    front = titled(front)
    console.print(Text.assemble((name_of(front), "bold"), f": {front['headline']}"))
    if guarantee_of(front):
        console.print(Text(f"latency: {guarantee_of(front)}", style="bold yellow"))
    if front.get("limits"):
        console.print(Text("limits: " + ", ".join(f"{one['name']} {one['text']}" for one in front["limits"])))
    if front["reason"]:
        console.print(Text(f"the front is empty: {front['reason']}", style="bold red"))
    if not front["rows"]:
        return
    if plot:
        for line in plot_lines(front, console.width, axes):
            # A line of a plot that wraps is no plot any more.
            console.print(Text(line), no_wrap=True, overflow="ignore", crop=False)
        console.print()
    if not console.is_terminal:
        show_rows(plain_rows(front), console)
        return
    label = common_label(front)
    if label:
        console.print(Text(f"every design listed: {label}"))
    for kind, title in (("front", "on the front"), ("near", "near the front")):
        _show_kind(front, kind, title, console)
    _show_kind(front, "unknown", "a figure is unknown: beats nothing, and might be on the front", console)


def common_label(front: JsonObject) -> str:
    """The label that all rows share; empty where they differ."""
    labels = {row.get("label") or "" for row in front["rows"]}
    return str(labels.pop()) if len(labels) == 1 else ""


def plot_lines(front: JsonObject, width: int, axes: tuple[int, int] = (1, 0)) -> list[str]:
    """The plot of two axes with the key of its marks beneath."""
    x, y = (titled(front)["axes"][k] for k in axes)
    groups = _letters(front)
    marks, kinds = [], set()
    for kind in reversed(KINDS):  # the front stands over what is near it
        for row in known(rows_of(front, kind), (x, y)):
            other = NEAR_MARK if kind == "near" else UNKNOWN_MARK
            marks.append(((row[x["name"]], row[y["name"]]), groups[row["chip"]] if kind == "front" else other))
            kinds.add(kind)
    steps = staircase(rows_of(front, "front") + rows_of(front, "near"), x, y)
    width = min(max(width, LEAST), MOST)
    titles = tuple(f"{axis_title(axis)}, {better(axis)}" for axis in (x, y))
    lines = character_plot(marks, steps, width, HEIGHT, (titles[0], titles[1]))
    absent = len(front["rows"]) - len(marks)
    return [*lines, *_key(groups, kinds, width), *([f"not drawn, a figure is unknown: {absent}"] if absent else [])]


def plain_rows(front: JsonObject) -> list[list[object]]:
    """A header and every row: the front, then what is near it, then those with an unknown figure."""
    names = [axis["name"] for axis in front["axes"]]
    words = [word for word in WORDS if word not in names]
    rows = [row for kind in KINDS for row in rows_of(front, kind)]
    lines: list[list[object]] = [["kind", *names, *words]]
    for row in rows:
        figures = (_exact(row[name], UNKNOWN_TEXT) for name in names)
        lines.append([row["kind"], *figures, *(_exact(row.get(word), "") for word in words)])
    return lines


def _exact(value: object, absent: str) -> str:
    """A cell to compute with: no thousands separators, and no more digits than a figure has."""
    if value is None:
        return absent
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _letters(front: JsonObject) -> dict[str, str]:
    """The mark of each chip on the front: a letter for the commonest, one sign for the rest."""
    groups = chip_groups(rows_of(front, "front"), len(LETTERS))
    own = [chip for chip, group in groups.items() if group != OTHERS]
    return {chip: LETTERS[own.index(chip)] if chip in own else OTHER_MARK for chip in groups}


def _key(marks: dict[str, str], kinds: set[str], width: int) -> list[str]:
    """What the marks of the kinds drawn mean, in as many lines as it takes."""
    words = [f"{mark} {chip}" for chip, mark in marks.items() if mark != OTHER_MARK]
    if OTHER_MARK in marks.values():
        words.append(f"{OTHER_MARK} {OTHERS}")
    for kind, mark in (("near", NEAR_MARK), ("unknown", UNKNOWN_MARK)):
        words += [f"{mark} {KINDS[kind]}"] if kind in kinds else []
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) + 3 > width:
            lines.append("")
        lines[-1] += f"{'   ' if lines[-1] else ''}{word}"
    return lines


def _show_kind(front: JsonObject, kind: str, title: str, console: Console) -> None:
    """Figures in columns, and the design beside them or, where there is no room, beneath: nothing is cut."""
    rows = rows_of(front, kind)
    if not rows:
        return
    marks = _letters(front)
    labelled = not common_label(front)
    heads = [_head(axis) for axis in front["axes"]]
    cells = [[figure(row[axis["name"]]) for axis in front["axes"]] for row in rows]
    widths = [max(map(len, [*head, *column])) for head, column in zip(heads, zip(*cells, strict=True), strict=True)]
    console.print(Text(f"{title}: {len(rows)}", style="bold"))
    for head in zip(*heads, strict=True):
        console.print(Text(_figures(" ", head, widths), style="bold"))
    left = len(_figures(" ", cells[0], widths)) + 2
    beside = console.width - left >= LEAST_BESIDE
    room, indent = (console.width - left, left) if beside else (console.width - 4, 4)
    for row, texts in zip(rows, cells, strict=True):
        mark = marks[row["chip"]] if kind == "front" else NEAR_MARK if kind == "near" else UNKNOWN_MARK
        first, said = _figures(mark, texts, widths), textwrap.wrap(_words(row, labelled), room, break_on_hyphens=False)
        if beside:
            first, said = f"{first}  {said[0]}", said[1:]
        console.print(Text(first), no_wrap=True)
        for more in said:
            console.print(Text(" " * indent + more, style="" if beside else "dim"), no_wrap=True)


def _head(axis: JsonObject) -> tuple[str, str]:
    """The name of an axis over its unit and direction."""
    name, _, unit = axis_title(axis).partition(" [")
    return name, f"{'[' + unit if unit else ''} {'↑' if axis['sense'] == 'maximize' else '↓'}".strip()


def _figures(mark: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    return f"{mark} " + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _words(row: JsonObject, labelled: bool) -> str:
    """The design, its grades, its label where they differ, the limit nearest to it, and how many are equal to it."""
    words = (design(row), grades(row), row.get("label") if labelled else "")
    text = " · ".join(str(word) for word in words if word)
    if row.get("tightest_limit") and row.get("tightest_margin") is not None:
        text += f" · {row['tightest_limit']} {share(row['tightest_margin'])} to spare"
    return text + (f" · {row['ties']} equal" if (row.get("ties") or 1) > 1 else "")
