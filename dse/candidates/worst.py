"""Worst case, rate and load of runs: the path of each brought to ticks and bounded."""

from __future__ import annotations

import numpy as np

from dse.candidates.context import TICK, Context
from dse.candidates.path import INCLUDES_TRANSFER, ItemPath, item_path
from dse.catalog.types import BoolArray, IntArray
from dse.problem.fields import exact
from dse.problem.stage import INFER, Stage
from dse.schema import QUANTITIES, UNKNOWN, to_fixed
from dse.timing.path import Parts, Path, worst_case
from dse.timing.ticks import INFINITE, MAX_TICKS, TICKS_PER_MS, down, up, up_ticks

PPM = 1_000_000
LARGEST_RATE = 2**43  # 1/1000 s: times a million it still fits
LARGEST = 2**50  # rates and headroom saturate here, far beyond anything real


def time_columns(context: Context, run: IntArray, option: int) -> dict[str, IntArray]:
    """Worst case, slack, rate and load of runs under one option, in whole numbers; and times of limited stages.

    Most boards differ in nothing that takes time: of alike neighbours only the first is worked out.
    """
    first = ~_like_the_one_before(context, run)
    position = np.cumsum(first) - 1
    return {name: column[position] for name, column in _time_columns(context, run[first], option).items()}


def _like_the_one_before(context: Context, run: IntArray) -> BoolArray:
    """Whether a run has all that its times depend on from the one before it in `run`."""
    runs, service = context.runs, context.service
    way = context.ways[runs.lane[run]]
    columns = [runs.net, runs.batch, service.service_ms, service.extra_ms, context.resources.cores_left]
    alike: BoolArray = np.r_[False, way[1:] == way[:-1]]
    for column in [*columns, runs.typical_ms]:
        bits = column[run].view(np.int64)  # an unknown figure (NaN) is like another one
        alike[1:] &= bits[1:] == bits[:-1]
    return alike


def _time_columns(context: Context, run: IntArray, option: int) -> dict[str, IntArray]:
    """The same, each run worked out."""
    paths, known, stage_columns = paths_of(context, run, option)
    parts = worst_case(context.arrivals, paths)
    bounded = known & parts.stable
    deadline = context.task.deadline_ms
    worst = np.where(known, np.where(parts.stable, parts.total, INFINITE), UNKNOWN)
    slack = UNKNOWN if deadline is None else np.where(bounded, down(exact(deadline), TICK) - worst, UNKNOWN)
    load = np.maximum(parts.utilization_ppm, 1)
    columns = {
        "worst_case_ms": worst,
        "slack_ms": np.broadcast_to(slack, worst.shape),
        "stable": bounded.astype(np.int64),
        "utilization": np.where(known, parts.utilization_ppm, UNKNOWN),
        "rate_hz": np.where(
            known, np.minimum(min(context.required_milli_hz, LARGEST_RATE) * PPM // load, LARGEST), UNKNOWN
        ),
        "rate_headroom": np.where(known, np.minimum(PPM * PPM // load - PPM, LARGEST), UNKNOWN),
        "typical_ms": to_fixed(context.runs.typical_ms[run], QUANTITIES["typical_ms"].scale),
    }
    return columns | stage_columns


def parts_of(context: Context, run: int, option: int) -> Parts:
    """The bound of one run taken apart."""
    return worst_case(context.arrivals, paths_of(context, np.array([run]), option)[0])


def item_path_of(context: Context, run: IntArray, option: int) -> ItemPath:
    """The stages around the network on every run."""
    runs, lanes, nets = context.runs, context.lanes, context.catalog.nets
    lane = runs.lane[run]
    area = (nets.input_h * nets.input_w)[runs.net[run]]
    megapixels = np.where(area > 0, area / 1e6, np.nan)  # an input nobody stated is not an empty one
    counted = np.isin(lanes.boundary, INCLUDES_TRANSFER)[lane] if len(lanes) else np.zeros(len(run), dtype=np.bool_)
    buffers = context.options[option].buffers
    chips = lanes.chips(context.catalog)
    return item_path(context.stages, chips, lane, megapixels, counted, context.resources.cores_left[run], buffers)


def paths_of(context: Context, run: IntArray, option: int) -> tuple[Path, BoolArray, dict[str, IntArray]]:
    """The path in ticks of every run, where all its times are known, and the times of stages that carry a limit."""
    around = item_path_of(context, run, option)
    service_ms, extra_ms = context.service.service_ms[run], context.service.extra_ms[run]
    known = around.known & np.isfinite(service_ms) & np.isfinite(extra_ms)
    with np.errstate(over="ignore", invalid="ignore"):
        known &= np.maximum(service_ms, extra_ms) * TICKS_PER_MS < MAX_TICKS
    service, extra = (up_ticks(np.where(known, values, 0.0)) for values in (service_ms, extra_ms))
    service = service + around.contention
    batch = context.runs.batch[run]
    in_series = sum((stage.ticks for stage in around.merged), start=np.zeros_like(service))
    saved = sum(
        (stage.hidden(service // batch) for stage in around.merged if stage.copies), start=np.zeros_like(service)
    )
    hidden = sum((stage.hidden(service // batch) for stage in around.before), start=np.zeros_like(service))
    alone = batch == 1
    fixed, per_item = np.where(alone, 0, service), np.where(alone, service, 0) + in_series - saved
    delay = around.delay + extra
    # Sums beyond the range of the bounds' arithmetic (30 hours) have no bound rather than a wrong one.
    too_long = (per_item > (MAX_TICKS - fixed) // batch) | (np.maximum(delay, around.variation) > MAX_TICKS)
    known &= ~too_long
    ticks = Path(
        delay=np.where(too_long, 0, delay),
        variation=np.where(too_long, 0, around.variation),
        before=[stage.ticks for stage in around.before],
        after=[stage.ticks for stage in around.after],
        overlap=hidden,
        batch=batch,
        fixed=np.where(too_long, 0, fixed),
        per_item=np.where(too_long, 0, per_item),
        timeout=up(exact(context.options[option].timeout_ms), TICK),
        dynamic=context.options[option].dynamic,
    )
    return ticks, known, _stage_columns(context, around, service, known)


def _stage_columns(context: Context, around: ItemPath, service: IntArray, known: BoolArray) -> dict[str, IntArray]:
    """Own time of each stage with a ``max_ms``."""
    columns = {}
    for stage in context.stages:
        if stage.max_ms is not None:
            columns[f"stage:{stage.name}"] = np.where(known, _own_ticks(stage, around, service), UNKNOWN)
    return columns


def _own_ticks(stage: Stage, around: ItemPath, service: IntArray) -> IntArray:
    """Time one item spends in a stage, waiting apart."""
    if stage.name == INFER:
        return service
    if stage.delay_ms is not None:
        return np.full_like(service, up(exact(stage.delay_ms) + exact(stage.variation_ms), TICK))
    timed = [times for times in around.all_stages if times.stage.name == stage.name]
    return sum((times.ticks for times in timed), start=np.zeros_like(service))
