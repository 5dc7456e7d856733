"""The path of one item on every candidate: fixed delays, item stages, transfer, the network, in ticks.

Stages come from the problem; where it names none, the path is the upload (behind a link) and the network. Each CPU
stage has a core of its own while cores last; when they do not, or nobody stated how many there are, the item runs to
completion: everything from the first such stage to the last, the network included, in series on one server. That is a
design anyone can build, and its bound is exact.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from dse.catalog.types import BoolArray, Chip, FloatArray, IntArray
from dse.problem.fields import exact
from dse.problem.spec import Problem, Task
from dse.problem.stage import INFER, Stage
from dse.timing.ticks import MAX_TICKS, TICKS_PER_MS, up_ticks

LINK_USABLE_SHARE = 0.75  # of the raw rate of a link or memory bus that a transfer reaches
UPLOAD = Stage(name="upload", mbytes="auto")
NETWORK = Stage(name=INFER)
# Boundaries inside which the transfer is already counted.
INCLUDES_TRANSFER = ("host", "pipeline", "app")
NETWORK_UNITS = frozenset({"npu", "gpu", "dla", "dsp", "mcu", "fpga"})


@dataclass(frozen=True)
class StageTimes:
    """One stage on every candidate: time of one item, shape (n,) [tick]; whether it fills the network's only buffer."""

    stage: Stage
    ticks: IntArray
    copies: bool = False

    def hidden(self, network: IntArray) -> IntArray:
        """Ticks hidden behind a network of so many ticks per item, rounded down: a saving may not be overstated."""
        share_ppm = int(exact(self.stage.overlap) * 1_000_000)
        return np.minimum(self.ticks, network) * share_ppm // 1_000_000


@dataclass(frozen=True)
class ItemPath:
    """All of an item's path but the network itself, shape (n,) [tick].

    ``delay`` occupies nothing, ``variation`` is the part of it that may vary ahead of the network; ``before`` and
    ``after`` are item stages; ``merged`` is what runs in series with the network on its own server, per item;
    ``contention`` is the network's own wait for the memory bus, per batch; ``known`` is False where a time is missing.
    """

    delay: IntArray
    variation: IntArray
    contention: int
    before: tuple[StageTimes, ...]
    after: tuple[StageTimes, ...]
    merged: tuple[StageTimes, ...]
    known: BoolArray

    @property
    def all_stages(self) -> tuple[StageTimes, ...]:
        """Every stage with a time, in the order of the path."""
        return self.before + self.merged + self.after


def stages_of(problem: Problem, task: Task) -> tuple[Stage, ...]:
    """The stages of a task in order, the network among them; ``overhead_ms`` is a delay."""
    first = () if task.after else problem.source_of(task).stages
    if task.overhead_ms is not None:
        return (*first, Stage(name="overhead", delay_ms=task.overhead_ms), UPLOAD, NETWORK)
    if not task.stages:
        return (*first, UPLOAD, NETWORK)
    own = task.stages if any(stage.name == INFER for stage in task.stages) else (*task.stages, NETWORK)
    return (*first, *own)


def source_stages_apart(problem: Problem, task: Task) -> bool:
    """Whether the stages of a task's source are served before the task, not as part of its own path.

    They are where they take time and run for other tasks too, or more often than the network.
    """
    if task.source is None:
        return False
    timed = any(stage.delay_ms is None for stage in problem.source_of(task).stages)
    readers = sum(other.source == task.source for other in problem.tasks)
    return timed and (readers > 1 or task.every_nth > 1)


def is_synchronous(problem: Problem, task: Task) -> bool:
    """Whether all streams release at once: when each runs on every n-th frame, not on the same frames."""
    return problem.source_of(task).phase == "synchronous" and task.every_nth == 1


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
    for stages (NaN: unknown, taken for none).
    """
    position = next(k for k, stage in enumerate(stages) if stage.name == INFER)
    series = _in_series(stages, position, cores_left, buffers)
    known = np.ones(len(chip), dtype=np.bool_)
    delay, variation = (np.zeros(len(chip), dtype=np.int64) for _ in range(2))
    before: list[StageTimes] = []
    after: list[StageTimes] = []
    merged: list[StageTimes] = []
    for k, stage in enumerate(stages):
        if stage.name == INFER:
            continue
        if stage.delay_ms is None:
            ticks, said = _stage_ticks(stage, chips, chip, megapixels, upload_free)
            known &= said
            (before if k < position else after).append(StageTimes(stage, np.where(series[k], 0, ticks)))
        else:
            ticks = np.full(len(chip), _ticks(stage.delay_ms + stage.variation_ms))
            delay += np.where(series[k], 0, ticks)
            variation += np.where(series[k] | (k > position), 0, _ticks(stage.variation_ms))
        merged.append(StageTimes(stage, np.where(series[k], ticks, 0), copies=_is_copy(stages, k, buffers)))
    return ItemPath(
        delay=delay,
        variation=variation,
        contention=_ticks(stages[position].contention_ms),
        before=tuple(before),
        after=tuple(after),
        merged=tuple(merged),
        known=known,
    )


def _in_series(stages: tuple[Stage, ...], position: int, cores_left: FloatArray, buffers: int) -> list[BoolArray]:
    """Whether each stage runs in series with the network, on its server; one (n,) array a stage.

    What needs the network's server, or one it cannot share, does; and with it everything in between: an item that runs
    to completion holds the server until its last part is done.
    """
    crowded, wanted = resources_used_twice(stages), cpu_stage_count(stages)
    with np.errstate(invalid="ignore"):
        no_core_each = ~(wanted <= cores_left)  # cores nobody stated are none
    shares = [
        no_core_each
        if stage.resource == "cpu" and stage.delay_ms is None
        else np.full(len(cores_left), k == position or stage.resource in crowded or _is_copy(stages, k, buffers))
        for k, stage in enumerate(stages)
    ]
    started = np.logical_or.accumulate(shares, axis=0)
    unfinished = np.logical_or.accumulate(shares[::-1], axis=0)[::-1]
    return list(started & unfinished)


def _is_copy(stages: tuple[Stage, ...], place: int, buffers: int) -> bool:
    """Whether a stage is the transfer into the only buffer: the last thing with a time before the network."""
    if buffers > 1 or stages[place].resource != "dma" or stages[place].delay_ms is not None:
        return False
    following = next((stage for stage in stages[place + 1 :] if stage.delay_ms is None), None)
    return following is not None and following.name == INFER


def cpu_stage_count(stages: tuple[Stage, ...]) -> int:
    """Stages that want a CPU core each."""
    return sum(stage.resource == "cpu" and stage.delay_ms is None for stage in stages)


def resources_used_twice(stages: tuple[Stage, ...]) -> frozenset[str]:
    """Resources, CPU cores apart, that serve an item more than once: the network's own unit, or two stages on one.

    Such stages run in series with the network, one item at a time: no server is then visited twice by the pipeline.
    """
    uses = Counter(stage.resource for stage in stages if stage.resource and stage.delay_ms is None)
    return frozenset(name for name, count in uses.items() if name in NETWORK_UNITS or (count > 1 and name != "cpu"))


def _ticks(value_ms: float) -> int:
    return int(up_ticks(np.array([value_ms]))[0])


def _stage_ticks(
    stage: Stage, chips: list[Chip], chip: IntArray, megapixels: FloatArray, upload_free: BoolArray
) -> tuple[IntArray, BoolArray]:
    """Time of one item at a stage [tick] and whether it is known.

    Fixed part, part per megapixel, bytes over the link, wait for the memory bus.
    """
    fixed = np.array([_figure(stage.time_ms.on(c.id)) if stage.time_ms else 0.0 for c in chips])[chip]
    slope = np.array([_figure(stage.ms_per_mpx.on(c.id)) if stage.ms_per_mpx else 0.0 for c in chips])[chip]
    time_ms = fixed + np.where(slope == 0, 0.0, slope * megapixels) + stage.contention_ms
    if stage.mbytes is not None:
        time_ms = time_ms + _transfer_ms(stage, chips, chip, megapixels, upload_free)
    known = np.isfinite(time_ms) & (time_ms * TICKS_PER_MS < MAX_TICKS)
    return up_ticks(np.where(known, time_ms, 0.0)), known


def _transfer_ms(
    stage: Stage, chips: list[Chip], chip: IntArray, megapixels: FloatArray, upload_free: BoolArray
) -> FloatArray:
    """Bytes over the usable rate of the link, or of the memory bus where the accelerator shares it with the CPU.

    ``auto`` (the network's input, 3 bytes a pixel) costs nothing without a link, nor where the network's figure
    contains it; a stated number of bytes is always charged.
    """
    behind_link = np.array([c.behind_link for c in chips], dtype=bool)[chip]
    link = np.array([_figure(c.link_gbs) for c in chips])[chip]
    memory = np.array([_figure(c.bandwidth_gbs) for c in chips])[chip]
    if stage.mbytes == "auto":
        mbytes, inside = 3 * megapixels, np.zeros(len(chip))
    else:
        mbytes = np.full(len(chip), float(stage.mbytes or 0))
        inside = mbytes / (LINK_USABLE_SHARE * memory)
    over_link = mbytes / (LINK_USABLE_SHARE * link)
    if stage.mbytes == "auto":
        over_link = np.where(upload_free, 0.0, over_link)
    return np.where(behind_link, over_link, inside)


def _figure(value: float | None) -> float:
    return float("nan") if value is None else float(value)
