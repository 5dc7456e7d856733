"""The data set and metric a task is judged on: accuracies are only comparable on one pair."""

from __future__ import annotations

from collections import Counter

import numpy as np

from dse.catalog.metrics import LOWER_IS_BETTER
from dse.catalog.types import BoolArray, Catalog
from dse.problem.spec import Task


def data_sets_of(task: Task, catalog: Catalog) -> set[tuple[str, str]]:
    """Pairs of data set and metric on which networks of the task have an accuracy; errors and distances left out."""
    e = catalog.entries
    of_task = _judged(task, catalog)
    return set(zip(e.dataset[of_task].tolist(), e.metric[of_task].tolist(), strict=True))


def main_data_set(task: Task, catalog: Catalog) -> tuple[str, str]:
    """The data set and metric a task is judged on: as asked, else those most of its networks carry."""
    e = catalog.entries
    of_task = _judged(task, catalog)
    dataset = task.dataset or _most_common(e.dataset[of_task])
    return dataset, task.metric or _most_common(e.metric[of_task & (e.dataset == dataset)])


def _judged(task: Task, catalog: Catalog) -> BoolArray:
    """Entries of the task with a metric that is better when it is larger."""
    e = catalog.entries
    return np.asarray((e.task == task.task) & (e.metric != "") & ~np.isin(e.metric, sorted(LOWER_IS_BETTER)))


def _most_common(words: np.ndarray) -> str:
    """The word most networks carry: the task's main data set or metric."""
    counts = Counter(words.tolist())
    return min(counts, key=lambda word: (-counts[word], word)) if counts else ""
