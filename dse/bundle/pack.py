"""From inputs and a request to the bundle: the answer worked out from the very copies that go into it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dse.bundle import archive
from dse.bundle.answers import Answering, Asked, answer_of, questions_of
from dse.bundle.extract import extract
from dse.bundle.inputs import Inputs, unpack
from dse.bundle.plain import answer_table, json_bytes, without_clock, without_folders
from dse.bundle.request import Request
from dse.parallel import program
from dse.solving import knowledge_of

JsonObject = dict[str, Any]
FORMAT = 1
MANIFEST, ANSWER, TABLE, README = "manifest.json", "answer.json", "answer.csv", "README.txt"

_README = """\
A comparison by dse, with everything it rests on
================================================

answer.json    the answer: every figure, unrounded; null means unknown
answer.csv     its designs as a table
inputs/        the problem files and own catalogue files it was worked out from, byte for byte
catalogue/     what the catalogues of dse say of every chip and board in the answer, and of every figure:
               evidence.csv has its value, its source and the place it was read at
manifest.json  what was asked, which versions answered, and the SHA-256 of every other file

To check it, install the version of dse that manifest.json names and run

    dse verify FILE.zip

It compares every file with its SHA-256, works the answer out again from inputs/, packs the result, and compares all
bytes. Nothing is sent anywhere. No clock and no name of a machine went into this file: whoever asks the same of the
same version gets the same bytes.

`dse diff OLD.zip NEW.zip` says what is different between two of these files, and which figure moved the choice.
"""


@dataclass(frozen=True)
class Packed:
    """A bundle and the answer in it; `answer` has the clock, the bundle has not."""

    content: bytes
    answer: JsonObject = field(repr=False)


def pack(inputs: Inputs, request: Request, *, workers: int = 1, answering: Answering = answer_of) -> Packed:
    """Work out the answer to a request and pack it with all it rests on.

    Parameters
    ----------
    inputs : Inputs
        Files that were gathered.
    request : Request
        The command with its options.
    workers : int
        Solver threads; the bundle does not depend on them.
    answering : callable
        What answers.

    Raises
    ------
    InputError
        A problem, a catalogue or an option is wrong, or the bundle would be too large.
    VerificationError
        The independent check disagrees: a bug.
    """
    with tempfile.TemporaryDirectory(prefix="dse-bundle-") as name:
        folder = Path(name).resolve()
        questions = questions_of(*unpack(inputs, folder))
        # Both spellings: what is read says the one, what was resolved the other.
        folders = [
            f"{place}{sign}" for place in dict.fromkeys((str(folder), folder.as_posix(), name)) for sign in "/\\"
        ]
        answer = without_folders(answering(questions, request, workers), folders)
        kept = without_clock(answer)
        keys = catalogue_keys(questions)
    entries = {
        **inputs.entries,
        **extract(kept),
        ANSWER: json_bytes(kept),
        TABLE: answer_table(kept),
        README: _README.encode(),
    }
    entries[MANIFEST] = json_bytes(_manifest(inputs, request, keys, entries))
    return Packed(archive.packed(entries), answer)


def _manifest(inputs: Inputs, request: Request, keys: Sequence[str], entries: Mapping[str, bytes]) -> JsonObject:
    return {
        "format": FORMAT,
        **request.data(),
        "problems": list(inputs.problems),
        "catalogs": list(inputs.catalogs),
        "versions": program(),
        "catalogue": list(keys),
        "sha256": {name: hashlib.sha256(entries[name]).hexdigest() for name in sorted(entries)},
    }


def catalogue_keys(questions: Sequence[Asked]) -> list[str]:
    """Key of the catalogues behind every question: a hash of all their files and of the code that reads them."""
    return [knowledge_of(question.roots).key for question in questions]
