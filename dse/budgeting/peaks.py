"""The rated peak of a unit as a budget counts it: what one inference can use, at the precision rated highest."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dse.catalog.types import Chip
from dse.problem.fields import exact


@dataclass(frozen=True)
class Peak:
    """A rated peak [10^12 operation/s] at a precision: the share of the whole unit that one inference can use."""

    tops: Fraction
    precision: str
    share: Fraction


def peak_of(chip: Chip, kind: str) -> Peak | None:
    """The highest peak that one inference can use on a unit; None where none is rated.

    Where the catalogue states no share, one inference counts as using the whole unit.
    """
    unit = chip.unit(kind)
    if unit is None or not unit.peak_tops:
        return None
    precision = max(unit.peak_tops, key=lambda name: (unit.peak_tops[name], name))
    share = exact(unit.one_inference_share or 1.0)
    return Peak(exact(unit.peak_tops[precision]) * share, precision, share)
