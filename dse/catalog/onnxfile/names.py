"""Names made unique: two branches may use one name for different values, and everything after this looks up by name."""

from __future__ import annotations

from collections.abc import Mapping

import onnx

from dse.catalog.onnxfile.expand import bodies_of


def make_unique(graph: onnx.GraphProto) -> None:
    """Rename what bodies define under a name that is already in use; changes the graph in place."""
    taken = _defined(graph)
    for node in graph.node:
        for body in bodies_of(node):
            _rename(body, {}, taken)


def _defined(graph: onnx.GraphProto) -> set[str]:
    """Names a graph gives, those of its bodies left out."""
    names = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    names |= {sparse.values.name for sparse in graph.sparse_initializer}
    return names | {name for node in graph.node for name in node.output if name}


def _rename(body: onnx.GraphProto, around: Mapping[str, str], taken: set[str]) -> None:
    """Rename inside one body; `around` are the new names of what lies outside of it."""
    own = _defined(body)
    new = {name: f"{name}~{len(taken)}" for name in sorted(own & taken)}
    taken |= own | set(new.values())
    names = {name: to for name, to in around.items() if name not in own} | new
    for value in [*body.input, *body.output, *body.value_info, *body.initializer]:
        value.name = names.get(value.name, value.name)
    for sparse in body.sparse_initializer:
        sparse.values.name = names.get(sparse.values.name, sparse.values.name)
    for node in body.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
        for inner in bodies_of(node):
            _rename(inner, names, taken)
