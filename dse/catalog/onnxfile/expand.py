"""Functions written out and operators put in an order in which they can run; refuses circles and explosions."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import onnx

from dse.catalog.onnxfile.types import refuse

MAX_OPERATORS = 500_000
"""More than any network that is run: functions that call functions could otherwise fill the memory."""
_Key = tuple[str, str]


def expanded(model: onnx.ModelProto, path: Path) -> onnx.ModelProto:
    """The model without local functions, its operators in order.

    Raises
    ------
    CatalogError
        A function calls itself, the functions multiply beyond bounds, operators form a circle, a value is computed
        twice or by nobody.
    """
    if model.functions:
        count = _written_out(model, path)
        if count > MAX_OPERATORS:
            raise refuse(path, f"its functions written out are {count:,} operators, more than {MAX_OPERATORS:,}")
        from onnx import inliner

        try:
            model = inliner.inline_local_functions(model)
        except Exception as error:  # whatever the C++ side throws
            raise refuse(path, f"its functions cannot be written out: {_first_line(error)}") from error
    put_in_order(model.graph, path, frozenset())
    return model


def _written_out(model: onnx.ModelProto, path: Path) -> int:
    """Operators of the model with every function call replaced by its body."""
    functions = {(_domain(f.domain), f.name): f for f in model.functions}
    sizes: dict[_Key, int] = {}
    for start in functions:
        _measure(start, functions, sizes, path)
    return sum(sizes.get((_domain(node.domain), node.op_type), 1) for node in _all_nodes(model.graph.node))


def _measure(start: _Key, functions: Mapping[_Key, onnx.FunctionProto], sizes: dict[_Key, int], path: Path) -> None:
    """Sizes of a function and those it calls, depth first and without recursion."""
    stack, open_ones = [start], set[_Key]()
    while stack:
        key = stack[-1]
        calls = [(_domain(node.domain), node.op_type) for node in _all_nodes(functions[key].node)]
        todo = [call for call in dict.fromkeys(calls) if call in functions and call not in sizes]
        if any(call in open_ones or call == key for call in todo):
            raise refuse(path, f"the function `{key[1][:80]}` calls itself")
        if todo and key not in sizes:
            open_ones.add(key)
            stack += todo
            continue
        sizes[key] = max(1, sum(sizes.get(call, 1) for call in calls))
        open_ones.discard(key)
        stack.pop()


def _domain(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain


def _all_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    for node in nodes:
        yield node
        for body in bodies_of(node):
            yield from _all_nodes(body.node)


def bodies_of(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """Graphs inside an operator: branches, loop bodies."""
    alone = [attribute.g for attribute in node.attribute if attribute.HasField("g")]
    return alone + [body for attribute in node.attribute for body in attribute.graphs]


def put_in_order(graph: onnx.GraphProto, path: Path, outer: frozenset[str]) -> None:
    """Sort the operators of a graph and its bodies so that each comes after those it needs; else keep the file's order.

    Raises
    ------
    CatalogError
        A circle, a value computed twice, a value nobody computes.
    """
    given = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    given |= {sparse.values.name for sparse in graph.sparse_initializer} | outer
    maker: dict[str, int] = {}
    for index, node in enumerate(graph.node):
        for name in filter(None, node.output):
            if name in maker or name in given - outer:
                raise refuse(path, f"the value `{name[:80]}` is computed twice", "the file is damaged: export it again")
            maker[name] = index
    needs = [{name for name in _read(node) if name in maker or name not in given} for node in graph.node]
    for node, names in zip(graph.node, needs, strict=True):
        unknown = sorted(name for name in names if name not in maker)
        if unknown:
            label = f"{node.op_type} `{(node.name or ''.join(node.output[:1]))[:80]}`"
            raise refuse(path, f"{label} reads `{unknown[0][:80]}`, which nothing computes", "export it again")
    lost = [value.name for value in graph.output if value.name not in maker and value.name not in given]
    if lost:
        raise refuse(path, f"the output `{lost[0][:80]}` is computed by nothing", "export it again")
    order = _order([{maker[name] for name in names} for names in needs])
    if len(order) < len(graph.node):
        stuck = min(set(range(len(graph.node))) - set(order))
        raise refuse(path, f"operators wait for each other in a circle, among them {graph.node[stuck].op_type} "
                     f"`{graph.node[stuck].name[:80]}`", "the file is damaged: export it again")  # fmt: skip
    if order != sorted(order):
        replace_nodes(graph, [graph.node[index] for index in order])
    inner = frozenset(given | set(maker))
    for node in graph.node:
        for body in bodies_of(node):
            put_in_order(body, path, inner)


def replace_nodes(graph: onnx.GraphProto, nodes: Iterable[onnx.NodeProto]) -> None:
    """Let a graph hold these operators, which may be its own or lie inside them."""
    copies = []
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copies.append(copy)
    del graph.node[:]
    graph.node.extend(copies)


def _read(node: onnx.NodeProto) -> set[str]:
    """Names an operator reads, those its bodies take from around them included."""
    names = set(filter(None, node.input))
    for body in bodies_of(node):
        inside = {value.name for value in body.input} | {tensor.name for tensor in body.initializer}
        inside |= {name for one in body.node for name in one.output}
        inside |= {sparse.values.name for sparse in body.sparse_initializer}
        names |= {name for one in body.node for name in _read(one)} - inside
        names |= {value.name for value in body.output} - inside
    return names


def _order(needs: list[set[int]]) -> list[int]:
    """Indices so that each comes after those it needs, otherwise the smallest first; short where there is a circle."""
    left = [len(one) for one in needs]
    users: list[list[int]] = [[] for _ in needs]
    for index, one in enumerate(needs):
        for need in one:
            users[need].append(index)
    ready = [index for index, count in enumerate(left) if count == 0]
    order: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for user in users[index]:
            left[user] -= 1
            if left[user] == 0:
                heapq.heappush(ready, user)
    return order


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
