"""C08 and C11: one accelerator behind two links, each with measurements of its own.

C08: MobileNetV2 224 int8 on an Edge TPU, USB 2.0 of a Dev Board Mini against PCIe of a Dev Board (google-coral/edgetpu
issue 497). C11: YOLOv7 640 int8 on a Hailo-8, one lane of PCIe Gen3 against all four (hailo-ai/hailo_model_zoo
issue 118); both figures are rates.
"""

from __future__ import annotations

import pytest

from tests.cases.folders import catalogue, chosen, clash, conflicts, explained, least, solved

CHIP = """\
- id: case-tpu
  vendor: Case
  class: card
  form: m2-card
  units: [{id: npu, precisions: [int8]}]
  links: [{id: pcie, kind: pcie, generation: '2', lanes: 1, gbs: 0.5}]
  runtimes: [{id: case-usb, link: usb-2}, {id: case-pcie, link: pcie}]
"""
BOARDS = """\
- {id: case-mini, vendor: Case, chip: case-tpu, form: sbc, host: {cpu_cores: 4},
   links: [{id: usb-2, kind: usb, generation: '2.0', gbs: 0.06}]}
- {id: case-dev, vendor: Case, chip: case-tpu, form: sbc, host: {cpu_cores: 4},
   links: [{id: pcie, kind: pcie, generation: '2', lanes: 1, gbs: 0.5}]}
"""
MINI_MS, MINI_W, DEV_MS, DEV_W = 18.6, 1.5, 3.0, 4.8


@pytest.fixture(scope="module")
def solve(tmp_path_factory):
    run = {"chip": "case-tpu", "unit": "npu", "model": "case_net", "power_boundary": "system"}
    runs = [
        run | {"runtime": "case-usb", "time_ms_per_item": MINI_MS, "power_w": MINI_W},
        run | {"runtime": "case-pcie", "time_ms_per_item": DEV_MS, "power_w": DEV_W},
    ]
    models = [{"id": "case_net", "params_m": 3.5, "gmacs": 0.3, "accuracy": 71}]
    folder = catalogue(tmp_path_factory.mktemp("c08"), chips=CHIP, boards=BOARDS, models=models, runs=runs)

    def asked(*limits, objective="{maximize: accuracy}", ask=solved):
        deadline = next((limit for limit in limits if "deadline" in limit), "deadline_ms: none")
        others = ", ".join(limit for limit in limits if limit != deadline)
        rest = f"search: {{chips: [case-tpu]}}\nlimits: {{{others}}}\nobjectives: [{objective}]"
        return ask(folder, f"task: image-classification, models: [case_net], rate_hz: 1, {deadline}", rest)

    return asked


def test_the_board_follows_from_the_limit(solve):
    assert chosen(solve("deadline_ms: 5")) == ("case-tpu", "case-dev", "case_net")
    assert chosen(solve("power_w: 2")) == ("case-tpu", "case-mini", "case_net")


def test_latency_and_power_clash(solve):
    clash(solve, "deadline_ms: 5", "power_w: 2")


def test_the_explanation_names_latency_and_power(solve):
    """Each board misses one of the two, and either limit can be moved to what the other board does."""
    why = solve("deadline_ms: 5", "power_mw: 2000", ask=explained)
    assert conflicts(why) == [{"deadline_ms", "power_mw"}]
    assert least(why) == {"deadline_ms": MINI_MS, "power_mw": 1000 * DEV_W}
    assert why.data["infeasible"]["clashes"][0]["places"] == ["problem.yaml:4", "problem.yaml:6"]
    # 4.8 W are 140 % over 2 W, 18.6 ms are 272 % over 5 ms.
    assert why.data["infeasible"]["clashes"][0]["sharpness"] == pytest.approx(1.4)


@pytest.mark.parametrize(("limit", "status"), [("deadline_ms: 3", "optimal"), ("deadline_ms: 2.999", "infeasible")])
def test_the_edge_itself_is_allowed(solve, limit, status):
    assert solve(limit).status == status


def test_the_least_energy_is_on_the_board_with_more_power(solve):
    """4.8 W x 3.0 ms = 14.4 mJ against 1.5 W x 18.6 ms = 27.9 mJ."""
    result = solve(objective="{minimize: energy_mj}")
    assert chosen(result) == ("case-tpu", "case-dev", "case_net")
    assert result.data["objectives"][0]["value"] == pytest.approx(14.4)
    assert solve("energy_mj: 14.4").status == "optimal"
    assert solve("energy_mj: 27.9", "power_w: 2").status == "optimal"
    assert solve("energy_mj: 14.4", "power_w: 2").status == "infeasible"


HAILO = """\
- id: case-h8
  vendor: Case
  class: card
  form: m2-card
  units: [{id: npu, precisions: [int8]}]
  links: [{id: pcie, kind: pcie, generation: '3', lanes: 4, gbs: 3.94}]
  runtimes: [{id: case-full, link: pcie}, {id: case-x1, link: pcie-x1}]
"""
HOSTS = """\
- {id: case-host, vendor: Case, chip: raspberry-pi-5, form: sbc, host: {cpu_cores: 4}}
- {id: case-wide, vendor: Case, chip: case-h8, form: m2-card, host: {board: case-host},
   links: [{id: pcie, kind: pcie, generation: '3', lanes: 4, gbs: 3.94}]}
- {id: case-narrow, vendor: Case, chip: case-h8, form: m2-card, host: {board: case-host},
   links: [{id: pcie-x1, kind: pcie, generation: '3', lanes: 1, gbs: 0.985}]}
- {id: case-lesser, vendor: Case, chip: case-h8, form: m2-card, host: {board: case-host},
   links: [{id: pcie, kind: pcie, generation: '3', lanes: 1, gbs: 0.985}]}
"""
FULL_HZ, X1_HZ = 46, 28
GUARD = 1.09  # on a rate, whose latency is of grade E: the spread of a repeated measurement at a confidence of 0.95


def capacity_hz(measured_hz, gbs):
    """A frame's 640 x 640 x 3 bytes over three quarters of the link, then the chip, one after the other."""
    return 1000 / (3 * 0.4096 / (0.75 * gbs) + GUARD * 1000 / measured_hz)


FULL_MOST_HZ, X1_MOST_HZ = capacity_hz(FULL_HZ, 3.94), capacity_hz(X1_HZ, 0.985)  # 41.5 and 24.6


@pytest.fixture(scope="module")
def on_board(tmp_path_factory):
    """Answer on one board at a rate; rates count, so the evidence asked for is that of a rate."""
    run = {"chip": "case-h8", "unit": "npu", "model": "case_det", "quantity": "period", "boundary": "chip",
           "input_h": 640, "input_w": 640}  # fmt: skip
    runs = [
        run | {"runtime": "case-full", "time_ms_per_item": 1000 / FULL_HZ},
        run | {"runtime": "case-x1", "time_ms_per_item": 1000 / X1_HZ},
    ]
    models = [{"id": "case_det", "task": "object-detection", "dataset": "coco-2017", "metric": "map50-95",
               "input_h": 640, "input_w": 640, "params_m": 36.9, "gmacs": 52.4, "accuracy": 50}]  # fmt: skip
    folder = catalogue(tmp_path_factory.mktemp("c11"), chips=HAILO, boards=HOSTS, models=models, runs=runs)

    def asked(board, rate_hz):
        task = f"task: object-detection, models: [case_det], rate_hz: {rate_hz}, deadline_ms: none"
        rest = f"search: {{chips: [case-h8], boards: [{board}]}}\nguard: {{evidence: E}}\nlimits: {{utilization: 1}}"
        return solved(folder, task, rest)

    return asked


@pytest.mark.parametrize(
    ("board", "rate_hz", "status"),
    [
        ("case-wide", 30, "optimal"),
        ("case-wide", FULL_MOST_HZ - 0.1, "optimal"),
        ("case-wide", FULL_MOST_HZ + 0.1, "infeasible"),
        ("case-narrow", 30, "infeasible"),
        ("case-narrow", X1_MOST_HZ - 0.1, "optimal"),
        ("case-narrow", X1_MOST_HZ + 0.1, "infeasible"),
    ],
)
def test_the_rate_follows_from_the_lanes(on_board, board, rate_hz, status):
    assert on_board(board, rate_hz).status == status


@pytest.mark.parametrize("rate_hz", [1, 30])
def test_a_row_for_all_lanes_says_nothing_of_one(on_board, rate_hz):
    """The link of that name is rated at four lanes in the chip's file, and has one on this board."""
    result = on_board("case-lesser", rate_hz)
    assert result.status == "infeasible"
    assert result.data["dropped"]["chips dropped: on no board that the search takes"] == 1


def test_whichever_board_is_free_the_wide_one_is_taken(on_board):
    assert chosen(on_board("'case-*'", 30)) == ("case-h8", "case-wide", "case_det")
