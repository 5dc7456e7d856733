"""Reads any YAML file: problems as well as catalogues.

The result is plain data, the place of every value, and the faults of the text. Nothing here knows what a field means.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

import yaml

from dse.errors import Fault
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Complaint, Path, Place, Position, TreeBuilder, UnreadableError, has_tab_indent, where

MAX_BYTES = 5_000_000
"""Largest file read [byte]; the largest catalogue file people edit by hand is a hundred times smaller."""

EMPTY = "is empty"
"""Message of a file without a value; what to do about it depends on what the file is for."""

# libyaml is seven times faster; only its scanner is used, and both give the same events.
_LOADER: Raw = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_REMEDIES = (  # part of the scanner's words, what to say instead, what to do
    ("mapping values are not allowed", "a colon is not allowed here", "put quotes around text that contains `: `"),
    ("could not find expected ':'", "a key without its colon", "write `key: value`, with a space after the colon"),
    ("unacceptable character", "a control character stands in the text", "remove it"),
    ("expected ',' or ']'", "a list is not closed, or lacks a comma", "check the brackets `[ ]`"),
    ("expected ',' or '}'", "a mapping is not closed, or lacks a comma", "check the braces `{ }`"),
    ("did not find expected key", "the line does not fit the lines before it", "check the indentation"),
    ("expected <block end>", "the line does not fit the lines before it", "check the indentation"),
    ("did not find expected '-'", "the line does not fit the lines before it", "check the indentation"),
    ("unexpected end of stream", "a quote is opened and never closed", "close the quote"),
)


@dataclass(frozen=True)
class Document:
    """One YAML file as plain data.

    Parameters
    ----------
    name : str
        The file as the user gave it, for messages.
    data : object
        Mappings (keys are always text), lists, text, numbers, truth values and None; None when `readable` is false.
    positions : mapping of path to Position
        Where each value stands; a path is a tuple of keys and list indices, ``()`` the whole file.
    faults : tuple of Fault
        What is wrong with the text itself, in reading order.
    readable : bool
        Whether `data` may be used; a file with a key given twice is, one that breaks off is not.
    """

    name: str
    data: Raw = None
    positions: dict[Path, Position] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    readable: bool = True

    def place(self, path: Path) -> Place:
        """Line and column of a value, or of the nearest value around it; (0, 0) when nothing was read."""
        if path in self.positions:
            position = self.positions[path]
            return position.key if path and isinstance(path[-1], str) else position.value
        while path:
            path = path[:-1]
            if path in self.positions:
                return self.positions[path].value
        return 0, 0

    def fault(self, path: Path, message: str, hint: str = "") -> Fault:
        """What is wrong with the value at a path, with its line and column."""
        return Fault(self.name, *self.place(path), where(path), message, hint)


def read_file(path: str | os.PathLike[str]) -> Document:
    """Read a YAML file; what is wrong with it is in `Document.faults`, nothing is raised.

    Parameters
    ----------
    path : path
        A file in UTF-8, with or without a byte order mark, of at most `MAX_BYTES`.
    """
    name = os.fspath(path)
    try:
        with FilePath(path).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return _unreadable(name, Complaint((0, 0), "there is no such file"))
    except IsADirectoryError:
        return _unreadable(name, Complaint((0, 0), "is a directory", "name a file in it"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return _unreadable(name, Complaint((0, 0), f"cannot be read: {reason.lower()}"))
    return read_bytes(content, name)


def read_bytes(content: bytes, name: str) -> Document:
    """Read YAML from bytes, as `read_file` does."""
    if len(content) > MAX_BYTES:
        message = f"is larger than {MAX_BYTES // 1_000_000} MB"
        return _unreadable(name, Complaint((0, 0), message, "is it the right file?"))
    if b"\0" in content:
        return _unreadable(name, Complaint((0, 0), "is a binary file or not UTF-8", "save it as UTF-8 text"))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", errors="replace")
        place = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        message = f"the byte 0x{content[error.start]:02x} is not UTF-8"
        return _unreadable(name, Complaint(place, message, "save the file as UTF-8 text"))
    return read_text(text, name)


def read_text(text: str, name: str) -> Document:
    """Read YAML from text, as `read_file` does.

    Examples
    --------
    >>> document = read_text("limits: {power_w: 10}", "mine.yaml")
    >>> document.data, document.place(("limits", "power_w"))
    ({'limits': {'power_w': 10}}, (1, 10))
    """
    text = text.removeprefix("\ufeff")
    lines = text.split("\n")
    builder = TreeBuilder(lines)
    try:
        builder.feed(yaml.parse(text, Loader=_LOADER))
    except UnreadableError as error:
        return _unreadable(name, *builder.complaints, error.complaint)
    except yaml.MarkedYAMLError as error:
        return _unreadable(name, *builder.complaints, _scanner_complaint(error, lines))
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # no place is known for these
        return _unreadable(name, *builder.complaints, _complaint((0, 0), str(error)))
    if builder.root is None or (builder.root.value is None and not builder.root.text):
        return _unreadable(name, Complaint((0, 0), EMPTY))
    data, positions = builder.plain()
    return Document(name, data, positions, tuple(_fault(name, complaint) for complaint in builder.complaints))


def _scanner_complaint(error: yaml.MarkedYAMLError, lines: list[str]) -> Complaint:
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return _complaint((0, 0), error.problem or "")
    place = (mark.line + 1, mark.column + 1)
    for number in (mark.line, mark.line - 1):
        if 0 <= number < len(lines) and has_tab_indent(lines[number]):
            return Complaint((number + 1, 1), "a tab is used for indentation", "use spaces")
    if error.context and "alias" in error.context and error.context_mark is not None:
        place = (error.context_mark.line + 1, error.context_mark.column + 1)
        message = "a star begins a reference, and this is not one"
        return Complaint(place, message, "put quotes around a pattern that begins with a star")
    if "cannot start any token" in (error.problem or ""):
        found = lines[mark.line][mark.column : mark.column + 1] if mark.line < len(lines) else ""
        if found == "\t":  # only the parser in Python
            return Complaint(place, "a tab stands before a value", "use spaces")
        return Complaint(place, f"text cannot begin with `{found}`", "put quotes around the text")
    return _complaint(place, error.problem or "")


def _complaint(place: Place, problem: str) -> Complaint:
    for part, message, hint in _REMEDIES:
        if part in problem:
            return Complaint(place, message, hint)
    return Complaint(place, f"is not valid YAML: {' '.join(problem.split())}")


def _fault(name: str, complaint: Complaint) -> Fault:
    return Fault(name, *complaint.place, "", complaint.message, complaint.hint)


def _unreadable(name: str, *complaints: Complaint) -> Document:
    faults = tuple(_fault(name, complaint) for complaint in complaints)
    return replace(Document(name), faults=faults, readable=False)
