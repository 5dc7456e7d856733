"""Peak memory of the values alive at one time, from the order of the operators; exact for the rules stated here.

- Operators run one after the other, in the file's order; nothing is tiled or computed twice.
- A value lives from the operator that computes it to the last that reads it; inputs of the network from the start to
  their last reader, its outputs to the end.
- A change of shape or of type (quantize, dequantize, cast) is a view: no memory of its own.
- An element-wise operator (activation, addition, normalization by stored figures) writes over one of its inputs if
  that has its size and nobody needs it afterwards; so fused and unfused networks come out alike.
- Weights and everything computed from them alone are not in it; neither is what a kernel needs for itself.
- Branches and loop bodies add the larger of their own peaks while they run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dse.catalog.onnxfile.graph import Graph, Kind, Node, Tensor
from dse.catalog.onnxfile.known import FUSED_CASTS, IN_PLACE, VIEWS

BITS: Mapping[str, int] = {"fp32": 32, "fp16": 16, "int8": 8}
"""Width of an activation when the whole network runs at one precision."""
_NOTHING = Tensor(None, Kind.OTHER, 0)
_REAL = (Kind.FLOAT, Kind.QUANTIZED)


@dataclass(frozen=True)
class Buffer:
    """A piece of memory; steps are places in the order of operators, both included."""

    tensor: Tensor
    first: int
    last: int


def peak_bytes(graph: Graph) -> dict[str, int]:
    """Peak memory by precision [byte]; values whose size is not known take none.

    Examples
    --------
    >>> real = Tensor((1000,), Kind.FLOAT, 32)
    >>> chain = (Node("Softmax", "", "", ("x",), ("y",)), Node("Relu", "", "", ("y",), ("z",)))
    >>> peak_bytes(Graph(("x",), ("z",), chain, dict.fromkeys("xyz", real), {}, {}))
    {'fp32': 8000, 'fp16': 4000, 'int8': 2000}
    """
    buffers = list(_buffers(graph).values())
    inner = {step: [peak_bytes(body) for body in node.bodies] for step, node in enumerate(graph.nodes) if node.bodies}
    return {
        precision: _peak(
            buffers, precision, {step: max(one[precision] for one in found) for step, found in inner.items()}
        )
        for precision in BITS
    }


def byte_count(tensor: Tensor, precision: str) -> int:
    """Memory of a value [byte]: numbers at the width of the precision, indices and truth values at their own."""
    bits = BITS[precision] if tensor.kind in _REAL else tensor.bits
    return -(-(tensor.elements or 0) * bits // 8)


def _buffers(graph: Graph) -> dict[str, Buffer]:
    """Memory by the value that first holds it."""
    last_use = _last_uses(graph)
    owner: dict[str, str] = {}
    buffers: dict[str, Buffer] = {}
    for name in graph.inputs:
        owner[name] = name
        buffers[name] = Buffer(graph.tensor(name) or _NOTHING, 0, last_use.get(name, 0))
    for step, node in enumerate(graph.nodes):
        if not graph.runs(node):
            continue
        for place, name in enumerate(node.outputs):
            if not name:
                continue
            last = last_use.get(name, step)
            host = _host(node, graph, step, owner, buffers) if place == 0 else None
            if host is None:
                owner[name] = name
                buffers[name] = Buffer(graph.tensor(name) or _NOTHING, step, last)
            else:
                owner[name] = host
                held = buffers[host]
                buffers[host] = Buffer(held.tensor, held.first, max(held.last, last))
    return buffers


def _last_uses(graph: Graph) -> dict[str, int]:
    """Last step that reads each value; the step after all others for the outputs."""
    last: dict[str, int] = {}
    for step, node in enumerate(graph.nodes):
        for name in (*node.inputs, *(name for body in node.bodies for name in _taken(body))):
            last[name] = step
    return last | dict.fromkeys(graph.outputs, len(graph.nodes))


def _taken(body: Graph) -> set[str]:
    """What a body reads of the graphs around it."""
    names = {name for node in body.nodes for name in node.inputs} | set(body.outputs)
    return names.union(*(_taken(inner) for node in body.nodes for inner in node.bodies))


def _host(node: Node, graph: Graph, step: int, owner: Mapping[str, str], buffers: Mapping[str, Buffer]) -> str | None:
    """The memory an output lies in if it gets none of its own."""
    out = graph.tensor(node.outputs[0])
    moving = [owner[name] for name in node.inputs if name in owner]
    if out is None or not moving:
        return None
    source = graph.tensor(node.inputs[0])
    if node.inputs[0] in owner and source is not None and _is_view(node, source, out):
        return owner[node.inputs[0]]
    if node.op not in IN_PLACE:
        return None
    for name in moving:
        held = buffers[name]
        if held.last == step and held.tensor.elements == out.elements and _alike(held.tensor, out):
            return name
    return None


def _is_view(node: Node, source: Tensor, out: Tensor) -> bool:
    return node.op in VIEWS or (node.op in FUSED_CASTS and _alike(source, out))


def _alike(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors are as wide as each other at every precision."""
    return one.kind is other.kind or (one.kind in _REAL and other.kind in _REAL)


def _peak(buffers: list[Buffer], precision: str, inner: Mapping[int, int]) -> int:
    """Largest sum over the steps, the peaks of bodies included."""
    change: dict[int, int] = {}
    for buffer in buffers:
        size = byte_count(buffer.tensor, precision)
        change[buffer.first] = change.get(buffer.first, 0) + size
        change[buffer.last + 1] = change.get(buffer.last + 1, 0) - size
    peak = alive = 0
    for step in sorted({*change, *inner}):
        alive += change.get(step, 0)
        peak = max(peak, alive + inner.get(step, 0))
    return peak
