"""Hidden traits: what conditions and networks share that no word or size names.

    residual of network i in condition c = sum_k a_ck b_ik,   a ~ N(0, s^2), b ~ N(0, s^2)

Found by ridge regressions in turn, of the conditions on the networks and back, with the robust weights of the law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.catalog.types import FloatArray, IntArray, TextArray, text_array
from dse.estimate.conditions import Conditions
from dse.estimate.multilevel import robust_weights
from dse.estimate.networks import Networks
from dse.estimate.vocabulary import codes, vocabulary

TRAITS = 2  # four or eight predict no better
SPREAD = 0.3  # prior spread of a trait; their product is log time
TURNS = 15
SEED = 0


@dataclass(frozen=True)
class Traits:
    """Traits by word: of conditions (c + 1, k) and of networks at an input size and precision (n + 1, k).

    The last row of both is zero, for what nobody measured.
    """

    conditions: dict[str, int]
    networks: dict[str, int]
    of_condition: np.ndarray
    of_network: np.ndarray

    def of(self, conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray) -> FloatArray:
        """What the traits add to every pair [log time]; ``condition`` and ``network`` broadcast."""
        precisions = vocabulary(conditions.folded)
        at_precision = np.stack([codes(_at(networks, word), self.networks) for word in precisions])
        place = at_precision[codes(conditions.folded, precisions)[condition], network]
        own = self.of_condition[codes(conditions.columns()["condition"], self.conditions)[condition]]
        added: FloatArray = np.einsum("...k,...k->...", own, self.of_network[place])
        return added


def traits_of(
    residual: FloatArray,
    conditions: Conditions,
    networks: Networks,
    condition: IntArray,
    network: IntArray,
    sigma: float,
) -> Traits:
    """Traits behind what the law leaves of measured rows [log time]; arguments as of `dse.estimate.law.fit_law`."""
    at_input, folded, words = networks.at_input, conditions.folded, conditions.columns()["condition"]
    pairs = zip(at_input[network], folded[condition], strict=True)
    items = text_array("|".join(pair) for pair in pairs)
    numbers, item_numbers = vocabulary(words), vocabulary(items)
    shape = len(numbers), len(item_numbers)
    place = codes(words, numbers)[condition]
    found = fit_traits(residual, place, codes(items, item_numbers), shape, sigma)
    of_condition, of_network = (np.vstack([part, np.zeros((1, TRAITS))]).astype(np.float32) for part in found)
    return Traits(numbers, item_numbers, of_condition, of_network)


def _at(networks: Networks, precision: str) -> TextArray:
    return text_array(f"{network}|{precision}" for network in networks.at_input)


def fit_traits(
    residual: FloatArray, condition: IntArray, network: IntArray, shape: tuple[int, int], sigma: float
) -> tuple[FloatArray, FloatArray]:
    """Traits of conditions (shape[0], k) and of networks (shape[1], k).

    Parameters
    ----------
    residual : (n,)
        What the law leaves of every row [log time].
    condition, network : (n,)
        Positions of the condition and the network of every row.
    shape : (int, int)
        How many conditions and networks there are.
    sigma : float
        Scale of the noise [log time].
    """
    draw = np.random.default_rng(SEED)
    of_condition: FloatArray = draw.normal(0, SPREAD, (shape[0], TRAITS))
    of_network: FloatArray = draw.normal(0, SPREAD, (shape[1], TRAITS))
    explained = np.zeros(len(residual))
    for _ in range(TURNS):
        weight = robust_weights(residual - explained, sigma)
        of_condition = _ridge(residual, weight, condition, of_network[network], shape[0], sigma)
        of_network = _ridge(residual, weight, network, of_condition[condition], shape[1], sigma)
        explained = np.einsum("nk,nk->n", of_condition[condition], of_network[network])
    return of_condition, of_network


def _ridge(
    residual: FloatArray, weight: FloatArray, group: IntArray, other: FloatArray, groups: int, sigma: float
) -> FloatArray:
    """One small regression per group: of its residuals on the traits of the other side."""
    k = other.shape[1]
    right = np.stack([np.bincount(group, weight * residual * other[:, i], groups) for i in range(k)], axis=1)
    left = np.empty((groups, k, k))
    for i in range(k):
        for j in range(k):
            left[:, i, j] = np.bincount(group, weight * other[:, i] * other[:, j], groups)
    left += (sigma / SPREAD) ** 2 * np.eye(k)
    solved: FloatArray = np.linalg.solve(left, right[..., None])[..., 0].astype(np.float64)
    return solved
