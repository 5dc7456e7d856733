"""What is counted in ONNX files: whole networks against the catalogue, operators and memory against a hand count."""

from __future__ import annotations

import csv
import doctest
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from dse.catalog.onnxfile import axes, computing, einsum, expand, liveness
from dse.catalog.onnxfile.facts import Asked, read_facts
from dse.catalog.operators import OPERATORS

from . import onnx_models as nets
from .onnx_models import Net, count

MODELS = Path(__file__).parents[2] / "catalogs" / "models" / "models.csv"
LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


@pytest.fixture(scope="module")
def catalogue():
    """Figures of the shipped catalogue by id and input."""
    with MODELS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {(row["id"], row["input_h"], row["input_w"]): row for row in rows if row["gmacs"]}


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

    (plain_net, plain_out), (wrapped_net, wrapped_out) = net(False), net(True)
    plain, wrapped = count(plain_net, tmp_path, plain_out), count(wrapped_net, tmp_path, wrapped_out)
    assert plain.macs == wrapped.macs == 14 * 14 * 8 * 27 + 12 * 12 * 4 * 72
    assert plain.params == wrapped.params == 216 + 8 + 288 + 4
    assert (plain.activations, plain.layers, plain.peak_bytes) == (
        wrapped.activations, wrapped.layers, wrapped.peak_bytes
    )  # fmt: skip
    assert plain.weights_bytes == 4 * 516
    assert wrapped.weights_bytes == 504 + 4 * 12  # 8 bits, and biases of 32


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
