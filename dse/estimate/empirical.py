"""The empirical law, made explicit for an estimate: what it uses of the rated figures, and why not more.

    t = max(2 G / peak, bytes / bandwidth) / (model efficiency x hardware efficiency)
    U_c = 2 G / (t peak),   U_b = bytes / (t bandwidth),   bytes = weights + 2 activations

with G the MACs of one item, peak and bandwidth as rated for one inference (a quarter of int8 for fp16, an eighth for
fp32 where only int8 is rated), weights once per batch. The model's efficiency is the share of the average unit's own
maximum that the network reaches there, by the fitted effects of the network alone; the hardware's is what remains: how
much more or less of its rated figures this unit makes of the network. Their product gives t again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.catalog.types import Catalog, FloatArray, TextArray
from dse.estimate.conditions import Conditions
from dse.estimate.estimator import TABLES, Estimator
from dse.estimate.law import factors
from dse.estimate.networks import KnownNetworks, Networks
from dse.estimate.pairs import Answers, Named, described
from dse.estimate.peak import BYTES
from dse.estimate.places import Asked, Places


@dataclass(frozen=True)
class Efficiencies:
    """Per pair: shares of the rated compute and bandwidth in use, which of the two bounds it, and the efficiencies.

    NaN and empty where a rated figure or a size is not known.
    """

    compute: FloatArray
    bandwidth: FloatArray
    bound_by: TextArray
    model: FloatArray
    hardware: FloatArray


def efficiencies(
    catalog: Catalog, estimator: Estimator, asked: list[Asked], named: list[Named], answers: Answers
) -> Efficiencies:
    """The law of every answered pair, shape (n,)."""
    places = Places(catalog)
    found = {place: places.find(place) for place in dict.fromkeys(asked)}
    conditions = places.conditions([found[place] for place in asked])
    networks = described(KnownNetworks(catalog), named)
    moved_gb = _moved_gb(conditions, networks)
    with np.errstate(divide="ignore", invalid="ignore"):
        compute_ms = 2 * networks.gmacs / conditions.peak_tops
        memory_ms = moved_gb / conditions.bandwidth_gbs * 1e3
        roof_ms = np.maximum(compute_ms, memory_ms)
        compute, bandwidth = compute_ms / answers.time_ms, memory_ms / answers.time_ms
    model = _model_efficiency(estimator, networks, conditions, moved_gb)
    model[np.isnan(answers.time_ms)] = np.nan
    bound = np.where(compute_ms >= memory_ms, "compute", "bandwidth").astype(np.object_)
    bound[~np.isfinite(compute_ms + memory_ms + answers.time_ms)] = ""
    return Efficiencies(compute, bandwidth, bound, model, roof_ms / answers.time_ms / model)


def _moved_gb(conditions: Conditions, networks: Networks) -> FloatArray:
    """Bytes moved for one item [10^9]: weights once per batch, activations twice; unknown activations count as none."""
    width = np.array([BYTES.get(precision, 1.0) for precision in conditions.precision.tolist()])
    moved: FloatArray = (
        (networks.params_m / np.maximum(conditions.batch, 1) + 2 * np.nan_to_num(networks.activations_m)) * width / 1e3
    )
    return moved


def _model_efficiency(
    estimator: Estimator, networks: Networks, conditions: Conditions, moved_gb: FloatArray
) -> FloatArray:
    """Maximum of the average unit over the time the network takes there."""
    efficiency = np.full(len(moved_gb), np.nan)
    law_of = estimator.law_of(conditions, networks, np.arange(len(moved_gb)), np.arange(len(moved_gb)))
    for number in np.unique(law_of).tolist():
        law, rows = estimator.laws[TABLES[number]], np.flatnonzero(law_of == number)
        base, _parts = factors(law, conditions, networks, rows, rows)
        peak, bandwidth = (np.exp(law.filling[name][""]) for name in ("peak_tops", "bandwidth_gbs"))
        roof_ms = np.maximum(2 * networks.gmacs[rows] / peak, moved_gb[rows] / bandwidth * 1e3)
        efficiency[rows] = roof_ms / np.exp(base)
    return efficiency
