"""Widths of the intervals, per level of evidence: from rows that folds inside the training rows leave out.

The factor of a level is the 90 % quantile of |error| over predicted standard deviation, with the finite-sample
correction of split conformal prediction (Vovk, Gammerman, Shafer: Algorithmic Learning in a Random World, 2005).
Where little or nothing was measured on a chip, it must hold over rows and over chips, each with the same weight: a few
chips have most rows, and the next one a user asks for is none of them. It must hold with one measured network and with
two, since a second one narrows the law more than the errors; and with rows of runtimes nobody tried on the chip, which
differ from them by chance alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dse.catalog.types import BoolArray, FloatArray, IntArray, TextArray
from dse.estimate.evidence import LEVELS
from dse.fidelity.splits import cell_keys, hash_numbers, model_split, pair_split
from dse.heldout.rows import MeasuredRows

COVERAGE = 0.9
LEAST_ROWS = 30  # of a level before it has a factor of its own
_NEW_CHIP = "KRD"  # first letters of the levels with little or nothing measured on the chip
_UNSCALED = {(level, cpu): 1.0 for level in LEVELS for cpu in (False, True)}


def calibrated(rows: MeasuredRows) -> dict[tuple[str, bool], float]:
    """Factor per level and (on a CPU), from the rows outside of the pair and model tests."""
    outside = ~pair_split(rows.frame).test & ~model_split(rows.frame).test
    found: list[tuple[TextArray, BoolArray, TextArray, IntArray, FloatArray]] = []
    for train, test, laws in folds(rows, outside):
        estimator = rows.fit(train, laws)
        estimates = rows.estimate(estimator, test, _UNSCALED)
        ratio = np.abs(estimates.log_ms - rows.log_ms[test]) / estimates.half_width
        levels = np.array(LEVELS, dtype=object)[estimates.level]
        chips = rows.frame["chip"].to_numpy(dtype=object)[test]
        measured = estimator.seen.models_on(rows.conditions.take(test))
        found.append((levels, rows.conditions.on_cpu[test], chips, measured, ratio))
    level, on_cpu, chip, measured, ratio = (np.concatenate(column) for column in zip(*found, strict=True))
    factors = {}
    for name in LEVELS[1:]:
        for cpu in (False, True):
            both = level == name
            own = both & (on_cpu == cpu)
            scored = own if own.sum() >= LEAST_ROWS else both
            if scored.sum() >= LEAST_ROWS:
                wide, counts = [scored], []
                if name[0] == "K":
                    other_runtime = (level == f"R{name[1:]}") & ((on_cpu == cpu) | (own.sum() < LEAST_ROWS))
                    wide.append(scored | other_runtime)
                    counts = [scored & (measured == count) for count in (1, 2)]
                groups = [group for group in [*wide, *counts] if group.sum() >= LEAST_ROWS]
                wanted = [_quantile(ratio[group], np.ones(int(group.sum()))) for group in groups]
                if name[0] in _NEW_CHIP:
                    wanted += [_quantile(ratio[group], _by_chip(chip[group])) for group in wide]
                factors[name, cpu] = max(wanted)
    return factors


def _by_chip(chip: TextArray) -> FloatArray:
    """A weight per row, so that all rows of a chip weigh 1 together."""
    _, number, rows = np.unique(chip.astype(str), return_inverse=True, return_counts=True)
    weights: FloatArray = 1.0 / rows[number]
    return weights


def _quantile(scores: FloatArray, weights: FloatArray) -> float:
    """Smallest score that `COVERAGE` of the weight does not exceed, were one more score of mean weight infinite."""
    order = np.argsort(scores, kind="stable")
    reached = np.cumsum(weights[order])
    wanted = COVERAGE * (reached[-1] + weights.mean())
    return float(scores[order][min(int(np.searchsorted(reached, wanted)), len(scores) - 1)])


def folds(rows: MeasuredRows, inside: BoolArray) -> Iterator[tuple[BoolArray, BoolArray, tuple[str, ...]]]:
    """Training and test rows among those `inside`, and the laws that answer: every level is left out in some fold."""
    frame = rows.frame
    chips, models = (frame[name].to_numpy(dtype=object) for name in ("chip", "model"))
    keys = np.array(["|".join(map(str, row)) for row in frame.drop(columns="log_ms").itertuples(index=False)], object)
    by_cell, by_key = hash_numbers("fold", cell_keys(frame)), hash_numbers("fold", keys)
    by_model, by_chip = hash_numbers("fold", models), hash_numbers("fold", chips)
    pairs = np.array([f"{chip}|{model}" for chip, model in zip(chips, models, strict=True)], dtype=object)
    # Networks outside are counted too: of some chips none is left to know, which the levels say rightly.
    rank = frame.assign(number=hash_numbers("fold-few", pairs)).groupby("chip").number.rank(method="dense").to_numpy()
    for k in range(3):
        low, high = k / 3, (k + 1) / 3
        for number, laws in ((by_cell, ("known", "few")), (by_key, ("known", "few")), (by_model, ("new",))):
            out = inside & (number >= low) & (number < high)
            yield inside & ~out, out, laws
        chip_out = inside & (by_chip >= low) & (by_chip < high)
        yield inside & ~chip_out, chip_out, ("few",)
        few = chip_out & (rank > 1 + k % 2)  # one or two networks of the chip are known
        yield inside & ~few, few, ("few",)
        some = chip_out & (rank > 3 + 3 * (k % 2))  # a few more
        yield inside & ~some, some, ("few",)
        model_out = inside & (by_model >= low) & (by_model < high)
        yield inside & ~chip_out & ~model_out, chip_out & model_out, ("new",)
        yield inside & ~few & ~model_out, few & model_out, ("new",)
