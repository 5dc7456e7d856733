"""``dse pareto``: files, streams and exit codes."""

from __future__ import annotations

import csv
import json

import pandas as pd
import pytest

from dse.errors import InputError
from dse.report.table import COLUMNS

AXES = "accuracy,worst_case_ms,power_w"
SMALL = """\
name: "=1+1"
tasks:
  - {name: wake, task: keyword-spotting, rate_hz: 5, deadline_ms: 500, min_accuracy: 85, models: [ds_cnn, "=evil*"]}
search: {chips: [stm32h7a3]}
known:
  - {model: "=evil(1)", like: ds_cnn, chip: stm32h7a3, precision: int8, latency_ms: 3}
"""


@pytest.fixture
def front(dse, problems):
    return dse("pareto", problems / "smart-speaker.yaml", "--axes", AXES, "--csv", "front.csv", "--json")


def test_csv_has_the_axes_then_the_columns_of_candidates(front, tmp_path):
    assert front.code == 0
    with (tmp_path / "front.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    assert header[:3] == AXES.split(",")
    assert header[3 : 3 + len(COLUMNS) - 3] == [name for name in COLUMNS if name not in AXES.split(",")]
    assert len(header) == len(set(header))
    shown = [row for row in front.data["rows"] if row["kind"] == "front"]
    assert [row[0] for row in rows] == [f"{row['accuracy']:g}" for row in shown]
    table = pd.read_csv(tmp_path / "front.csv")
    assert table["power_w"].tolist() == pytest.approx([row["power_w"] for row in shown])
    assert set(table["kind"]) == {"front"}


def test_rows_say_what_they_leave_and_where_they_are_full(front):
    """Margins by hand: a bound of 200 ms on the worst case leaves (200 - worst) / 200."""
    row = front.data["rows"][0]
    assert row["margins"]["deadline_ms"] == pytest.approx((200 - row["worst_case_ms"]) / 200)
    assert row["tightest_limit"] == min(row["margins"], key=row["margins"].get)
    assert row["bottleneck"] == "infer on npu"
    assert row["bottleneck_load"] == pytest.approx(row["utilization"])
    assert (row["grade"], row["label"]) == ("A", "feasible")


def test_of_two_bounds_the_nearer_one_is_the_margin(dse, problems, tmp_path):
    """Between 8 and 80 mW, 8.015 mW is 0.19 % from the lower bound and 90 % from the upper one."""
    text = (problems / "smart-speaker.yaml").read_text(encoding="utf-8")
    (tmp_path / "p.yaml").write_text(text.replace("power_w: 1", "power_w: {min: 0.008, max: 0.08}"), encoding="utf-8")
    rows = dse("pareto", "p.yaml", "--axes", AXES, "--json").data["rows"]
    row = next(row for row in rows if row["mode"] == "30.7 MHz")
    assert row["margins"]["power_w"] == pytest.approx((row["power_w"] - 0.008) / 0.008)
    assert row["tightest_limit"] == "power_w"


def test_the_same_input_gives_the_same_bytes(dse, problems, tmp_path):
    files = ["f.csv", "f.svg", "f.html"]
    options = [word for file in files for word in (f"--{file.partition('.')[2]}", file)]
    arguments = ("pareto", problems / "smart-speaker.yaml", "--axes", AXES, "--near", "50%", *options)
    dse(*arguments)
    first = [(tmp_path / name).read_bytes() for name in files]
    dse(*arguments)
    assert first == [(tmp_path / name).read_bytes() for name in files]


def test_the_front_is_that_of_all_designs_within_the_limits(front, dse, problems, tmp_path):
    dse("candidates", problems / "smart-speaker.yaml", "--csv", "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["feasible"] == "true"]
    points = {(-float(r["accuracy"]), float(r["worst_case_ms"]), float(r["power_w"])) for r in rows}
    best = {p for p in points if not any(q != p and all(a <= b for a, b in zip(q, p, strict=True)) for q in points)}
    assert {(-row["accuracy"], row["worst_case_ms"], row["power_w"]) for row in front.data["rows"]} == best


def test_designs_without_a_figure_stand_apart(dse, problems, tmp_path):
    arguments = ("pareto", problems / "smart-speaker.yaml", "--axes", "accuracy,price_usd", "--csv", "f.csv", "--json")
    data = dse(*arguments).data
    apart = [row for row in data["rows"] if row["kind"] == "unknown"]
    assert apart
    assert all(row["price_usd"] is None for row in apart)
    assert "without price_usd, the best" in data["headline"]
    with (tmp_path / "f.unknown.csv").open(encoding="utf-8", newline="") as file:
        assert [row["price_usd"] for row in csv.DictReader(file)] == [""] * len(apart)
    with (tmp_path / "f.csv").open(encoding="utf-8", newline="") as file:
        assert all(row["price_usd"] for row in csv.DictReader(file))
    dse("pareto", problems / "smart-speaker.yaml", "--axes", AXES, "--csv", "f.csv")
    assert (tmp_path / "f.unknown.csv").read_text(encoding="utf-8").count("\n") == 1, "of the front before"


def test_names_are_no_formulas_and_excel_gets_its_mark(dse, tmp_path):
    (tmp_path / "p.yaml").write_text(SMALL, encoding="utf-8")
    shown = dse("pareto", "p.yaml", "--axes", "accuracy,worst_case_ms", "--csv", "f.csv", "--excel", "--json")
    assert "=evil(1)" in {row["model"] for row in shown.data["rows"]}
    text = (tmp_path / "f.csv").read_bytes()
    assert text.startswith(b"\xef\xbb\xbf")
    assert "'=evil(1)" in {row["model"] for row in csv.DictReader(text.decode("utf-8-sig").splitlines())}


def test_an_empty_front_says_why(dse, tmp_path):
    (tmp_path / "p.yaml").write_text(SMALL.replace("min_accuracy: 85", "min_accuracy: 99.9"), encoding="utf-8")
    shown = dse("pareto", "p.yaml", "--axes", AXES, "--csv", "f.csv", "--html", "f.html")
    assert shown.code == 3
    assert "the front is empty: no candidate meets every requirement; broken most: min_accuracy by" in " ".join(
        shown.out.split()
    )
    assert (tmp_path / "f.csv").read_text(encoding="utf-8").count("\n") == 1
    assert "no candidate meets every requirement" in (tmp_path / "f.html").read_text(encoding="utf-8")


def test_several_tasks_are_refused_with_that_word(dse, problems):
    shown = dse("pareto", problems / "plates.yaml")
    assert shown.code == 2
    assert "fronts of problems with several tasks are not built yet" in shown.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--axes", "accuracy"), "1 axis found, 2 to 5 are possible"),
        (("--axes", "accuracy,pwoer_w"), "power_w"),
        (("--near", "lots"), "`lots` is no share"),
        (("--png", "f.svg"), "does not end in .png"),
        (("--html", "no/such/f.html"), "there is no folder"),
        (("--html", "f.txt"), "is no page dse can write"),
        (("--csv", "f.html", "--html", "f.html"), "another option writes the same file"),
        (("--csv", "no/such/f.csv"), "there is no folder"),
    ],
)
def test_wrong_options_end_before_any_work(dse, problems, tmp_path, arguments, said):
    shown = dse("pareto", problems / "smart-speaker.yaml", *arguments)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err
    assert not list(tmp_path.iterdir())


def test_what_is_the_users_own_is_not_overwritten(dse, problems, tmp_path):
    text = (problems / "smart-speaker.yaml").read_text(encoding="utf-8")
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "mine.unknown.csv").write_text("important\n", encoding="utf-8")
    for target, said in (("p.yaml", "is the problem file itself"), ("mine.csv", "what is there is no such table")):
        shown = dse("pareto", "p.yaml", "--axes", AXES, "--csv", target)
        assert (shown.code, shown.out) == (2, "")
        assert said in shown.err
    assert (tmp_path / "p.yaml").read_text(encoding="utf-8") == text
    assert (tmp_path / "mine.unknown.csv").read_text(encoding="utf-8") == "important\n"


def test_the_terminal_draws_and_lists(dse, problems):
    shown = dse("pareto", problems / "smart-speaker.yaml", "--axes", AXES)
    assert "4 on the front" in shown.out
    assert "higher is better" in shown.out
    assert "kind\taccuracy\tworst_case_ms\tpower_w\tchip" in shown.out


def test_chips_dropped_for_want_of_data_are_counted_as_in_an_answer(dse, problems):
    problem = problems / "smart-speaker.yaml"
    front = dse("pareto", problem, "--axes", "accuracy,worst_case_ms", "--json").data
    answer = dse("solve", problem, "--json").data
    assert front["dropped"] == answer["dropped"]
    assert any("power_w unknown" in reason for reason in front["dropped"])
    assert front["headline"].startswith(answer["headline"].rpartition("; ")[0])


def test_a_p99_is_called_an_estimate(dse, problems, tmp_path):
    text = (problems / "smart-speaker.yaml").read_text(encoding="utf-8")
    (tmp_path / "p.yaml").write_text(text.replace("deadline_ms: 200", "deadline_ms: 200\n    guarantee: p99"), "utf-8")
    data = dse("pareto", "p.yaml", "--axes", AXES, "--json").data
    assert data["guarantee"] == "p99"
    assert "feasible by a p99 estimate, no bound" in data["headline"]
    assert "p99 estimate, no bound" in data["axes"][1]["meaning"]
    assert {row["label"] for row in data["rows"]} == {"p99 estimate, no bound"}


def test_from_python(problems):
    import dse as package

    front = package.pareto(package.load_problem(problems / "smart-speaker.yaml"), AXES)
    assert front.to_frame()["kind"].tolist() == ["front"] * 4
    assert json.loads(front.to_json())["axes"][0]["sense"] == "maximize"
    assert "4 on the front" in front._repr_html_()
    assert front.to_frame()["feasible"].all()
    assert front.data["rows"][0]["board"] is None
    listed = package.pareto(package.load_problem(problems / "smart-speaker.yaml"), AXES.split(","), near="10%")
    assert listed.data["near_share"] == 0.1
    for wrong in ({"near": 2}, {"axes": ["accuracy"]}):
        with pytest.raises(InputError):
            package.pareto(package.load_problem(problems / "smart-speaker.yaml"), **wrong)
