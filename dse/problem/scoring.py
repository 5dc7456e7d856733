"""How a comparison weighs its designs: weights of figures, and what a figure is worth.

The figures themselves, and the arithmetic on them, are not here: `dse.procurement.scoring` has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from dse.patterns import name_hint
from dse.problem.fields import NUMERIC, Model, refuse
from dse.problem.limits import KINDS
from dse.yamlfile.scalars import Raw

MOST_WEIGHT = 1e9
"""Weights say how figures relate; beyond this the others might as well be 0."""
PAIR = "a pair of a figure and its score, such as [40, 0.5]"


@dataclass(frozen=True)
class Figure:
    """What can be weighed: its meaning with its unit, and whether more of it is better."""

    meaning: str
    higher_is_better: bool


def _as_limited(*names: str) -> dict[str, Figure]:
    """Figures that can be limited too: meaning and direction are those of the limit."""
    return {name: Figure(KINDS[name].meaning, KINDS[name].direction == "min") for name in names}


FIGURES: Mapping[str, Figure] = MappingProxyType(
    {
        **_as_limited("accuracy", "worst_case_ms", "slack_ms", "rate_headroom", "power_w", "energy_mj", "memory_mb"),
        **_as_limited("price_usd", "lead_time_weeks"),
        "cost_usd": Figure("cost of all systems over the years in service, at their beginning [USD]", False),
        "cost_per_stream_usd": Figure("the same for each stream of each system [USD]", False),
        "temperature_min_c": Figure("lowest temperature the parts stand [degree Celsius]", False),
        "temperature_max_c": Figure("highest temperature the parts stand [degree Celsius]", True),
    }
)
"""Every figure that can have a weight."""


def _figure(name: str) -> str:
    if name not in FIGURES:
        refuse(f"there is no figure `{name}` to weigh", name_hint(name, FIGURES, short=len(FIGURES)))
    return name


def _some_weight(weights: dict[str, float]) -> dict[str, float]:
    if not any(weights.values()):
        refuse("no weight is more than 0", "give at least one figure a weight")
    return weights


@dataclass(frozen=True)
class _Given:
    """A point as it was written; `keyed` where its figure is the key of a mapping."""

    figure: Raw
    score: Raw
    keyed: bool


def _points(value: Raw) -> Raw:
    if isinstance(value, dict):
        return tuple(_Given(figure, score, True) for figure, score in value.items())
    if isinstance(value, list | tuple):
        return tuple(_Given(item[0], item[1], False) if _is_pair(item) else item for item in value)
    return refuse("must be a mapping of figures to scores, or a list of pairs")


def _is_pair(item: Raw) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2


def _point(value: Raw) -> Raw:
    if not isinstance(value, _Given):
        refuse(f"must be {PAIR}")
    figure = number(value.figure, key=value.keyed)
    if figure is None:
        if value.keyed:
            refuse(f"`{value.figure}` is no number", "the figure comes first, its score after it", (value.figure,))
        refuse("must be a number", inside=(0,))
    score = number(value.score)
    if score is None or not 0 <= score <= 1:
        refuse("must be a score from 0 to 1", inside=(value.figure if value.keyed else 1,))
    return (figure, score)


def number(value: Raw, *, key: bool = False) -> float | None:
    """A finite number, or None; the keys of a file are always text, and may be one too."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not (key and NUMERIC.fullmatch(value)):
        return None
    try:
        result = float(value)
    except (OverflowError, ValueError):
        return None
    return result if isfinite(result) else None


Points = tuple[tuple[float, float], ...]


def _ascending(points: Points) -> Points:
    if len(points) < 2:
        refuse(f"needs at least two points, has {len(points)}", "the worst figure with 0 and the best with 1")
    for index, ((before, _), (after, _)) in enumerate(pairwise(points), start=1):
        if after <= before:
            hint = "write every figure once, the smallest first"
            refuse(f"figures must ascend, but {after:g} follows {before:g}", hint, (index,))
    return points


def _mapping_schema(kind: dict[str, Raw], **more: Raw) -> WithJsonSchema:
    properties = {name: {"description": figure.meaning, **kind} for name, figure in FIGURES.items()}
    return WithJsonSchema({"type": "object", "additionalProperties": False, "properties": properties, **more})


_SCORE = {"type": "number", "minimum": 0, "maximum": 1}
_CURVE = {
    "anyOf": [
        {"type": "object", "minProperties": 2, "additionalProperties": _SCORE},
        {
            "type": "array",
            "minItems": 2,
            "items": {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"type": "number"}, _SCORE]},
        },
    ]
}
FigureName = Annotated[str, AfterValidator(_figure)]
Weight = Annotated[float, Field(ge=0, le=MOST_WEIGHT)]
Weights = Annotated[
    dict[FigureName, Weight],
    AfterValidator(_some_weight),
    _mapping_schema({"type": "number", "minimum": 0, "maximum": MOST_WEIGHT}, minProperties=1),
]
Curve = Annotated[
    tuple[Annotated[tuple[float, float], BeforeValidator(_point)], ...],
    BeforeValidator(_points),
    AfterValidator(_ascending),
]
Values = Annotated[dict[FigureName, Curve], _mapping_schema(_CURVE)]


class Scoring(Model):
    """How the feasible designs of a comparison are weighed against each other."""

    weights: Weights = Field(description="How much each figure counts; only their ratios matter.")
    values: Values = Field(
        default_factory=dict,
        description="Score of a figure, 0 to 1: {figure: score, …}, figures ascending, straight lines between.",
    )
