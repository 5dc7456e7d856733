"""A scatter in characters: marks in a frame with round ticks, the same lines on every machine.

Terminal plot libraries were tried: they draw no rounder ticks, keep one figure for the whole process, and the text they
give changes with their version.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

Point = tuple[float, float]
STEP = "·"


def character_plot(
    marks: Sequence[tuple[Point, str]], steps: Sequence[Point], width: int, height: int, titles: tuple[str, str]
) -> list[str]:
    """Lines of a plot.

    Parameters
    ----------
    marks : sequence of ((x, y), character)
        What to draw; later ones stand over earlier ones.
    steps : sequence of (x, y)
        Corners of a line that keeps y until the next x; may be empty.
    width, height : int
        Characters of the whole, titles and ticks included.
    titles : (x, y)
        What stands under the frame and above it.
    """
    if not marks:
        return []
    ticks_y = _ticks([y for (_, y), _ in marks], max(2, (height - 4) // 4))
    labels = {tick: f"{tick:,.10g}" for tick in ticks_y}
    left = max(len(label) for label in labels.values()) + 2
    columns, rows = max(8, width - left - 1), max(4, height - 4)
    ticks_x = _ticks([x for (x, _), _ in marks], max(2, columns // 14))
    across = _Scale(ticks_x[0], ticks_x[-1], columns)
    up = _Scale(ticks_y[0], ticks_y[-1], rows)
    cells = [[" "] * columns for _ in range(rows)]
    for start, corner in pairwise(steps):
        _draw_step(cells, (across.cell(start[0]), up.cell(start[1])), (across.cell(corner[0]), up.cell(corner[1])))
    for (x, y), mark in marks:
        cells[up.cell(y)][across.cell(x)] = mark
    at_row = {up.cell(tick): label for tick, label in labels.items()}
    body = [
        f"{at_row.get(row, ''):>{left - 1}}{'┤' if row in at_row else '│'}{''.join(cells[row])}".rstrip()
        for row in reversed(range(rows))
    ]
    at_column = {across.cell(tick): f"{tick:,.10g}" for tick in ticks_x}
    frame = "".join("┬" if column in at_column else "─" for column in range(columns))
    under = [titles[0][k : k + width].strip() for k in range(0, len(titles[0]), width)]
    centred = [f"{' ' * max(0, left + (columns - len(line)) // 2)}{line}" for line in under]
    return [titles[1], *body, f"{' ' * (left - 1)}└{frame}", _labels(at_column, left, width), *centred]


class _Scale:
    """Where a figure falls among `count` cells that reach from `low` to `high`."""

    def __init__(self, low: float, high: float, count: int) -> None:
        self.low, self.span, self.last = low, high - low, count - 1

    def cell(self, value: float) -> int:
        return round((value - self.low) / self.span * self.last)


def _ticks(values: Sequence[float], most: int) -> list[float]:
    """Round figures that enclose the values, at steps of 1, 2 or 5 times a power of ten."""
    low, high = min(values), max(values)
    if low == high:
        low, high = low - (abs(low) / 10 or 1.0), high + (abs(high) / 10 or 1.0)
    rough = (high - low) / most
    power = math.floor(math.log10(rough))
    factor = next(factor for factor in (1, 2, 5, 10) if factor * 10.0**power >= rough * (1 - 1e-9))
    step = factor * 10.0**power
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 12 - power) for k in range(first, last + 1)]


def _draw_step(cells: list[list[str]], start: tuple[int, int], corner: tuple[int, int]) -> None:
    for column in range(min(start[0], corner[0]), max(start[0], corner[0]) + 1):
        cells[start[1]][column] = STEP
    for row in range(min(start[1], corner[1]), max(start[1], corner[1]) + 1):
        cells[row][corner[0]] = STEP


def _labels(at_column: dict[int, str], left: int, width: int) -> str:
    """The labels under their ticks, each as near to the middle as the edges allow; one that would touch is left out."""
    line = ""
    for column, label in sorted(at_column.items()):
        start = min(max(0, left + column - len(label) // 2), width - len(label))
        if not line or start > len(line):
            line = f"{line:<{start}}{label}"
    return line
