"""C39 and C41: one network in two power modes; the rate asked and the power allowed need different ones.

C39: YOLOv4-tiny 416 fp16 on a Jetson Nano, 11.5 images a second in the 10 W mode, 5 in the 5 W mode
(jkjung-avt/tensorrt_demos issues 403 and 392). C41: OpenVLA-7B on an AGX Orin, 0.9 a second in the 30 W mode, 2.5 in
MAXN (dusty-nv/jetson-containers issue 617); MAXN's power is not stated there, 60 W is its rating.
"""

from __future__ import annotations

import pytest

from tests.cases.folders import catalogue, conflicts, explained, least

CHIP = """\
- id: case-board
  vendor: Case
  class: sbc
  form: soc
  cpu_cores: 4
  units: [{id: gpu, precisions: [fp16]}]
  modes: [%s]
"""
# Case: modes as (id, watts, images a second).
CASES = {"c39": (("high", 10, 11.5), ("low", 5, 5.0)), "c41": (("maxn", 60, 2.5), ("cut", 30, 0.9))}


@pytest.fixture(scope="module", params=sorted(CASES))
def case(request, tmp_path_factory):
    """Explanation of a problem with a rate and a power, and the two modes."""
    modes = CASES[request.param]
    listed = ", ".join(f"{{id: {name}, budget_w: {watts}}}" for name, watts, _ in modes)
    run = {"chip": "case-board", "unit": "gpu", "runtime": "case-trt", "model": "case_net", "precision": "fp16",
           "power_boundary": "system"}  # fmt: skip
    runs = [run | {"mode": name, "time_ms_per_item": 1000 / rate, "power_w": watts} for name, watts, rate in modes]
    models = [{"id": "case_net", "params_m": 6, "gmacs": 3.4, "accuracy": 40}]
    root = tmp_path_factory.mktemp(request.param)
    folder = catalogue(root, chips=CHIP % listed, models=models, runs=runs, precision="fp16")

    def why(rate_hz, watts):
        task = f"task: image-classification, models: [case_net], rate_hz: {rate_hz}, deadline_ms: none"
        rest = (
            f"search: {{chips: [case-board], boards: {{exclude: ['*']}}}}\nlimits: {{power_w: {watts}, utilization: 1}}"
        )
        return explained(folder, task, rest)

    return why, *modes


def test_rate_and_power_clash(case):
    """Two thirds of the fast mode's rate within the slow mode's power: either gives way to the other mode."""
    why, (_, fast_w, fast_hz), (_, slow_w, slow_hz) = case
    asked = round(2 / 3 * fast_hz, 3)
    found = why(asked, slow_w)
    assert {"rate", "power_w"} in conflicts(found)
    assert least(found)["power_w"] == fast_w
    # The rate is rounded down to 0.001/s, and never above what was measured.
    assert slow_hz - 0.01 <= least(found)["rate"] <= slow_hz


def test_the_rate_alone_is_too_much(case):
    why, (_, fast_w, fast_hz), _ = case
    found = why(2 * fast_hz, fast_w)
    assert {"rate"} in conflicts(found)
    assert [one["limit"] for one in found.data["infeasible"]["contradictions"]] == ["rate"]
