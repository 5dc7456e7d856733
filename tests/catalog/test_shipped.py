"""The catalogues that come with dse: they load, their figures are those of their sources, and every figure says where
it was read."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dse.catalog.figures import board_figures, chip_figures
from dse.catalog.paths import shipped_root
from dse.catalog.read import read_catalog


@pytest.fixture(scope="module")
def catalog():
    """Read from the files, not from the compiled arrays: this is where faults would show."""
    return read_catalog((shipped_root(),))


def times(catalog, **wanted):
    """Times [ms] of the measurements that fit."""
    m = catalog.measurements
    fits = np.ones(len(m.chip), dtype=bool)
    for name, value in wanted.items():
        fits &= (catalog.nets.id[m.net] if name == "model" else getattr(m, name)) == value
    return sorted(m.time_ms[fits].tolist())


def test_every_shipped_catalogue_loads(catalog):
    assert len(catalog.chips) >= 140
    assert catalog.counts["measured_rows"] >= 23_000
    assert len(catalog.measurements.chip) >= 15_000


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        # airockchip/rknn_model_zoo README.md: 48.4 fps on one core of the NPU
        ({"chip": "rk3588", "model": "yolov5s", "precision": "int8", "unit": "npu", "cores": 1}, [1000 / 48.4]),
        # NVIDIA-AI-IOT/torch2trt README.md, Jetson Nano, fp16: 12.4 fps with PyTorch, 34.2 fps with TensorRT
        ({"chip": "jetson-nano", "model": "resnet50", "runtime": "torch2trt-pytorch"}, [1000 / 12.4]),
        ({"chip": "jetson-nano", "model": "resnet50", "runtime": "torch2trt-tensorrt-torch2trt"}, [1000 / 34.2]),
        # larq/compute-engine README.md: QuickNet on a Raspberry Pi 4B, one thread 45.0 ms, four 20.8 ms
        ({"chip": "raspberry-pi-4", "model": "quicknet", "precision": "binary"}, [20.8, 45.0]),
        # coral.ai/docs/edgetpu/benchmarks: MobileNet v2 on the Dev Board 2.6 ms
        ({"chip": "edge-tpu", "model": "mobilenet_v2", "runtime": "edgetpu", "statistic": "mean"}, [2.56, 2.6]),
    ],
)
def test_published_times(catalog, wanted, expected):
    assert times(catalog, **wanted) == pytest.approx(expected, rel=1e-5)


def test_the_runtime_is_part_of_the_key(catalog):
    """80.6 ms and 29.2 ms are one network on one board: both stand, under their own runtimes."""
    m = catalog.measurements
    fits = (m.chip == "jetson-nano") & (catalog.nets.id[m.net] == "resnet50") & (m.precision == "fp16")
    assert dict(zip(m.runtime[fits], np.round(m.time_ms[fits], 1), strict=True)) == {
        "torch2trt-pytorch": 80.6,
        "torch2trt-tensorrt-torch2trt": 29.2,
    }


def test_frames_per_second_of_a_pipelined_device_are_periods(catalog):
    """Hailo prints rates of a device that overlaps frames: none of them is a latency."""
    m = catalog.measurements
    assert set(m.quantity[m.chip == "hailo-8"]) == {"period"}
    assert (m.chip == "hailo-8").sum() > 100


@pytest.mark.parametrize(
    ("model", "side", "gmacs", "params_m", "tolerance"),
    [
        ("resnet50", 224, 4.09, 25.6, 0.005),  # torchvision: 4.09 GFLOPs (multiply-adds), 25.6 M
        ("mobilenet_v2", 224, 0.301, 3.5, 0.005),  # torchvision: 0.30, 3.5 M
        ("mobilenet_v1", 224, 0.569, 4.23, 0.03),  # Howard et al. 2017: 569 M, 4.2 M
        ("yolov8n", 640, 8.7 / 2, 3.2, 0.005),  # ultralytics: 8.7 GFLOPs, two to a MAC
        ("yolov5s", 640, 16.5 / 2, 7.2, 0.005),  # ultralytics/yolov5: 16.5 GFLOPs
    ],
)
def test_work_of_well_known_networks(catalog, model, side, gmacs, params_m, tolerance):
    nets = catalog.nets
    net = np.flatnonzero((nets.id == model) & (nets.input_h == side))
    assert nets.gmacs[net] == pytest.approx([gmacs], rel=tolerance)
    assert nets.params_m[net] == pytest.approx([params_m], rel=0.02)


def test_binary_work_is_apart(catalog):
    """Of Bi-Real Net 18's 1.81 GMACs, 1.68 are binary: all but the first layer, the shortcuts and the last."""
    net = int(np.flatnonzero(catalog.nets.id == "birealnet18")[0])
    assert catalog.nets.binary_gmacs[net] == pytest.approx(1.676, rel=0.001)
    assert catalog.nets.gmacs[net] == pytest.approx(1.814, rel=0.001)


def ids_with_accuracy(catalog):
    entries = np.unique(catalog.accuracies.entry)
    return catalog.nets.id[catalog.entries.net[entries]], catalog.entries.task[entries]


def test_enough_to_choose_from(catalog):
    _ids, task = ids_with_accuracy(catalog)
    assert (task == "image-classification").sum() >= 250
    assert (task == "object-detection").sum() >= 60
    assert {"keyword-spotting", "visual-wake-words", "face-recognition", "face-detection"} <= set(task)


@pytest.mark.parametrize(
    "pattern",
    [
        *(rf"mobilenet_v{k}" for k in (1, 2, 3, 4)), "squeezenet", "shufflenet_v2", r"resnet\d+", "efficientnet_b0",
        "quicknet", "birealnet", "yolov3", "yolov4", "yolov5[nsmlx]", r"yolov6", "yolov7", "yolov8[nsmlx]", "yolov9",
        "yolov10", "yolo11", "yolo12", "yolov13", "yolo26",
    ],
)  # fmt: skip
def test_families_are_there_with_accuracy(catalog, pattern):
    ids, _task = ids_with_accuracy(catalog)
    assert any(re.match(pattern, name) for name in ids)


def test_every_figure_of_chips_and_boards_has_a_source(catalog):
    """A place where it was read, how it was derived, or the word *recalled*, each with a date."""
    figures = [figure for chip in catalog.chips.values() for figure in chip_figures(chip)]
    figures += [figure for board in catalog.boards.values() for figure in board_figures(board)]
    assert len(figures) > 3_000
    assert [figure for figure in figures if figure.source is None] == []
    dated = [figure.evidence for figure in figures if not figure.path.startswith("modes.")]
    assert all(evidence is not None and evidence.date for evidence in dated)
    assert {evidence.confidence for evidence in dated} == {"read", "derived", "recalled"}


def test_a_cpu_does_not_borrow_the_source_of_the_npu(catalog):
    """The peak a vendor prints is that of its NPU; the CPU's is another figure with its own source."""
    source = {figure.path: figure.source for figure in chip_figures(catalog.chips["rk3588"])}
    assert source["npu.peak_tops.int8"].startswith("read 2026-11")
    assert source["cpu.peak_tops.int8"].startswith("derived 2026-11")


def test_every_row_has_a_source(catalog):
    assert all(catalog.measurements.source)
    assert all(catalog.accuracies.source)
    assert all(tail.source for tail in catalog.tails.values())


def test_units_and_modes_of_the_measurements_exist(catalog):
    """What is measured can be chosen: every row's unit and mode is one of its chip's."""
    m = catalog.measurements
    for chip, unit, mode in set(zip(m.chip, m.unit, m.mode, strict=True)):
        assert catalog.chips[chip].unit(unit) is not None
        assert not mode or catalog.chips[chip].mode(mode) is not None


def test_percent_metrics_are_percent(catalog):
    from dse.catalog.metrics import PERCENT

    metric = catalog.entries.metric[catalog.accuracies.entry]
    percent = catalog.accuracies.accuracy[np.isin(metric.astype(str), sorted(PERCENT))]
    assert percent.min() > 1
    assert percent.max() <= 100


def test_the_manual_shows_every_column():
    """catalogs/README.md lists the columns with their meaning, word for word as they are declared."""
    from dse.catalog.columns import SHEETS

    text = (shipped_root() / "README.md").read_text(encoding="utf-8")
    for sheet in SHEETS:
        for column in sheet.columns:
            assert f"| `{column.name}` | {column.meaning} |" in text, f"{sheet.name}: {column.name}"


def test_a_run_that_failed_is_kept_and_never_used(catalog):
    """VGG-16 in 0.56 ms on the Mali GPU of an RK3588: shaders that failed, 55 TOPS. Its sound twin takes 65 ms."""
    m, nets = catalog.measurements, catalog.nets
    of_gpu = (m.chip == "rk3588") & (m.runtime == "ncnn-vulkan")
    vgg16 = of_gpu & (nets.id[m.net] == "vgg16")
    assert m.time_ms[vgg16].tolist() == [65.04]
    rows = (shipped_root() / "measurements" / "gpu-ncnn.csv").read_text(encoding="utf-8")
    assert rows.count("a run whose shaders failed") == 23


def test_behind_usb_2_and_usb_3_are_two_runtimes(catalog):
    """MobileNet v2 on the Edge TPU: the link, not the chip, is most of the time."""
    m, nets = catalog.measurements, catalog.nets
    of_net = (m.chip == "edge-tpu") & (nets.id[m.net] == "mobilenet_v2") & (nets.input_h[m.net] == 224)
    times = {link: m.time_ms[of_net & (m.runtime == f"edgetpu-{link}")] for link in ("usb2", "usb3")}
    assert times["usb2"].min() > 2 * times["usb3"].min()
    links = {runtime.id: runtime.link for runtime in catalog.chips["edge-tpu"].runtimes}
    assert (links["edgetpu-usb2"], links["edgetpu-usb3"], links["edgetpu"]) == ("usb-2", "usb-3", "pcie")
