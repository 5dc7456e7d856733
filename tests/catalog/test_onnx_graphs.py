"""ONNX files that branch, loop, call functions, compute their shapes or leave axes free: what is counted of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import TensorProto, helper

from dse.catalog.onnxfile.facts import Asked, read_facts

from . import onnx_models as nets
from .onnx_models import Net, count, fault, write

# Control flow and functions.


def _body(name: str, *nodes, inputs=(), outputs=(), stored=()):
    ends = [helper.make_tensor_value_info(out, kind, None) for out, kind in outputs]
    return helper.make_graph(list(nodes), name, list(inputs), ends, list(stored))


def _branches(net: Net, condition: str):
    """Two branches that use the same names for different things: 16·32 or 16·64 products and back."""
    return net.op(
        "If", condition,
        **{
            f"{name}_branch": _body(
                name, helper.make_node("MatMul", ["x", "w"], ["t"]), helper.make_node("MatMul", ["t", "v"], ["out"]),
                outputs=[("out", TensorProto.FLOAT)],
                stored=[nets.weights_elsewhere("w", (16, wide)), nets.weights_elsewhere("v", (wide, 16))],
            )
            for name, wide in (("then", 32), ("else", 64))
        },
    )  # fmt: skip


def test_of_two_branches_the_costlier_counts(tmp_path):
    net = Net(("x", [1, 16]))
    net.inputs.append(helper.make_tensor_value_info("flag", TensorProto.BOOL, []))
    facts = count(net, tmp_path, _branches(net, "flag"))
    assert facts.macs == 2 * 16 * 64
    assert facts.params == 2 * 16 * (32 + 64)  # both must be stored
    assert "control-flow" in facts.words
    assert any("the branch with the most work is counted" in remark for remark in facts.remarks)


@pytest.mark.parametrize(("limit", "wide"), [(10, 32), (100, 64)])
def test_a_branch_that_is_decided_is_no_branch(tmp_path, limit, wide):
    """The condition hangs on a size: 16 is above 10, so the first branch runs, and not above 100: the second."""
    net = Net(("x", ["batch", 16]))
    size = net.op("Gather", net.op("Shape", "x"), net.numbers([1], shape=[]))
    facts = count(net, tmp_path, _branches(net, net.op("Greater", size, net.numbers([limit], shape=[]))))
    assert (facts.macs, facts.params) == (2 * 16 * wide, 2 * 16 * wide)
    assert facts.uncounted == ()
    assert "control-flow" not in facts.words


def _loop(net: Net, trips: str):
    body = _body(
        "body", helper.make_node("MatMul", ["fixed", "w"], ["out"]), helper.make_node("Identity", ["go"], ["again"]),
        inputs=[helper.make_tensor_value_info("i", TensorProto.INT64, []),
                helper.make_tensor_value_info("go", TensorProto.BOOL, [])],
        outputs=[("again", TensorProto.BOOL), ("out", TensorProto.FLOAT)],
        stored=[nets.weights_elsewhere("w", (16, 16))],
    )  # fmt: skip
    net.nodes.append(helper.make_node("Identity", ["x"], ["fixed"]))
    return net.op("Loop", trips, "", body=body)


def test_a_loop_of_known_length_counts_each_time(tmp_path):
    net = Net(("x", [1, 16]))
    facts = count(net, tmp_path, _loop(net, net.numbers([7], shape=[])))
    assert facts.macs == 7 * 256
    assert facts.uncounted == ()
    assert any("its body is counted 7 times" in remark for remark in facts.remarks)


def test_a_loop_of_unknown_length_is_named(tmp_path):
    net = Net(("x", [1, 16]))
    net.inputs.append(helper.make_tensor_value_info("n", TensorProto.INT64, []))
    facts = count(net, tmp_path, _loop(net, "n"))
    assert facts.macs == 256
    assert "the body is counted once" in facts.reasons[0]


def test_a_scan_runs_once_per_element(tmp_path):
    body = _body(
        "body", helper.make_node("MatMul", ["row", "w"], ["out"]),
        inputs=[helper.make_tensor_value_info("row", TensorProto.FLOAT, [1, 16])],
        outputs=[("out", TensorProto.FLOAT)], stored=[nets.weights_elsewhere("w", (16, 16))],
    )  # fmt: skip
    net = Net(("x", [9, 1, 16]))
    facts = count(net, tmp_path, net.op("Scan", "x", body=body, num_scan_inputs=1))
    assert facts.macs == 9 * 256


def _with_function(path: Path, *nodes, calls: str = "twice") -> Path:
    model = Net(("x", [1, 16])).model(opset=17, domains=["mine"])
    model.graph.node.append(helper.make_node(calls, ["x", "w"], ["y"], domain="mine"))
    model.graph.initializer.append(nets.weights_elsewhere("w", (16, 16)))
    model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, None))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]
    for name, inside in nodes:
        model.functions.append(helper.make_function("mine", name, ["a", "b"], ["c"], inside, opsets))
    return write(model, path / "net.onnx")


def test_functions_are_written_out(tmp_path):
    inside = [helper.make_node("MatMul", ["a", "b"], ["t"]), helper.make_node("MatMul", ["t", "b"], ["c"])]
    facts = read_facts(_with_function(tmp_path, ("twice", inside)))
    assert (facts.macs, facts.params, facts.uncounted) == (512, 256, ())


def test_a_function_that_calls_itself(tmp_path):
    path = _with_function(tmp_path, ("twice", [helper.make_node("twice", ["a", "b"], ["c"], domain="mine")]))
    assert "the function `twice` calls itself" in fault(path)


def test_functions_that_explode(tmp_path):
    """Each of 40 calls the next one twice: 2^40 operators, refused before any is written out."""
    levels = [
        (f"f{k}", [helper.make_node(f"f{k + 1}", ["a", "b"], ["t"], domain="mine"),
                   helper.make_node(f"f{k + 1}", ["t", "b"], ["c"], domain="mine")])
        for k in range(40)
    ]  # fmt: skip
    path = _with_function(tmp_path, *levels, ("f40", [helper.make_node("MatMul", ["a", "b"], ["c"])]), calls="f0")
    assert "its functions written out are 1,099,511,627,776 operators" in fault(path)


# Shapes.


def test_shapes_that_are_computed(tmp_path):
    """Exporters compute a reshape from the input's size: here half the rows, by way of a division."""
    net = Net(("x", ["batch", 8, "rows", 6]))
    rows = net.op("Gather", net.op("Shape", "x"), net.numbers([2]))
    half = net.op("Div", rows, net.numbers([2]))
    wide = net.op("Mul", net.op("Cast", net.op("Floor", net.op("Cast", half, to=1)), to=7), net.numbers([1]))
    shape = net.op("Concat", net.numbers([1, 16]), wide, net.numbers([6]), axis=0)
    y = net.op("Reshape", "x", shape)
    net.channels[y] = 16
    facts = count(net, tmp_path, net.conv(y, 4, 1, bn=False, act=""), asked=Asked({"rows": 10}))
    assert facts.macs == 4 * 16 * 5 * 6
    assert facts.uncounted == ()


def test_long_chains_of_computed_shapes(tmp_path):
    """Forty layers, each of which asks for the shape of the one before."""
    net = Net(("x", ["batch", 4, 6]))
    x = "x"
    for _ in range(40):
        half = net.op("Div", net.op("Shape", x), net.numbers([1, 2, 1]))
        x = net.op("Reshape", x, net.op("Concat", net.op("Slice", half, net.numbers([0]), net.numbers([2])),
                                        net.numbers([-1]), axis=0))  # fmt: skip
        double = net.op("Mul", net.op("Shape", x), net.numbers([1, 2, 1]))
        x = net.op("Reshape", x, net.op("Div", double, net.numbers([1, 1, 2])))
    facts = count(net, tmp_path, net.op("MatMul", x, net.weights(6, 2)))
    assert (facts.macs, facts.uncounted) == (48, ())


def test_stale_shapes_in_the_file_do_not_count(tmp_path):
    """A file exported at 224 and opened at 112 may still say 224 of the values inside."""
    net = Net(("x", [1, 3, "h", "w"]))
    out = net.conv("x", 8, bn=False)
    model = net.model(out)
    model.graph.value_info.append(helper.make_tensor_value_info("conv0", TensorProto.FLOAT, [1, 8, 224, 224]))
    facts = read_facts(write(model, tmp_path / "net.onnx"), Asked(size=(112, 112)))
    assert facts.macs == 112 * 112 * 8 * 27


def test_shapes_stated_behind_an_unknown_operator_are_used(tmp_path):
    net = Net(("x", [1, 4, 8, 8]))
    y = net.op("Mystery", "x", domain="com.example")
    model = net.model(net.conv(y, 4, 1, bn=False, act=""), domains=["com.example"])
    model.graph.value_info.append(helper.make_tensor_value_info(y, TensorProto.FLOAT, [1, 4, 8, 8]))
    facts = read_facts(write(model, tmp_path / "net.onnx"))
    assert facts.macs == 64 * 16
    assert facts.words == {"conv", "custom"}
    assert [label for label, _ in facts.uncounted] == [f"com.example.Mystery `{y}`"]


def test_operators_of_onnx_runtime_that_keep_the_shape(tmp_path):
    net = Net(("x", [1, 4, 8, 8]))
    scale, zero = net.numbers([0.1], 1, []), net.numbers([0], TensorProto.UINT16, [])
    q = net.op("QuantizeLinear", "x", scale, zero, domain="com.microsoft")
    y = net.op("DequantizeLinear", q, scale, zero, domain="com.microsoft")
    net.channels[y] = 4
    y = net.op("Gelu", net.conv(y, 4, 1, bn=False, act=""), domain="com.microsoft")
    net.channels[y] = 4
    facts = count(net, tmp_path, net.conv(y, 4, 1, bn=False, act=""), domains=["com.microsoft"])
    assert (facts.macs, facts.uncounted) == (2 * 64 * 16, ())


def test_an_unknown_operator_and_all_behind_it_are_named(tmp_path):
    net = Net(("x", [1, 4, 8, 8]))
    y = net.op("Attention", "x", domain="com.microsoft")
    net.channels[y] = 4
    facts = count(net, tmp_path, net.conv(y, 4, 1, bn=False, act=""), domains=["com.microsoft"])
    assert facts.macs == 0
    assert "com.microsoft.Attention `attention0` is no operator of the standard" in facts.reasons
    assert any("whose shape is not known" in reason or "is not known" in reason for reason in facts.reasons)


# Free axes.


def test_free_axes_must_be_given(tmp_path):
    net, *outputs = nets.yolo_like()
    path = net.save(tmp_path / "net.onnx", *outputs)
    message = fault(path)
    assert "axes have no size: `height`, `width`" in message
    assert "--dim height=SIZE --dim width=SIZE, or --input HEIGHTxWIDTH" in message
    facts = read_facts(path, Asked({"height": 64, "image:3": 96}))
    assert facts.inputs == {"image": (1, 3, 64, 96)}


def test_a_batch_is_one_and_that_is_said(tmp_path):
    net, out = nets.resnet50()
    facts = count(net, tmp_path, out)
    assert facts.remarks == ("axis 0 of `image` (batch) is taken as a batch of 1",)
    assert count(net, tmp_path, out, asked=Asked({"batch": 4})).macs == 4 * facts.macs


@pytest.mark.parametrize(
    ("shape", "dims", "size", "expected"),
    [
        ([1, 3, 32, 32], {"wdith": 3}, None, "--dim names the axis `wdith`, which no input has"),
        ([1, 3, "h", "width"], {"wdith": 3, "h": 3}, None, r"did you mean `width`?"),
        ([1, 3, 32, 32], {"x:2": 64}, None, "axis 2 of `x` is fixed to 32, not 64 (export the model at this size)"),
        ([1, 3, 32, 32], {}, (64, 64), "axis 2 of `x` is fixed to 32, not 64"),
        (["seq", 16], {}, None, "axes have no size: `seq` (give sizes: --dim seq=SIZE)"),
        (["seq", 16], {}, (3, 3), "no input is a picture, so --input says nothing"),
    ],
)
def test_sizes_that_do_not_fit(tmp_path, shape, dims, size, expected):
    net = Net(("x", shape))
    path = net.save(tmp_path / "net.onnx", net.op("Relu", "x"))
    assert expected in fault(path, Asked(dims, size))


def test_a_picture_with_its_channels_last(tmp_path):
    net = Net(("x", [None, None, None, 3]))
    y = net.op("Transpose", "x", perm=[0, 3, 1, 2])
    net.channels[y] = 3
    facts = count(net, tmp_path, net.conv(y, 8, bn=False), asked=Asked(size=(48, 64)))
    assert (facts.picture.height, facts.picture.width, facts.picture.channels) == (48, 64, 3)
    assert facts.macs == 48 * 64 * 8 * 27
