"""Fit without the held-out rows, answer for them, and let the answers decide."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from dse.catalog.types import BoolArray, FloatArray
from dse.estimate import evidence
from dse.estimate.estimator import TABLES, Estimates, Estimator
from dse.estimate.evidence import GRADES, LEVELS, Seen
from dse.estimate.guard import confidence_by_grade, share_of_half_width
from dse.fidelity.decisions import Decisions, decide, draw_problems
from dse.fidelity.report import Judged, judged
from dse.fidelity.rows import Predictions
from dse.fidelity.splits import FEW_SHOTS, Split, chip_splits, few_shot_splits, model_split, pair_split
from dse.heldout.rows import MeasuredRows

TESTS = ("pair", "model", "few", "chip")


def splits(rows: pd.DataFrame, tests: Iterable[str], chips: int | None = None) -> list[Split]:
    """The parts of the named tests, in the order of `TESTS`; `chips` limits how many chips are left out in turn."""
    found: list[Split] = []
    for test in (name for name in TESTS if name in set(tests)):
        if test == "pair":
            found.append(pair_split(rows))
        elif test == "model":
            found.append(model_split(rows))
        elif test == "few":
            found += [
                split for revealed in FEW_SHOTS for split in _spread(list(few_shot_splits(rows, revealed)), chips)
            ]
        else:
            found += _spread(list(chip_splits(rows)), chips)
    return found


def _spread(parts: list[Split], count: int | None) -> list[Split]:
    """That many of the parts, evenly over their order."""
    if count is None or count >= len(parts):
        return parts
    return [parts[k * len(parts) // count] for k in range(count)]


class Trial:
    """One test: the held-out rows of its parts, what the estimates say of them, and the decisions they lead to."""

    def __init__(self, rows: MeasuredRows) -> None:
        self._rows = rows
        self.judged: list[Judged] = []
        self._answers: dict[str, tuple[BoolArray, FloatArray, FloatArray]] = {}

    def add(self, split: Split) -> None:
        """Fit on the training rows of a split and answer for its test rows."""
        estimator = self._rows.fit(split.train, self._needed(split))
        found = self._rows.estimate(estimator, split.test, evidence.widths())
        predictions = Predictions(found.log_ms, found.half_width, np.array(LEVELS, dtype=object)[found.level])
        self.judged.append(judged(self._rows.frame, split, predictions))
        if split.name not in self._answers:
            nothing = np.full(len(split.test), np.nan)
            self._answers[split.name] = np.zeros(len(nothing), dtype=np.bool_), nothing.copy(), nothing
        test, log_ms, guard = self._answers[split.name]
        test |= split.test
        log_ms[split.test], guard[split.test] = found.log_ms, self._guard(estimator, split.test, found)

    def _needed(self, split: Split) -> tuple[str, ...]:
        """The laws that answer for the test rows: fitting one for nothing would take a third of the time."""
        seen = Seen.of(self._rows.conditions.take(split.train), self._rows.networks.take(split.train))
        conditions, networks = self._rows.conditions.take(split.test), self._rows.networks.take(split.test)
        place = np.arange(len(networks.model))
        needed = Estimator({}, seen).law_of(conditions, networks, place, place)
        return tuple(TABLES[number] for number in np.unique(needed).tolist())

    def decisions(self) -> dict[str, tuple[Decisions, Decisions]]:
        """Per test, how the estimates decide without and with the default guard; grade E never decides."""
        frame, found = self._rows.frame, {}
        for name, (test, log_ms, guard) in self._answers.items():
            problems = draw_problems(frame, test)
            if problems:
                plain = decide(problems, frame, log_ms)
                found[name] = plain, decide(problems, frame, log_ms, guard)
        return found

    def _guard(self, estimator: Estimator, test: BoolArray, found: Estimates) -> FloatArray:
        """Log of the guard factor of every answer, NaN where its grade may not decide."""
        grade = evidence.grades(found.level)
        models = estimator.seen.models_on(self._rows.conditions.take(test))
        confidence = confidence_by_grade(grade, evidence.known_elsewhere(found.level), models)
        guard = found.half_width * share_of_half_width(confidence)
        return np.where(grade == GRADES.index("E"), np.nan, guard)
