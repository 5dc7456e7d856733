"""A network as a plain graph: what counting and liveness read; knows nothing of ONNX files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from math import prod

Shape = tuple[int, ...]
Attribute = int | float | str | tuple[int, ...]


class Kind(StrEnum):
    """What the elements of a tensor are, as far as precision matters."""

    FLOAT = "float"
    """Real numbers: they take the width of the precision the network runs at."""
    QUANTIZED = "quantized"
    """Integers of at most 8 bits, which stand for real numbers."""
    INTEGER = "integer"
    """Wide integers: shapes, indices, accumulators; they keep their width."""
    BOOLEAN = "boolean"
    OTHER = "other"


@dataclass(frozen=True)
class Tensor:
    """A value; `shape` is None where nobody knows it, `bits` is the width of one element in the file."""

    shape: Shape | None
    kind: Kind
    bits: int

    @property
    def elements(self) -> int | None:
        """Number of elements; None where the shape is not known."""
        return None if self.shape is None else prod(self.shape)


@dataclass(frozen=True)
class Stored:
    """A tensor the file holds; `one_bit` where its values are known to be plus or minus one number per filter."""

    tensor: Tensor
    one_bit: bool = False


@dataclass(frozen=True)
class Node:
    """One operator; `domain` is empty for those of ONNX itself, an input that is left out has the empty name."""

    op: str
    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    bodies: tuple[Graph, ...] = ()

    @property
    def label(self) -> str:
        """The operator and which one it is, for messages."""
        place = self.name or next(filter(None, self.outputs), "")
        return f"{self.domain + '.' if self.domain else ''}{self.op} `{place}`"

    def integer(self, name: str, default: int) -> int:
        """An attribute that is a whole number."""
        value = self.attributes.get(name, default)
        return value if isinstance(value, int) else default

    def integers(self, name: str) -> Shape:
        """An attribute that is a list of whole numbers; empty when it is not given."""
        value = self.attributes.get(name, ())
        return value if isinstance(value, tuple) else ()


@dataclass(frozen=True)
class Graph:
    """Operators in an order in which they can run, and the tensors they pass on.

    A body of a branch or loop sees the tensors of the graphs around it through `outer`.

    Parameters
    ----------
    inputs, outputs : tuple of str
        Names of values; stored tensors are no inputs.
    nodes : tuple of Node
        Only those that lead to an output.
    tensors : mapping of name to Tensor
        Values whose type is known.
    stored : mapping of name to Stored
        What the file holds: weights and settings.
    integers : mapping of name to tuple of int
        Values of small integer constants.
    outer : Graph or None
        The graph around a body.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    tensors: Mapping[str, Tensor]
    stored: Mapping[str, Stored]
    integers: Mapping[str, Shape]
    outer: Graph | None = None

    def around(self) -> Iterator[Graph]:
        """This graph and those around it, from the inside out."""
        graph: Graph | None = self
        while graph is not None:
            yield graph
            graph = graph.outer

    def tensor(self, name: str) -> Tensor | None:
        """Type of a value, if anybody knows it."""
        return next((graph.tensors[name] for graph in self.around() if name in graph.tensors), None)

    def shape(self, name: str) -> Shape | None:
        """Shape of a value, if anybody knows it."""
        found = self.tensor(name)
        return None if found is None else found.shape

    def held(self, name: str) -> Stored | None:
        """The stored tensor of that name, if it is one."""
        return next((graph.stored[name] for graph in self.around() if name in graph.stored), None)

    def known_integers(self, name: str) -> Shape | None:
        """Values of a small integer constant."""
        return next((graph.integers[name] for graph in self.around() if name in graph.integers), None)

    def producer(self, name: str) -> tuple[Graph, Node] | None:
        """The operator a value comes from, and the graph it stands in."""
        return next(((g, g.producers[name]) for g in self.around() if name in g.producers), None)

    @cached_property
    def producers(self) -> Mapping[str, Node]:
        """Operators of this graph by what they produce."""
        return {output: node for node in self.nodes for output in node.outputs if output}

    @cached_property
    def own_constants(self) -> frozenset[str]:
        """Values of this graph that are the same in every run: stored, or computed from nothing else."""
        found = {*self.stored, *self.integers}
        for node in self.nodes:
            inputs = [name for name in node.inputs if name]
            fixed = all(name in found or self._constant_around(name) for name in inputs)
            if not node.bodies and fixed and (inputs or node.op == "Constant"):
                found.update(filter(None, node.outputs))
        return frozenset(found)

    def is_constant(self, name: str) -> bool:
        """Whether a value is the same in every run, so that no run computes it."""
        return name in self.own_constants or self._constant_around(name)

    def _constant_around(self, name: str) -> bool:
        return self.outer is not None and self.outer.is_constant(name)

    def runs(self, node: Node) -> bool:
        """Whether a run executes an operator: not when its outputs are constant."""
        return not all(name in self.own_constants for name in node.outputs if name)
