"""The path of one item on every candidate: fixed delays, item stages, transfer, the network, in ticks.

Stages come from the problem; where it names none, the path is the upload (behind a link) and the network. Each CPU
stage has a core of its own while cores last; when they do not, the item runs to completion on one core, stages and
network in series, which is a design anyone can build and whose bound is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.catalog.types import BoolArray, Chip, FloatArray, IntArray
from dse.problem.fields import exact
from dse.problem.spec import Problem, Task
from dse.problem.stage import INFER, Stage
from dse.timing.ticks import up_ticks

LINK_USABLE_SHARE = 0.75  # of the raw rate of a link or memory bus that a transfer reaches
UPLOAD = Stage(name="upload", mbytes="auto")
NETWORK = Stage(name=INFER)
# Boundaries inside which the transfer is already counted.
INCLUDES_TRANSFER = ("host", "pipeline", "app")


@dataclass(frozen=True)
class StageTimes:
    """One stage on every candidate, shape (n,): time of one item [tick]; `known` is False where nobody said it."""

    stage: Stage
    ticks: IntArray
    known: BoolArray

    def hidden(self, network: IntArray) -> IntArray:
        """Ticks hidden behind a network of so many ticks per item, rounded down: a saving may not be overstated."""
        share_ppm = int(exact(self.stage.overlap) * 1_000_000)
        return np.minimum(self.ticks, network) * share_ppm // 1_000_000


@dataclass(frozen=True)
class ItemPath:
    """All of an item's path but the network itself, shape (n,) [tick].

    ``delay`` occupies nothing; ``before`` and ``after`` are item stages; ``merged`` is what runs in series with the
    network on its own server, per item (transfer with one buffer, everything on a single core); ``hidden`` the part
    of the transfer hidden behind the network for the same frame.
    """

    delay: int
    variation: int
    before: tuple[StageTimes, ...]
    after: tuple[StageTimes, ...]
    merged: tuple[StageTimes, ...]
    serial: BoolArray
    known: BoolArray

    @property
    def all_stages(self) -> tuple[StageTimes, ...]:
        """Every stage with a time, in the order of the path."""
        return self.before + self.merged + self.after


def stages_of(problem: Problem, task: Task) -> tuple[Stage, ...]:
    """The stages of a task in order, the network among them; ``overhead_ms`` is a delay."""
    first = problem.source_of(task).stages
    if task.overhead_ms is not None:
        return (*first, Stage(name="overhead", delay_ms=task.overhead_ms), UPLOAD, NETWORK)
    if not task.stages:
        return (*first, UPLOAD, NETWORK)
    own = task.stages if any(stage.name == INFER for stage in task.stages) else (*task.stages, NETWORK)
    return (*first, *own)


def scope_of(task: Task) -> str:
    """``end-to-end`` when the problem says what surrounds the network, else ``network-only``."""
    return "end-to-end" if task.overhead_ms is not None or any(s.name != INFER for s in task.stages) else "network-only"


def item_path(
    stages: tuple[Stage, ...],
    chips: list[Chip],
    chip: IntArray,
    megapixels: FloatArray,
    upload_free: BoolArray,
    cores_left: FloatArray,
    buffers: int,
) -> ItemPath:
    """Ticks of every stage on candidates with chip code `chip` and an input of `megapixels`.

    `upload_free` marks figures that already contain the transfer; `cores_left` how many CPU cores each candidate has
    for stages (NaN: unknown, then a core each is assumed).
    """
    size = len(chip)
    position = next(k for k, stage in enumerate(stages) if stage.name == INFER)
    timed = [
        (k, times)
        for k, stage in enumerate(stages)
        if stage.name != INFER and stage.delay_ms is None
        for times in [_stage_times(stage, chips, chip, megapixels, upload_free)]
    ]
    delays = [stage for stage in stages if stage.delay_ms is not None]
    delay = sum(int(up_ticks(np.array([(s.delay_ms or 0.0) + s.variation_ms]))[0]) for s in delays)
    variation = sum(
        int(up_ticks(np.array([s.variation_ms]))[0])
        for k, s in enumerate(stages)
        if s.delay_ms is not None and k < position
    )
    cpu_stages = sum(times.stage.resource == "cpu" for _, times in timed)
    with np.errstate(invalid="ignore"):
        serial = cpu_stages > cores_left
    merged: list[StageTimes] = []
    before: list[StageTimes] = []
    after: list[StageTimes] = []
    for k, times in timed:
        in_series = serial if times.stage.resource == "cpu" else np.zeros(size, dtype=bool)
        if buffers == 1 and times.stage.resource == "dma" and k == position - 1:
            in_series = np.ones(size, dtype=bool)
        merged.append(StageTimes(times.stage, np.where(in_series, times.ticks, 0), times.known))
        own = StageTimes(times.stage, np.where(in_series, 0, times.ticks), times.known)
        (before if k < position else after).append(own)
    known = np.logical_and.reduce([times.known for _, times in timed]) if timed else np.ones(size, dtype=bool)
    return ItemPath(delay, variation, tuple(before), tuple(after), tuple(merged), np.broadcast_to(serial, size), known)


def _stage_times(
    stage: Stage, chips: list[Chip], chip: IntArray, megapixels: FloatArray, upload_free: BoolArray
) -> StageTimes:
    """Time of one item at one stage: fixed part, part per megapixel, bytes over the link, wait for the memory bus."""
    fixed = np.array([_figure(stage.time_ms.on(c.id)) if stage.time_ms else 0.0 for c in chips])[chip]
    slope = np.array([_figure(stage.ms_per_mpx.on(c.id)) if stage.ms_per_mpx else 0.0 for c in chips])[chip]
    time_ms = fixed + slope * megapixels + stage.contention_ms
    if stage.mbytes is not None:
        time_ms = time_ms + _transfer_ms(stage, chips, chip, megapixels, upload_free)
    known = np.isfinite(time_ms)
    return StageTimes(stage, up_ticks(np.where(known, time_ms, 0.0)), known)


def _transfer_ms(
    stage: Stage, chips: list[Chip], chip: IntArray, megapixels: FloatArray, upload_free: BoolArray
) -> FloatArray:
    """Bytes over the usable rate of the link, or of the memory bus where the accelerator shares it with the CPU.

    ``auto`` (the network's input, 3 bytes a pixel) costs nothing without a link; a figure that contains the transfer
    is not charged again.
    """
    behind_link = np.array([c.needs_host for c in chips], dtype=bool)[chip]
    link = np.array([_figure(c.link_gbs) for c in chips])[chip]
    memory = np.array([_figure(c.bandwidth_gbs) for c in chips])[chip]
    if stage.mbytes == "auto":
        mbytes, inside = 3 * megapixels, np.zeros(len(chip))
    else:
        mbytes = np.full(len(chip), float(stage.mbytes or 0))
        inside = mbytes / (LINK_USABLE_SHARE * memory)
    over_link = np.where(upload_free, 0.0, mbytes / (LINK_USABLE_SHARE * link))
    return np.where(behind_link, over_link, inside)


def _figure(value: float | None) -> float:
    return float("nan") if value is None else float(value)
