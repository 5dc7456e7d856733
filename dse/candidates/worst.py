"""Worst case, rate and load of runs: the path of each brought to ticks and bounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dse.candidates.context import TICK, Context
from dse.candidates.path import INCLUDES_TRANSFER, ItemPath, StageTimes, item_path
from dse.candidates.stage_ticks import ticks_of
from dse.catalog.types import BoolArray, IntArray
from dse.problem.fields import exact
from dse.schema import QUANTITIES, UNKNOWN, to_fixed
from dse.timing.arrivals import Arrivals
from dse.timing.path import Parts, Path, load_ppm, worst_case
from dse.timing.pipeline import tandem
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
    """The same, each run worked out; single items that share a server with frames as if each frame were one."""
    ways = paths_of(context, run, option, context.shared_stages)
    columns = _columns_of(context, run, ways)
    rows = np.flatnonzero(ways.crossing & (context.runs.batch[run] == 1))
    if len(rows):
        together = _columns_of(context, run[rows], paths_of(context, run[rows], option, 0, context.frames))
        for name, column in together.items():
            columns[name] = columns[name].copy()
            columns[name][rows] = column
    return columns


def _columns_of(context: Context, run: IntArray, ways: Ways) -> dict[str, IntArray]:
    """Columns of runs whose paths are known."""
    parts, known = worst_case(ways.arrivals, ways.path), ways.known
    stable = parts.stable & ways.source.stable
    bounded = known & stable
    utilization = np.maximum(parts.utilization_ppm, ways.source.load_ppm)
    deadline = context.task.deadline_ms
    worst = np.where(known, np.where(stable, parts.total, INFINITE), UNKNOWN)
    slack = UNKNOWN if deadline is None else np.where(bounded, down(exact(deadline), TICK) - worst, UNKNOWN)
    load = np.maximum(utilization, 1)
    columns = {
        "worst_case_ms": worst,
        "slack_ms": np.broadcast_to(slack, worst.shape),
        "stable": bounded.astype(np.int64),
        "utilization": np.where(known, utilization, UNKNOWN),
        "rate_hz": np.where(
            known, np.minimum(min(context.required_milli_hz, LARGEST_RATE) * PPM // load, LARGEST), UNKNOWN
        ),
        "rate_headroom": np.where(known, np.minimum(PPM * PPM // load - PPM, LARGEST), UNKNOWN),
        "typical_ms": to_fixed(context.runs.typical_ms[run], QUANTITIES["typical_ms"].scale),
    }
    return columns | ways.stage_columns


@dataclass(frozen=True)
class SourceTimes:
    """The item stages that run on every frame of the source while the network runs on some; all (n,).

    ``response`` is the worst from the actual release of a frame to the end of these stages, their delays apart, and
    ``items`` the own times in it [tick]; ``load_ppm`` is that of the busiest, rounded up. Zero without such stages.
    """

    response: IntArray
    items: IntArray
    load_ppm: IntArray
    stable: BoolArray


@dataclass(frozen=True)
class Ways:
    """The paths in ticks of runs, where all their times are known, and the times of stages that carry a limit.

    ``arrivals`` are those of the path; ``crossing`` marks runs on which a server would serve frames and items at two
    rates: they have no time here.
    """

    around: ItemPath
    path: Path
    arrivals: Arrivals
    known: BoolArray
    crossing: BoolArray
    stage_columns: dict[str, IntArray]
    source: SourceTimes


def ways_of(context: Context, run: int, option: int) -> tuple[Parts, Ways]:
    """The bound of one run taken apart, and its path as it enters the table."""
    ((_, parts, ways),) = ways_of_runs(context, np.array([run]), option)
    return parts, ways


def ways_of_runs(context: Context, runs: IntArray, option: int) -> list[tuple[IntArray, Parts, Ways]]:
    """The same of many runs, in at most two groups: positions in `runs`, their bounds taken apart and their paths."""
    ways = paths_of(context, runs, option, context.shared_stages)
    as_frames = ways.crossing & (context.runs.batch[runs] == 1)
    found = []
    for rows, shared, frames in ((~as_frames, context.shared_stages, None), (as_frames, 0, context.frames)):
        at = np.flatnonzero(rows)
        if len(at):
            own = (
                ways if len(at) == len(runs) and frames is None else paths_of(context, runs[at], option, shared, frames)
            )
            found.append((at, worst_case(own.arrivals, own.path), own))
    return found


def item_path_of(context: Context, run: IntArray, option: int, shared: int) -> ItemPath:
    """The stages around the network on every run, the first `shared` of them at the rate of the source."""
    runs, lanes, nets = context.runs, context.lanes, context.catalog.nets
    # Chips are looked at one by one: only at those of these runs.
    used, lane = np.unique(runs.lane[run], return_inverse=True)
    area = (nets.input_h * nets.input_w)[runs.net[run]]
    megapixels = np.where(area > 0, area / 1e6, np.nan)  # an input nobody stated is not an empty one
    counted = np.array([boundary in INCLUDES_TRANSFER for boundary in lanes.boundary[used].tolist()], dtype=np.bool_)
    buffers = context.options[option].buffers
    names = zip(lanes.chip[used].tolist(), lanes.board[used].tolist(), strict=True)
    chips = [context.catalog.platform(*each) for each in names]
    return item_path(
        context.stages,
        chips,
        lane,
        megapixels,
        counted[lane],
        context.resources.cores_left[run],
        buffers,
        pixels=context.frame_pixels,
        shared=shared,
    )


def paths_of(context: Context, run: IntArray, option: int, shared: int, arrivals: Arrivals | None = None) -> Ways:
    """The path of every run, the first `shared` stages at the rate of the source; `arrivals` are those of the task.

    Stages of a source at its own rate are bounded first. Behind them items keep the order of their frames, so a
    heaviest path passes frames up to some item and items from there on: the two waits add, each over a window of
    releases of its own. Where it matters when items arrive, and not only in which order, they come later by up to the
    worst response of the source's stages.
    """
    around = item_path_of(context, run, option, shared)
    service_ms, extra_ms = context.service.service_ms[run], context.service.extra_ms[run]
    known = around.known & ~around.crossing & np.isfinite(service_ms) & np.isfinite(extra_ms)
    with np.errstate(over="ignore", invalid="ignore"):
        known &= np.maximum(service_ms, extra_ms) * TICKS_PER_MS < MAX_TICKS
    service, extra = (up_ticks(np.where(known, values, 0.0)) for values in (service_ms, extra_ms))
    service = service + around.contention
    batch, zero = context.runs.batch[run], np.zeros_like(service)
    hidden, between, saved = around.hidden(service // batch)
    in_series = sum((times.merged for times in around.merged), start=zero)
    alone = batch == 1
    fixed, per_item = np.where(alone, 0, service), np.where(alone, service, 0) + in_series - saved
    source = source_times(context.frames, around)
    delay = sum((times.alone for times in around.stages if times.is_delay), start=zero) + extra + source.response
    ahead = around.stages[around.shared : around.position]
    variation = varying(around.of_source, service.shape) + varying(ahead, service.shape)
    # What is in service or closes at a time-out depends on how near items come to each other behind the source.
    variation = variation + np.where((batch > 1) & (context.options[option].policy != "count"), source.response, 0)
    # Sums beyond the range of the bounds' arithmetic (30 hours) have no bound rather than a wrong one.
    too_long = (per_item > (MAX_TICKS - fixed) // batch) | (np.maximum(delay, variation) > MAX_TICKS)
    known &= ~too_long
    way = context.options[option]
    path = Path(
        delay=np.where(too_long, 0, delay),
        variation=np.where(too_long, 0, variation),
        before=[one for times in around.before for one in times.servers()],
        after=[one for times in around.after for one in times.servers()],
        overlap=hidden,
        batch=batch,
        fixed=np.where(too_long, 0, fixed),
        per_item=np.where(too_long, 0, per_item),
        timeout=up(exact(way.timeout_ms), TICK),
        dynamic=way.dynamic,
        closing=way.closing,
        between=between,
        level=context.level,
    )
    return Ways(
        around=around,
        path=path,
        arrivals=arrivals or context.arrivals,
        known=known,
        crossing=around.crossing,
        stage_columns=_stage_columns(context, around, service, known),
        source=source,
    )


def source_times(frames: Arrivals, around: ItemPath) -> SourceTimes:
    """What the stages of a source at its own rate add; those that lack a core each are one stage."""
    timed = [times for times in around.of_source if not times.is_delay]
    zero = np.zeros(len(around.known), dtype=np.int64)
    together = sum((times.merged for times in around.of_source), start=zero)
    lines = [one for times in timed for one in times.servers()] + ([together] if timed else [])
    response = tandem(frames, lines, varying(around.of_source, zero.shape)) if timed else zero
    stable = response < INFINITE
    busiest = np.maximum.reduce([zero, *lines])
    return SourceTimes(
        response=np.where(stable, response, 0),
        items=sum(lines, start=zero) * stable,
        load_ppm=load_ppm(frames, busiest, np.ones_like(zero)),
        stable=stable,
    )


def varying(stages: Sequence[StageTimes], shape: tuple[int, ...]) -> IntArray:
    """Variation of the delays among some stages that occupy nothing [tick]."""
    zero = np.zeros(shape, dtype=np.int64)
    return sum(
        (np.where(times.series, 0, ticks_of(times.stage.variation_ms)) for times in stages if times.is_delay),
        start=zero,
    )


def _stage_columns(context: Context, around: ItemPath, service: IntArray, known: BoolArray) -> dict[str, IntArray]:
    """Own time of each stage with a ``max_ms``, waiting apart."""
    own = zip(context.stages, around.stages, strict=True)
    return {
        f"stage:{stage.name}": np.where(known, service if times.is_network else times.ticks, UNKNOWN)
        for stage, times in own
        if stage.max_ms is not None
    }
