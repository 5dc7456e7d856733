"""A front as a still picture, PNG or SVG: the first axis against each of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dse.report.front import (
    KINDS,
    LINE_WORDS,
    OTHERS,
    JsonObject,
    axis_title,
    better,
    chip_groups,
    guarantee_of,
    known,
    name_of,
    rows_of,
    staircase,
    titled,
)
from dse.report.replayed import require_plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

COLOURS = ("#1f6fb2", "#c2500a", "#16803c", "#a3329b", "#8a6d00", "#0e7f8c", "#c0264b", "#5b4fcf")
DPI = 120
TITLE_SIZE, TITLE_LINE = 11, 0.19
"""Points of the letters at the top, and inches of a line of them."""
WIDE = 0.95
"""Share of the figure's width that text may take: fonts of an SVG differ a little from machine to machine."""
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
        figure_of(front).savefig(file, format=ending, dpi=DPI, metadata=metadata)


def figure_of(front: JsonObject) -> Figure:
    """One panel for each axis but the first; the first axis is what they share."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    front = titled(front)
    first, *others = front["axes"]
    columns = 2 if len(others) in (2, 4) else len(others)
    rows = -(-len(others) // columns)
    figure = Figure(figsize=(9 if columns == 1 else 5.5 * columns, 1.6 + 4.2 * rows), dpi=DPI, layout="constrained")
    title = _title(front, FigureCanvasAgg(figure))
    figure.set_figheight(figure.get_figheight() + TITLE_LINE * (len(title) - 2))
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    figure.suptitle("\n".join(title), fontsize=TITLE_SIZE)
    drawn = [row for row in front["rows"] if any(known([row], (first, axis)) for axis in others)]
    colours = _colours(drawn)
    for panel, axis in zip(panels, others, strict=False):
        _draw_panel(panel, front, axis, first, colours)
    for panel in panels[len(others) :]:
        panel.set_visible(False)
    if front["rows"]:
        _legend(figure, drawn, colours)
    else:
        figure.text(0.5, 0.5, f"The front is empty: {front['reason'] or 'no design'}", ha="center", wrap=True)
    for text in figure.findobj(Text):
        text.set_parse_math(False)  # a `$` in a name is a dollar
    return figure


def _title(front: JsonObject, canvas: FigureCanvasAgg) -> list[str]:
    """The lines at the top, none wider than the figure: the problem, what a latency is, the headline."""
    from matplotlib.font_manager import FontProperties

    font, room = FontProperties(size=TITLE_SIZE), WIDE * canvas.figure.bbox.width
    renderer: Any = canvas.get_renderer()  # type: ignore[no-untyped-call]

    def fits(text: str) -> bool:
        # Not a formula: a `$` in a name is a dollar.
        width, _, _ = renderer.get_text_width_height_descent(text, font, ismath=False)
        return float(width) <= room

    guarantee = guarantee_of(front)
    texts = [f"{name_of(front)}, {front['task']}", *([f"latency: {guarantee}"] if guarantee else []), front["headline"]]
    return [line for text in texts for line in wrapped(text, fits)]


def wrapped(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Lines that fit, broken between words; a word too long for a line of its own is broken within."""
    lines = [""]
    for word in text.split():
        if lines[-1] and fits(f"{lines[-1]} {word}"):
            lines[-1] += f" {word}"
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if lines[-1] and not fits(lines[-1] + letter):
                lines.append("")
            lines[-1] += letter
    return lines


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


def _colours(rows: Sequence[JsonObject]) -> dict[str, str]:
    """The colour of each chip that is drawn."""
    groups = chip_groups(rows, len(COLOURS))
    own = [chip for chip, group in groups.items() if group != OTHERS]
    return {chip: COLOURS[own.index(chip)] if chip in own else OTHER_COLOUR for chip in groups}


def _legend(figure: Figure, drawn: Sequence[JsonObject], colours: dict[str, str]) -> None:
    """The chips by colour, the kinds by sign, and what the line is; only of what is drawn."""
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
        if any(row["kind"] == kind for row in drawn)
    ]  # fmt: skip
    half = LINE_WORDS.index(" by a ")
    label = f"{LINE_WORDS[:half]}\n{LINE_WORDS[half + 1 :]}"
    joined = any(row["kind"] != "unknown" for row in drawn)
    line = [Line2D([], [], color=LINE_COLOUR, linestyle=":", label=label)] if joined else []
    for columns in (4, 3, 2, 1):
        legend = figure.legend(
            handles=[*chips, *kinds, *line], loc="outside lower center", ncols=columns, frameon=False
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
        if columns == 1 or legend.get_window_extent().width <= WIDE * figure.bbox.width:
            return
        legend.remove()
