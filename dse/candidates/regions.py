"""Whether a network fits a microcontroller's memory regions: its working memory and its weights, each in one piece.

The sum of all regions says nothing: the arena of a network is one block of addresses, and so is the array of its
weights. A region that nobody listed is unknown, not absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dse.catalog.parts import Region
from dse.catalog.types import Chip, FloatArray, IntArray

BYTES_PER_KIB = 1024
BYTES_PER_MB = 1_000_000
RAM_KINDS = ("sram", "tcm", "psram", "dram")
STORE_KINDS = ("flash", "rram", "mram")
EXTERNAL_KINDS = ("psram", "dram")  # beside the chip: weights may be kept there as well
Content = Literal["working memory", "weights"]
CONTENTS: tuple[Content, ...] = ("working memory", "weights")


@dataclass(frozen=True)
class RegionNeeds:
    """What a run needs in one piece, shape (n,) [10^6 byte]; NaN where unknown."""

    ram_mb: FloatArray
    weights_mb: FloatArray

    def of(self, content: Content) -> FloatArray:
        """The column of one content."""
        return self.ram_mb if content == "working memory" else self.weights_mb


def region_for(chip: Chip, content: Content) -> Region | None:
    """The largest single region a content may lie in; None where no such region is listed.

    Weights are judged only where the file lists a memory that keeps them without power: most chips without one have it
    beside them.
    """
    kinds: tuple[str, ...] = RAM_KINDS
    if content == "weights":
        stores = any(region.kind in STORE_KINDS for region in chip.regions)
        kinds = (*STORE_KINDS, *EXTERNAL_KINDS) if stores else ()
    fitting = [region for region in chip.regions if region.kind in kinds]
    return max(fitting, key=lambda region: region.kib, default=None)


def region_mb(chip: Chip, content: Content) -> float:
    """Size of that region [10^6 byte]; NaN where none is listed."""
    region = region_for(chip, content) if chip.regions else None
    return float("nan") if region is None else region.kib * BYTES_PER_KIB / BYTES_PER_MB


def region_spare_mb(needs: RegionNeeds, chips: list[Chip], lane: IntArray, reserve_mb: float) -> FloatArray:
    """What is left in the tighter of the two regions, negative where a content overflows, shape (n,) [10^6 byte].

    NaN where nothing overflows and one of the two is unknown. `reserve_mb` lies in the region of the working memory.
    Rounded down to whole bytes, beyond the noise of floats.
    """
    spare = np.full(len(lane), np.nan)
    listed = np.array([bool(chip.regions) for chip in chips], dtype=np.bool_)
    at = np.flatnonzero(listed[lane])  # few: computers list none
    lane = lane[at]
    ram = np.array([region_mb(chip, "working memory") for chip in chips])[lane] - reserve_mb - needs.ram_mb[at]
    weights = np.array([region_mb(chip, "weights") for chip in chips])[lane] - needs.weights_mb[at]
    tighter = np.fmin(ram, weights)
    known = (tighter < 0) | (np.isfinite(ram) & np.isfinite(weights))
    spare[at] = np.where(known, np.floor((tighter * BYTES_PER_MB).round(3)) / BYTES_PER_MB, np.nan)
    return spare
