"""Weights and value functions of a file: both ways to write points, edges in threes, all faults at once."""

from __future__ import annotations

import pytest

from dse.errors import ProblemError
from dse.problem import parse_problem
from dse.problem.defaults import defaults_used
from dse.problem.scoring import FIGURES, Scoring
from dse.problem.starter import json_schema
from dse.schema import QUANTITIES

SHORT = "tasks: {name: a, task: object-detection, rate_hz: 30, deadline_ms: 60}\n"


def scoring(text: str) -> Scoring:
    found = parse_problem(f"{SHORT}scoring: {text}").scoring
    assert found is not None
    return found


def test_mapping_and_pairs_say_the_same() -> None:
    """Points may be keys with scores or pairs; numbers in keys may have a sign, decimals and an exponent."""
    mapping = scoring("{weights: {temperature_min_c: 1}, values: {temperature_min_c: {-2e1: 1, -5.5: 0.25, 0: 0}}}")
    pairs = scoring("{weights: {temperature_min_c: 1}, values: {temperature_min_c: [[-20, 1], [-5.5, 0.25], [0, 0]]}}")
    assert mapping == pairs
    assert mapping.values == {"temperature_min_c": ((-20.0, 1.0), (-5.5, 0.25), (0.0, 0.0))}


@pytest.mark.parametrize(
    ("text", "fault"),
    [  # what will do trivially, what is broken, and what will just do
        ("{weights: {power_w: 5}}", None),
        ("{weights: {power_w: -1}}", r"must be at least 0, found -1"),
        ("{weights: {power_w: 0, price_usd: 0.000001}}", None),
        ("{weights: {power_w: 0, price_usd: 0}}", r"no weight is more than 0"),
        ("{weights: {}}", r"no weight is more than 0"),
        ("{weights: {power_w: 1000000000}}", None),
        ("{weights: {power_w: 1000000001}}", r"must be at most 1e\+09"),
        ("{weights: {power_w: 1}, values: {power_w: {2: 0, 3: 1}}}", None),
        ("{weights: {power_w: 1}, values: {power_w: {2: 0, 3: 1.001}}}", r"must be a score from 0 to 1, found 1\.001"),
        ("{weights: {power_w: 1}, values: {power_w: {2: -0.001, 3: 1}}}", r"must be a score from 0 to 1"),
        ("{weights: {power_w: 1}, values: {power_w: {2: 0, 2.000001: 1}}}", None),
        ("{weights: {power_w: 1}, values: {power_w: {2: 0, 2.0: 1}}}", r"figures must ascend, but 2 follows 2"),
        ("{weights: {power_w: 1}, values: {power_w: {}}}", r"needs at least two points, has 0"),
        ("{weights: {power_w: 1}, values: {power_w: {2: 0, .inf: 1}}}", r"`\.inf` is no number"),
        ("{weights: {power_w: 1}, values: {power_w: [[2, 0], [.inf, 1]]}}", r"must be a number, found \.inf"),
        ("{weights: {power_w: 1}, values: {power_w: [[2, 0], [3, true]]}}", r"must be a score from 0 to 1, found true"),
        ("{weights: {power_w: 1}, values: {power_w: {2: 0, .: 1}}}", r"`\.` is no number"),
        ("{weights: {accuracy: 1}, values: {accuracy: {0: 0, 1.001: 1}}}", None),
        ("{weights: {accuracy: 1}, values: {accuracy: {0: 0, 1: 1}}}", r"percent: write 100, not 1\)"),
    ],
)
def test_edges(text: str, fault: str | None) -> None:
    """One step beyond an edge is a fault in words, the edge itself is none."""
    if fault is None:
        scoring(text)
    else:
        with pytest.raises(ProblemError, match=fault):
            scoring(text)


def test_all_faults_at_once() -> None:
    """A name, a weight, and three points are wrong: five faults, each at its place."""
    text = """\
scoring:
  weights: {acuracy: 1, cost_usd: -2, price_usd: 1}
  values:
    price_usd: {10: 2, x: 1}
    cost_usd: [[1, 0], 7]
"""
    with pytest.raises(ProblemError) as caught:
        parse_problem(SHORT + text)
    assert [(fault.line, fault.where) for fault in caught.value.faults] == [
        (3, "scoring.weights.acuracy"),
        (3, "scoring.weights.cost_usd"),
        (5, "scoring.values.price_usd.10"),
        (5, "scoring.values.price_usd.x"),
        (6, "scoring.values.cost_usd[1]"),
    ]


def test_directions_and_units_are_those_of_the_columns() -> None:
    """A figure that is a column of the candidate table improves in the same direction there."""
    shared = set(FIGURES) & set(QUANTITIES)
    assert len(shared) == 9
    for name in shared:
        assert FIGURES[name].higher_is_better == QUANTITIES[name].higher_is_better, name


def test_schema_lists_every_figure() -> None:
    """Editors complete the figures of weights and of values, with their meaning."""
    properties = json_schema()["$defs"]["Scoring"]["properties"]
    for field in ("weights", "values"):
        assert list(properties[field]["properties"]) == list(FIGURES)
        assert properties[field]["additionalProperties"] is False
        assert "[USD]" in properties[field]["properties"]["cost_usd"]["description"]


def test_default_values_are_told() -> None:
    """A weighed figure without a value function is listed with the rule that stands in its place; others are not."""
    problem = parse_problem(SHORT + "scoring: {weights: {power_w: 1, price_usd: 2}, values: {power_w: {1: 1, 9: 0}}}")
    told = [(path, text) for path, text in defaults_used(problem) if path.startswith("scoring")]
    assert told == [("scoring.values.price_usd", "from the worst to the best among the feasible designs")]
    assert not any(path.startswith("scoring") for path, _ in defaults_used(parse_problem(SHORT)))


def test_amounts_of_procurement_have_an_end() -> None:
    """Amounts no product has are refused: their products would leave the range of numbers."""
    text = "procurement: {energy_usd_per_kwh: 1e10, engineering: {days: 1e300, day_rate_usd: 1e300}}\n"
    with pytest.raises(ProblemError, match=r"must be at most 1e\+09") as caught:
        parse_problem(SHORT + text)
    assert len(caught.value.faults) == 3
