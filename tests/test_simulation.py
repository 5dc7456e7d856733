"""What a replay is told with: the design, and parts of the bound that sum up to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dse.api import load_problem
from dse.simulation import as_json, simulate_problem

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("file", ["docs/systems/face-lock.yaml", "problems/plates.yaml"])
def test_the_parts_of_a_bound_sum_up_to_it(knowledge, file):
    """Also where a delay is no stage of its own, and where several stages are played as one job."""
    data = as_json(simulate_problem(load_problem(ROOT / file), knowledge, phasings=1, climbs=0))
    for one in data["tasks"]:
        listed = sum(stage["bound_parts_ms"] for stage in one["stages"])
        assert listed + one["other_parts_ms"] == pytest.approx(one["bound_ms"], abs=0.001)
        assert one["other_parts_ms"] >= 0
        assert one["chip"]
        assert one["model"]
    if len(data["tasks"]) > 1:
        # Counted from the release by the detector: the way of a frame before that is none of its stages.
        assert not {"network", "decode"} & {stage["stage"] for stage in data["tasks"][1]["stages"]}
