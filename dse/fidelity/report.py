"""The table of scores: every split, group and method; and what became worse since a recorded one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dse.catalog.types import BoolArray, FloatArray
from dse.fidelity.baselines import BASELINES, Baseline
from dse.fidelity.groups import groups
from dse.fidelity.rows import Predictions
from dse.fidelity.scores import RESAMPLES, SEED, Score, Scores, score
from dse.fidelity.splits import Split, cluster_keys

ESTIMATOR = "estimator"
SCORES = (
    "median_ape",
    "factor90",
    "within10",
    "within25",
    "rank_in_chip",
    "rank_in_model",
    "coverage",
    "half_width",
)
WORSE_IF_HIGHER = ("median_ape", "factor90")
TOLERANCE = 0.10  # relative; below it a change is as likely chance as harm


@dataclass(frozen=True)
class Judged:
    """The held-out rows of one split, and what every method answers for them, the estimator among them."""

    split: str
    cluster: str
    rows: pd.DataFrame
    answers: dict[str, Predictions]


@dataclass(frozen=True)
class Worse:
    """A quantity of a group that became worse; ``now`` is NaN where it is no longer reported."""

    split: str
    group: str
    quantity: str
    recorded: float
    now: float


def judged(
    rows: pd.DataFrame, split: Split, predictions: Predictions, baselines: Mapping[str, Baseline] = BASELINES
) -> Judged:
    """Put baselines, fitted on the split's training rows, beside the estimator's predictions of its test rows.

    Parameters
    ----------
    rows : DataFrame
        All n measured rows.
    split : Split
        Of these rows.
    predictions : Predictions
        Of ``rows[split.test]``, in their order.
    baselines : mapping
        Methods by name.
    """
    train, test = rows[split.train], rows[split.test]
    if len(predictions.log_ms) != len(test):
        where = f"{split.name}, {split.part}" if split.part else split.name
        found = f"{len(predictions.log_ms)} predictions for {len(test)} test rows"
        raise ValueError(f"{where}: {found}; give one per test row, NaN where refused")
    answers = {name: Predictions.of_times(method(train, test)) for name, method in baselines.items()}
    return Judged(split.name, split.cluster, test, {ESTIMATOR: predictions, **answers})


def table(parts: Iterable[Judged], *, resamples: int = RESAMPLES, seed: int = SEED) -> pd.DataFrame:
    """Scores by split, group and method; parts of one split are scored together.

    Returns
    -------
    DataFrame
        One row each, with columns ``split``, ``group``, ``method``, ``rows``, ``answered``, then every score of
        `dse.fidelity.scores.Scores` with its 95 % interval (``median_ape``, ``median_ape_low``, ``median_ape_high``
        and so on), then ``estimator_median_ape``: the estimator's own on the rows that the method answers. The levels
        of a baseline's groups are the estimator's.
    """
    return pd.DataFrame(
        [line for part in _pooled(parts) for line in _lines(part, resamples, seed)],
        columns=[
            *("split", "group", "method", "rows", "answered"),
            *(column for name in SCORES for column in (name, f"{name}_low", f"{name}_high")),
            "estimator_median_ape",
        ],
    )


def compare(recorded: pd.DataFrame, now: pd.DataFrame, tolerance: float = TOLERANCE) -> list[Worse]:
    """What the estimator does worse than it did, in the order of `recorded`.

    A median error or 90th-percentile factor is worse where it rose by more than the tolerance (relative), the share
    answered where it fell by more: refusing what is hard would polish the rest. A recorded group that is gone, or
    whose score is, is worse too.
    """
    before, after = _estimator_lines(recorded), _estimator_lines(now)
    found = []
    for (split, group), line in before.items():
        for quantity in (*WORSE_IF_HIGHER, "answered"):
            was, is_now = line[quantity], after.get((split, group), {}).get(quantity, np.nan)
            worse_by = was - is_now if quantity == "answered" else is_now - was
            if np.isfinite(was) and not worse_by <= tolerance * was:  # a score that is gone is worse, too
                found.append(Worse(split, group, quantity, was, is_now))
    return found


def _estimator_lines(scored: pd.DataFrame) -> dict[tuple[str, str], dict[str, float]]:
    """What `compare` looks at, by split and group."""
    lines = scored[scored["method"] == ESTIMATOR].to_dict("records")
    return {
        (line["split"], line["group"]): {name: float(line[name]) for name in (*WORSE_IF_HIGHER, "answered")}
        for line in lines
    }


def _pooled(parts: Iterable[Judged]) -> list[Judged]:
    """One entry per split name, in the order they come first."""
    by_split: dict[str, list[Judged]] = {}
    for part in parts:
        by_split.setdefault(part.split, []).append(part)
    return [
        Judged(
            split,
            same[0].cluster,
            pd.concat([part.rows for part in same], ignore_index=True),
            {method: _chained([part.answers[method] for part in same]) for method in same[0].answers},
        )
        for split, same in by_split.items()
    ]


def _chained(parts: list[Predictions]) -> Predictions:
    return Predictions(
        np.concatenate([part.log_ms for part in parts]),
        np.concatenate([part.half_width for part in parts]),
        np.concatenate([part.level for part in parts]),
    )


def _lines(part: Judged, resamples: int, seed: int) -> Iterable[dict[str, Any]]:
    cluster, estimator = cluster_keys(part.rows, part.cluster), part.answers[ESTIMATOR]
    error = estimator.log_ms - part.rows["log_ms"].to_numpy(dtype=np.float64)
    for group, mask in groups(part.rows, estimator.level):
        for method, answers in part.answers.items():
            there = answers.where(mask)
            scores = score(part.rows[mask], there, cluster[mask], resamples=resamples, seed=seed)
            named = {"split": part.split, "group": group, "method": method}
            own = _median_ape(error, mask & np.isfinite(answers.log_ms))
            yield {**named, **_flat(scores), "estimator_median_ape": own}


def _median_ape(error: FloatArray, mask: BoolArray) -> float:
    known = error[mask & np.isfinite(error)]
    return float(np.median(np.abs(np.expm1(known)))) if len(known) else np.nan


def _flat(scores: Scores) -> dict[str, float]:
    flat: dict[str, float] = {"rows": scores.rows, "answered": scores.answered}
    for name in SCORES:
        one: Score = getattr(scores, name)
        flat |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
    return flat
