"""Power, price, memory and cores of a run: what the chip, its host and the reserve add up to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.candidates.runs import BYTES, Runs
from dse.catalog.types import Catalog, Chip, FloatArray, IntArray, TextArray
from dse.problem.settings import Host
from dse.problem.spec import Problem

TYPICAL_TO_SUSTAINED = 1.5  # a "typical" power has no common workload; grade E
LIVE_SHARE = 0.25  # of all activations alive at once; exact only from the model file, grade E
RUNTIME_MB = 20.0  # a runtime on Linux
GPU_CONTEXT_MB = 1_800.0  # upper end of 0.5-1.8 GB of a CUDA context with its libraries
# Kept for the operating system and the application unless the problem says otherwise: (memory_mb, cpu_cores).
RESERVE = {"mcu": (0.0, 0.0), "sensor": (0.0, 0.0)}
RESERVE_LINUX = (500.0, 1.0)
POWER_BASES = ("measured at this key", "budget of the power mode", "maximum of the chip", "typical x 1.5", "unknown",
               "your own measurement")


@dataclass(frozen=True)
class Resources:
    """Per run, shape (n,); NaN where unknown. ``power_basis`` indexes `POWER_BASES`."""

    power_w: FloatArray
    power_basis: IntArray
    power_boundary: TextArray
    power_grade: IntArray
    price_usd: FloatArray
    memory_mb: FloatArray
    capacity_mb: FloatArray
    cores_left: FloatArray
    energy_mj: FloatArray


def reserve_of(problem: Problem, chip: Chip) -> tuple[float, float, float]:
    """Memory [MB], CPU cores and power [W] a device keeps for the rest of the product."""
    memory, cores = RESERVE.get(chip.form, RESERVE_LINUX)
    r = problem.reserve
    return (memory if r.memory_mb is None else r.memory_mb, cores if r.cpu_cores is None else r.cpu_cores, r.power_w or 0.0)


def resources(problem: Problem, runs: Runs, catalog: Catalog, service_ms: FloatArray) -> Resources:
    """Resources of every run."""
    names, code = np.unique(runs.chip.astype(str), return_inverse=True)
    chips = [catalog.chips[name] for name in names]
    host = [_host_of(chip, problem.host) for chip in chips]
    reserve = [reserve_of(problem, chip) for chip in chips]
    own, basis, boundary, grade = _chip_power(runs, catalog)
    added = np.array([h[0] + r[2] for h, r in zip(host, reserve, strict=True)])[code]
    price = np.array([(chip.latest_price.usd if chip.latest_price else np.nan) + h[1]
                      for chip, h in zip(chips, host, strict=True)])[code]
    capacity = np.array([(chip.capacity_gb or np.nan) * 1e3 - r[0] for chip, r in zip(chips, reserve, strict=True)])[code]
    cores = np.array([h[2] - r[1] for h, r in zip(host, reserve, strict=True)])[code]
    power = own + added
    energy = np.where(np.isfinite(runs.energy_mj), runs.energy_mj, own * service_ms / runs.batch)
    return Resources(power, basis, boundary, grade, price, _memory_mb(runs, catalog), capacity, _cores_left(runs, cores), energy)


def _chip_power(runs: Runs, catalog: Catalog) -> tuple[FloatArray, IntArray, TextArray, IntArray]:
    """The ladder of power figures: measured, mode budget, chip maximum, typical x 1.5, unknown."""
    pairs, code = np.unique(np.char.add(np.char.add(runs.chip.astype(str), "\t"), runs.mode.astype(str)), return_inverse=True)
    rungs = [_rung(catalog.chips[pair.split("\t")[0]], pair.split("\t")[1]) for pair in pairs.tolist()]
    rated = np.array([watts for watts, _, _ in rungs])[code]
    basis = np.array([rung for _, rung, _ in rungs])[code]
    boundary = np.array([word for _, _, word in rungs], dtype=object)[code]
    measured = np.isfinite(runs.power_w)
    known_by_user = measured & (runs.power_boundary == "stated")
    basis = np.where(measured, np.where(known_by_user, 5, 0), basis)
    grade = np.array([0, 1, 2, 4, 4, 0])[basis]
    return (np.where(measured, runs.power_w, rated), basis, np.where(measured, runs.power_boundary, boundary), grade)


def _rung(chip: Chip, mode_name: str) -> tuple[float, int, str]:
    """Sustained power of a chip in a mode without a measurement, its rung and what it covers."""
    mode = chip.mode(mode_name)
    covers = {"module": "module", "m2-card": "module", "devkit": "board"}.get(chip.form, "chip")
    if mode is not None and mode.budget_w is not None:
        return mode.budget_w, 1, covers
    if chip.max_w is not None:
        return chip.max_w, 2, covers
    if chip.typical_w is not None:
        return round(chip.typical_w * TYPICAL_TO_SUSTAINED, 6), 3, covers
    return float("nan"), 4, ""


def _host_of(chip: Chip, host: Host | None) -> tuple[float, float, float]:
    """Power, price and CPU cores the host adds; cores of the chip itself where it needs none."""
    if not chip.needs_host:
        return 0.0, 0.0, float(chip.cpu_cores) if chip.cpu_cores is not None else float("nan")
    if host is None or host.absent:
        return 0.0, 0.0, float("nan")
    cores = float(host.cpu_cores) if host.cpu_cores is not None else float("nan")
    if host.owned:
        return 0.0, 0.0, cores
    return (float("nan") if host.power_w is None else host.power_w), (float("nan") if host.price_usd is None else host.price_usd), cores


def _memory_mb(runs: Runs, catalog: Catalog) -> FloatArray:
    """Weights + live activations + runtime, or the measured figure; NaN where a size is unknown."""
    width = np.array([BYTES.get(precision, 1.0) for precision in runs.precision.tolist()])
    nets = catalog.nets
    base = np.where(runs.unit == "gpu", GPU_CONTEXT_MB, RUNTIME_MB)
    base = np.where(np.array([catalog.chips[c].form == "mcu" for c in runs.chip.tolist()], dtype=bool), 0.0, base)
    modelled = nets.params_m[runs.net] * width + runs.batch * LIVE_SHARE * nets.activations_m[runs.net] * width + base
    return np.round(np.where(np.isfinite(runs.memory_mb), runs.memory_mb, modelled), 6)


def _cores_left(runs: Runs, cores: FloatArray) -> FloatArray:
    """CPU cores for the stages beside the network; a network on the CPU takes its own (all, where not stated)."""
    on_cpu = np.isin(runs.unit.astype(str), ["cpu", "mcu"])
    taken = np.where(on_cpu, np.where(runs.cores > 0, runs.cores, np.inf), 0.0)
    left = np.where(np.isinf(taken), 0.0, cores - np.where(np.isinf(taken), 0.0, taken))
    return np.where(runs.unit == "mcu", 0.0, left)
