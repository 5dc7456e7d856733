"""Branches whose condition is known before a run: the branch taken is written into the graph around it.

Exporters of PyTorch leave ``If`` behind wherever a size decided; once the sizes are given there is nothing to decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx

Array = np.ndarray[Any, np.dtype[Any]]


def decided(node: onnx.NodeProto, known: Mapping[str, Array]) -> onnx.GraphProto | None:
    """The branch an operator takes in every run; None where it is no branch, or not known."""
    if node.op_type != "If" or node.domain not in ("", "ai.onnx") or not node.input or node.input[0] not in known:
        return None
    value = known[node.input[0]]
    if value.size != 1:
        return None
    wanted = "then_branch" if bool(value.item()) else "else_branch"
    return next((one.g for one in node.attribute if one.name == wanted and one.HasField("g")), None)


def fits(branch: onnx.GraphProto, graph: onnx.GraphProto) -> bool:
    """Whether none of the names inside is taken outside."""
    inside = {name for node in branch.node for name in node.output if name}
    inside |= {tensor.name for tensor in branch.initializer}
    outside = {name for node in graph.node for name in node.output} | {value.name for value in graph.input}
    return not inside & (outside | {tensor.name for tensor in graph.initializer}) and not branch.sparse_initializer


def written_out(node: onnx.NodeProto, branch: onnx.GraphProto, graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Operators that take the place of the branching one; what the branch stores moves to the graph."""
    graph.initializer.extend(branch.initializer)
    ends = [
        onnx.helper.make_node("Identity", [inside.name], [outside])
        for inside, outside in zip(branch.output, node.output, strict=False)
        if outside
    ]
    return [*branch.node, *ends]
