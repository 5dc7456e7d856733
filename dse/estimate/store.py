"""Catalogue and fitted estimates as one file of arrays, keyed by the hash of everything they were made from.

The wheel carries the file for the catalogues it ships; any other set of catalogues (a user's folder, an edited
checkout) is compiled once into the user's cache. ``load`` never fits when a file with the right key exists.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import re
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dse.catalog.parts import Lifecycle, Link, Power, Price, Region, Temperature
from dse.catalog.paths import catalogue_files, shipped_root
from dse.catalog.types import (
    Accuracies,
    Board,
    Catalog,
    Chip,
    Entries,
    Measurements,
    Mode,
    Nets,
    Runtime,
    Tail,
    Trials,
    Unit,
)
from dse.errors import CatalogError, Fault
from dse.estimate.estimator import Estimator
from dse.estimate.pack import packed, unpacked
from dse.estimate.speed import Calibrations, Speeds

_PACKAGE = Path(__file__).resolve().parents[1]
# A change of these changes what is compiled: everything the reader and the fit import.
_CODE = (
    "errors.py",
    "patterns.py",
    "words.py",
    "yamlfile/*.py",
    "catalog/*.py",
    "estimate/*.py",
    "estimate/*.csv",
)
_KEPT_FILES = 6  # compiled files of other catalogues and versions that stay in the cache
COMPILED_NAME = "compiled.npz"
_TABLES: dict[str, type] = {
    "nets": Nets,
    "entries": Entries,
    "accuracies": Accuracies,
    "measurements": Measurements,
    "trials": Trials,
    "calibrations": Calibrations,
}
# Estimates need four digits, not sixteen: the file is read at every start.
_SPEED_TYPES = {"typical_ms": np.float32, "spread": np.float32, "level": np.int8}
# Only explanations and `dse estimate` need the fitted law itself: other commands leave it in the file.
_STATION = "station."


@dataclass(frozen=True)
class Knowledge:
    """All dse knows before it sees a problem: the catalogue and what was fitted to it.

    ``key`` names the inputs; ``rebuilt`` says that this call had to compile them. ``station`` is the fitted estimator,
    or the file it lies in.
    """

    catalog: Catalog
    speeds: Speeds
    key: str
    station: Estimator | Path
    rebuilt: bool = False

    @cached_property
    def estimator(self) -> Estimator:
        """The fitted estimator, read when it is first asked for.

        Raises
        ------
        CatalogError
            The compiled file is gone by now.
        """
        if isinstance(self.station, Estimator):
            return self.station
        try:
            return _read_station(self.station)
        except FileNotFoundError:
            hint = "run it again: it will be compiled anew"
            raise CatalogError([Fault(str(self.station), 0, 0, "", "removed while in use", hint)]) from None


def load(extra_roots: tuple[Path, ...] = ()) -> Knowledge:
    """The shipped catalogues with `extra_roots` over them, compiled or from the cache.

    Raises
    ------
    CatalogError
        A catalogue folder or file cannot be used.
    """
    roots = (shipped_root(), *extra_roots)
    key = content_key(roots)
    for file in (shipped_root() / COMPILED_NAME, _cache_folder() / f"{key}.npz"):
        knowledge = _read(file, key)
        if knowledge is not None:
            # What is in use is the last to go: a station is read from this file later on.
            with contextlib.suppress(OSError):
                os.utime(file)
            return _named(knowledge, roots)
    knowledge = compile_catalogues(roots, key)
    with contextlib.suppress(OSError):  # a read-only home costs time at the next start, nothing else
        write(knowledge, _cache_folder() / f"{key}.npz")
        _prune(_cache_folder())
    return dataclasses.replace(knowledge, rebuilt=True)


def _named(knowledge: Knowledge, roots: tuple[Path, ...]) -> Knowledge:
    """With the names the user's folders have now: they may have others than when they were compiled."""
    if len(roots) == 1:
        return knowledge
    files = tuple(file.shown for file in catalogue_files(roots))
    return dataclasses.replace(knowledge, catalog=dataclasses.replace(knowledge.catalog, files=files))


def compile_catalogues(roots: tuple[Path, ...], key: str) -> Knowledge:
    """Read and fit; some ten seconds for the shipped catalogue, a few for folders of a user's over it."""
    from dse.catalog.read import read_catalog
    from dse.estimate.estimator import fit
    from dse.estimate.update import fit_more

    catalog = read_catalog(roots)
    if len(roots) == 1:
        return knowledge_from(catalog, fit(catalog), key)
    shipped = load()
    return knowledge_from(catalog, fit_more(catalog, shipped.catalog.trials, shipped.estimator), key)


def knowledge_from(catalog: Catalog, estimator: Estimator, key: str) -> Knowledge:
    """A catalogue with the estimates of a fitted station."""
    from dse.estimate.speed import speeds as speeds_of

    speeds = speeds_of(catalog, estimator)
    # Narrowed here, not when written: the first run must see the very figures that every later one reads.
    narrow = {name: getattr(speeds, name).astype(kind) for name, kind in _SPEED_TYPES.items()}
    return Knowledge(catalog, dataclasses.replace(speeds, **narrow), key, estimator)


def content_key(roots: tuple[Path, ...]) -> str:
    """Hash of the names and bytes of every catalogue file and of the code that compiles them."""
    digest = hashlib.blake2b(digest_size=16)
    # Places name a user's folder, and are compiled in: the same files in a folder of another name are others.
    files = [
        (f"{file.depth}/{file.label}" + f"/{file.shown}" * file.users, file.path) for file in catalogue_files(roots)
    ]
    files += [(file.relative_to(_PACKAGE).as_posix(), file) for file in code_files()]
    for name, file in files:
        content = file.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def code_files() -> list[Path]:
    """Modules of dse that decide what is compiled."""
    return [file for pattern in _CODE for file in sorted(_PACKAGE.glob(pattern))]


def write(knowledge: Knowledge, target: Path) -> None:
    """Write the arrays, whole or not at all; the same knowledge gives the same bytes.

    Two processes that compile at the same time each write a file of their own and move it into place.

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    arrays, tables = _pack(knowledge)
    meta = {
        "key": knowledge.key,
        "tables": tables,
        "catalog": _catalog_json(knowledge.catalog),
    }
    station, words = packed(knowledge.estimator)
    arrays |= {f"{_STATION}{name}": array for name, array in station.items()}
    arrays[f"{_STATION}meta"] = np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)
    arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _cache_folder() -> Path:
    from platformdirs import user_cache_path

    return Path(os.environ.get("DSE_CACHE_DIR") or user_cache_path("dse"))


def _prune(folder: Path) -> None:
    """Remove all but the compiled files used last: every edit of a catalogue makes another."""
    ours = [file for file in folder.glob("*.npz") if re.fullmatch(r"[0-9a-f]{32}", file.stem)]
    for file in sorted(ours, key=lambda file: file.stat().st_mtime)[:-_KEPT_FILES]:
        file.unlink(missing_ok=True)


def _pack(knowledge: Knowledge) -> tuple[dict[str, np.ndarray], dict[str, list[str]]]:
    """Numeric columns as they are, text columns as codes with one table of words each."""
    arrays: dict[str, np.ndarray] = {}
    words: dict[str, list[str]] = {}
    for name in _TABLES:
        table = knowledge.speeds.calibrations if name == "calibrations" else getattr(knowledge.catalog, name)
        for field in dataclasses.fields(table):
            column = getattr(table, field.name)
            label = f"{name}.{field.name}"
            if column.dtype == object:
                unique, code = np.unique(column.astype(str), return_inverse=True)
                words[label] = unique.tolist()
                column = code.astype(np.int32)
            arrays[label] = column
    arrays |= {f"speeds.{field_name}": getattr(knowledge.speeds, field_name) for field_name in _SPEED_TYPES}
    return arrays, words


def _read(file: Path, key: str) -> Knowledge | None:
    """The compiled file, if it is there, whole and made from the same inputs."""
    try:
        # numpy leaves a file open whose archive is torn.
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            meta = json.loads(bytes(arrays["meta"]))
            if meta["key"] != key:
                return None
            names = [name for name in arrays.files if name != "meta" and not name.startswith(_STATION)]
            return _unpack({name: arrays[name] for name in names}, meta, file)
    except Exception:  # missing, torn or somebody else's: there is no end to what such a file provokes
        return None


def _read_station(file: Path) -> Estimator:
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        found = {name.removeprefix(_STATION): arrays[name] for name in arrays.files if name.startswith(_STATION)}
    return unpacked(found, json.loads(bytes(found.pop("meta"))))


def _unpack(arrays: dict[str, np.ndarray], meta: dict[str, Any], file: Path) -> Knowledge:
    built = {}
    for name, kind in _TABLES.items():
        columns = {}
        for field in dataclasses.fields(kind):
            label = f"{name}.{field.name}"
            column = arrays[label]
            if label in meta["tables"]:
                column = np.array(meta["tables"][label] or [""], dtype=object)[column]
            columns[field.name] = column
        built[name] = kind(**columns)
    raw = meta["catalog"]
    catalog = Catalog(
        chips={name: _chip(chip) for name, chip in raw["chips"].items()},
        boards={name: Board(**{**board, **_parts(board)}) for name, board in raw["boards"].items()},
        nets=built["nets"],
        entries=built["entries"],
        accuracies=built["accuracies"],
        measurements=built["measurements"],
        trials=built["trials"],
        tails={name: Tail(**tail) for name, tail in raw["tails"].items()},
        toolchains=tuple((pattern, group) for pattern, group in raw["toolchains"]),
        counts=raw["counts"],
        files=tuple(raw["files"]),
    )
    speeds = Speeds(built["calibrations"], **{name: arrays[f"speeds.{name}"] for name in _SPEED_TYPES})
    return Knowledge(catalog, speeds, meta["key"], file)


def _catalog_json(catalog: Catalog) -> dict[str, Any]:
    return {
        "chips": {name: dataclasses.asdict(chip) for name, chip in catalog.chips.items()},
        "boards": {name: dataclasses.asdict(board) for name, board in catalog.boards.items()},
        "tails": {name: dataclasses.asdict(tail) for name, tail in catalog.tails.items()},
        "toolchains": catalog.toolchains,
        "counts": catalog.counts,
        "files": catalog.files,
    }


def _chip(raw: dict[str, Any]) -> Chip:
    units = tuple(Unit(**{**unit, "precisions": tuple(unit["precisions"])}) for unit in raw["units"])
    own = {
        "units": units,
        "modes": tuple(Mode(**mode) for mode in raw["modes"]),
        "regions": tuple(Region(**region) for region in raw["regions"]),
        "runtimes": tuple(Runtime(**runtime) for runtime in raw["runtimes"]),
    }
    return Chip(**{**raw, **own, **_parts(raw)})


def _parts(raw: dict[str, Any]) -> dict[str, Any]:
    """What chips and boards have in common."""
    return {
        "links": tuple(Link(**link) for link in raw["links"]),
        "power": Power(**raw["power"]),
        "temperature": Temperature(**raw["temperature"]),
        "prices": tuple(Price(**price) for price in raw["prices"]),
        "lifecycle": Lifecycle(**raw["lifecycle"]),
    }
