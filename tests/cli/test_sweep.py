"""``dse sweep`` as a user meets it: files, streams, exit codes, and a run that is cut off."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dse.errors import WorkerError
from tests.sweeping.problems import ONE

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def problem(tmp_path):
    (tmp_path / "problem.yaml").write_text(ONE, encoding="utf-8")


def test_a_table_a_file_and_a_count(dse, tmp_path):
    outcome = dse("sweep", "problem.yaml", "--vary", "limits.power_w=0.02,0.04,1", "--csv", "out.csv", "--workers", "1")
    assert (outcome.code, outcome.err) == (0, "wrote 3 points to out.csv\n")
    first, second, head, *lines = outcome.out.splitlines()
    assert f"{first} {second}" == (
        "Quick: 3 points, 2 with a design, 1 infeasible; 2 different designs win, another design than before at 1 point"
    )
    assert head.split() == ["power_w", "design", "accuracy", "worst", "ms", "W", "$"]
    assert "infeasible: every candidate breaks" in " ".join(outcome.out.split())
    assert sum(line.startswith("→  1 ") for line in lines) == 1
    assert lines[-1] == "→ another design wins than at the nearest point before that has one"
    raw = (tmp_path / "out.csv").read_bytes()
    assert raw.startswith(b"limits.power_w,point,status,label,winner_changes,chip,board,host,link,mode,unit,cores,")
    assert b"\r" not in raw
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "problem.yaml"]


def test_json_is_one_object_and_the_csv_may_begin_with_a_mark(dse, tmp_path):
    (tmp_path / "points.csv").write_text('tasks.see.name,limits.power_w\n"=see",\n,0.02\n', encoding="utf-8")
    words = ("--json", "--csv", "out.csv", "--excel", "--workers", "1")
    outcome = dse("sweep", "problem.yaml", "--points", "points.csv", *words)
    assert outcome.code == 0
    assert outcome.data["fields"] == ["tasks.see.name", "limits.power_w"]
    assert [point["changes"] for point in outcome.data["points"]] == [
        {"tasks.see.name": "=see"},
        {"limits.power_w": 0.02},
    ]
    assert [point["status"] for point in outcome.data["points"]] == ["optimal", "infeasible"]
    raw = (tmp_path / "out.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbftasks.see.name,")
    assert next(csv.DictReader(raw.decode("utf-8-sig").splitlines()))["tasks.see.name"] == "'=see"


def test_every_point_proven_infeasible_is_code_3(dse):
    outcome = dse("sweep", "problem.yaml", "--vary", "limits.power_w=0.01", "--workers", "1")
    assert outcome.code == 3
    assert outcome.out.startswith("Quick: 1 point, 0 with a design, 1 infeasible\n")


def test_every_point_stopped_is_code_4(dse):
    outcome = dse("sweep", "problem.yaml", "--vary", "limits.power_w=1", "--workers", "1", "--time-limit", "0")
    assert outcome.code == 4
    assert "1 stopped without an answer" in outcome.out


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        ((), ["problem.yaml: say which fields to vary"]),
        (("--vary", "limits.power_w=1", "--points", "x.csv"), ["varied by a grid and by a file"]),
        (("--points", "missing.csv"), ["missing.csv: there is no such file"]),
        (("--vary", "limits.power_w"), ["--vary limits.power_w: says no values (write PATH=VALUES"]),
        (("--vary", "limits.power_w=1", "--resume"), ["--resume: what is finished is kept beside the CSV file"]),
        (("--vary", "limits.power_w=1", "--csv", "no/out.csv"), ["no/out.csv.part: No such file or directory"]),
        (("--vary", "limits.power_w=1", "--csv", "."), [".: is a folder, not a file to write"]),
        (("--vary", "limits.power_w=1", "--cluster", "here"), ["here: is not the address of a scheduler"]),
        (
            ("--vary", "limits.power_w=5:1:1", "--vary", "tasks.sea.streams=1", "--vary", "limits.power=1"),
            ["the step leads away from the end", "tasks has no item `sea`", "there is no limit `power`"],
        ),
    ],
)
def test_wrong_input_is_code_2_and_nothing_is_written(dse, tmp_path, words, messages):
    outcome = dse("sweep", "problem.yaml", *words)
    assert (outcome.code, outcome.out) == (2, "")
    for message in messages:
        assert message in outcome.err.replace("\\", "/")
    assert outcome.err.count("error: ") == len(messages)
    assert [path.name for path in tmp_path.iterdir()] == ["problem.yaml"]


def test_what_is_read_is_not_written_over(dse, tmp_path, monkeypatch):
    """By whatever path, and before any work."""
    (tmp_path / "points.csv").write_text("limits.power_w\n1\n", encoding="utf-8")
    (tmp_path / "same.csv").symlink_to("points.csv")
    (tmp_path / "out.csv.part").write_text("limits.power_w\n1\n", encoding="utf-8")
    monkeypatch.setattr("dse.sweeping.run.prepare", None)
    for words, message in (
        (("--vary", "limits.power_w=1", "--csv", "./problem.yaml"), "--csv problem.yaml: is the problem file itself"),
        (("--points", "points.csv", "--csv", "points.csv"), "--csv points.csv: is the file of points itself"),
        (("--points", "points.csv", "--csv", "same.csv"), "--csv same.csv: is the file of points itself"),
        (("--points", "out.csv.part", "--csv", "out.csv"), "out.csv.part: is the file of points itself"),
    ):
        outcome = dse("sweep", "problem.yaml", *words)
        assert (outcome.code, outcome.out) == (2, "")
        assert message in outcome.err
    assert (tmp_path / "problem.yaml").read_text(encoding="utf-8") == ONE


@pytest.mark.parametrize(
    ("error", "words"), [(KeyboardInterrupt(), "interrupted"), (WorkerError("a worker died"), "error: a worker died")]
)
def test_an_interrupt_and_a_lost_worker_say_how_to_go_on(dse, tmp_path, monkeypatch, error, words):
    def interrupted(*_arguments, **_options):
        yield 0, {"status": "infeasible"}
        raise error

    monkeypatch.setattr("dse.sweeping.run.results", interrupted)
    outcome = dse("sweep", "problem.yaml", "--vary", "limits.power_w=0.02,1", "--csv", "out.csv", "--workers", "1")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == f"{words}; out.csv.part holds what is finished: --resume goes on with it\n"
    assert (tmp_path / "out.csv.part").read_bytes().count(b"\n") == 2


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_killed_at_any_moment_it_goes_on_to_the_same_bytes(dse, tmp_path):
    """The process dies between two points or within one; its journal, and then the table, are as if it had not."""
    words = ["sweep", "problem.yaml", "--vary", "limits.power_w=0.02:0.06:0.01", "--workers", "1", "--csv"]
    call = [sys.executable, "-m", "dse.cli.main", *words, str(tmp_path / "cut.csv")]
    journal = tmp_path / "cut.csv.part"
    process = subprocess.Popen(
        call, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= 2):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
    time.sleep(time.time() % 0.1)  # within a point, or just after one
    process.kill()
    assert process.wait(timeout=30) == -signal.SIGKILL
    assert not (tmp_path / "cut.csv").exists()
    assert "--resume goes on with it" in dse(*words, tmp_path / "cut.csv").err
    resumed = dse(*words, tmp_path / "cut.csv", "--resume")
    assert resumed.code == 0
    whole = dse(*words, tmp_path / "whole.csv")
    assert (tmp_path / "cut.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert resumed.out == whole.out
    assert not journal.exists()
