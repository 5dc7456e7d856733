"""Every command: exit codes, what goes to which stream, files, and the same bytes for the same input."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

COMMANDS = [
    "init",
    "check",
    "schema",
    "budget",
    "solve",
    "pareto",
    "sweep",
    "candidates",
    "catalog list",
    "catalog show",
]
SMALL = "tasks: {name: see, task: visual-wake-words, rate_hz: 1, deadline_ms: 1000, overhead_ms: 60}\n"


def test_help_comes_without_arguments_and_names_every_command(dse):
    shown = dse()
    assert shown.code in (0, 2)  # depends on the version of typer
    for command in COMMANDS:
        assert f" {command.split()[0]} " in shown.out + shown.err
    assert "Exit codes: 0 answered, 2 the input is wrong" in dse("--help").out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example_of_its_own_command(dse, command):
    shown = dse(*command.split(), "--help")
    assert shown.code == 0
    assert f"Example: dse {command}" in re.sub(r"\s+", " ", shown.out)


def test_the_version(dse):
    from importlib.metadata import version

    assert dse("--version").out == f"dse {version('dse')}\n"


def test_a_command_that_does_not_exist(dse):
    outcome = dse("slove")
    assert outcome.code == 2
    assert outcome.out == ""


def test_from_nothing_to_an_answer(dse, tmp_path):
    written = dse("init")
    assert (written.code, written.out) == (0, "")
    assert "next: dse solve problem.yaml" in written.err
    checked = dse("check", "problem.yaml")
    assert checked.code == 0
    assert "problem.yaml: valid" in checked.out
    assert re.search(r"[\d,]+ candidates, [\d,]+ meet every limit", checked.out)
    solved = dse("solve", "problem.yaml")
    assert solved.code == 0
    assert "Smart camera: optimal" in solved.out
    assert "proof: optimum re-proven" in solved.out


def test_init_overwrites_only_by_force(dse, tmp_path):
    (tmp_path / "problem.yaml").write_text("mine", encoding="utf-8")
    refused = dse("init")
    assert refused.code == 2
    assert "problem.yaml exists; --force overwrites it" in refused.err
    assert (tmp_path / "problem.yaml").read_text(encoding="utf-8") == "mine"
    assert dse("init", "--force").code == 0
    assert (tmp_path / "problem.yaml").read_text(encoding="utf-8").startswith("version: 1")


def test_check_lists_defaults_and_what_limits_refuse(dse, problems):
    shown = dse("check", problems / "iot.yaml").out
    assert re.search(r"^guard.confidence +by-grade", shown, re.MULTILINE)
    assert re.search(r"^ ?power_w +\d+ +\d+", shown, re.MULTILINE)


def test_the_schema_is_json_and_describes_every_field(dse):
    schema = dse("schema").data
    assert schema["title"] == "dse problem file"
    assert {"tasks", "limits", "search", "guard", "known"} <= set(schema["properties"])


@pytest.mark.parametrize(
    ("name", "code", "status"),
    [
        ("iot", 0, "optimal"),
        ("smart-camera-rk3588-tuned", 0, "optimal"),
        ("smart-camera-rk3588", 3, "infeasible"),
    ],
)
def test_exit_code_and_json_say_the_same(dse, problems, name, code, status):
    outcome = dse("solve", problems / f"{name}.yaml", "--json")
    assert (outcome.code, outcome.data["status"]) == (code, status)
    assert dse("solve", problems / f"{name}.yaml").code == code


def test_infeasible_names_the_limits_that_refuse(dse, problems):
    shown = dse("solve", problems / "smart-camera-rk3588.yaml")
    assert "Smart camera, plain YOLOv5s: infeasible" in shown.out
    assert re.search(r"^deadline_ms +176 ", shown.out, re.MULTILINE)


def test_stopped_without_an_answer_is_not_infeasible(dse, problems):
    outcome = dse("solve", problems / "driving.yaml", "--time-limit", "0", "--json")
    assert outcome.code == 4
    assert outcome.data["status"] == "unknown"
    assert outcome.data["assignments"] == []
    shown = dse("solve", problems / "driving.yaml", "--time-limit", "0")
    assert "no design meets every limit" not in shown.out


def test_the_same_bytes_whatever_the_number_of_workers(dse, problems):
    answers = set()
    for workers in ("1", "2", "8"):
        text = dse("solve", problems / "driving.yaml", "--json", "--workers", workers).out
        assert f'"workers": {workers}' in text
        answers.add(re.sub(r'"(wall_s|workers)": [\d.]+', "", text))
    assert len(answers) == 1


def test_the_seed_does_not_change_a_proven_answer(dse, problems):
    first, second = (dse("solve", problems / "iot.yaml", "--json", "--seed", seed).data for seed in ("0", "7"))
    assert first["assignments"] == second["assignments"]


def test_listed_designs_differ_in_what_was_asked(dse, problems):
    by_chip = dse("solve", problems / "iot.yaml", "--json", "--top", "3").data
    chips = [by_chip["devices"][0]["chip"], *(other["chip"] for other in by_chip["alternatives"])]
    assert len(chips) == len(set(chips)) == 3
    assert dse("solve", problems / "iot.yaml", "--json", "--top", "1").data["alternatives"] == []
    anything = dse("solve", problems / "smart-camera-rk3588-tuned.yaml", "--json", "--different", "none").data
    assert {other["chip"] for other in anything["alternatives"]} == {"rk3588"}


def test_candidates_have_the_documented_columns(dse, problems, tmp_path):
    from dse.report.table import COLUMNS

    outcome = dse("candidates", problems / "iot.yaml", "--csv", "all.csv")
    assert (outcome.code, outcome.out) == (0, "")
    raw = (tmp_path / "all.csv").read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in raw
    header, *rows = list(csv.reader(raw.decode("utf-8").splitlines()))
    assert tuple(header) == COLUMNS
    data = dse("solve", problems / "iot.yaml", "--json").data
    assert f"wrote {len(rows)} candidates to all.csv" in outcome.err
    assert len(rows) == data["search"]["candidates"]
    table = [dict(zip(header, row, strict=True)) for row in rows]
    assert sum(row["feasible"] == "true" for row in table) == data["search"]["feasible"]
    assert all((row["violated"] == "") == (row["feasible"] == "true") for row in table)
    best = data["assignments"][0]
    assert any(
        row["model"] == best["model"] and float(row["worst_case_ms"] or "nan") == best["latency"]["worst_case_ms"]
        for row in table
    )


def test_designs_as_csv(dse, problems, tmp_path):
    outcome = dse("solve", problems / "iot.yaml", "--csv", "designs.csv", "--json", "--top", "2")
    assert "wrote designs.csv" in outcome.err
    rows = list(csv.DictReader((tmp_path / "designs.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["chip"] for row in rows] == [
        outcome.data["devices"][0]["chip"],
        outcome.data["alternatives"][0]["chip"],
    ]


def test_a_csv_that_cannot_be_written_is_an_error_of_the_user(dse, problems):
    outcome = dse("candidates", problems / "iot.yaml", "--csv", "no/such/folder.csv")
    assert outcome.code == 2
    assert "no/such" in outcome.err.replace("\\", "/")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_csv_into_a_pipe_or_through_a_link(dse, problems, tmp_path):
    """A pipe is written to and stays a pipe; a link keeps pointing at its file."""
    pipe, link, real = tmp_path / "pipe", tmp_path / "link.csv", tmp_path / "real.csv"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_text, encoding="utf-8")
        assert dse("solve", problems / "smart-lock.yaml", "--csv", pipe).code == 0
        piped = read.result(timeout=60)
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    assert dse("solve", problems / "smart-lock.yaml", "--csv", link).code == 0
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert piped == real.read_text(encoding="utf-8")
    assert piped.startswith("chip,board,mode,model,")


@pytest.mark.parametrize("what", ["chips", "models", "tasks", "datasets", "runtimes", "vendors"])
def test_catalog_list(dse, what):
    rows = dse("catalog", "list", what, "--json").data
    assert rows
    assert len({tuple(row) for row in rows}) == 1
    shown = dse("catalog", "list", what)
    assert shown.code == 0
    assert shown.out.splitlines()[0].split()[0] == next(iter(rows[0]))[: len(shown.out.splitlines()[0].split()[0])]


def test_catalog_show_gives_every_figure_a_source(dse):
    figures = {row["figure"]: row for row in dse("catalog", "show", "rk3588", "--json").data}
    assert figures["vendor"]["value"] == "Rockchip"
    assert all(set(row) == {"figure", "value", "grade", "source"} for row in figures.values())
    assert "npu.peak_tops.int8" in figures
    assert dse("catalog", "show", "RK3588").out == dse("catalog", "show", "rk3588").out
    assert "top1 imagenet-1k" in dse("catalog", "show", "resnet50").out


@pytest.mark.parametrize(
    ("wrong", "right"), [("rk358", "rk3588"), ("resnet5", "resnet50"), ("jetson-nan", "jetson-nano")]
)
def test_catalog_show_suggests_the_nearest_name(dse, wrong, right):
    outcome = dse("catalog", "show", wrong)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"nothing is called `{wrong}`" in outcome.err
    assert right in outcome.err


def test_catalog_show_of_what_resembles_nothing(dse):
    outcome = dse("catalog", "show", "nosuch")
    assert outcome.code == 2
    assert "nothing is called `nosuch`" in outcome.err
    assert "()" not in outcome.err


def test_own_catalogue_goes_over_the_shipped_one(dse, tmp_path):
    mine = f"mine-{uuid4()}"  # new to this process and to any cache
    (tmp_path / mine / "chips").mkdir(parents=True)
    text = (
        "- id: rk3588\n  power: {typical_w: 6.25}\n  sources: {power.typical_w: 'read: own bench'}\n"
        + f"  notes: {mine}\n"
    )
    (tmp_path / mine / "chips" / "own.yaml").write_text(text, encoding="utf-8")
    outcome = dse("catalog", "show", "rk3588", "--json", "--catalog", mine)
    assert "catalogue compiled: its files are new or have changed" in outcome.err
    figures = {row["figure"]: row for row in outcome.data}
    assert figures["power.typical_w"] == {
        "figure": "power.typical_w",
        "value": 6.25,
        "grade": "A",
        "source": "read: own bench",
    }
    assert figures["vendor"]["value"] == "Rockchip"


def test_a_catalogue_folder_that_does_not_exist(dse):
    outcome = dse("catalog", "list", "chips", "--catalog", "nowhere")
    assert (outcome.code, outcome.out) == (2, "")
    assert "nowhere" in outcome.err


def test_a_real_process_has_the_same_streams_and_codes(knowledge, problems, tmp_path):
    """As `python -m`, without this process's help: JSON alone on stdout, no traceback on stderr."""
    call = [sys.executable, "-m", "dse.cli.main"]

    def process(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*call, *arguments], capture_output=True, encoding="utf-8", cwd=tmp_path, env=dict(os.environ), check=False
        )

    solved = process("solve", str(problems / "smart-camera-rk3588.yaml"), "--json")
    assert solved.returncode == 3
    assert json.loads(solved.stdout)["status"] == "infeasible"
    missing = process("solve", "missing.yaml")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "missing.yaml" in missing.stderr
    assert "Traceback" not in missing.stderr


TWO_TASKS = """
tasks:
  - {name: see, task: visual-wake-words, rate_hz: 1, deadline_ms: 1000, overhead_ms: 60}
  - {name: again, task: visual-wake-words, after: see, deadline_ms: 1000, overhead_ms: 60}
"""


def test_check_says_of_every_task_what_is_left_and_how_many_devices_carry_all(dse, tmp_path):
    (tmp_path / "two.yaml").write_text(TWO_TASKS, encoding="utf-8")
    checked = dse("check", "two.yaml")
    assert checked.code == 0
    assert checked.out.count(" meet every limit") == 2
    assert "task see, alone" in checked.out
    assert "task again, alone" in checked.out
    shown = re.sub(r"\s+", " ", checked.out)
    assert re.search(r"[1-9][\d,]* devices? carr(y|ies) all 2 tasks .* [1-9][\d,]* combinations", shown)


def test_candidates_of_all_tasks_go_into_one_file(dse, tmp_path):
    (tmp_path / "two.yaml").write_text(TWO_TASKS, encoding="utf-8")
    assert dse("candidates", "two.yaml", "--csv", "all.csv").code == 0
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        tasks = [row["task"] for row in csv.DictReader(file)]
    assert sorted(set(tasks)) == ["again", "see"]
    assert tasks == sorted(tasks, key=["see", "again"].index)
