"""Free axes of the inputs: the batch becomes 1, the others must be given; and which input is the picture.

An axis is named as the file names it (``batch``, ``width``), or by input and place (``images:2``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import onnx

from dse.catalog.onnxfile.graph import Shape
from dse.catalog.onnxfile.types import refuse
from dse.patterns import name_hint

_SEQUENCE = re.compile(r"seq|time|len|token|step|frame|height|width|audio|sample", re.IGNORECASE)
_BATCH = re.compile(r"batch|^[nb]$", re.IGNORECASE)
_NO_NAMES = ("?", "None", "none", "-1", "unk", "unknown")
_CHANNELS = (1, 3, 4)
"""Sizes by which an axis of a picture is told to be its channels: grey, colour, colour with depth or mosaic."""
_MOST = 2**31
"""Larger axes are mistakes."""


@dataclass(frozen=True)
class Fixed:
    """Shapes of the inputs, what the names of free axes stand for, and remarks on how they were taken."""

    inputs: Mapping[str, Shape]
    sizes: Mapping[str, int]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """Size of the picture a network takes; all 0 when it takes none."""

    height: int = 0
    width: int = 0
    channels: int = 0


@dataclass(frozen=True)
class _Axis:
    """One axis of one input; `rank` is how many that input has."""

    value: str
    place: int
    proto: onnx.TensorShapeProto.Dimension
    rank: int

    @property
    def symbol(self) -> str:
        """The name the file gives it; empty where it gives none, or a word for "unknown" that all free axes share."""
        return "" if self.proto.dim_param in _NO_NAMES else self.proto.dim_param

    @property
    def names(self) -> tuple[str, ...]:
        """What the user may call it."""
        return tuple(name for name in (f"{self.value}:{self.place}", self.symbol) if name)

    def size_from(self, given: Mapping[str, int]) -> int | None:
        """Its size: given, fixed, or 1 for a batch; None when it is free."""
        said = next((given[name] for name in self.names if name in given), None)
        if said is not None or self.proto.dim_value > 0:
            return said or self.proto.dim_value
        return 1 if _is_batch(self.symbol, self.place, self.rank) else None

    def remarks(self, given: Mapping[str, int]) -> Iterator[str]:
        """What the user should know of how it was taken."""
        if any(name in given for name in self.names):
            return
        if self.proto.dim_value <= 0:
            yield f"axis {self.place} of `{self.value}` ({self.symbol or 'unnamed'}) is taken as a batch of 1"
        elif self.place == 0 and self.rank > 3 and self.proto.dim_value > 1:
            yield f"the first axis of `{self.value}` is {self.proto.dim_value}: the figures are of all of them"


def fix_axes(model: onnx.ModelProto, path: Path, dims: Mapping[str, int], size: tuple[int, int] | None) -> Fixed:
    """Give every axis of every input a size, in the model itself.

    Parameters
    ----------
    model : onnx.ModelProto
        Changed: no axis stays free.
    path : Path
        For messages.
    dims : mapping of axis to size
        What the user says of free axes.
    size : (height, width) or None
        Of the picture.

    Raises
    ------
    CatalogError
        A free axis nobody gave, a size for an axis that does not exist or is fixed to another one.
    """
    stored = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in stored]
    for value in inputs:
        _refuse_shapeless(value, path)
    given = dict(dims)
    if size is not None:
        given |= _picture_axes(inputs, path, size, dims)
    axes = [_Axis(value.name, place, axis, len(value.type.tensor_type.shape.dim)) for value in inputs
            for place, axis in enumerate(value.type.tensor_type.shape.dim)]  # fmt: skip
    _refuse_strangers(path, axes, given)
    free = [axis.names[-1] for axis in axes if axis.size_from(given) is None]
    if free:
        _refuse_free(path, inputs, list(dict.fromkeys(free)))
    sizes = {axis.symbol: axis.size_from(given) or 1 for axis in axes if axis.symbol}
    remarks = [remark for axis in axes for remark in axis.remarks(given)]
    for axis in axes:
        axis.proto.dim_value = axis.size_from(given) or 1
    shapes = {value.name: tuple(int(one.dim_value) for one in value.type.tensor_type.shape.dim) for value in inputs}
    return Fixed(shapes, sizes, tuple(remarks))


def picture_of(inputs: Mapping[str, Shape]) -> Picture:
    """Size of the first input with four or more axes, channels first unless only its last axis looks like channels."""
    for shape in inputs.values():
        if len(shape) >= 4:
            if _channels_last(shape):
                return Picture(shape[-3], shape[-2], shape[-1])
            return Picture(shape[-2], shape[-1], shape[1])
    return Picture()


def _channels_last(shape: Shape) -> bool:
    return shape[-1] in _CHANNELS and shape[1] not in _CHANNELS


def _picture_axes(
    inputs: list[onnx.ValueInfoProto], path: Path, size: tuple[int, int], dims: Mapping[str, int]
) -> dict[str, int]:
    """The axes that `--input` speaks of."""
    for value in inputs:
        axes = value.type.tensor_type.shape.dim
        if len(axes) >= 4:
            known = [axis.dim_value or dims.get(axis.dim_param, 0) for axis in axes]
            first = len(axes) - (3 if _channels_last(tuple(known)) else 2)
            return {f"{value.name}:{first}": size[0], f"{value.name}:{first + 1}": size[1]}
    raise refuse(path, "no input is a picture, so --input says nothing", "name the axes: --dim AXIS=SIZE")


def _is_batch(name: str, place: int, rank: int) -> bool:
    """Whether a free axis is the batch: it says so, or it comes first and says nothing else."""
    return bool(_BATCH.search(name)) or (place == 0 and rank > 1 and not _SEQUENCE.search(name))


def _refuse_shapeless(value: onnx.ValueInfoProto, path: Path) -> None:
    if not value.type.HasField("tensor_type"):
        raise refuse(path, f"the input `{value.name[:80]}` is no tensor", "only tensors can be counted")
    if not value.type.tensor_type.HasField("shape"):
        raise refuse(path, f"the input `{value.name[:80]}` has no shape at all", "export it with one")


def _refuse_strangers(path: Path, axes: list[_Axis], given: Mapping[str, int]) -> None:
    """Sizes given for axes that do not exist, or that the file fixes to another size."""
    names = {name for axis in axes for name in axis.names}
    for name in given:
        if name not in names:
            raise refuse(path, f"--dim names the axis `{name[:80]}`, which no input has", name_hint(name, names))
    for axis in axes:
        wanted = axis.size_from(given)
        if axis.proto.dim_value > 0 and wanted != axis.proto.dim_value:
            message = f"axis {axis.place} of `{axis.value[:80]}` is fixed to {axis.proto.dim_value}, not {wanted}"
            raise refuse(path, message, "export the model at this size")


def _refuse_free(path: Path, inputs: list[onnx.ValueInfoProto], free: list[str]) -> None:
    shown = ", ".join(f"`{name[:80]}`" for name in free[:8])
    options = " ".join(f"--dim {name[:80]}=SIZE" for name in free[:8])
    picture = any(len(value.type.tensor_type.shape.dim) >= 4 for value in inputs)
    hint = f"give sizes: {options}" + (", or --input HEIGHTxWIDTH for a picture" if picture else "")
    raise refuse(path, f"axes have no size: {shown}", hint)


def parse_dim(text: str) -> tuple[str, int] | None:
    """Axis and size of ``AXIS=SIZE``; None where the text is nothing of the kind.

    Examples
    --------
    >>> parse_dim("batch=1"), parse_dim("images:2=640"), parse_dim("width")
    (('batch', 1), ('images:2', 640), None)
    """
    name, _equals, number = text.rpartition("=")
    if not name or not number.isascii() or not number.isdigit() or len(number) > 10 or not 0 < int(number) < _MOST:
        return None
    return name, int(number)


def parse_size(text: str) -> tuple[int, int] | None:
    """Height and width of ``HxW``; None where the text is nothing of the kind.

    Examples
    --------
    >>> parse_size("480x640"), parse_size("480")
    ((480, 640), None)
    """
    found = re.fullmatch(r"([1-9]\d{0,4})[x×]([1-9]\d{0,4})", text, re.ASCII | re.IGNORECASE)
    return (int(found[1]), int(found[2])) if found else None
