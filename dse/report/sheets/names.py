"""Names of the sheets: legal in Excel, at most 31 characters, and no two alike."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 31
"""Characters Excel takes in the name of a sheet."""


@dataclass(frozen=True)
class Names:
    """Names of the sheets of one problem."""

    summary: str
    candidates: str
    assumptions: str
    sensitivity: str


def sheet_names(files: list[str]) -> list[Names]:
    """Names for the problems in these files; of several each has its number and what fits of the file's name.

    Examples
    --------
    >>> sheet_names(["any.yaml"])[0].candidates
    'Candidates'
    >>> [names.candidates for names in sheet_names(["a[1].yaml", "b.yaml"])]
    ['Candidates 1 a 1', 'Candidates 2 b']
    """
    if len(files) == 1:
        return [Names("Summary", "Candidates", "Assumptions", "Sensitivity")]
    return [
        Names(*(_named(f"{kind} {number}", file) for kind in ("Summary", "Candidates", "Assumptions", "Sensitivity")))
        for number, file in enumerate(files, start=1)
    ]


def _named(start: str, file: str) -> str:
    """The number makes it unique; of the file's name letters, digits, ``-``, ``_`` and spaces are left."""
    stem = file.rsplit(".", 1)[0]
    kept = "".join(char if (char.isalnum() and ord(char) <= 0xFFFF) or char in "-_" else " " for char in stem)
    return f"{start} {' '.join(kept.split())}"[:LONGEST].strip()
