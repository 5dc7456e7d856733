"""Whole sweeps: every row is the answer to the changed file, and what is cut off goes on to the same bytes."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest

import dse
from dse import api
from dse.errors import InputError, ProblemError
from dse.problem.load import parse_problem
from dse.sweeping import run as running
from dse.sweeping.journal import journal_of
from dse.sweeping.rows import header
from tests.sweeping.problems import ONE, TWO


@pytest.fixture
def file(knowledge, tmp_path):
    path = tmp_path / "problem.yaml"
    path.write_text(ONE, encoding="utf-8")
    return path


def table(path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_row_is_the_answer_to_the_changed_file(file, tmp_path):
    """0.02 W is below what any of the three draws; 1 W admits the fastest."""
    swept = api.sweep(file, {"limits.power_w": "0.02, 0.03, 1"}, csv=tmp_path / "out.csv")
    rows = table(tmp_path / "out.csv")
    assert [row["limits.power_w"] for row in rows] == ["0.02", "0.03", "1"]
    assert swept.data["counts"] == {
        "points": 3, "with_design": 2, "designs": 2, "winner_changes": 1, "optimal": 2, "feasible": 0, "infeasible": 1,
        "unknown": 0,
    }  # fmt: skip
    previous = None
    for row in rows:
        file.write_text(ONE.replace("power_w: 1}", f"power_w: {row['limits.power_w']}}}"), encoding="utf-8")
        data = api.solve(api.load_problem(file)).data
        assert row["status"] == data["status"]
        if data["status"] == "infeasible":
            assert row["reason"] == "every candidate breaks power_w"
            assert {row[name] for name in ("label", "winner_changes", "chip", "model", "accuracy")} == {""}
            continue
        a, device, bottleneck = data["assignments"][0], data["devices"][0], data["bottleneck"]
        wanted = {
            "label": data["label"], "chip": device["chip"], "mode": device["mode"], "unit": a["unit"],
            "runtime": a["runtime"], "model": a["model"], "weights": a["weights"], "precision": a["precision"],
            "policy": a["policy"], "grade": a["latency"]["grade"], "accuracy_grade": a["accuracy_grade"],
            "bottleneck": f"{bottleneck['stage']} on {bottleneck['resource']}", "reason": "",
        }  # fmt: skip
        assert {name: row[name] for name in wanted} == wanted
        figures = {
            "accuracy": a["accuracy"], "worst_case_ms": a["latency"]["worst_case_ms"], "batch": a["batch"],
            "slack_ms": a["latency"]["slack_ms"], "power_w": device["power_w"], "deadline_ms": 1000,
            "rate_hz": a["rate"]["capacity_hz"], "utilization": a["rate"]["utilization"], "required_hz": 1,
            "memory_mb": a["memory"]["total_mb"], "input_h": a["input_h"], "buffers": a["buffers"],
        }  # fmt: skip
        assert {name: float(row[name]) if row[name] else None for name in figures} == figures
        design = [row[name] for name in ("chip", "mode", "runtime", "model", "input_h", "batch")]
        assert row["winner_changes"] == ("" if previous is None else str(design != previous).lower())
        previous = design
    assert not journal_of(tmp_path / "out.csv").exists()
    frame = swept.to_frame()
    assert list(frame.columns) == header(swept.data) == list(rows[0])
    assert json.loads(swept.to_json()) == swept.data


def test_several_tasks_and_chains_have_columns_of_their_own(knowledge, tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(TWO, encoding="utf-8")
    api.sweep(path, {"chains.both.deadline_ms": [1, 1500]}, csv=tmp_path / "out.csv")
    first, second = table(tmp_path / "out.csv")
    assert (first["status"], first["chip"], first["see.model"], first["both.worst_case_ms"]) == (
        "infeasible",
        "",
        "",
        "",
    )
    assert first["reason"]
    data = api.solve(api.load_problem(path)).data
    assert second["chip"] == data["devices"][0]["chip"]
    for one in data["assignments"]:
        assert second[f"{one['task']}.model"] == one["model"]
        assert float(second[f"{one['task']}.worst_case_ms"]) == one["latency"]["worst_case_ms"]
    assert float(second["both.worst_case_ms"]) == data["chains"][0]["worst_case_ms"]
    assert float(second["utilization"]) == data["bottleneck"]["utilization"]
    assert second["see.deadline_ms"] == ""


def test_the_same_bytes_in_any_order_and_after_a_cut(file, tmp_path, monkeypatch):
    vary = {"limits.power_w": "0.02,1"}
    one, two, cut = (tmp_path / f"{name}.csv" for name in ("one", "two", "cut"))
    api.sweep(file, vary, csv=one)

    def backwards(*arguments, **options):
        yield from reversed(list(results(*arguments, **options)))

    def until_the_first(*arguments, **options):
        yield next(results(*arguments, **options))
        raise KeyboardInterrupt

    results = running.results
    monkeypatch.setattr(running, "results", backwards)
    api.sweep(file, vary, csv=two)
    monkeypatch.setattr(running, "results", until_the_first)
    with pytest.raises(KeyboardInterrupt):
        api.sweep(file, vary, csv=cut)
    monkeypatch.undo()
    with pytest.raises(InputError, match="--resume goes on with it"):
        api.sweep(file, vary, csv=cut)
    with pytest.raises(InputError, match="it differs in the fields and values varied"):
        api.sweep(file, {"limits.power_w": [1]}, csv=cut, resume=True)
    assert not cut.exists()
    asked = []

    def counted(function, jobs, **options):
        asked.append(len(jobs))
        return results(function, jobs, **options)

    monkeypatch.setattr(running, "results", counted)
    api.sweep(file, vary, csv=cut, resume=True)
    assert asked == [2 - 1]
    assert one.read_bytes() == two.read_bytes() == cut.read_bytes()
    assert one.read_bytes().count(b"\n") == 1 + 2
    assert not journal_of(cut).exists()


def test_points_are_judged_before_the_first_is_solved(file, monkeypatch):
    """The file is sound: what is wrong are the values, and they are named where they were given."""
    monkeypatch.setattr(running, "results", None)
    with pytest.raises(InputError) as caught:
        api.sweep(file, {"limits.power_w": "-3:3:1", "search.batchs": [[1]], "tasks.see.deadline_ms": [5, "soon"]})
    assert [str(fault) for fault in caught.value.faults] == [
        "--vary limits.power_w: limits.power_w: must be more than 0, found -3, "
        "at point 1 (limits.power_w = -3, search.batchs = [1], tasks.see.deadline_ms = 5) and 7 others",
        "--vary search.batchs: search.batchs: unknown field `batchs`, "
        "at point 1 (limits.power_w = -3, search.batchs = [1], tasks.see.deadline_ms = 5) and 13 others "
        "(did you mean `batches`?)",
        "--vary tasks.see.deadline_ms: tasks.deadline_ms: must be a number, or the word none, "
        'found the text "soon", at point 2 (limits.power_w = -3, search.batchs = [1], tasks.see.deadline_ms = soon) '
        "and 6 others",
    ]


def test_a_wrong_value_in_a_file_of_points_is_named_by_its_line(file, tmp_path):
    points = tmp_path / "points.csv"
    points.write_text("limits.power_w\n1\n\n-1\n0\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        api.sweep(file, points=points)
    (fault,) = caught.value.faults
    assert str(fault) == (
        f"{points}:4:1: limits.power_w: must be more than 0, found -1, at point 2 (limits.power_w = -1) and 1 other"
    )


def test_faults_of_the_file_itself_and_those_that_every_point_mends(file):
    file.write_text(ONE.replace("power_w: 1", "power_w: -5, price_usd: -7"), encoding="utf-8")
    with pytest.raises(ProblemError) as caught:
        api.sweep(file, {"limits.power_w": "1, 2"})
    (fault,) = caught.value.faults
    assert (fault.file, fault.line, fault.message) == (str(file), 4, "must be at least 0, found -7")
    with pytest.raises(InputError) as caught:
        api.sweep(file, {"limits.power_w": "-1, 0", "limits.price_usd": "1"})
    (fault,) = caught.value.faults
    assert str(fault).startswith("--vary limits.power_w: limits.power_w: must be more than 0, found -1, at point 1 (")


def test_faults_of_the_arguments_and_of_the_points_come_together(file):
    with pytest.raises(InputError) as caught:
        api.sweep(file, {"tasks.sea.streams": "1", "limits.power_w": "5:1:1", "limits.power": "1"})
    assert len(caught.value.faults) == 3
    assert any("there is no limit `power`" in fault.message for fault in caught.value.faults)


def test_a_loaded_problem_is_swept_by_its_file(file):
    problem = dse.load_problem(file)
    assert isinstance(dse.sweep(problem, {"limits.power_w": "0.01"}), dse.Sweep)
    text_only = parse_problem(ONE)
    with pytest.raises(
        InputError, match="<memory>: a sweep changes the fields of a problem file, and this problem has"
    ):
        dse.sweep(text_only, {"limits.power_w": "1"})


def test_the_public_names_are_listed_before_they_are_loaded():
    code = "import dse; print(*dir(dse)); print(callable(dse.sweep), callable(dse.pareto))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [" ".join(sorted(dse.__all__)), "True True"]
    assert {"Sweep", "sweep", "pareto", "solve"} <= set(dse.__all__)


def test_another_catalogue_on_a_worker_is_an_error(file):
    prepared = running.prepare(file, vary=[("limits.power_w", "1")])
    job = running.Job(str(file), prepared.document.data, (), "another key", "", prepared.settings)
    with pytest.raises(InputError, match="a worker has other catalogues: those shipped with dse differ there"):
        running.solve_point(job)
