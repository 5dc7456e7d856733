"""Widths of the intervals, per level of evidence: from rows that folds inside the training rows leave out.

The factor of a level is the 90 % quantile of |error| over predicted standard deviation, with the finite-sample
correction of split conformal prediction (Vovk, Gammerman, Shafer: Algorithmic Learning in a Random World, 2005).
Where little or nothing was measured on a chip, it must hold over rows and over chips, each with the same weight: a few
chips have most rows, and the next one a user asks for is none of them. It must hold with one measured network and with
two, since a second one narrows the law more than the errors; and with rows of runtimes nobody tried on the chip, which
differ from them by chance alone. There the upper end alone must hold as well, 19 times in 20: it is what a deadline is
held against, and errors are not alike on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dse.catalog.types import BoolArray, FloatArray, IntArray, TextArray
from dse.estimate.evidence import LEVELS
from dse.fidelity.splits import cell_keys, hash_numbers, model_split, pair_split
from dse.heldout.rows import MeasuredRows

COVERAGE = 0.9
LEAST_ROWS = 30  # of a level before it has a factor of its own
_NEW_CHIP, _FEW = "KRD", "KR"  # first letters of the levels with little or nothing, and with little, measured here
_UNSCALED = {(level, cpu): 1.0 for level in LEVELS for cpu in (False, True)}


@dataclass(frozen=True)
class LeftOut:
    """Rows left out by some fold, n of them: level, whether on a CPU, chip, networks measured there, and the error.

    ``late`` is log(measured / estimated) over the unscaled half-width: positive where the estimate was too short.
    """

    level: TextArray
    on_cpu: BoolArray
    chip: TextArray
    measured: IntArray
    late: FloatArray


def calibrated(rows: MeasuredRows) -> dict[tuple[str, bool], float]:
    """Factor per level and (on a CPU), from the rows outside of the pair and model tests.

    Levels with fewer than `LEAST_ROWS` rows have none.
    """
    outside = ~pair_split(rows.frame).test & ~model_split(rows.frame).test
    parts: list[tuple[TextArray, BoolArray, TextArray, IntArray, FloatArray]] = []
    for train, test, laws in folds(rows, outside):
        estimator = rows.fit(train, laws)
        estimates = rows.estimate(estimator, test, _UNSCALED)
        late = (rows.log_ms[test] - estimates.log_ms) / estimates.half_width
        levels = np.array(LEVELS, dtype=object)[estimates.level]
        chips = rows.frame["chip"].to_numpy(dtype=object)[test]
        measured = estimator.seen.models_on(rows.conditions.take(test))
        parts.append((levels, rows.conditions.on_cpu[test], chips, measured, late))
    found = LeftOut(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    factors = {(name, cpu): _factor(found, name, cpu) for name in LEVELS[1:] for cpu in (False, True)}
    return {key: factor for key, factor in factors.items() if factor is not None}


def _factor(found: LeftOut, name: str, cpu: bool) -> float | None:
    """The widest that any group of rows and any weighting asks for; None where too few rows tell."""
    both = found.level == name
    own = both & (found.on_cpu == cpu)
    alike = (found.on_cpu == cpu) | (own.sum() < LEAST_ROWS)
    scored = both & alike
    if scored.sum() < LEAST_ROWS:
        return None
    wide, groups = [scored], []
    if name[0] == "K":
        wide.append(scored | ((found.level == f"R{name[1:]}") & alike))
        groups = [scored & (found.measured == count) for count in (1, 2)]
    one = np.ones(len(scored))
    asked = [(group, one) for group in [*wide, *groups] if group.sum() >= LEAST_ROWS]
    if name[0] in _NEW_CHIP:
        asked += [(group, _by_chip(found.chip, group)) for group in wide]
    factors = [_quantile(np.abs(found.late[group]), weights[group], COVERAGE) for group, weights in asked]
    if name[0] in _FEW:
        factors += [_quantile(found.late[group], weights[group], (1 + COVERAGE) / 2) for group, weights in asked]
    return max(factors)


def _by_chip(chip: TextArray, group: BoolArray) -> FloatArray:
    """A weight per row, so that all rows of a chip in the group weigh 1 together."""
    _, number, rows = np.unique(chip[group].astype(str), return_inverse=True, return_counts=True)
    weights = np.zeros(len(group))
    weights[group] = 1.0 / rows[number]
    return weights


def _quantile(scores: FloatArray, weights: FloatArray, share: float) -> float:
    """Smallest score that `share` of the weight does not exceed, were one more score of mean weight infinite.

    The largest score where only the infinite one would do.
    """
    order = np.argsort(scores, kind="stable")
    reached = np.cumsum(weights[order])
    wanted = share * (reached[-1] + weights.mean())
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
