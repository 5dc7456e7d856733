"""Builds plain data, with the place of every value, from the events of a YAML parser.

The tree is put together by a loop, not by recursion, so that neither deep nesting nor aliases that multiply can
exhaust the stack or the memory. What can be skipped (a key given twice) is collected; what cannot, stops the build.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import yaml

from dse.yamlfile.scalars import HugeNumberError, Raw, resolve

Path = tuple[str | int, ...]
Place = tuple[int, int]

MAX_DEPTH = 40
"""Deepest nesting of lists and mappings; the deepest field of a problem file is at level 7."""
MAX_NODES = 300_000
"""Most values in one file, ten times the largest catalogue file."""
MAX_ALIAS_NODES = 10_000
"""Most values that aliases may stand for, all together."""
MAX_FAULTS = 1_000

_TAG = "tag:yaml.org,2002:"
_CONTROL = re.compile(r"[\0-\x08\x0b-\x1f]")  # all below the space but tab and line feed


@dataclass(frozen=True)
class Position:
    """One-based (line, column) of a key and of its value; alike for items of a list."""

    key: Place
    value: Place


@dataclass(frozen=True)
class Complaint:
    """A fault of the YAML text itself, before it has a file name."""

    place: Place
    message: str
    hint: str = ""


class UnreadableError(Exception):
    """The text cannot be read any further; carries the complaint."""

    def __init__(self, complaint: Complaint) -> None:
        self.complaint = complaint
        super().__init__(complaint.message)


@dataclass
class _Node:
    place: Place
    value: Raw  # a scalar, a list of nodes, or a mapping of text to (place of the key, node)
    text: str = ""  # what stands in the file, for keys
    size: int = 1
    height: int = 0


@dataclass
class _Frame:
    """A list or mapping that is still open."""

    node: _Node
    anchor: str | None
    key: tuple[str, Place] | None = None


@dataclass
class TreeBuilder:
    """Takes parser events one by one; afterwards `root` holds the tree and `complaints` what was wrong.

    Parameters
    ----------
    lines : list of str
        The text, line by line, to look for tabs in words that run over several lines.
    """

    lines: list[str]
    complaints: list[Complaint] = field(default_factory=list)
    root: _Node | None = None
    _stack: list[_Frame] = field(default_factory=list)
    _anchors: dict[str, _Node] = field(default_factory=dict)
    _nodes: int = 0
    _alias_nodes: int = 0
    _documents: int = 0

    def feed(self, events: Iterable[yaml.Event]) -> None:
        """Take every event; raises `UnreadableError` where the rest makes no sense."""
        for event in events:
            place = _place(event.start_mark)
            if isinstance(event, yaml.ScalarEvent):
                self._add(self._scalar(event, place), event.anchor)
            elif isinstance(event, yaml.AliasEvent):
                self._add(self._alias(event.anchor or "", place), None)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._open(event, place)
            elif isinstance(event, yaml.CollectionEndEvent):
                frame = self._stack.pop()
                self._add(frame.node, frame.anchor)
            elif isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    self._stop(place, "a second document begins here", "keep one document in a file")

    def plain(self) -> tuple[Raw, dict[Path, Position]]:
        """Plain data and the position of every path in it."""
        positions: dict[Path, Position] = {}
        if self.root is None:
            return None, positions
        return _plain(self.root, self.root.place, (), positions), positions

    def complain(self, place: Place, message: str, hint: str = "") -> None:
        """Note a fault that does not stop the reading."""
        if len(self.complaints) < MAX_FAULTS:
            self.complaints.append(Complaint(place, message, hint))

    def _stop(self, place: Place, message: str, hint: str = "") -> None:
        raise UnreadableError(Complaint(place, message, hint))

    def _scalar(self, event: yaml.ScalarEvent, place: Place) -> _Node:
        text = event.value
        if _CONTROL.search(text):
            # An escape in quotes: it would reach terminals, and no picture or page can hold it.
            self.complain(place, "a control character stands in the text", "remove it")
        if event.tag not in (None, "!", _TAG + "str"):
            self.complain(place, f"the tag `{_short(event.tag)}` is not taken", "remove the tag")
            return _Node(place, text, text)
        if event.tag is not None or not event.implicit[0]:
            return _Node(place, text, text)
        # The parser in C refuses tabs that indent a word; the one in Python joins the lines in silence.
        for number in range(place[0], _place(event.end_mark)[0]):
            if number < len(self.lines) and has_tab_indent(self.lines[number]) and self.lines[number].strip():
                self._stop((number + 1, 1), "a tab is used for indentation", "use spaces")
        try:
            return _Node(place, resolve(text), text)
        except HugeNumberError as error:
            self.complain(place, f"{error} is not taken", "put quotes around it if it is text")
            return _Node(place, text, text)

    def _alias(self, anchor: str, place: Place) -> _Node:
        target = self._anchors.get(anchor)
        if target is None:
            if any(frame.anchor == anchor for frame in self._stack):
                self._stop(place, f"`*{_short(anchor)}` refers to the value it stands in")
            message = f"`*{_short(anchor)}` refers to `&{_short(anchor)}`, which does not exist"
            self.complain(place, message, "put quotes around a pattern that begins with a star")
            text = f"*{anchor}"
            return _Node(place, text, text)
        self._alias_nodes += target.size
        if self._alias_nodes > MAX_ALIAS_NODES:
            self._stop(place, f"aliases stand for more than {MAX_ALIAS_NODES} values", "write the values out")
        return _Node(place, target.value, target.text, target.size, target.height)

    def _open(self, event: yaml.CollectionStartEvent, place: Place) -> None:
        known = event.tag in (None, "!", _TAG + "map", _TAG + "seq")
        if not known:
            self.complain(place, f"the tag `{_short(event.tag)}` is not taken", "remove the tag")
        value: Raw = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._anchors.pop(event.anchor or "", None)
        self._stack.append(_Frame(_Node(place, value), event.anchor))

    def _add(self, node: _Node, anchor: str | None) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._stop(node.place, f"the file holds more than {MAX_NODES} values")
        if len(self._stack) + node.height > MAX_DEPTH:
            self._stop(node.place, f"nested more than {MAX_DEPTH} levels deep")
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._stack:
            self.root = node
            return
        frame = self._stack[-1]
        frame.node.size += node.size
        frame.node.height = max(frame.node.height, node.height + 1)
        if isinstance(frame.node.value, list):
            frame.node.value.append(node)
        elif frame.key is None:
            frame.key = (self._key(node), node.place)
        else:
            self._put(frame, node)

    def _key(self, node: _Node) -> str:
        if isinstance(node.value, list | dict):
            self.complain(node.place, "a key must be a word, not a list or mapping", "put quotes around the key")
            return f"(key in line {node.place[0]})"
        return node.text

    def _put(self, frame: _Frame, node: _Node) -> None:
        assert frame.key is not None
        (key, place), frame.key = frame.key, None
        first = frame.node.value.get(key)
        if first is None:
            frame.node.value[key] = (place, node)
        else:
            message = f"the key `{_short(key)}` is given twice, first in line {first[0][0]}"
            self.complain(place, message, "keep one of the two")


def where(path: Path) -> str:
    """Path in the words of the file.

    Examples
    --------
    >>> where(("tasks", 0, "rate_hz"))
    'tasks[0].rate_hz'
    """
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def has_tab_indent(line: str) -> bool:
    """Whether the white space a line begins with contains a tab."""
    return "\t" in line[: len(line) - len(line.lstrip(" \t"))]


def _plain(node: _Node, key_place: Place, path: Path, positions: dict[Path, Position]) -> Raw:
    positions[path] = Position(key_place, node.place)
    if isinstance(node.value, list):
        return [_plain(item, item.place, (*path, index), positions) for index, item in enumerate(node.value)]
    if isinstance(node.value, dict):
        return {key: _plain(item, place, (*path, key), positions) for key, (place, item) in node.value.items()}
    return node.value


def _place(mark: Raw) -> Place:
    return mark.line + 1, mark.column + 1


def _short(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= 40 else text[:37] + "..."
