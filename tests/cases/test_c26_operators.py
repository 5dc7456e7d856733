"""C26: a network of LSTM, Gather and Transpose is faster on the CPU than on the NPU beside it.

airockchip/rknn-toolkit2 issue 402, RK3588: 101 ms on the CPU, 176 ms on the NPU.
"""

from __future__ import annotations

import pytest

from tests.cases.folders import catalogue, chosen, solved

CHIP = """\
- id: case-588
  vendor: Case
  class: camera-soc
  form: soc
  cpu_cores: 8
  units: [{id: npu, precisions: [fp16, int8], peak_tops: {int8: 6}}, {id: cpu, precisions: [fp16]}]
"""
CPU_MS, NPU_MS = 101, 176
# The case states no input size: grade B, the spread of a repeated measurement at a confidence of 0.8.
CPU_WORST_MS = CPU_MS * 1.58 ** (0.8416 / 1.6449)  # 127.6
NPU_WORST_MS = NPU_MS * 1.09 ** (0.8416 / 1.6449)  # 183.9


@pytest.fixture(scope="module")
def solve(tmp_path_factory):
    run = {"chip": "case-588", "model": "case_audio", "input_h": "", "input_w": "", "precision": "fp16"}
    runs = [
        run | {"unit": "cpu", "runtime": "case-ort", "time_ms_per_item": CPU_MS},
        run | {"unit": "npu", "runtime": "case-rknn", "time_ms_per_item": NPU_MS},
    ]
    models = [{"id": "case_audio", "task": "speech-enhancement", "dataset": "case-set", "metric": "pesq",
               "input_h": "", "input_w": "", "operators": "recurrent embedding", "accuracy": 3}]  # fmt: skip
    folder = catalogue(tmp_path_factory.mktemp("c26"), chips=CHIP, models=models, runs=runs, precision="fp16")

    def asked(limit, units="all"):
        task = f"task: speech-enhancement, dataset: case-set, metric: pesq, models: [case_audio], rate_hz: 2, {limit}"
        return solved(folder, task, f"search: {{chips: [case-588], units: {units}}}")

    return asked


def unit_of(result):
    assert chosen(result) == ("case-588", "case_audio")
    return result.data["assignments"][0]["unit"]


@pytest.mark.parametrize("deadline_ms", ["none", NPU_WORST_MS + 0.1, CPU_WORST_MS + 0.1])
def test_the_cpu_wins(solve, deadline_ms):
    assert unit_of(solve(f"deadline_ms: {deadline_ms}")) == "cpu"


def test_the_npu_is_a_choice_and_a_slower_one(solve):
    assert unit_of(solve(f"deadline_ms: {NPU_WORST_MS + 0.1}", units="[npu]")) == "npu"
    assert solve(f"deadline_ms: {NPU_WORST_MS - 0.1}", units="[npu]").status == "infeasible"
    assert solve(f"deadline_ms: {CPU_WORST_MS - 0.1}").status == "infeasible"
