"""What a sweep has finished so far, in a file beside its result: a run that was cut off goes on where it was.

JSON lines. The first says what is being swept; each of the others is a finished point, written at once and for good.
Each ends in a checksum, in which that of the first line has a part: no line of another file holds here.
A cut leaves at most one torn line at the end, which counts as not written. One run at a time may hold a journal.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from dse.errors import Fault, InputError

FORMAT = 2
Fingerprint = Mapping[str, str | int | float | None]
_WORDS = {
    "format": "the format of the journal",
    "dse": "the version of dse",
    "code": "the code of dse",
    "numpy": "the version of numpy",
    "ortools": "the version of ortools",
    "problem": "the problem file",
    "catalogue": "the catalogues",
    "quotes": "the quotations",
    "points": "the fields and values varied",
    "seed": "--seed",
    "time_limit_s": "--time-limit",
}


_SUM = b',"sum":"'
_END = b'"}'


def journal_of(target: Path) -> Path:
    """Journal of a result: ``sweep.csv.part`` for ``sweep.csv``."""
    return target.with_name(f"{target.name}.part")


class Journal:
    """The open journal of one run; `done` holds the finished points by their number.

    Parameters
    ----------
    path : Path
        File of the journal.
    fingerprint : mapping
        Everything that decides the results; a journal with another one is not gone on with.
    points : int
        How many points there are: they have numbers from 1.
    resume : bool
        Whether a journal that is there may be gone on with; without one a new one begins either way.

    Raises
    ------
    InputError
        There is a journal and `resume` is false; it belongs to another sweep; another run holds it; it is damaged, or
        no journal.
    OSError
        The file cannot be read or written.
    """

    def __init__(self, path: Path, fingerprint: Fingerprint, *, points: int, resume: bool) -> None:
        self.path = path
        self.points = points
        self._key = b""
        self.done: dict[int, Any] = {}
        self._file = self._opened(resume)
        try:
            _lock(self._file, path)
            self._begin({"format": FORMAT, **fingerprint})
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Close it; one that holds nothing after an error is no help to anybody."""
        if error is not None and not self.done:
            self.remove()
        self._file.close()

    def add(self, number: int, result: Any) -> None:  # noqa: ANN401 - whatever JSON can hold
        """Keep a finished point; when this returns, it is on the disk."""
        self._write(_line_of({"point": number, "result": result}, self._key))
        self.done[number] = result

    def remove(self) -> None:
        """Close the journal and delete it: the result is complete."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def _opened(self, resume: bool) -> FileIO:
        """The file, made by this call unless it may be gone on with."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | (0 if resume else os.O_EXCL)
        try:
            return os.fdopen(os.open(self.path, flags, 0o644), "r+b", buffering=0)
        except FileExistsError:
            message = "an earlier run left finished points here, or is still at work"
            hint = "--resume goes on with it; delete the file to begin anew"
            raise InputError([Fault(str(self.path), 0, 0, "", message, hint)]) from None

    def _begin(self, wanted: Fingerprint) -> None:
        """Read what is there, cut off a torn line, and write the first line where there is none."""
        *lines, torn = self._file.read().split(b"\n")
        first = _line_of(wanted, b"")
        if not lines:
            if not first.startswith(torn):
                self._refuse(1)
            self._file.truncate(0)
            self._file.seek(0)
            self._write(first)
        else:
            self._require_same(lines[0], wanted)
        self._key = _sum_of(first.rstrip(b"\n"))
        for number, line in enumerate(lines[1:], start=2):
            entry = _entry_of(line, self._key)
            point = entry.get("point")
            if type(point) is not int or not 1 <= point <= self.points or point in self.done or "result" not in entry:
                self._refuse(number)
            self.done[point] = entry["result"]
        if lines and torn:
            self._file.truncate(self._file.tell() - len(torn))
            self._file.seek(0, os.SEEK_END)

    def _require_same(self, line: bytes, wanted: Fingerprint) -> None:
        """The first line must say the same."""
        found = _entry_of(line, b"")
        if "format" not in found:
            self._refuse(1)
        names = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
        if names:
            differ = ", ".join(_WORDS.get(name, name) for name in names)
            hint = "repeat the command it belongs to, or delete the file to begin anew"
            message = f"belongs to another sweep: it differs in {differ}"
            raise InputError([Fault(str(self.path), 1, 1, "", message, hint)])

    def _refuse(self, number: int) -> NoReturn:
        message = f"line {number} was not written by a sweep"
        hint = "name another CSV file, or delete this one to begin anew"
        raise InputError([Fault(str(self.path), number, 1, "", message, hint)])

    def _write(self, line: bytes) -> None:
        if self._file.write(line) != len(line):  # a full disk: the torn end counts as not written
            raise OSError(28, "no space left for the journal", str(self.path))
        os.fsync(self._file.fileno())


def _line_of(entry: Mapping[str, Any], key: bytes) -> bytes:
    """A line with its checksum at the end."""
    body = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
    return body[:-1] + _SUM + _checksum(body, key) + _END + b"\n"


def _entry_of(line: bytes, key: bytes) -> dict[str, Any]:
    """What was written as a line; nothing where its checksum does not hold."""
    start, _, end = line.rpartition(_SUM)
    body = start + b"}"
    if end != _checksum(body, key) + _END:
        return {}
    entry = json.loads(body)
    return entry if isinstance(entry, dict) else {}


def _sum_of(line: bytes) -> bytes:
    return line.rpartition(_SUM)[2].removesuffix(_END)


def _checksum(body: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=8, key=key).hexdigest().encode()


def _lock(file: FileIO, path: Path) -> None:
    """Hold the file until it is closed, however this process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 40)  # beyond anything that is read: such a lock refuses readers
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        message = "another run is writing to this journal"
        raise InputError([Fault(str(path), 0, 0, "", message, "wait for it, or end it")]) from None
