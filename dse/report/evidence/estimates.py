"""What an estimated time rests on: the law with the rows nearest to it, and scaling to other power modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.candidates.run_table import ESTIMATED, KNOWN
from dse.catalog.types import Mode
from dse.estimate.basis import nearest_measured
from dse.estimate.evidence import GRADES, LEVELS, grades
from dse.patterns import normalise
from dse.report.evidence.record import RULE, Evidence, Trace, joined
from dse.report.evidence.rows import row_figure
from dse.report.evidence.things import mode_figure

_LIKENESS = ("quantity", "runtime", "precision", "mode", "cores", "batch")


def estimated(trace: Trace, calibration: int, net: int) -> Evidence:
    """An estimate with the rows of the measured networks nearest to it."""
    speeds = trace.context.knowledge.speeds
    c = speeds.calibrations
    words = {name: getattr(c, name)[calibration] for name in ("chip", "unit", "runtime", "precision", "mode", "cores")}
    near = nearest_measured(trace.catalog, words["chip"], words["unit"], net)
    parts = [row_figure(trace, _likest(trace, one, words)) for one in near]
    level = int(speeds.level[calibration, net])
    counted = f"{int(c.measured_nets[calibration])} networks measured on the unit with this runtime"
    names = ", ".join(trace.net_name(one) for one in near) or "none"
    return trace.put(
        Evidence(
            id=f"estimate:{_way(trace, words, net, 1)}",
            figure="latency_ms",
            of=f"{trace.net_name(net)} {words['precision']} on {words['chip']} {words['unit']}",
            value=round(float(speeds.typical_ms[calibration, net]), 4),
            unit="ms",
            grade=GRADES[int(grades(np.array([level]))[0])],
            kind="estimated",
            place=RULE,
            source="law fitted to all measurements of the catalogue",
            basis=f"{counted} (level {LEVELS[level]}); the nearest measured on the unit: {names}",
            rests_on=tuple(part.id for part in parts),
        )
    )


def _way(trace: Trace, words: dict[str, Any], net: int, batch: int) -> str:
    """Everything a time is of, in one word."""
    parts = (words["chip"], words["unit"], trace.net_name(net), words["precision"], batch)
    more = (words["runtime"], f"cores {words['cores'] or 'all'}", words["mode"])
    return "/".join(str(part) or "-" for part in (*parts, *more))


def _likest(trace: Trace, net: int, words: dict[str, Any]) -> int:
    """Of the rows of a network on a unit, the one measured most like the estimate."""
    m = trace.catalog.measurements
    rows = m.of_chip[words["chip"]]
    rows = rows[m.net[rows] == net]
    rows = rows[m.unit[rows] == words["unit"]]
    wanted = {**words, "quantity": "latency", "batch": 1}
    return int(
        max(rows.tolist(), key=lambda row: ([getattr(m, name)[row] == wanted[name] for name in _LIKENESS], -row))
    )


def scaled(trace: Trace, base: Evidence) -> Evidence:
    """A time in a power mode nobody measured, from the mode somebody did and the clocks of both."""
    runs, run, words = trace.context.runs, trace.run, trace.lane_words
    chip, net = trace.catalog.chips[words["chip"]], int(runs.net[run])
    modes = [mode for mode in (chip.mode(_base_mode(trace)), chip.mode(words["mode"])) if mode is not None]
    parts = [base, *(part for mode in modes for part in _clocks(trace, mode))]
    return trace.put(
        Evidence(
            id=f"estimate:{_way(trace, words, net, int(runs.batch[run]))} from {base.id}",
            figure="latency_ms",
            of=f"{trace.net_name(net)} {words['precision']} on {chip.id} {words['unit']}, {words['mode']}",
            value=round(float(runs.base_ms[run]), 4),
            unit="ms",
            grade=GRADES[int(runs.grade[run])],
            kind="estimated",
            place=RULE,
            source=joined(part.source for part in parts),
            basis=f"scaled from {_base_mode(trace)} by the compute rates and bandwidths of the two power modes",
            rests_on=tuple(part.id for part in parts),
        )
    )


def _base_mode(trace: Trace) -> str:
    runs, run = trace.context.runs, trace.run
    origin, row = int(runs.base_origin[run]), int(runs.row[run])
    if origin == KNOWN:
        chip, name = trace.catalog.chips[trace.chip.id], trace.context.problem.known[row].mode or ""
        stated = (mode.id for mode in chip.modes if normalise(mode.id) == normalise(name))
        return next(stated, chip.reference_mode.id if chip.reference_mode else "")
    speeds = trace.context.knowledge.speeds
    table = speeds.calibrations if origin == ESTIMATED else trace.catalog.measurements
    return str(table.mode[row])


def _clocks(trace: Trace, mode: Mode) -> list[Evidence]:
    """Rates of a mode; that of the reference mode is 1 by definition and no figure."""
    figures = (("compute_scale", None if mode.reference else mode.compute_scale, "share of the reference mode"),
               ("bandwidth_gbs", mode.bandwidth_gbs, "10^9 byte/s"))  # fmt: skip
    return [mode_figure(trace, mode, name, value, unit) for name, value, unit in figures if value is not None]
