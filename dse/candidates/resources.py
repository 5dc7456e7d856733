"""Power, price, memory and cores of a run: what the chip, its host and the reserve add up to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.candidates.regions import RegionNeeds, region_spare_mb
from dse.candidates.run_table import KNOWN, Space
from dse.catalog.parts import Power
from dse.catalog.types import Catalog, Chip, FloatArray, IntArray
from dse.estimate.peak import BYTES
from dse.problem.settings import Host
from dse.problem.spec import Problem

TYPICAL_TO_SUSTAINED = 1.5  # a "typical" power has no common workload; grade E
LIVE_SHARE = 0.25  # of all activations alive at once; exact only from the model file, grade E
RUNTIME_MB = 20.0  # a runtime on Linux
GPU_CONTEXT_MB = 1_800.0  # upper end of 0.5-1.8 GB of a CUDA context with its libraries
# Kept for the operating system and the application unless the problem says otherwise: (memory_mb, cpu_cores).
RESERVE = {"mcu": (0.0, 0.0), "sensor": (0.0, 0.0)}
RESERVE_LINUX = (500.0, 1.0)
POWER_BASES = (
    "measured at this key",
    "budget of the power mode",
    "maximum of the chip",
    "typical x 1.5",
    "unknown",
    "your own measurement",
)
POWER_GRADES = "ABCEEA"
OWN_MEASUREMENT = 5


@dataclass(frozen=True)
class Resources:
    """Per run, shape (n,), NaN where unknown; ``power_basis`` indexes `POWER_BASES`.

    ``power_w`` and ``price_usd`` are of the whole system, ``lead_time_weeks`` of the part that comes last;
    ``cores_left`` are CPU cores for stages beside the network.
    ``least_memory_mb`` leaves out what is not known: enough to refuse a network that cannot fit. ``region_needs`` is
    what must lie in one piece, ``region_spare_mb`` what the tighter region leaves; unknown on chips without regions.
    """

    power_w: FloatArray
    own_power_w: FloatArray
    power_basis: IntArray
    price_usd: FloatArray
    lead_time_weeks: FloatArray
    memory_mb: FloatArray
    least_memory_mb: FloatArray
    capacity_mb: FloatArray
    region_needs: RegionNeeds
    region_spare_mb: FloatArray
    cores_left: FloatArray
    energy_mj: FloatArray


def reserve_of(problem: Problem, chip: Chip) -> tuple[float, float, float]:
    """Memory [MB], CPU cores and power [W] a device keeps for the rest of the product."""
    memory, cores = RESERVE.get(chip.form, RESERVE_LINUX)
    r = problem.reserve
    return (
        memory if r.memory_mb is None else r.memory_mb,
        cores if r.cpu_cores is None else r.cpu_cores,
        r.power_w or 0.0,
    )


def resources(problem: Problem, space: Space, catalog: Catalog, service_ms: FloatArray) -> Resources:
    """Resources of every run."""
    runs, lanes = space.runs, space.lanes
    chips = lanes.chips(catalog)
    hosts = [host_of(chip, problem.host) for chip in chips]
    reserves = [reserve_of(problem, chip) for chip in chips]
    rungs = [rated_power(chip, mode) for chip, mode in zip(chips, lanes.mode.tolist(), strict=True)]
    measured = np.isfinite(runs.power_w)
    own = np.where(measured, runs.power_w, np.array([watts for watts, _ in rungs])[runs.lane])
    basis = np.array([rung for _, rung in rungs], dtype=np.int64)[runs.lane]
    basis = np.where(measured, np.where(runs.origin == KNOWN, OWN_MEASUREMENT, 0), basis)
    added = np.array([host.power_w + reserve[2] for host, reserve in zip(hosts, reserves, strict=True)])
    prices = [chip.latest_price.usd if chip.latest_price is not None else np.nan for chip in chips]
    capacity = [_or_nan(chip.capacity_gb) * 1e3 - reserve[0] for chip, reserve in zip(chips, reserves, strict=True)]
    weights, live, base = _sizes_mb(space, catalog, chips)
    memory, least = _memory_mb(runs.memory_mb, weights, live, base)
    needs = _region_needs(runs.memory_mb, weights, live, base)
    energy = np.where(np.isfinite(runs.energy_mj), runs.energy_mj, own * service_ms / runs.batch)
    return Resources(
        power_w=own + added[runs.lane],
        own_power_w=own,
        power_basis=basis,
        energy_mj=energy,
        price_usd=(np.array(prices) + np.array([host.price_usd for host in hosts]))[runs.lane],
        lead_time_weeks=np.array([_lead_time(chip, problem.host) for chip in chips])[runs.lane],
        memory_mb=memory,
        least_memory_mb=least,
        capacity_mb=np.array(capacity)[runs.lane],
        region_needs=needs,
        region_spare_mb=region_spare_mb(needs, chips, runs.lane, problem.reserve.memory_mb or 0.0),
        cores_left=np.array(
            [
                _cores_left(unit, cores, host.cpu_cores - reserve[1])
                for unit, cores, host, reserve in zip(
                    lanes.unit.tolist(), lanes.cores.tolist(), hosts, reserves, strict=True
                )
            ]
        )[runs.lane],
    )


def rated_power(chip: Chip, mode_name: str) -> tuple[float, int]:
    """Sustained power of a chip in a mode without a measurement [W], and its rung in `POWER_BASES`.

    The ladder: budget of the mode, maximum of the chip, its typical power x 1.5, unknown (NaN).
    """
    mode = chip.mode(mode_name)
    if mode is not None and mode.budget_w is not None:
        return mode.budget_w, 1
    return (float("nan"), 4) if mode is not None and mode.beyond_rating else sustained_w(chip.power)


def sustained_w(power: Power) -> tuple[float, int]:
    """The part of the ladder below the modes: maximum, typical x 1.5, unknown (NaN)."""
    if power.max_w is not None:
        return power.max_w, 2
    if power.typical_w is not None:
        return round(power.typical_w * TYPICAL_TO_SUSTAINED, 6), 3
    return float("nan"), 4


@dataclass(frozen=True)
class HostShare:
    """What a host adds to a design; NaN where unknown."""

    power_w: float
    price_usd: float
    cpu_cores: float


def host_of(chip: Chip, host: Host | None) -> HostShare:
    """Power, price and CPU cores of the host; nothing added and the chip's own cores where it needs none."""
    if not chip.needs_host:
        return HostShare(0.0, 0.0, _or_nan(chip.cpu_cores))
    if host is None or host.absent:
        return HostShare(0.0, 0.0, float("nan"))
    if host.owned:
        return HostShare(0.0, 0.0, _or_nan(host.cpu_cores))
    return HostShare(_or_nan(host.power_w), _or_nan(host.price_usd), _or_nan(host.cpu_cores))


def _lead_time(chip: Chip, host: Host | None) -> float:
    """Delivery time of the system [week]; NaN where a part has none, as a host that is stated and not owned."""
    waits = chip.needs_host and host is not None and not (host.absent or host.owned)
    return float("nan") if waits else _or_nan(chip.lead_time_weeks)


def _sizes_mb(space: Space, catalog: Catalog, chips: list[Chip]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, live activations and runtime of every run, shape (n,) [10^6 byte]; NaN where a size is unknown."""
    runs, lanes, nets = space.runs, space.lanes, catalog.nets
    width = np.array([BYTES.get(precision, 1.0) for precision in lanes.precision.tolist()], dtype=np.float64)[runs.lane]
    names = zip(chips, lanes.unit.tolist(), lanes.runtime.tolist(), strict=True)
    base = np.array([runtime_mb(*of_lane) for of_lane in names])[runs.lane]
    live = runs.batch * LIVE_SHARE * nets.activations_m[runs.net] * width
    return nets.params_m[runs.net] * width, live, base


def _memory_mb(
    used: FloatArray, weights: FloatArray, live: FloatArray, base: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Weights + live activations + runtime, or the measured figure: NaN where a size is unknown, and without it."""
    measured = np.isfinite(used)
    modelled: FloatArray = np.where(measured, used, weights + live + base)
    least: FloatArray = np.where(measured, used, np.nan_to_num(weights) + np.nan_to_num(live) + base)
    return modelled.round(6), least.round(6)


def _region_needs(used: FloatArray, weights: FloatArray, live: FloatArray, base: FloatArray) -> RegionNeeds:
    """Working memory, measured or live activations + runtime; and the weights beside it."""
    return RegionNeeds(np.where(np.isfinite(used), used, live + base).round(6), weights.round(6))


def runtime_mb(chip: Chip, unit: str, runtime: str) -> float:
    """Memory of the runtime itself [MB]: what the chip's file says, else that of its kind."""
    known = chip.runtime(runtime)
    if known is not None and known.base_mb is not None:
        return known.base_mb
    if chip.form == "mcu":
        return 0.0
    return GPU_CONTEXT_MB if unit == "gpu" else RUNTIME_MB


def _cores_left(unit: str, cores: int, available: float) -> float:
    """CPU cores for the stages beside the network; a network on the CPU takes its own, all where not stated."""
    if unit == "mcu" or (unit == "cpu" and cores == 0):
        return 0.0
    return available - cores if unit == "cpu" else available


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else float(value)
