"""Figures of single rows: what somebody measured, in the catalogue or in the problem's ``known:``."""

from __future__ import annotations

import numpy as np

from dse.candidates.known import OWN_MEASUREMENT
from dse.candidates.runs import tail_or_mean
from dse.catalog.places import place_of
from dse.catalog.types import IntArray
from dse.estimate.statistics import to_mean
from dse.report.evidence.record import Evidence, Trace, number

_UNITS = {"time_ms_per_item": "ms", "power_w": "W", "energy_mj": "mJ", "memory_mb": "10^6 byte"}
_SAME_RUN = ("net", "batch", "cores", "mode", "unit", "runtime", "precision", "boundary", "quantity")


def row_figure(trace: Trace, row: int, column: str = "time_ms_per_item") -> Evidence:
    """One figure of one measured row, as it stands in its file."""
    m = trace.catalog.measurements
    is_time = column == "time_ms_per_item"
    value = float(m.time_ms[row]) / int(m.batch[row]) if is_time else float(getattr(m, column)[row])
    cores = f" x{m.cores[row]}" if m.cores[row] else ""
    place = int(m.place[row])
    return trace.put(
        Evidence(
            id=trace.id_of(place) + ("" if is_time else f"#{column}"),
            figure=column,
            of=f"{trace.net_name(int(m.net[row]))} {m.precision[row]} batch {m.batch[row]} on {m.chip[row]} "
            f"{m.unit[row]}{cores}, {m.runtime[row]}, {m.mode[row]}".removesuffix(", "),
            value=number(value),
            unit=_UNITS[column],
            grade=grade_of_rows(trace, np.array([row])) if is_time else "A",
            kind="measured",
            place=trace.catalog.place(place),
            source=str(m.source[row]),
            basis=_as_printed(trace, row) if is_time else None,
        )
    )


def grade_of_rows(trace: Trace, rows: IntArray) -> str:
    """Grade of rows under one key: that of a period, of figures that leave something open, or A."""
    m = trace.catalog.measurements
    vague = (m.statistic[rows] == "not-stated") | ~m.input_stated[rows]
    return "E" if m.quantity[rows[0]] == "period" else "B" if bool(vague.all()) else "A"


def _as_printed(trace: Trace, row: int) -> str:
    m = trace.catalog.measurements
    factor = float(to_mean(m.statistic[[row]])[0])
    words = [f"{m.quantity[row]}, {m.statistic[row]}, at the boundary {m.boundary[row]}"]
    words += [f"x {factor:.4g} gives the mean"] if factor != 1 else []
    words += ["a pipelined rate: an item takes 1 to 8 times as long"] if m.quantity[row] == "period" else []
    words += [] if m.input_stated[row] else ["its input size is not stated: taken at the largest of the network"]
    return "; ".join(words)


def group(trace: Trace, row: int) -> IntArray:
    """All rows under the key of one, the slowest first: what the table makes one run of."""
    m = trace.catalog.measurements
    rows = m.of_chip[m.chip[row]]
    for name in _SAME_RUN:
        column = getattr(m, name)
        rows = rows[column[rows] == column[row]]
    rows = rows[tail_or_mean(m.statistic[rows]) == tail_or_mean(m.statistic[[row]])[0]]
    mean_ms = m.time_ms[rows] * to_mean(m.statistic[rows])
    ordered: IntArray = rows[np.argsort(-mean_ms, kind="stable")]
    return ordered


def own(trace: Trace, entry: int, figure: str) -> Evidence:
    """A figure of an entry of ``known:``."""
    problem = trace.context.problem
    stated = problem.known[entry]
    line = problem.place(("known", entry, figure))[0] or problem.place(("known", entry))[0]
    file = len(trace.catalog.files) - len(problem.known) + entry
    place = place_of(file, line)
    value = stated.period_given_ms if figure == "period_ms" else getattr(stated, figure)
    return trace.put(
        Evidence(
            id=f"{trace.id_of(place)}#{figure}",
            figure=figure,
            of=f"{stated.model} {stated.precision} batch {stated.batch} on {stated.chip or stated.board}",
            value=value,
            unit=figure.rpartition("_")[2].replace("w", "W"),
            grade="E" if figure == "period_ms" else "A",
            kind="measured",
            place=trace.catalog.place(place),
            source=stated.source or OWN_MEASUREMENT,
            basis=f"your own measurement: {stated.statistic}, at the boundary {stated.boundary}",
        )
    )
