"""The path of one item on every candidate: fixed delays, item stages, transfer, the network, in ticks.

Stages come from the problem; where it names none, the path is the upload (behind a link) and the network. Each CPU
stage has a core of its own while cores last; when they do not, or nobody stated how many there are, the item runs to
completion: everything from the first such stage to the last, the network included, in series on one server. That is a
design anyone can build, and its bound is exact.

Where the network runs on some frames of a source and timed stages of the source on all, the two are paths of their own,
one behind the other; the source's stages then share a core among themselves where cores do not last. Where both would
need one server, single items count as if the network ran on every frame.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dse.candidates.stage_places import NETWORK_UNITS, Stages, variants
from dse.candidates.stage_ticks import servers_of, stage_ticks, ticks_of
from dse.catalog.types import BoolArray, Chip, FloatArray, IntArray
from dse.problem.fields import exact
from dse.problem.spec import Problem, Task
from dse.problem.stage import INFER, Stage

UPLOAD = Stage(name="upload", mbytes="auto")
NETWORK = Stage(name=INFER)
# Boundaries inside which the transfer is already counted.
INCLUDES_TRANSFER = ("host", "pipeline", "app")
PPM = 1_000_000


@dataclass(frozen=True)
class StageTimes:
    """One stage on every candidate, shape (n,).

    ``ticks`` is the time of one item, a multiple of the servers, or the delay with its variation; 0 for the network.
    ``series`` marks candidates on which the stage runs on the server of the network, or, of a source at its own rate,
    on one with other stages of the source; ``copies`` those on which it fills the network's only buffer. ``share_ppm``
    is the part of the shorter of this stage and the next that is hidden, in millionths, rounded down.
    """

    stage: Stage
    ticks: IntArray
    series: BoolArray
    copies: BoolArray
    share_ppm: IntArray

    @property
    def is_delay(self) -> bool:
        """Whether the stage occupies nothing."""
        return self.stage.delay_ms is not None

    @property
    def is_network(self) -> bool:
        """Whether the stage is the network itself."""
        return self.stage.name == INFER

    @property
    def alone(self) -> IntArray:
        """Ticks where the stage shares no server with others, else 0."""
        return np.where(self.series, 0, self.ticks)

    @property
    def merged(self) -> IntArray:
        """Ticks where the stage runs in series with others, else 0."""
        return np.where(self.series, self.ticks, 0)

    def servers(self) -> list[IntArray]:
        """The stage as item stages of one server each.

        All bounds depend on the sum of the item times and the longest time per server, so c servers that take s are c
        stages of s/c in a row.
        """
        count = servers_of(self.stage)
        return [self.alone // count] * count


@dataclass(frozen=True)
class ItemPath:
    """An item's path: its stages in order, the network among them at `position`.

    The first `shared` stages, those of a source, run on every frame though the network runs on some; 0 where all run at
    one rate. ``contention`` is the network's own wait for the memory bus, per batch [tick]; ``known`` is False where a
    time is missing. ``crossing`` marks candidates on which a server would serve frames and items at two rates.
    """

    stages: tuple[StageTimes, ...]
    position: int
    shared: int
    contention: int
    known: BoolArray
    crossing: BoolArray

    @property
    def of_source(self) -> tuple[StageTimes, ...]:
        """Stages at the rate of the source, where that is another one."""
        return self.stages[: self.shared]

    @property
    def of_task(self) -> tuple[StageTimes, ...]:
        """Stages at the rate of the network, the network among them."""
        return self.stages[self.shared :]

    @property
    def before(self) -> list[StageTimes]:
        """Item stages of the task before the network."""
        return [times for times in self.stages[self.shared : self.position] if not times.is_delay]

    @property
    def after(self) -> list[StageTimes]:
        """Item stages behind the network."""
        return [times for times in self.stages[self.position + 1 :] if not times.is_delay]

    @property
    def merged(self) -> list[StageTimes]:
        """What may run in series with the network on its own server."""
        return [times for times in self.of_task if not times.is_network]

    def hidden(self, network: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Ticks that stages hide behind the next one for the same item, network time per item being `network`.

        Returns
        -------
        three arrays (n,)
            Between the last stage before the network and it; between other neighbours; within the network's server (a
            transfer into its only buffer). A saving needs two servers, or that buffer. Rounded down.
        """
        ahead, others, inside = np.zeros((3, *network.shape), dtype=np.int64)
        for first, second in pairwise(self.stages):
            if first.is_delay or second.is_delay:
                continue
            times = [network if one.is_network else one.ticks for one in (first, second)]
            saved = np.minimum(*times) * first.share_ppm // PPM
            apart = (first.is_network | ~first.series) & (second.is_network | ~second.series)
            if second.is_network:
                ahead += saved * apart
                inside += saved * (first.series & first.copies)
            else:
                others += saved * apart
        return ahead, others, inside


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
    return timed and (readers > 1 or task.every_nth > 1 or task.items_per_frame.max > 1)


def shared_stages(problem: Problem, task: Task) -> int:
    """How many stages run once per frame of a source while the network runs on some frames, or on several items of one.

    0 where none of them takes time.
    """
    first = () if task.after else problem.source_of(task).stages
    rates_differ = task.every_nth > 1 or task.items_per_frame.max > 1
    return len(first) if rates_differ and any(stage.delay_ms is None for stage in first) else 0


def is_synchronous(problem: Problem, task: Task) -> bool:
    """Whether all streams release at once: when each runs on every n-th frame, not on the same frames."""
    return problem.source_of(task).phase == "synchronous" and task.every_nth == 1


def scope_of(task: Task) -> str:
    """``end-to-end`` when the problem says what surrounds the network, else ``network-only``."""
    return "end-to-end" if task.overhead_ms is not None or any(s.name != INFER for s in task.stages) else "network-only"


def item_path(
    stages: Stages,
    chips: list[Chip],
    chip: IntArray,
    megapixels: FloatArray,
    upload_free: BoolArray,
    cores_left: FloatArray,
    buffers: int,
    *,
    pixels: int,
    shared: int = 0,
) -> ItemPath:
    """Ticks of every stage on candidates with chip code `chip` and an input of `megapixels`.

    `upload_free` marks figures that already contain the transfer; `cores_left` how many CPU cores each candidate has
    for stages (NaN: unknown, taken for none). A frame of the source has `pixels`; `shared` as in `ItemPath`.
    """
    position = next(k for k, stage in enumerate(stages) if stage.name == INFER)
    forms, of_chip = variants(stages, chips)
    form = np.array(of_chip, dtype=np.int64)[chip]
    size = len(chip)
    series, copies = np.zeros((2, len(stages), size), dtype=np.bool_)
    share_ppm = np.zeros((len(stages), size), dtype=np.int64)
    known, crossing = np.ones(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)
    for number, resolved in enumerate(forms):
        rows = np.flatnonzero(form == number)
        series[:, rows], crossing[rows] = _in_series(resolved, position, cores_left[rows], buffers, shared)
        copies[:, rows] = np.array([[_is_copy(resolved, k, buffers)] for k in range(len(stages))])
        share_ppm[:, rows] = np.array([[ppm] for ppm in hidden_shares_ppm(resolved)])
    found = []
    for k, stage in enumerate(stages):
        ticks = np.zeros(size, dtype=np.int64)
        if stage.delay_ms is not None:
            ticks = np.full(size, ticks_of(stage.delay_ms, stage.variation_ms))
        elif k != position:
            here = [forms[number][k] for number in of_chip]
            ticks, said = stage_ticks(here, chips, chip, megapixels, upload_free, pixels)
            known &= said
        found.append(StageTimes(stage, ticks, series[k], copies[k], share_ppm[k]))
    return ItemPath(tuple(found), position, shared, ticks_of(stages[position].contention_ms), known, crossing)


def _in_series(
    stages: Stages, position: int, cores_left: FloatArray, buffers: int, shared: int
) -> tuple[BoolArray, BoolArray]:
    """Whether each stage runs in series with others on one server, (k, n); and whether two rates need one, (n,).

    What needs the network's server, or one it cannot share, does; and with it everything in between: an item that runs
    to completion holds the server until its last part is done. Stages of a source at its own rate that lack a core each
    run so on a core of theirs, when the network's server has one beside it.
    """
    crowded, wanted = resources_used_twice(stages), cpu_stage_count(stages)
    with np.errstate(invalid="ignore"):
        no_core_each = ~(wanted <= cores_left)  # cores nobody stated are none
        no_core_for_both = no_core_each & ~(cores_left >= (2 if cpu_stage_count(stages[shared:]) else 1))
    shares = np.array(
        [
            no_core_each
            if is_cpu_stage(stage)
            else np.full(len(cores_left), k == position or stage.resource in crowded or _is_copy(stages, k, buffers))
            for k, stage in enumerate(stages)
        ]
    )
    crossing = np.zeros(len(cores_left), dtype=np.bool_)
    if shared:
        crossing |= no_core_for_both & (cpu_stage_count(stages[:shared]) > 0)
        both = {stage.resource for stage in stages[:shared] if stage.resource in crowded}
        crossing |= bool(both & NETWORK_UNITS or both & {stage.resource for stage in stages[shared:]})
    return np.concatenate([_filled(shares[:shared]), _filled(shares[shared:])]), crossing


def _filled(shares: BoolArray) -> BoolArray:
    """From the first stage that shares a server to the last, (k, n)."""
    started = np.logical_or.accumulate(shares, axis=0)
    unfinished = np.logical_or.accumulate(shares[::-1], axis=0)[::-1]
    return np.asarray(started & unfinished)


def hidden_shares_ppm(stages: Stages) -> list[int]:
    """Share of each stage that counts as hidden behind the next, in millionths, rounded down.

    What a stage hides of the one before and of itself behind the next is at most all of it: otherwise an item would be
    bounded lower the longer its middle stage takes, and services may be shorter than given.
    """
    found: list[int] = []
    for stage in stages:
        left = PPM - (found[-1] if found else 0)
        found.append(min(int(exact(stage.overlap) * PPM), left))
    return found


def _is_copy(stages: Stages, place: int, buffers: int) -> bool:
    """Whether a stage is the transfer into the only buffer: the last thing with a time before the network."""
    if buffers > 1 or stages[place].resource != "dma" or stages[place].delay_ms is not None:
        return False
    following = next((stage for stage in stages[place + 1 :] if stage.delay_ms is None), None)
    return following is not None and following.name == INFER


def is_cpu_stage(stage: Stage) -> bool:
    """Whether a stage wants a CPU core."""
    return stage.resource == "cpu" and stage.delay_ms is None


def cpu_stage_count(stages: Stages) -> int:
    """Stages that want a CPU core each."""
    return sum(is_cpu_stage(stage) for stage in stages)


def resources_used_twice(stages: Stages) -> frozenset[str]:
    """Resources, CPU cores apart, that serve an item more than once: the network's own unit, or two stages on one.

    Such stages run in series with the network, one item at a time: no server is then visited twice by the pipeline.
    """
    uses = Counter(stage.resource for stage in stages if stage.resource and stage.delay_ms is None)
    return frozenset(name for name, count in uses.items() if name in NETWORK_UNITS or (count > 1 and name != "cpu"))
