"""What an estimate knows of a network: its names, and its sizes with the missing ones filled in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from dse.catalog.types import BoolArray, Catalog, FloatArray, IntArray, TextArray, text_array
from dse.estimate.vocabulary import distinct_rows
from dse.patterns import normalise

LEAST_AREA = 8  # pixels; smaller "images" are feature vectors, whose area says nothing
RIDGE = 10.0  # of the small regressions that fill missing sizes
SIZES = ("macs", "params", "area", "activations")
_WORD = re.compile(r"[a-z]+\d*\.?\d*|\d+\.?\d*")
MOST_WORDS = 8


@dataclass(frozen=True)
class Networks:
    """Networks at an input size, shape (n,); ``operators`` are words parted by spaces, sizes NaN where not known."""

    model: TextArray
    input_h: IntArray
    input_w: IntArray
    family: TextArray
    stem: TextArray
    task: TextArray
    operators: TextArray
    gmacs: FloatArray
    params_m: FloatArray
    activations_m: FloatArray

    def take(self, rows: IntArray | BoolArray) -> Networks:
        """Some of them."""
        return Networks(**{field.name: getattr(self, field.name)[rows] for field in fields(Networks)})

    def distinct(self) -> tuple[Networks, IntArray]:
        """Those that differ, and for every row which of them it is."""
        first, place = distinct_rows([getattr(self, field.name) for field in fields(Networks)])
        return self.take(first), place

    @property
    def at_input(self) -> TextArray:
        """Model and input size in one word."""
        parts = zip(self.model, self.input_h.tolist(), self.input_w.tolist(), strict=True)
        return text_array(f"{model}@{h}x{w}" for model, h, w in parts)

    def log_sizes(self) -> dict[str, FloatArray]:
        """Natural logs of 10^9 MACs, 10^6 parameters, input pixels and 10^6 activations; NaN where not known."""
        area = (self.input_h * self.input_w).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = {
                "macs": np.log(self.gmacs),
                "params": np.log(self.params_m),
                "area": np.where(area > LEAST_AREA, np.log(area), np.nan),
                "activations": np.log(self.activations_m),
            }
        return {name: np.where(np.isfinite(log), log, np.nan) for name, log in logs.items()}


class KnownNetworks:
    """The networks of a catalogue by name, and what can be said of a name it does not hold."""

    def __init__(self, catalog: Catalog) -> None:
        nets, entries = catalog.nets, catalog.entries
        self._nets = nets
        keys = zip(nets.id.tolist(), nets.input_h.tolist(), nets.input_w.tolist(), strict=True)
        self._at = {(normalise(model), h, w): k for k, (model, h, w) in enumerate(keys)}
        self._named: dict[str, int] = {}
        for k, model in enumerate(nets.id.tolist()):
            self._named.setdefault(normalise(model), k)
        self._task, self._operators = ([""] * len(nets.id) for _ in range(2))
        for net, task, operators in zip(entries.net.tolist(), entries.task, entries.operators, strict=True):
            self._task[net] = self._task[net] or task
            self._operators[net] = self._operators[net] or operators
        self._of_model = {model: self._facts(k) for model, k in self._named.items()}
        for k, model in enumerate(nets.id.tolist()):
            task, operators = self._task[k], self._operators[k]
            known = self._of_model[normalise(model)]
            self._of_model[normalise(model)] = (*known[:3], known[3] or task, known[4] or operators)
        by_length = sorted({(stem, family) for stem, family in zip(nets.stem, nets.family, strict=True)},
                           key=lambda pair: (-len(pair[0]), pair))  # fmt: skip
        self._stems = [(normalise(stem), stem, family) for stem, family in by_length if len(stem) > 2]

    def _facts(self, k: int) -> tuple[str, str, str, str, str]:
        nets = self._nets
        return str(nets.id[k]), str(nets.family[k]), str(nets.stem[k]), self._task[k], self._operators[k]

    def describe(
        self,
        model: Sequence[str],
        input_h: IntArray,
        input_w: IntArray,
        gmacs: FloatArray,
        params_m: FloatArray,
        activations_m: FloatArray | None = None,
    ) -> Networks:
        """Networks by name and input size, shape (n,).

        Sizes that are given count; the catalogue's fill the gaps, at this input size only. A name it does not hold
        takes the longest architecture line it begins with.
        """
        facts = [self._of_model.get(normalise(name)) or self._guess(name) for name in model]
        names, family, stem, task, operators = (text_array(fact[k] for fact in facts) for k in range(5))
        keys = zip(model, input_h.tolist(), input_w.tolist(), strict=True)
        place = np.array([self._at.get((normalise(name), h, w), -1) for name, h, w in keys], dtype=np.int64)
        given = activations_m if activations_m is not None else np.full(len(place), np.nan)
        sizes = {
            name: np.where(np.isfinite(own) | (place < 0), own, getattr(self._nets, name)[place])
            for name, own in (("gmacs", gmacs), ("params_m", params_m), ("activations_m", given))
        }
        return Networks(names, input_h, input_w, family, stem, task, operators, **sizes)

    def of_catalog(self) -> Networks:
        """Every network of the catalogue, in its order."""
        nets = self._nets
        return self.describe(
            nets.id.tolist(), nets.input_h, nets.input_w, nets.gmacs, nets.params_m, nets.activations_m
        )

    def _guess(self, name: str) -> tuple[str, str, str, str, str]:
        plain = normalise(name)
        for prefix, stem, family in self._stems:
            if plain.startswith(prefix):
                return name, family, stem, "", ""
        return name, "other", name, "", ""


def words_of(model: str) -> list[str]:
    """The words of a name, and their letters without the figures behind them: at most `MOST_WORDS`.

    Examples
    --------
    >>> words_of("resnet50_v1.5")
    ['resnet', 'resnet50', 'v', 'v1.5']
    """
    found = set()
    for word in _WORD.findall(model.lower()):
        found.add(word)
        letters = word.rstrip("0123456789.")
        if letters:
            found.add(letters)
    return sorted(found)[:MOST_WORDS]


@dataclass(frozen=True)
class SizeModel:
    """Fills missing sizes: the mean of the architecture line, moved by what the other sizes say.

    ``means`` holds for every size the mean log per line, per family and over all; ``slopes`` the ridge coefficients on
    the deviations of other sizes from their own means.
    """

    means: dict[str, tuple[dict[str, float], dict[str, float], float]]
    slopes: dict[str, tuple[float, ...]]

    @staticmethod
    def fitted(networks: Networks) -> SizeModel:
        """From rows of networks, a network as often as it was measured."""
        logs = networks.log_sizes()
        means = {name: _means(networks, log) for name, log in logs.items()}
        usual = {name: _usual(networks, means[name]) for name in SIZES}
        deviation = {name: np.nan_to_num(logs[name] - usual[name]) for name in SIZES}
        slopes = {"macs": _ridge(logs["macs"] - usual["macs"], [deviation["params"], deviation["area"]])}
        filled = _filled(logs["macs"], usual["macs"], slopes["macs"], [deviation["params"], deviation["area"]])
        of_macs = filled - usual["macs"]
        slopes["params"] = _ridge(logs["params"] - usual["params"], [of_macs])
        slopes["activations"] = _ridge(logs["activations"] - usual["activations"], [of_macs, deviation["area"]])
        return SizeModel(means, slopes)

    def fill(self, networks: Networks) -> dict[str, FloatArray]:
        """Log sizes without gaps, shape (n,) each."""
        logs = networks.log_sizes()
        usual = {name: _usual(networks, self.means[name]) for name in SIZES}
        deviation = {name: np.nan_to_num(logs[name] - usual[name]) for name in SIZES}
        macs = _filled(logs["macs"], usual["macs"], self.slopes["macs"], [deviation["params"], deviation["area"]])
        of_macs = macs - usual["macs"]
        overall = self.means["area"][2]
        return {
            "macs": macs,
            "params": _filled(logs["params"], usual["params"], self.slopes["params"], [of_macs]),
            "area": np.where(np.isfinite(logs["area"]), logs["area"], overall),
            "activations": _filled(
                logs["activations"], usual["activations"], self.slopes["activations"], [of_macs, deviation["area"]]
            ),
        }


def _means(networks: Networks, log: FloatArray) -> tuple[dict[str, float], dict[str, float], float]:
    known = np.isfinite(log)
    overall = float(log[known].mean()) if known.any() else 0.0
    return _group_means(networks.stem[known], log[known]), _group_means(networks.family[known], log[known]), overall


def _group_means(words: TextArray, values: FloatArray) -> dict[str, float]:
    names, code = np.unique(words.astype(str), return_inverse=True)
    total, count = np.bincount(code, values, len(names)), np.bincount(code, minlength=len(names))
    return dict(zip(names.tolist(), (total / np.maximum(count, 1)).tolist(), strict=True))


def _usual(networks: Networks, means: tuple[dict[str, float], dict[str, float], float]) -> FloatArray:
    """Mean of the line, else of the family, else of all."""
    of_stem, of_family, overall = means
    pairs = zip(networks.stem.tolist(), networks.family.tolist(), strict=True)
    return np.array([of_stem.get(stem, of_family.get(family, overall)) for stem, family in pairs], dtype=np.float64)


def _ridge(deviation: FloatArray, others: Sequence[FloatArray]) -> tuple[float, ...]:
    known = np.isfinite(deviation)
    matrix = np.stack(others, axis=1)[known]
    # In a fixed order, as in `multilevel`: the last digit matters there.
    system = np.einsum("np,nq->pq", matrix, matrix) + RIDGE * np.eye(matrix.shape[1])
    return tuple(np.linalg.solve(system, np.einsum("np,n->p", matrix, deviation[known])).tolist())


def _filled(log: FloatArray, usual: FloatArray, slopes: Sequence[float], others: Sequence[FloatArray]) -> FloatArray:
    moved = usual + sum(slope * other for slope, other in zip(slopes, others, strict=True))
    return np.where(np.isfinite(log), log, moved)
