"""The worst case of one candidate taken apart: which stage costs what, and what the largest part of it is."""

from __future__ import annotations

from typing import Any

from dse.candidates.context import Context
from dse.candidates.path import ItemPath, StageTimes
from dse.candidates.stage_places import Stages, on_chip
from dse.candidates.table import Candidates
from dse.candidates.worst import ways_of
from dse.problem.fields import exact
from dse.problem.stage import INFER, Stage
from dse.schema import TICKS_PER_MS
from dse.timing.ticks import up_ticks

Line = tuple[str, str, int]
ALWAYS_SHOWN = ("service", "transfer", "delay")
NOT_OF_THE_CHIP = ("delay", "jitter", "batch_wait")
"""Parts that take as long on any chip."""


def latency_parts(context: Context, candidates: Candidates, row: int) -> list[dict[str, Any]]:
    """Parts that add up to ``worst_case_ms``, in the order of the path; empty without a bound.

    What runs in series with the network on its server (a transfer with one buffer) is shown under its own stage. Where
    stages of a source run at its own rate, their queue stands at the slowest of them.
    """
    run, option = int(candidates.run[row]), int(candidates.option[row])
    parts, ways = ways_of(context, run, option)
    if not (ways.known[0] and parts.stable[0] and ways.source.stable[0]):
        return []
    batch = int(context.runs.batch[run])
    path = ways.around
    slowest = max((t for t in path.of_source if not t.is_delay), key=lambda t: int(t.ticks[0]), default=None)
    network = int(up_ticks(context.service.service_ms[[run]])[0])
    lines: list[Line] = [("source", "jitter", int(parts.jitter[0]))]
    for place, (stage, times) in enumerate(zip(stages_here(context, run), path.stages, strict=True)):
        ticks = int(times.ticks[0])
        if times.is_delay:
            lines.append((stage.name, "delay", ticks))
        elif times.is_network:
            waiting = ("batch_wait", "queue", "blocking")
            lines += [(INFER, part, int(getattr(parts, part)[0])) for part in waiting]
            lines += [(INFER, "service", network), (INFER, "contention", path.contention)]
        else:
            if times is slowest:
                lines.append((stage.name, "queue", int(ways.source.response[0] - ways.source.items[0])))
            each = batch if times.series[0] and place >= path.shared else 1
            lines.append((stage.name, "transfer" if stage.resource == "dma" else "service", ticks * each))
    extra = int(up_ticks(context.service.extra_ms[[run]])[0])
    lines.append((INFER, "pipeline_depth", extra))
    # Hidden behind the next stage for the same item: whatever the stages sum to beyond the total.
    lines.append((INFER, "overlap", int(parts.total[0]) - sum(ticks for _, _, ticks in lines)))
    shown = [line for line in lines if line[2] or line[1] in ALWAYS_SHOWN]
    return [{"stage": stage, "part": part, "ms": ticks / TICKS_PER_MS} for stage, part, ticks in shown]


def largest_part(parts: list[dict[str, Any]], worst_ms: float | None) -> dict[str, Any] | None:
    """The part that costs most, its share of the worst case, and whether it is as long on any chip; None without."""
    if not parts or not worst_ms:
        return None
    most = max(parts, key=lambda part: float(part["ms"]))
    return {**most, "share": round(most["ms"] / worst_ms, 4), "depends_on_chip": most["part"] not in NOT_OF_THE_CHIP}


def path_of(context: Context, run: int, option: int) -> ItemPath:
    """The stages of one run, as they enter the table."""
    return ways_of(context, run, option)[1].around


def stages_here(context: Context, run: int) -> Stages:
    """The stages as they run on the chip of a run."""
    return on_chip(context.stages, context.chip_of(run))


def series_of(context: Context, candidates: Candidates, row: int) -> list[str]:
    """Stages that run in series with the network, on its server."""
    path = path_of(context, int(candidates.run[row]), int(candidates.option[row]))
    return names_in_series(path.merged)


def names_in_series(stages: tuple[StageTimes, ...] | list[StageTimes], k: int = 0) -> list[str]:
    """Names of the stages of the run at place `k` of some paths that share a server and take time."""
    return [times.stage.name for times in stages if times.merged[k]]


def overloaded_stages(context: Context) -> list[dict[str, Any]]:
    """Stages whose stated time alone exceeds the period of the items: no chip can help."""
    found = []
    for place, stage in enumerate(context.stages):
        if stage.delay_ms is None and stage.time_ms is not None and stage.time_ms.default is not None:
            least = min([stage.time_ms.default, *stage.time_ms.by_chip.values(), *_otherwise_ms(stage)])
            every = 1 if place < context.shared_stages else context.task.every_nth
            period = context.problem.source_of(context.task).period_ms * every
            load = float(context.arrivals.streams / period * exact(least) / stage.servers)
            if load > 1:
                found.append({"stage": stage.name, "resource": stage.resource, "utilization": round(load, 4)})
    return found


def _otherwise_ms(stage: Stage) -> list[float]:
    """Every time stated for chips that lack the resource of a stage."""
    figure = stage.otherwise.time_ms if stage.otherwise is not None else None
    return [] if figure is None else [*figure.by_chip.values(), *([] if figure.default is None else [figure.default])]
