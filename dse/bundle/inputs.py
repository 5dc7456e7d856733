"""The files an answer is worked out from, byte for byte, under names that say nothing of a machine.

A problem file keeps its place relative to the files it names, so that it can be read from a bundle as it was: with
``catalogs: [../mine]`` it lies one folder deep, and ``mine`` beside that folder.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dse.bundle.archive import checked_name
from dse.catalog.paths import catalogue_files
from dse.errors import Fault, InputError
from dse.problem.raw import get, texts
from dse.solving import Roots
from dse.yamlfile.reader import Document, read_bytes
from dse.yamlfile.tree import Path as Place

FOLDER = "inputs"
MAX_FILE, MAX_ALL = 16_000_000, 64_000_000
"""Largest file, and most of all files together, that are taken in [byte]."""
_FILLER = "_"
_QUOTES: Place = ("procurement", "quotes")


@dataclass(frozen=True)
class Inputs:
    """Files by their names in the bundle; which of them are problems, and which folders or tables were laid over.

    ``catalogs`` are those of the command line, in order: names of folders, or of single tables.
    """

    entries: Mapping[str, bytes]
    problems: tuple[str, ...]
    catalogs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Named:
    """A file or folder that a problem file names: as written, and the name it has in the bundle."""

    place: Place
    text: str
    entry: str

    @property
    def is_catalogue(self) -> bool:
        """Whether it is a catalogue folder, not a table of quotations."""
        return self.place != _QUOTES


@dataclass(frozen=True)
class Layout:
    """Where a problem file lies in a bundle, and what it names."""

    entry: str
    named: tuple[Named, ...]


def gather(files: Sequence[Path], catalogs: Roots = ()) -> Inputs:
    """Read everything that goes into a bundle.

    Parameters
    ----------
    files : sequence of Path
        Problem files, in the order they were given.
    catalogs : tuple of Path
        Catalogue folders of the command line.

    Raises
    ------
    InputError
        A file is too large, lies outside of the folder that was named, or would tell of this machine.
    OSError
        A file cannot be read.
    """
    entries: dict[str, bytes] = {}
    problems = []
    for number, file in enumerate(files, start=1):
        content = _read(file)
        layout = layout_of(content, file.name, number, str(file))
        _add(entries, layout.entry, content)
        problems.append(layout.entry)
        for named in layout.named:
            source = file.parent / named.text
            found = _catalogue(source, named.entry) if named.is_catalogue else _table(source, named.entry)
            for entry, path in found:
                _add(entries, entry, _read(path))
    roots = []
    for number, root in enumerate(catalogs, start=1):
        base = f"{FOLDER}/catalogs/{number}"
        base = f"{base}/{root.name}" if root.is_file() else base
        roots.append(base)
        for entry, path in _catalogue(root, base):
            _add(entries, entry, _read(path))
    return Inputs(entries, tuple(problems), tuple(roots))


def layout_of(content: bytes, name: str, number: int, shown: str) -> Layout:
    """Where the problem file with this content lies, and everything it names.

    Parameters
    ----------
    content, name
        The problem file and its own name.
    number : int
        Its position among the problem files, from 1.
    shown : str
        The file as messages call it.

    Raises
    ------
    InputError
        It names something by a path that only holds on one machine.
    """
    document = read_bytes(content, shown)
    base = f"{FOLDER}/{number}"
    written = list(_references(document))
    faults = [fault for place, text in written for fault in _path_faults(document, place, text)]
    if faults:
        raise InputError(faults)
    paths = [posixpath.normpath(text) for _, text in written]
    depth = max((path.split("/").count("..") for path in paths), default=0)
    folder = "/".join([base, *[_FILLER] * depth])
    named = [
        Named(place, text, posixpath.normpath(f"{folder}/{path}"))
        for (place, text), path in zip(written, paths, strict=True)
    ]
    return Layout(checked_name(f"{folder}/{name}", shown), tuple(named))


def unpack(inputs: Inputs, folder: Path) -> tuple[list[Path], Roots]:
    """Write the files into an empty folder; returns the problem files and the catalogues of the command line."""
    for name, content in inputs.entries.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return [folder / name for name in inputs.problems], tuple(folder / name for name in inputs.catalogs)


def _references(document: Document) -> Iterator[tuple[Place, str]]:
    yield from texts(document.data, "catalogs")
    quotes = get(document.data, *_QUOTES)
    if isinstance(quotes, str):
        yield _QUOTES, quotes


def _path_faults(document: Document, place: Place, text: str) -> Iterator[Fault]:
    """What is wrong with a path that is to hold inside of a bundle."""
    path = posixpath.normpath(text)
    hint = "write a path relative to this file, with / between folders"
    if posixpath.isabs(text) or "\\" in text or ":" in text or text.startswith("~"):
        yield document.fault(place, "a path of one machine cannot go into a bundle", hint)
    elif path.split("/").count("..") != text.split("/").count(".."):
        yield document.fault(place, "a path that goes into a folder and out again cannot go into a bundle", hint)


def _catalogue(root: Path, base: str) -> Iterator[tuple[str, Path]]:
    """The files dse reads of a catalogue folder, or the one table that stands for a folder."""
    for file in catalogue_files((root,)):
        name = base if root.is_file() else f"{base}/{file.label}"
        if not root.is_file() and not file.path.resolve().is_relative_to(root.resolve()):
            message = f"is a link out of the folder {root}"
            raise InputError([Fault(str(file.path), 0, 0, "", message, "put a copy of the file into the folder")])
        yield checked_name(name, str(file.path)), file.path


def _table(file: Path, entry: str) -> Iterator[tuple[str, Path]]:
    """A file that is named; one that is missing is for the reader of the problem to complain about."""
    if file.is_file():
        yield checked_name(entry, str(file)), file


def _read(file: Path) -> bytes:
    with file.open("rb") as stream:
        content = stream.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        message = f"is larger than the {MAX_FILE / 1e6:g} MB a bundle takes of one file"
        raise InputError([Fault(str(file), 0, 0, "", message)])
    return content


def _add(entries: dict[str, bytes], name: str, content: bytes) -> None:
    if entries.get(name, content) != content:
        message = "two files would have the same name in the bundle"
        raise InputError([Fault(name, 0, 0, "", message, "name the catalogue folder in another way")])
    entries[name] = content
    if sum(map(len, entries.values())) > MAX_ALL:
        message = f"the problem files and catalogue folders have more than {MAX_ALL / 1e6:g} MB"
        raise InputError([Fault("the bundle", 0, 0, "", message, "name smaller catalogue folders")])
