"""Times of single stages in ticks, on every candidate: stated, moved over a link, or taken by the chip's decoder."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dse.candidates.stage_places import decoder_ms, takes_decoder_time
from dse.catalog.types import BoolArray, Chip, FloatArray, IntArray
from dse.problem.fields import exact
from dse.problem.stage import Stage
from dse.timing.servers import MAX_SERVERS
from dse.timing.ticks import MAX_TICKS, TICK_MS, TICKS_PER_MS, up, up_ticks

LINK_USABLE_SHARE = 0.75  # of the raw rate of a link or memory bus that a transfer reaches
ZERO = Fraction(0)


def servers_of(stage: Stage) -> int:
    """Items a stage serves at a time; more than bounds are worked out for count as that many."""
    return min(stage.servers, MAX_SERVERS)


def ticks_of(*values_ms: float) -> int:
    """The sum of some times in ticks, rounded up once."""
    return up(sum((exact(value) for value in values_ms), ZERO), TICK_MS)


def stage_ticks(
    stages: list[Stage],
    chips: list[Chip],
    chip: IntArray,
    megapixels: FloatArray,
    upload_free: BoolArray,
    pixels: int,
) -> tuple[IntArray, BoolArray]:
    """Time of one item at a stage [tick], a multiple of its servers, and whether it is known; `stages` is per chip.

    Fixed part, part per megapixel, bytes over the link, wait for the memory bus; or the time of the decoder.
    """
    here = list(zip(stages, chips, strict=True))
    fixed = np.array([_figure(stage.time_ms.on(c.id)) if stage.time_ms else 0.0 for stage, c in here])[chip]
    slope = np.array([_figure(stage.ms_per_mpx.on(c.id)) if stage.ms_per_mpx else 0.0 for stage, c in here])[chip]
    time_ms = fixed + np.where(slope == 0, 0.0, slope * megapixels) + stages[0].contention_ms if stages else fixed
    moving = next((stage for stage in stages if stage.mbytes is not None), None)
    if moving is not None:
        moves = np.array([stage.mbytes is not None for stage in stages])[chip]
        time_ms = time_ms + np.where(moves, _transfer_ms(moving, chips, chip, megapixels, upload_free), 0.0)
    known = np.isfinite(time_ms) & (time_ms * TICKS_PER_MS < MAX_TICKS)
    ticks = up_ticks(np.where(known, time_ms, 0.0))
    if any(takes_decoder_time(stage) for stage in stages):
        decoders = [decoder_ms(c, pixels) if takes_decoder_time(stage) else ZERO for stage, c in here]
        known &= np.array([time is not None and time * TICKS_PER_MS < MAX_TICKS for time in decoders])[chip]
        ticks = ticks + np.array([min(math.ceil((time or ZERO) * TICKS_PER_MS), MAX_TICKS) for time in decoders])[chip]
    count = servers_of(stages[0]) if stages else 1
    return np.where(known, -(-ticks // count) * count, 0), known


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
