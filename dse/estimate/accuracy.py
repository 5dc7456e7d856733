"""Accuracy of trained weights at a precision, from what was published for them, with interval and grade.

Ladder, best first: the figure of these weights at this precision with this tool chain, on this chip where there is one;
the float figure less the loss the same architecture had with other tool chains; less the loss usual for the task with
this tool chain; for the network's family; for the task. Weights without a float figure take that of another tool chain.
fp16 costs nothing measurable. Precisions that need training (binary, int4) are never estimated: without a figure the
accuracy is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from dse.catalog.read import toolchain_group
from dse.catalog.types import Catalog, FloatArray, IntArray
from dse.estimate.evidence import GRADES

FLOAT_PRECISIONS = ("fp32", "float")
HALF_PRECISIONS = ("fp16", "bf16", "mixed-int8-fp16")
# What post-training quantization can reach without retraining; anything else needs a published figure.
QUANTIZED = ("int8", "int16", "mixed-int8-int16")
HALF_LOSS = 0.1  # points: largest of the medians of published fp16 losses, used as half-width
SUBSET_HALF_WIDTH = 2.5  # points: two standard errors of a proportion near 75 % on 1,000 samples
MIN_LOSSES = 10  # published losses a group needs before its quantiles are used


class Basis(IntEnum):
    """Rungs of the ladder; `BASES` says each in words, `BASIS_GRADES` how far it can be trusted."""

    OWN = 0
    HALF = 1
    SAME_NETWORK = 2
    TOOL_CHAIN = 3
    FAMILY = 4
    TASK = 5
    OTHER_TOOL_CHAIN = 6
    PORTABLE = 7
    NONE = 8


BASES = (
    "figure of these weights with this tool chain",
    "float figure; fp16 loses nothing measurable",
    "float figure less the loss of the same network with other tool chains",
    "float figure less the usual loss of the task with this tool chain",
    "float figure less the usual loss of the family",
    "float figure less the usual loss of the task",
    "figure of these weights with another tool chain",
    "figure of these weights with another tool chain, which does not quantize them again",
    "",
)
BASIS_GRADES = "ABCCDDCBE"
FROM_FLOAT = (Basis.HALF, Basis.SAME_NETWORK, Basis.TOOL_CHAIN, Basis.FAMILY, Basis.TASK)
"""Rungs that stand on the float figure of the weights."""


@dataclass(frozen=True)
class AccuracyTable:
    """Accuracy of entries at one precision and tool-chain group, shape (n,); NaN where unknown.

    ``low`` and ``high`` bound it; ``grade`` indexes ``"ABCDE"``; ``basis`` indexes `BASES`.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    grade: IntArray
    basis: IntArray


@dataclass(frozen=True)
class _Losses:
    """Published losses at one precision: their rows and points, and what follows from them for every entry."""

    rows: IntArray
    loss: FloatArray
    general: tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]
    by_net: tuple[FloatArray, ...]


class AccuracyEstimator:
    """Answers for any entry, precision and tool chain of one catalogue; `task_entries` restrict the work.

    ``groups`` are the tool-chain groups and ``chips`` the chips with a figure of their own; all others are answered
    alike.
    """

    def __init__(self, catalog: Catalog, task_entries: IntArray) -> None:
        figures, entries = catalog.accuracies, catalog.entries
        self._position = {int(entry): k for k, entry in enumerate(task_entries)}
        wanted = np.array([entry in self._position for entry in figures.entry.tolist()], dtype=bool)
        self._size = len(task_entries)
        self._place = np.flatnonzero(wanted)
        self._row = np.array([self._position[e] for e in figures.entry[wanted].tolist()], dtype=np.int64)
        words, code = np.unique(figures.toolchain[wanted].astype(str), return_inverse=True)
        self._group = np.array([toolchain_group(word, catalog.toolchains) for word in words], dtype=object)[code]
        self._precision = figures.precision[wanted]
        self._accuracy, self._low, self._high = figures.accuracy[wanted], figures.low[wanted], figures.high[wanted]
        self._subset, self._chip = figures.subset[wanted], figures.chip[wanted]
        net = entries.net[task_entries]
        self._net = np.unique(catalog.nets.id[net].astype(str), return_inverse=True)[1]
        self._family = np.unique(catalog.nets.family[net].astype(str), return_inverse=True)[1]
        self.groups, self.chips = frozenset(self._group.tolist()), frozenset(self._chip.tolist()) - {""}
        self._float = self._summary(np.isin(self._precision.astype(str), FLOAT_PRECISIONS))
        self._loss_cache: dict[str, _Losses] = {}

    def table(self, precision: str, toolchain: str, chip: str = "") -> AccuracyTable:
        """Accuracy of every task entry at `precision` when built with the tool-chain group `toolchain`.

        A figure taken on `chip` itself goes before those of the same tool chain on other chips.
        """
        if precision in FLOAT_PRECISIONS:
            return self._fill(self._unknown(), self._float, Basis.OWN)
        same_precision = self._precision == precision
        others = self._summary(same_precision)
        # Trained binary or int4 weights run the same everywhere: a figure without a tool chain is theirs.
        own_rows = self._group == toolchain
        if precision in QUANTIZED:
            table = self._with_loss(precision, toolchain)
            no_float = ~np.isfinite(table.value)
            self._fill(table, tuple(np.where(no_float, part, np.nan) for part in others), Basis.OTHER_TOOL_CHAIN)
        else:
            table = self._unknown()
            if precision in HALF_PRECISIONS:
                self._fill(table, self._shift(self._float, 0.0, -HALF_LOSS, HALF_LOSS), Basis.HALF)
            self._fill(table, others, Basis.PORTABLE)
            own_rows |= self._group == ""
        self._fill(table, self._summary(same_precision & own_rows), Basis.OWN)
        on_chip = same_precision & own_rows & (self._chip == chip) & (chip != "")
        return self._fill(table, self._summary(on_chip), Basis.OWN)

    def rows(self, position: int, precision: str, toolchain: str, chip: str, basis: int) -> IntArray:
        """Rows of the catalogue's accuracies that a figure of `table` was taken from, at the rung it stands on.

        The figure is their median; on the rungs of a float figure less a loss they are the float figures. `losses` has
        those the loss was learnt from.
        """
        own = np.flatnonzero(self._row == position)
        if precision in FLOAT_PRECISIONS or basis in FROM_FLOAT:
            chosen = own[np.isin(self._precision[own].astype(str), FLOAT_PRECISIONS)]
        elif basis != Basis.OWN:
            chosen = own[self._precision[own] == precision]
        else:
            groups = (toolchain,) if precision in QUANTIZED else (toolchain, "")
            fits = (self._precision[own] == precision) & np.isin(self._group[own].astype(str), groups)
            on_chip = own[fits & (self._chip[own] == chip) & (chip != "")]
            chosen = on_chip if len(on_chip) else own[fits]
        found: IntArray = self._place[chosen]
        return found

    def losses(self, position: int, precision: str) -> IntArray:
        """Rows from which the loss of the network of an entry is learnt, those of other weights of it included."""
        rows = self._losses(precision).rows
        found: IntArray = self._place[rows[self._net[self._row[rows]] == self._net[position]]]
        return found

    def _unknown(self) -> AccuracyTable:
        """A table without a figure."""
        value, low, high = (np.full(self._size, np.nan) for _ in range(3))
        return AccuracyTable(value, low, high, np.full(self._size, GRADES.index("E")), np.full(self._size, Basis.NONE))

    def _summary(self, chosen: np.ndarray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Median, lowest, highest and subset flag of the chosen figures per entry."""
        value, low, high, subset = (np.full(self._size, np.nan) for _ in range(4))
        rows = np.flatnonzero(chosen)
        order = rows[np.lexsort((self._accuracy[rows], self._row[rows]))]
        starts, lengths = _equal_runs(self._row[order])
        if len(starts):
            entry = self._row[order[starts]]
            value[entry] = _medians(self._accuracy[order], starts, lengths)
            low[entry] = np.minimum.reduceat(self._low[order], starts)
            high[entry] = np.maximum.reduceat(self._high[order], starts)
            subset[entry] = np.logical_or.reduceat(self._subset[order], starts)
        return value, low, high, subset

    @staticmethod
    def _shift(
        summary: tuple[FloatArray, ...], loss: FloatArray | float, low: FloatArray | float, high: FloatArray | float
    ) -> tuple[FloatArray, ...]:
        """A float figure less a loss in [low, high] points."""
        value, lowest, highest, subset = summary
        return value - loss, lowest - np.maximum(high, loss), highest - np.minimum(low, loss), subset

    def _fill(self, table: AccuracyTable, summary: tuple[FloatArray, ...], basis: Basis) -> AccuracyTable:
        """Overwrite rows for which `summary` has a figure; a subset figure is one grade lower and wider."""
        value, low, high, subset = summary
        known = np.isfinite(value)
        on_subset = subset == 1
        widen = np.where(on_subset, SUBSET_HALF_WIDTH, 0.0)
        table.value[known] = value[known]
        table.low[known] = (low - widen)[known]
        table.high[known] = (high + widen)[known]
        table.grade[known] = (GRADES.index(BASIS_GRADES[basis]) + on_subset.astype(int))[known]
        table.basis[known] = basis
        return table

    def _with_loss(self, precision: str, toolchain: str) -> AccuracyTable:
        """Float figures less published losses, the most general group first so that better evidence overwrites it."""
        losses = self._losses(precision)
        value, low, high, grade, basis = losses.general
        table = AccuracyTable(value.copy(), low.copy(), high.copy(), grade.copy(), basis.copy())
        everything = np.ones(self._size, dtype=np.bool_)
        self._fill_quantiles(table, losses.loss[self._group[losses.rows] == toolchain], everything, Basis.TOOL_CHAIN)
        return self._fill(table, losses.by_net, Basis.SAME_NETWORK)

    def _losses(self, precision: str) -> _Losses:
        """What is published on the losses at a precision; worked out once, the same for every tool chain."""
        if precision not in self._loss_cache:
            rows = np.flatnonzero((self._precision == precision) & np.isfinite(self._float[0][self._row]))
            loss = self._float[0][self._row[rows]] - self._accuracy[rows]
            general = self._unknown()
            self._fill_quantiles(general, loss, np.ones(self._size, dtype=np.bool_), Basis.TASK)
            for family in np.unique(self._family):
                of_family = self._family == family
                self._fill_quantiles(general, loss[of_family[self._row[rows]]], of_family, Basis.FAMILY)
            columns = (general.value, general.low, general.high, general.grade, general.basis)
            self._loss_cache[precision] = _Losses(rows, loss, columns, self._loss_by_net(rows, loss))
        return self._loss_cache[precision]

    def _loss_by_net(self, rows: IntArray, loss: FloatArray) -> tuple[FloatArray, ...]:
        """Float figures less the losses of the same network with any tool chain, widened by half of their scatter."""
        order = np.lexsort((loss, self._net[self._row[rows]]))
        starts, lengths = _equal_runs(self._net[self._row[rows]][order])
        if not len(starts):
            return tuple(np.full(self._size, np.nan) for _ in range(4))
        spread = float(np.quantile(np.abs(loss - np.median(loss)), 0.8)) / 2
        of_net = {net: k for k, net in enumerate(self._net[self._row[rows]][order][starts].tolist())}
        position = np.array([of_net.get(net, -1) for net in self._net.tolist()])
        ordered = loss[order]
        figures = (_medians(ordered, starts, lengths), ordered[starts] - spread, ordered[starts + lengths - 1] + spread)
        middle, low, high = (np.where(position >= 0, part[position], np.nan) for part in figures)
        return self._shift(self._float, middle, low, high)

    def _fill_quantiles(self, table: AccuracyTable, loss: FloatArray, entries: np.ndarray, basis: Basis) -> None:
        """Median loss with its 5–95 % range, if enough losses were published."""
        if len(loss) < MIN_LOSSES:
            return
        low, middle, high = np.quantile(loss, [0.05, 0.5, 0.95])
        shifted = self._shift(self._float, float(middle), float(low), float(high))
        self._fill(table, tuple(np.where(entries, part, np.nan) for part in shifted), basis)


def _equal_runs(values: np.ndarray) -> tuple[IntArray, IntArray]:
    """First positions and lengths of the runs of equal values."""
    if len(values) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    return starts, np.diff(np.r_[starts, len(values)])


def _medians(ordered: FloatArray, starts: IntArray, lengths: IntArray) -> FloatArray:
    """Median of each run of values that are ascending within it."""
    middle: FloatArray = (ordered[starts + (lengths - 1) // 2] + ordered[starts + lengths // 2]) / 2
    return middle
