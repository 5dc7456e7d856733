"""A front in the terminal: the very lines of its plot, its rows, and what a pipe gets."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dse.report.charplot import character_plot
from dse.report.front import axis_title, chip_groups, figure, share, staircase
from dse.report.front_terminal import plot_lines, show_front
from tests.report.front_example import AXES, HOSTILE_MODEL, empty, estimated, example

PLOT = """\
accuracy [points], higher is better
 85┤
   │
   │
   │
   │
 80┤                      A         B
   │                ?     ·
   │                      ·
   │                      ·
   │                      ·
 75┤                      +
   │                      ·
   │                      ·
   │                   B···
   │                   ·                             C
 70┤            A·······
   └┬──────────────────────────┬──────────────────────────┬
    0                         50                         100
               worst case [ms], lower is better
A alpha   B beta   C gamma   + near the front
? a figure is unknown"""


def shown(front, *, terminal, width=80, plot=False):
    file = io.StringIO()
    colours = "standard" if terminal else None
    show_front(front, Console(file=file, width=width, force_terminal=terminal, color_system=colours), plot=plot)
    return file.getvalue()


def test_the_plot_line_by_line():
    assert "\n".join(plot_lines(example(), 60)) == PLOT


def test_a_plot_says_how_many_rows_have_no_place_in_it():
    assert plot_lines(example(), 80, axes=(2, 0))[-1] == "not drawn, a figure is unknown: 1"


@pytest.mark.parametrize("width", [40, 80, 100])
def test_no_line_of_a_plot_is_wider_than_the_terminal(width):
    assert max(map(len, plot_lines(example(), width))) <= width


def test_a_plot_of_one_point_has_room_around_it():
    lines = character_plot([((5.0, 0.0), "A")], [], 40, 12, ("x", "y"))
    assert sum(line.count("A") for line in lines) == 1
    assert character_plot([], [], 40, 12, ("x", "y")) == []


def test_rows_in_a_terminal_come_by_kind_and_are_not_cut():
    text = shown(example(), terminal=True)
    assert "\x1b[" in text
    order = [
        text.index(title) for title in ("on the front: 5", "near the front: 1", "a figure is unknown: beats nothing")
    ]
    assert order == sorted(order)
    assert "unknown" in text[order[2] :].splitlines()[3]
    wide = shown(example(), terminal=True, width=200)
    assert "alpha 15w on alpha-kit · resnet18@224 [V1] · int8 on npu, rt · time B, accuracy C · power_w" in wide
    assert "3 equal" in text
    assert HOSTILE_MODEL in text


def test_a_wide_terminal_shows_a_design_beside_its_figures():
    line = next(line for line in shown(example(), terminal=True, width=150).splitlines() if "mobilenet" in line)
    assert line.split()[:5] == ["C", "71", "90", "0.0005", "8.5"]


def test_a_pipe_gets_plain_text_and_every_cell():
    text = shown(example(), terminal=False, plot=True)
    assert "\x1b" not in text
    rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
    assert [row[0] for row in rows] == ["kind", *["front"] * 5, "near", "unknown"]
    assert {len(row) for row in rows} == {len(rows[0])}
    power, board = rows[0].index("power_w"), rows[0].index("board")
    assert [row[power] for row in rows[1:]] == ["10", "10", "4", "4", "0.0005", "10.1", "unknown"]
    assert rows[3][board] == ""  # a bare chip has no board: nothing is unknown about it


def test_an_empty_front_says_why():
    text = shown(empty(), terminal=False, plot=True)
    assert "the front is empty: no candidate keeps power_w <= 0.1 & the deadline" in text
    assert "┤" not in text


def test_figures_keep_four_digits_and_never_become_zero():
    cells = [figure(value) for value in (84.72849, 8.0, 0.00012, 0, 1234567, None, "", "int8")]
    assert cells == ["84.73", "8", "0.00012", "0", "1,234,567", "unknown", "unknown", "int8"]
    assert [share(0.1667), share(0.0082), share(0.99996)] == ["17 %", "0.8 %", "100 %"]


def test_an_axis_is_named_with_its_unit_and_an_attribute_by_its_path():
    names = [("accuracy", "metric points"), ("chip.memory.bandwidth_gbs", "GB/s"), ("utilization", "share")]
    titles = [axis_title({"name": name, "unit": unit, "sense": "minimize"}) for name, unit in names]
    assert titles == ["accuracy [points]", "chip.memory.bandwidth_gbs [GB/s]", "utilization [share]"]


def test_the_steps_are_what_nothing_beats_on_two_axes():
    accuracy, worst, *_ = AXES
    points = [(70, 22), (72, 35), (80.5, 40), (75, 40), (80, 60)]  # the last two are beaten by (80.5, 40)
    rows = [{"accuracy": a, "worst_case_ms": w} for a, w in points] + [{"accuracy": None, "worst_case_ms": 1}]
    assert staircase(rows, worst, accuracy) == [(22, 70), (35, 72), (40, 80.5)]
    assert staircase(rows, accuracy, worst) == [(80.5, 40), (72, 35), (70, 22)]


def test_chips_with_few_rows_share_a_group():
    rows = [{"chip": chip, "kind": "front"} for chip in ("a", "b", "b", "c", "d")]
    assert chip_groups(rows, 4) == {"b": "b", "a": "a", "c": "c", "d": "d"}
    assert chip_groups(rows, 3) == {"b": "b", "a": "a", "c": "other chips", "d": "other chips"}


def test_chips_on_the_front_come_before_those_with_more_rows_elsewhere():
    kinds = {"front": "ab", "near": "bccc", "unknown": "ddddd"}
    rows = [{"chip": chip, "kind": kind} for kind, chips in kinds.items() for chip in chips]
    assert list(chip_groups(rows, 8)) == ["b", "a", "c", "d"]


def test_the_first_line_begins_with_the_problem_and_is_not_dim():
    first = shown(example(), terminal=True).splitlines()[0]
    assert first == "\x1b[1mRecorder\x1b[0m: 1,234 candidates, 56 feasible, 5 on the front"
    nameless = {**example(), "problem": {"name": "", "file": "recorder.yaml"}}
    assert shown(nameless, terminal=False).startswith("recorder.yaml: 1,234 candidates")


@pytest.mark.parametrize("terminal", [False, True])
def test_a_p99_is_never_called_a_worst_case(terminal):
    text = shown(estimated(), terminal=terminal, plot=True)
    assert "latency: p99 estimate, no bound" in text.splitlines()[1]
    assert "p99 estimate [ms], lower is better" in text
    assert "worst case" not in text


def test_a_label_is_said_once_or_with_every_row():
    front = example()
    assert shown(front, terminal=True).count("feasible if estimates hold") == 1
    assert "every design listed: feasible if estimates hold" in shown(front, terminal=True)
    front["rows"][0]["label"] = "feasible"
    text = shown(front, terminal=True, width=250)
    assert "every design listed" not in text
    assert text.count("· feasible if estimates hold") == len(front["rows"]) - 1
    assert text.count("time B, accuracy C · feasible · ") == 1


def test_the_key_names_only_marks_that_are_drawn():
    assert "?" not in "".join(plot_lines(example(), 80, axes=(2, 0)))
    assert "? a figure is unknown" in "".join(plot_lines(example(), 80, axes=(1, 0)))


def test_what_does_not_exist_is_empty_and_not_unknown():
    front = example()
    front["rows"] = [{**front["rows"][2], "mode": None, "unit": None, "runtime": None}]
    assert "unknown" not in shown(front, terminal=True)
    assert "unknown" not in shown(front, terminal=False)
