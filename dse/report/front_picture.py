"""A front as a still picture, PNG or SVG: the first axis against each of the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dse.report.front import (
    KINDS,
    OTHERS,
    JsonObject,
    axis_title,
    better,
    chip_groups,
    known,
    rows_of,
    staircase,
)
from dse.report.replayed import require_plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#1f6fb2", "#c2500a", "#16803c", "#a3329b", "#8a6d00", "#0e7f8c", "#c0264b", "#5b4fcf")
OTHER_COLOUR, LINE_COLOUR = "#6b7480", "#5a6675"
MARKERS = {"front": "o", "near": "D", "unknown": "x"}
# Text stays text in an SVG, and the names of its parts depend on nothing but the picture.
SETTINGS: Any = {"svg.hashsalt": "dse", "svg.fonttype": "none", "font.size": 10}


def write_picture(front: JsonObject, target: Path) -> None:
    """Draw a front; the same front gives the same bytes, written whole or not at all.

    Raises
    ------
    InputError
        The ending is neither ``.png`` nor ``.svg``, or matplotlib is not installed.
    """
    require_plots(target)
    import matplotlib as mpl

    from dse.report.table import whole_file

    ending = target.suffix[1:].casefold()
    with mpl.rc_context(SETTINGS), whole_file(target) as file:
        metadata = {"Date": None} if ending == "svg" else {}
        _figure(front).savefig(file, format=ending, dpi=120, metadata=metadata)


def _figure(front: JsonObject) -> Figure:
    """One panel for each axis but the first; the first axis is what they share."""
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    first, *others = front["axes"]
    columns = 2 if len(others) in (2, 4) else len(others)
    rows = -(-len(others) // columns)
    figure = Figure(figsize=(9 if columns == 1 else 5.5 * columns, 1.6 + 4.2 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    figure.suptitle(f"{front['problem']['name']}, {front['task']}\n{front['headline']}", fontsize=11)
    colours = _colours(front)
    for panel, axis in zip(panels, others, strict=False):
        _draw_panel(panel, front, axis, first, colours)
    for panel in panels[len(others) :]:
        panel.set_visible(False)
    if front["rows"]:
        _legend(figure, front, colours)
    else:
        figure.text(0.5, 0.5, f"The front is empty: {front['reason'] or 'no design'}", ha="center", wrap=True)
    for text in figure.findobj(Text):
        text.set_parse_math(False)  # a `$` in a name is a dollar
    return figure


def _draw_panel(panel: Axes, front: JsonObject, x: JsonObject, y: JsonObject, colours: dict[str, str]) -> None:
    steps = staircase(rows_of(front, "front") + rows_of(front, "near"), x, y)
    # The line keeps the value upwards until the next step, whichever way the figures run.
    panel.plot([a for a, _ in steps], [b for _, b in steps], drawstyle="steps-post", color=LINE_COLOUR, linestyle=":",
               linewidth=1.3, zorder=1)  # fmt: skip
    for order, kind in enumerate(reversed(KINDS), start=2):
        rows = known(rows_of(front, kind), (x, y))
        shades = [colours[row["chip"]] for row in rows]
        filled: Any = {} if kind == "unknown" else {"edgecolors": "white" if kind == "front" else shades}
        panel.scatter([row[x["name"]] for row in rows], [row[y["name"]] for row in rows], marker=MARKERS[kind],
                      c="none" if kind == "near" else shades, s=42 if kind == "front" else 30, linewidths=1,
                      zorder=order, **filled)  # fmt: skip
    across, up = ("→" if x["sense"] == "maximize" else "←"), ("↑" if y["sense"] == "maximize" else "↓")
    panel.set_xlabel(f"{axis_title(x)}  {across} {better(x)}")
    panel.set_ylabel(f"{axis_title(y)}  {up} {better(y)}")
    panel.tick_params(labelleft=True)
    panel.grid(color="#e3e7ec", linewidth=0.8)
    panel.set_axisbelow(True)
    absent = len(front["rows"]) - len(known(front["rows"], (x, y)))
    if absent:
        panel.set_title(f"not drawn, a figure is unknown: {absent}", fontsize=9, loc="right", color=LINE_COLOUR)


def _colours(front: JsonObject) -> dict[str, str]:
    groups = chip_groups(front["rows"], len(COLOURS))
    own = [chip for chip, group in groups.items() if group != OTHERS]
    return {chip: COLOURS[own.index(chip)] if chip in own else OTHER_COLOUR for chip in groups}


def _legend(figure: Figure, front: JsonObject, colours: dict[str, str]) -> None:
    """The chips by colour, the kinds by sign, and what the line is."""
    from matplotlib.lines import Line2D

    chips = [Line2D([], [], marker="o", linestyle="", color=colour, label=chip)
             for chip, colour in colours.items() if colour != OTHER_COLOUR]  # fmt: skip
    others = sum(colour == OTHER_COLOUR for colour in colours.values())
    if others:
        chips.append(Line2D([], [], marker="o", linestyle="", color=OTHER_COLOUR, label=f"{others} {OTHERS}"))
    kinds = [
        Line2D([], [], marker=MARKERS[kind], linestyle="", color="black", label=words,
               markerfacecolor="none" if kind == "near" else "black")
        for kind, words in KINDS.items()
        if rows_of(front, kind)
    ]  # fmt: skip
    line = Line2D([], [], color=LINE_COLOUR, linestyle=":", label="not beaten on these two axes alone")
    figure.legend(handles=[*chips, *kinds, line], loc="outside lower center", ncols=4, frameon=False)
