"""A bundle is a plain zip of the same bytes everywhere, and nothing in a file that is given to us is trusted."""

from __future__ import annotations

import io
import stat
import zipfile

import pytest

from dse.bundle import archive
from dse.bundle.archive import packed, unpacked, where_of
from dse.errors import InputError

ENTRIES = {"b/ä.txt": "Grüße\n".encode(), "a.txt": b"one", "empty": b""}


def test_the_order_of_entries_does_not_matter_and_nothing_is_lost():
    content = packed(ENTRIES)
    assert content == packed(dict(reversed(ENTRIES.items())))
    assert unpacked(content, "x.zip") == ENTRIES
    assert where_of(content, ENTRIES) == ""


def test_other_programs_read_it():
    with zipfile.ZipFile(io.BytesIO(packed(ENTRIES))) as other:
        assert other.testzip() is None
        assert {info.filename: other.read(info) for info in other.infolist()} == ENTRIES
        assert [info.filename for info in other.infolist()] == ["a.txt", "b/ä.txt", "empty"]
        assert {info.date_time for info in other.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.external_attr >> 16 for info in other.infolist()} == {stat.S_IFREG | 0o644}


def zipped(*entries: tuple[str, bytes], method: int = zipfile.ZIP_STORED, mode: int = 0o100644) -> bytes:
    """A zip by another program, which writes whatever it is told."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as other:
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, method
            other.writestr(info, content)
    return target.getvalue()


def encrypted() -> bytes:
    content = bytearray(packed({"a": b"1"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def overlapping() -> bytes:
    """Two entries of the directory that share the same bytes: how small files become large ones."""
    content = bytearray(packed({"a" * 9: b"1" * 400, "b" * 9: b"1" * 400}))
    second = content.rindex(b"PK\x01\x02")
    content[second + 42 : second + 46] = bytes(4)
    content[second + 20 : second + 28] = (len(content) - 50).to_bytes(4, "little") * 2
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x.zip: is empty"),
        (b"tasks: []\n", "it is not a zip file"),
        (packed(ENTRIES)[:-1], "was cut short"),
        (packed(ENTRIES)[:60], "is cut short: the end of the archive is missing"),
        (packed(ENTRIES) + b"\0", "has bytes behind its end"),
        (zipped(("../a", b"")), r"the name '\.\./a' cannot stand in a bundle"),
        (zipped(("a/../../b", b"")), "cannot stand in a bundle"),
        (zipped(("/etc/passwd", b"")), "the name '/etc/passwd' cannot"),
        (zipped(("C:/a", b"")), "the name 'C:/a' cannot"),
        (zipped(("a\\b", b"")), "cannot stand in a bundle"),
        (zipped(("a//b", b"")), "the name 'a//b' cannot"),
        (zipped(("a", b""), ("b", b"1")).replace(b"b", b"a"), "holds `a` twice"),
        (zipped(("a.txt", b""), ("A.txt", b"")), "or in another spelling too"),
        (zipped(("a", b""), ("a/b", b"")), "`a` is a file and a folder"),
        (zipped(("a", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777), "`a` is a symbolic link"),
        (zipped(("a", bytes(10**6)), method=zipfile.ZIP_DEFLATED), r"`a` is compressed \(a bundle must stay as it was"),
        (encrypted(), "`a` is encrypted"),
        (overlapping(), "lie over each other|is cut short"),
    ],
)
def test_what_is_no_bundle_is_refused_in_words(content, message):
    with pytest.raises(InputError, match=message):
        unpacked(content, "x.zip")


def test_a_bundle_has_a_largest_size(monkeypatch, tmp_path):
    monkeypatch.setattr(archive, "MAX_BYTES", 20)
    with pytest.raises(InputError, match=r"would hold 1 files of 0 MB; .* the most"):
        packed({"a": bytes(20)})
    (tmp_path / "x.zip").write_bytes(bytes(21))
    with pytest.raises(InputError, match=r"x.zip: is larger than 0 MB \(is it the right file"):
        archive.read(tmp_path / "x.zip")
    with pytest.raises(InputError, match=r"missing.zip: cannot be read: no such file"):
        archive.read(tmp_path / "missing.zip")


def test_a_byte_of_the_archive_itself_is_named():
    content = bytearray(packed(ENTRIES))
    content[10] ^= 1  # the time in the first local header, that of a.txt
    assert where_of(bytes(content), ENTRIES) == "the archive's own record of a.txt, byte 10 of the file"
    content[10] ^= 1
    last = content.rindex(b"PK\x01\x02") + 12
    content[last] ^= 1
    assert where_of(bytes(content), ENTRIES) == f"the archive's own directory, byte {last} of the file"
