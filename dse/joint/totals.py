"""What a combination takes of the device besides time: power, price, memory; whole numbers of `dse.schema`.

    power   units that were measured add up, each with the hungriest of its networks; a rated figure covers the whole
            chip, whatever runs on it. Host and reserve are added once.
    memory  weights and activations add up; a runtime is loaded once, whichever networks use it.

Both err upwards: idle power is counted once per unit, and activations of networks on one unit are never alive at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dse.candidates.regions import CONTENTS, region_mb
from dse.candidates.resources import OWN_MEASUREMENT, runtime_mb
from dse.catalog.types import IntArray, TextArray, text_array
from dse.joint.sides import Side
from dse.schema import QUANTITIES, UNKNOWN, to_fixed

MEASURED_BASES = (0, OWN_MEASUREMENT)


@dataclass(frozen=True)
class Shares:
    """What every kept row of one task takes, shape (n,), in whole numbers; `UNKNOWN` where nobody knows.

    ``power`` is the chip's own and ``added`` that of host and reserve; ``rated`` says that the figure covers the chip.
    ``memory`` and ``least_memory`` are without the runtime, whose word is ``runtime`` and whose size ``base``;
    ``capacity`` is the device's. ``content`` (2, n) are the needs of `CONTENTS` and ``region`` (2, n) what they fit in.
    """

    power: IntArray
    added: IntArray
    rated: IntArray
    price: IntArray
    lead_time: IntArray
    energy: IntArray
    memory: IntArray
    least_memory: IntArray
    runtime: TextArray
    base: IntArray
    capacity: IntArray
    content: IntArray
    region: IntArray


def shares_of(side: Side) -> Shares:
    """The figures of every kept row."""
    context, run = side.context, side.candidates.run
    r, lanes = context.resources, context.lanes
    lane = context.runs.lane[run]
    chips = lanes.chips(context.catalog)
    megabytes, watts = QUANTITIES["memory_mb"].scale, QUANTITIES["power_w"].scale
    bases = [runtime_mb(*key) for key in zip(chips, lanes.unit.tolist(), lanes.runtime.tolist(), strict=True)]
    base = np.array(bases)[lane]
    words = text_array(f"{unit}|{runtime}" for unit, runtime in zip(lanes.unit, lanes.runtime, strict=True))
    needs = np.stack([r.region_needs.of(content)[run] for content in CONTENTS])
    spare = problem_reserve_mb(side)
    regions = np.stack([np.array([region_mb(chip, content) for chip in chips])[lane] for content in CONTENTS])
    regions[0] -= spare
    return Shares(
        power=to_fixed(r.own_power_w[run], watts),
        added=to_fixed((r.power_w - r.own_power_w)[run], watts),
        rated=(~np.isin(r.power_basis[run], MEASURED_BASES)).astype(np.int64),
        price=to_fixed(r.price_usd[run], QUANTITIES["price_usd"].scale),
        lead_time=to_fixed(r.lead_time_weeks[run], QUANTITIES["lead_time_weeks"].scale),
        energy=to_fixed(r.energy_mj[run], QUANTITIES["energy_mj"].scale),
        memory=to_fixed(np.maximum(r.memory_mb[run] - base, 0.0), megabytes),
        least_memory=to_fixed(np.maximum(r.least_memory_mb[run] - base, 0.0), megabytes),
        runtime=words[lane],
        base=to_fixed(base, megabytes),
        capacity=to_fixed(r.capacity_mb[run], megabytes),
        content=to_fixed(needs, megabytes),
        region=to_fixed(regions, megabytes),
    )


def problem_reserve_mb(side: Side) -> float:
    """Memory the problem keeps free for the rest of the product [MB]; it lies in the region of the working memory."""
    return side.context.problem.reserve.memory_mb or 0.0


@dataclass(frozen=True)
class Totals:
    """Figures of a combination, `UNKNOWN` where a row has none.

    ``spare`` and ``region_spare`` are what ``capacity``, the device's, and ``region`` leave: negative on overflow.
    """

    power: int
    price: int
    lead_time: int
    energy: int
    memory: int
    capacity: int
    spare: int
    region: int
    region_spare: int


def totals(shares: Sequence[Shares], units: Sequence[str], rows: Sequence[int], items: Sequence[int]) -> Totals:
    """Add up one row per task; `items` are how many each task handles in a common time, for the mean energy."""
    picked = list(zip(shares, rows, strict=True))
    bases = {str(share.runtime[row]): int(share.base[row]) for share, row in picked}
    memory = [int(share.memory[row]) for share, row in picked]
    least = sum(int(share.least_memory[row]) for share, row in picked) + sum(bases.values())
    capacity = int(picked[0][0].capacity[picked[0][1]])
    region, region_spare = _tighter_region(picked)
    return Totals(
        power=_power(picked, units),
        price=int(picked[0][0].price[picked[0][1]]),
        lead_time=int(picked[0][0].lead_time[picked[0][1]]),
        energy=_mean_energy(picked, items),
        memory=UNKNOWN if UNKNOWN in memory else sum(memory) + sum(bases.values()),
        capacity=capacity,
        spare=UNKNOWN if capacity == UNKNOWN else capacity - least,
        region=region,
        region_spare=region_spare,
    )


def _power(picked: Sequence[tuple[Shares, int]], units: Sequence[str]) -> int:
    """Watts of host and reserve, and of the chip: measured units together, or rated as a whole if that is more."""
    own = [int(share.power[row]) for share, row in picked]
    added = [int(share.added[row]) for share, row in picked]
    rated = [bool(share.rated[row]) for share, row in picked]
    if UNKNOWN in own or UNKNOWN in added:
        return UNKNOWN
    of_unit: dict[str, int] = {}
    for unit, watts, covers in zip(units, own, rated, strict=True):
        if not covers:
            of_unit[unit] = max(of_unit.get(unit, 0), watts)
    whole = max((watts for watts, covers in zip(own, rated, strict=True) if covers), default=0)
    return max(whole, sum(of_unit.values())) + max(added)


def _mean_energy(picked: Sequence[tuple[Shares, int]], items: Sequence[int]) -> int:
    """Energy of an item, the mean over the items of all tasks, rounded up."""
    own = [int(share.energy[row]) for share, row in picked]
    if UNKNOWN in own:
        return UNKNOWN
    return -(-sum(energy * count for energy, count in zip(own, items, strict=True)) // sum(items))


def _tighter_region(picked: Sequence[tuple[Shares, int]]) -> tuple[int, int]:
    """Size of the tighter region and what is left of it with all contents in it; UNKNOWN where nothing overflows for
    sure and something is not known."""
    sure: list[tuple[int, int]] = []
    for k in range(len(CONTENTS)):
        region = int(picked[0][0].region[k, picked[0][1]])
        needs = [int(share.content[k, row]) for share, row in picked]
        known = [need for need in needs if need != UNKNOWN]
        spare = region - sum(known)
        if region != UNKNOWN and (spare < 0 or len(known) == len(needs)):
            sure.append((spare, region))
    spare, region = min(sure, default=(UNKNOWN, UNKNOWN))
    return (region, spare) if spare < 0 or len(sure) == len(CONTENTS) else (UNKNOWN, UNKNOWN)
