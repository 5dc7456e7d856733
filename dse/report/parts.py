"""The worst case of one candidate taken apart: which stage costs what, and which resource is full first."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.candidates.context import Context
from dse.candidates.path import ItemPath
from dse.candidates.table import Candidates
from dse.candidates.worst import item_path_of, parts_of
from dse.problem.fields import exact
from dse.problem.stage import INFER
from dse.schema import TICKS_PER_MS
from dse.timing.ticks import up_ticks

Line = tuple[str, str, int]
ALWAYS_SHOWN = ("service", "transfer", "delay")


def latency_parts(context: Context, candidates: Candidates, row: int) -> list[dict[str, Any]]:
    """Parts that add up to ``worst_case_ms``, in the order of the path; empty without a bound.

    What runs in series with the network on its server (a transfer with one buffer) is shown under its own stage.
    """
    run, option = int(candidates.run[row]), int(candidates.option[row])
    parts = parts_of(context, run, option)
    if not parts.stable[0]:
        return []
    batch = int(context.runs.batch[run])
    path = item_path_of(context, np.array([run]), option)
    series, alone = _stage_ticks(path)
    network = int(up_ticks(context.service.service_ms[[run]])[0])
    lines: list[Line] = [("source", "jitter", int(parts.jitter[0]))]
    for stage in context.stages:
        if stage.delay_ms is not None:
            lines.append((stage.name, "delay", int(up_ticks(np.array([stage.delay_ms + stage.variation_ms]))[0])))
        elif stage.name == INFER:
            waiting = ("batch_wait", "queue", "blocking")
            lines += [(INFER, part, int(getattr(parts, part)[0])) for part in waiting]
            lines += [(INFER, "service", network), (INFER, "contention", path.contention)]
        else:
            kind = "transfer" if stage.resource == "dma" else "service"
            lines.append((stage.name, kind, series.get(stage.name, 0) * batch + alone.get(stage.name, 0)))
    extra = int(up_ticks(context.service.extra_ms[[run]])[0])
    lines.append((INFER, "pipeline_depth", extra))
    # Hidden behind the network for the same frame: whatever the stages sum to beyond the total.
    lines.append((INFER, "overlap", int(parts.total[0]) - sum(ticks for _, _, ticks in lines)))
    shown = [line for line in lines if line[2] or line[1] in ALWAYS_SHOWN]
    return [{"stage": stage, "part": part, "ms": ticks / TICKS_PER_MS} for stage, part, ticks in shown]


def _stage_ticks(path: ItemPath) -> tuple[dict[str, int], dict[str, int]]:
    """Ticks per item of every timed stage: in series with the network, and on a server of its own."""
    series = {times.stage.name: int(times.ticks[0]) for times in path.merged}
    return series, {times.stage.name: int(times.ticks[0]) for times in (*path.before, *path.after)}


def series_of(context: Context, candidates: Candidates, row: int) -> list[str]:
    """Stages that run in series with the network, on its server."""
    run, option = int(candidates.run[row]), int(candidates.option[row])
    series, _ = _stage_ticks(item_path_of(context, np.array([run]), option))
    return [name for name, ticks in series.items() if ticks]


def overloaded_stages(context: Context) -> list[dict[str, Any]]:
    """Stages whose stated time alone exceeds the period of the items: no chip can help."""
    per_ms = context.arrivals.streams / context.problem.period_ms(context.task)
    found = []
    for stage in context.stages:
        if stage.delay_ms is None and stage.time_ms is not None and stage.time_ms.default is not None:
            least = min([stage.time_ms.default, *stage.time_ms.by_chip.values()])
            load = float(per_ms * exact(least))
            if load > 1:
                found.append({"stage": stage.name, "resource": stage.resource, "utilization": round(load, 4)})
    return found


def bottleneck_of(context: Context, candidates: Candidates, row: int) -> dict[str, Any]:
    """The stage that is full first: its resource and load as a share of one."""
    run, option = int(candidates.run[row]), int(candidates.option[row])
    network = int(parts_of(context, run, option).network_utilization_ppm[0]) / 1e6
    _, alone = _stage_ticks(item_path_of(context, np.array([run]), option))
    per_tick = context.arrivals.streams / context.arrivals.period_down
    loads = {name: ticks * per_tick for name, ticks in alone.items()}
    stage = max(loads, key=lambda name: loads[name], default=INFER)
    if stage == INFER or network >= loads[stage]:
        together = " with ".join([INFER, *[", ".join(series_of(context, candidates, row))]]).removesuffix(" with ")
        return {"stage": together, "resource": context.lanes.unit[context.lane_of(run)], "utilization": network}
    resource = next(s.resource for s in context.stages if s.name == stage)
    return {"stage": stage, "resource": resource, "utilization": round(loads[stage], 6)}
