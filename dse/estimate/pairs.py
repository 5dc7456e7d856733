"""Estimates for a list of pairs in people's words: what ``dse estimate`` answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dse.catalog.types import Catalog, FloatArray, IntArray, TextArray
from dse.estimate import evidence
from dse.estimate.basis import factor_words
from dse.estimate.conditions import Conditions
from dse.estimate.estimator import Estimator
from dse.estimate.evidence import GRADES, LEVELS
from dse.estimate.networks import KnownNetworks, Networks
from dse.estimate.peak import rated_higher
from dse.estimate.places import Asked, Place, Places


@dataclass(frozen=True)
class Named:
    """A network in a user's words; an input size of 0 and NaN mean "not said"."""

    model: str
    input_h: int = 0
    input_w: int = 0
    params_m: float = float("nan")
    gmacs: float = float("nan")


@dataclass(frozen=True)
class Answers:
    """Per pair, shape (n,): time per item and its 90 % interval [ms], NaN where refused; grade, level and basis."""

    time_ms: FloatArray
    low_ms: FloatArray
    high_ms: FloatArray
    grade: TextArray
    level: TextArray
    basis: TextArray


def described(known: KnownNetworks, named: list[Named]) -> Networks:
    """Networks in the catalogue's words, shape (n,)."""
    heights, widths = (
        np.array([getattr(one, side) for one in named], dtype=np.int64) for side in ("input_h", "input_w")
    )
    gmacs, params = (
        np.array([getattr(one, size) for one in named], dtype=np.float64) for size in ("gmacs", "params_m")
    )
    return known.describe([one.model for one in named], heights, widths, gmacs, params)


class PairEstimator:
    """Answers for any pair of a place and a network, over one catalogue and what was fitted to it."""

    def __init__(self, catalog: Catalog, estimator: Estimator) -> None:
        self._catalog, self._estimator = catalog, estimator
        self._places, self._networks = Places(catalog), KnownNetworks(catalog)
        self._row_of = {key: row for row, key in enumerate(evidence.key_words(catalog.trials, catalog.trials))}

    def answer(self, asked: list[Asked], named: list[Named]) -> Answers:
        """Answer for n pairs; words that stand in several pairs are looked up once."""
        places, condition = self._found_places(asked)
        networks, network = self._found_networks(named)
        conditions = self._places.conditions(places)
        refused = np.array([bool(place.refusal) for place in places], dtype=np.bool_)[condition]
        n = len(asked)
        time_ms, low_ms, high_ms = (np.full(n, np.nan) for _ in range(3))
        grade, level, basis = (np.full(n, "", dtype=np.object_) for _ in range(3))
        basis[refused] = [f"refused: {places[k].refusal}" for k in condition[refused].tolist()]
        rows = np.flatnonzero(~refused)
        c, m = condition[rows], network[rows]
        if len(rows):
            found = self._estimator.estimate(conditions, networks, c, m)
            floor, floor_words = self._floor(places, conditions, networks, c, m)
            log_ms = np.fmax(found.log_ms, floor)
            time_ms[rows] = np.exp(log_ms)
            low_ms[rows] = np.exp(log_ms - found.half_width)
            high_ms[rows] = np.exp(log_ms + found.half_width)
            level[rows] = np.array(LEVELS, dtype=np.object_)[found.level]
            grade[rows] = np.array(list(GRADES), dtype=np.object_)[evidence.grades(found.level)]
            basis[rows] = self._basis(conditions, networks, c, m, found.level)
            raised = floor > found.log_ms
            basis[rows[raised]] += floor_words[raised]
            self._put_measured(rows, conditions, networks, c, m, (time_ms, low_ms, high_ms, grade, level, basis))
        level[level == "B="] = "B"
        return Answers(time_ms, low_ms, high_ms, grade, level, basis)

    def _found_places(self, asked: list[Asked]) -> tuple[list[Place], IntArray]:
        numbers = {place: k for k, place in enumerate(dict.fromkeys(asked))}
        return [self._places.find(place) for place in numbers], np.array(
            [numbers[place] for place in asked], dtype=np.int64
        )

    def _found_networks(self, named: list[Named]) -> tuple[Networks, IntArray]:
        keys = [(n.model, n.input_h, n.input_w, repr(n.params_m), repr(n.gmacs)) for n in named]
        first = {key: k for k, key in reversed(list(enumerate(keys)))}
        numbers = {key: k for k, key in enumerate(dict.fromkeys(keys))}
        distinct = [named[first[key]] for key in numbers]
        networks = described(self._networks, distinct)
        return networks, np.array([numbers[key] for key in keys], dtype=np.int64)

    def _basis(
        self, conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray, level: IntArray
    ) -> list[str]:
        """Which rows stand behind every estimate, and the factors it is the product of."""
        seen = self._estimator.seen
        on_device = seen.models_on(conditions)[condition].tolist()
        elsewhere = seen.devices_of(networks)[network].tolist()
        words = factor_words(self._estimator, conditions, networks, condition, network)
        places = zip(
            conditions.device[condition], conditions.unit[condition], conditions.runtime[condition], strict=True
        )
        return [
            f"{_EVIDENCE[LEVELS[kind]]}; {count} networks measured on {' '.join(place)}, {networks.model[net]} in "
            f"{others} places; {factors}"
            for kind, count, place, net, others, factors in zip(
                level.tolist(), on_device, places, network.tolist(), elsewhere, words, strict=True
            )
        ]

    def _floor(
        self, places: list[Place], conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray
    ) -> tuple[FloatArray, TextArray]:
        """Log of the time measured under the same key at a precision of higher rated peak [log ms], and its words.

        NaN and nothing where there is none; see `dse.estimate.speed` for why an estimate may not lie below.
        """
        floor, words = np.full(len(condition), np.nan), np.full(len(condition), "", dtype=np.object_)
        chips = self._catalog.chips
        higher = [
            rated_higher(chips[place.chip], place.unit, place.asked.precision) if place.chip in chips else []
            for place in places
        ]
        for precision in sorted({name for names in higher for name in names}):
            has = np.array([precision in names for names in higher], dtype=np.bool_)
            rows = np.flatnonzero(has[condition])
            there = replace(conditions, precision=np.full(len(places), precision, dtype=np.object_))
            keys = evidence.key_words(there.take(condition[rows]), networks.take(network[rows]))
            for row, key in zip(rows.tolist(), keys, strict=True):
                measured = self._row_of.get(key)
                if measured is not None and not self._catalog.trials.log_ms[measured] <= floor[row]:
                    floor[row] = self._catalog.trials.log_ms[measured]
                    words[row] = f"; raised to the time measured here in {precision}, which is rated faster"
        return floor, words

    def _put_measured(
        self,
        rows: IntArray,
        conditions: Conditions,
        networks: Networks,
        condition: IntArray,
        network: IntArray,
        columns: tuple[FloatArray, FloatArray, FloatArray, TextArray, TextArray, TextArray],
    ) -> None:
        """Replace estimates of what was measured under this very key by the measurement."""
        time_ms, low_ms, high_ms, grade, level, basis = columns
        trials = self._catalog.trials
        keys = evidence.key_words(conditions.take(condition), networks.take(network))
        for row, key in zip(rows.tolist(), keys, strict=True):
            found = self._row_of.get(key)
            if found is None:
                continue
            repeats = np.log(evidence.REPEATS_CPU if trials.unit[found] in ("cpu", "mcu") else evidence.REPEATS)
            time_ms[row] = np.exp(trials.log_ms[found])
            low_ms[row] = np.exp(min(trials.low[found], trials.log_ms[found] - repeats))
            high_ms[row] = np.exp(max(trials.high[found], trials.log_ms[found] + repeats))
            grade[row] = level[row] = "A"
            count = int(trials.count[found])
            basis[row] = f"measured on this very key, {count} row{'s' if count > 1 else ''}"


_EVIDENCE = {
    "B=": "this network and precision measured here with this runtime in another batch, mode or number of cores",
    "B": "this network measured here with this runtime at another precision or input size",
    "C1": "runtime calibrated here, network known from elsewhere",
    "C2": "runtime calibrated here, network never measured",
    "C2-": "runtime calibrated here, network never measured and its MACs not known",
    "K1": "few networks measured here with this runtime, this one known from elsewhere",
    "K2": "few networks measured here with this runtime, this one nowhere",
    "K2-": "few networks measured here with this runtime, this one nowhere and its MACs not known",
    "R1": "measured here with another runtime only, this network known from elsewhere",
    "R2": "measured here with another runtime only, this network nowhere",
    "R2-": "measured here with another runtime only, this network nowhere and its MACs not known",
    "D1": "nothing measured here, network known from elsewhere",
    "D2": "nothing measured here, network never measured",
    "D2-": "nothing measured here, network never measured and its MACs not known",
}
