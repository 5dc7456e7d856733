"""The trained weights a task may choose from, with their accuracy on every kind of run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.candidates.data_sets import main_data_set
from dse.candidates.known import BORROWED
from dse.candidates.lanes import Lanes
from dse.catalog.read import toolchain_group
from dse.catalog.types import BoolArray, Catalog, FloatArray, IntArray
from dse.estimate.accuracy import AccuracyEstimator
from dse.estimate.evidence import GRADES
from dse.problem.spec import Problem, Task
from dse.schema import to_fixed

ACCURACY_SCALE = 1_000_000
OTHER_TOOLCHAIN = "other"


@dataclass(frozen=True)
class TaskEntries:
    """Entries of the catalogue a task may choose, with the data set and metric that make them comparable."""

    dataset: str
    metric: str
    entries: IntArray
    nets: IntArray


@dataclass(frozen=True)
class AccuracyColumns:
    """Accuracy of lane x entry pairs, shape (k,), in millionths of a point; `UNKNOWN` where nobody knows it."""

    value: IntArray
    low: IntArray
    high: IntArray
    float_value: IntArray
    grade: IntArray
    basis: IntArray


def task_entries(problem: Problem, task: Task, catalog: Catalog) -> TaskEntries:
    """Entries of the task's data set and metric that its model selection and input range admit."""
    e = catalog.entries
    dataset, metric = main_data_set(task, catalog)
    chosen = (e.task == task.task) & (e.dataset == dataset) & (e.metric == metric)
    rows = np.flatnonzero(chosen)
    nets = catalog.nets
    shorter = np.minimum(nets.input_h, nets.input_w)[e.net[rows]]
    admitted = np.array([task.models.admits(nets.id[net], nets.family[net]) for net in e.net[rows]], dtype=bool)
    admitted &= (shorter >= (task.input.min_px or 0)) & (shorter <= (task.input.max_px or 10**9))
    rows = rows[admitted]
    if problem.search_of(task).weights == "default":
        rows = _default_weights(rows, catalog)
    return TaskEntries(dataset, metric, rows, np.unique(e.net[rows]))


def _default_weights(rows: IntArray, catalog: Catalog) -> IntArray:
    """One entry per network and input: the best of those with a public int8 figure, else the best float one."""
    figures, e = catalog.accuracies, catalog.entries
    quality: dict[int, tuple[bool, float]] = {}
    for entry, precision, accuracy in zip(figures.entry.tolist(), figures.precision, figures.accuracy, strict=True):
        if precision in ("int8", "fp32"):
            quality[entry] = max(quality.get(entry, (False, 0.0)), (precision == "int8", float(accuracy)))
    best: dict[int, int] = {}
    for row in rows.tolist():
        rank = (quality.get(row, (False, 0.0)), e.weights[row])
        net = int(e.net[row])
        if net not in best or rank > (quality.get(best[net], (False, 0.0)), e.weights[best[net]]):
            best[net] = row
    return np.array(sorted(best.values()), dtype=np.int64)


class AccuracyOf:
    """Accuracy of any lane x entry pair of one task, estimated once per precision, tool chain and chip."""

    def __init__(self, catalog: Catalog, chosen: TaskEntries, lanes: Lanes) -> None:
        self._estimator = AccuracyEstimator(catalog, chosen.entries)
        self._position = np.full(len(catalog.entries.net), -1)
        self._position[chosen.entries] = np.arange(len(chosen.entries))
        groups = {runtime: toolchain_group(runtime, catalog.toolchains) for runtime in set(lanes.runtime.tolist())}
        known = self._estimator.groups
        groups = {runtime: group if group in known else OTHER_TOOLCHAIN for runtime, group in groups.items()}
        measured = self._estimator.chips
        keys = [
            (precision, groups[runtime], chip if chip in measured else "")
            for precision, runtime, chip in zip(lanes.precision, lanes.runtime, lanes.chip, strict=True)
        ]
        self._keys = keys
        names = sorted(set(keys))
        index = {key: k for k, key in enumerate(names)}
        self._code = np.array([index[key] for key in keys], dtype=np.int64)
        borrowed = catalog.entries.source[chosen.entries] == BORROWED
        tables = [self._column(*key, borrowed) for key in names]
        self._columns = [np.concatenate(parts) for parts in zip(*tables, strict=True)]  # one table after the other
        self._size = len(chosen.entries)
        floats = self._estimator.table("fp32", "")
        self._float = to_fixed(floats.value, ACCURACY_SCALE)

    def group_of(self, lane: int) -> str:
        """Group of tool versions whose figures count on a lane."""
        return self._keys[lane][1]

    def rows(self, lane: int, entry: int, basis: int) -> IntArray:
        """Rows of the catalogue's accuracies that the figure of a lane and an entry was taken from."""
        return self._estimator.rows(int(self._position[entry]), *self._keys[lane], basis)

    def losses(self, lane: int, entry: int) -> IntArray:
        """Rows from which the loss of the network of an entry is learnt, at the precision of a lane."""
        return self._estimator.losses(int(self._position[entry]), self._keys[lane][0])

    def _column(
        self, precision: str, group: str, chip: str, borrowed: BoolArray
    ) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
        table = self._estimator.table(precision, group, chip)
        grade = np.where(borrowed, np.maximum(table.grade, GRADES.index("D")), table.grade)
        rounded: list[FloatArray] = [np.round(part, 4) for part in (table.value, table.low, table.high)]
        return (*(to_fixed(part, ACCURACY_SCALE) for part in rounded), grade, table.basis)  # type: ignore[return-value]

    def of(self, lane: IntArray, entry: IntArray) -> AccuracyColumns:
        """Columns for pairs of lane and entry positions."""
        position, code = self._position[entry], self._code[lane]
        at = code * self._size + position
        value, low, high, grade, basis = (column[at] for column in self._columns)
        return AccuracyColumns(value, low, high, self._float[position], grade, basis)
