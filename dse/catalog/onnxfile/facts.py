"""Everything a model file says of a network, from its path: work, parameters, memory, operators, and doubts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dse.catalog.onnxfile.axes import Picture, fix_axes, picture_of
from dse.catalog.onnxfile.expand import expanded
from dse.catalog.onnxfile.graph import Graph, Shape, Tensor
from dse.catalog.onnxfile.liveness import BITS, peak_bytes
from dse.catalog.onnxfile.lower import by_output, lowered
from dse.catalog.onnxfile.names import make_unique
from dse.catalog.onnxfile.parameters import parameters
from dse.catalog.onnxfile.reading import MAX_MB, read_model
from dse.catalog.onnxfile.shapes import shaped
from dse.catalog.onnxfile.tally import tally
from dse.catalog.onnxfile.types import refuse


@dataclass(frozen=True)
class Asked:
    """How to read a file: sizes of free axes, size of the picture, largest file [10^6 byte]."""

    dims: Mapping[str, int] = field(default_factory=dict)
    size: tuple[int, int] | None = None
    max_mb: float = MAX_MB


@dataclass(frozen=True)
class Facts:
    """What was counted.

    Parameters
    ----------
    digest : str
        SHA-256 of the file.
    inputs : mapping of name to shape
        Every axis with its size.
    picture : Picture
        Size of the picture among them, if there is one.
    macs, binary_macs : int
        Of one run; a lower bound if something is in `uncounted`.
    params : int
        Stored numbers that operators compute with.
    weights_bytes : int
        What they take in the file's own types.
    activations : int
        Elements of the outputs of operators with MACs.
    peak_bytes : mapping of precision to int
        Most memory that values take at one time.
    layers : int
        Operators with MACs.
    words : frozenset of str
        Operator words of the catalogue.
    uncounted : tuple of (operator, reason)
        Counted as zero.
    remarks : tuple of str
        What was assumed.
    """

    digest: str
    inputs: Mapping[str, Shape]
    picture: Picture
    macs: int
    binary_macs: int
    params: int
    weights_bytes: int
    activations: int
    peak_bytes: Mapping[str, int]
    layers: int
    words: frozenset[str]
    uncounted: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]

    def params_bytes(self, precision: str) -> int:
        """Parameters at one precision [byte]."""
        return self.params * BITS[precision] // 8

    @property
    def reasons(self) -> list[str]:
        """What is not counted, one line per kind of operator and reason."""
        kinds = Counter((label.partition(" ")[0], _general(reason)) for label, reason in self.uncounted)
        example = {
            (label.partition(" ")[0], _general(reason)): (label, reason) for label, reason in self.uncounted[::-1]
        }
        return [
            f"{' '.join(example[kind])}" + (f" (and {count - 1} more of the kind)" if count > 1 else "")
            for kind, count in kinds.items()
        ]


def read_facts(path: Path, asked: Asked | None = None) -> Facts:
    """Count one model file.

    Raises
    ------
    CatalogError
        The file cannot be read or contradicts itself, or an axis is free.
    """
    asked = asked or Asked()
    file = read_model(path, asked.max_mb)
    model = expanded(file.model, path)
    make_unique(model.graph)
    fixed = fix_axes(model, path, asked.dims, asked.size)
    originals = by_output(model.graph)
    found = shaped(model, path, fixed.sizes)
    graph = lowered(found, originals, file.one_bit)
    work, stored = tally(graph), parameters(graph)
    unknown = _unknown_sizes(graph)
    remarks = [*fixed.remarks, *work.remarks]
    if unknown:
        remarks.append(f"the size of {unknown} values is not known before a run: memory without them")
    if graph.nodes and not work.macs and not work.uncounted:
        raise refuse(path, "has no operator that multiplies and accumulates: there is nothing to estimate from")
    return Facts(
        digest=file.digest,
        inputs=fixed.inputs,
        picture=picture_of(fixed.inputs),
        macs=work.macs,
        binary_macs=work.binary_macs,
        params=sum(tensor.elements or 0 for tensor in stored.values()),
        weights_bytes=sum(_bytes(tensor) for tensor in stored.values()),
        activations=work.activations,
        peak_bytes=peak_bytes(graph),
        layers=work.layers,
        words=work.words,
        uncounted=work.uncounted,
        remarks=tuple(remarks),
    )


def _bytes(tensor: Tensor) -> int:
    return -(-(tensor.elements or 0) * tensor.bits // 8)


def _unknown_sizes(graph: Graph) -> int:
    names = [name for node in graph.nodes if graph.runs(node) for name in node.outputs if name]
    return sum(graph.shape(name) is None for name in names)


def _general(reason: str) -> str:
    """A reason without the names in it."""
    return "".join(reason.split("`")[::2])
