"""The exceptions dse raises, and the fault a file can have.

    DseError                     anything dse raises on purpose
    ├── InputError               the user's input is wrong: a list of faults, exit code 2
    │   ├── ProblemError         … a problem file
    │   └── CatalogError         … a catalogue file
    ├── WorkerError              a process that was to do a part of the work is gone: nothing is wrong with the input
    └── VerificationError        the independent check disagrees with the solver: a bug in dse, never the user's

"No feasible design" and "time ran out" are not exceptions: they are statuses of a solution.
Only ``dse.cli`` turns these into text and exit codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Fault:
    """One thing wrong with one place of a file.

    Parameters
    ----------
    file : str
        Path as the user gave it; ``"<memory>"`` when the input never was a file.
    line, column : int
        One-based position; 0 when the fault belongs to the whole file.
    where : str
        Path inside the document, such as ``tasks[0].rate_hz``; may be empty.
    message : str
        What was found and what is allowed.
    hint : str
        What to do about it, such as the nearest known name; may be empty.
    """

    file: str
    line: int
    column: int
    where: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        where = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}: {where}{self.message}{hint}"


class DseError(Exception):
    """Base of every exception dse raises on purpose."""


class InputError(DseError):
    """The user's input is wrong; carries every fault found, in file order."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(sorted(faults))
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Fault, ...]]]:
        """Faults, not their text, go from one process to another."""
        return type(self), (self.faults,)


class ProblemError(InputError):
    """A problem file cannot be used; apart because the remedy is in the user's own file."""


class CatalogError(InputError):
    """A catalogue file cannot be used; apart because the remedy may be in files dse ships."""


class WorkerError(DseError):
    """A worker process is gone; apart because the same command may well succeed when it is run again."""


class VerificationError(DseError):
    """The independent check contradicts the solver's answer; apart because it is a bug in dse."""
