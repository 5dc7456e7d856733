"""C05: a detector that the whole memory of a microcontroller would hold, and its largest region does not.

STMicroelectronics/stm32ai-modelzoo issue 23, sizes as the tool printed them: RAM 509.41015625 KiB, weights
595.66015625 KiB, 345.86 ms; the linker found region AXIRAM (512 KiB) 214,912 bytes too small.
"""

from __future__ import annotations

import pytest

from tests.cases.folders import catalogue, chosen, conflicts, explained, solved

CHIP = """\
- id: case-h7
  vendor: Case
  class: mcu
  form: mcu
  cpu_cores: 1
  units: [{{id: mcu, precisions: [int8]}}]
  memory: {{regions: [{{id: axi, kind: sram, kib: 512}}, {{id: sram1, kind: sram, kib: 128}},
           {{id: sram2, kind: sram, kib: 128}}, {{id: dtcm, kind: tcm, kib: 128}}{more}]}}
"""
FLASH = ", {id: flash, kind: flash, kib: 2048}"
BOARDS = """\
- {id: case-bare, vendor: Case, chip: case-h7, form: devkit, host: {cpu_cores: 1}}
- {id: case-disco, vendor: Case, chip: case-h7, form: devkit, host: {cpu_cores: 1}, memory_gb: 0.032}
"""
RAM_BYTES, WEIGHT_BYTES = 521_636, 609_956  # 509.41015625 and 595.66015625 KiB
REGION_BYTES = 512 * 1024
OVER_BYTES = 214_912
REST_BYTES = REGION_BYTES + OVER_BYTES - RAM_BYTES  # what else the linker put there: 217,564 B
DETECTOR = {"task": "object-detection", "dataset": "case-set", "metric": "map50"}
RUN = {"chip": "case-h7", "unit": "mcu", "runtime": "case-cube", "boundary": "chip"}


def sized(name, side, *, ram_bytes=None, weight_bytes=WEIGHT_BYTES, activations_m="", ms=345.86, points=50):
    """One network with its run; the RAM is measured unless left out."""
    size = {"input_h": side, "input_w": side}
    model = {**DETECTOR, **size, "id": name, "params_m": weight_bytes / 1e6, "gmacs": 0.0727, "accuracy": points}
    ram = "" if ram_bytes is None else ram_bytes / 1e6
    run = {**RUN, **size, "model": name, "time_ms_per_item": ms, "memory_mb": ram}
    return model | {"activations_m": activations_m}, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    sizes = [
        sized("case_240", 240, ram_bytes=RAM_BYTES),
        sized("case_176", 176, ram_bytes=RAM_BYTES - OVER_BYTES, ms=190, points=45),
        sized("case_177", 177, ram_bytes=RAM_BYTES - OVER_BYTES + 1, ms=190, points=46),
        sized("case_heavy", 96, ram_bytes=100_000, weight_bytes=2048 * 1024 + 1, points=40),
        sized("case_light", 96, ram_bytes=100_000, weight_bytes=2048 * 1024, points=40),
        sized("case_guess", 112, activations_m=4 * (REGION_BYTES + 1000) / 1e6, points=40),
        sized("case_silent", 128, points=40),
    ]
    models, runs = zip(*sizes, strict=True)
    root = tmp_path_factory.mktemp("c05")
    return catalogue(root, chips=CHIP.format(more=FLASH), models=models, runs=runs, boards=BOARDS)


def solve(folder, models, boards="exclude: ['*']", reserve_bytes=0, limits=("deadline_ms: 400",), ask=solved):
    task = f"task: object-detection, dataset: case-set, metric: map50, rate_hz: 1, models: [{models}]"
    rest = f"search: {{chips: [case-h7], boards: {{{boards}}}}}\nreserve: {{memory_mb: {reserve_bytes / 1e6}}}"
    return ask(folder, f"{task}, {', '.join(limits)}", rest)


def test_too_small_a_region_is_refused_by_name_and_by_bytes(folder):
    """With what shares the region: 896 KiB of RAM in all would hold 739,200 B, the largest region does not."""
    result = solve(folder, "case_240", reserve_bytes=REST_BYTES)
    assert result.status == "infeasible"
    assert result.data["killed_by"] == {"one memory region": {"candidates": 1, "alone": 1}}
    (misfit,) = result.data["misfits"]
    assert misfit["over_bytes"] == OVER_BYTES
    assert (misfit["content"], misfit["region"]) == ("working memory", "axi")
    assert (misfit["region_bytes"], misfit["needed_bytes"]) == (REGION_BYTES, REGION_BYTES + OVER_BYTES)


def test_the_explanation_says_how_much_larger_the_region_would_have_to_be(folder):
    why = solve(folder, "case_240", reserve_bytes=REST_BYTES, ask=explained)
    assert conflicts(why) == [{"one memory region"}]
    (relaxed,) = why.data["infeasible"]["relaxations"]
    assert relaxed["to"] == -OVER_BYTES / 1e6
    assert relaxed["text"] == "one memory region: 214,912 B more in the tightest region"
    (limit,) = why.data["infeasible"]["limits"]
    assert (limit["kind"], limit["line"]) == ("always checked", None)


def test_the_terminal_says_what_is_over(folder, capsys):
    from rich.console import Console

    from dse.report.text import show_answer

    show_answer(solve(folder, "case_240", reserve_bytes=REST_BYTES).data, Console(width=200))
    assert "does not fit one memory region: case_240 on case-h7" in capsys.readouterr().out


def test_external_memory_of_a_board_makes_it_feasible(folder):
    """32 MB of SDRAM on the one board, none on the other."""
    boards = "include: ['case-*']"
    result = solve(folder, "case_240", boards=boards, reserve_bytes=REST_BYTES)
    assert chosen(result) == ("case-h7", "case-disco", "case_240")


def test_a_larger_region_of_the_chip_makes_it_feasible(tmp_path):
    model, run = sized("case_240", 240, ram_bytes=RAM_BYTES)
    chip = CHIP.format(more=FLASH + ", {id: sdram, kind: dram, kib: 32768}")
    root = catalogue(tmp_path, chips=chip, models=[model], runs=[run])
    assert chosen(solve(root, "case_240", reserve_bytes=REST_BYTES)) == ("case-h7", "case_240")


def test_a_smaller_input_fits_to_the_byte(folder):
    """The edge itself is allowed, one byte more is not."""
    assert chosen(solve(folder, "case_240, case_176, case_177", reserve_bytes=REST_BYTES)) == ("case-h7", "case_176")
    assert solve(folder, "case_177", reserve_bytes=REST_BYTES).data["misfits"][0]["over_bytes"] == 1


def test_weights_must_lie_in_one_region_too(folder):
    """Here the estimate of the weights decides: parameters x one byte."""
    (misfit,) = solve(folder, "case_heavy").data["misfits"]
    assert (misfit["content"], misfit["region"], misfit["over_bytes"]) == ("weights", "flash", 1)
    assert chosen(solve(folder, "case_light")) == ("case-h7", "case_light")


def test_without_a_measured_figure_the_estimate_of_the_activations_decides(folder):
    """A quarter of all activations is alive at once: 1,000 B more than the region."""
    assert solve(folder, "case_guess").data["misfits"][0]["over_bytes"] == 1000


def test_an_unknown_size_is_flagged_and_not_refused(folder):
    result = solve(folder, "case_silent")
    assert chosen(result) == ("case-h7", "case_silent")
    assert any("memory regions of case-h7 is not known" in line for line in result.data["assumptions"])


def test_the_region_clashes_with_nothing_but_the_larger_network(folder):
    """Both networks at once: accuracy asks for the large one, its deadline is no trouble."""
    run = {"models": "case_240, case_176", "reserve_bytes": REST_BYTES}
    assert solve(folder, limits=("deadline_ms: 400", "min_accuracy: 50"), **run).status == "infeasible"
    assert solve(folder, limits=("deadline_ms: 400", "min_accuracy: 45"), **run).status == "optimal"
