"""Selection problems: what is drawn, what is chosen, and how a choice is judged."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.fidelity.decisions import Problem, decide, draw_problems
from dse.fidelity.rows import CONDITION, joined
from tests.fidelity import made

TIMES = [1.0, 2.0, 4.0, 8.0]
FOUR = made.rows(
    *({"model": f"m{k}", "ms": ms, "accuracy": 60.0 + 5 * k, "accuracy_metric": "top1"} for k, ms in enumerate(TIMES))
)
WITHIN_5 = [Problem(np.arange(4), 5.0)]


@pytest.mark.parametrize(
    ("predicted", "guard", "expected"),
    [
        # m2 (4 ms, 70 points) is the best that truly meets 5 ms.
        pytest.param(TIMES, 1.0, {"chosen": 1, "missed": 0.0, "no_answer": 0.0, "accuracy_lost": 0.0}, id="truth"),
        pytest.param([1, 2, 6, 8], 1.0, {"chosen": 1, "missed": 0.0, "accuracy_lost": 5.0}, id="overestimate costs"),
        pytest.param([1, 2, 4, 5], 1.0, {"chosen": 1, "missed": 1.0, "median_overrun": 0.6}, id="underestimate misses"),
        pytest.param([1, 2, 4, 5.1], 1.0, {"missed": 0.0, "accuracy_lost": 0.0}, id="just beside the edge"),
        pytest.param(TIMES, 1.3, {"missed": 0.0, "accuracy_lost": 5.0}, id="a guard gives accuracy away"),
        pytest.param([1, 2, np.nan, np.nan], 1.0, {"chosen": 1, "accuracy_lost": 5.0}, id="refused is not chosen"),
        pytest.param([6, 6, 6, 6], 1.0, {"chosen": 0, "no_answer": 1.0, "missed": np.nan}, id="no answer"),
    ],
)
def test_one_problem(predicted, guard, expected):
    found = dataclasses.asdict(decide(WITHIN_5, FOUR, np.log(np.array(predicted, dtype=float)), np.log(guard)))
    assert {name: found[name] for name in expected} == pytest.approx(expected, nan_ok=True)


def test_a_guard_can_differ_from_row_to_row():
    guard = np.log([1.0, 1.0, 2.0, 1.0])
    assert decide(WITHIN_5, FOUR, FOUR["log_ms"].to_numpy(), guard).accuracy_lost == 5.0
    guard[2] = np.nan
    assert decide(WITHIN_5, FOUR, FOUR["log_ms"].to_numpy(), guard).accuracy_lost == 5.0


def test_of_equal_accuracies_the_fastest_predicted_is_chosen():
    """m2 is predicted faster than its equal m3 and is right; m3 would miss."""
    equal = FOUR.assign(accuracy=70.0)
    assert decide(WITHIN_5, equal, np.log([5.0, 4.5, 1.0, 2.0])).missed == 0
    assert decide(WITHIN_5, equal, np.log([5.0, 4.5, 2.0, 1.0])).missed == 1


def test_shares_over_several_problems():
    """Deadlines 1, 5 and 0.5 ms by times half too short: m1 misses by 2x, m3 by 1.6x, and m0 misses by 2x."""
    problems = [Problem(np.arange(4), deadline) for deadline in (1.0, 5.0, 0.5)]
    found = decide(problems, FOUR, FOUR["log_ms"].to_numpy() - np.log(2))
    assert (found.problems, found.chosen, found.missed, found.no_answer) == (3, 3, 1.0, 0.0)
    assert found.median_overrun == pytest.approx(1.0)
    found = decide(problems, FOUR, FOUR["log_ms"].to_numpy())
    assert (found.chosen, found.missed) == (2, 0.0)
    assert found.no_answer == pytest.approx(1 / 3)


def test_no_problems():
    found = decide([], FOUR, FOUR["log_ms"].to_numpy())
    assert found.problems == 0
    assert np.isnan([found.missed, found.no_answer, found.accuracy_lost, found.median_overrun]).all()


def world(seed=0):
    """Three chips of six models, two metrics, two quantities; one group too small, some accuracies not known."""
    random = np.random.default_rng(seed)
    return made.rows(
        *(
            {
                "chip": chip, "model": f"{metric}-{k}", "precision": precision, "quantity": quantity,
                "ms": float(np.exp(random.normal(0, 1))), "accuracy": 50.0 + k, "accuracy_metric": metric,
            }
            for chip in "abc" for precision in ("int8", "fp16") for quantity in ("latency", "period")
            for metric in ("top1", "map") for k in range(6)
        ),
        *({"chip": "small", "model": f"top1-{k}", "accuracy": 50.0, "accuracy_metric": "top1"} for k in range(3)),
        *({"chip": "one model", "input_h": 32.0 * k, "accuracy": 50.0, "accuracy_metric": "top1"} for k in range(1, 6)),
        *({"chip": "unknown", "model": f"top1-{k}"} for k in range(6)),
    )  # fmt: skip


def test_pools_are_comparable_and_large_enough():
    rows = world()
    test = np.arange(len(rows)) % 7 != 0
    problems = draw_problems(rows, test, count=120)
    assert len(problems) == 120
    sizes = set()
    for problem in problems:
        pool = rows.iloc[problem.pool]
        assert test[problem.pool].all()
        assert len(set(problem.pool.tolist())) == len(problem.pool)
        assert pool["accuracy"].notna().all()
        assert pool["accuracy_metric"].nunique() == pool["quantity"].nunique() == 1
        groups = pool.groupby(joined(pool, (*CONDITION, "precision")))["model"].nunique()
        assert groups.min() >= 4
        sizes.add(len(groups))
        # Between 0.95 times the 15 % quantile and 1.3 times the 85 % one.
        low, high = np.quantile(np.exp(pool["log_ms"]), [0.15, 0.85])
        assert 0.95 * low <= problem.deadline_ms <= 1.3 * high
    assert sizes == {1, 2, 3, 4}


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_problems_depend_on_the_seed_and_not_on_row_order(seed):
    rows = world(seed)
    order = np.random.default_rng(seed).permutation(len(rows))
    everything = np.ones(len(rows), dtype=bool)
    plain = draw_problems(rows, everything, count=20, seed=seed)
    moved = draw_problems(rows.iloc[order], everything, count=20, seed=seed)
    for a, b in zip(plain, moved, strict=True):
        assert a.deadline_ms == pytest.approx(b.deadline_ms)
        assert a.pool.tolist() == order[b.pool].tolist()
    other = draw_problems(rows, everything, count=20, seed=seed + 1)
    assert [p.deadline_ms for p in other] != [p.deadline_ms for p in plain]


@pytest.mark.parametrize("rows", [made.rows(), made.rows({}), FOUR.iloc[:3]], ids=["no row", "no accuracy", "three"])
def test_nothing_large_enough_makes_no_problem(rows):
    assert draw_problems(pd.DataFrame(rows), np.ones(len(rows), dtype=bool)) == []


def test_four_models_are_enough():
    assert len(draw_problems(FOUR, np.ones(4, dtype=bool), count=3)) == 3


def test_truth_never_misses_and_never_loses():
    rows = world()
    found = decide(draw_problems(rows, np.ones(len(rows), dtype=bool)), rows, rows["log_ms"].to_numpy())
    assert (found.missed, found.accuracy_lost) == (0.0, 0.0)


def test_a_larger_guard_misses_less_often():
    rows = world()
    problems = draw_problems(rows, np.ones(len(rows), dtype=bool))
    noisy = rows["log_ms"].to_numpy() + np.random.default_rng(1).normal(0, 0.3, len(rows))
    missed = [decide(problems, rows, noisy, np.log(factor)).missed for factor in (1.0, 1.3, 2.5)]
    assert missed[0] > missed[1] > missed[2]
