"""What power, energy and memory of a design rest on."""

from __future__ import annotations

import numpy as np

from dse.candidates.resources import (
    LIVE_SHARE,
    OWN_MEASUREMENT,
    POWER_BASES,
    POWER_GRADES,
    TYPICAL_TO_SUSTAINED,
    host_of,
    reserve_of,
    runtime_mb,
)
from dse.catalog.types import IntArray
from dse.estimate.peak import BYTES
from dse.report.evidence.record import RULE, Evidence, Trace, joined, known, number, weakest
from dse.report.evidence.rows import group, own, row_figure
from dse.report.evidence.things import mode_figure, thing_figure


def power(trace: Trace) -> tuple[Evidence | None, Evidence | None]:
    """Evidence of the power of chip or board alone, and of the whole system; None where it is not known."""
    r, run = trace.context.resources, trace.run
    if not known(r.own_power_w[run]):
        return None, None
    alone = _own_power(trace)
    if not known(r.power_w[run]):
        return alone, None
    parts, problem, chip = [alone], trace.context.problem, trace.chip
    if host_of(chip, problem.host).power_w and problem.host is not None:
        parts.append(trace.stated(("host", "power_w"), "the host", problem.host.power_w or 0.0, "W"))
    reserve = reserve_of(problem, chip)[2]
    if reserve:
        parts.append(trace.stated(("reserve", "power_w"), "what is kept for other parts", reserve, "W"))
    return alone, trace.sum_of("power_w", parts, number(float(r.power_w[run])), "W", alone.grade)


def _own_power(trace: Trace) -> Evidence:
    """Power by its rung: measured, of the mode, the maximum, or one and a half times what is typical."""
    r, runs, run = trace.context.resources, trace.context.runs, trace.run
    rung, value = int(r.power_basis[run]), float(r.own_power_w[run])
    grade = POWER_GRADES[rung]
    if rung == OWN_MEASUREMENT:
        return own(trace, int(runs.row[run]), "power_w")
    if rung == POWER_BASES.index("measured at this key"):
        return _greatest(trace, "power_w", value)
    if rung == POWER_BASES.index("budget of the power mode"):
        mode = trace.chip.mode(trace.lane_words["mode"])
        assert mode is not None
        return mode_figure(trace, mode, "budget_w", value, "W", grade)
    name = "max_w" if rung == POWER_BASES.index("maximum of the chip") else "typical_w"
    stated = getattr(trace.chip.power, name)
    figures = [(thing, getattr(thing.power, name)) for thing in trace.taken("power")]
    parts = [thing_figure(trace, thing, f"power.{name}", watts, "W", grade) for thing, watts in figures]
    found = trace.sum_of(f"power.{name}", parts, stated, "W", grade)
    if name == "max_w":
        return found
    return trace.put(
        Evidence(
            id=f"derived:power_w({TYPICAL_TO_SUSTAINED:g} x {found.id})",
            figure="power_w",
            of=found.of,
            value=value,
            unit="W",
            grade=grade,
            kind="derived",
            place=RULE,
            source=found.source,
            basis=f"{POWER_BASES[rung]}: a typical power is of no workload one could name",
            rests_on=(found.id,),
        )
    )


def _greatest(trace: Trace, column: str, value: float) -> Evidence:
    """The row under the key of a run that has its power, energy or memory: the greatest of those measured."""
    rows = measured_rows(trace)
    figures = getattr(trace.catalog.measurements, column)[rows]
    return row_figure(trace, int(rows[np.flatnonzero(figures == value)[0]]), column)


def measured_rows(trace: Trace) -> IntArray:
    """Measured rows behind a run, the slowest first."""
    return group(trace, int(trace.context.runs.row[trace.run]))


def energy(trace: Trace, alone: Evidence | None, service: Evidence | None) -> Evidence | None:
    """Energy of one item: measured, or the power of chip or board alone times the worst service."""
    runs, run = trace.context.runs, trace.run
    if known(runs.energy_mj[run]):
        return _greatest(trace, "energy_mj", float(runs.energy_mj[run]))
    value = float(trace.context.resources.energy_mj[run])
    if alone is None or service is None or not known(value):
        return None
    return trace.put(
        Evidence(
            id=f"derived:energy_mj({alone.id} x {service.id})",
            figure="energy_mj",
            of=service.of,
            value=number(value),
            unit="mJ",
            grade=weakest((alone.grade, service.grade)),
            kind="derived",
            place=RULE,
            source=joined((alone.source, service.source)),
            basis="power x worst service of a batch / items of a batch",
            rests_on=(alone.id, service.id),
        )
    )


def memory(trace: Trace) -> Evidence:
    """Memory of the network: measured, or weights + live activations + runtime."""
    runs, run = trace.context.runs, trace.run
    if known(runs.memory_mb[run]):
        return _greatest(trace, "memory_mb", float(runs.memory_mb[run]))
    words, nets, net = trace.lane_words, trace.catalog.nets, int(runs.net[run])
    precision, batch = words["precision"], int(runs.batch[run])
    parts = [
        _size(trace, int(nets.params_place[net]), "params_m", float(nets.params_m[net])),
        _size(trace, int(nets.activations_place[net]), "activations_m", float(nets.activations_m[net])),
        _runtime(trace),
    ]
    width = BYTES.get(precision, 1.0)
    return trace.put(
        Evidence(
            id=f"derived:memory_mb({' + '.join(part.id for part in parts)}; {precision}, batch {batch})",
            figure="memory_mb",
            of=f"{trace.net_name(net)} {precision} batch {batch}",
            value=float(trace.context.resources.memory_mb[run]),
            unit="10^6 byte",
            grade="E",
            kind="derived",
            place=RULE,
            source=joined(part.source for part in parts),
            basis=f"{width:g} byte x (weights + {LIVE_SHARE:g} x {batch} x activations) + runtime",
            rests_on=tuple(part.id for part in parts),
        )
    )


def _size(trace: Trace, place: int, figure: str, value: float) -> Evidence:
    """Parameters or activations of a network, from the row of ``models.csv`` that states them."""
    e = trace.catalog.entries
    row = int(np.flatnonzero(e.place == place)[0])
    return trace.put(
        Evidence(
            id=f"{trace.id_of(place)}#{figure}",
            figure=figure,
            of=trace.net_name(int(e.net[row])),
            value=number(value),
            unit="10^6",
            grade="B",
            kind="read",
            place=trace.catalog.place(place),
            source=str(e.macs_source[row] or e.source[row]),
        )
    )


def _runtime(trace: Trace) -> Evidence:
    """Memory of the runtime: as the chip's file says, else what is usual for its kind."""
    words, chip = trace.lane_words, trace.chip
    stated = chip.runtime(words["runtime"])
    value = runtime_mb(chip, words["unit"], words["runtime"])
    if stated is not None and stated.base_mb is not None:
        return thing_figure(trace, trace.thing(""), f"runtimes.{stated.id}.base_mb", value, "10^6 byte")
    return trace.put(
        Evidence(
            id=f"rule:runtime_mb/{value:g}",
            figure="runtime_mb",
            of="runtimes of this kind",
            value=value,
            unit="10^6 byte",
            grade="E",
            kind="assumed",
            place=RULE,
            source="usual memory of a runtime: none on a microcontroller, a GPU's context, or a runtime on Linux",
        )
    )
