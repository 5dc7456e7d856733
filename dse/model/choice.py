"""The model of one choice: exactly one row, each objective a linear row over the same Booleans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from dse.model.scaling import IntArray, assert_small


@dataclass(frozen=True)
class ChoiceModel:
    """A CP-SAT model with one Boolean per row."""

    model: cp_model.CpModel
    select: list[cp_model.IntVar]


def build(labels: list[str]) -> ChoiceModel:
    """``sum_i select[i] = 1``: exactly one design is bought."""
    model = cp_model.CpModel()
    select = [model.new_bool_var(f"select[{label}]") for label in labels]
    model.add_exactly_one(select)
    return ChoiceModel(model, select)


def minimise(choice: ChoiceModel, rank: IntArray) -> None:
    """``min sum_i rank_i select[i]``."""
    assert_small(rank)
    choice.model.minimize(cp_model.LinearExpr.weighted_sum(choice.select, rank.tolist()))


def keep_within(choice: ChoiceModel, rank: IntArray, most: int, name: str) -> None:
    """``sum_i rank_i select[i] <= most``: an earlier objective gives up no more than its `within`."""
    assert_small(np.append(rank, most))
    row = choice.model.add(cp_model.LinearExpr.weighted_sum(choice.select, rank.tolist()) <= most)
    row.with_name(f"within[{name}]")
