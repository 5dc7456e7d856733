"""Rows and predictions."""

from __future__ import annotations

import numpy as np
import pytest

from dse.fidelity.rows import Predictions, codes, is_accelerator, joined
from tests.fidelity import made


def test_every_column_is_in_the_hand_made_rows():
    assert list(made.rows({})) == list(made.PLAIN)


@pytest.mark.parametrize(("unit", "yes"), [("npu", 1), ("gpu", 1), ("dla", 1), ("fpga", 1), ("cpu", 0), ("mcu", 0)])
def test_what_is_an_accelerator(unit, yes):
    assert is_accelerator(made.rows({"unit": unit})).tolist() == [bool(yes)]


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"columns of \[1, 2\] rows; give one value per row"):
        Predictions(np.zeros(2), np.zeros(2), np.full(1, "B", dtype=object))


def test_keys_join_texts_and_numbers():
    keys = joined(made.rows({}, {"cores": 3}), ("chip", "cores", "mode"))
    assert keys.tolist() == ["c|0|", "c|3|"]
    assert codes(np.array(["b", "a", "b"], dtype=object)).tolist() == [1, 0, 1]
