"""Data a network keeps in files beside it: where such a file may be, and whether it is long enough; rarely read.

A model is somebody else's file. A location that leads out of the model's folder, by ``..``, from the root or through a
link, is refused, whether or not the data would be needed.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import onnx

from dse.catalog.onnxfile.types import byte_size, faulty
from dse.errors import Fault


def external_faults(tensor: onnx.TensorProto, model: Path) -> list[Fault]:
    """What is wrong with where a tensor's data lies; a file that is not there is no fault."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    shown = f"the data of `{tensor.name[:80]}` are said to lie in `{location[:120]}`"
    if not location or "\0" in location:
        return [faulty(model, f"the data of `{tensor.name[:80]}` lie outside the file, but it does not say where")]
    if PurePosixPath(location).is_absolute() or PureWindowsPath(location).is_absolute() or location[0] in "/\\":
        return [faulty(model, f"{shown}, an absolute path", "external data lie in the folder of the model")]
    if PureWindowsPath(location).drive or ".." in PureWindowsPath(location).parts:
        return [faulty(model, f"{shown}, which leads out of the model's folder", "put them beside the model")]
    folder = model.parent.resolve()
    if not (folder / location).resolve().is_relative_to(folder):
        return [faulty(model, f"{shown}, a link out of the model's folder", "put a copy beside the model")]
    return _extent_faults(tensor, entries, folder / location, model)


def small_external(tensor: onnx.TensorProto, model: Path) -> bytes | None:
    """Data of a tensor that was found in order by `external_faults`; None where the file is not there."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    path = model.parent.resolve() / entries["location"]
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        stream.seek(int(entries.get("offset") or 0))
        content: bytes = stream.read(byte_size(tensor))
        return content


def _extent_faults(tensor: onnx.TensorProto, entries: dict[str, str], path: Path, model: Path) -> list[Fault]:
    """Offset and length are counts, fit the shape, and lie inside the file if it is there."""
    texts = [text for text in (entries.get("offset"), entries.get("length")) if text]
    if not all(text.isascii() and text.isdigit() and len(text) < 20 for text in texts):
        return [faulty(model, f"offset or length of the data of `{tensor.name[:80]}` is no count of bytes")]
    offset, length = int(entries.get("offset") or 0), int(entries.get("length") or byte_size(tensor))
    if length != byte_size(tensor):
        shape = "×".join(map(str, tensor.dims)) or "one element"
        message = f"`{tensor.name[:80]}` is declared as {shape}, {byte_size(tensor)} bytes, but has {length}"
        return [faulty(model, message, "the file is damaged: export it again")]
    if path.exists() and not path.is_file():
        return [faulty(model, f"`{entries['location'][:120]}` is not a file")]
    if path.is_file() and path.stat().st_size < offset + length:
        message = f"{path.name} ends before the data of `{tensor.name[:80]}`"
        return [faulty(model, message, "the file is damaged or not the model's")]
    return []
