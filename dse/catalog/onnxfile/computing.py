"""One operator on small constants, computed: the arithmetic on sizes that shapes hang on.

Only listed operators are computed, on small values, and never to a result larger than `SMALL`: a file cannot make this
fill the memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
import onnx

from dse.catalog.onnxfile.types import shape_of

SMALL = 1_024
"""Elements of the largest value that is computed."""
_SCALES = 16
"""Real numbers that are computed at most: as many as a tensor has axes."""
_BROADCAST = frozenset(
    {"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Where", "Equal", "Greater", "GreaterOrEqual", "Less",
     "LessOrEqual", "And", "Or"}
)  # fmt: skip
_SINGLE = frozenset(
    {"Gather", "Slice", "Concat", "Unsqueeze", "Squeeze", "Cast", "Floor", "Ceil", "Round", "Neg", "Abs", "Sqrt", "Not",
     "ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin", "Identity", "Reshape", "Split", "Transpose", "Constant",
     "Flatten"}
)  # fmt: skip
_GROWS = frozenset({"Range", "ConstantOfShape", "Expand"})
Array = np.ndarray[Any, np.dtype[Any]]


def computed(
    node: onnx.NodeProto,
    known: Mapping[str, Array],
    types: Mapping[str, onnx.TypeProto],
    opsets: list[onnx.OperatorSetIdProto],
) -> list[Array] | None:
    """Results of an operator; None where they are not known, too large, or not worth it."""
    if node.domain not in ("", "ai.onnx"):
        return None
    if node.op_type in ("Shape", "Size"):
        return _sizes(node, types)
    inputs = [known.get(name) if name else None for name in node.input]
    if any(value is None and name for value, name in zip(inputs, node.input, strict=True)):
        return None
    present = [value for value in inputs if value is not None]
    if node.op_type not in _BROADCAST | _SINGLE | _GROWS or not _stays_small(node.op_type, present):
        return None
    try:
        from onnx.reference import ReferenceEvaluator

        wanted = [name for name in node.output if name]
        named = [onnx.ValueInfoProto(name=name) for name in dict.fromkeys(node.input) if name]
        graph = onnx.helper.make_graph([node], "one", named, [onnx.ValueInfoProto(name=name) for name in wanted])
        model = onnx.helper.make_model(graph, opset_imports=opsets)
        feeds = {name: value for name, value in zip(node.input, inputs, strict=True) if name}
        with np.errstate(all="ignore"):
            results = [np.asarray(one) for one in ReferenceEvaluator(model).run(None, feeds)]
    except Exception:  # a file may say anything: what cannot be computed stays unknown
        return None
    return results if all(_is_shape(one) for one in results) else None


def _is_shape(value: Array) -> bool:
    """Whether a result may be part of a shape: whole numbers, or a few scales; never weights."""
    return value.size <= SMALL if value.dtype.kind in "iub" else value.dtype.kind == "f" and value.size <= _SCALES


def _sizes(node: onnx.NodeProto, types: Mapping[str, onnx.TypeProto]) -> list[Array] | None:
    found = types.get(node.input[0]) if node.input else None
    shape = None if found is None else shape_of(found)
    if shape is None:
        return None
    if node.op_type == "Size":
        return [np.array(prod(shape), np.int64)] if prod(shape) < 2**62 else None
    ends = {attribute.name: attribute.i for attribute in node.attribute}
    return [np.array(shape[ends.get("start", 0) : ends.get("end")], np.int64)]


def _stays_small(op: str, inputs: list[Array]) -> bool:
    """Whether the result has at most `SMALL` elements, as far as that must be known before it is computed."""
    if any(value.size > (_SCALES if value.dtype.kind == "f" else SMALL) for value in inputs):
        return False
    try:
        if op in _BROADCAST:
            return prod(np.broadcast_shapes(*(value.shape for value in inputs))) <= SMALL
        if op == "Range":
            start, limit, step = (float(value.item()) for value in inputs)
            return step != 0 and abs((limit - start) / step) <= SMALL
    except ValueError:
        return False
    if op in _GROWS:
        sizes = [max(int(size), 1) for size in inputs[-1].reshape(-1)]
        return len(sizes) <= _SCALES and prod(sizes) * inputs[0].size <= SMALL
    return op != "Gather" or inputs[0].size * max(inputs[-1].size, 1) <= SMALL * SMALL
