"""The shape of every value: ONNX's own inference, helped where it stops.

Three helps, in rounds until nothing new is found: operators outside the standard whose output has the shape of their
input stand in for their standard likeness; what the file itself says of a value's shape; constants of shapes, computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import onnx

from dse.catalog.onnxfile.expand import bodies_of
from dse.catalog.onnxfile.folding import Walk, fold
from dse.catalog.onnxfile.graph import Tensor
from dse.catalog.onnxfile.known import STAND_INS
from dse.catalog.onnxfile.types import refuse, shape_of, tensor_of

_ROUNDS = 20
"""Most nets take two, and one more for each level of branches in which the other helps; each must find something."""
_STORED_ARE_NO_INPUTS = 4
"""Version of the format since which a stored tensor need not be an input as well."""


@dataclass(frozen=True)
class Shaped:
    """The model in which shapes were found, and the type of every value by its name, which no other one shares."""

    model: onnx.ModelProto
    tensors: Mapping[str, Tensor]


def shaped(model: onnx.ModelProto, path: Path, sizes: Mapping[str, int]) -> Shaped:
    """Find the shape of every value.

    Parameters
    ----------
    model : onnx.ModelProto
        Without functions, in order, its inputs fixed. It is changed: constants of shapes take the place of operators.
    path : Path
        For messages.
    sizes : mapping of axis name to size
        What the names of free axes stand for.

    Raises
    ------
    CatalogError
        The model contradicts itself so that inference gives up altogether.
    """
    stated = _take_statements(model, sizes)
    likeness = _stand_in(model)
    types: dict[str, onnx.TypeProto] = {}
    branching = any(bodies_of(node) for node in likeness.graph.node)
    for round_ in range(_ROUNDS):
        types = dict(_types(_inferred(likeness, path).graph))
        walk = Walk(types, stated, list(model.opset_import))
        settled = all(map(walk.is_known, _outputs(likeness.graph))) and not (branching and round_ == 0)
        if settled or not fold(likeness.graph, walk, {}):
            break
    return Shaped(likeness, {name: _tensor(kind) for name, kind in types.items()})


def _inferred(model: onnx.ModelProto, path: Path) -> onnx.ModelProto:
    try:
        # Its own propagation of constants writes out every element of a declared size: one cast fills the memory.
        return onnx.shape_inference.infer_shapes(model, data_prop=False)
    except Exception as error:  # whatever the C++ side throws
        reason = (str(error).splitlines() or ["no reason given"])[0][:200]
        raise refuse(path, f"its shapes contradict each other: {reason}", "export it again") from error


def _take_statements(model: onnx.ModelProto, sizes: Mapping[str, int]) -> dict[str, onnx.TypeProto]:
    """What the file says of the shapes of values; taken out, since it may be of another input size."""
    stated: dict[str, onnx.TypeProto] = {}
    for graph in _graphs(model.graph):
        for value in [*graph.value_info, *graph.output]:
            if value.type.HasField("tensor_type") and value.type.tensor_type.HasField("shape"):
                for axis in value.type.tensor_type.shape.dim:
                    if axis.dim_param in sizes:
                        axis.dim_value = sizes[axis.dim_param]
                if shape_of(value.type) is not None:
                    stated[value.name] = onnx.TypeProto.FromString(value.type.SerializeToString())
        del graph.value_info[:]
        for value in graph.output:
            if value.type.HasField("tensor_type"):
                value.ClearField("type")
    return stated


def _stand_in(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with standard operators in the place of those that shape inference does not know."""
    likeness = onnx.ModelProto()
    likeness.CopyFrom(model)
    likeness.ir_version = max(model.ir_version, _STORED_ARE_NO_INPUTS)
    for graph in _graphs(likeness.graph):
        for node in graph.node:
            standard = STAND_INS.get(node.op_type) if node.domain not in ("", "ai.onnx") else None
            if standard is not None and not any(one.name == "channels_last" and one.i for one in node.attribute):
                inputs = [node.input[slot] for slot in standard.inputs if slot < len(node.input)]
                node.op_type, node.domain = standard.op, ""
                del node.input[:], node.attribute[:]
                node.input.extend(inputs)
    return likeness


def _graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for body in bodies_of(node):
            yield from _graphs(body)


def _outputs(graph: onnx.GraphProto) -> set[str]:
    return {name for one in _graphs(graph) for node in one.node for name in node.output if name}


def _types(graph: onnx.GraphProto) -> Iterator[tuple[str, onnx.TypeProto]]:
    """Types of the values of a graph and its bodies."""
    for one in _graphs(graph):
        for tensor in one.initializer:
            yield tensor.name, onnx.helper.make_tensor_type_proto(tensor.data_type, list(tensor.dims))
        for sparse in one.sparse_initializer:
            yield sparse.values.name, onnx.helper.make_tensor_type_proto(sparse.values.data_type, list(sparse.dims))
        for value in [*one.input, *one.value_info, *one.output]:
            if value.type.HasField("tensor_type"):
                yield value.name, value.type


def _tensor(kind: onnx.TypeProto) -> Tensor:
    return tensor_of(kind.tensor_type.elem_type, shape_of(kind))
