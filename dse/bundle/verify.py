"""Whether a bundle is what it says: unaltered, and the same to the last byte when it is worked out again here."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from dse.bundle import archive
from dse.bundle.answers import Answering, answer_of, questions_of
from dse.bundle.difference import differences
from dse.bundle.inputs import gather, unpack
from dse.bundle.opened import VERSIONS, Bundle, open_bundle
from dse.bundle.pack import ANSWER, catalogue_keys, pack
from dse.bundle.plain import json_bytes
from dse.errors import InputError
from dse.parallel import program

JsonObject = dict[str, Any]


class Outcome(StrEnum):
    """What a check of a bundle comes to."""

    SAME = "same"
    ALTERED = "altered"
    OTHER_VERSION = "other version"


@dataclass(frozen=True)
class Check:
    """One thing that was checked; ``passed`` is None where it could not be."""

    name: str
    passed: bool | None
    text: str


@dataclass(frozen=True)
class Verification:
    """The outcome with every check, and what differs; the first difference first."""

    bundle: Bundle
    outcome: Outcome
    checks: tuple[Check, ...]
    differences: tuple[str, ...] = ()

    def data(self) -> JsonObject:
        """The object that ``dse verify --json`` prints."""
        return {
            "file": Path(self.bundle.file).name,
            "sha256": self.bundle.digest,
            "outcome": self.outcome.value,
            "checks": [vars(check) for check in self.checks],
            "differences": list(self.differences),
            "made_by": dict(self.bundle.versions),
            "here": program(),
        }


def verify(file: Path, *, workers: int = 1, answering: Answering = answer_of) -> Verification:
    """Check every file of a bundle against its hash, work the answer out again, and compare all bytes.

    Raises
    ------
    InputError
        It is no bundle, or so damaged that nothing can be compared.
    """
    bundle = open_bundle(file)
    count = len(bundle.entries) - 1
    read = Check("read", True, f"{count} files and a manifest; none compressed, none that leads elsewhere")
    if bundle.altered:
        hashes = Check("hashes", False, "; ".join(bundle.altered[:3]))
        rebuilt = Check("rebuilt", None, "not tried: what was altered does not say what it said before")
        return Verification(bundle, Outcome.ALTERED, (read, hashes, rebuilt), bundle.altered)
    hashes = Check(
        "hashes", True, f"each of {count} files has the SHA-256 of the manifest, and the archive adds nothing"
    )
    versions = tuple(other_versions(bundle))
    if not versions:
        same = Check("versions", True, f"made by dse {bundle.versions.get('dse')} and the catalogues that are here")
        return _rebuilt(bundle, (read, hashes, same), workers, answering)
    other = Check("versions", None, "; ".join(versions))
    tried = Check("rebuilt", None, _with_what_is_here(bundle, workers, answering))
    return Verification(bundle, Outcome.OTHER_VERSION, (read, hashes, other, tried), versions)


def other_versions(bundle: Bundle) -> Iterator[str]:
    """Everything that decides an answer and is another one here than where the bundle was made."""
    here = program()
    words = {"code": "the code of dse"}
    found = [
        f"{words.get(name, name)} was {bundle.versions.get(name, 'not named')}, here {here[name]}"
        for name in VERSIONS
        if bundle.versions.get(name) != here[name]
    ]
    yield from found
    if not found:  # the key of a catalogue is that of the code as well
        yield from _other_catalogues(bundle)


def _other_catalogues(bundle: Bundle) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="dse-bundle-") as folder:
        keys = catalogue_keys(questions_of(*unpack(bundle.inputs, Path(folder).resolve())))
    if tuple(keys) != bundle.catalogue:
        yield f"the catalogues were {', '.join(bundle.catalogue)}, here {', '.join(keys)}"


def packed_again(bundle: Bundle, *, workers: int = 1, answering: Answering = answer_of) -> bytes:
    """A new bundle from the inputs of one, with no more of them than dse would take.

    Raises
    ------
    InputError
        The inputs have no answer.
    """
    with tempfile.TemporaryDirectory(prefix="dse-bundle-") as folder:
        inputs = gather(*unpack(bundle.inputs, Path(folder).resolve()))
    return pack(inputs, bundle.request, workers=workers, answering=answering).content


def _rebuilt(bundle: Bundle, checks: tuple[Check, ...], workers: int, answering: Answering) -> Verification:
    """The verdict where everything that decides is the same here."""
    try:
        again = packed_again(bundle, workers=workers, answering=answering)
    except InputError as error:
        found = tuple(str(replace(fault, file=Path(fault.file).name)) for fault in error.faults)
        last = Check("rebuilt", False, f"its inputs have no answer: {found[0]}")
        return Verification(bundle, Outcome.ALTERED, (*checks, last), found)
    if again == bundle.content:
        last = Check("rebuilt", True, f"worked out again: all {len(again):,} bytes are the same")
        return Verification(bundle, Outcome.SAME, (*checks, last))
    found = tuple(differences(bundle.entries, archive.unpacked(again, "the rebuilt bundle")))
    last = Check("rebuilt", False, f"worked out again, and not the same: {found[0] if found else 'the archive'}")
    return Verification(bundle, Outcome.ALTERED, (*checks, last), found)


def _with_what_is_here(bundle: Bundle, workers: int, answering: Answering) -> str:
    """What other versions make of the same inputs, in words."""
    try:
        again = packed_again(bundle, workers=workers, answering=answering)
    except InputError as error:
        return f"not possible with what is here: {replace(error.faults[0], file=Path(error.faults[0].file).name)}"
    entries = archive.unpacked(again, "the rebuilt bundle")
    ours, theirs = ({ANSWER: _without_versions(side[ANSWER])} for side in (bundle.entries, entries))
    first = next(differences(ours, theirs), "")
    if not first:
        return "no proof with other versions, yet what is here gives the same answer"
    return f"no proof with other versions; what is here answers otherwise: {first}"


def _without_versions(content: bytes) -> bytes:
    """An answer without what says who gave it."""
    data = json.loads(content)
    for part in (data, *data.get("comparisons", ())):
        part.pop("versions", None)
    return json_bytes(data)
