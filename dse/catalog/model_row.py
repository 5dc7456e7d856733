"""Rows of models.csv and accuracies.csv for one counted network: what the user says of it, and what its file does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dse.catalog.operators import operators_text

if TYPE_CHECKING:
    from dse.catalog.onnxfile.facts import Facts

Row = Mapping[str, str]


@dataclass(frozen=True)
class Stated:
    """What only the user can say; words are empty where nothing is said.

    Parameters
    ----------
    name : str
        Id of the architecture.
    weights, family, task, dataset, metric, license : str
        As in the columns of models.csv.
    accuracy : float or None
        In the metric's own unit.
    precision, toolchain : str
        What the accuracy was taken at and with.
    """

    name: str
    weights: str = ""
    family: str = ""
    task: str = ""
    dataset: str = ""
    metric: str = ""
    license: str = ""
    accuracy: float | None = None
    precision: str = "fp32"
    toolchain: str = ""


def model_row(facts: Facts, stated: Stated, source: str) -> Row:
    """The row of models.csv."""
    size = facts.picture
    return {
        "id": stated.name,
        "weights": stated.weights,
        "family": stated.family,
        "task": stated.task,
        "dataset": stated.dataset,
        "metric": stated.metric,
        "input_h": _count(size.height),
        "input_w": _count(size.width),
        "input_c": _count(size.channels),
        "params_m": _decimal(facts.params, 6),
        "gmacs": _decimal(facts.macs, 9),
        "binary_gmacs": _decimal(facts.binary_macs, 9),
        "activations_m": _decimal(facts.activations, 6),
        "macs_source": source,
        "operators": operators_text(facts.words),
        "license": stated.license,
        "source": source,
    }


def accuracy_row(facts: Facts, stated: Stated, source: str) -> Row | None:
    """The row of accuracies.csv; None where no accuracy is stated."""
    if stated.accuracy is None:
        return None
    size = facts.picture
    return {
        "id": stated.name,
        "input_h": _count(size.height),
        "input_w": _count(size.width),
        "weights": stated.weights,
        "dataset": stated.dataset,
        "metric": stated.metric,
        "precision": stated.precision,
        "toolchain": stated.toolchain,
        "accuracy": f"{stated.accuracy:g}",
        "accuracy_source": f"stated with {source.removeprefix('counted from ')}",
    }


def _count(value: int) -> str:
    return str(value) if value else ""


def _decimal(value: int, places: int) -> str:
    """A count in units of 10^places, exact; empty for none at all.

    Examples
    --------
    >>> _decimal(25_557_032, 6), _decimal(300, 9), _decimal(0, 6)
    ('25.557032', '0.0000003', '')
    """
    if value == 0:
        return ""
    whole, rest = divmod(value, 10**places)
    return f"{whole}.{rest:0{places}d}".rstrip("0").rstrip(".")
