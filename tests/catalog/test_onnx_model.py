"""What is counted in ONNX files: whole networks against the catalogue, operators against a hand count, broken files."""

from __future__ import annotations

import contextlib
import csv
import doctest
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from dse.catalog.onnxfile import axes, computing, einsum, expand, liveness, reading
from dse.catalog.onnxfile.facts import Asked, read_facts
from dse.catalog.operators import OPERATORS
from dse.errors import CatalogError

from . import onnx_models as nets
from .onnx_models import Net, write

MODELS = Path(__file__).parents[2] / "catalogs" / "models" / "models.csv"
LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


@pytest.fixture(scope="module")
def catalogue():
    """Figures of the shipped catalogue by id and input."""
    with MODELS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {(row["id"], row["input_h"], row["input_w"]): row for row in rows if row["gmacs"]}


def count(net: Net, path: Path, *outputs: str, asked: Asked | None = None, **options):
    return read_facts(net.save(path / "net.onnx", *outputs, **options), asked)


def fault(path: Path, asked: Asked | None = None) -> str:
    with pytest.raises(CatalogError) as caught:
        read_facts(path, asked)
    return str(caught.value)


# Whole networks.


@pytest.mark.parametrize(
    ("build", "key"),
    [
        (nets.resnet50, ("resnet50", "224", "224")),
        (nets.mobilenet_v2, ("mobilenet_v2", "224", "224")),
        (nets.squeezenet1_1, ("squeezenet1_1", "224", "224")),
        (nets.vgg16, ("vgg16", "224", "224")),
        (nets.vit_b_16, ("vit_base_patch16", "224", "224")),
        (nets.ds_cnn, ("ds_cnn", "49", "10")),
    ],
)
def test_known_networks_have_the_figures_of_the_catalogue(catalogue, tmp_path, build, key):
    """Work, parameters and activations of networks built here agree to 1 % with what was published of them."""
    net, out = build()
    facts, row = count(net, tmp_path, out), catalogue[key]
    assert facts.uncounted == ()
    assert facts.macs / 1e9 == pytest.approx(float(row["gmacs"]), rel=0.01)
    assert facts.params / 1e6 == pytest.approx(float(row["params_m"]), rel=0.01)
    if row["activations_m"]:
        assert facts.activations / 1e6 == pytest.approx(float(row["activations_m"]), rel=0.01)
    assert (str(facts.picture.height), str(facts.picture.width)) == key[1:]


@pytest.mark.parametrize(
    ("build", "params"),
    [
        (nets.resnet50, 25_557_032),
        (nets.mobilenet_v2, 3_504_872),
        (nets.squeezenet1_1, 1_235_496),
        (nets.vgg16, 138_357_544),
        (nets.vit_b_16, 86_567_656),
    ],
)
def test_parameters_are_exactly_those_of_torchvision(tmp_path, build, params):
    """``num_params`` of https://pytorch.org/vision/stable/models.html, exact."""
    net, out = build()
    assert count(net, tmp_path, out).params == params


@pytest.mark.parametrize(
    ("file", "key", "macs", "params"),
    [
        ("light_resnet50.onnx", ("resnet50", "224", "224"), 0.01, 0.01),
        ("light_squeezenet.onnx", ("squeezenet1_1", "224", "224"), 0.01, 0.01),
        ("light_densenet121.onnx", ("densenet121", "224", "224"), 0.02, 0.01),  # pooled before, not after, a transition
        ("light_vgg19.onnx", ("vgg19", "224", "224"), 0.01, 0.01),
    ],
)
def test_files_somebody_else_wrote(catalogue, file, key, macs, params):
    """Models that come with the package onnx, of an old operator set, their weights described by shape alone."""
    facts, row = read_facts(LIGHT / file), catalogue[key]
    assert facts.uncounted == ()
    assert facts.macs / 1e9 == pytest.approx(float(row["gmacs"]), rel=macs)
    assert facts.params / 1e6 == pytest.approx(float(row["params_m"]), rel=params)


def test_c3d(tmp_path):
    """Output × 3·3·3 × channels in, per layer; the paper's input is 16 × 112 × 112 and its pooling halves.

    conv1 16·112·112·64·81, conv2 16·56·56·128·1728, conv3a 8·28·28·256·3456, conv3b 8·28·28·256·6912,
    conv4a 4·14·14·512·6912, conv4b 4·14·14·512·13824, conv5a and 5b 2·7·7·512·13824 each; 8192·4096, 4096², 4096·487.
    """
    net, out = nets.c3d()
    facts = count(net, tmp_path, out)
    convolutions = (
        16 * 112 * 112 * 64 * 81 + 16 * 56 * 56 * 128 * 1728 + 8 * 28 * 28 * 256 * (3456 + 6912)
        + 4 * 14 * 14 * 512 * (6912 + 13824) + 2 * 2 * 7 * 7 * 512 * 13824
    )  # fmt: skip
    assert facts.macs == convolutions + 8192 * 4096 + 4096 * 4096 + 4096 * 487
    assert facts.macs / 1e9 == pytest.approx(38.5, rel=0.01)  # as published for C3D
    assert facts.words == {"3-d", "conv", "dense"}
    assert (facts.picture.height, facts.picture.width, facts.picture.channels) == (112, 112, 3)


def test_unet(tmp_path):
    """Places × filters × weights each; a transposed convolution takes each place of its *input* once per weight."""
    net, out = nets.unet()
    facts = count(net, tmp_path, out)
    down = 4096 * 16 * 27 + 4096 * 16 * 144 + 1024 * 32 * 144 + 1024 * 32 * 288 + 256 * 64 * 288 + 256 * 64 * 576
    up = 256 * 64 * 32 * 4 + 1024 * 32 * 576 + 1024 * 32 * 288 + 1024 * 32 * 16 * 4 + 4096 * 16 * 288 + 4096 * 16 * 144
    assert facts.macs == down + up + 4096 * 2 * 16
    assert facts.words == {"conv", "deconv"}
    assert facts.params == 117_058  # 448+2320+4640+9248+18496+36928 + 8224+18464+9248 + 2064+4624+2320 + 34


def test_a_yolo_like_net_scales_with_its_area(tmp_path):
    """Stem 160·160·16·27, downs 80·80·32·144 and 40·40·64·288 and 20·20·128·576, stages, up and heads at 320 × 320."""
    net, *outputs = nets.yolo_like()
    small = count(net, tmp_path, *outputs, asked=Asked(size=(320, 320)))

    def stage(places: int, inside: int, out: int) -> int:
        half = out // 2
        return places * (2 * half * inside + half * half + half * half * 9 + out * out)

    expected = 25600 * 16 * 27 + 6400 * 32 * 144 + 1600 * 64 * 288 + 400 * 128 * 576
    expected += stage(6400, 32, 32) + stage(1600, 64, 64) + stage(400, 128, 128) + stage(1600, 128, 64)
    expected += 400 * 128 * 64 + 1600 * 64 * 255 + 400 * 128 * 255
    assert small.macs == expected
    assert small.words == {"conv", "resize"}
    large = count(net, tmp_path, *outputs, asked=Asked(size=(640, 640)))
    assert large.macs == 4 * small.macs
    assert large.params == small.params


def test_an_lstm_and_a_gru(tmp_path):
    """One step multiplies by every weight: 4 gates × 128 × (40 + 128) each way; the GRU has 3 gates on 256 inputs."""
    net = Net(("mfcc", [100, "batch", 40]))
    x = net.op("LSTM", "mfcc", net.weights(2, 512, 40), net.weights(2, 512, 128), net.weights(2, 1024),
               direction="bidirectional", hidden_size=128)  # fmt: skip
    x = net.op("Reshape", net.op("Transpose", x, perm=[0, 2, 1, 3]), net.numbers([0, 0, 256]))
    y = net.op("GRU", x, net.weights(1, 192, 256), net.weights(1, 192, 64), net.weights(1, 384), hidden_size=64)
    facts = count(net, tmp_path, y)
    assert facts.macs == 100 * (2 * 512 * (40 + 128) + 192 * (256 + 64))
    assert facts.params == 2 * 512 * 168 + 2 * 1024 + 192 * 320 + 384
    assert facts.words == {"recurrent"}
    assert facts.inputs == {"mfcc": (100, 1, 40)}


# Single operators.


@pytest.mark.parametrize(
    ("x", "w", "groups", "macs", "word"),
    [
        ([1, 8, 32], (16, 8, 5), 1, 16 * 28 * 8 * 5, "conv"),
        ([1, 8, 32, 32], (8, 1, 3, 3), 8, 8 * 30 * 30 * 9, "depthwise"),
        ([1, 8, 32, 32], (16, 1, 3, 3), 8, 16 * 30 * 30 * 9, "depthwise"),  # two filters per channel
        ([1, 8, 32, 32], (16, 2, 3, 3), 4, 16 * 30 * 30 * 18, "grouped"),
        ([2, 8, 32, 32], (16, 8, 1, 1), 1, 2 * 16 * 1024 * 8, "conv"),
    ],
)
def test_convolutions(tmp_path, x, w, groups, macs, word):
    net = Net(("x", x))
    facts = count(net, tmp_path, net.op("Conv", "x", net.weights(*w), group=groups))
    assert (facts.macs, facts.words) == (macs, {word})


def test_products_with_broadcasting(tmp_path):
    """(2, 1, 5, 7) × (3, 7, 11): 2·3 matrices of 5 × 11, 7 long; and one with a vector."""
    net = Net(("a", [2, 1, 5, 7]), ("b", [3, 7, 11]), ("c", [11]))
    product = net.op("MatMul", "a", "b")
    facts = count(net, tmp_path, net.op("MatMul", product, "c"))
    assert facts.macs == 2 * 3 * 5 * 11 * 7 + 2 * 3 * 5 * 11
    assert facts.words == {"attention"}


@pytest.mark.parametrize("flipped", [0, 1])
def test_gemm_both_ways(tmp_path, flipped):
    net = Net(("x", [6, 4] if flipped else [4, 6]))
    facts = count(net, tmp_path, net.op("Gemm", "x", net.weights(6, 9), transA=flipped))
    assert (facts.macs, facts.params) == (4 * 6 * 9, 54)


def test_einsum(tmp_path):
    net = Net(("q", [1, 12, 197, 64]), ("k", [1, 12, 197, 64]))
    facts = count(net, tmp_path, net.op("Einsum", "q", "k", equation="bhid,bhjd->bhij"))
    assert (facts.macs, facts.words) == (12 * 197 * 197 * 64, {"attention"})


def test_einsum_of_three_factors_is_not_guessed(tmp_path):
    net = Net(("x", [4, 4]), ("y", [4, 4]), ("z", [4, 4]))
    facts = count(net, tmp_path, net.op("Einsum", "x", "y", "z", equation="ij,jk,kl->il"))
    assert facts.macs == 0
    assert "of 3 factors, which is not counted" in facts.reasons[0]


def test_attention_of_the_standard(tmp_path):
    """Two products of 197 × 197 × 768 in all heads together."""
    net = Net(*((name, [1, 197, 768]) for name in "qkv"))
    out = net.op("Attention", "q", "k", "v", q_num_heads=12, kv_num_heads=12)
    facts = count(net, tmp_path, out, opset=23)
    assert (facts.macs, facts.words) == (2 * 197 * 197 * 768, {"attention", "softmax"})


def test_a_quantized_net_counts_as_the_float_one(tmp_path):
    """Quantize and dequantize add neither work nor layers nor memory; scales and zero points are no parameters."""

    def net(quantized: bool) -> tuple[Net, str]:
        net = Net(("x", [1, 3, 16, 16]))
        scale, zero = net.numbers([0.1], 1, []), net.numbers([0], TensorProto.INT8, [])

        def wrap(x: str) -> str:
            return net.op("DequantizeLinear", net.op("QuantizeLinear", x, scale, zero), scale, zero)

        def stored(*shape: int) -> str:
            if not quantized:
                return net.weights(*shape)
            kind = TensorProto.INT8 if len(shape) > 1 else TensorProto.INT32
            scales = net.weights(shape[0]) if len(shape) > 1 else scale
            extra = [net.weights(shape[0], kind=kind)] if len(shape) > 1 else []
            return net.op("DequantizeLinear", net.weights(*shape, kind=kind), scales, *extra, axis=0)

        x = wrap("x") if quantized else "x"
        x = net.op("Relu", net.op("Conv", x, stored(8, 3, 3, 3), stored(8)))
        x = wrap(x) if quantized else x
        return net, net.op("Conv", x, stored(4, 8, 3, 3), stored(4))

    plain, wrapped = (count(*_split(net(quantized)), tmp_path) for quantized in (False, True))
    assert plain.macs == wrapped.macs == 14 * 14 * 8 * 27 + 12 * 12 * 4 * 72
    assert plain.params == wrapped.params == 216 + 8 + 288 + 4
    assert (plain.activations, plain.layers, plain.peak_bytes) == (
        wrapped.activations, wrapped.layers, wrapped.peak_bytes
    )  # fmt: skip
    assert plain.weights_bytes == 4 * 516
    assert wrapped.weights_bytes == 504 + 4 * 12  # 8 bits, and biases of 32


def _split(built):
    net, out = built

    class _Bound:
        def save(self, path, **options):
            return net.save(path, out, **options)

    return (_Bound(),)


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [
        ("QLinearConv", ("q", "s", "z", "w", "s", "z", "s", "z")),
        ("ConvInteger", ("q", "w", "z", "z")),
        ("QLinearMatMul", ("m", "s", "z", "v", "s", "z", "s", "z")),
        ("MatMulInteger", ("m", "v", "z", "z")),
    ],
)
def test_integer_operators(tmp_path, kind, inputs):
    net = Net(("x", [1, 3, 8, 8]), ("y", [5, 16]))
    scale, zero = net.numbers([0.1], 1, []), net.numbers([0], TensorProto.UINT8, [])
    named = {
        "s": scale, "z": zero,
        "q": net.op("QuantizeLinear", "x", scale, zero), "m": net.op("QuantizeLinear", "y", scale, zero),
        "w": net.weights(4, 3, 3, 3, kind=TensorProto.UINT8), "v": net.weights(16, 7, kind=TensorProto.UINT8),
    }  # fmt: skip
    facts = count(net, tmp_path, net.op(kind, *(named[name] for name in inputs)))
    expected = (4 * 36 * 27, 108) if "Conv" in kind else (5 * 7 * 16, 112)
    assert (facts.macs, facts.params) == expected
    assert facts.uncounted == ()


def test_binary_layers_need_one_bit_on_both_sides(tmp_path):
    """Signs in front of both factors, or stored weights of plus and minus one number per filter."""
    net = Net(("x", [1, 4, 8, 8]))
    rng = np.random.default_rng(0)
    scaled = rng.choice([-1, 1], (8, 8, 3, 3)) * rng.uniform(0.5, 2, (8, 1, 1, 1))
    stored = net.numbers(scaled.ravel().tolist(), TensorProto.FLOAT, scaled.shape)
    x = net.conv("x", 8, bn=False, act="")  # 64 · 8 · 36, float
    x = net.op("Conv", net.op("Sign", x), stored, pads=[1] * 4)  # 64 · 8 · 72, binary
    net.channels[x] = 8
    x = net.op("Conv", net.op("Sign", x), net.op("Sign", net.weights(8, 8, 3, 3)), pads=[1] * 4)  # the same, binary
    net.channels[x] = 8
    x = net.conv(net.op("Sign", x), 8, bn=False, act="")  # float weights
    net.channels[x] = 8
    x = net.op("Conv", x, stored, pads=[1] * 4)  # float data
    facts = count(net, tmp_path, x)
    assert facts.macs == 64 * 8 * (36 + 4 * 72)
    assert facts.binary_macs == 2 * 64 * 8 * 72
    assert facts.words == {"conv", "binary"}


def test_what_leads_nowhere_or_never_changes_is_no_work(tmp_path):
    net = Net(("x", [1, 8, 8, 8]))
    net.conv("x", 64)  # nobody reads it
    mixed = net.op("MatMul", net.weights(8, 8), net.weights(8, 8))  # weights only: computed once, before any run
    y = net.op("MatMul", "x", mixed)
    facts = count(net, tmp_path, y)
    assert facts.macs == 8 * 8 * 8 * 8
    assert facts.params == 128


def test_a_shared_weight_is_one_parameter(tmp_path):
    net = Net(("x", [1, 16]))
    w = net.weights(16, 16)
    facts = count(net, tmp_path, net.op("MatMul", net.op("MatMul", "x", w), w))
    assert (facts.macs, facts.params) == (2 * 256, 256)


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


# Memory.


def test_memory_of_a_chain(tmp_path):
    """x 3·64, a 8·64, b 4·64: the most is a and b together, 12·64 numbers; activations work in place."""
    net = Net(("x", [1, 3, 8, 8]))
    facts = count(net, tmp_path, net.conv(net.conv("x", 8), 4))
    assert facts.peak_bytes == {"fp32": 12 * 64 * 4, "fp16": 12 * 64 * 2, "int8": 12 * 64}


def test_memory_of_a_residual(tmp_path):
    """x 4·64 stays for the addition: x, a 16·64 and b 4·64 while b is computed; then b is written over."""
    net = Net(("x", [1, 4, 8, 8]))
    facts = count(net, tmp_path, net.op("Add", "x", net.conv(net.conv("x", 16), 4)))
    assert facts.peak_bytes["int8"] == (4 + 16 + 4) * 64


def test_memory_of_an_activation_whose_input_is_needed_again(tmp_path):
    """a · sigmoid(a): the sigmoid may not write over a, the product may; 8·64 twice, more than x and a."""
    net = Net(("x", [1, 3, 8, 8]))
    a = net.conv("x", 8, bn=False, act="")
    facts = count(net, tmp_path, net.op("Mul", a, net.op("Sigmoid", a)))
    assert facts.peak_bytes["int8"] == 2 * 8 * 64


def test_memory_of_views_and_indices(tmp_path):
    """A reshape takes none; an index of 64 bits keeps its width at every precision: 100 numbers + 100 · 8 byte."""
    net = Net(("x", [1, 100]))
    y = net.op("Reshape", "x", net.numbers([10, 10]))
    picked = net.op("ArgMax", net.op("Reshape", y, net.numbers([1, 100, 1])), axis=2)
    product = net.op("MatMul", "x", net.weights(100, 1))
    facts = count(net, tmp_path, picked, product)
    assert facts.peak_bytes["int8"] == 100 + 800 + 1
    assert facts.peak_bytes["fp32"] == 400 + 800 + 4


def test_memory_hangs_on_the_order_alone(tmp_path):
    """Operators in a mixed-up order are sorted, and count the same."""
    net = Net(("x", [1, 3, 8, 8]))
    out = net.conv(net.conv("x", 8), 4)
    straight = count(net, tmp_path, out)
    net.nodes.reverse()
    assert count(net, tmp_path, out).peak_bytes == straight.peak_bytes
    assert count(net, tmp_path, out).macs == straight.macs


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


# Odds and ends.


@pytest.mark.parametrize("module", [axes, einsum, liveness])
def test_examples_in_docstrings(module):
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


def test_words_are_those_of_the_vocabulary():
    from dse.catalog.onnxfile.counting import COUNTERS
    from dse.catalog.onnxfile.known import KNOWN_CUSTOM, WITHOUT_MACS, WORDS

    assert set(WORDS.values()) <= set(OPERATORS)
    assert not set(COUNTERS) & WITHOUT_MACS
    assert KNOWN_CUSTOM <= WITHOUT_MACS
    standard = {schema.name for schema in onnx.defs.get_all_schemas_with_history() if schema.domain == ""}
    assert set(COUNTERS) <= standard


def test_orders_are_stable():
    """Each after those it needs, otherwise as they were; what is in a circle is left out."""
    assert expand._order([set(), {2}, set(), {0, 1}]) == [0, 2, 1, 3]
    assert expand._order([{1}, {0}, set()]) == [2]


def test_nothing_is_computed_that_could_be_large():
    assert computing.SMALL <= 1024
