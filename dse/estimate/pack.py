"""The fitted station as flat arrays and a little JSON, and back: what the compiled catalogue carries."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.estimate.estimator import TABLES, Estimator
from dse.estimate.evidence import Seen
from dse.estimate.law import Effects, Kind, Law
from dse.estimate.networks import SizeModel
from dse.estimate.traits import Traits

Arrays = dict[str, np.ndarray]
Meta = dict[str, Any]
_COLUMNS = ("group", "name", "value", "variance")


def packed(estimator: Estimator) -> tuple[Arrays, Meta]:
    """Arrays by name, and everything that is words."""
    arrays: Arrays = {"models": estimator.seen.models, "cells": estimator.seen.cells}
    seen = estimator.seen
    words = ("devices", "model_places", "places", "inputs")
    meta: Meta = {"seen": {name: list(getattr(seen, name)) for name in words}, "units": sorted(seen.units)}
    for table, law in estimator.laws.items():
        own, meta[table] = _packed_law(law)
        arrays |= {f"{table}.{name}": array for name, array in own.items()}
    return arrays, meta


def unpacked(arrays: Arrays, meta: Meta) -> Estimator:
    """The station that `packed` took apart."""
    words = {name: _numbers(listed) for name, listed in meta["seen"].items()}
    laws = {
        table: _unpacked_law(
            {name.partition(".")[2]: array for name, array in arrays.items() if name.startswith(f"{table}.")},
            meta[table],
        )
        for table in TABLES
    }
    return Estimator(laws, seen=Seen(frozenset(meta["units"]), **words, models=arrays["models"], cells=arrays["cells"]))


def _packed_law(law: Law) -> tuple[Arrays, Meta]:
    arrays: Arrays = {name: getattr(law, name) for name in ("mean", "scale", "dense")}
    for column in _COLUMNS:
        arrays[column] = np.concatenate([getattr(effects, column) for effects in law.effects])
    arrays["counts"] = np.array([len(effects.value) for effects in law.effects])
    arrays |= {"of_condition": law.traits.of_condition, "of_network": law.traits.of_network}
    return arrays, {
        "means": law.sizes.means,
        "slopes": law.sizes.slopes,
        "slope_means": law.slope_means,
        "filling": law.filling,
        "groups": [[list(group), list(numbers)] for group, numbers in law.groups.items()],
        "names": {name: list(numbers) for name, numbers in law.names.items()},
        "kinds": [[list(e.kind.group), e.kind.name, e.kind.slope, e.kind.spread] for e in law.effects],
        "trait_conditions": list(law.traits.conditions),
        "trait_networks": list(law.traits.networks),
        "sigma": law.sigma,
    }


def _unpacked_law(arrays: Arrays, meta: Meta) -> Law:
    ends = np.cumsum(arrays["counts"])[:-1]
    parts = zip(*(np.split(arrays[column], ends) for column in _COLUMNS), strict=True)
    kinds = [Kind(tuple(group), name, slope, spread) for group, name, slope, spread in meta["kinds"]]
    return Law(
        sizes=SizeModel(
            {name: (of_stem, of_family, overall) for name, (of_stem, of_family, overall) in meta["means"].items()},
            {name: tuple(slopes) for name, slopes in meta["slopes"].items()},
        ),
        mean=arrays["mean"],
        scale=arrays["scale"],
        dense=arrays["dense"],
        slope_means=meta["slope_means"],
        filling=meta["filling"],
        groups={tuple(group): _numbers(words) for group, words in meta["groups"]},
        names={name: _numbers(words) for name, words in meta["names"].items()},
        effects=tuple(Effects(kind, *columns) for kind, columns in zip(kinds, parts, strict=True)),
        traits=Traits(
            _numbers(meta["trait_conditions"]),
            _numbers(meta["trait_networks"]),
            arrays["of_condition"],
            arrays["of_network"],
        ),
        sigma=meta["sigma"],
    )


def _numbers(words: list[str]) -> dict[str, int]:
    return {word: k for k, word in enumerate(words)}
