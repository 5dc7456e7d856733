"""The manual cannot go stale: generated parts, commands, snippets, links and reproduced systems are all tried."""

from __future__ import annotations

import csv
import doctest
import importlib.util
import json
import re
import shlex
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dse.api import load_problem
from dse.explaining.explain import explain_problem
from dse.report.explained import explanation_object
from tests.answers import answer

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
SYSTEMS = ROOT / "docs" / "systems"


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def fenced(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def solved(path: Path, text: str | None = None) -> dict[str, Any]:
    """Answer to a problem file, or to a variant of it."""
    from dse import api

    if text is not None:
        path.write_text(text, encoding="utf-8")
    return api.solve(api.load_problem(path)).data


@pytest.fixture(scope="session")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The program and the manual say the same.


@pytest.mark.parametrize(
    "name",
    ["README.md", "docs/problem-file.md", "docs/answers.md", "docs/cli.md", "docs/systems.md", "docs/explain.md"],
)
def test_generated_parts_are_up_to_date(knowledge, generate, name):
    assert name in generate.FILES
    assert read(name) == generate.rendered(name), "run: python docs/generate.py"


def test_the_readme_adds_a_chip_a_network_and_three_runs(knowledge, generate, tmp_path):
    """Ten lines of YAML and three tables change the answer, as README.md says."""
    from dse import api
    from dse.audit.check import check
    from dse.catalog.paths import shipped_root

    mine = generate.own_catalogue(tmp_path)
    assert len((mine / "chips" / "lab-npu.yaml").read_text(encoding="utf-8").splitlines()) == 10
    assert check((shipped_root(), mine)).open == ()
    before, extra = answer("inspection"), (mine,)
    after = api.solve(api.load_problem(ROOT / "problems" / "inspection.yaml", extra), catalogs=extra).data
    assert before["devices"][0]["chip"] != "lab-npu"
    assert (after["devices"][0]["chip"], after["assignments"][0]["model"]) == ("lab-npu", "labnet")
    latency = after["assignments"][0]["latency"]
    assert (latency["typical_ms"], latency["grade"]) == (7.4, "A")
    # 7.4 ms x 1.6 (tail of an NPU inside a system on chip) + 12 + 4 + 8 of the path
    assert latency["worst_case_ms"] == pytest.approx(7.4 * 1.6 + 24, abs=0.001)


def test_every_generated_part_is_used(generate):
    used = {part["name"] for name in generate.FILES for part in generate.PART.finditer(read(name))}
    assert used == set(generate.PARTS)


def test_every_field_of_a_problem_file_is_in_the_manual(generate):
    from dse.problem.starter import json_schema

    schema = json_schema()
    manual = read("docs/problem-file.md")
    documented = {name for name, _ in generate.MODELS}
    known = set(schema["$defs"]) - {"TaskSearch"}  # the fields of `search` without two
    assert known <= documented
    for name, shape in [("Problem", schema), *schema["$defs"].items()]:
        for field in shape["properties"]:
            assert f"| `{field}` |" in manual, f"{name}.{field}"


def test_every_key_of_an_answer_is_in_the_manual(knowledge):
    manual = read("docs/answers.md")
    words = set(re.findall(r"`([^`]+)`", manual))
    answers = [answer(name) for name in ("hard-real-time", "smart-camera-rk3588", "plates")]
    for key in set().union(*(keys_of(data) for data in answers)):
        head, _, last = key.rpartition(".")
        listed = head in (
            "alternatives[]",
            "alternatives[].tasks[]",
            "conditional[]",
        )  # their columns are listed once, by their own names
        empty = any(word.startswith((f"{key}.", f"{key}[]")) for word in words)  # an object or a list without content
        assert (
            key in words
            or (listed and last in words)
            or empty
            or key.startswith(("killed_by.", "dropped.", "dropped_chips."))
        ), key


def test_every_key_of_an_explanation_is_in_its_manual(knowledge):
    """Rows of its table name an object once and its keys as `.key`; keys of designs stand in the manual of answers."""
    listed = set()
    for line in read("docs/explain.md").splitlines():
        head = ""
        for word in re.findall(r"`([^`]+)`", line.split(" | ")[0]) if line.startswith("| `") else ():
            head = head if word.startswith(".") else word.rpartition(".")[0]
            listed.add(f"{head}{word}" if word.startswith(".") else word)
    designs = ("design", "then", "else", "winner", "below", "above")
    whole = ("versions.", "feasible.bottleneck.", "feasible.conditional[].", "infeasible.nearest_misses[].")
    for name, chip in (("problems/smart-camera-rk3588-tuned", "rk3588"), ("docs/systems/locker", None)):
        problem = load_problem(ROOT / f"{name}.yaml")
        data = explanation_object(explain_problem(problem, knowledge, chip=chip, remedies=chip is not None))
        for key in keys_of(data):
            if any(part.removesuffix("[]") in designs for part in key.split(".")[:-1]) or key.startswith(whole):
                continue
            assert key in listed or any(one.startswith(f"{key}[]") or one.startswith(f"{key}.") for one in listed), key


def keys_of(node: Any, path: str = "") -> set[str]:
    """Paths of everything in an answer that is not an object or a list itself."""
    if isinstance(node, dict):
        return set().union(*(keys_of(value, f"{path}.{key}".lstrip(".")) for key, value in node.items()))
    if isinstance(node, list) and node and isinstance(node[0], dict):
        return set().union(*(keys_of(item, f"{path}[]") for item in node))
    return {path}


def test_every_command_is_in_the_manual(generate):
    from typer.main import get_command

    from dse.cli.main import app

    for path, command in generate.walk(get_command(app), "dse"):
        assert f"## `{path}`" in read("docs/cli.md")
        assert "Example: " in (command.help or ""), path


def test_exit_codes_are_those_of_the_program():
    from dse.cli.common import EXIT_INFEASIBLE, EXIT_INPUT, EXIT_OF_STATUS, EXIT_STOPPED

    assert (EXIT_INPUT, EXIT_INFEASIBLE, EXIT_STOPPED, EXIT_OF_STATUS["optimal"]) == (2, 3, 4, 0)
    for page in ("README.md", "docs/cli.md"):
        codes = re.findall(r"^\| (\d) \| ([a-z ]+)", read(page), re.MULTILINE)
        assert [code for code, _ in codes] == ["0", "2", "3", "4"]


def test_the_glossary_is_in_order_and_says_each_word_once():
    rows = re.findall(r"^\| (\w[^|]*?) \|", read("docs/glossary.md"), re.MULTILINE)
    words = [row for row in rows if row != "word"]
    assert words == sorted(words, key=str.casefold)
    assert len(words) == len(set(words))


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


# Commands that are shown are the commands that work.


def test_the_second_command_is_the_one_the_checks_run():
    """`.ci/run` reads it from the README, so the two cannot differ; here: it finds exactly that line."""
    commands = [block.strip() for block in fenced(read("README.md"), "bash")]
    assert commands[0].endswith(".venv/bin/dse solve problems/inspection.yaml")
    script = read(".ci/run")
    pattern = re.search(r'grep -m1 "([^"]+)" README.md', script)
    assert pattern is not None
    found = re.search(pattern[1], read("README.md"), re.MULTILINE)
    assert found is not None
    line = next(line for line in read("README.md").splitlines() if re.match(pattern[1], line))
    assert line == commands[1]
    assert line.endswith("python -m pytest -n auto")
    for check in ('ruff" check .', 'ruff" format --check .', 'bin/mypy"', "pip wheel", "expect 3"):
        assert check in script


def test_shown_commands_exist(generate):
    from typer.main import get_command

    from dse.cli.main import app

    known = dict(generate.walk(get_command(app), "dse"))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for shown in re.findall(r"`(dse [^`]+)`|^\$ (dse .+)$", text, re.MULTILINE):
            words = shlex.split(shown[0] or shown[1])
            path = next((p for p in (" ".join(words[:3]), " ".join(words[:2])) if p in known), None)
            assert path is not None or words[1].startswith("--"), f"{page.name}: {' '.join(words)}"
            options = {option for parameter in (known[path].params if path else ()) for option in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= options | {"--version", "--help"}, page.name


def test_examples_of_problem_files_can_be_read(knowledge, tmp_path):
    from dse import api

    examples = [*fenced(read("README.md"), "yaml"), *fenced(read("docs/problem-file.md"), "yaml")]
    examples = [text for text in examples if not text.startswith("id: ")]  # a chip of one's own
    assert len(examples) >= 3
    for k, text in enumerate(examples):
        path = tmp_path / f"{k}.yaml"
        path.write_text(text, encoding="utf-8")
        assert api.load_problem(path).tasks


def test_the_small_example_of_the_readme_has_an_answer(knowledge, tmp_path):
    assert solved(tmp_path / "small.yaml", fenced(read("README.md"), "yaml")[0])["status"] == "optimal"


def test_the_readme_says_what_fills_up_first_of_two_tasks(knowledge):
    from dse.report.saturation import saturation_line

    (line,) = saturation_line(answer("plates"))
    assert f"`{line}`" in read("README.md")


def test_the_readme_counts_the_worked_problems():
    words = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen")
    count = len(list((ROOT / "problems").glob("*.yaml")))
    assert f"holds {words[count - 10]} worked ones" in read("README.md")


def test_the_python_example_runs(knowledge, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    exec(compile(fenced(read("README.md"), "python")[0], "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert shown.startswith("optimal\n")
    assert "worst_case_ms" in shown


def test_examples_in_systems_run():
    blocks = fenced(read("docs/systems.md"), "python")
    attempted = 0
    for block in blocks:
        example = doctest.DocTestParser().get_doctest(block, {}, "systems.md", None, 0)
        results = doctest.DocTestRunner().run(example)
        assert results.failed == 0
        attempted += results.attempted
    assert (len(blocks), attempted) == (2, 7 + 5)


def test_the_manual_names_no_machine():
    for page in PAGES:
        assert not re.search(r"/(home|root|work|tmp|Users)/", page.read_text(encoding="utf-8")), page.name


# Systems that are reproduced.


def test_resnet50_on_a_jetson_nano_takes_80_or_29_ms(knowledge, tmp_path):
    """1000/12.4 fps = 80.645 ms with PyTorch, 1000/34.2 = 29.240 with TensorRT; times 1.1784 for the tail."""
    from dse import api
    from dse.candidates.context import prepare
    from dse.report.table import write_candidates

    problem = api.load_problem(SYSTEMS / "resnet50-jetson-nano.yaml")
    write_candidates([prepare(problem, problem.tasks[0], knowledge)], tmp_path / "all.csv")
    rows = list(csv.DictReader((tmp_path / "all.csv").read_text(encoding="utf-8").splitlines()))
    times = {row["runtime"]: (row["typical_ms"], row["worst_case_ms"], row["grade"]) for row in rows}
    assert set(times) == {"torch2trt-pytorch", "torch2trt-tensorrt-torch2trt"}
    assert times["torch2trt-pytorch"] == ("80.6452", "95.0323", "A")
    assert times["torch2trt-tensorrt-torch2trt"] == ("29.2398", "34.4562", "A")
    for runtime, (mean, worst, _) in times.items():
        assert f"| `{runtime}` | {mean} ms | {worst} ms |" in read("docs/systems.md")
        assert float(worst) == pytest.approx(float(mean) * 1.1784, abs=2e-4)


def test_a_face_lock_takes_480_of_500_ms(knowledge, tmp_path):
    """20 + 250 + 30 + 120 + 10 + 50 = 480."""
    latency = solved(SYSTEMS / "face-lock.yaml")["assignments"][0]["latency"]
    parts = {part["stage"]: part["ms"] for part in latency["parts"]}
    assert parts == {"finger": 20, "camera": 250, "find-and-align": 30, "infer": 120, "compare": 10, "bolt": 50}
    assert (latency["worst_case_ms"], latency["slack_ms"]) == (480, 20)


@pytest.mark.parametrize(
    ("old", "new", "worst"),
    [
        ("delay_ms: 250", "delay_ms: 50", 280),  # one read instead of five: 480 - 4 x 50
        ("latency_ms: 120", "latency_ms: 60", 420),  # a network twice as fast: 480 - 60
        ("delay_ms: 250", "delay_ms: 300", None),  # one read more: 530 > 500
    ],
)
def test_what_fixing_the_face_lock_gives(knowledge, tmp_path, old, new, worst):
    text = (SYSTEMS / "face-lock.yaml").read_text(encoding="utf-8")
    assert text.count(old) == 1
    data = solved(tmp_path / "fixed.yaml", text.replace(old, new))
    if worst is None:
        assert data["status"] == "infeasible"
    else:
        assert data["assignments"][0]["latency"]["worst_case_ms"] == worst
        assert f"{worst} ms" in read("docs/systems.md")


def test_yolov5s_on_an_rk3588_has_three_readings():
    """Latency and period of 8 ms copy and 14 ms network: in series, with half the copy hidden, double-buffered."""
    from dse.timing.exact import overlap

    copy, network = Fraction(8), Fraction(14)
    assert overlap(copy, network, 1) == (22, 22)
    assert overlap(copy, network, 2) == (14, 22)
    assert overlap(copy, network, 2, contention=Fraction(4)) == (18, 26)
    assert overlap(copy, network, 2, omega=Fraction(1, 2)) == (18, 22)


def test_two_timings_tell_the_readings_of_18_ms_apart():
    """The table of the manual from the formulas; one frame alone has no copy beside its network."""
    from dse.timing.exact import overlap

    copy, network, slower = Fraction(8), Fraction(14), Fraction(4)
    hidden = min(copy, network) / 2
    serial, alone = overlap(copy, network, 1), overlap(copy, network, 1)[1]
    half, slowed = overlap(copy, network, 2, omega=Fraction(1, 2)), overlap(copy, network, 2, contention=slower)
    tiles = alone - hidden
    rows = {
        "copy, then network": (alone, None, *serial),
        "tiles of one frame overlap": (tiles, network, tiles, tiles),
        "double buffering, half of the copy hidden": (alone, network, *half),
        "double buffering, contention of 4 ms": (alone, network + slower, *slowed),
    }
    timings = [row[:2] for row in rows.values()]
    assert len(set(timings)) == 4  # the two timings tell them apart
    assert [row[2] for row in rows.values()].count(18) == 3  # the period of 18 ms does not
    for name, row in rows.items():
        cells = ["never happens" if ms is None else f"{ms} ms" for ms in row]
        assert f"| {name} | {' | '.join(cells)} |" in read("docs/systems.md")


@pytest.mark.parametrize(
    ("share", "buffers", "worst", "capacity"),
    [
        ("0.0", 1, None, None),  # 8 + 14 = 22 > 20
        ("0.5", 1, 18, 1000 / 18),  # 4 of the 8 ms are hidden; copy and network still follow each other
        ("0.0", 2, None, None),  # double buffering does not shorten one frame
    ],
)
def test_only_overlap_within_a_frame_meets_20_ms(knowledge, tmp_path, share, buffers, worst, capacity):
    text = read("problems/smart-camera-rk3588-tuned.yaml")
    assert "overlap: 0.5" in text
    text = text.replace("overlap: 0.5", f"overlap: {share}").replace(
        "chips: [rk3588]", f"chips: [rk3588]\n  buffers: [{buffers}]"
    )
    data = solved(tmp_path / "reading.yaml", text)
    if worst is None:
        assert data["status"] == "infeasible"
        assert data["killed_by"]["deadline_ms"]["candidates"] == data["search"]["candidates"]
    else:
        a = data["assignments"][0]
        assert a["latency"]["worst_case_ms"] == worst
        assert a["rate"]["capacity_hz"] == pytest.approx(capacity, abs=0.01)


def test_contention_on_the_bus_lengthens_the_latency_to_26_ms(knowledge, tmp_path):
    """Two buffers, and 4 ms of contention on the network: latency 8 + 14 + 4, period 14 + 4."""
    text = read("problems/smart-camera-rk3588-tuned.yaml").replace(", overlap: 0.5", "")
    text = text.replace("{name: infer}", "{name: infer, contention_ms: 4}").replace(
        "deadline_ms: 20", "deadline_ms: 30"
    )
    a = solved(tmp_path / "bus.yaml", text.replace("chips: [rk3588]", "chips: [rk3588]\n  buffers: [2]"))[
        "assignments"
    ][0]
    assert a["latency"]["worst_case_ms"] == 26
    assert a["rate"]["capacity_hz"] == pytest.approx(1000 / 18, abs=0.01)


@pytest.mark.parametrize(("buffers", "period"), [(1, 22), (2, 14)])
def test_double_buffering_changes_the_period_alone(knowledge, tmp_path, buffers, period):
    """22 ms of latency both ways; the rate rises from 1000/22 to 1000/14."""
    text = read("problems/smart-camera-rk3588-tuned.yaml").replace("overlap: 0.5", "overlap: 0.0")
    text = text.replace("deadline_ms: 20", "deadline_ms: 30").replace(
        "chips: [rk3588]", f"chips: [rk3588]\n  buffers: [{buffers}]"
    )
    a = solved(tmp_path / "buffers.yaml", text)["assignments"][0]
    assert a["latency"]["worst_case_ms"] == 22
    assert a["rate"]["capacity_hz"] == pytest.approx(1000 / period, abs=0.01)


def test_rockchips_own_table_misses_20_ms(knowledge):
    """20.7 ms for plain YOLOv5s are in the catalogue; with 8 ms of copy no care is needed to see 28.7 > 20."""
    m, nets = knowledge.catalog.measurements, knowledge.catalog.nets
    rows = (m.chip == "rk3588") & (m.unit == "npu") & (nets.id[m.net] == "yolov5s") & (m.quantity == "latency")
    assert any(time == pytest.approx(20.7, abs=0.05) for time in m.time_ms[rows])
    assert answer("smart-camera-rk3588")["status"] == "infeasible"


def test_the_plain_network_has_a_mean_below_and_a_bound_above_the_35_ms_of_the_report(knowledge, tmp_path):
    """8 + 20.66 = 28.7 ms on average; 8 + 20.66 x 1.0451 x 1.6 = 42.5 ms in the worst case."""
    text = read("problems/smart-camera-rk3588.yaml").replace("deadline_ms: 20", "deadline_ms: 100")
    text = text.replace("rate_hz: 30", "rate_hz: 10").replace("units: [npu]", "units: [npu]\n  precisions: [int8]")
    latency = solved(tmp_path / "plain.yaml", text)["assignments"][0]["latency"]
    assert 8 + latency["typical_ms"] == pytest.approx(28.7, abs=0.05)
    assert 28.7 < 35 < latency["worst_case_ms"]
    factors = latency["base_ms"] * latency["guard_factor"] * latency["tail_factor"]
    assert latency["worst_case_ms"] == pytest.approx(8 + factors, abs=0.01)
    shown = f"{latency['worst_case_ms']:.1f} ms (8 + {latency['base_ms']:.2f} × {latency['guard_factor']:g} guard"
    assert shown in read("docs/systems.md")


# Budgets asked before there are candidates.


def test_a_hundred_streams_have_1_000_ms_each():
    """100 ms / 100 streams; the numbers come from the problem file, and the manual and the file say the result."""
    from dse import api
    from dse.timing.exact import service_budget

    problem = api.load_problem(ROOT / "problems" / "hundred-streams.yaml")
    (task,) = problem.tasks
    period, streams = problem.period_ms(task), problem.source_of(task).streams
    assert (streams, period, task.deadline_ms, task.overhead_ms) == (100, 100, 100, 0)
    budget = service_budget(streams, period, Fraction(task.deadline_ms))
    assert budget == 1
    for page in ("docs/systems.md", "problems/hundred-streams.yaml"):
        assert f"{float(budget):.3f} ms" in read(page)
    assert service_budget(streams, period, Fraction(100), cap=Fraction(95, 100)) == Fraction(95, 100)


def test_json_of_the_answers_is_what_the_command_prints(knowledge):
    """`result.to_json()` is valid JSON with the keys in the documented order."""
    from dse import api

    result = api.solve(api.load_problem(ROOT / "problems" / "iot.yaml"))
    assert json.loads(result.to_json()) == result.data
    first = [key.partition(".")[0] for key in re.findall(r"^\| `([a-z_.\[\]]+)", read("docs/answers.md"), re.MULTILINE)]
    order = list(dict.fromkeys(key.removesuffix("[]") for key in first))
    assert list(result.data) == [key for key in order if key in result.data]
