"""Which resource on the path is full first, how much the others have to do, and in words what idles meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.candidates.context import Context
from dse.candidates.stage_ticks import servers_of
from dse.candidates.survey import Survey
from dse.candidates.table import Candidates
from dse.candidates.worst import Ways, ways_of_runs
from dse.catalog.types import IntArray
from dse.problem.stage import INFER
from dse.report.parts import names_in_series, overloaded_stages, stages_here
from dse.report.saturation import PPM, saturates
from dse.timing.arrivals import Arrivals
from dse.timing.path import Parts

FULL, IDLE = 0.75, 0.5
"""Loads from which a resource is called full, and below which it is called idle [share of its time]."""
JsonObject = dict[str, Any]


def bottleneck_of(context: Context, candidates: Candidates, row: int) -> JsonObject:
    """The stage that is full first: its resource and load as a share of one, those of the others, words, growth."""
    loads = loads_of(context, int(candidates.run[row]), int(candidates.option[row]))
    return {
        **busiest_of(loads),
        "text": idle_words(loads),
        "loads": loads,
        "saturates": saturates(context.problem, loads),
    }


def busiest_of(loads: list[JsonObject]) -> JsonObject:
    """The resource that is full first; of equally loaded ones the network's, which is what a choice changes."""
    return max(loads, key=lambda load: (load["utilization"], load is loads[0]))


def overloads_of(context: Context, found: Survey) -> list[JsonObject]:
    """What cannot keep up on any chip: stages by their stated time alone, or the busiest of the lightest candidate."""
    stages = overloaded_stages(context)
    if stages or not len(found.lightest):
        return stages
    lightest = found.lightest
    busiest = bottleneck_of(context, lightest, 0)
    named = {name: busiest[name] for name in ("stage", "resource", "utilization")}
    return [named | {"chip": context.chip_of(int(lightest.run[0])).id}]


def loads_of(context: Context, run: int, option: int) -> list[JsonObject]:
    """Load of every resource on the path, the network's unit first, then in the order of the path."""
    return loads_of_runs(context, np.array([run]), option)[0]


def loads_of_runs(context: Context, runs: IntArray, option: int) -> list[list[JsonObject]]:
    """`loads_of` every run."""
    found: list[list[JsonObject]] = [[] for _ in runs]
    for positions, parts, ways in ways_of_runs(context, runs, option):
        for k, position in enumerate(positions.tolist()):
            found[position] = _loads(context, int(runs[position]), parts, ways, k)
    return found


def _loads(context: Context, run: int, parts: Parts, ways: Ways, k: int) -> list[JsonObject]:
    """Loads of the run at place `k` of some paths."""
    path, stages = ways.around, stages_here(context, run)
    together = " with ".join([INFER, ", ".join(names_in_series(path.merged, k))]).removesuffix(" with ")
    unit = context.lanes.unit[context.lane_of(run)]
    loads = [_load(together, unit, int(parts.network_utilization_ppm[k]))]
    shared = [times for times in path.of_source if times.merged[k]]  # stages of a source on one server
    if shared:
        resource = next(stage.resource for stage in stages if stage.name == shared[0].stage.name)
        names = ", ".join(names_in_series(shared, k))
        loads.append(_load(names, resource, load_ppm(context.frames, sum(int(t.ticks[k]) for t in shared))))
    for place, (stage, times) in enumerate(zip(stages, path.stages, strict=True)):
        if times.is_delay or times.is_network or times.series[k] or not times.ticks[k]:
            continue
        items = context.frames if place < path.shared else ways.arrivals
        loads.append(_load(stage.name, stage.resource, load_ppm(items, int(times.ticks[k]), servers_of(stage))))
    return loads


def idle_words(loads: list[JsonObject]) -> str:
    """``video-decoder and cpu full (92 %, 80 %) while the npu idles (12 %)``; which resource is first otherwise."""
    network, others = loads[0], sorted(loads[1:], key=lambda load: -load["utilization"])
    full = [load for load in others if load["utilization"] >= FULL]
    if not others or network["utilization"] >= others[0]["utilization"]:
        return f"the {network['resource']} is full first ({_percent(network)})"
    first = full or others[:1]
    names, shares = " and ".join(load["resource"] for load in first), ", ".join(_percent(load) for load in first)
    state = f"full ({shares})" if full else f"first to fill up ({shares})"
    idles = "idles" if network["utilization"] < IDLE else "has time left"
    return f"{names} {state} while the {network['resource']} {idles} ({_percent(network)})"


def load_ppm(items: Arrivals, ticks: int, servers: int = 1) -> int:
    """Load of a stage that takes so many ticks an item [millionths of its time], rounded up."""
    return -(-items.streams * ticks * PPM // (items.period_down * servers))


def _load(stage: str, resource: str, ppm: int) -> JsonObject:
    return {"stage": stage, "resource": resource, "utilization": ppm / PPM}


def _percent(load: JsonObject) -> str:
    return f"{100 * load['utilization']:.0f} %"
