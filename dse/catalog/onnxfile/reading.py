"""The model file to a checked protobuf whose weights are gone: opened with care, since it is somebody else's.

Nothing here looks at what the network computes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Protocol

import onnx

from dse.catalog.onnxfile.external import external_faults, small_external
from dse.catalog.onnxfile.one_bit import is_one_bit
from dse.catalog.onnxfile.types import FIELD_OF, byte_size, faulty, refuse
from dse.errors import CatalogError, Fault

MAX_MB = 2_147.0
"""Size above which no protobuf can be read: 2 GiB."""
SMALL_ELEMENTS = 1_024
"""Stored tensors up to here keep their values: shapes and settings are among them."""
_TYPED_FIELDS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data")
_LFS = b"version https://git-lfs"


class Message(Protocol):
    """A message of protobuf, as far as it is walked through here."""

    def ListFields(self) -> Sequence[tuple[Any, Any]]:  # noqa: N802 - the name protobuf gives it
        """Fields that are set, and their values."""


@dataclass(frozen=True)
class ModelFile:
    """A model without its weights.

    Parameters
    ----------
    path : Path
        As the user gave it.
    model : onnx.ModelProto
        Large stored tensors keep type and shape, and lose their data.
    digest : str
        SHA-256 of the file.
    one_bit : frozenset of str
        Stored tensors whose values are plus or minus one number per filter.
    external : bool
        Whether data lie in other files.
    """

    path: Path
    model: onnx.ModelProto
    digest: str
    one_bit: frozenset[str]
    external: bool


def read_model(path: Path, max_mb: float = MAX_MB) -> ModelFile:
    """Read and check one file.

    Raises
    ------
    CatalogError
        Not a file, too large, not ONNX, damaged, or with data outside its folder.
    """
    content = _content(path, max_mb)
    model = _parsed(content, path)
    digest = hashlib.sha256(content).hexdigest()
    del content
    tensors = list(_stored_tensors(model.graph))
    tensors += [t for function in model.functions for node in function.node for t in _of_node(node)]
    faults = [fault for tensor in tensors for fault in _tensor_faults(tensor, path)]
    if faults:
        raise CatalogError(faults)
    one_bit = frozenset(tensor.name for tensor in tensors if is_one_bit(tensor))
    external = any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in tensors)
    for tensor in tensors:
        _lighten(tensor, path)
    return ModelFile(path, model, digest, one_bit, external)


def _content(path: Path, max_mb: float) -> bytes:
    if not path.is_file():
        raise refuse(path, "no such file" if not path.exists() else "is not a file")
    size_mb = path.stat().st_size / 1e6
    if size_mb > max_mb:
        hint = (
            "keep the weights in an external file, or raise --max-mb"
            if max_mb < MAX_MB
            else "keep the weights in an external file"
        )
        raise refuse(path, f"has {size_mb:,.0f} MB, more than the {max_mb:,.0f} allowed", hint)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise refuse(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    if not content:
        raise refuse(path, "is empty")
    if content.startswith(_LFS):
        raise refuse(path, "is only a pointer of Git LFS to the model", "fetch it: git lfs pull")
    return content


def _parsed(content: bytes, path: Path) -> onnx.ModelProto:
    wrong = refuse(path, "is no ONNX model, or a damaged one", "expected the binary format that exporters write")
    try:
        model: onnx.ModelProto = onnx.ModelProto.FromString(content)
    except Exception as error:  # DecodeError; its class differs between protobuf releases
        raise wrong from error
    if not model.HasField("graph") or model.ir_version < 1 or _has_broken_text(model):
        raise wrong
    if not model.graph.node:
        raise refuse(path, "holds no operator")
    standard = [one.version for one in model.opset_import if one.domain in ("", "ai.onnx")]
    newest = onnx.defs.onnx_opset_version()
    if any(version > newest for version in standard):
        message = f"is of operator set {max(standard)}, and the installed onnx {onnx.__version__} knows {newest}"
        raise refuse(path, message, "upgrade it: pip install --upgrade onnx")
    return model


def _has_broken_text(message: Message) -> bool:
    """Whether a name or another text anywhere is not UTF-8; protobuf then hands out bytes in its place."""
    for field, value in message.ListFields():
        many = [value] if isinstance(value, str | bytes) or hasattr(value, "ListFields") else value
        if field.type == field.TYPE_STRING and any(isinstance(one, bytes) for one in many):
            return True
        if field.type == field.TYPE_MESSAGE and any(map(_has_broken_text, many)):
            return True
    return False


def _of_node(node: onnx.NodeProto) -> Iterator[onnx.TensorProto]:
    """Tensors among the attributes of an operator; the one of a Constant takes its output's name."""
    for attribute in node.attribute:
        if attribute.HasField("t"):
            if node.op_type == "Constant" and node.output:
                attribute.t.name = node.output[0]
            yield attribute.t
        yield from attribute.tensors
        for sparse in [*([attribute.sparse_tensor] if attribute.HasField("sparse_tensor") else [])]:
            yield sparse.values
            yield sparse.indices
        for body in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
            yield from _stored_tensors(body)


def _stored_tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """Every tensor a graph stores, those of its bodies included."""
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield sparse.values
        yield sparse.indices
    for node in graph.node:
        yield from _of_node(node)


def _tensor_faults(tensor: onnx.TensorProto, path: Path) -> list[Fault]:
    """A tensor has a shape and a type, and the data that are there fit them."""
    outside = tensor.data_location == onnx.TensorProto.EXTERNAL
    found = _type_fault(tensor) or ("" if outside else _data_fault(tensor))
    if found:
        return [faulty(path, found, "the file is damaged: export it again")]
    return external_faults(tensor, path) if outside else []


def _type_fault(tensor: onnx.TensorProto) -> str:
    name = f"`{tensor.name[:80]}`"
    if any(size < 0 for size in tensor.dims):
        return f"{name} has a negative size: {list(tensor.dims)[:8]}"
    if not tensor.data_type or tensor.data_type not in onnx.TensorProto.DataType.values():
        return f"{name} has an element type nobody knows: {tensor.data_type}"
    return ""


def _data_fault(tensor: onnx.TensorProto) -> str:
    """What is wrong with data in the file itself."""
    if tensor.HasField("raw_data"):
        found, expected, unit = len(tensor.raw_data), byte_size(tensor), "bytes"
    elif tensor.data_type in FIELD_OF:
        found, expected, unit = len(getattr(tensor, FIELD_OF[tensor.data_type])), prod(tensor.dims), "numbers"
    else:
        return ""
    if found == expected:
        return ""
    declared = f"`{tensor.name[:80]}` is declared as {'×'.join(map(str, tensor.dims)) or 'one element'}"
    return f"{declared}, {expected} {unit}, but has {found}" if found else f"{declared} and has no data"


def _lighten(tensor: onnx.TensorProto, path: Path) -> None:
    """Drop the data of a large tensor, and fetch those of a small integer one: shapes may hang on it."""
    elements = prod(tensor.dims)
    outside = tensor.data_location == onnx.TensorProto.EXTERNAL
    if elements <= SMALL_ELEMENTS and not outside:
        return
    if elements <= SMALL_ELEMENTS and tensor.data_type in (onnx.TensorProto.INT64, onnx.TensorProto.INT32):
        content = small_external(tensor, path)
        if content is not None:
            tensor.raw_data = content
            tensor.data_location = onnx.TensorProto.DEFAULT
            del tensor.external_data[:]
            return
    for name in ("raw_data", *_TYPED_FIELDS):
        tensor.ClearField(name)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    del tensor.external_data[:]
