"""From people's words to a place: names of chips, boards and devices, what is left out, what sources decorate."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dse.catalog.types import Unit
from dse.estimate.places import Asked, Places
from tests.estimate import tiny

ROW = {"chip": "alpha", "net": 0, "time_ms": 1.0}


def catalogue(*changes, units=()):
    """Rows of one chip, each with its changes; `units` are (chip, kinds of its units)."""
    rows = [ROW | change for change in changes]
    catalog = tiny.catalog(tiny.nets([1.0, 2.0, 4.0, 8.0]), rows)
    chips = dict(catalog.chips)
    for chip, kinds in units:
        own = tuple(Unit(kind, kind, 1, {}, None, None, ("int8",), "soc-npu") for kind in kinds)
        chips[chip] = dataclasses.replace(next(iter(catalog.chips.values())), id=chip, name=chip, units=own)
    return dataclasses.replace(catalog, chips=chips)


def found(catalog, **asked):
    return Places(catalog).find(Asked(**{"chip": "alpha", "precision": "int8"} | asked))


@pytest.fixture(scope="module")
def shipped(knowledge):
    return Places(knowledge.catalog)


@pytest.mark.parametrize(
    ("word", "unit", "device", "chip"),
    [
        ("rk3588", "npu", "rk3588", "rk3588"),
        ("RK3588", "", "rk3588", "rk3588"),
        (" Raspberry_Pi_4 ", "cpu", "bcm2711-cortex-a72-cpu", "raspberry-pi-4"),
        ("bcm2711-cortex-a72-cpu", "", "bcm2711-cortex-a72-cpu", "raspberry-pi-4"),
        ("mali-g610-mp4", "", "mali-g610-mp4", "rk3588"),
        ("rk3588", "gpu", "mali-g610-mp4", "rk3588"),
        ("jetson-nano-devkit", "gpu", "jetson-nano", "jetson-nano"),
        ("rk3588-npu", "npu", "rk3588", "rk3588"),
        ("hailo-8-m2-module", "", "hailo-8", "hailo-8"),
        ("zcu104-dpu", "npu", "zynq-zu7ev", "zynq-zu7ev"),
    ],
)
def test_words_for_a_shipped_device(shipped, word, unit, device, chip):
    place = shipped.find(Asked(chip=word, unit=unit, precision="fp16" if "nano" in word else "int8"))
    assert (place.refusal, place.device, place.chip) == ("", device, chip)


def test_every_device_that_was_measured_is_found_by_its_word(knowledge, shipped):
    """And in its unit, with its precision and runtime, it is that very device."""
    t = knowledge.catalog.trials
    keys = sorted(set(zip(t.device, t.unit, t.precision, t.runtime, t.mode, t.cores.tolist(), strict=True)))
    assert len(keys) > 500
    for device, unit, precision, runtime, mode, cores in keys:
        place = shipped.find(
            Asked(chip=device, unit=unit, precision=precision, runtime=runtime, mode=mode, cores=cores)
        )
        assert (place.refusal, place.device, place.unit, place.runtime) == ("", device, unit, runtime), device
        assert (mode, cores or place.cores) == (place.mode or mode, place.cores), device


def test_every_chip_and_board_of_the_catalogue_is_found(knowledge, shipped):
    for chip in knowledge.catalog.chips.values():
        for unit in chip.units:
            for precision in unit.precisions:
                if "binary" not in precision:
                    place = shipped.find(Asked(chip=chip.id, unit=unit.kind, precision=precision))
                    assert (place.refusal, place.unit, place.chip) == ("", unit.kind, chip.id), chip.id
    for board in knowledge.catalog.boards.values():
        if board.id not in knowledge.catalog.chips:
            executed = knowledge.catalog.chips[board.chip].units[0].precisions
            place = shipped.find(Asked(chip=board.id, precision=executed[0] if executed else "int8"))
            assert (place.refusal, place.chip) == ("", board.chip), board.id


def test_the_longest_name_that_begins_a_decorated_one():
    catalog = catalogue({}, {"chip": "alpha-2", "device": "alpha-2"})
    assert found(catalog, chip="alpha-2-evaluation-board").chip == "alpha-2"
    assert found(catalog, chip="alpha-3-evaluation-board").chip == "alpha"
    assert found(catalog, chip="alpha2").refusal.startswith("no chip or device is called `alpha2`: did you mean `alpha")


def test_the_device_says_more_than_the_chip():
    """Of two cards with one chip the commoner stands for it; a device nobody measured is not in the way."""
    card = {"device": "card-b", "vendor": "w"}
    catalog = catalogue({"device": "card-a"}, card, card | {"net": 1})
    assert found(catalog).device == "card-b"
    assert found(catalog, device="Card_A").device == "card-a"
    assert found(catalog, device="mine").device == "card-b"
    assert found(catalog, device="card-a", chip="nothing").device == "card-a"
    assert found(catalog, chip="nothing", device="mine").refusal.startswith("no chip or device is called `nothing`")


def test_a_device_of_two_vendors_is_the_same_in_every_run(knowledge):
    """Sets of words have another order in every process."""
    catalog = catalogue({"device": "d", "vendor": "b"}, {"device": "d", "vendor": "a", "net": 1})
    assert found(catalog, chip="d").vendor == "b"


@pytest.mark.parametrize(
    ("kinds", "asked", "unit"),
    [
        (("cpu", "gpu", "npu"), "", "npu"),
        (("cpu", "gpu"), "", "gpu"),
        (("cpu",), "", "cpu"),
        (("npu", "cpu"), "gpu", "npu"),  # some sources call every accelerator a GPU
        (("fpga", "cpu"), "npu", "fpga"),  # an overlay
        (("fpga",), "mcu", "fpga"),  # a soft core
        (("cpu",), "mcu", "cpu"),
        (("npu", "cpu"), "mcu", None),
        (("npu", "mcu"), "cpu", "mcu"),
        (("gpu", "cpu"), "npu", None),
        (("npu", "gpu", "cpu"), "dla", None),
        (("npu",), "cpu", None),
        (("npu", "fpga"), "gpu", None),  # which of the two?
        (("cpu",), "npu", None),
        (("npu",), "tpu", None),
    ],
)
def test_units(kinds, asked, unit):
    catalog = catalogue({"chip": "other"}, units=[("alpha", kinds)])
    place = found(catalog, unit=asked)
    if unit is None:
        assert place.refusal == f"alpha has no {asked}: {', '.join(sorted(kinds))}"
    else:
        assert (place.refusal, place.unit) == ("", unit)


def test_the_unit_that_is_left_out_executes_the_precision():
    catalog = catalogue({"chip": "other"}, units=[("alpha", ("npu", "cpu"))])
    npu, cpu = catalog.chips["alpha"].units
    units = (npu, dataclasses.replace(cpu, precisions=("fp32",)))
    catalog.chips["alpha"] = dataclasses.replace(catalog.chips["alpha"], units=units)
    assert found(catalog, precision="int8").unit == "npu"
    assert found(catalog, precision="fp32").unit == "cpu"
    assert found(catalog, precision="fp32", unit="npu").refusal == "the npu of alpha executes int8, not fp32"
    assert found(catalog, precision="fp16").refusal == "the npu of alpha executes int8, not fp16"
    # What was measured is executed, whatever the catalogue says; `float` and mixtures leave it open.
    measured = catalogue({"precision": "fp16"}, units=[("alpha", ("npu",))])
    for precision in ("fp16", "float", "mixed-int8-int16"):
        assert found(measured, precision=precision).refusal == "", precision


def test_binarized_networks_need_a_runtime_with_kernels():
    catalog = catalogue({"precision": "binary", "runtime": "larq", "unit": "cpu"}, {"chip": "beta", "unit": "cpu"})
    assert found(catalog, chip="beta", unit="cpu", precision="binary", runtime="larq").refusal == ""
    refused = found(catalog, chip="beta", unit="cpu", precision="binary").refusal
    assert refused == "binary networks run only where a runtime has kernels for them: larq"


def test_the_runtime_that_is_left_out():
    """The commonest that executes the precision, or else the commonest of all."""
    common = [{"runtime": "common", "net": net} for net in range(3)]
    catalog = catalogue(*common, {"runtime": "half", "precision": "fp16"}, {"runtime": "half", "net": 1})
    assert found(catalog).runtime == "common"
    assert found(catalog, precision="fp16").runtime == "half"
    assert (
        found(catalog, precision="int16", unit="npu").refusal or found(catalog, precision="int16").runtime == "common"
    )
    assert found(catalog, runtime="new").runtime == "new"
    assert found(catalog, chip="alpha", unit="cpu").runtime == ""


@pytest.mark.parametrize(
    ("board", "runtime"),
    [("Dev board, USB 3.0", "edge-usb3"), ("USB2 hub", "edge-usb2"), ("USB 4", "edge-usb2"), ("", "edge-usb2")],
)
def test_runtimes_behind_usb(board, runtime):
    """The board's name tells the link; where it does not, the commonest variant stands."""
    rows = [{"runtime": "edge-usb2"}, {"runtime": "edge-usb2", "net": 1}, {"runtime": "edge-usb3"}]
    assert found(catalogue(*rows), runtime="edge-usb", board=board).runtime == runtime
    assert found(catalogue(*rows), runtime="edge-usb3", board="USB 2").runtime == "edge-usb3"
    assert found(catalogue(*rows), runtime="edge", board=board).runtime == "edge"


@pytest.mark.parametrize(
    ("asked", "mode"),
    [
        ("", "MAXN"),  # the commonest
        ("MAXN", "MAXN"),
        ("nvpmodel 0 (MAX-N)", "MAXN"),
        ("MAXN with jetson_clocks recommended on the page", "MAXN"),
        ("15W 6CORE, jetson_clocks", "MODE_15W_6CORE"),
        ("mode_15w", "MODE_15W_6CORE"),
        ("maxq", "MaxQ (MLPerf)"),
        ("5W", "5W"),
        ("115W", "115W"),
        ("25W", "25W"),
        ("65W mode", "65W mode"),
        ("overclocked", "overclocked"),
        ("mode", "mode"),
        ("(!)", "(!)"),
    ],
)
def test_modes(asked, mode):
    """Sources decorate the words of a mode; 5W is no part of 15W, and what nobody measured stays as it was said."""
    modes = ["MAXN", "MAXN", "MODE_15W_6CORE", "MaxQ (MLPerf)", "5W"]
    catalog = catalogue(*({"mode": mode, "net": net % 4} for net, mode in enumerate(modes)))
    assert found(catalog, mode=asked).mode == mode


def test_measurements_that_state_no_mode_answer_where_none_is_asked():
    catalog = catalogue({"mode": "MAXN"}, {"mode": "MAXN", "net": 1}, {"mode": ""})
    assert found(catalog).mode == ""


def test_the_first_word_of_a_mode():
    catalog = catalogue({"mode": "MAXN_SUPER"}, {"mode": "15W"})
    assert found(catalog, mode="MAXN with jetson_clocks").mode == "MAXN_SUPER"


def test_cores_that_are_left_out_are_those_of_most_measurements():
    rows = [{"cores": 1}, {"cores": 1, "net": 1}, {"cores": 3}, {"cores": 3, "net": 1, "runtime": "r3"}]
    assert found(catalogue(*rows)).cores == 1
    assert found(catalogue(*rows), cores=3).cores == 3
    assert found(catalogue(*rows), runtime="r3").cores == 3
    assert found(catalogue(*rows), runtime="nobody's").cores == 0
    # Measurements that state none answer where none is asked.
    assert found(catalogue(*rows, {"cores": 0})).cores == 0


def test_conditions_are_places_in_columns(knowledge, shipped):
    places = [shipped.find(Asked(chip=chip, precision="int8", batch=4)) for chip in ("rk3588", "hailo-8", "nosuch")]
    conditions = shipped.conditions(places)
    assert conditions.device.tolist() == ["rk3588", "hailo-8", ""]
    assert conditions.batch.tolist() == [4, 4, 4]
    assert conditions.peak_tops[1] > conditions.peak_tops[0] > 0
    assert np.isnan(conditions.peak_tops[2])
