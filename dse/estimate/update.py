"""What a user's own measurements teach: the laws of their devices, on top of the laws that ship with dse.

Fitting everything anew for a handful of rows would take as long as for all of them. What is common to many devices (a
unit, a vendor, a runtime, a network) stays as it is; effects of the devices and conditions that have rows of the
user's, and effects of words nobody had measured before, are fitted to all rows of these devices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dse.catalog.types import BoolArray, Catalog, FloatArray, IntArray, Trials
from dse.estimate import multilevel
from dse.estimate.conditions import Conditions
from dse.estimate.estimator import Estimator, rows_of
from dse.estimate.evidence import Seen, key_words
from dse.estimate.law import Effects, Law, joined, names_of, predict, terms_of
from dse.estimate.networks import Networks
from dse.estimate.vocabulary import codes, vocabulary

OWN = {"device", "condition"}
"""Columns of the condition that belong to one device."""


def fit_more(catalog: Catalog, fitted: Trials, shipped: Estimator) -> Estimator:
    """The station for a catalogue with more measured rows than those (`fitted`) that `shipped` was fitted to."""
    trials = catalog.trials
    known = set(_figures(fitted))
    new = np.array([row not in known for row in _figures(trials)], dtype=np.bool_)
    return updated(shipped, *rows_of(catalog), trials.log_ms, new)


def _figures(trials: Trials) -> Iterator[tuple[str, float, int]]:
    """Key, log time [log ms] and number of measurements of every row."""
    return zip(key_words(trials, trials), trials.log_ms.tolist(), trials.count.tolist(), strict=True)


def updated(
    shipped: Estimator, conditions: Conditions, networks: Networks, log_ms: FloatArray, new: BoolArray
) -> Estimator:
    """The station after n measured rows of which some are `new`.

    Parameters
    ----------
    shipped : Estimator
        Fitted to the other rows.
    conditions, networks, log_ms : (n,)
        Condition, network and log time per item [log ms] of every row.
    new : (n,)
        Which rows the fit has not seen.
    """
    if not new.any():
        return shipped
    devices = set(conditions.device[new].tolist())
    touched = np.array([device in devices for device in conditions.device.tolist()], dtype=np.bool_)
    (places, condition), (nets, network) = conditions.take(touched).distinct(), networks.take(touched).distinct()
    rows = (places, nets, condition, network, log_ms[touched])
    laws = {table: _updated(law, *rows) for table, law in shipped.laws.items()}
    return Estimator(laws, Seen.of(conditions, networks))


def _updated(
    law: Law, conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray, log_ms: FloatArray
) -> Law:
    columns = conditions.columns()
    groups = {group: _extended(numbers, joined(columns, group)) for group, numbers in law.groups.items()}
    touched = {group: np.unique(codes(joined(columns, group), numbers)) for group, numbers in groups.items()}
    names = names_of(networks)
    words = {name: _extended(numbers, names[name][0].ravel()) for name, numbers in law.names.items()}
    kept = [_without(effects, touched[effects.kind.group]) for effects in law.effects]
    fixed = replace(law, groups=groups, names=words, effects=tuple(kept))
    logs = law.sizes.fill(networks)
    residual = log_ms - predict(fixed, conditions, networks, condition, network).log_ms
    wanted = [effects.kind for effects in law.effects]
    terms = [
        _free(term, effects, len(words[effects.kind.name]))
        for term, effects in zip(
            terms_of(wanted, conditions, networks, condition, network, groups, words, logs, law.slope_means),
            kept,
            strict=True,
        )
    ]
    # Without dense columns: what they say is common to all devices.
    fitted = multilevel.fit(residual, np.zeros((len(residual), 1)), terms, law.sigma)
    effects = tuple(
        _joined(old, term, value, variance, len(words[old.kind.name]))
        for old, term, value, variance in zip(kept, terms, fitted.effects, fitted.variances, strict=True)
    )
    return replace(fixed, effects=effects)


def _extended(numbers: dict[str, int], words: np.ndarray) -> dict[str, int]:
    """The numbers with those words behind them that had none."""
    more = [word for word in vocabulary(words) if word not in numbers]
    return numbers | {word: len(numbers) + k for k, word in enumerate(more)}


def _without(effects: Effects, touched: IntArray) -> Effects:
    """Effects but for those of the touched devices and conditions, which are fitted anew to all their rows."""
    if not OWN & set(effects.kind.group):
        return effects
    keep = ~np.isin(effects.group, touched)
    columns = (column[keep] for column in (effects.group, effects.name, effects.value, effects.variance))
    return Effects(effects.kind, *columns)


def _free(term: multilevel.Term, fixed: Effects, names: int) -> multilevel.Term:
    """The term without the effects that stay as they are."""
    if OWN & set(fixed.kind.group):
        return term
    key = fixed.group.astype(np.int64) * names + fixed.name
    return replace(term, scale=np.where(np.isin(term.level, key), 0.0, term.scale))


def _joined(old: Effects, term: multilevel.Term, value: FloatArray, variance: FloatArray, names: int) -> Effects:
    """Old effects with the fitted ones in the place of those of the same group and name."""
    key = np.unique(term.level[term.scale != 0])
    keep = ~np.isin(old.group.astype(np.int64) * names + old.name, key)
    return Effects(
        old.kind,
        np.concatenate([old.group[keep], (key // names).astype(np.int32)]),
        np.concatenate([old.name[keep], (key % names).astype(np.int32)]),
        np.concatenate([old.value[keep], value[key].astype(np.float32)]),
        np.concatenate([old.variance[keep], variance[key].astype(np.float32)]),
    )
