"""How sure an estimate must be before it decides: a one-sided confidence by grade, and the factor it asks for."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from dse.catalog.types import BoolArray, FloatArray, IntArray
from dse.estimate.evidence import GRADES

INTERVAL_QUANTILE = NormalDist().inv_cdf(0.95)  # the spread bounds the middle 90 %
MANY_MODELS, FEW_MODELS = 10, 3  # measured networks of a chip: more than these, at most these
CONFIDENCE_B, CONFIDENCE_KNOWN, CONFIDENCE_NEW, CONFIDENCE_FEW = 0.8, 0.8, 0.9, 0.95


def confidence_by_grade(grade: IntArray, known_elsewhere: BoolArray, models: IntArray) -> FloatArray:
    """One-sided confidence of every estimate: by grade, and for C by how well network and unit are known.

    Parameters
    ----------
    grade : (n,)
        Positions in ``"ABCDE"``.
    known_elsewhere : (n,)
        Whether the network was measured on another chip.
    models : (n,)
        How many networks were measured on the unit.
    """
    well_known = known_elsewhere & (models > MANY_MODELS)
    grade_c = np.where(models <= FEW_MODELS, CONFIDENCE_FEW, np.where(well_known, CONFIDENCE_KNOWN, CONFIDENCE_NEW))
    return np.where(
        grade <= GRADES.index("B"), CONFIDENCE_B, np.where(grade == GRADES.index("C"), grade_c, CONFIDENCE_FEW)
    )


def share_of_half_width(confidence: FloatArray) -> FloatArray:
    """How much of the 90 % half-width [log time] a one-sided confidence asks for, on a normal scale."""
    levels, code = np.unique(confidence, return_inverse=True)
    return np.array([NormalDist().inv_cdf(level) / INTERVAL_QUANTILE for level in levels.tolist()])[code]
