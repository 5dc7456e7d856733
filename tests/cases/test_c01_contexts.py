"""C01: a table entry compiled in several contexts (hailo-ai/hailo_model_zoo issue 84)."""

from __future__ import annotations

import pytest

from dse.audit.check import check
from dse.catalog.paths import shipped_root
from tests.cases.folders import catalogue

CHIP = """\
- id: {chip}
  vendor: Case
  name: {chip}
  class: card
  form: m2-card
  units: [{{id: npu, precisions: [int8]}}]
"""
V1 = {"family": "mobilenet_v1", "params_m": 4.2, "gmacs": 0.57, "accuracy": 70}
V2 = {"family": "mobilenet_v2", "params_m": 3.5, "gmacs": 0.30, "accuracy": 71}
RUN = {"unit": "npu", "runtime": "case-stream", "quantity": "period", "boundary": "chip"}
V1_MS, SPLIT_MS, WHOLE_MS = 1000 / 1867, 1000 / 280, 1000 / 1658
# Chip: time and facts of the smaller network on it, the larger one takes V1_MS on each.
VARIANTS = {
    "split": (SPLIT_MS, V2),
    "one-context": (WHOLE_MS, V2),  # recompiled: 1.1 times as slow, as depthwise networks are
    "more-weights": (SPLIT_MS, V2 | {"params_m": 4.3}),  # may well not fit where fewer do
    "more-work": (SPLIT_MS, V2 | {"gmacs": 0.4}),  # 0.7 of the work is not about half of it
    "other-kind": (SPLIT_MS, V2 | {"family": "vit"}),
    "other-operators": (SPLIT_MS, V2 | {"operators": "attention"}),
}


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """What the audit doubts in the folder of all variants, by chip."""
    models, runs = [], []
    for chip, (v2_ms, v2) in VARIANTS.items():
        small, large = f"case_v2_{chip}", f"case_v1_{chip}"
        models += [
            V1 | {"id": large, "operators": "conv depthwise"},
            {"operators": "conv depthwise"} | v2 | {"id": small},
        ]
        runs += [RUN | {"chip": chip, "model": large, "time_ms_per_item": V1_MS}]
        runs += [RUN | {"chip": chip, "model": small, "time_ms_per_item": v2_ms}]
    chips = "".join(CHIP.format(chip=chip) for chip in VARIANTS)
    folder = catalogue(tmp_path_factory.mktemp("c01"), chips=chips, models=models, runs=runs)
    open_ = check((shipped_root(), folder)).open
    return {finding.thing.split()[0]: finding for finding in open_ if finding.rule == "split-over-contexts"}


def test_half_the_work_at_a_seventh_of_the_rate_is_doubted(findings):
    """280 fps beside 1,867 of a network with twice the work: 6.7 times as slow."""
    finding = findings["split"]
    assert finding.thing == "split npu case-stream case_v2_split@224x224 int8 batch 1 period"
    assert "3.571 ms, but case_v1_split with 1.9 times the work takes 0.5356 ms" in finding.message
    assert "several contexts" in finding.message


def test_what_is_no_contradiction_is_left_alone(findings):
    assert set(findings) == {"split"}
