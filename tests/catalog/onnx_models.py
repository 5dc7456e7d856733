"""Networks as small layer tables, written as ONNX models whose weights are declared by shape and stored nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from dse.catalog.onnxfile.facts import Asked, Facts, read_facts
from dse.errors import CatalogError

OPSET = 17


def weights_elsewhere(name: str, shape: Sequence[int], kind: int = TensorProto.FLOAT, where: str = "weights.bin"):
    """A stored tensor whose data lie in another file, which need not exist."""
    tensor = TensorProto(name=name, dims=shape, data_type=kind, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=where)
    return tensor


class Net:
    """Builds one model, layer by layer; every method returns the name of its output."""

    def __init__(self, *inputs: tuple[str, Sequence[Any]]) -> None:
        self.inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs]
        self.nodes: list[onnx.NodeProto] = []
        self.stored: list[TensorProto] = []
        self.channels = {name: shape[1] for name, shape in inputs if len(shape) > 1}

    def weights(self, *shape: int, kind: int = TensorProto.FLOAT) -> str:
        name = f"w{len(self.stored)}"
        self.stored.append(weights_elsewhere(name, shape, kind))
        return name

    def numbers(
        self, values: Sequence[float], kind: int = TensorProto.INT64, shape: Sequence[int] | None = None
    ) -> str:
        name = f"n{len(self.stored)}"
        self.stored.append(helper.make_tensor(name, kind, [len(values)] if shape is None else shape, values))
        return name

    def op(self, kind: str, *inputs: str, outputs: int = 1, domain: str = "", **attributes: Any) -> str:
        name = f"{kind.lower()}{len(self.nodes)}"
        names = [name, *(f"{name}_{k}" for k in range(1, outputs))]
        self.nodes.append(helper.make_node(kind, inputs, names, name=name, domain=domain, **attributes))
        self.channels[name] = self.channels.get(inputs[0], 0) if inputs else 0
        return name

    def conv(self, x: str, out: int, size: int = 3, stride: int = 1, *, groups: int = 1, bias: bool = False,
             bn: bool = True, act: str = "Relu", axes: int = 2, pad: int | None = None) -> str:  # fmt: skip
        """Convolution, normalization by stored figures (without a bias of the convolution), activation."""
        pads = [size // 2 if pad is None else pad] * (2 * axes)
        inputs = [x, self.weights(out, self.channels[x] // groups, *[size] * axes)]
        if bias:
            inputs.append(self.weights(out))
        y = self.op("Conv", *inputs, group=groups, strides=[stride] * axes, pads=pads, kernel_shape=[size] * axes)
        self.channels[y] = out
        if bn:
            y = self.op("BatchNormalization", y, *(self.weights(out) for _ in range(4)))
        return self.op(act, y) if act else y

    def deconv(self, x: str, out: int, size: int = 2, stride: int = 2) -> str:
        weights, bias = self.weights(self.channels[x], out, size, size), self.weights(out)
        y = self.op("ConvTranspose", x, weights, bias, strides=[stride, stride], kernel_shape=[size, size])
        self.channels[y] = out
        return y

    def pool(self, x: str, size: int, stride: int, pad: int = 0, kind: str = "MaxPool", ceil: int = 0) -> str:
        return self.op(kind, x, kernel_shape=[size] * 2, strides=[stride] * 2, pads=[pad] * 4, ceil_mode=ceil)

    def concat(self, *parts: str) -> str:
        y = self.op("Concat", *parts, axis=1)
        self.channels[y] = sum(self.channels[part] for part in parts)
        return y

    def dense(self, x: str, inside: int, out: int, *, act: str = "") -> str:
        """Fully connected, with a bias."""
        y = self.op("Gemm", x, self.weights(out, inside), self.weights(out), transB=1)
        return self.op(act, y) if act else y

    def head(self, x: str, out: int) -> str:
        """Mean over places, then fully connected."""
        return self.dense(self.op("Flatten", self.op("GlobalAveragePool", x)), self.channels[x], out)

    def product(self, x: str, inside: int, out: int) -> str:
        """The same on the last axis of three: a product and an addition."""
        return self.op("Add", self.op("MatMul", x, self.weights(inside, out)), self.weights(out))

    def model(self, *outputs: str, opset: int = OPSET, domains: Sequence[str] = ()) -> onnx.ModelProto:
        ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "net", self.inputs, ends, self.stored)
        opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(name, 1) for name in domains)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def save(self, path: Path, *outputs: str, **options: Any) -> Path:
        return write(self.model(*outputs, **options), path)


def write(model: onnx.ModelProto, path: Path) -> Path:
    path.write_bytes(model.SerializeToString())
    return path


def count(net: Net, folder: Path, *outputs: str, asked: Asked | None = None, **options: Any) -> Facts:
    """What is counted in a net."""
    return read_facts(net.save(folder / "net.onnx", *outputs, **options), asked)


def fault(path: Path, asked: Asked | None = None) -> str:
    """Why a file is refused."""
    with pytest.raises(CatalogError) as caught:
        read_facts(path, asked)
    return str(caught.value)


def resnet50() -> tuple[Net, str]:
    net = Net(("image", ["batch", 3, 224, 224]))
    x = net.pool(net.conv("image", 64, 7, 2, pad=3), 3, 2, 1)
    for width, blocks, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            stride = first if block == 0 else 1
            y = net.conv(net.conv(net.conv(x, width, 1), width, 3, stride), 4 * width, 1, act="")
            skip = net.conv(x, 4 * width, 1, stride, act="") if block == 0 else x
            x = net.op("Relu", net.op("Add", y, skip))
    return net, net.head(x, 1000)


def mobilenet_v2() -> tuple[Net, str]:
    """Sandler et al. (2018), table 2."""
    net = Net(("image", [1, 3, 224, 224]))
    x = net.conv("image", 32, 3, 2, act="Clip")
    for expand, out, blocks, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                       (6, 160, 3, 2), (6, 320, 1, 1)):  # fmt: skip
        for block in range(blocks):
            stride, wide = (first if block == 0 else 1), expand * net.channels[x]
            y = net.conv(x, wide, 1, act="Clip") if expand > 1 else x
            y = net.conv(net.conv(y, wide, 3, stride, groups=wide, act="Clip"), out, 1, act="")
            x = net.op("Add", x, y) if stride == 1 and net.channels[x] == out else y
    return net, net.head(net.conv(x, 1280, 1, act="Clip"), 1000)


def squeezenet1_1() -> tuple[Net, str]:
    net = Net(("image", [1, 3, 224, 224]))

    def fire(x: str, squeeze: int, expand: int) -> str:
        s = net.conv(x, squeeze, 1, bias=True, bn=False)
        return net.concat(*(net.conv(s, expand, size, bias=True, bn=False) for size in (1, 3)))

    x = net.pool(net.conv("image", 64, 3, 2, bias=True, bn=False, pad=0), 3, 2, ceil=1)
    for squeeze, expand, pooled in ((16, 64, 0), (16, 64, 1), (32, 128, 0), (32, 128, 1), (48, 192, 0), (48, 192, 0),
                                    (64, 256, 0), (64, 256, 0)):  # fmt: skip
        x = fire(x, squeeze, expand)
        x = net.pool(x, 3, 2, ceil=1) if pooled else x
    x = net.conv(x, 1000, 1, bias=True, bn=False)
    return net, net.op("Flatten", net.op("GlobalAveragePool", x))


def vgg16() -> tuple[Net, str]:
    net = Net(("image", [1, 3, 224, 224]))
    x = "image"
    for width, layers in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(layers):
            x = net.conv(x, width, bias=True, bn=False)
        x = net.pool(x, 2, 2)
    x = net.op("Flatten", x)
    return net, net.dense(net.dense(net.dense(x, 25088, 4096, act="Relu"), 4096, 4096, act="Relu"), 4096, 1000)


def vit_b_16() -> tuple[Net, str]:
    """Dosovitskiy et al. (2020): 12 layers, width 768, 12 heads, 196 patches and a class token."""
    net = Net(("image", ["batch", 3, 224, 224]))
    tokens, width, heads = 197, 768, 12
    net.nodes.append(helper.make_node("Conv", ["image", net.weights(width, 3, 16, 16), net.weights(width)], ["patches"],
                                      strides=[16, 16], kernel_shape=[16, 16]))  # fmt: skip
    x = net.op("Transpose", net.op("Reshape", "patches", net.numbers([0, width, 196])), perm=[0, 2, 1])
    x = net.op("Add", net.op("Concat", net.weights(1, 1, width), x, axis=1), net.weights(1, tokens, width))
    split = net.numbers([0, tokens, heads, width // heads])
    for _ in range(12):
        y = net.op("LayerNormalization", x, net.weights(width), net.weights(width), axis=-1)
        q, k, v = (net.op("Transpose", net.op("Reshape", net.product(y, width, width), split), perm=perm)
                   for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))  # fmt: skip
        scores = net.op("Softmax", net.op("Mul", net.op("MatMul", q, k), net.numbers([0.125], 1, [])), axis=-1)
        y = net.op("Transpose", net.op("MatMul", scores, v), perm=[0, 2, 1, 3])
        y = net.op("Reshape", y, net.numbers([0, tokens, width]))
        x = net.op("Add", x, net.product(y, width, width))
        y = net.op("LayerNormalization", x, net.weights(width), net.weights(width), axis=-1)
        y = net.op("Erf", net.product(y, width, 3072))
        x = net.op("Add", x, net.product(y, 3072, width))
    x = net.op("LayerNormalization", x, net.weights(width), net.weights(width), axis=-1)
    first = net.op("Gather", x, net.numbers([0], shape=[]), axis=1)
    return net, net.dense(first, width, 1000)


def ds_cnn() -> tuple[Net, str]:
    """The keyword spotter of MLPerf Tiny: https://github.com/mlcommons/tiny, benchmark/training/keyword_spotting."""
    net = Net(("mfcc", [1, 1, 49, 10]))
    # Keras pads "same" with a kernel of (10, 4) and strides of 2: 49 × 10 becomes 25 × 5.
    net.nodes.append(helper.make_node("Conv", ["mfcc", net.weights(64, 1, 10, 4), net.weights(64)], ["first"],
                                      auto_pad="SAME_UPPER", strides=[2, 2], kernel_shape=[10, 4]))  # fmt: skip
    net.channels["first"] = 64
    x = net.op("Relu", "first")
    for _ in range(4):
        x = net.conv(x, 64, 3, groups=64, bias=True, bn=False)
        x = net.conv(x, 64, 1, bias=True, bn=False)
    return net, net.head(x, 12)


def unet() -> tuple[Net, str]:
    """Two levels down, two up, each double; up by transposed convolution."""
    net = Net(("image", [1, 3, 64, 64]))

    def double(x: str, out: int) -> str:
        return net.conv(net.conv(x, out, bias=True, bn=False), out, bias=True, bn=False)

    a = double("image", 16)
    b = double(net.pool(a, 2, 2), 32)
    c = double(net.pool(b, 2, 2), 64)
    d = double(net.concat(net.deconv(c, 32), b), 32)
    e = double(net.concat(net.deconv(d, 16), a), 16)
    return net, net.conv(e, 2, 1, bias=True, bn=False, act="")


def c3d() -> tuple[Net, str]:
    """Tran et al. (2015), figure 3: 8 convolutions 3×3×3, 5 poolings, 2 dense layers, 16 frames of 112×112."""
    net = Net(("clip", [1, 3, 16, 112, 112]))
    x = "clip"
    for widths, depth, pad in (
        ((64,), 1, 0),
        ((128,), 2, 0),
        ((256, 256), 2, 0),
        ((512, 512), 2, 0),
        ((512, 512), 2, 1),
    ):
        for width in widths:
            x = net.conv(x, width, 3, axes=3, bias=True, bn=False)
        x = net.op("MaxPool", x, kernel_shape=[depth, 2, 2], strides=[depth, 2, 2], pads=[0, 0, 0, 0, pad, pad])
    x = net.op("Flatten", x)
    return net, net.dense(net.dense(net.dense(x, 8192, 4096, act="Relu"), 4096, 4096, act="Relu"), 4096, 487)


def yolo_like() -> tuple[Net, str, str]:
    """Backbone with split stages, a path up by resizing, two heads; sigmoid-weighted activations."""
    net = Net(("image", ["N", 3, "height", "width"]))

    def silu(x: str, out: int, size: int, stride: int = 1) -> str:
        y = net.conv(x, out, size, stride, act="")
        return net.op("Mul", y, net.op("Sigmoid", y))

    def stage(x: str, out: int) -> str:
        a, b = silu(x, out // 2, 1), silu(x, out // 2, 1)
        return silu(net.concat(net.op("Add", a, silu(silu(a, out // 2, 1), out // 2, 3)), b), out, 1)

    x = silu("image", 16, 3, 2)
    x = stage(silu(x, 32, 3, 2), 32)
    fine = stage(silu(x, 64, 3, 2), 64)
    coarse = stage(silu(fine, 128, 3, 2), 128)
    up = net.op("Resize", silu(coarse, 64, 1), "", net.numbers([1, 1, 2, 2], TensorProto.FLOAT), mode="nearest")
    net.channels[up] = 64
    joined = stage(net.concat(up, fine), 64)
    heads = [net.conv(y, 255, 1, bias=True, bn=False, act="") for y in (joined, coarse)]
    return net, heads[0], heads[1]
