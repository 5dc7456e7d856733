"""The worst case of one candidate taken apart: which stage costs what, and which resource is full first."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.candidates.path import INCLUDES_TRANSFER, item_path
from dse.candidates.table import Candidates, Context, paths_of
from dse.problem.stage import INFER
from dse.schema import TICKS_PER_MS
from dse.timing.path import worst_case
from dse.timing.ticks import INFINITE


def latency_parts(context: Context, candidates: Candidates, row: int) -> list[dict[str, Any]]:
    """Parts that add up to ``worst_case_ms``, in the order of the path; empty without a bound."""
    run = np.array([candidates.run[row]])
    ticks, known, _ = paths_of(context, run, int(candidates.option[row]))
    parts = worst_case(context.arrivals, ticks)
    if not known[0] or int(parts.total[0]) == INFINITE:
        return []
    stages = _stage_ticks(context, candidates, row)
    batch = int(context.runs.batch[run[0]])
    own_series = sum(series for series, _ in stages.values()) * batch
    merged_hidden = int(own_series) + int(_network_ticks(context, candidates, row)) - int(parts.service[0])
    lines: list[tuple[str, str, int]] = [("source", "jitter", int(parts.jitter[0]))]
    for stage in context.stages:
        if stage.delay_ms is not None:
            lines.append((stage.name, "delay", round((stage.delay_ms + stage.variation_ms) * TICKS_PER_MS)))
        elif stage.name == INFER:
            lines += [(INFER, "batch_wait", int(parts.batch_wait[0])), (INFER, "queue", int(parts.queue[0])),
                      (INFER, "blocking", int(parts.blocking[0])),
                      (INFER, "service", _network_ticks(context, candidates, row))]
        else:
            series, alone = stages[stage.name]
            kind = "transfer" if stage.resource == "dma" else "service"
            lines.append((stage.name, kind, series * batch + alone))
    lines.append((INFER, "overlap", int(parts.overlap[0]) - merged_hidden))
    rounding = int(parts.total[0]) - sum(value for _, _, value in lines)
    if rounding:
        lines.append(("pipeline", "depth" if context.service.extra_ms[run[0]] else "rounding", rounding))
    return [{"stage": stage, "part": part, "ms": value / TICKS_PER_MS} for stage, part, value in lines
            if value or part in ("service", "transfer", "delay")]


def _network_ticks(context: Context, candidates: Candidates, row: int) -> int:
    """Worst-case service of the network's own batch."""
    from dse.timing.ticks import up_ticks

    return int(up_ticks(np.array([context.service.service_ms[candidates.run[row]]]))[0])


def _stage_ticks(context: Context, candidates: Candidates, row: int) -> dict[str, tuple[int, int]]:
    """Per timed stage: ticks in series with the network (per item), and ticks on a server of its own."""
    run = int(candidates.run[row])
    runs, catalog = context.runs, context.knowledge.catalog
    nets, net = catalog.nets, int(runs.net[run])
    path = item_path(context.stages, [catalog.chips[str(runs.chip[run])]], np.zeros(1, dtype=np.int64),
                     np.array([int(nets.input_h[net]) * int(nets.input_w[net]) / 1e6]),
                     np.array([str(runs.boundary[run]) in INCLUDES_TRANSFER]), context.resources.cores_left[[run]],
                     context.options[int(candidates.option[row])].buffers)
    found: dict[str, tuple[int, int]] = {}
    for times in path.merged:
        found[times.stage.name] = (int(times.ticks[0]), 0)
    for times in (*path.before, *path.after):
        series, _ = found.get(times.stage.name, (0, 0))
        found[times.stage.name] = (series, int(times.ticks[0]))
    return found


def bottleneck_of(context: Context, candidates: Candidates, row: int) -> dict[str, Any]:
    """The stage that is full first: its resource and load as a share of one."""
    run = np.array([candidates.run[row]])
    ticks, _, _ = paths_of(context, run, int(candidates.option[row]))
    parts = worst_case(context.arrivals, ticks)
    per_item = context.arrivals.streams / context.arrivals.period_down
    loads = {name: alone * per_item for name, (_, alone) in _stage_ticks(context, candidates, row).items()}
    network = int(parts.network_utilization_ppm[0]) / 1e6
    stage = max(loads, key=lambda name: loads[name], default="")
    if not stage or network >= loads[stage]:
        return {"stage": INFER, "resource": str(context.runs.unit[run[0]]), "utilization": network}
    resource = next(s.resource for s in context.stages if s.name == stage)
    return {"stage": stage, "resource": resource, "utilization": round(loads[stage], 6)}
