"""The shipped catalogue, which many tests lay a folder of their own over: its files are parsed and compiled once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dse.catalog import entries, read
from dse.catalog.paths import shipped_root
from dse.estimate import store
from dse.estimate.store import Knowledge


def own_cache(folder: Path, knowledge: Knowledge) -> Path:
    """A cache in `folder` that holds the shipped catalogue: what lies over it is compiled there, not the shipped one.

    Its file is dated a day ahead, since the cache keeps the newest six.
    """
    file = folder / f"{knowledge.key}.npz"
    store.write(knowledge, file)
    tomorrow = file.stat().st_mtime + 24 * 3600
    os.utime(file, (tomorrow, tomorrow))
    return folder


def parse_once(patch: pytest.MonkeyPatch) -> None:
    """Keep what the shipped files hold, as long as they stay the same; sound ones alone, for their lines of faults."""
    csv_of, yaml_of = read.read_csv, entries.read_file
    root, found = shipped_root(), {}

    def once(what: Any, path: Path, parse: Callable[[], Any], sound: Callable[[Any], bool]) -> Any:
        if root not in path.parents:
            return parse()
        state = path.stat()
        key = what, state.st_size, state.st_mtime_ns
        if key in found:
            return found[key]
        parsed = parse()
        if sound(parsed):
            found[key] = parsed
        return parsed

    def read_csv(file, sheet, faults):
        before = len(faults)
        return once(file, file.path, lambda: csv_of(file, sheet, faults), lambda _: len(faults) == before)

    def read_file(path):
        return once(path, path, lambda: yaml_of(path), lambda document: not document.faults)

    patch.setattr(read, "read_csv", read_csv)
    patch.setattr(entries, "read_file", read_file)
