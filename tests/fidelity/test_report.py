"""The table: groups, baselines, pooling; and what counts as worse."""

from __future__ import annotations

import numpy as np
import pytest

from dse.fidelity.baselines import peak_share
from dse.fidelity.groups import groups
from dse.fidelity.report import SCORES, Judged, compare, judged, table
from dse.fidelity.rows import Predictions
from dse.fidelity.splits import Split
from tests.fidelity import made

ROWS = made.rows(
    {"model": "a", "ms": 1.0},
    {"model": "b", "ms": 1.0, "gmacs": np.nan},
    {"model": "c", "ms": 1.0, "unit": "cpu"},
    {"model": "d", "ms": 1.0},
)
TEST = np.array([True, True, True, False])
SPLIT = Split("pair held out", "", "cell", ~TEST, TEST)
# Errors of 10 %, 50 % and 20 %.
GIVEN = made.predictions([1.1, 1.5, 1.2])


def at(lines, group, method="estimator", split="pair held out"):
    found = lines[(lines["split"] == split) & (lines["group"] == group) & (lines["method"] == method)]
    assert len(found) == 1
    return found.iloc[0]


def test_groups_part_units_work_and_levels():
    level = np.array(["B", "C1", "B", ""], dtype=object)
    assert {name: mask.tolist() for name, mask in groups(ROWS, level)} == {
        "accelerators": [True, True, False, True],
        "accelerators, MACs known": [True, False, False, True],
        "accelerators, MACs unknown": [False, True, False, False],
        "accelerators, level B": [True, False, False, False],
        "accelerators, level C1": [False, True, False, False],
        "CPU and MCU": [False, False, True, False],
        "CPU and MCU, MACs known": [False, False, True, False],
        "CPU and MCU, level B": [False, False, True, False],
    }


def test_estimator_and_baselines_stand_side_by_side():
    lines = table([judged(ROWS, SPLIT, GIVEN, {"peak": peak_share})])
    assert list(lines)[:6] == ["split", "group", "method", "rows", "answered", "median_ape"]
    assert {f"{name}{end}" for name in SCORES for end in ("", "_low", "_high")} <= set(lines)
    own = at(lines, "accelerators")
    assert (own["rows"], own["answered"], own["median_ape"]) == (2, 1.0, pytest.approx(0.3))
    # 1 GMAC at 60 % of 1 TOPS: 2 / 0.6 = 3.33 ms for 1 ms; the row without MACs has no answer.
    peak = at(lines, "accelerators", "peak")
    assert (peak["rows"], peak["answered"], peak["median_ape"]) == (2, 0.5, pytest.approx(2.333, abs=0.001))
    assert peak["estimator_median_ape"] == pytest.approx(0.1)  # on the one row that the baseline answers


def test_baselines_see_training_rows_alone():
    seen = []

    def spy(train, rows):
        seen.append((train["model"].tolist(), rows["model"].tolist()))
        return np.zeros(len(rows))

    judged(ROWS, SPLIT, GIVEN, {"spy": spy})
    assert seen == [(["d"], ["a", "b", "c"])]


def test_predictions_must_fit_the_test_rows():
    with pytest.raises(ValueError, match="pair held out: 2 predictions for 3 test rows; give one per test row"):
        judged(ROWS, SPLIT, made.predictions([1.0, 1.0]))
    with pytest.raises(ValueError, match="chip held out, c: 2 predictions for 3 test rows"):
        judged(ROWS, Split("chip held out", "c", "chip", ~TEST, TEST), made.predictions([1.0, 1.0]))


def test_parts_of_one_split_are_scored_together():
    """Two chips of one and two rows with errors of 10, 20 and 30 %: a median of 20 % over both."""
    parts = [
        Judged("chip held out", "chip", made.rows({"chip": "a", "ms": 1.0}), {"estimator": made.predictions([1.1])}),
        Judged(
            "chip held out",
            "chip",
            made.rows(*[{"chip": "b", "ms": 1.0}] * 2),
            {"estimator": made.predictions([1.2, 1.3])},
        ),
    ]
    line = at(table(parts), "accelerators", split="chip held out")
    assert (line["rows"], line["median_ape"]) == (3, pytest.approx(0.2))
    # Two clusters: resamples are chip a alone, b alone or both.
    assert (line["median_ape_low"], line["median_ape_high"]) == pytest.approx((0.1, 0.25))


def test_levels_of_baselines_are_the_estimators():
    lines = table([judged(ROWS, SPLIT, GIVEN, {"peak": peak_share})])
    assert at(lines, "CPU and MCU, level B", "peak")["rows"] == 1


def test_nothing_judged_is_an_empty_table():
    assert len(table([])) == 0
    assert "median_ape" in table([])


def scored(**changes):
    lines = table([judged(ROWS, SPLIT, GIVEN, {"peak": peak_share})], resamples=0)
    for name, factor in changes.items():
        lines.loc[lines["group"] == "CPU and MCU", name] *= factor
    return lines


@pytest.mark.parametrize(
    ("changes", "worse"),
    [
        pytest.param({}, [], id="the same"),
        pytest.param({"median_ape": 1.09, "factor90": 1.09, "answered": 0.91}, [], id="within tolerance"),
        pytest.param({"median_ape": 1.11}, ["median_ape"], id="median error"),
        pytest.param({"factor90": 1.11}, ["factor90"], id="tail"),
        pytest.param({"answered": 0.89}, ["answered"], id="answers less"),
        pytest.param({"median_ape": 0.5, "factor90": 0.5, "coverage": 0.1}, [], id="better"),
        pytest.param({"median_ape": np.nan}, ["median_ape"], id="score gone"),
    ],
)
def test_what_counts_as_worse(changes, worse):
    found = compare(scored(), scored(**changes))
    assert [(w.split, w.group, w.quantity) for w in found] == [("pair held out", "CPU and MCU", w) for w in worse]


def test_a_group_that_is_gone_is_worse():
    now = scored()
    found = compare(scored(), now[now["group"] != "CPU and MCU"])
    assert [w.quantity for w in found] == ["median_ape", "factor90", "answered"]
    assert np.isnan([w.now for w in found]).all()


def test_baselines_and_new_groups_are_not_compared():
    before, now = scored(), scored()
    now.loc[now["method"] == "peak", "median_ape"] *= 9
    assert compare(before[before["group"] == "accelerators"], now) == []


def test_a_group_that_had_no_answer_has_nothing_to_lose():
    refused = Predictions.of_times(np.full(3, np.nan))
    lines = table([judged(ROWS, SPLIT, refused, {})], resamples=0)
    assert compare(lines, lines) == []


def test_another_tolerance():
    assert compare(scored(), scored(median_ape=1.11), tolerance=0.2) == []
    assert len(compare(scored(), scored(median_ape=1.04), tolerance=0.02)) == 1
