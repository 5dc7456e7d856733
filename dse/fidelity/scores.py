"""How good predictions are on some rows: errors, order and stated intervals, each with its own uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dse.catalog.types import FloatArray, IntArray, TextArray
from dse.fidelity import bootstrap
from dse.fidelity.ranks import mean_rank
from dse.fidelity.rows import Predictions, codes

RESAMPLES = 300
SEED = 1


@dataclass(frozen=True)
class Score:
    """A score of the rows, and the 95 % bootstrap interval of it; NaN where it is not defined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Scores:
    """Scores of one method on some rows.

    ``rows`` counts all rows; ``answered`` is the share not refused, and the scores are of those alone.

    * ``median_ape``: median of |predicted / measured - 1|, of times.
    * ``factor90``: 90 % of the predictions are wrong by less than this factor, up or down.
    * ``within10``, ``within25``: share with |predicted / measured - 1| of at most 10 % and 25 %.
    * ``rank_in_chip``, ``rank_in_model``: mean rank correlation, see `dse.fidelity.ranks`. All conditions of a chip,
      or of a model, are ranked together.
    * ``coverage``: share of measured times inside the stated interval; ``half_width``: median factor of those
      intervals. Of rows with an interval only.
    """

    rows: int
    answered: float
    median_ape: Score
    factor90: Score
    within10: Score
    within25: Score
    rank_in_chip: Score
    rank_in_model: Score
    coverage: Score
    half_width: Score


def score(
    rows: pd.DataFrame, predictions: Predictions, cluster: TextArray, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Scores:
    """Judge the predictions of n rows.

    Parameters
    ----------
    rows : DataFrame
        n measured rows.
    predictions : Predictions
        Of these rows, in their order.
    cluster : (n,)
        What the bootstrap draws: the key of the cell, model or chip of each row.
    resamples, seed : int
        Of the bootstrap; 0 resamples leave the intervals NaN.
    """
    if not len(rows) == len(predictions.log_ms) == len(cluster):
        raise ValueError(
            f"{len(rows)} rows, {len(predictions.log_ms)} predictions, {len(cluster)} clusters: give one each"
        )
    kept = np.isfinite(predictions.log_ms)
    answered, given = rows[kept], predictions.where(kept)
    measured = answered["log_ms"].to_numpy(dtype=np.float64)
    error = given.log_ms - measured
    times = bootstrap.draw(codes(cluster[kept]), resamples, seed)
    # The rows as they are go first: one formula serves the score and its resamples.
    times = np.concatenate([np.ones((1, len(answered)), dtype=np.int64), times])
    ape = np.abs(np.expm1(error))
    return Scores(
        rows=len(rows),
        answered=float(kept.mean()) if len(rows) else np.nan,
        median_ape=_scored(bootstrap.quantile(ape, times, 0.5)),
        factor90=_scored(np.exp(bootstrap.quantile(np.abs(error), times, 0.9))),
        within10=_scored(bootstrap.mean((ape <= 0.10).astype(np.float64), times)),
        within25=_scored(bootstrap.mean((ape <= 0.25).astype(np.float64), times)),
        rank_in_chip=_scored(mean_rank(given.log_ms, measured, _numbers(answered, "chip"), times)),
        rank_in_model=_scored(mean_rank(given.log_ms, measured, _numbers(answered, "model"), times)),
        **_interval_scores(error, given.half_width, times),
    )


def _interval_scores(error: FloatArray, half_width: FloatArray, times: IntArray) -> dict[str, Score]:
    stated = np.isfinite(half_width)
    error, half_width, times = error[stated], half_width[stated], times[:, stated]
    covered = (np.abs(error) <= half_width).astype(np.float64)
    return {
        "coverage": _scored(bootstrap.mean(covered, times)),
        "half_width": _scored(np.exp(bootstrap.quantile(half_width, times, 0.5))),
    }


def _scored(values: FloatArray) -> Score:
    """The first value, with the spread of those after it."""
    return Score(float(values[0]), *bootstrap.interval(values[1:]))


def _numbers(rows: pd.DataFrame, column: str) -> IntArray:
    return codes(rows[column].to_numpy(dtype=object))
