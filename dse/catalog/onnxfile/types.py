"""Element types of ONNX: how many bits one takes, and what it stands for; and faults of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path

import onnx

from dse.catalog.onnxfile.graph import Kind, Shape, Tensor
from dse.errors import CatalogError, Fault

_T = onnx.TensorProto
# https://onnx.ai/onnx/intro/concepts.html#element-type; by name, since older releases of onnx lack the newest.
_TYPES: Mapping[Kind, Mapping[str, int]] = {
    Kind.FLOAT: {
        "FLOAT": 32, "DOUBLE": 64, "FLOAT16": 16, "BFLOAT16": 16, "FLOAT8E4M3FN": 8, "FLOAT8E4M3FNUZ": 8,
        "FLOAT8E5M2": 8, "FLOAT8E5M2FNUZ": 8, "FLOAT8E8M0": 8, "FLOAT4E2M1": 4, "COMPLEX64": 64, "COMPLEX128": 128,
    },
    Kind.QUANTIZED: {"INT8": 8, "UINT8": 8, "INT4": 4, "UINT4": 4, "INT2": 2, "UINT2": 2},
    Kind.INTEGER: {"INT16": 16, "UINT16": 16, "INT32": 32, "UINT32": 32, "INT64": 64, "UINT64": 64},
    Kind.BOOLEAN: {"BOOL": 8},
}  # fmt: skip
_OF_NUMBER: Mapping[int, tuple[Kind, int]] = {
    _T.DataType.Value(name): (kind, bits)
    for kind, names in _TYPES.items()
    for name, bits in names.items()
    if name in _T.DataType.keys()  # noqa: SIM118 - an enum wrapper, not a mapping
}


FIELD_OF: Mapping[int, str] = {
    _T.FLOAT: "float_data",
    _T.DOUBLE: "double_data",
    _T.INT64: "int64_data",
    _T.INT32: "int32_data",
    _T.INT8: "int32_data",
    _T.UINT8: "int32_data",
    _T.INT16: "int32_data",
    _T.UINT16: "int32_data",
    _T.BOOL: "int32_data",
    _T.FLOAT16: "int32_data",
    _T.BFLOAT16: "int32_data",
}
"""Where numbers lie that are not stored as bytes, one element each; their count is checked."""


def tensor_of(number: int, shape: Shape | None) -> Tensor:
    """A tensor of an ONNX element type; text and types nobody knows take no memory that matters."""
    kind, bits = _OF_NUMBER.get(number, (Kind.OTHER, 0))
    return Tensor(shape, kind, bits)


def shape_of(kind: onnx.TypeProto) -> Shape | None:
    """Shape of a value of that type, if every axis has a size."""
    if not kind.HasField("tensor_type") or not kind.tensor_type.HasField("shape"):
        return None
    sizes = [axis.dim_value if axis.HasField("dim_value") else -1 for axis in kind.tensor_type.shape.dim]
    return tuple(sizes) if all(size >= 0 for size in sizes) else None


def byte_size(tensor: onnx.TensorProto) -> int:
    """Bytes the data of a stored tensor take; types below 8 bits are packed."""
    _kind, bits = _OF_NUMBER.get(tensor.data_type, (Kind.OTHER, 0))
    return -(-prod(map(int, tensor.dims)) * bits // 8)


def faulty(model: Path, message: str, hint: str = "") -> Fault:
    """A fault of the model file as a whole."""
    return Fault(str(model), 0, 0, "", message, hint)


def refuse(model: Path, message: str, hint: str = "") -> CatalogError:
    """The exception for one fault of the model file."""
    return CatalogError([faulty(model, message, hint)])
