"""One walk along the operators in which shapes and the constants they hang on are found together.

Exporters write ``Shape → Gather → Mul → Concat → Reshape`` where the sizes are known all along; ONNX's own inference
stops at the first of them. Here an operator is computed if its inputs are known and small, else its shape is inferred.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import onnx
from onnx import numpy_helper

from dse.catalog.onnxfile.branches import decided, fits, written_out
from dse.catalog.onnxfile.computing import SMALL, Array, computed
from dse.catalog.onnxfile.expand import bodies_of, replace_nodes
from dse.catalog.onnxfile.types import FIELD_OF, shape_of

_IR_VERSION = 8


@dataclass(frozen=True)
class Walk:
    """What is known while walking.

    Parameters
    ----------
    types : dict of name to type
        Grows on the way.
    stated : mapping of name to type
        What the file says of values that cannot be inferred.
    opsets : list
        Operator sets of the model.
    """

    types: dict[str, onnx.TypeProto]
    stated: Mapping[str, onnx.TypeProto]
    opsets: list[onnx.OperatorSetIdProto]

    def is_known(self, name: str) -> bool:
        """Whether the shape of a value is known."""
        return name in self.types and shape_of(self.types[name]) is not None


def fold(graph: onnx.GraphProto, walk: Walk, around: Mapping[str, Array]) -> int:
    """Replace what can be computed by stored tensors and decided branches by what they hold, and write shapes down.

    Parameters
    ----------
    graph : onnx.GraphProto
        Operators in order; changed in place.
    walk : Walk
        What is known; grows.
    around : mapping of name to array
        Small constants of the graphs around it.

    Returns
    -------
    int
        How much was found: operators replaced and shapes.
    """
    known = {**around, **_small_values(graph)}
    kept: list[onnx.NodeProto] = []
    count = 0
    for node in graph.node:
        results = computed(node, known, walk.types, walk.opsets)
        branch = decided(node, known) if results is None else None
        if results is not None:
            _store(node, results, graph, walk)
            known.update(zip(node.output, results, strict=False))
            count += 1
        elif branch is not None and fits(branch, graph):
            kept += written_out(node, branch, graph)
            count += 1
        else:
            for body in bodies_of(node):
                count += fold(body, walk, known) + _hand_down(body, known)
            count += _infer(node, graph, walk, known)
            kept.append(node)
    if count:
        replace_nodes(graph, kept)
    return count


def _store(node: onnx.NodeProto, results: list[Array], graph: onnx.GraphProto, walk: Walk) -> None:
    for name, value in zip(node.output, results, strict=False):
        tensor = numpy_helper.from_array(value, name)
        graph.initializer.append(tensor)
        walk.types[name] = onnx.helper.make_tensor_type_proto(tensor.data_type, value.shape)


def _infer(node: onnx.NodeProto, graph: onnx.GraphProto, walk: Walk, known: Mapping[str, Array]) -> int:
    """Shapes of an operator's outputs that the walk so far makes known; returns how many."""
    missing = [name for name in node.output if name and not walk.is_known(name)]
    if not missing:
        return 0
    found = {name: walk.stated[name] for name in missing if name in walk.stated}
    found |= {name: kind for name, kind in _inferred(node, walk, known).items() if shape_of(kind) is not None}
    new = [name for name in missing if name in found]
    for name in new:
        walk.types[name] = found[name]
        graph.value_info.add(name=name, type=found[name])
    return len(new)


def _inferred(node: onnx.NodeProto, walk: Walk, known: Mapping[str, Array]) -> dict[str, onnx.TypeProto]:
    types = {name: walk.types[name] for name in node.input if name in walk.types}
    if node.domain not in ("", "ai.onnx") or bodies_of(node) or any(name and name not in types for name in node.input):
        return {}
    version = max((one.version for one in walk.opsets if one.domain in ("", "ai.onnx")), default=1)
    data = {name: numpy_helper.from_array(known[name], name) for name in node.input if name in known}
    try:
        schema = onnx.defs.get_schema(node.op_type, version, "")
        return onnx.shape_inference.infer_node_outputs(schema, node, types, data, None, walk.opsets, _IR_VERSION)
    except Exception:  # whatever the C++ side throws: the shape stays unknown
        return {}


def _hand_down(body: onnx.GraphProto, known: Mapping[str, Array]) -> int:
    """Store in a body what it reads of the constants around it: shape inference does not look there itself."""
    own = {tensor.name for tensor in body.initializer} | {value.name for value in body.input}
    own |= {name for node in body.node for name in node.output}
    read = {name for node in body.node for name in node.input if name in known} - own
    body.initializer.extend(numpy_helper.from_array(known[name], name) for name in sorted(read))
    return len(read)


def _small_values(graph: onnx.GraphProto) -> dict[str, Array]:
    return {
        tensor.name: numpy_helper.to_array(tensor)
        for tensor in graph.initializer
        if tensor.data_location != onnx.TensorProto.EXTERNAL
        and tensor.data_type in FIELD_OF
        and prod(tensor.dims) <= SMALL
    }
