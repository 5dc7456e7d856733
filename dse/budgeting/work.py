"""From time to work: the MACs and bytes one inference may have on chips that stand for weak, middling and strong ones.

    at most    G <= peak/2 · t,   B <= bandwidth · t               exact: nobody runs above the rated figures
    likely     G  = U · peak/2 · t                                 U = 2·G'/(t'·peak) of measured runs

with t the mean time a network may take on that class of unit, and U the share of the rated peak that measured runs of
networks for the task reach, one item at a time: their median, and the range of the middle 90 % of them. Where fewer
than `ENOUGH` were measured on the unit itself, those on all units of its class count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dse.budgeting.peaks import peak_of
from dse.budgeting.tails import ClassMean
from dse.catalog.types import BoolArray, Catalog, Chip, FloatArray, IntArray
from dse.estimate.peak import usable_peak_tops
from dse.problem.fields import exact

WEAK, MIDDLE, STRONG = TIERS = ("weak", "middle", "strong")
REFERENCES: tuple[tuple[str, str, str], ...] = (
    (WEAK, "stm32h7", "mcu"),
    (WEAK, "stm32n6", "npu"),
    (WEAK, "raspberry-pi-5", "cpu"),
    (WEAK, "rk3566", "npu"),
    (MIDDLE, "rk3588", "npu"),
    (MIDDLE, "hailo-8", "npu"),
    (MIDDLE, "jetson-orin-nano-8gb", "gpu"),
    (STRONG, "jetson-agx-orin-64gb", "gpu"),
    (STRONG, "nvidia-l4", "gpu"),
)
"""Units that stand for their class: microcontrollers without and with an NPU, a board computer, NPUs and GPUs."""
ENOUGH = 12  # runs; below, a median and the range around it say more of chance than of the unit
MACS_PER_OPERATION = Fraction(1, 2)
QUANTILES = (0.5, 0.05, 0.95)


@dataclass(frozen=True)
class Interval:
    """A likely value, and the 90 % range around it."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Interval:
        """The same in another unit."""
        return Interval(self.value * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Work:
    """What one inference may have on one unit.

    ``utilization`` is that of `runs` measured runs, of the unit itself or of its class (``scope``: ``unit`` or
    ``class``). ``peak_tops`` is the rated peak at ``precision`` that one inference can use, the share ``share`` of the
    whole unit; ``gmacs`` [10^9 MAC] and ``rate_gmacs`` [10^9 MAC/s] follow from it. ``most_gmacs`` and ``most_mb``
    [10^6 byte] are limits by the rated figures. None where a figure is not known.
    """

    tier: str
    chip: str
    unit: str
    tail_class: str
    precision: str
    peak_tops: Fraction
    share: Fraction
    bandwidth_gbs: Fraction | None
    mean_ms: Fraction | None
    utilization: Interval | None
    scope: str
    runs: int
    rate_gmacs: Interval | None
    gmacs: Interval | None
    most_gmacs: Fraction | None
    most_mb: Fraction | None


def works(catalog: Catalog, nets: IntArray, means: tuple[ClassMean, ...]) -> tuple[Work, ...]:
    """What one inference may have on every reference unit the catalogue has with a rated peak.

    Parameters
    ----------
    nets : (k,)
        Networks of the task: only their runs count.
    means : tuple of ClassMean
        The mean times allowed.
    """
    shares = _Shares(catalog, nets)
    by_class = {mean.tail_class: mean.mean_ms for mean in means}
    found = (_work(shares, catalog.chips.get(chip), tier, unit, by_class) for tier, chip, unit in REFERENCES)
    return tuple(one for one in found if one is not None)


def _work(
    shares: _Shares, chip: Chip | None, tier: str, kind: str, means: Mapping[str, Fraction | None]
) -> Work | None:
    unit = chip.unit(kind) if chip is not None else None
    rated = peak_of(chip, kind) if chip is not None else None
    if chip is None or unit is None or rated is None:
        return None
    mean = means.get(unit.tail_class)
    used, scope, runs = shares.of(chip.id, kind, unit.tail_class)
    rate = used.times(float(rated.tops * 1000 * MACS_PER_OPERATION)) if used else None
    bandwidth = exact(chip.bandwidth_gbs) if chip.bandwidth_gbs else None
    return Work(
        tier=tier,
        chip=chip.id,
        unit=kind,
        tail_class=unit.tail_class,
        precision=rated.precision,
        peak_tops=rated.tops,
        share=rated.share,
        bandwidth_gbs=bandwidth,
        mean_ms=mean,
        utilization=used,
        scope=scope,
        runs=runs,
        rate_gmacs=rate,
        gmacs=rate.times(float(mean / 1000)) if rate and mean is not None else None,
        most_gmacs=rated.tops * MACS_PER_OPERATION * mean if mean is not None else None,
        most_mb=bandwidth * mean if bandwidth is not None and mean is not None else None,
    )


class _Shares:
    """Shares of the rated peak that measured runs reach, one item at a time, by unit and by class of unit."""

    def __init__(self, catalog: Catalog, nets: IntArray) -> None:
        m = catalog.measurements
        rows = np.flatnonzero((m.quantity == "latency") & (m.batch == 1) & _among(m.net, nets, len(catalog.nets.id)))
        places = list(zip(m.chip[rows].tolist(), m.unit[rows].tolist(), m.precision[rows].tolist(), strict=True))
        peaks = {place: usable_peak_tops(catalog.chips[place[0]], *place[1:]) for place in set(places)}
        peak = np.array([peaks[place] for place in places], dtype=np.float64)
        # Nobody runs above the rated peak: what seems to was rated or counted by other rules.
        with np.errstate(invalid="ignore"):
            share = np.minimum(2 * catalog.nets.gmacs[m.net[rows]] / (m.time_ms[rows] * peak), 1.0)
        self._share = share
        self._unit = np.array([f"{chip} {unit}" for chip, unit, _ in places], dtype=np.object_)
        self._class = np.array([_class_of(catalog.chips[chip], unit) for chip, unit, _ in places], dtype=np.object_)

    def of(self, chip: str, unit: str, tail_class: str) -> tuple[Interval | None, str, int]:
        """Median and middle 90 %, whose they are, and of how many runs."""
        own = self._known(self._unit == f"{chip} {unit}")
        if len(own) >= ENOUGH:
            return _interval(own), "unit", len(own)
        alike = self._known(self._class == tail_class)
        return (_interval(alike) if len(alike) >= ENOUGH else None), "class", len(alike)

    def _known(self, rows: BoolArray) -> FloatArray:
        return self._share[rows & np.isfinite(self._share)]


def _interval(shares: FloatArray) -> Interval:
    value, low, high = (float(part) for part in np.quantile(shares, QUANTILES))
    return Interval(value, low, high)


def _class_of(chip: Chip, kind: str) -> str:
    unit = chip.unit(kind)
    return unit.tail_class if unit is not None else ""


def _among(net: IntArray, nets: IntArray, size: int) -> BoolArray:
    wanted = np.zeros(size, dtype=np.bool_)
    wanted[nets] = True
    return wanted[net]
