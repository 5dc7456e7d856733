"""Binary networks: which stored tensors hold one bit per value, and which products are of one-bit values on both sides.

ONNX has no one-bit type: such networks come as a ``Sign`` in front of an ordinary convolution, or with ``BipolarQuant``
of QONNX (https://github.com/fastmachinelearning/qonnx). Both sides must be of one bit for one-bit arithmetic to apply.
"""

from __future__ import annotations

import numpy as np
import onnx

from dse.catalog.onnxfile.graph import Graph, Node

_SIGNS = frozenset({"Sign", "BipolarQuant"})
# What leaves one bit one bit: places change, or all values of a filter are scaled alike.
_KEEPS = frozenset({"Identity", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Pad", "Mul", "Div", "Cast"})
_LONGEST = 12
"""Operators between a sign and the product that are looked through."""


def is_one_bit(tensor: onnx.TensorProto) -> bool:
    """Whether all values, or those of each filter (first or last axis), are plus or minus one number that is not 0.

    Tensors whose data lie in another file are never looked at.
    """
    if tensor.data_location == onnx.TensorProto.EXTERNAL or len(tensor.dims) < 2:
        return False
    if tensor.data_type == onnx.TensorProto.FLOAT:
        flat = np.frombuffer(tensor.raw_data, "<f4") if tensor.raw_data else np.array(tensor.float_data, "f4")
    elif tensor.data_type == onnx.TensorProto.INT8 and tensor.raw_data:
        flat = np.frombuffer(tensor.raw_data, "i1").astype(np.int16, copy=False)
    else:
        return False
    if flat.size != np.prod(tensor.dims, dtype=object) or flat.size == 0:
        return False
    values = flat.reshape(tuple(tensor.dims))
    return _alike(values.reshape(values.shape[0], -1)) or _alike(values.reshape(-1, values.shape[-1]).T)


def _alike(filters: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> bool:
    """Whether each row is plus or minus one number; looks at the first row before it looks at all."""
    for rows in (filters[:1], filters):
        sizes = np.abs(rows)
        with np.errstate(all="ignore"):
            if not bool(np.all(sizes > 0) & np.all(np.abs(sizes - sizes[:, :1]) <= 1e-6 * sizes[:, :1])):
                return False
    return True


def is_binary(node: Node, graph: Graph, data: int, weights: int) -> bool:
    """Whether both factors of a product are of one bit.

    Parameters
    ----------
    node : Node
        The product.
    graph : Graph
        Where it stands.
    data, weights : int
        Which of its inputs the factors are.
    """
    names = [node.inputs[slot] for slot in (data, weights) if slot < len(node.inputs)]
    return len(names) == 2 and all(_is_sign(name, graph) for name in names)


def _is_sign(name: str, graph: Graph) -> bool:
    """Follow a value back through what keeps one bit, to a sign or to a stored tensor of one bit."""
    for _ in range(_LONGEST):
        stored = graph.held(name)
        if stored is not None:
            return stored.one_bit
        found = graph.producer(name)
        if found is None:
            return False
        graph, node = found
        if node.op in _SIGNS:
            return True
        if node.op not in _KEEPS:
            return False
        moving = [one for one in node.inputs[:2] if one and not _is_scale(one, graph)]
        name = moving[0] if moving else node.inputs[0]
        if node.op in ("Mul", "Div") and len(moving) > 1:
            return False
    return False


def _is_scale(name: str, graph: Graph) -> bool:
    """Whether a factor is a constant that is no weight tensor of one bit itself."""
    stored = graph.held(name)
    return graph.is_constant(name) and (stored is None or not stored.one_bit) and not _from_sign(name, graph)


def _from_sign(name: str, graph: Graph) -> bool:
    found = graph.producer(name)
    return found is not None and found[1].op in _SIGNS
