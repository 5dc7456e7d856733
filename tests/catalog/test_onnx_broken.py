"""ONNX files that are damaged, lie, or mean harm: each ends in a fault that says what to do, never in a traceback."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from dse.catalog.onnxfile import reading
from dse.catalog.onnxfile.facts import Asked, read_facts
from dse.errors import CatalogError

from . import onnx_models as nets
from .onnx_models import Net, count, fault, write

# Files that are not in order.


def _small(path: Path) -> onnx.ModelProto:
    net = Net(("x", [1, 3, 8, 8]))
    return net.model(net.conv("x", 8, bn=False))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is empty"),
        (b"This is a text.\n", "is no ONNX model, or a damaged one"),
        (b"{}", "is no ONNX model, or a damaged one"),
        (b"\x00" * 100, "is no ONNX model, or a damaged one"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "only a pointer of Git LFS"),
    ],
)
def test_files_that_are_no_model(tmp_path, content, expected):
    path = tmp_path / "net.onnx"
    path.write_bytes(content)
    assert expected in fault(path)


def test_every_truncation_of_a_model_is_an_error_or_a_smaller_model(tmp_path):
    """Whatever is left of a file ends in a fault or in figures, never in a traceback."""
    content = _small(tmp_path).SerializeToString()
    path = tmp_path / "net.onnx"
    refused = 0
    for length in range(len(content)):
        path.write_bytes(content[:length])
        try:
            read_facts(path)
        except CatalogError:
            refused += 1
    assert refused > 0.9 * len(content)


def test_any_changed_byte_ends_in_a_fault_or_in_figures(tmp_path):
    content = bytearray(_small(tmp_path).SerializeToString())
    rng = np.random.default_rng(1)
    path = tmp_path / "net.onnx"
    for _ in range(400):
        broken = bytearray(content)
        broken[rng.integers(len(content))] = rng.integers(256)
        path.write_bytes(bytes(broken))
        with contextlib.suppress(CatalogError):
            read_facts(path)


def test_missing_files_and_folders(tmp_path):
    assert "no such file" in fault(tmp_path / "none.onnx")
    assert "is not a file" in fault(tmp_path)


def test_a_file_above_the_limit_is_not_read(tmp_path):
    path = tmp_path / "net.onnx"
    with path.open("wb") as stream:
        stream.truncate(3_000_000_000)  # sparse: takes no disk
    assert "has 3,000 MB, more than the 2,147 allowed (keep the weights in an external file)" in fault(path)
    write(_small(tmp_path), path)
    assert "raise --max-mb" in fault(path, Asked(max_mb=0.0001))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("../secret", "leads out of the model's folder"),
        ("data/../../secret", "leads out of the model's folder"),
        ("..\\secret", "leads out of the model's folder"),
        ("/etc/passwd", "an absolute path"),
        ("C:\\secret", "an absolute path"),
        ("\\\\server\\share", "an absolute path"),
        ("", "it does not say where"),
    ],
)
def test_data_outside_the_folder_are_refused(tmp_path, where, expected):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"\0" * 10_000)
    model = _small(folder)
    model.graph.initializer[0].CopyFrom(nets.weights_elsewhere("w0", (8, 3, 3, 3), where=where))
    assert expected in fault(write(model, folder / "net.onnx"))


def test_links_out_of_the_folder_are_refused(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"\0" * 10_000)
    (folder / "weights.bin").symlink_to(tmp_path / "secret")
    assert "a link out of the model's folder" in fault(write(_small(folder), folder / "net.onnx"))
    (folder / "weights.bin").unlink()
    (folder / "real.bin").write_bytes(b"\0" * 10_000)
    (folder / "weights.bin").symlink_to(folder / "real.bin")
    assert read_facts(folder / "net.onnx").params == 216


def test_data_that_are_too_short_or_of_another_length(tmp_path):
    path = write(_small(tmp_path), tmp_path / "net.onnx")
    (tmp_path / "weights.bin").write_bytes(b"\0" * 863)  # 8·3·3·3·4 = 864
    assert "weights.bin ends before the data of `w0`" in fault(path)
    (tmp_path / "weights.bin").write_bytes(b"\0" * 864)
    assert read_facts(path).params == 216
    model = _small(tmp_path)
    model.graph.initializer[0].external_data.add(key="length", value="12")
    assert "`w0` is declared as 8×3×3×3, 864 bytes, but has 12" in fault(write(model, path))


@pytest.mark.parametrize(("key", "value"), [("offset", "-4"), ("length", "9" * 30), ("offset", "1e3"), ("offset", "٣")])
def test_offsets_that_are_no_counts(tmp_path, key, value):
    model = _small(tmp_path)
    model.graph.initializer[0].external_data.add(key=key, value=value)
    assert "is no count of bytes" in fault(write(model, tmp_path / "net.onnx"))


def test_shapes_kept_in_another_file_are_read_from_it(tmp_path):
    """A reshape needs its numbers; weights beside them are never read."""
    (tmp_path / "weights.bin").write_bytes(np.array([1, 192], np.int64).tobytes() + b"\0" * 192 * 4 * 10)
    net = Net(("x", [1, 3, 8, 8]))
    net.stored.append(nets.weights_elsewhere("shape", (2,), TensorProto.INT64))
    facts = count(net, tmp_path, net.dense(net.op("Reshape", "x", "shape"), 192, 10))
    assert (facts.macs, facts.uncounted) == (1920, ())


def test_a_tensor_that_lies_about_its_size(tmp_path):
    model = _small(tmp_path)
    model.graph.initializer[0].CopyFrom(TensorProto(name="w0", dims=[8, 3, 3, 3], data_type=1, raw_data=b"\0" * 8))
    assert "is declared as 8×3×3×3, 864 bytes, but has 8" in fault(write(model, tmp_path / "net.onnx"))
    model.graph.initializer[0].CopyFrom(TensorProto(name="w0", dims=[8, 3, 3, 3], data_type=1, float_data=[1.0]))
    assert "is declared as 8×3×3×3, 216 numbers, but has 1" in fault(write(model, tmp_path / "net.onnx"))
    model.graph.initializer[0].CopyFrom(TensorProto(name="w0", dims=[8, 3, 3, 3], data_type=1))
    assert "is declared as 8×3×3×3 and has no data" in fault(write(model, tmp_path / "net.onnx"))
    model.graph.initializer[0].data_type = 0
    assert "has an element type nobody knows: 0" in fault(write(model, tmp_path / "net.onnx"))
    model.graph.initializer[0].dims[0] = -8
    assert "has a negative size" in fault(write(model, tmp_path / "net.onnx"))


def test_a_circle(tmp_path):
    model = _small(tmp_path)
    model.graph.node[0].input[0] = model.graph.node[1].output[0]
    assert "operators wait for each other in a circle, among them Conv" in fault(write(model, tmp_path / "net.onnx"))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda g: g.node[0].input.__setitem__(0, "nobody"), "reads `nobody`, which nothing computes"),
        (lambda g: g.node[1].output.__setitem__(0, "conv0"), "the value `conv0` is computed twice"),
        (lambda g: setattr(g.output[0], "name", "lost"), "the output `lost` is computed by nothing"),
        (lambda g: g.input[0].type.tensor_type.ClearField("shape"), "the input `x` has no shape at all"),
        (lambda g: g.ClearField("node"), "holds no operator"),
    ],
)
def test_graphs_that_do_not_hang_together(tmp_path, change, expected):
    model = _small(tmp_path)
    change(model.graph)
    assert expected in fault(write(model, tmp_path / "net.onnx"))


def test_filters_that_do_not_fit_are_named(tmp_path):
    net = Net(("x", [1, 3, 8, 8]))
    net.channels["x"] = 4
    facts = count(net, tmp_path, net.conv("x", 8, bn=False))
    assert "has an input of 1×3×8×8 and filters of 8×4×3×3 in 1 groups, which do not fit" in facts.reasons[0]


def test_shapes_nobody_can_know_are_named(tmp_path):
    """How many places are not zero is known after the run."""
    net = Net(("x", [1, 16]))
    found = net.op("Cast", net.op("Transpose", net.op("NonZero", "x")), to=1)
    facts = count(net, tmp_path, net.op("MatMul", found, net.weights(2, 8)))
    assert facts.macs == 0
    assert "MatMul" in facts.reasons[0]
    assert any("is not known before a run" in remark for remark in facts.remarks)


def test_a_net_without_products_is_refused(tmp_path):
    net = Net(("x", [1, 16]))
    assert "has no operator that multiplies" in fault(net.save(tmp_path / "net.onnx", net.op("Relu", "x")))


def test_a_newer_operator_set_than_the_package_knows(tmp_path):
    model = _small(tmp_path)
    model.opset_import[0].version = 999
    assert "is of operator set 999" in fault(write(model, tmp_path / "net.onnx"))


def test_huge_shapes_take_neither_memory_nor_time(tmp_path):
    """Declared sizes are only multiplied: 2^50 numbers of a range, 10^24 weights."""
    resource = pytest.importorskip("resource")
    net = Net(("x", [1, 10**12]))
    big = net.op("ConstantOfShape", net.numbers([2**20, 2**20, 2**20]))
    span = net.op("Range", net.numbers([0], shape=[]), net.numbers([2**50], shape=[]), net.numbers([1], shape=[]))
    spread = net.op("Expand", net.op("Cast", span, to=1), net.numbers([2**10, 2**50]))
    y = net.op("MatMul", "x", net.weights(10**12, 10**12))
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    facts = count(net, tmp_path, y, big, spread)
    assert facts.macs == facts.params == 10**24
    assert time.monotonic() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB


def test_broadcasts_of_small_constants_stay_small(tmp_path):
    """Three constants of 1,000 numbers along three axes would be 10^9 together: not computed."""
    resource = pytest.importorskip("resource")
    net = Net(("x", [1, 16]))
    flag = net.numbers([1] * 1000, TensorProto.BOOL, [1000, 1, 1])
    one, other = (net.numbers(range(1000), shape=shape) for shape in ([1, 1000, 1], [1, 1, 1000]))
    cube = net.op("ReduceMax", net.op("Where", flag, one, other), keepdims=0)
    y = net.op("MatMul", net.op("Add", "x", net.op("Cast", cube, to=1)), net.weights(16, 4))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert count(net, tmp_path, y, net.op("NonZero", "x")).macs == 64
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB


def test_weights_are_dropped_before_anything_else_happens(tmp_path):
    net = Net(("x", [1, 3, 8, 8]))
    w = net.numbers([0.5] * 4096, TensorProto.FLOAT, [4096])
    y = net.op("Mul", net.conv("x", 8, bn=False), net.op("ReduceMax", w, keepdims=0))
    file = reading.read_model(net.save(tmp_path / "net.onnx", y))
    assert len(file.model.SerializeToString()) < 2_000
