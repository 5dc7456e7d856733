"""C29: binarized networks only where the runtime has kernels for one bit.

QuickNets on a Raspberry Pi 4 with 64 bits, one thread: 45.6, 66.5 and 121.2 ms, top-1 58.6, 62.7 and 67.0 %
(larq/compute-engine issues 294, 339, 383 and 400); MobileNet int8 in ncnn there: 40.3 ms. Its accuracy is not in the
case: 70 % is set here.
"""

from __future__ import annotations

import pytest

from dse.candidates.kernels import NO_KERNELS
from tests.cases.folders import catalogue, chosen, solved

CHIP = """\
- id: {chip}
  vendor: Case
  name: {chip}
  class: sbc
  form: soc
  cpu_cores: 4
  units: [{{id: cpu, precisions: [binary, int8, fp32]}}]
"""
QUICKNETS = {"case_quick": (45.6, 58.6), "case_quick_large": (66.5, 62.7), "case_quick_xl": (121.2, 67.0)}
MOBILENET_MS = 40.3


@pytest.fixture(scope="module")
def solve(tmp_path_factory):
    """One chip with both runtimes, and its twin under a 32-bit system that has the plain one alone."""
    runs = [
        {"chip": "case-pi", "unit": "cpu", "runtime": "case-larq", "model": name, "precision": "binary",
         "time_ms_per_item": ms}
        for name, (ms, _top1) in QUICKNETS.items()
    ]  # fmt: skip
    # Three networks of known work calibrate the plain runtime, so that others could be estimated on it.
    plain = [("case_mobile", MOBILENET_MS), ("mobilenet_v1", 62), ("resnet18", 160), ("resnet50", 350)]
    runs += [
        {"chip": chip, "unit": "cpu", "runtime": "case-ncnn", "model": name, "time_ms_per_item": ms}
        for chip in ("case-pi", "case-pi-32")
        for name, ms in plain
    ]
    quick = {"precision": "binary", "operators": "binary conv", "gmacs": 0.03}
    models = [quick | {"id": name, "params_m": 13.2, "accuracy": top1} for name, (_ms, top1) in QUICKNETS.items()]
    models += [{"id": "case_mobile", "params_m": 3.5, "gmacs": 0.3, "accuracy": 70}]
    chips = "".join(CHIP.format(chip=chip) for chip in ("case-pi", "case-pi-32"))
    folder = catalogue(tmp_path_factory.mktemp("c29"), chips=chips, models=models, runs=runs)

    def asked(chip, models, deadline_ms):
        task = f"task: image-classification, models: [{models}], rate_hz: 1, deadline_ms: {deadline_ms}"
        return solved(folder, task, f"search: {{chips: [{chip}]}}")

    return asked


@pytest.mark.parametrize(
    ("deadline_ms", "network"), [(46, "case_quick"), (70, "case_quick_large"), (122, "case_quick_xl")]
)
def test_with_kernels_the_measured_runs_are_candidates(solve, deadline_ms, network):
    result = solve("case-pi", "'case_quick*'", deadline_ms)
    assert chosen(result) == ("case-pi", network)
    task = result.data["assignments"][0]
    assert (task["precision"], task["runtime"]) == ("binary", "case-larq")
    assert result.data["search"]["candidates"] == len(QUICKNETS)


def test_without_kernels_a_binarized_network_is_no_candidate(solve):
    """The plain runtime is calibrated, and says nothing of one-bit convolutions."""
    result = solve("case-pi-32", "'case_quick*'", 10_000)
    assert (result.status, result.data["search"]["candidates"]) == ("infeasible", 0)
    assert result.data["dropped"][NO_KERNELS] > 0


@pytest.mark.parametrize("chip", ["case-pi", "case-pi-32"])
def test_the_plain_network_is_as_fast_and_better(solve, chip):
    """40.3 ms in int8 beside 45.6 ms in one bit: no deadline leaves the binarized one as the better choice."""
    for deadline_ms in (MOBILENET_MS, 50, 130):
        assert chosen(solve(chip, "'case_*'", deadline_ms)) == (chip, "case_mobile")
    assert solve(chip, "'case_*'", MOBILENET_MS - 0.1).status == "infeasible"
