"""What an answer takes for granted, one line each: defaults, what was left out, cautions of the chosen design."""

from __future__ import annotations

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Context
from dse.candidates.path import cpu_stage_count, scope_of
from dse.candidates.resources import POWER_BASES, reserve_of
from dse.candidates.run_table import KNOWN
from dse.candidates.table import Candidates
from dse.problem.defaults import defaults_used
from dse.problem.settings import Host
from dse.report.design import Design, describe
from dse.report.parts import series_of
from dse.report.words import counted, flagged


def assumptions_of(answer: Answer) -> list[str]:
    """Everything that was taken for granted, one line each."""
    context = answer.context
    lines = [f"{path} = {value}" for path, value in defaults_used(context.problem)]
    lines += [counted(count, reason) for reason, count in context.space.dropped.items()]
    lines += _own_measurements(context)
    if scope_of(context.task) == "network-only":
        lines.append("network only: capture, decode, resize and post-processing not counted")
    if answer.row is not None:
        lines += design_cautions(context, answer.candidates, answer.row)
    return lines


def _own_measurements(context: Context) -> list[str]:
    """Whether the user's own measurements became candidates."""
    asked = len(context.problem.known)
    if not asked:
        return []
    used = int((context.runs.origin == KNOWN).sum())
    return [f"{used} runs of your own measurements (`known:`, {asked} entries) are among the candidates"]


def design_cautions(context: Context, candidates: Candidates, row: int) -> list[str]:
    """Cautions of the chosen design."""
    d = describe(context, candidates, row)
    memory, cores, power = reserve_of(context.problem, d.chip)
    lines = [
        f"reserve on {d.chip.id}: {memory:g} MB, {cores:g} CPU cores, {power:g} W",
        f"worst case x {context.service.tail[d.lane]:.3g} for {context.problem.guard.tail}/mean of class "
        f"{context.service.tail_class[d.lane]} (grade {d.tail_grade})",
        *_cpu_lines(context, candidates, row, d),
        *_host_lines(context.problem.host if d.chip.needs_host else None),
    ]
    if d.boundary == "chip" and context.problem.guard.boundary != "chip":
        lines.append(
            "the network's time was measured at the chip: host calls and copies count only as stages you state"
        )
    if d.chip.regions and np.isnan(context.resources.region_spare_mb[d.run]):
        lines.append(f"whether the network fits the memory regions of {d.chip.id} is not known: flagged, not rejected")
    if int(context.resources.power_basis[d.run]) == POWER_BASES.index("typical x 1.5"):
        lines.append("power: typical figure x 1.5 (grade E)")
    lines += [
        f"{name} is unknown for {d.chip.id} and was flagged, not rejected" for name in flagged(context, candidates, row)
    ]
    return lines


def _cpu_lines(context: Context, candidates: Candidates, row: int, d: Design) -> list[str]:
    """What was assumed of CPU stages and cores."""
    lines = []
    on_cpu = [stage.time_ms for stage in context.stages if stage.resource == "cpu" and stage.time_ms is not None]
    if any(figure.default is not None for figure in on_cpu):
        lines.append("a CPU time without a chip's name holds on every chip")
    cores = float(context.resources.cores_left[d.run])
    if np.isnan(cores) and cpu_stage_count(context.stages):
        lines.append(f"CPU cores of {d.chip.id} are not known: its CPU stages run in series with the network")
    series = series_of(context, candidates, row)
    if series:
        lines.append(f"in series with the network, on its server: {', '.join(series)}")
    if cpu_stage_count(context.stages) > cores:
        lines.append(
            f"{max(cores, 0):g} CPU cores free for {cpu_stage_count(context.stages)} CPU stages of {d.chip.id}"
        )
    return lines


def _host_lines(host: Host | None) -> list[str]:
    if host is None:
        return []
    if host.absent:
        return ["host: none; the card's power and price stand alone"]
    return ["host owned: neither its price nor its power counts" if host.owned else "host: as stated"]
