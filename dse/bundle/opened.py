"""A bundle that was read: its manifest understood, its hashes compared, its inputs where problem files expect them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dse.bundle import archive
from dse.bundle.inputs import FOLDER, Inputs, layout_of
from dse.bundle.pack import ANSWER, FORMAT, MANIFEST
from dse.bundle.request import Request
from dse.errors import Fault, InputError

JsonObject = dict[str, Any]
VERSIONS = ("dse", "numpy", "ortools", "code")
_PROBLEM = re.compile(rf"{FOLDER}/([1-9][0-9]{{0,3}})/(?:.+/)?([^/]+)")


@dataclass(frozen=True)
class Bundle:
    """What a bundle holds; nothing of it is true because it says so.

    Parameters
    ----------
    file : str
        The file as the user gave it.
    content : bytes
        All its bytes.
    entries : mapping
        Content by name.
    request, inputs
        What was asked, and of which files.
    versions : mapping
        Which versions answered, by name.
    catalogue : tuple of str
        Key of the catalogues, for each problem file.
    altered : tuple of str
        What does not agree with the hashes, or with how dse writes the file, in words.
    """

    file: str
    content: bytes = field(repr=False)
    entries: Mapping[str, bytes] = field(repr=False)
    request: Request
    inputs: Inputs = field(repr=False)
    versions: Mapping[str, str]
    catalogue: tuple[str, ...]
    altered: tuple[str, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the whole file."""
        return hashlib.sha256(self.content).hexdigest()

    def answer(self) -> JsonObject:
        """The answer in it.

        Raises
        ------
        InputError
            It is no JSON object.
        """
        return _json(self.entries, ANSWER, self.file)


def open_bundle(file: Path) -> Bundle:
    """Read a bundle; that it can be read says nothing of whether it is as it was written: see ``altered``.

    Raises
    ------
    InputError
        It is no bundle, or so damaged that there is nothing to compare.
    """
    return bundle_of(archive.read(file), str(file))


def bundle_of(content: bytes, file: str) -> Bundle:
    """As `open_bundle`, from bytes."""
    entries = archive.unpacked(content, file)
    manifest = _json(entries, MANIFEST, file)
    if type(manifest.get("format")) is not int or manifest["format"] != FORMAT:
        raise _refusal(file, f"is of format {manifest.get('format')!r}; this dse reads format {FORMAT}", "update dse")
    hashes = _texts(manifest, "sha256", file)
    versions = _texts(manifest, "versions", file)
    problems, catalogs, keys = (_list(manifest, name, file) for name in ("problems", "catalogs", "catalogue"))
    try:
        request = Request(manifest.get("command", ""), dict(manifest.get("options", {})))
    except (ValueError, TypeError) as error:
        raise _refusal(f"{file}: {MANIFEST}", str(error)) from None
    altered = tuple(_altered(content, entries, hashes))
    # Of a bundle that was altered nothing is unpacked: its inputs are not looked at.
    files = {} if altered else _inputs(entries, problems, catalogs, file)
    return Bundle(file, content, entries, request, Inputs(files, problems, catalogs), versions, keys, altered)


def _inputs(
    entries: Mapping[str, bytes], problems: tuple[str, ...], catalogs: tuple[str, ...], file: str
) -> dict[str, bytes]:
    """The files to unpack, once it is sure that a problem read from them looks nowhere else.

    Raises
    ------
    InputError
        A file is missing, or a problem file names something outside of the bundle.
    """
    found = {name: content for name, content in entries.items() if name.startswith(f"{FOLDER}/")}
    if not problems:
        raise _refusal(f"{file}: {MANIFEST}", "names no problem file")
    for number, name in enumerate(problems, start=1):
        parts = _PROBLEM.fullmatch(name)
        if name not in found or parts is None or parts[1] != str(number):
            raise _refusal(f"{file}: {MANIFEST}", f"`{name}` is no problem file of the bundle")
        layout = layout_of(found[name], parts[2], number, f"{file}: {name}")
        if layout.entry != name:
            raise _refusal(f"{file}: {name}", "names folders outside of the bundle", "it was put together by hand")
    for name in catalogs:
        inside = name in found or any(one.startswith(f"{name}/") for one in found)
        if not name.startswith(f"{FOLDER}/catalogs/") or not inside:
            raise _refusal(f"{file}: {MANIFEST}", f"`{name}` is no catalogue folder of the bundle")
    return found


def _altered(content: bytes, entries: Mapping[str, bytes], hashes: Mapping[str, str]) -> list[str]:
    """Everything that is not as it was written, by name, then the archive around it."""
    found = [f"{name} is listed in {MANIFEST} and is not in the bundle" for name in sorted(hashes.keys() - entries)]
    for name in sorted(entries.keys() - {MANIFEST}):
        if name not in hashes:
            found.append(f"{name} is not listed in {MANIFEST}")
        elif hashlib.sha256(entries[name]).hexdigest() != hashes[name]:
            found.append(f"{name} is not the file whose SHA-256 is in {MANIFEST}")
    if not found and (where := archive.where_of(content, entries)):
        found.append(f"{where}, is not as dse writes it")
    return found


def _json(entries: Mapping[str, bytes], name: str, file: str) -> JsonObject:
    if name not in entries:
        raise _refusal(file, f"is no bundle: it has no {name}", "bundles are written by `--bundle FILE.zip`")
    try:
        data = json.loads(entries[name])
    except (ValueError, RecursionError):  # a wrong encoding is a ValueError too
        raise _refusal(f"{file}: {name}", "is not JSON: it was altered") from None
    if not isinstance(data, dict):
        raise _refusal(f"{file}: {name}", "is no JSON object: it was altered")
    return data


def _texts(manifest: JsonObject, name: str, file: str) -> dict[str, str]:
    value = manifest.get(name)
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise _refusal(f"{file}: {MANIFEST}", f"`{name}` is no table of texts: it was altered")
    return value


def _list(manifest: JsonObject, name: str, file: str) -> tuple[str, ...]:
    value = manifest.get(name)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _refusal(f"{file}: {MANIFEST}", f"`{name}` is no list of texts: it was altered")
    return tuple(value)


def _refusal(file: str, message: str, hint: str = "") -> InputError:
    return InputError([Fault(file, 0, 0, "", message, hint)])
