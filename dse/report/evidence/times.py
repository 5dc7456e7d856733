"""What the worst time of a network rests on: measured rows or an estimate, then the guard, the tail and the stall."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dse.candidates.run_table import ESTIMATED, KNOWN, PERIOD_DEPTH_HIGH, SCALED
from dse.candidates.service import tail_of
from dse.catalog.types import Tail
from dse.estimate.evidence import GRADES
from dse.estimate.statistics import to_mean
from dse.report.evidence.estimates import estimated, scaled
from dse.report.evidence.record import RULE, Evidence, Trace, joined, known, number, problem_name, weakest
from dse.report.evidence.rows import grade_of_rows, group, own, row_figure

_TAILS = {"p99": "p99_over_mean", "p99.9": "p999_over_mean", "max": "p999_over_mean"}
_UNSTRETCHED = ("p99.9", "max")


def latency(trace: Trace) -> Evidence:
    """Evidence of the time of the network on its unit, before the guard and the tail."""
    runs, run = trace.context.runs, trace.run
    base = _base(trace)
    return scaled(trace, base) if int(runs.origin[run]) == SCALED else base


def _base(trace: Trace) -> Evidence:
    """Evidence of the time in the power mode it is known in."""
    runs, run = trace.context.runs, trace.run
    origin, row = int(runs.base_origin[run]), int(runs.row[run])
    if origin == KNOWN:
        entry = trace.context.problem.known[row]
        return own(trace, row, "latency_ms" if entry.latency_ms is not None else "period_ms")
    if origin == ESTIMATED:
        return estimated(trace, row, int(runs.net[run]))
    alone = _measured_alone(trace)
    return _slowest(trace, row) if alone is None else _parallel(trace, row, alone)


def _slowest(trace: Trace, row: int) -> Evidence:
    """A measured row, or the slowest of several under its key together with the others."""
    m, rows = trace.catalog.measurements, group(trace, row)
    found = [row_figure(trace, one) for one in rows.tolist()]
    if len(found) == 1:
        return found[0]
    depth = PERIOD_DEPTH_HIGH if m.quantity[row] == "period" else 1.0
    return trace.put(
        Evidence(
            id=f"derived:latency_ms({found[0].id} and {len(found) - 1} more under its key)",
            figure="latency_ms",
            of=found[0].of,
            value=number(_slowest_ms(trace, row) * depth),
            unit="ms",
            grade=grade_of_rows(trace, rows),
            kind="measured",
            place=found[0].place,
            source=joined(one.source for one in found),
            basis=f"slowest of {len(found)} rows of one network and condition",
            rests_on=tuple(one.id for one in found),
        )
    )


def _measured_alone(trace: Trace) -> int | None:
    """Row of the latency of one item alone, where the run joins it with the rate of cores in parallel."""
    runs, run = trace.context.runs, trace.run
    if not known(runs.period_ms[run]) or int(runs.grade[run]) >= GRADES.index("E"):
        return None
    same = (runs.lane == runs.lane[run]) & (runs.net == runs.net[run]) & (runs.batch == runs.batch[run])
    alone = np.flatnonzero(same & ~np.isfinite(runs.period_ms))
    return int(runs.row[alone[0]]) if len(alone) else None


def _parallel(trace: Trace, rate_row: int, row: int) -> Evidence:
    """The latency of one item alone, joined with the rate of cores in parallel."""
    rate, one = _slowest(trace, rate_row), _slowest(trace, row)
    cores = int(trace.catalog.measurements.cores[rate_row])
    return trace.put(
        Evidence(
            id=f"derived:latency_ms({rate.id} with {one.id})",
            figure="latency_ms",
            of=one.of,
            value=number(max(_slowest_ms(trace, row), cores * _slowest_ms(trace, rate_row))),
            unit="ms",
            grade="B",
            kind="derived",
            place=RULE,
            source=joined((rate.source, one.source)),
            basis="cores in parallel, an item on each: the longer of the latency alone and cores x period",
            rests_on=(rate.id, one.id),
        )
    )


def _slowest_ms(trace: Trace, row: int) -> float:
    """Mean time of a batch by the slowest row under a key [ms]."""
    m, rows = trace.catalog.measurements, group(trace, row)[:1]
    return float((m.time_ms[rows] * to_mean(m.statistic[rows]))[0])


def service(trace: Trace, base: Evidence) -> dict[str, Evidence]:
    """What the worst service of one batch is made of besides `base`, by name; ``service`` is their product."""
    context, run = trace.context, trace.run
    found = dict(_factors(trace))
    value = float(context.service.service_ms[run])
    if not known(value):
        return found
    parts = [base, *found.values()]
    if len(parts) > 1:
        base = trace.put(
            Evidence(
                id=f"derived:service_ms({' x '.join(part.id for part in parts)})",
                figure="service_ms",
                of=base.of,
                value=number(value),
                unit="ms",
                grade=weakest(part.grade for part in parts),
                kind="derived",
                place=RULE,
                source=joined(part.source for part in parts),
                basis="time of one batch x guard x tail x application factor; the stall is added",
                rests_on=tuple(part.id for part in parts),
            )
        )
    return found | {"service": base}


def _factors(trace: Trace) -> Iterator[tuple[str, Evidence]]:
    """Guard, application factor, tail and stall, where they are at work."""
    context, run, lane = trace.context, trace.run, trace.lane
    problem, wanted = context.problem, tail_of(context.problem, context.task)
    statistic = context.lanes.statistic[lane]
    if context.service.guard[run] != 1:
        yield "guard", _guard(trace)
    if problem.guard.application_factor != 1:
        factor = problem.guard.application_factor
        yield (
            "application_factor",
            trace.stated(("guard", "application_factor"), "time of the network", factor, "factor"),
        )
    tail = trace.catalog.tails.get(context.service.tail_class[lane])
    if tail is None:
        return
    if statistic == "p99" and wanted != "p99":
        yield "tail", _tail_figure(trace, tail, "p999_over_mean")
        yield "tail_p99", _tail_figure(trace, tail, "p99_over_mean")
    elif statistic not in (*_UNSTRETCHED, wanted):
        yield "tail", _tail_figure(trace, tail, _TAILS[wanted])
    if wanted == "max" and statistic != "max" and tail.stall_ms is not None:
        yield "stall", _tail_figure(trace, tail, "stall_ms")


def _guard(trace: Trace) -> Evidence:
    """The factor on a time that is no measurement under its very key."""
    context, run = trace.context, trace.run
    confidence, grade = context.problem.guard.confidence, GRADES[int(context.runs.grade[run])]
    spread, factor = float(context.runs.spread[run]), number(float(context.service.guard[run]))
    name = problem_name(context.problem)
    return trace.put(
        Evidence(
            id=f"{name}#guard/{confidence}/{grade}/{spread:.6g}/{factor:.6g}",
            figure="guard_factor",
            of=f"times of grade {grade} whose 90 % interval is x {spread:.4g}",
            value=float(f"{factor:.6g}"),
            unit="factor",
            grade=None,
            kind="assumed",
            place="guard of the problem",
            source=name,
            basis=f"one-sided confidence: {confidence}",
        )
    )


def _tail_figure(trace: Trace, tail: Tail, name: str) -> Evidence:
    """A figure of the row of ``tails.csv`` for the class of the unit."""
    tail_class = trace.context.service.tail_class[trace.lane]
    return trace.put(
        Evidence(
            id=f"{trace.id_of(tail.place)}#{name}",
            figure=name,
            of=f"units of the class {tail_class}",
            value=getattr(tail, name),
            unit="ms" if name == "stall_ms" else "factor",
            grade=tail.grade,
            kind="measured",
            place=trace.catalog.place(tail.place),
            source=tail.source,
        )
    )
