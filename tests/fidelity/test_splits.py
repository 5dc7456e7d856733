"""Splits are fixed by keys alone, keep what belongs together on one side, and hide what they say they hide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.fidelity import splits
from dse.fidelity.splits import (
    cell_keys,
    chip_splits,
    cluster_keys,
    few_shot_chips,
    few_shot_splits,
    hash_number,
    held_out_chips,
    model_split,
    pair_split,
)
from tests.fidelity import made


@pytest.mark.parametrize(
    ("salt", "key", "number"),
    [("pair-1", "rk3588|yolov5s|640x640|int8", 0.434600), ("model-1", "yolov5s", 0.712805)],
)
def test_hash_numbers_agree_with_the_published_ones(salt, key, number):
    assert hash_number(salt, key) == pytest.approx(number, abs=5e-7)


def test_a_cell_names_chip_model_size_and_precision():
    rows = made.rows(
        {"chip": "rk3588", "model": "yolov5s", "input_h": 640.0, "input_w": 640.0},
        {"input_h": np.nan, "input_w": np.nan},
        {"input_h": 1.0, "input_w": 1600.0, "precision": "fp16"},
    )
    assert cell_keys(rows).tolist() == ["rk3588|yolov5s|640x640|int8", "c|m|x|int8", "c|m|1x1600|fp16"]


@pytest.mark.parametrize(
    ("split_of", "salt", "key"),
    [(pair_split, "pair-1", "c|resnet-{}|224x224|int8"), (model_split, "model-1", "resnet-{}")],
)
def test_keys_with_a_number_below_fifteen_hundredths_are_held_out(split_of, salt, key):
    split = split_of(made.rows(*({"model": f"resnet-{k}"} for k in range(200))))
    assert split.test.tolist() == [hash_number(salt, key.format(k)) < 0.15 for k in range(200)]
    assert 10 < split.test.sum() < 50  # 30 expected, standard deviation 5
    assert (split.train == ~split.test).all()


def test_all_conditions_of_a_cell_stay_together():
    rows = made.rows(*({"model": f"m{k}", "batch": b, "runtime": r} for k in range(50) for b in (1, 8) for r in "ab"))
    test = pair_split(rows).test.reshape(50, 4)
    assert (test.all(axis=1) == test.any(axis=1)).all()
    assert test.any()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_neither_row_order_nor_other_rows_move_a_row(seed):
    rows = made.random_rows(60, seed)
    order = np.random.default_rng(seed).permutation(60)[:40]
    for split in (pair_split, model_split):
        assert (split(rows.iloc[order]).test == split(rows).test[order]).all()


def test_a_held_out_chip_has_enough_models_and_rows():
    """Ten models are enough, nine with twenty rows are not."""
    rows = made.rows(
        *({"chip": "ten", "model": f"m{k}"} for k in range(10)),
        *({"chip": "nine", "model": f"m{k % 9}", "batch": k} for k in range(20)),
    )
    assert held_out_chips(rows) == ["ten"]
    (split,) = chip_splits(rows)
    assert (split.name, split.part, split.cluster) == ("chip held out", "ten", "chip")
    assert split.test.tolist() == [True] * 10 + [False] * 20
    assert split.train.tolist() == [False] * 10 + [True] * 20


def test_few_shots_reveal_the_models_of_smallest_hash():
    models = [f"m{k}" for k in range(25)]
    rows = made.rows(
        *({"chip": "a", "model": model, "batch": batch} for model in models for batch in (1, 4)),
        *({"chip": "b", "model": model} for model in models[:24]),
        {"chip": "a", "model": "m0", "unit": "cpu"},
        {"chip": "a", "model": "only-on-cpu", "unit": "cpu"},
    )
    assert few_shot_chips(rows) == ["a"]  # b has 24 models, one too few
    for k in splits.FEW_SHOTS:
        (split,) = few_shot_splits(rows, k)
        assert split.name == f"few shots, k = {k}"
        known = sorted(models, key=lambda model: hash_number("few-1", f"a|{model}"))[:k]
        here = (rows["chip"] == "a").to_numpy()
        assert sorted(rows["model"][here & split.train & (rows["unit"] == "npu")].unique()) == sorted(known)
        assert set(rows["model"][split.test]) == set(models) - set(known)
        assert not (split.train & split.test).any()
        assert not split.test[-2:].any()  # the CPU is not judged …
        assert not split.train[-1]  # … and tells nothing about the accelerator beforehand
        assert split.train[~here].all()


def test_more_shots_reveal_more_and_judge_the_rest():
    rows = made.rows(*({"chip": "a", "model": f"m{k}"} for k in range(30)))
    one, three = (next(iter(few_shot_splits(rows, k))) for k in (1, 3))
    assert (one.train <= three.train).all()
    assert [int(split.test.sum()) for split in (one, three)] == [29, 27]


def test_the_thirty_chips_of_smallest_hash_judge_few_shots():
    rows = made.rows(*({"chip": f"c{c}", "model": f"m{k}"} for c in range(35) for k in range(25)))
    by_hash = sorted((f"c{c}" for c in range(35)), key=lambda chip: hash_number("few-chips-1", chip))
    assert few_shot_chips(rows) == sorted(by_hash[:30])


def test_what_a_bootstrap_draws():
    rows = made.rows({"chip": "a", "model": "x"})
    assert [cluster_keys(rows, word)[0] for word in ("cell", "model", "chip")] == ["a|x|224x224|int8", "x", "a"]
