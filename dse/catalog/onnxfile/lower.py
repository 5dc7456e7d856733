"""An ONNX model whose shapes are known to a plain graph, without what leads to no output."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import prod

import onnx
from onnx import numpy_helper

from dse.catalog.onnxfile.expand import bodies_of
from dse.catalog.onnxfile.graph import Attribute, Graph, Kind, Node, Shape, Stored, Tensor
from dse.catalog.onnxfile.shapes import Shaped
from dse.catalog.onnxfile.types import tensor_of

_A = onnx.AttributeProto


@dataclass(frozen=True)
class _Known:
    """What holds for the graph and all bodies in it."""

    tensors: Mapping[str, Tensor]
    originals: Mapping[str, onnx.NodeProto]
    one_bit: frozenset[str]


def lowered(shaped: Shaped, originals: Mapping[str, onnx.NodeProto], one_bit: frozenset[str]) -> Graph:
    """The plain graph.

    Parameters
    ----------
    shaped : Shaped
        Model and types.
    originals : mapping of output to operator
        Operators outside the standard as the file has them: shape inference worked on their likeness.
    one_bit : frozenset of str
        Stored tensors of one bit per value.
    """
    return _graph(shaped.model.graph, _Known(shaped.tensors, originals, one_bit), None)


def by_output(graph: onnx.GraphProto) -> dict[str, onnx.NodeProto]:
    """Operators outside the standard, of a graph and its bodies, by their first output."""
    found = {_first(node.output): node for node in graph.node if node.domain not in ("", "ai.onnx")}
    for node in graph.node:
        for body in bodies_of(node):
            found |= by_output(body)
    return found


def _first(names: Iterable[str]) -> str:
    return next(filter(None, names), "")


def _graph(source: onnx.GraphProto, known: _Known, outer: Graph | None) -> Graph:
    stored, integers = _held(source, known.one_bit)
    outputs = tuple(value.name for value in source.output)
    kept, read = _needed(source, outputs)
    inputs = tuple(value.name for value in source.input if value.name not in stored)
    names = {*inputs, *outputs, *(name for node in kept for name in (*node.input, *node.output))}
    own = {name: known.tensors[name] for name in names if name in known.tensors}
    bare = Graph(inputs, outputs, (), own, stored, integers, outer)
    nodes = tuple(_node(node, read, known, bare) for node in kept if node.op_type != "Constant")
    return replace(bare, nodes=nodes)


def _node(likeness: onnx.NodeProto, read: set[str], known: _Known, around: Graph) -> Node:
    """One operator; outputs nobody reads, such as the mask of a dropout, are left out."""
    node = known.originals.get(_first(likeness.output), likeness)
    bodies = tuple(_graph(body, known, around) for body in bodies_of(likeness))
    attributes = {one.name: value for one in node.attribute if (value := _attribute(one)) is not None}
    domain = "" if node.domain == "ai.onnx" else node.domain
    outputs = tuple(name if name in read else "" for name in node.output)
    return Node(node.op_type, domain, node.name, tuple(node.input), outputs, attributes, bodies)


def _attribute(one: onnx.AttributeProto) -> Attribute | None:
    if one.type == _A.INT:
        return int(one.i)
    if one.type == _A.INTS:
        return tuple(one.ints)
    if one.type == _A.STRING:
        return one.s.decode("utf-8", "replace")
    return float(one.f) if one.type == _A.FLOAT else None


def _held(source: onnx.GraphProto, one_bit: frozenset[str]) -> tuple[dict[str, Stored], dict[str, Shape]]:
    """What a graph stores, and the values of its small integers."""
    tensors = list(source.initializer)
    for node in source.node:
        if node.op_type == "Constant":
            for one in node.attribute:
                if one.HasField("t"):
                    tensor = onnx.TensorProto()
                    tensor.CopyFrom(one.t)
                    tensor.name = node.output[0]
                    tensors.append(tensor)
    stored = {
        tensor.name: Stored(tensor_of(tensor.data_type, tuple(tensor.dims)), tensor.name in one_bit)
        for tensor in tensors
    }
    integers = {tensor.name: values for tensor in tensors if (values := _integers(tensor)) is not None}
    for node in source.node:
        if node.op_type == "Constant" and node.output[0] not in stored:
            stored[node.output[0]] = Stored(Tensor((), Kind.OTHER, 0))  # a number or a text among the attributes
    for sparse in source.sparse_initializer:
        stored[sparse.values.name] = Stored(tensor_of(sparse.values.data_type, tuple(sparse.dims)))
    return stored, integers


def _integers(tensor: onnx.TensorProto) -> Shape | None:
    small = tensor.data_location != onnx.TensorProto.EXTERNAL and prod(tensor.dims) <= 16
    if tensor.data_type not in (onnx.TensorProto.INT64, onnx.TensorProto.INT32) or not small:
        return None
    return tuple(int(value) for value in numpy_helper.to_array(tensor).reshape(-1))


def _needed(source: onnx.GraphProto, outputs: tuple[str, ...]) -> tuple[list[onnx.NodeProto], set[str]]:
    """Operators that lead to an output, in the order of the graph, and all values they and the outputs read."""
    read = set(outputs)
    kept = []
    for node in reversed(source.node):
        if read.intersection(node.output):
            kept.append(node)
            read |= set(node.input) | {name for body in bodies_of(node) for name in _mentioned(body)}
    return kept[::-1], read


def _mentioned(body: onnx.GraphProto) -> set[str]:
    names = {name for node in body.node for name in node.input} | {value.name for value in body.output}
    return names.union(*(_mentioned(inner) for node in body.node for inner in bodies_of(node)))
