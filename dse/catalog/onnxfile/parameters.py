"""Which stored tensors are parameters: everything an operator computes with, except its settings."""

from __future__ import annotations

from collections.abc import Iterator

from dse.catalog.onnxfile.counting import COUNTERS
from dse.catalog.onnxfile.graph import Graph, Kind, Node, Tensor
from dse.catalog.onnxfile.known import SETTINGS

_WIDE_BIAS = {"QLinearConv": 8, "DequantizeLinear": 0}
"""The input that may hold 32-bit parameters: the bias of a quantized convolution."""
_HOLD_WEIGHTS = {*COUNTERS, "BatchNormalization"}


def parameters(graph: Graph) -> dict[str, Tensor]:
    """Parameters of a graph and its bodies by name, each once however often it is used.

    Integers wider than 8 bits are shapes and indices unless they are a quantized bias, single numbers are settings
    unless an operator with weights takes them; a tensor that the file only describes (``ConstantOfShape``) counts where
    such an operator takes it.
    """
    return {name: tensor for node, one in _all(graph) for name, tensor in _of_node(node, one)}


def _all(graph: Graph) -> Iterator[tuple[Node, Graph]]:
    for node in graph.nodes:
        yield node, graph
        for body in node.bodies:
            yield from _all(body)


def _of_node(node: Node, graph: Graph) -> Iterator[tuple[str, Tensor]]:
    settings = SETTINGS.get(node.op, frozenset())
    weighty = node.op in _HOLD_WEIGHTS
    for slot, name in enumerate(node.inputs):
        if not name or slot in settings:
            continue
        stored = graph.held(name)
        tensor = stored.tensor if stored is not None else _described(name, graph) if weighty else None
        if tensor is None or tensor.elements is None:
            continue
        wide = tensor.kind is Kind.INTEGER and _WIDE_BIAS.get(node.op) == slot
        if (tensor.kind in (Kind.FLOAT, Kind.QUANTIZED) or wide) and (weighty or tensor.elements > 1):
            yield name, tensor


def _described(name: str, graph: Graph) -> Tensor | None:
    """A constant the file does not store, but describes by its shape."""
    found = graph.producer(name)
    return graph.tensor(name) if found is not None and found[1].op == "ConstantOfShape" else None
