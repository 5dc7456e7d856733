"""What overflows a memory region of a microcontroller, and by how many bytes: the closest runs first."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.candidates.context import Context
from dse.candidates.regions import BYTES_PER_MB, CONTENTS, Content, region_for, region_mb

JsonObject = dict[str, Any]
SHOWN = 3


def misfits_of(context: Context) -> list[JsonObject]:
    """The runs that overflow a region by least, at most `SHOWN`, each with the content that overflows most."""
    spare_mb = context.resources.region_spare_mb
    over = np.flatnonzero(spare_mb < 0)
    order = over[np.argsort(-spare_mb[over], kind="stable")]
    return [_misfit(context, run) for run in order[:SHOWN].tolist()]


def _misfit(context: Context, run: int) -> JsonObject:
    chip, lane, nets, net = context.chip_of(run), context.lane_of(run), context.catalog.nets, context.runs.net[run]
    content = min(CONTENTS, key=lambda one: _left_mb(context, run, one))
    region = region_for(chip, content)
    return {
        "chip": chip.id,
        "board": context.lanes.board[lane] or None,
        "model": str(nets.id[net]),
        "input_h": int(nets.input_h[net]) or None,
        "input_w": int(nets.input_w[net]) or None,
        "precision": context.lanes.precision[lane],
        "content": content,
        "region": None if region is None else region.id,
        "region_bytes": _whole_bytes(region_mb(chip, content)),
        "needed_bytes": _whole_bytes(_needed_mb(context, run, content)),
        "over_bytes": _whole_bytes(-_left_mb(context, run, content)),
    }


def _needed_mb(context: Context, run: int, content: Content) -> float:
    """What a run needs of one region, the reserve with the working memory [10^6 byte]."""
    reserve_mb = context.problem.reserve.memory_mb or 0.0
    return float(context.resources.region_needs.of(content)[run]) + (reserve_mb if content == "working memory" else 0.0)


def _left_mb(context: Context, run: int, content: Content) -> float:
    """What one content leaves of its region [10^6 byte]; infinite where one of the two is unknown."""
    left = region_mb(context.chip_of(run), content) - _needed_mb(context, run, content)
    return left if np.isfinite(left) else float("inf")


def _whole_bytes(megabytes: float) -> int:
    return round(megabytes * BYTES_PER_MB)
