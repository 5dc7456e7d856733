"""A small problem and its bundle, and bundles put together by hand as somebody might who wishes to deceive."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from dse.bundle.archive import packed, unpacked
from dse.bundle.inputs import gather
from dse.bundle.pack import MANIFEST, pack
from dse.bundle.request import Request

QUICK = """\
name: Quick
tasks: {name: see, task: visual-wake-words, rate_hz: 1, deadline_ms: 1000, overhead_ms: 60}
search: {chips: [stm32h7, nrf5340, stm32u575], precisions: [int8]}
limits: {power_w: 1}
"""


def bundle_of(folder: Path, text: str = QUICK, request: Request | None = None) -> bytes:
    """The bundle of a problem file that is written into a folder."""
    folder.mkdir(exist_ok=True)
    file = folder / "quick.yaml"
    file.write_text(text, encoding="utf-8")
    return pack(gather([file]), request or Request()).content


def forged(content: bytes, changes: Mapping[str, bytes | None], manifest: Mapping[str, object] | None = None) -> bytes:
    """A bundle with other entries, whose hashes are right again; None takes an entry away."""
    entries = unpacked(content, "a bundle")
    said = json.loads(entries[MANIFEST])
    for name, value in changes.items():
        entries.pop(name, None)
        if value is not None:
            entries[name] = value
    said["sha256"] = {name: hashlib.sha256(entries[name]).hexdigest() for name in sorted(entries) if name != MANIFEST}
    said |= manifest or {}
    entries[MANIFEST] = (json.dumps(said, indent=1, ensure_ascii=False) + "\n").encode()
    return packed(entries)
