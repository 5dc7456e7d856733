"""The work of a whole graph, with the bodies of its branches and loops; what is not counted is listed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dse.catalog.onnxfile.counting import NotCounted, work_of
from dse.catalog.onnxfile.graph import Graph, Node
from dse.catalog.onnxfile.known import KNOWN_CUSTOM, POOLS, WITHOUT_MACS, WORDS
from dse.catalog.onnxfile.one_bit import is_binary

_BRANCHES, _LOOPS = ("If",), ("Loop", "Scan")


@dataclass(frozen=True)
class Tally:
    """Sums over operators.

    Parameters
    ----------
    macs, binary_macs : int
        Multiply-accumulates of one run, and those of one bit among them.
    activations : int
        Elements of the outputs of operators that multiply and accumulate: the convention of timm and fvcore, whose
        figures the catalogue holds.
    layers : int
        Such operators.
    words : frozenset of str
        Words of ``dse.catalog.operators``.
    uncounted : tuple of (operator, reason)
        Operators that were counted as zero.
    remarks : tuple of str
        How branches and loops were taken.
    """

    macs: int = 0
    binary_macs: int = 0
    activations: int = 0
    layers: int = 0
    words: frozenset[str] = frozenset()
    uncounted: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = field(default=())

    def times(self, runs: int) -> Tally:
        """The work of several runs; words and reasons stay."""
        scaled = self.macs * runs, self.binary_macs * runs, self.activations * runs
        return Tally(*scaled, self.layers, self.words, self.uncounted, self.remarks)


def tally(graph: Graph) -> Tally:
    """Sum over the operators a run executes."""
    return _total(_of_node(node, graph) for node in graph.nodes if graph.runs(node))


def _total(parts: Iterable[Tally]) -> Tally:
    parts = list(parts)
    return Tally(
        sum(one.macs for one in parts),
        sum(one.binary_macs for one in parts),
        sum(one.activations for one in parts),
        sum(one.layers for one in parts),
        frozenset().union(*(one.words for one in parts)),
        tuple(item for one in parts for item in one.uncounted),
        tuple(dict.fromkeys(item for one in parts for item in one.remarks)),
    )


def _of_node(node: Node, graph: Graph) -> Tally:
    if node.bodies and not node.domain:
        return _of_bodies(node, graph)
    try:
        work = work_of(node, graph)
    except NotCounted as reason:
        return Tally(words=_words(node, graph), uncounted=((node.label, str(reason)),))
    if work is None:
        return _without_macs(node, graph)
    elements = [graph.tensor(name) for name in node.outputs[:1]]
    binary = work.macs if is_binary(node, graph, *work.factors) else 0
    words = work.words | ({"binary"} if binary else frozenset())
    size = (elements[0].elements or 0) if elements and elements[0] is not None and work.macs else 0
    return Tally(work.macs, binary, size, 1 if work.macs else 0, words)


def _without_macs(node: Node, graph: Graph) -> Tally:
    known = node.op in (KNOWN_CUSTOM if node.domain else WITHOUT_MACS)
    if known:
        return Tally(words=_words(node, graph))
    what = "no operator of the standard" if node.domain else "an operator whose work nobody has told dse"
    return Tally(words=frozenset({"custom"} if node.domain else ()), uncounted=((node.label, f"is {what}"),))


def _words(node: Node, graph: Graph) -> frozenset[str]:
    if node.op in WORDS:
        return frozenset({WORDS[node.op]})
    if node.op in POOLS and len((graph.shape(node.inputs[0]) if node.inputs else None) or ()) == 5:
        return frozenset({"3-d"})
    stored = graph.held(node.inputs[0]) if node.op == "Gather" and node.inputs else None
    if stored is not None and len(stored.tensor.shape or ()) == 2 and node.integer("axis", 0) == 0:
        return frozenset({"embedding"} if stored.tensor.kind in ("float", "quantized") else ())
    return frozenset()


def _of_bodies(node: Node, graph: Graph) -> Tally:
    parts = [tally(body) for body in node.bodies]
    words = frozenset({"control-flow"}).union(*(one.words for one in parts))
    if node.op in _BRANCHES:
        largest = max(parts, key=lambda one: one.macs)
        remark = f"{node.label}: the branch with the most work is counted"
        remarks = (*largest.remarks, *((remark,) if any(one.macs for one in parts) else ()))
        uncounted = tuple(item for one in parts for item in one.uncounted)
        return Tally(
            largest.macs, largest.binary_macs, largest.activations, largest.layers, words, uncounted, remarks
        )  # fmt: skip
    if node.op not in _LOOPS:
        return Tally(words=words, uncounted=((node.label, "runs a body nobody knows how often"),))
    inside = _total(parts)
    runs = _runs(node, graph)
    if inside.macs == 0 and not inside.uncounted:
        return Tally(words=words)
    if runs is None:
        reason = "runs its body nobody knows how often: the body is counted once"
        uncounted = (*inside.uncounted, (node.label, reason))
        return Tally(inside.macs, inside.binary_macs, inside.activations, inside.layers, words, uncounted)
    counted = inside.times(runs)
    remarks = (*inside.remarks, f"{node.label}: its body is counted {runs} times")
    return Tally(
        counted.macs, counted.binary_macs, counted.activations, counted.layers, words, inside.uncounted, remarks
    )


def _runs(node: Node, graph: Graph) -> int | None:
    """How often a loop runs at most; None where the file does not say."""
    if node.op == "Loop":
        limit = graph.known_integers(node.inputs[0]) if node.inputs and node.inputs[0] else None
        return max(limit[0], 0) if limit else None
    scanned = node.inputs[-node.integer("num_scan_inputs", 1) :]
    shape = graph.shape(scanned[0]) if scanned else None
    axis = (node.integers("scan_input_axes") or (0,))[0]
    return shape[axis] if shape and -len(shape) <= axis < len(shape) else None
