"""Why an estimate is what it is: the measured networks nearest to it, and the factors it is made of."""

from __future__ import annotations

import numpy as np

from dse.catalog.types import Catalog, FloatArray, IntArray
from dse.estimate.conditions import Conditions
from dse.estimate.estimator import TABLES, Estimator
from dse.estimate.law import factors
from dse.estimate.networks import Networks

NEAREST = 3
# Where a size is not known, the distance usual between two networks of one unit.
UNKNOWN_PARAMS, UNKNOWN_AREA = 0.8, 0.4


def nearest_measured(catalog: Catalog, chip: str, unit: str, net: int) -> list[int]:
    """The networks measured on a unit that resemble a network most, the nearest first.

    Distance = |dlog GMACs| + 0.5 |dlog parameters| + 0.3 |dlog area| + 0.4 [line differs] + 0.4 [family differs].
    """
    m, nets = catalog.measurements, catalog.nets
    of_chip = m.of_chip.get(chip, np.zeros(0, dtype=np.int64))
    there = np.unique(m.net[of_chip[m.unit[of_chip] == unit]])
    there = there[there != net]
    area = (nets.input_h * nets.input_w).astype(np.float64)

    def apart(values: FloatArray, unknown: float) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.abs(np.log(values[there]) - np.log(values[net]))
        return np.where(np.isfinite(distance), distance, unknown)

    distance = apart(nets.gmacs, np.inf) + 0.5 * apart(nets.params_m, UNKNOWN_PARAMS) + 0.3 * apart(area, UNKNOWN_AREA)
    distance += 0.4 * (nets.stem[there] != nets.stem[net]) + 0.4 * (nets.family[there] != nets.family[net])
    order = np.argsort(distance, kind="stable")[:NEAREST]
    return [int(k) for k in there[order]]


def factor_words(
    estimator: Estimator, conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray
) -> list[str]:
    """What every pair's time is the product of, such as ``5.1 ms on the average unit x npu 0.6 x rk3588 1.2``.

    The first figure is the network on the average of everything that was measured; each factor is what the fitted
    effects of one column of the condition add, alone and together with the columns named before it.
    """
    law_of = estimator.law_of(conditions, networks, condition, network)
    lines = np.empty(len(network), dtype=np.object_)
    for number in np.unique(law_of).tolist():
        rows = np.flatnonzero(law_of == number)
        base, parts = factors(estimator.laws[TABLES[number]], conditions, networks, condition[rows], network[rows])
        words = {name: getattr(conditions, name)[condition[rows]] for name in ("unit", "vendor", "device", "runtime")}
        words |= {"precision": conditions.precision[condition[rows]]}
        for k, row in enumerate(rows.tolist()):
            found = [f"{np.exp(base[k]):.3g} ms on the average unit"]
            for name, value in parts.items():
                label = (words[name][k] if name in words else "") or name
                found.append(f"{label} {np.exp(value[k]):.2f}")
            lines[row] = " × ".join(found)
    return [str(line) for line in lines]
