"""What is finished is never lost: torn lines, other sweeps, other runs."""

from __future__ import annotations

import json

import pytest

from dse.errors import Fault, InputError
from dse.sweeping import journal as keeping
from dse.sweeping.journal import journal_of

SAME = {"problem": "p", "points": "v", "seed": 0}


def Journal(path, fingerprint, *, resume: bool) -> keeping.Journal:  # noqa: N802 - of nine points
    return keeping.Journal(path, fingerprint, points=9, resume=resume)


@pytest.fixture
def path(tmp_path):
    return journal_of(tmp_path / "sweep.csv")


def written(path, *numbers: int) -> bytes:
    with Journal(path, SAME, resume=False) as journal:
        for number in numbers:
            journal.add(number, {"worst_case_ms": 0.1 * number})
    return path.read_bytes()


def test_a_line_for_what_is_swept_and_one_for_each_point(path):
    lines = written(path, 3, 1).decode().splitlines()
    assert path.name == "sweep.csv.part"
    entries = [json.loads(line) for line in lines]
    assert len({entry.pop("sum") for entry in entries}) == 3
    assert entries == [
        {"format": 2, **SAME},
        {"point": 3, "result": {"worst_case_ms": 0.30000000000000004}},
        {"point": 1, "result": {"worst_case_ms": 0.1}},
    ]


def test_going_on_keeps_every_figure(path):
    before = written(path, 3, 1)
    with Journal(path, SAME, resume=True) as journal:
        assert journal.done == {3: {"worst_case_ms": 0.30000000000000004}, 1: {"worst_case_ms": 0.1}}
        journal.add(2, None)
    assert path.read_bytes().startswith(before + b'{"point":2,"result":null,"sum":"')


def test_a_torn_line_counts_as_not_written(path):
    """Wherever the cut is, what stands before it is kept, and the next line does not stick to the rest."""
    whole = written(path, 3, 1)
    assert len(whole) > 150
    for length in range(0, len(whole) + 1, 3):
        path.write_bytes(whole[:length])
        with Journal(path, SAME, resume=True) as journal:
            assert list(journal.done) == [3, 1][: max(whole[:length].count(b"\n") - 1, 0)]
            journal.add(7, "seven")
        with Journal(path, SAME, resume=True) as journal:
            assert journal.done[7] == "seven"


def test_a_journal_is_not_overwritten(path):
    before = written(path, 3)
    with pytest.raises(InputError, match=r"an earlier run left finished points here.*--resume goes on with it"):
        Journal(path, SAME, resume=False)
    assert path.read_bytes() == before


def test_without_a_journal_resume_begins_one(path):
    with Journal(path, SAME, resume=True) as journal:
        assert journal.done == {}
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({**SAME, "problem": "q"}, "belongs to another sweep: it differs in the problem file"),
        ({**SAME, "points": "w", "seed": 1}, "it differs in the fields and values varied, --seed"),
        ({**SAME, "code": "new"}, "it differs in the code of dse"),
    ],
)
def test_a_journal_of_another_sweep_is_refused(path, other, message):
    before = written(path, 3)
    with pytest.raises(InputError, match=message):
        Journal(path, other, resume=True)
    assert path.read_bytes() == before


def test_a_second_run_at_once_is_refused(path):
    with Journal(path, SAME, resume=False) as journal:
        with pytest.raises(InputError, match="another run is writing to this journal"):
            Journal(path, SAME, resume=True)
        journal.add(1, None)
    with Journal(path, SAME, resume=True) as journal:
        assert list(journal.done) == [1]


DAMAGED = [
    b"nonsense", b"", b"[]", b'{"other":1}', b'{"point":1}', b'{"point":[1],"result":{}}', b'{"point":1,"result":null}',
    b"[" * 9999, b'{"point":1,"result":{"worst_case_ms":NaN}}', b'{"point":1,"result":{},"sum":"0123456789abcdef"}',
]  # fmt: skip


@pytest.mark.parametrize("line", DAMAGED)
def test_a_damaged_line_is_named(path, line):
    """Also where it is JSON; and as the first line."""
    whole = written(path, 3)
    for number, content in ((3, whole + line + b"\n" + whole.splitlines(keepends=True)[1]), (1, line + b"\n")):
        path.write_bytes(content)
        with pytest.raises(InputError, match=rf"sweep\.csv\.part:{number}:1: line {number} was not written by a sweep"):
            Journal(path, SAME, resume=True)
        assert path.read_bytes() == content


@pytest.mark.parametrize("number", [0, -1, 10, True, 1.0, "1", None, [1], 3])
def test_a_point_that_is_none_or_was_there_is_named(path, number):
    written(path, 3)
    with Journal(path, SAME, resume=True) as journal:
        journal._write(keeping._line_of({"point": number, "result": {}}, journal._key))
    with pytest.raises(InputError, match="line 3 was not written by a sweep"):
        Journal(path, SAME, resume=True)


def test_a_changed_byte_and_a_line_of_another_journal_are_named(path):
    whole = written(path, 3)
    path.unlink()
    with Journal(path, {**SAME, "seed": 1}, resume=False) as journal:
        journal.add(3, {"worst_case_ms": 0.3})
    other = path.read_bytes().splitlines()[1] + b"\n"
    for content in (whole.replace(b"0.30", b"0.31"), whole.splitlines()[0] + b"\n" + other):
        path.write_bytes(content)
        with pytest.raises(InputError, match="line 2 was not written by a sweep"):
            Journal(path, SAME, resume=True)


def test_a_file_that_is_no_journal_is_not_wiped(path):
    """Nothing ends its first line, but it does not begin as one of a journal."""
    for content in (b"my notes", b" ", b'{"format":1', b'{"format":2,"problem":"q'):
        path.write_bytes(content)
        with pytest.raises(InputError, match="line 1 was not written by a sweep"):
            Journal(path, SAME, resume=True)
        assert path.read_bytes() == content


def test_the_journal_goes_when_the_result_is_there(path):
    with Journal(path, SAME, resume=False) as journal:
        journal.remove()
    assert not path.exists()


def test_an_error_before_the_first_point_leaves_no_journal(path):
    with pytest.raises(InputError, match="no scheduler"), Journal(path, SAME, resume=False):
        raise InputError([Fault("tcp://127.0.0.1:1", 0, 0, "", "no scheduler")])
    assert not path.exists()
