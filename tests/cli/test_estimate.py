"""``dse estimate``: what goes to which stream, exit codes, and no fault of a file that ends in a traceback."""

from __future__ import annotations

import csv
import os
import re

import pytest

from dse.estimation import ADDED, LAW

PAIRS = (
    "chip,model,precision,unit,input_h,input_w\n"
    "rk3588,yolov5s,int8,npu,640,640\n"
    "nosuchchip,yolov5s,int8,npu,640,640\n"
    "rk3588,brandnewnet,int8,npu,,\n"
)


@pytest.fixture
def pairs(tmp_path):
    (tmp_path / "pairs.csv").write_text(PAIRS, encoding="utf-8")
    return "pairs.csv"


def rows_of(file):
    return list(csv.reader(file.read_text(encoding="utf-8").splitlines()))


def refused(outcome, *parts):
    assert (outcome.code, outcome.out) == (2, ""), outcome.err
    assert outcome.err.splitlines()[-1].startswith("error: ")
    for part in parts:
        assert part in outcome.err


def test_one_row_out_per_row_in(dse, pairs, tmp_path):
    outcome = dse("estimate", pairs, "--csv", "out.csv")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err.splitlines()[-1] == "wrote 3 rows to out.csv (1 A, 1 C2-, 1 refused)"
    asked, answered = (rows_of(tmp_path / name) for name in ("pairs.csv", "out.csv"))
    assert [row[:6] for row in answered] == asked
    assert answered[0][6:] == list(ADDED)
    assert answered[2][6:11] == [""] * 5
    assert answered[2][11].startswith("refused: ")


def test_the_law_has_columns_of_its_own(dse, pairs, tmp_path):
    assert dse("estimate", pairs, "--csv", "plain.csv").code == 0
    assert dse("estimate", pairs, "--csv", "law.csv", "--law").code == 0
    plain, law = rows_of(tmp_path / "plain.csv"), rows_of(tmp_path / "law.csv")
    assert [row[:12] for row in law] == plain
    assert law[0][12:] == list(LAW)


def test_the_same_file_gives_the_same_bytes(dse, pairs, tmp_path):
    for name in ("one.csv", "two.csv"):
        assert dse("estimate", pairs, "--csv", name, "--law").code == 0
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_no_rows(dse, tmp_path):
    (tmp_path / "pairs.csv").write_text("chip,model,precision\n", encoding="utf-8")
    outcome = dse("estimate", "pairs.csv", "--csv", "out.csv")
    assert (outcome.code, outcome.err.splitlines()[-1]) == (0, "wrote 0 rows to out.csv")


def test_every_fault_is_on_a_line_of_its_own(dse, tmp_path):
    (tmp_path / "pairs.csv").write_text(
        'chip,model,precision,batch,remark,core\nrk3588,resnet50,int8,1,"two\nlines",1\n,resnet50,int8,many,,1\n',
        encoding="utf-8",
    )
    outcome = dse("estimate", "pairs.csv", "--csv", "out.csv")
    refused(outcome)
    assert [line.split(": ")[1:3] for line in outcome.err.splitlines()] == [
        ["pairs.csv:1:1", "core"],
        ["pairs.csv:4:1", "batch"],
        ["pairs.csv:4:1", "chip"],
    ]
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "is empty (begin with the columns chip, model, precision)"),
        (bytes(range(256)) * 3, "is not UTF-8"),
        (b"\x00\x01\x02", "the required column is missing"),
        (PAIRS.encode("utf-16"), "is not UTF-8"),
        (PAIRS.replace(",", ";").encode(), "the columns are separated by semicolons (save with commas)"),
        (b'chip,model,precision\n"a,b,c\n', "is not valid CSV"),
        (b"chip,model,precision\n" + b"m" * 2_000_000 + b",b,c\n", "is not valid CSV: field larger than field limit"),
    ],
)
def test_files_that_are_no_pairs(dse, tmp_path, content, part):
    (tmp_path / "pairs.csv").write_bytes(content)
    refused(dse("estimate", "pairs.csv", "--csv", "out.csv"), "pairs.csv", part)
    assert [file.name for file in tmp_path.iterdir()] == ["pairs.csv"]


def test_files_that_are_not_there(dse, pairs, tmp_path):
    (tmp_path / "folder").mkdir()
    refused(dse("estimate", "missing.csv", "--csv", "out.csv"), "missing.csv: No such file")
    refused(dse("estimate", "folder", "--csv", "out.csv"), "folder: Is a directory")
    refused(dse("estimate", pairs, "--csv", "no/out.csv"), "error: no: no such folder")
    refused(dse("estimate", pairs, "--csv", "folder"), "folder: is a folder, not a file to write")
    refused(dse("estimate", pairs, "--csv", "out.csv", "--catalog", "nowhere"), "nowhere")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "pairs.csv"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(dse, pairs, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    refused(dse("estimate", pairs, "--csv", "locked/out.csv"), "Permission denied")


@pytest.mark.parametrize("arguments", [(), ("pairs.csv",), ("--csv", "out.csv"), ("a", "b", "--csv", "c")])
def test_wrong_arguments(dse, pairs, arguments):
    outcome = dse("estimate", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Usage: dse estimate" in outcome.err


def test_the_help_has_an_example(dse):
    assert "Example: dse estimate pairs.csv --csv estimates.csv" in re.sub(r"\s+", " ", dse("estimate", "--help").out)
