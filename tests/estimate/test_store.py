"""The compiled file: what was written is read again, and no file on disk can stop dse."""

from __future__ import annotations

import ast
import dataclasses
import json
import multiprocessing
import os
from pathlib import Path

import numpy as np
import pytest

from dse.errors import CatalogError
from dse.estimate import store
from dse.estimate.estimator import fit
from dse.estimate.store import Knowledge
from tests.catalog.folders import folder
from tests.estimate import tiny


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A small catalogue in place of the shipped one, and a cache of its own."""
    root = folder(tmp_path / "catalogue")
    monkeypatch.setattr(store, "shipped_root", lambda: root)
    monkeypatch.setenv("DSE_CACHE_DIR", str(tmp_path / "cache"))
    return root


def small():
    """Knowledge made by hand."""
    rows = [{"chip": chip, "net": net, "time_ms": 1.5 + net} for chip in "ab" for net in range(4)]
    catalog = tiny.catalog(tiny.nets([1, 2, 3, np.nan]), rows, [(0, "fp32", "", 70), (1, "int8", "x", 69.5)])
    return store.knowledge_from(catalog, fit(catalog), "0" * 32)


def assert_alike(one, other):
    """Equal in every field, arrays within the precision that is kept; a station in its file equals one in memory."""
    assert type(one) is type(other)
    if isinstance(one, Knowledge):
        assert_alike(one.estimator, other.estimator)
    for field in dataclasses.fields(one):
        if field.name not in ("rebuilt", "station"):
            assert_same(getattr(one, field.name), getattr(other, field.name), field.name)


def assert_same(left, right, name):
    if dataclasses.is_dataclass(left):
        assert_alike(left, right)
    elif isinstance(left, tuple) and left and dataclasses.is_dataclass(left[0]):
        assert len(left) == len(right), name
        for one, other in zip(left, right, strict=True):
            assert_alike(one, other)
    elif isinstance(left, dict) and left and dataclasses.is_dataclass(next(iter(left.values()))):
        assert list(left) == list(right), name
        for key in left:
            assert_alike(left[key], right[key])
    elif isinstance(left, np.ndarray):
        assert left.shape == right.shape, name
        if left.dtype == object:
            assert left.tolist() == right.tolist(), name
        else:
            np.testing.assert_allclose(left, right, rtol=1e-6, err_msg=name)
    else:
        assert left == right, name


def test_what_is_written_is_read_again(tmp_path):
    knowledge = small()
    store.write(knowledge, tmp_path / "k.npz")
    assert_alike(store._read(tmp_path / "k.npz", knowledge.key), knowledge)


def test_the_shipped_catalogue_survives_the_round_trip(tmp_path, knowledge):
    store.write(knowledge, tmp_path / "k.npz")
    assert_alike(store._read(tmp_path / "k.npz", knowledge.key), knowledge)


def test_the_same_knowledge_gives_the_same_bytes(tmp_path):
    for name in ("one.npz", "two.npz"):
        store.write(small(), tmp_path / name)
    os.utime(tmp_path / "one.npz", (0, 0))
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_compiled_once(root):
    assert store.load().rebuilt
    again = store.load()
    assert not again.rebuilt
    assert set(again.catalog.chips) == {"my-chip"}


def test_the_first_run_sees_what_later_ones_read(root):
    """Bit for bit: the same file gives the same answer before and after the cache exists."""
    first, later = store.load(), store.load()
    assert (first.rebuilt, later.rebuilt) == (True, False)
    for name in ("typical_ms", "spread", "level"):
        assert np.array_equal(getattr(first.speeds, name), getattr(later.speeds, name), equal_nan=True), name


@pytest.mark.parametrize("label", ["chips/mine.yaml", "models/accuracies.csv", "measurements/mine.csv", "tails.csv"])
def test_an_edit_is_noticed(root, label):
    before = store.load().key
    with (root / label).open("a") as file:
        file.write("\n")
    assert store.load().key != before


def test_an_overlay_has_a_key_of_its_own(root, tmp_path):
    """The same files mean something else in a user's folder than in the shipped one."""
    users = folder(tmp_path / "users")
    keys = {store.content_key(roots) for roots in ((root,), (root, users), (root, root, users))}
    assert len(keys) == 3


def test_the_place_of_the_folder_does_not_matter(root, tmp_path):
    """A wheel is built in one place and installed in another: the key and the arrays are the same."""
    copy = folder(tmp_path / "elsewhere" / "deep")
    assert store.content_key((root,)) == store.content_key((copy,))
    key = store.content_key((root,))
    for place, name in ((root, "one.npz"), (copy, "two.npz")):
        store.write(store.compile_catalogues((place,), key), tmp_path / name)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_every_module_that_decides_what_is_compiled_is_in_the_key():
    """Follow the imports of the reader and the fit: whatever they load is hashed."""
    package = Path(store.__file__).parents[1]
    seen, todo = set(), ["dse.catalog.read", "dse.estimate.speed", "dse.estimate.store"]
    while todo:
        module = todo.pop()
        path = package.parent / (module.replace(".", "/") + ".py")
        if module in seen or not path.is_file():
            continue
        seen.add(module)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("dse."):
                todo += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    hashed = {".".join(file.relative_to(package.parent).with_suffix("").parts) for file in store.code_files()}
    assert len(seen) > 15
    assert seen <= hashed


def damaged_files():
    """Content of a cache file, and what is wrong with it."""
    yield "empty", lambda whole: b""
    yield "torn", lambda whole: whole[: len(whole) // 2]
    yield "torn at the end", lambda whole: whole[:-10]
    yield "text", lambda whole: b"not an archive"
    yield "flipped bits", lambda whole: whole[:200] + bytes(255 - byte for byte in whole[200:400]) + whole[400:]
    yield "pickle", lambda whole: b"\x80\x04]\x94."
    yield "zip of nothing", lambda whole: b"PK\x05\x06" + bytes(18)


@pytest.mark.parametrize(("damage"), [pytest.param(change, id=name) for name, change in damaged_files()])
def test_a_damaged_file_is_compiled_again(root, damage, tmp_path):
    first = store.load()
    (file,) = (tmp_path / "cache").glob("*.npz")
    file.write_bytes(damage(file.read_bytes()))
    again = store.load()
    assert again.rebuilt
    assert_alike(again, first)
    assert not store.load().rebuilt


def foreign_files(key):
    """Archives that somebody else wrote."""
    yield {"other": np.zeros(3)}
    yield {"meta": np.frombuffer(b"no json", dtype=np.uint8)}
    yield {"meta": np.frombuffer(json.dumps([1, 2]).encode(), dtype=np.uint8)}
    yield {"meta": np.frombuffer(json.dumps({"key": key}).encode(), dtype=np.uint8)}
    yield {"meta": np.frombuffer(json.dumps({"key": key, "tables": {}, "catalog": {}}).encode(), dtype=np.uint8)}


@pytest.mark.parametrize("kind", range(5))
def test_a_foreign_file_is_compiled_again(root, kind, tmp_path):
    key = store.content_key((root,))
    (tmp_path / "cache").mkdir()
    np.savez(tmp_path / "cache" / f"{key}.npz", **list(foreign_files(key))[kind])
    assert store.load().rebuilt
    assert not store.load().rebuilt


def test_an_array_in_place_of_the_archive(root, tmp_path):
    key = store.content_key((root,))
    (tmp_path / "cache").mkdir()
    with (tmp_path / "cache" / f"{key}.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    assert store.load().rebuilt


def test_a_file_of_other_catalogues_is_not_used(root, tmp_path):
    """The wheel's file belongs to the wheel's catalogues; an edited checkout does not take it."""
    store.write(small(), root / store.COMPILED_NAME)
    assert set(store.load().catalog.chips) == {"my-chip"}


@pytest.mark.parametrize("place", ["a file", "below a file"])
def test_a_cache_that_cannot_be_written_costs_time_only(root, tmp_path, monkeypatch, place):
    (tmp_path / "blocked").write_text("")
    monkeypatch.setenv("DSE_CACHE_DIR", str(tmp_path / "blocked" / ("x" if place == "below a file" else "")))
    for _ in range(2):
        assert store.load().rebuilt


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    store.write(small(), tmp_path / "k.npz")
    before = (tmp_path / "k.npz").read_bytes()

    def full_disk(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(OSError, match="No space left"):
        store.write(small(), tmp_path / "k.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["k.npz"]
    assert (tmp_path / "k.npz").read_bytes() == before


def _write_often(target):
    knowledge = small()
    for _ in range(15):
        store.write(knowledge, Path(target))


def test_writers_at_the_same_time_do_not_tear(tmp_path):
    """A reader beside three writers sees a whole file every time."""
    target = tmp_path / "k.npz"
    store.write(small(), target)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_often, args=(str(target),)) for _ in range(3)]
    for writer in writers:
        writer.start()
    reads = 0
    while any(writer.is_alive() for writer in writers):
        assert store._read(target, "0" * 32) is not None
        reads += 1
    for writer in writers:
        writer.join()
    assert reads > 10
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert [file.name for file in tmp_path.iterdir()] == ["k.npz"]


def test_old_files_leave_the_cache(root, tmp_path):
    """Each edit makes another file: the newest few stay, other people's files too."""
    cache = tmp_path / "cache"
    cache.mkdir()
    for k in range(10):
        (cache / f"{k:032x}.npz").write_bytes(b"old")
        os.utime(cache / f"{k:032x}.npz", (k, k))
    (cache / "mine.npz").write_bytes(b"precious")
    store.load()
    assert len(list(cache.glob("*.npz"))) == store._KEPT_FILES + 1
    assert (cache / "mine.npz").exists()
    assert not store.load().rebuilt


def test_a_compiled_file_that_is_removed_while_in_use_is_said_so(tmp_path):
    file = tmp_path / f"{'0' * 32}.npz"
    store.write(small(), file)
    again = store._read(file, "0" * 32)
    file.unlink()
    with pytest.raises(CatalogError, match="removed while in use"):
        _ = again.estimator


def test_the_file_in_use_is_the_last_to_be_removed(tmp_path, monkeypatch):
    """Used again after six newer ones were made, it stays when the next one is."""
    monkeypatch.setenv("DSE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(store, "shipped_root", lambda: tmp_path / "nothing")
    monkeypatch.setattr(store, "content_key", lambda roots: "a" * 32)
    used = tmp_path / f"{'a' * 32}.npz"
    store.write(dataclasses.replace(small(), key="a" * 32), used)
    os.utime(used, (1, 1))
    for number in range(7):
        other = tmp_path / f"{number:032x}.npz"
        other.write_bytes(b"")
        os.utime(other, (10 + number, 10 + number))
    assert not store.load().rebuilt
    store._prune(tmp_path)
    assert used.exists()
    assert not (tmp_path / f"{0:032x}.npz").exists()
