"""How good the estimates are, as tables for people."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dse.fidelity.decisions import Decisions
from dse.fidelity.report import ESTIMATOR, Worse

Rows = list[list[Any]]
_SHOWN_BASELINES = ("accelerators", "accelerators, MACs known", "CPU and MCU", "CPU and MCU, MACs known")


def score_rows(table: pd.DataFrame) -> Rows:
    """A header and one row per test and group: the estimator's scores with their 95 % intervals."""
    header = ["test", "rows of", "n", "median error", "(95 %)", "9 in 10 within", "(95 %)", "within 25 %"]
    header += ["rank in chip", "rank in network", "interval covers", "half-width"]
    return [header] + [
        [
            line["split"],
            line["group"],
            line["rows"],
            _percent(line["median_ape"]),
            f"{_percent(line['median_ape_low'])}–{_percent(line['median_ape_high'])}",
            _factor(line["factor90"]),
            f"{_factor(line['factor90_low'])}–{_factor(line['factor90_high'])}",
            _percent(line["within25"]),
            _number(line["rank_in_chip"]),
            _number(line["rank_in_model"]),
            _percent(line["coverage"]),
            _factor(line["half_width"]),
        ]
        for line in table[table.method == ESTIMATOR].to_dict("records")
    ]


def baseline_rows(table: pd.DataFrame) -> Rows:
    """A header and one row per test, group and baseline, beside the estimator on the rows the baseline answers."""
    header = ["test", "rows of", "method", "answers", "median error", "9 in 10 within", "dse on these rows"]
    others = table[(table.method != ESTIMATOR) & table.group.isin(_SHOWN_BASELINES)]
    return [header] + [
        [
            line["split"],
            line["group"],
            line["method"],
            _percent(line["answered"]),
            _percent(line["median_ape"]),
            _factor(line["factor90"]),
            _percent(line["estimator_median_ape"]),
        ]
        for line in others.to_dict("records")
    ]


def decision_rows(found: dict[str, tuple[Decisions, Decisions]]) -> Rows:
    """A header and one row per test and rule: what random selection problems lead to."""
    header = [
        "test",
        "rule",
        "problems",
        "missed deadlines",
        "accuracy lost (points)",
        "no answer",
        "overrun of a miss",
    ]
    rows: Rows = [header]
    for test, pair in found.items():
        for rule, one in zip(("no guard", "default guard"), pair, strict=True):
            rows.append(
                [
                    test,
                    rule,
                    one.problems,
                    _percent(one.missed),
                    _number(one.accuracy_lost),
                    _percent(one.no_answer),
                    _percent(one.median_overrun),
                ]
            )
    return rows


def worse_lines(worse: list[Worse]) -> list[str]:
    """One line per score that became worse."""
    return [f"{w.split}, {w.group}: {w.quantity} was {w.recorded:.4g}, is {w.now:.4g}" for w in worse]


def _percent(share: float) -> str:
    return "" if pd.isna(share) else f"{100 * share:.1f} %"


def _factor(factor: float) -> str:
    return "" if pd.isna(factor) else f"x{factor:.2f}"


def _number(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.2f}"
