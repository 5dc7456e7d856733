"""What an answer takes for granted, one line each: defaults, what was left out, cautions of the chosen design."""

from __future__ import annotations

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Context
from dse.candidates.path import PPM, cpu_stage_count, hidden_shares_ppm, scope_of
from dse.candidates.resources import POWER_BASES, reserve_of
from dse.candidates.run_table import KNOWN
from dse.candidates.service import is_soft, tail_of
from dse.candidates.stage_places import takes_decoder_time
from dse.candidates.table import Candidates
from dse.problem.defaults import defaults_used
from dse.problem.settings import Host
from dse.report.design import Design, describe
from dse.report.parts import names_in_series, path_of, series_of, stages_here
from dse.report.words import counted, flagged


def assumptions_of(answer: Answer) -> list[str]:
    """Everything that was taken for granted, one line each."""
    context = answer.context
    lines = [f"{path} = {value}" for path, value in defaults_used(context.problem)]
    lines += [counted(count, reason) for reason, count in context.space.dropped.items()]
    lines += [*_own_measurements(context), *context.quotes.remarks()]
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
        f"{'p99' if is_soft(context.task) else 'worst case'} x {context.service.tail[d.lane]:.3g} for "
        f"{tail_of(context.problem, context.task)}/mean of class "
        f"{context.service.tail_class[d.lane]} (grade {d.tail_grade})",
        *_guarantee_lines(context, d),
        *_cpu_lines(context, candidates, row, d),
        *_decoder_lines(context, d),
        *_stage_lines(context, candidates, row),
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
    stages = stages_here(context, d.run)
    on_cpu = [stage.time_ms for stage in stages if stage.resource == "cpu" and stage.time_ms is not None]
    if any(figure.default is not None for figure in on_cpu):
        lines.append("a CPU time without a chip's name holds on every chip")
    cores = float(context.resources.cores_left[d.run])
    if np.isnan(cores) and cpu_stage_count(stages):
        lines.append(f"CPU cores of {d.chip.id} are not known: its CPU stages run in series with the network")
    series = series_of(context, candidates, row)
    if series:
        lines.append(f"in series with the network, on its server: {', '.join(series)}")
    if cpu_stage_count(stages) > cores:
        lines.append(f"{max(cores, 0):g} CPU cores free for {cpu_stage_count(stages)} CPU stages of {d.chip.id}")
    return lines


def _guarantee_lines(context: Context, d: Design) -> list[str]:
    """What an estimate over phases is worth."""
    if not is_soft(context.task):
        return []
    queue = (
        "the wait is a quantile over random phases (Brownian bridge), and jitter is added to it in full"
        if d.batch == 1
        else f"batches of {d.batch} keep the worst-case wait, with p99 services"
    )
    return [
        f"guarantee p99: an estimate, not a bound; {queue}",
        "phases are fixed in one installation: p99 is a quantile over phases, and a badly phased one exceeds it always",
    ]


def _decoder_lines(context: Context, d: Design) -> list[str]:
    """How the decoder's time was found, and what takes its place."""
    lines, chip, source = [], d.chip, context.problem.source_of(context.task)
    for asked, stage in zip(context.stages, stages_here(context, d.run), strict=True):
        if stage is not asked:
            lines.append(f"{chip.id} states no {asked.resource}: {stage.name} runs on {stage.resource}")
        elif takes_decoder_time(stage):
            lines.append(
                f"{stage.name}: a frame takes 1000/(30 x {chip.decode_streams_1080p30:g}) ms of the decoder of "
                f"{chip.id} at 1920 x 1080, in proportion to its pixels"
            )
            if source.width is None:
                lines.append(f"frames of {source.name} count as 1920 x 1080: their size is not stated")
    return lines


def _stage_lines(context: Context, candidates: Candidates, row: int) -> list[str]:
    """Stages of a source that share a core, and overlap that does not count in full."""
    run, option = int(candidates.run[row]), int(candidates.option[row])
    path = path_of(context, run, option)
    shared = names_in_series(path.of_source)
    lines = [f"one server for the stages of the source that lack their own: {', '.join(shared)}"] if shared else []
    if path.shared != context.shared_stages:
        lines.append(
            f"stages of the source and of {context.task.name} need one server: worst case and load count as if the "
            "network ran on every frame, which is loose"
        )
    stages = stages_here(context, run)
    for stage, ppm in zip(stages, hidden_shares_ppm(stages), strict=True):
        if ppm < int(stage.overlap * PPM):
            lines.append(f"{stage.name}: overlap counts as {ppm / PPM:g}, no stage hides more than itself")
    return lines


def _host_lines(host: Host | None) -> list[str]:
    if host is None:
        return []
    if host.absent:
        return ["host: none; the card's power and price stand alone"]
    return ["host owned: neither its price nor its power counts" if host.owned else "host: as stated"]
