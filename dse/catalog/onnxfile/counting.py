"""Multiply-accumulates of one operator, from the shapes of what it reads and writes.

Conventions, the usual ones (fvcore, torchvision, timm), so that counts compare with those of the catalogue: a bias adds
nothing; products with padding count; normalization, activation, pooling and resizing count nothing; a product with an
integer type counts like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from dse.catalog.onnxfile.einsum import einsum_macs
from dse.catalog.onnxfile.graph import Graph, Node, Shape


class NotCounted(Exception):  # noqa: N818 - not an error of the user's: the caller collects them
    """Why the work of an operator is not known; the text continues the operator's name."""


@dataclass(frozen=True)
class Work:
    """What one operator does.

    Parameters
    ----------
    macs : int
        Multiply-accumulates of one execution.
    words : frozenset of str
        Words of ``dse.catalog.operators``.
    factors : (int, int)
        Which of its inputs are multiplied, data first.
    """

    macs: int
    words: frozenset[str]
    factors: tuple[int, int] = (0, 1)


Counter = Callable[[Node, Graph], Work]


def work_of(node: Node, graph: Graph) -> Work | None:
    """Work of an operator; None where no such operator multiplies and accumulates.

    Raises
    ------
    NotCounted
        It does, and its shapes are not known or contradict each other.
    """
    counter = COUNTERS.get(node.op) if not node.domain else None
    return None if counter is None else counter(node, graph)


def convolution(node: Node, graph: Graph, data: int = 0, weights: int = 1) -> Work:
    """Each element of the output takes one product per weight of its filter: channels of its group × kernel."""
    x, w, y = _shape(node, graph, data), _shape(node, graph, weights), _output(node, graph)
    groups = node.integer("group", 1)
    if len(w) != len(x) or len(x) < 3 or x[1] != w[1] * groups:
        raise NotCounted(f"has an input of {_text(x)} and filters of {_text(w)} in {groups} groups, which do not fit")
    words = {_kind_of(groups, x[1], w[1])}
    if any(size > 1 for size in node.integers("dilations")):
        words.add("dilated")
    if len(x) == 5:
        words.add("3-d")
    return Work(prod(y) * prod(w[1:]), frozenset(words), (data, weights))


def transposed_convolution(node: Node, graph: Graph) -> Work:
    """Each element of the input takes one product per weight it meets; those later cropped away count."""
    x, w = _shape(node, graph, 0), _shape(node, graph, 1)
    if len(w) != len(x) or len(x) < 3 or x[1] != w[0]:
        raise NotCounted(f"has an input of {_text(x)} and filters of {_text(w)}, which do not fit")
    return Work(prod(x) * prod(w[1:]), frozenset({"deconv", "3-d"} if len(x) == 5 else {"deconv"}))


def deformable_convolution(node: Node, graph: Graph) -> Work:
    """As a convolution; finding the places counts nothing."""
    w, y = _shape(node, graph, 1), _output(node, graph)
    return Work(prod(y) * prod(w[1:]), frozenset({"deformable"}))


def general_product(node: Node, graph: Graph) -> Work:
    """``Gemm``: rows × columns × common length."""
    a, y = _shape(node, graph, 0), _output(node, graph)
    if len(a) != 2:
        raise NotCounted(f"has a first factor of {_text(a)}, expected two axes")
    common = a[0] if node.integer("transA", 0) else a[1]
    return Work(prod(y) * common, frozenset({_product_word(node, graph, 0, 1)}))


def matrix_product(node: Node, graph: Graph, left: int = 0, right: int = 1) -> Work:
    """Batched product with broadcasting: elements of the output × common length."""
    a, b = _shape(node, graph, left), _shape(node, graph, right)
    if not a or not b or a[-1] != (b[-2] if len(b) > 1 else b[0]):
        raise NotCounted(f"multiplies {_text(a)} by {_text(b)}, which do not fit")
    return Work(prod(_output(node, graph)) * a[-1], frozenset({_product_word(node, graph, left, right)}), (left, right))


def recurrent(node: Node, graph: Graph) -> Work:
    """Each step of each sequence multiplies by every weight of both matrices, in both directions if there are two."""
    x, w, r = (_shape(node, graph, slot) for slot in range(3))
    if len(x) != 3 or len(w) != 3 or x[2] != w[2]:
        raise NotCounted(f"has an input of {_text(x)} and weights of {_text(w)}, which do not fit")
    return Work(x[0] * x[1] * (prod(w) + prod(r)), frozenset({"recurrent"}))


def attention(node: Node, graph: Graph) -> Work:
    """Both products: queries with keys, and the weights found with the values; a mask saves nothing.

    Axes are (batch, head, length, width) or (batch, length, heads × width); kept keys of earlier steps lengthen them.
    """
    q, k, v = (_shape(node, graph, slot) for slot in range(3))
    past = _shape(node, graph, 4)[2] if len(node.inputs) > 4 and node.inputs[4] else 0
    if len(q) == len(k) == len(v) == 4:
        heads, length, width, keys, out = q[1], q[2], q[3], k[2], v[3]
    elif len(q) == len(k) == len(v) == 3:
        heads, kept = node.integer("q_num_heads", 0), node.integer("kv_num_heads", 0)
        if heads < 1 or kept < 1:
            raise NotCounted("does not say how many heads it has")
        length, width, keys, out = q[1], q[2] // heads, k[1], v[2] // kept
    else:
        raise NotCounted(f"has queries of {_text(q)} and keys of {_text(k)}, which do not fit")
    macs = q[0] * heads * length * (keys + past) * (width + out)
    return Work(macs, frozenset({"attention", "softmax"}))


def sum_of_products(node: Node, graph: Graph) -> Work:
    """``Einsum`` of one or two factors."""
    equation = node.attributes.get("equation", "")
    shapes = [_shape(node, graph, slot) for slot in range(len(node.inputs))]
    macs = einsum_macs(str(equation), shapes)
    if macs is None:
        raise NotCounted(f"computes `{str(equation)[:60]}` of {len(shapes)} factors, which is not counted")
    words = {_product_word(node, graph, 0, 1)} if macs and len(shapes) > 1 else set()
    return Work(macs, frozenset(words))


COUNTERS: Mapping[str, Counter] = {
    "Conv": convolution,
    "ConvInteger": convolution,
    "QLinearConv": lambda node, graph: convolution(node, graph, 0, 3),
    "ConvTranspose": transposed_convolution,
    "DeformConv": deformable_convolution,
    "Gemm": general_product,
    "MatMul": matrix_product,
    "MatMulInteger": matrix_product,
    "QLinearMatMul": lambda node, graph: matrix_product(node, graph, 0, 3),
    "LSTM": recurrent,
    "GRU": recurrent,
    "RNN": recurrent,
    "Attention": attention,
    "Einsum": sum_of_products,
}
"""Operators that multiply and accumulate."""


def _kind_of(groups: int, channels: int, per_group: int) -> str:
    if groups == 1:
        return "conv"
    return "depthwise" if groups == channels and per_group == 1 else "grouped"


def _product_word(node: Node, graph: Graph, left: int, right: int) -> str:
    """A product with a stored matrix, or of two that were both computed."""
    fixed = any(graph.is_constant(node.inputs[slot]) for slot in (left, right) if slot < len(node.inputs))
    return "dense" if fixed else "attention"


def _shape(node: Node, graph: Graph, slot: int) -> Shape:
    name = node.inputs[slot] if slot < len(node.inputs) else ""
    if not name:
        raise NotCounted(f"lacks its input {slot}")
    shape = graph.shape(name)
    if shape is None:
        raise NotCounted(f"reads `{name[:80]}`, whose shape is not known")
    return shape


def _output(node: Node, graph: Graph) -> Shape:
    shape = graph.shape(node.outputs[0]) if node.outputs else None
    if shape is None:
        raise NotCounted("has an output whose shape is not known")
    return shape


def _text(shape: Shape) -> str:
    return "×".join(map(str, shape)) or "one element"
