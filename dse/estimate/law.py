"""The law of the estimates: which effects there are, fitted to measured times and evaluated for any pair.

    log t = features + sum over (group, feature) of an effect of the group on the feature

A group is a column of the condition (device, runtime, precision …) or several of them together; a feature is a name of
the network (its family, line, task, operators …) or one of its log sizes. Every effect is a deviation, shrunken towards
none: a runtime on which somebody measured two networks hardly leaves the average of its unit, one with two hundred has
its own law. ``spreads.csv`` holds the prior spread of every kind of effect, in log time.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from dse.catalog.types import FloatArray, IntArray, TextArray, text_array
from dse.estimate import multilevel
from dse.estimate.conditions import Conditions
from dse.estimate.networks import MOST_WORDS, Networks, SizeModel, words_of
from dse.estimate.traits import Traits, traits_of
from dse.estimate.vocabulary import codes, vocabulary

CROSSED = (0, 2)  # features of the condition that also multiply the log MACs: peak and batch
WORK_EXPONENT = 0.75  # of time over MACs, before any measurement says otherwise
TRANSFORMERS = ("vit", "text", "hybrid", "detr", "sam", "diffusion")
DEPTHWISE = ("mobilenet_v1", "mobilenet_v2", "mobilenet_v3", "mobilenet_v4", "efficientnet", "convnext", "hybrid",
             "squeezenet")  # fmt: skip
NAMES = ("", "family", "stem", "model", "at_input", "task", "operators", "words")
"""Names of the network that effects go by; the operators and the words of its name are several at once."""
SLOPES = {"log_macs": "macs", "log_params": "params", "log_area": "area", "log_activations": "activations"}
COLUMNS = ("unit", "vendor", "device", "runtime", "precision", "batch", "condition")
"""Columns of the condition, from the coarse to the fine."""
SPREADS = Path(__file__).with_name("spreads.csv")


@dataclass(frozen=True)
class Kind:
    """A kind of effect: one per group of these columns of the condition and name of the network, times a slope.

    No column, no name or no slope: one group, one name, a slope of 1.
    """

    group: tuple[str, ...]
    name: str
    slope: str
    spread: float


@cache
def kinds(table: str) -> tuple[Kind, ...]:
    """The kinds of effects of one law, and their prior spreads [log time].

    The tables are those of `dse.estimate.estimator.TABLES`.
    """
    with SPREADS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return tuple(
        Kind(tuple(row["group"].split()), row["name"], row["slope"], float(row[table])) for row in rows if row[table]
    )


@dataclass(frozen=True)
class Effects:
    """Fitted effects of one kind, shape (m,): of group ``group[k]`` on name ``name[k]``, positions in the law's words.

    A pair of group and name that is not among them has no effect, with the variance of the prior.
    """

    kind: Kind
    group: np.ndarray
    name: np.ndarray
    value: np.ndarray
    variance: np.ndarray


@dataclass(frozen=True)
class Law:
    """Everything a fit leaves behind; ``groups`` and ``names`` number the words that were seen.

    ``mean`` and ``scale`` standardise the dense columns whose coefficients are ``dense`` (the first is the intercept),
    ``filling`` holds the usual logs of rated figures per kind of unit.
    """

    sizes: SizeModel
    mean: FloatArray
    scale: FloatArray
    dense: FloatArray
    slope_means: dict[str, float]
    filling: dict[str, dict[str, float]]
    groups: dict[tuple[str, ...], dict[str, int]]
    names: dict[str, dict[str, int]]
    effects: tuple[Effects, ...]
    traits: Traits
    sigma: float


@dataclass(frozen=True)
class Prediction:
    """Log time per item [log ms] and its standard deviation before calibration, shape of the pairs."""

    log_ms: FloatArray
    spread: FloatArray


def fit_law(
    conditions: Conditions,
    networks: Networks,
    condition: IntArray,
    network: IntArray,
    log_ms: FloatArray,
    table: str,
    sigma: float,
) -> Law:
    """Fit the law to r measured rows.

    Parameters
    ----------
    conditions, networks : (c,), (n,)
        Distinct conditions and networks.
    condition, network : (r,)
        Which of them every row is of.
    log_ms : (r,)
        Log of the time per item [log ms].
    table : str
        Column of ``spreads.csv``.
    sigma : float
        Scale of the noise [log time].
    """
    sizes = SizeModel.fitted(networks.take(network))
    logs = sizes.fill(networks)
    rows = conditions.take(condition)
    filling = {name: _unit_means(rows, getattr(rows, name)) for name in ("peak_tops", "bandwidth_gbs")}
    of_condition = _condition_features(conditions, filling)[condition]
    crossing = of_condition[:, list(CROSSED)] * logs["macs"][network][:, None]
    features = np.column_stack([of_condition, _network_features(networks, logs)[network], crossing])
    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale == 0] = 1.0
    dense = np.column_stack([np.ones(len(log_ms)), (features - mean) / scale])
    slope_means = {feature: float(logs[size][network].mean()) for feature, size in SLOPES.items()}
    columns, names = conditions.columns(), names_of(networks)
    groups = {kind.group: vocabulary(joined(columns, kind.group)) for kind in kinds(table)}
    words = {name: vocabulary(listed.ravel()) for name, (listed, _scale) in names.items()}
    terms = terms_of(kinds(table), conditions, networks, condition, network, groups, words, logs, slope_means)
    beyond = log_ms - WORK_EXPONENT * logs["macs"][network]
    fitted = multilevel.fit(beyond, dense, terms, sigma)
    effects = tuple(
        _touched(kind, len(words[kind.name]), term, value, variance)
        for kind, term, value, variance in zip(kinds(table), terms, fitted.effects, fitted.variances, strict=True)
    )
    traits = traits_of(beyond - fitted.fitted, conditions, networks, condition, network, sigma)
    return Law(sizes, mean, scale, fitted.dense, slope_means, filling, groups, words, effects, traits, sigma)


def terms_of(
    wanted: Sequence[Kind],
    conditions: Conditions,
    networks: Networks,
    condition: IntArray,
    network: IntArray,
    groups: dict[tuple[str, ...], dict[str, int]],
    words: dict[str, dict[str, int]],
    logs: dict[str, FloatArray],
    slope_means: dict[str, float],
) -> list[multilevel.Term]:
    """One term per kind of effect on r rows; `groups` and `words` number the words, arguments as of `fit_law`."""
    columns, names = conditions.columns(), names_of(networks)
    of_group = {group: codes(joined(columns, group), groups[group])[condition] for group in {k.group for k in wanted}}
    of_name = {
        name: codes(listed.ravel(), words[name]).reshape(listed.shape)[network]
        for name, (listed, _scale) in names.items()
    }
    slopes = {name: (logs[size] - slope_means[name])[network] for name, size in SLOPES.items()}
    slopes |= {"": np.ones(len(condition)), "log2_batch": conditions.log2_batch()[condition]}
    terms = []
    for kind in wanted:
        count = len(words[kind.name])
        level = of_group[kind.group][:, None] * count + of_name[kind.name]
        scale = names[kind.name][1][network] * slopes[kind.slope][:, None]
        terms.append(multilevel.Term(level, scale, len(groups[kind.group]) * count, kind.spread))
    return terms


def predict(law: Law, conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray) -> Prediction:
    """Evaluate the law.

    Parameters
    ----------
    conditions : (c,)
        Distinct conditions.
    networks : (n,)
        Distinct networks.
    condition, network : int arrays that broadcast against each other
        Which condition and which network of every pair: two lists for pairs, a column and a row for a whole table.
    """
    logs = law.sizes.fill(networks)
    log_ms = _smooth(law, conditions, networks, logs, condition, network)
    variance = np.full(log_ms.shape, law.sigma**2)
    for value, its_variance in _parts(law, conditions, networks, logs, condition, network):
        log_ms += value
        variance += its_variance
    log_ms += law.traits.of(conditions, networks, condition, network)
    return Prediction(log_ms, np.sqrt(variance))


def factors(
    law: Law, conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Log time of every pair as a sum [log ms]: the network on the average unit, then what the condition adds.

    An effect of several columns counts to the last of them in the order of `COLUMNS`; rated figures, cores and streams
    count to the device, traits to the condition. The sum is the prediction.
    """
    logs = law.sizes.fill(networks)
    smooth = _smooth(law, conditions, networks, logs, condition, network)
    base = _smooth_of_network(law, networks, logs)[network]
    parts = {name: np.zeros(len(network)) for name in COLUMNS}
    parts["device"] += smooth - base
    for effects, (value, _variance) in zip(
        law.effects, _parts(law, conditions, networks, logs, condition, network), strict=True
    ):
        group = effects.kind.group
        if group:
            parts[max(group, key=COLUMNS.index)] += value
        else:
            base = base + value
    parts["condition"] += law.traits.of(conditions, networks, condition, network)
    return base, parts


def _smooth(
    law: Law,
    conditions: Conditions,
    networks: Networks,
    logs: dict[str, FloatArray],
    condition: IntArray,
    network: IntArray,
) -> FloatArray:
    """The dense part: of the condition, of the network, and of the two products of both."""
    coefficients = law.dense[1:] / law.scale
    of_condition = _condition_features(conditions, law.filling)
    of_network = _network_features(networks, logs)
    c, n = of_condition.shape[1], of_network.shape[1]
    base = law.dense[0] - coefficients @ law.mean
    first = base + of_condition @ coefficients[:c]
    second = of_network @ coefficients[c : c + n] + WORK_EXPONENT * logs["macs"]
    crossed = _crossing(conditions, law.filling) @ coefficients[c + n :]
    smooth: FloatArray = first[condition] + second[network] + crossed[condition] * logs["macs"][network]
    return smooth


def _smooth_of_network(law: Law, networks: Networks, logs: dict[str, FloatArray]) -> FloatArray:
    """The dense part of every network under the average condition."""
    coefficients = law.dense[1:] / law.scale
    own = _network_features(networks, logs)
    first = len(coefficients) - len(CROSSED) - own.shape[1]
    last = len(coefficients) - len(CROSSED)
    base = law.dense[0] - coefficients[first:] @ law.mean[first:]
    of_network = own @ coefficients[first:last] + WORK_EXPONENT * logs["macs"]
    smooth: FloatArray = base + of_network + (law.mean[list(CROSSED)] @ coefficients[last:]) * logs["macs"]
    return smooth


def _parts(
    law: Law,
    conditions: Conditions,
    networks: Networks,
    logs: dict[str, FloatArray],
    condition: IntArray,
    network: IntArray,
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Value and variance of every kind of effect, in the shape of the pairs or of what broadcasts to it."""
    columns, names = conditions.columns(), names_of(networks)
    groups = {group: joined(columns, group) for group in {effects.kind.group for effects in law.effects}}
    asked = {group: vocabulary(words) for group, words in groups.items()}
    place = {group: codes(words, asked[group])[condition] for group, words in groups.items()}
    named = {name: vocabulary(words.ravel()) for name, (words, _scale) in names.items()}
    for effects in law.effects:
        kind = effects.kind
        value, variance = _table(law, effects, asked[kind.group], named[kind.name])
        value, variance = _of_networks(value, variance, named[kind.name], *names[kind.name])
        if condition.shape != network.shape:
            # A whole table: copying rows is several times faster than looking up every pair.
            row, column = place[kind.group].ravel(), network.ravel()
            of_value, of_variance = value[:, column][row], variance[:, column][row]
        else:
            pair = place[kind.group], network
            of_value, of_variance = value[pair], variance[pair]
        if kind.slope == "log2_batch":
            slope = conditions.log2_batch()[condition]
        elif kind.slope:
            slope = (logs[SLOPES[kind.slope]] - law.slope_means[kind.slope])[network]
        else:
            yield of_value, of_variance
            continue
        yield of_value * slope, of_variance * slope**2


def _of_networks(
    value: FloatArray, variance: FloatArray, named: dict[str, int], words: TextArray, scale: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Value and variance per asked group and network, from those per group and name."""
    code = codes(words.ravel(), named).reshape(words.shape)
    if words.shape[1] == 1:
        return value[:, code[:, 0]] * scale[:, 0], variance[:, code[:, 0]] * scale[:, 0] ** 2
    membership = np.zeros((len(named), len(words)))
    np.add.at(membership, (code, np.arange(len(words))[:, None]), scale)
    return value @ membership, variance @ membership**2


def _table(law: Law, effects: Effects, groups: dict[str, int], names: dict[str, int]) -> tuple[FloatArray, FloatArray]:
    """Effects and variances as dense tables over the asked groups and names."""
    shape, kind = (len(groups), len(names)), effects.kind
    value, variance = np.zeros(shape), np.full(shape, kind.spread**2)
    row = _translation(law.groups[kind.group], groups)[effects.group]
    column = _translation(law.names[kind.name], names)[effects.name]
    asked = (row >= 0) & (column >= 0)
    value[row[asked], column[asked]] = effects.value[asked]
    variance[row[asked], column[asked]] = effects.variance[asked]
    return value, variance


def _translation(own: dict[str, int], asked: dict[str, int]) -> IntArray:
    """Place of every own word among the asked ones, -1 where nobody asks."""
    return np.array([asked.get(word, -1) for word in own], dtype=np.int64)


def _touched(kind: Kind, names: int, term: multilevel.Term, value: FloatArray, variance: FloatArray) -> Effects:
    """The effects that some row touched, in the digits an estimate needs."""
    key = np.unique(term.level[term.scale != 0])
    group, name = (key // names).astype(np.int32), (key % names).astype(np.int32)
    return Effects(kind, group, name, value[key].astype(np.float32), variance[key].astype(np.float32))


def _condition_features(conditions: Conditions, filling: dict[str, dict[str, float]]) -> FloatArray:
    peak = _log_filled(conditions, conditions.peak_tops, filling["peak_tops"])
    bandwidth = _log_filled(conditions, conditions.bandwidth_gbs, filling["bandwidth_gbs"])
    return np.column_stack(
        [
            peak,
            bandwidth,
            conditions.log2_batch(),
            np.log2(np.maximum(conditions.cores, 1)),
            np.log2(np.maximum(conditions.streams, 1)),
            np.isnan(conditions.peak_tops),
            (conditions.unit == "cpu") * peak,
            (conditions.unit == "mcu") * peak,
        ]
    )


def _network_features(networks: Networks, logs: dict[str, FloatArray]) -> FloatArray:
    depthwise, transformer = (np.isin(networks.family.astype(str), kind) for kind in (DEPTHWISE, TRANSFORMERS))
    known = networks.log_sizes()
    missing = [np.isnan(known[size]) for size in ("macs", "params", "activations")]
    macs = logs["macs"]
    sizes = [macs, logs["params"], logs["activations"], logs["area"]]
    return np.column_stack([*sizes, depthwise, transformer, macs * depthwise, macs * transformer, macs**2, *missing])


def _crossing(conditions: Conditions, filling: dict[str, dict[str, float]]) -> FloatArray:
    """What multiplies the log MACs."""
    crossing: FloatArray = _condition_features(conditions, filling)[:, list(CROSSED)]
    return crossing


def _unit_means(conditions: Conditions, figure: FloatArray) -> dict[str, float]:
    """Mean log of a rated figure per kind of unit, and over all under the empty word."""
    known = np.isfinite(figure)
    log = np.log(figure[known])
    means = {"": float(log.mean()) if len(log) else 0.0}
    for unit in np.unique(conditions.unit[known].astype(str)).tolist():
        means[unit] = float(log[conditions.unit[known] == unit].mean())
    return means


def _log_filled(conditions: Conditions, figure: FloatArray, means: dict[str, float]) -> FloatArray:
    """Log of a rated figure; the mean of the kind of unit where it is not rated."""
    usual = np.array([means.get(unit, means[""]) for unit in conditions.unit.tolist()], dtype=np.float64)
    return np.where(np.isfinite(figure), np.log(figure), usual)


def names_of(networks: Networks) -> dict[str, tuple[TextArray, FloatArray]]:
    """Names of each network by feature, (n, k), and their scales: several names at once share the scale of one."""
    one = np.ones((len(networks.model), 1))
    found = {name: (getattr(networks, name)[:, None], one) for name in NAMES[1:-2]}
    found[""] = (np.full((len(networks.model), 1), "", dtype=np.object_), one)
    operators = [words.split() for words in networks.operators.tolist()]
    found["operators"] = _several(operators, max((len(words) for words in operators), default=1) or 1)
    found["words"] = _several([words_of(model) for model in networks.model.tolist()], MOST_WORDS)
    return found


def _several(lists: list[list[str]], width: int) -> tuple[TextArray, FloatArray]:
    words = np.full((len(lists), width), "", dtype=np.object_)
    scale = np.zeros((len(lists), width))
    for row, listed in enumerate(lists):
        words[row, : len(listed)] = listed
        scale[row, : len(listed)] = 1 / np.sqrt(max(len(listed), 1))
    return words, scale


def joined(columns: dict[str, TextArray], group: tuple[str, ...]) -> TextArray:
    """The words of several columns in one; an empty one where there is no column."""
    if len(group) == 1:
        return columns[group[0]]
    if not group:
        return np.full(len(columns["unit"]), "", dtype=np.object_)
    return text_array("|".join(parts) for parts in zip(*(columns[name] for name in group), strict=True))
