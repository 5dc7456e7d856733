"""Rules of thumb, by hand and against a second road that looks at one row at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.fidelity.baselines import BASELINES, FOLDED, chip_rate, nearest_rate, peak_share
from dse.fidelity.rows import CONDITION
from tests.fidelity import made

NONE = made.rows()


def ms(baseline, train, *rows):
    return np.exp(baseline(train, made.rows(*rows)))


def test_share_of_the_peak():
    """3 GMACs are 6e9 operations; 60 % of 10 TOPS do 6e12 a second: 1 ms."""
    assert ms(peak_share, NONE, {"gmacs": 3.0, "peak_tops": 10.0}) == pytest.approx([1.0])
    unknown = [{"gmacs": np.nan}, {"peak_tops": np.nan}, {"gmacs": 0.0}, {"peak_tops": 0.0}]
    assert np.isnan(ms(peak_share, NONE, *unknown)).all()


def test_one_efficiency_per_chip_is_the_median_rate():
    """Rates of 1, 2 and 8 GMACs/ms: the median 2 does 6 GMACs in 3 ms."""
    train = made.rows(
        {"gmacs": 1.0, "ms": 1.0},
        {"gmacs": 1.0, "ms": 0.5},
        {"gmacs": 4.0, "ms": 0.5},
        {"gmacs": np.nan, "ms": 100.0},
        {"gmacs": 1.0, "ms": 77.0, "precision": "fp16"},
        {"gmacs": 1.0, "ms": 77.0, "unit": "cpu"},
    )
    asked = [{"gmacs": 6.0}, {"gmacs": np.nan}, {"chip": "other"}, {"precision": "fp32"}]
    assert ms(chip_rate, train, *asked) == pytest.approx([3.0, np.nan, np.nan, np.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("near", "far"),
    [
        # Distance of the near row 0.6 from its MACs (a factor e^0.6); of the far one, in this order: 0.7, 3, 2, 3, 0.7.
        pytest.param({}, {"family": "g"}, id="family 0.7"),
        pytest.param({"runtime": "other"}, {"precision": "fp16"}, id="precision 3"),
        pytest.param({"family": "g"}, {"batch": 8}, id="condition 2"),
        pytest.param({"runtime": "other"}, {"quantity": "period"}, id="quantity 1 on top of its condition"),
        pytest.param({}, {"params_m": np.nan}, id="parameters not known 0.7"),
        pytest.param({}, {"params_m": np.exp(1.4)}, id="half the log of parameters"),
    ],
)
def test_the_nearest_row_answers(near, far):
    """Near row: rate 1; far row: rate 100. A network of 5 GMACs takes 5 ms, not 0.05."""
    work = float(5 * np.exp(0.6))
    train = made.rows({"gmacs": work, "ms": work, **near}, {"gmacs": 5.0, "ms": 0.05, **far})
    assert ms(nearest_rate, train, {"gmacs": 5.0}) == pytest.approx([5.0])


def test_a_mixed_precision_counts_as_its_narrow_one():
    """Distance 0 against 3 for fp16."""
    train = made.rows({"precision": "mixed-int8-int16", "ms": 2.0}, {"precision": "fp16", "ms": 7.0})
    assert ms(nearest_rate, train, {}) == pytest.approx([2.0])


def test_rows_equally_near_answer_together():
    """1 ms and 4 ms at the same distance: the geometric mean, 2 ms."""
    assert ms(nearest_rate, made.rows({"ms": 1.0}, {"ms": 4.0}), {}) == pytest.approx([2.0])


def test_no_answer_without_work_or_without_the_chip():
    train = made.rows({"gmacs": np.nan}, {"chip": "other"})
    assert np.isnan(ms(nearest_rate, train, {}, {"gmacs": np.nan}, {"chip": "third"})).all()


@pytest.mark.parametrize("name", sorted(BASELINES))
def test_no_rows_get_no_answers(name):
    assert BASELINES[name](made.rows({}), NONE).shape == (0,)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_the_nearest_row_agrees_with_a_search_row_by_row(seed):
    train, asked = made.random_rows(40, seed, chips=3), made.random_rows(15, seed + 1, chips=3)
    expected = [searched(train, row) for row in asked.to_dict("records")]
    assert nearest_rate(train, asked) == pytest.approx(expected, nan_ok=True)


def searched(train, row):
    """The second road: every training row's distance by the words of the rule."""
    best, answers = np.inf, []
    for known in train.to_dict("records"):
        if known["chip"] != row["chip"] or np.isnan(known["gmacs"]) or np.isnan(row["gmacs"]):
            continue
        params = 0.5 * abs(np.log(row["params_m"] / known["params_m"]))
        d = abs(np.log(row["gmacs"] / known["gmacs"])) + (0.7 if np.isnan(params) else params)
        d += 0.7 * (known["family"] != row["family"])
        d += 3 * (FOLDED.get(known["precision"], known["precision"]) != FOLDED.get(row["precision"], row["precision"]))
        d += 2 * any(known[c] != row[c] for c in CONDITION) + (known["quantity"] != row["quantity"])
        answer = known["log_ms"] + np.log(row["gmacs"] / known["gmacs"])
        if d < best - 1e-9:
            best, answers = d, [answer]
        elif d < best + 1e-9:
            answers.append(answer)
    return np.mean(answers) if answers else np.nan


@pytest.mark.parametrize("name", sorted(BASELINES))
def test_row_order_and_held_out_times_do_not_matter(name):
    train, asked = made.random_rows(60, 1, chips=3), made.random_rows(20, 2, chips=3)
    plain = BASELINES[name](train, asked)
    order = np.random.default_rng(1).permutation(60)
    assert BASELINES[name](train.iloc[order], asked.assign(log_ms=np.nan)) == pytest.approx(plain, nan_ok=True)
