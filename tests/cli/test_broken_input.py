"""Wrong input ends with exit code 2, every fault with its line and what to do, nothing on stdout, no traceback."""

from __future__ import annotations

import pytest

TASK = """\
tasks:
  - name: see
    task: object-detection
    rate_hz: 30
    deadline_ms: 60
"""
BOMB = "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 10)}]\n" for before, name in zip("abcdef", "bcdefg", strict=True)
)

FAULTS = {  # name: (text, parts of the message)
    "unknown key": (TASK + "    dealine_ms: 40\n", [":6:5: tasks[0].dealine_ms: unknown field", "`deadline_ms`"]),
    "unknown top key": (TASK + "limit: {power_w: 5}\n", [":6:1: limit: unknown field", "`limits`"]),
    "misspelt model": (TASK + "    models: [yolov5ss]\n", [":6:", "yolov5ss", "`yolov5s`"]),
    "misspelt chip": (TASK + "search: {chips: [rk358]}\n", [":6:", "rk358", "`rk3588`"]),
    "misspelt task": (
        TASK.replace("object-detection", "object-detecton"),
        [":3:", "object-detecton", "`object-detection`"],
    ),
    "text for a number": (TASK.replace("30", "thirty"), [":4:", "tasks[0].rate_hz: must be a number", '"thirty"']),
    "number in quotes": (TASK.replace("30", "'30'"), [":4:", "must be a number", "remove the quotes"]),
    "negative rate": (TASK.replace("30", "-30"), [":4:", "tasks[0].rate_hz: must be more than 0, found -30"]),
    "no number": (TASK.replace("30", ".nan"), [":4:", "tasks[0].rate_hz", "found .nan"]),
    "endless rate": (TASK.replace("30", ".inf"), [":4:", "tasks[0].rate_hz", "found .inf"]),
    "missing deadline": (TASK.replace("    deadline_ms: 60\n", ""), [":2:", "deadline_ms", "none"]),
    "missing rate": (TASK.replace("    rate_hz: 30\n", ""), [":2:", "rate_hz"]),
    "duplicate task": (TASK + TASK.removeprefix("tasks:\n"), [":6:", "`see`"]),
    "duplicate key": (TASK + "    rate_hz: 20\n", [":6:5:", "the key `rate_hz` is given twice, first in line 4"]),
    "accuracy as a share": (TASK + "    min_accuracy: 0.3\n", [":6:5: tasks[0].min_accuracy", "write 30, not 0.3"]),
    "overhead and stages": (TASK + "    overhead_ms: 5\n    stages: [{name: infer}]\n", ["overhead_ms", "stages"]),
    "tabs": ("tasks:\n\t- name: see\n", [":2:1:", "a tab is used for indentation"]),
    "alias bomb": ("a: &a [x, x, x, x, x, x, x, x, x, x]\n" + BOMB, ["aliases stand for more than"]),
    "unquoted star": (TASK + "    models: *yolo\n", [":6:", "put quotes around a pattern that begins with a star"]),
    "empty": ("", ["is empty", "dse init"]),
    "only text": ("hello\n", ["a problem is a mapping of fields", "dse init"]),
    "no such limit": (TASK + "limits: {powr_w: 5}\n", [":6:", "there is no limit `powr_w`", "`power_w`"]),
    "no such attribute": (TASK + "limits: {chip.colour: blue}\n", [":6:", "colour"]),
    "not solved yet": (TASK + "search: {devices: {max: 2}}\n", [":6:", "more than one device", "not solved yet"]),
    "no such objective": (TASK + "objectives: [{maximize: beauty}]\n", [":6:", "there is no objective `beauty`"]),
}


def check(outcome, *parts: str) -> None:
    assert outcome.code == 2, outcome.out + outcome.err
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert "Traceback" not in outcome.err
    for part in parts:
        assert part in outcome.err


@pytest.mark.parametrize("command", ["solve", "check"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_place(dse, tmp_path, name, command):
    text, parts = FAULTS[name]
    (tmp_path / "wrong.yaml").write_text(text, encoding="utf-8")
    check(dse(command, "wrong.yaml"), "wrong.yaml", *parts)


def test_all_faults_come_at_once_in_the_order_of_their_lines(dse, tmp_path):
    text = (
        TASK.replace("30", "-1").replace("60", "soon")
        + "    min_accuracy: 0.4\nlimits: {powr_w: 5}\nsearch: {chips: [rk358]}\n"
    )
    (tmp_path / "wrong.yaml").write_text(text, encoding="utf-8")
    outcome = dse("solve", "wrong.yaml")
    check(outcome)
    lines = [int(line.split(":")[2]) for line in outcome.err.splitlines()]
    assert lines == [4, 5, 6, 7, 8]


def test_json_does_not_change_where_faults_go(dse, tmp_path):
    (tmp_path / "wrong.yaml").write_text(TASK + "    dealine_ms: 40\n", encoding="utf-8")
    check(dse("solve", "wrong.yaml", "--json"), "unknown field")


def test_a_key_called_on_stays_a_word(dse, tmp_path):
    """YAML 1.1 would read `on` as true."""
    stages = "    stages: [{name: resize, on: cpu, time_ms: 4}, {name: infer}]\n"
    (tmp_path / "right.yaml").write_text(TASK + stages + "search: {chips: [rk3588]}\n", encoding="utf-8")
    assert dse("check", "right.yaml").code == 0


def test_files_that_are_no_text(dse, tmp_path):
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)) * 3)
    check(dse("solve", "binary.yaml"), "binary.yaml")
    (tmp_path / "folder.yaml").mkdir()
    check(dse("solve", "folder.yaml"), "folder.yaml")
    check(dse("solve", "missing.yaml"), "missing.yaml")
    check(dse("candidates", "missing.yaml", "--csv", "out.csv"), "missing.yaml")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve",),
        ("solve", "a.yaml", "b.yaml"),
        ("solve", "a.yaml", "--top", "0"),
        ("solve", "a.yaml", "--workers", "none"),
        ("solve", "a.yaml", "--different", "colour"),
        ("solve", "a.yaml", "--time-limit", "-1"),
        ("candidates", "a.yaml"),
        ("catalog", "list", "boats"),
        ("catalog", "show"),
    ],
)
def test_wrong_arguments(dse, arguments):
    outcome = dse(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Usage: dse" in outcome.err
