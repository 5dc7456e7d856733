"""The file itself: a zip whose bytes depend on nothing but the entries, and a reader that trusts none of it.

Entries are stored, in the order of their names, all with the same time and attributes. The few records are written
here: a library may write other versions or flags tomorrow, and then the same answer would be another file.
"""

from __future__ import annotations

import stat
import struct
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dse.errors import Fault, InputError

MAX_BYTES = 256_000_000
"""Largest bundle written or read [byte]; one of a comparison of all chips has about one million."""
MAX_ENTRIES = 20_000

# PKWARE APPNOTE 6.3: local header, central directory, end of it; all numbers little-endian.
_LOCAL, _CENTRAL, _END = (struct.Struct(form) for form in ("<4s5H3I2H", "<4s6H3I5H2I", "<4s4H2IH"))
_LOCAL_SIGN, _CENTRAL_SIGN, _END_SIGN = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_VERSION, _UTF8, _STORED = 20, 0x0800, 0
_MIDNIGHT, _DAY_ONE = 0, 1 << 5 | 1  # 1980-01-01, the first day a zip knows
_UNIX, _FILE = 3 << 8, (stat.S_IFREG | 0o644) << 16
_ENCRYPTED = 1


def packed(entries: Mapping[str, bytes]) -> bytes:
    """A zip of the entries; the same entries give the same bytes on every machine.

    Raises
    ------
    InputError
        More, or more bytes, than a bundle may hold.
    """
    total = sum(len(name.encode()) + len(content) for name, content in entries.items())
    if total > MAX_BYTES or len(entries) > MAX_ENTRIES:
        message = f"would hold {len(entries):,} files of {total / 1e6:,.0f} MB"
        allowed = f"{MAX_ENTRIES:,} files and {MAX_BYTES / 1e6:,.0f} MB are the most"
        raise InputError([Fault("the bundle", 0, 0, "", f"{message}; {allowed}", "name smaller catalogue folders")])
    body, directory = bytearray(), bytearray()
    for name in sorted(entries):
        content, label = entries[name], name.encode()
        shared = (_VERSION, _UTF8, _STORED, _MIDNIGHT, _DAY_ONE, zlib.crc32(content), len(content), len(content))
        directory += _CENTRAL.pack(_CENTRAL_SIGN, _UNIX | _VERSION, *shared, len(label), 0, 0, 0, 0, _FILE, len(body))
        directory += label
        body += _LOCAL.pack(_LOCAL_SIGN, *shared, len(label), 0) + label + content
    count = len(entries)
    end = _END.pack(_END_SIGN, 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory + end)


def read(file: Path) -> bytes:
    """Bytes of a file that may be a bundle.

    Raises
    ------
    InputError
        It is not there, is no file, or is too large.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise _refusal(str(file), f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    if len(content) > MAX_BYTES:
        raise _refusal(str(file), f"is larger than {MAX_BYTES / 1e6:,.0f} MB", "is it the right file?")
    return content


def unpacked(content: bytes, file: str) -> dict[str, bytes]:
    """Entries of a zip, by name; nothing is decompressed and nothing is written anywhere.

    Raises
    ------
    InputError
        Not a zip, cut off, compressed, encrypted, with links, with names that lead elsewhere or come twice.
    """
    entries: dict[str, bytes] = {}
    folded: set[str] = set()
    total = 0
    for record in _records(content, file):
        _check_kind(record, file)
        checked_name(record.name, file)
        alike = unicodedata.normalize("NFC", record.name).casefold()
        if alike in folded:
            raise _refusal(file, f"holds `{record.name}` twice, or in another spelling too")
        folded.add(alike)
        total += record.size
        if total > len(content):
            raise _refusal(file, "its entries lie over each other")
        entries[record.name] = _content(content, record, file)
    inner = {parent.as_posix() for name in entries for parent in PurePosixPath(name).parents}
    if both := sorted(inner & entries.keys()):
        raise _refusal(file, f"`{both[0]}` is a file and a folder")
    return entries


def checked_name(name: str, file: str) -> str:
    """The name of an entry, if it is one that can be unpacked on any machine and stays inside of the folder.

    Raises
    ------
    InputError
        It is absolute, leads upwards, or has signs that are no part of a file's name everywhere.
    """
    parts = name.split("/")
    odd = any(ord(sign) < 32 or sign in '\\:*?"<>|' or 0xD800 <= ord(sign) < 0xE000 for sign in name)
    if odd or any(part in ("", ".", "..") for part in parts) or len(name.encode(errors="replace")) > 400:
        raise _refusal(file, f"the name {name!r} cannot stand in a bundle", "plain relative names do")
    return name


def where_of(content: bytes, entries: Mapping[str, bytes]) -> str:
    """Where bytes that read well differ from those dse writes for these entries, in words; empty: nowhere."""
    expected = packed(entries)
    if content == expected:
        return ""
    first = first_byte(content, expected)
    at = 0
    for name in sorted(entries):
        at += _LOCAL.size + len(name.encode()) + len(entries[name])
        if first < at:
            return f"the archive's own record of {name}, byte {first:,} of the file"
    return f"the archive's own directory, byte {first:,} of the file"


def first_byte(one: bytes, other: bytes) -> int:
    """Position of the first byte in which two contents differ, or the length of the shorter one."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((k for k, (left, right) in pairs if left != right), min(len(one), len(other)))


@dataclass(frozen=True)
class _Record:
    """One line of the directory of a zip."""

    name: str
    flags: int
    method: int
    stored: int
    size: int
    attributes: int
    offset: int


def _records(content: bytes, file: str) -> Iterator[_Record]:
    end = len(content) - _END.size
    if end < 0 or content[end : end + 4] != _END_SIGN:
        raise _refusal(file, *_why_no_end(content))
    *_, count, size, start, comment = _END.unpack_from(content, end)
    if start + size != end or comment:
        raise _refusal(file, "is damaged: its end does not say where its directory is")
    at = start
    for _ in range(count):
        if at + _CENTRAL.size > end or content[at : at + 4] != _CENTRAL_SIGN:
            raise _refusal(file, "is damaged: its directory breaks off")
        fields = _CENTRAL.unpack_from(content, at)
        flags, method = fields[3], fields[4]
        stored, real, length, extra, remark = fields[8:13]
        attributes, offset = fields[-2:]
        at += _CENTRAL.size
        label = content[at : at + length]
        at += length + extra + remark
        if at > end:
            raise _refusal(file, "is damaged: its directory breaks off")
        try:
            name = label.decode()
        except UnicodeDecodeError:
            raise _refusal(file, f"the name {label!r} is not UTF-8") from None
        yield _Record(name, flags, method, stored, real, attributes, offset)
    if at != end:
        raise _refusal(file, "is damaged: its directory holds more than it says")


def _why_no_end(content: bytes) -> tuple[str, str]:
    if not content:
        return "is empty", ""
    if _END_SIGN in content[-70_000:]:
        return "has bytes behind its end, or was cut short", "get it again from where it came from"
    if content.startswith(_LOCAL_SIGN):
        return "is cut short: the end of the archive is missing", "get it again from where it came from"
    return "is no bundle: it is not a zip file", "bundles are written by `--bundle FILE.zip`"


def _check_kind(record: _Record, file: str) -> None:
    """Refuse what dse never writes, and what could hide or multiply content."""
    again = "a bundle must stay as it was written; was it packed again?"
    if record.flags & _ENCRYPTED:
        raise _refusal(file, f"`{record.name}` is encrypted", again)
    if stat.S_ISLNK(record.attributes >> 16):
        raise _refusal(file, f"`{record.name}` is a symbolic link", again)
    if record.method != _STORED or record.stored != record.size:
        raise _refusal(file, f"`{record.name}` is compressed", again)


def _content(content: bytes, record: _Record, file: str) -> bytes:
    head = content[record.offset : record.offset + _LOCAL.size]
    if len(head) < _LOCAL.size or not head.startswith(_LOCAL_SIGN):
        raise _refusal(file, f"is damaged: `{record.name}` is not where the directory says")
    *_, length, extra = _LOCAL.unpack(head)
    start = record.offset + _LOCAL.size + length + extra
    if start + record.size > len(content):
        raise _refusal(file, f"is cut short: `{record.name}` is missing in part")
    return content[start : start + record.size]


def _refusal(file: str, message: str, hint: str = "") -> InputError:
    return InputError([Fault(file, 0, 0, "", message, hint)])
