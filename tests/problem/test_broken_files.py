"""Every fault a problem file can have is named at its line; one small file for each, called after the fault."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from dse.errors import ProblemError
from dse.problem import load_problem
from dse.problem.checks import RULES, Vocabulary
from dse.problem.load import parse_problem

BROKEN = Path(__file__).parent / "data" / "broken"
WORDS = Vocabulary(
    chips=frozenset({"rk3588", "rk3568", "hailo-8", "jetson-nano"}),
    models=frozenset({"yolov5s", "yolov8n", "tiny-yolov4", "resnet50"}),
    families=frozenset({"yolo", "resnet"}),
    boards=frozenset({"raspberry-pi-5"}),
    tasks=frozenset({"object-detection", "image-classification", "b"}),
    datasets=frozenset({"coco-2017", "imagenet-1k"}),
    metrics=frozenset({"map50-95", "top1"}),
    runtimes=frozenset({"tensorrt", "rknn"}),
    vendors=frozenset({"rockchip", "hailo", "nvidia"}),
    toolchains=frozenset({"rknn-toolkit2"}),
)

FAULTS = [  # file, line, part of the text
    ("duplicate_key", 4, "the key `name` is given twice, first in line 3"),
    ("tab_indent", 2, "a tab is used for indentation"),
    ("tab_joins_lines", 2, "a tab is used for indentation"),
    ("alias_bomb", 4, "aliases stand for more than 10000 values"),
    ("alias_in_itself", 1, "`*me` refers to the value it stands in"),
    ("unquoted_star", 4, "put quotes around a pattern that begins with a star"),
    ("unquoted_stars", 4, "put quotes around a pattern that begins with a star"),
    ("only_comments", 0, "is empty"),
    ("two_documents", 3, "a second document begins here"),
    ("too_deep", 1, "nested more than 40 levels deep"),
    ("huge_integer", 6, "a whole number of 5000 digits is not taken"),
    ("list_as_key", 1, "a key must be a word, not a list or mapping"),
    ("tag", 3, "is not taken (remove the tag)"),
    ("open_bracket", 2, "a list is not closed"),
    ("colon_in_text", 1, "a colon is not allowed here"),
    ("at_sign", 1, "text cannot begin with `@`"),
    ("open_quote", 4, "a quote is opened and never closed"),
    ("wrong_indent", 3, "the line does not fit the lines before it"),
    ("top_is_list", 1, "a problem is a mapping of fields, found a list"),
    ("no_tasks", 1, "tasks is missing"),
    ("empty_tasks", 1, "must not be an empty list"),
    ("task_is_text", 1, 'tasks[0]: must be a mapping of fields, found the text "detect"'),
    ("unknown_key", 6, "tasks[0].deadline: unknown field `deadline` (did you mean `deadline_ms`?"),
    ("unknown_top_key", 3, "unknown field `limit` (did you mean `limits`?"),
    ("short_list_of_keys", 3, "allowed: cpu_cores, memory_mb, power_w"),
    ("empty_value", 6, "tasks[0].min_accuracy: has no value"),
    ("text_for_number", 6, 'must be a number, found the text "10" (remove the quotes)'),
    ("truth_for_number", 6, "must be a number, found true"),
    ("number_for_text", 3, "must be text, found 5 (put quotes around it)"),
    ("fraction_for_count", 6, "must be a whole number, found 1.5"),
    ("not_a_number", 6, "must be a finite number, found .nan"),
    ("infinite", 6, "must be a finite number, found .inf"),
    ("word_for_truth", 6, 'must be true or false, found the text "no"'),
    ("wrong_version", 1, "must be at most 1, found 2"),
    ("zero_rate", 5, "must be more than 0, found 0"),
    ("negative_rate", 5, "must be more than 0, found -3"),
    ("no_rate", 2, "tasks[0]: rate_hz is missing (give a source or rate_hz"),
    ("two_rates", 6, "the rate is stated twice"),
    ("no_deadline", 2, "deadline_ms is missing (give it in ms, or `deadline_ms: none`"),
    ("deadline_word", 5, 'must be a number, or the word none, found the text "never"'),
    ("accuracy_as_share", 6, "accuracies are percent: write 30, not 0.3"),
    ("accuracy_above_100", 6, "must be at most 100, found 300"),
    ("phase", 6, 'must be one of arbitrary, synchronous, found the text "synchron" (did you mean `synchronous`?'),
    ("precision", 3, "search.precisions[1]: found `fp61` (did you mean `fp16`?"),
    ("precision_unknown", 3, "cannot be asked for"),
    ("unit", 4, "search.units: must be one of npu, gpu"),
    ("zero_batch", 4, "must be at least 1, found 0"),
    ("empty_list", 4, "must not be an empty list"),
    ("three_buffers", 4, "must be at most 2, found 3"),
    ("confidence", 4, "write 0.95 for 95 percent"),
    ("unknown_of_nothing", 4, "there is no limit `pric_usd` (did you mean `price_usd`?"),
    ("objective_name", 4, "there is no objective `price` (did you mean `price_usd`?"),
    ("objective_sense", 4, "must have exactly one of maximize and minimize"),
    ("task_twice", 3, "`a` is the name of a task already: tasks[0]"),
    ("source_twice", 5, "`cam` is the name of a source already"),
    ("stage_twice", 8, "`infer` is the name of a stage already"),
    ("source_missing", 3, "there is no source `cem` in this file (did you mean `cam`?"),
    ("after_missing", 2, "there is no task `c` in this file"),
    ("after_itself", 2, "`a` waits for itself"),
    ("after_in_circle", 3, "tasks[1].after: `c` waits for itself (break the circle"),
    ("after_misspelt", 3, "there is no task `detct` in this file (did you mean `detect`?"),
    (
        "join_of_two_sources",
        5,
        "`a` takes one frame in 1 of source `left` and `c` takes one frame in 1 of source `right`",
    ),
    ("join_of_two_rates", 5, "`a` takes one frame in 2 of source `cam` and `c` takes one frame in 1 of source `cam`"),
    ("join_of_two_cameras", 4, "no frame passes all that `e` waits for"),
    ("chain_apart", 5, "chains[0].tasks[1]: `c` does not follow `a` (give `c` the field `after: a`"),
    ("chain_turned_round", 8, "`a` does not follow `c` (`c` waits for `a`: turn them round"),
    ("chain_with_task_twice", 3, "`a` is in this chain already (name each task once"),
    ("chain_of_unknown_task", 3, "there is no task `detec` in this file (did you mean `detect`?"),
    ("deadline_outside_chain", 4, "tasks[2]: deadline_ms is missing"),
    ("source_and_after", 4, "a task has either a source or `after`"),
    ("rate_beside_source", 3, "comes from `source` already"),
    ("overhead_and_stages", 6, "overhead_ms and stages say the same thing"),
    ("stages_without_network", 6, "the stages lack `infer`"),
    ("network_in_source", 1, "a source runs no network"),
    ("stage_without_time", 7, "the stage does not say how long it takes"),
    ("stage_with_two_times", 7, "time_ms and delay_ms exclude each other"),
    ("network_with_time", 7, "`infer` is the network and takes no time_ms"),
    ("servers_of_cpu", 7, "how many `cpu` there are, the chip says"),
    ("overlap_above_1", 7, "must be at most 1, found 1.5"),
    ("overlap_before_delay", 7, "there is no next stage it could hide behind"),
    ("overlap_of_last", 7, "there is no next stage it could hide behind"),
    ("fallback_without_time", 4, "stages[0].else: does not say how long it takes (give time_ms or ms_per_mpx"),
    ("stage_time_text", 7, "tasks[0].stages[0].time_ms.rk3588: must be a number"),
    ("count_alone", 4, "with count batching alone, `a` has no bound"),
    ("input_range", 6, "min_px 640 is more than max_px 320"),
    ("devices_range", 3, "min 3 is more than max 1"),
    ("known_without_chip", 4, "chip is missing"),
    ("known_with_two_times", 4, "needs one of latency_ms and period_ms, has both"),
    ("width_alone", 1, "height is missing"),
    ("limit_name", 4, "there is no limit `powr_w` (did you mean `power_w`?"),
    ("limit_without_prefix", 4, "attributes need a prefix"),
    ("limit_key", 4, "limits.power_w.mx: unknown field `mx` (did you mean `max`?"),
    ("limit_truth", 4, "must be a number, found true"),
    ("limit_text", 4, 'must be a number, found the text "10" (remove the quotes)'),
    ("limit_contradicts", 4, "nothing can be at least 5 and at most 3"),
    ("limit_twice", 5, "bounds the same thing as `power_w`"),
    ("limit_without_bound", 4, "states no bound"),
    ("limit_direction", 4, "write {min: 8} or {max: 8}"),
    ("limit_date", 4, "must be a date such as 2031"),
    ("limit_share", 4, "must be at most 1, found 95"),
    ("limit_accuracy", 4, "accuracies are percent: write 50, not 0.5"),
    ("chip_pattern", 4, "`zz*` matches no chip"),
    ("chip_name", 5, "there is no chip `rk3388` (did you mean `rk3588`?"),
    ("model_name", 6, "there is no model `yolov5z` (did you mean `yolov5s`?"),
    ("board_name", 3, "there is no board `raspberry`"),
    ("task_name", 3, "there is no task `object-detecton` (did you mean `object-detection`?"),
    ("dataset_name", 6, "there is no data set `coco`"),
    ("metric_name", 6, "there is no metric `map50` (did you mean `map50-95`?"),
    ("runtime_name", 3, "there is no runtime `tensorrd` (did you mean `tensorrt`?"),
    ("vendor_name", 3, "there is no vendor `rockship` (did you mean `rockchip`?"),
    ("known_like", 3, "there is no model `yolo5s` (did you mean `yolov5s`?"),
    ("baseline_chip", 3, "there is no chip `rk3599`"),
    ("stage_chip", 7, "there is no chip `rk9988`"),
    (
        "scoring_figure",
        3,
        "there is no figure `cots_usd` to weigh (did you mean `cost_usd`? allowed: accuracy, cost_per",
    ),
    ("scoring_negative", 3, "scoring.weights.cost_usd: must be at least 0, found -0.1"),
    ("scoring_weight_text", 3, 'must be a number, found the text "high"'),
    ("scoring_all_zero", 3, "no weight is more than 0 (give at least one figure a weight"),
    ("scoring_without_weights", 2, "scoring: weights is missing (How much each figure counts"),
    ("scoring_value_without_weight", 4, "`power_w` has no weight (give it one, 0 if it must not count"),
    ("scoring_one_point", 4, "needs at least two points, has 1"),
    ("scoring_not_ascending", 7, "figures must ascend, but 100 follows 2000"),
    ("scoring_figure_twice", 4, "figures must ascend, but 100 follows 100 (write every figure once"),
    ("scoring_above_1", 7, "scoring.values.accuracy.55: must be a score from 0 to 1, found 10"),
    ("scoring_no_pair", 4, "must be a pair of a figure and its score, such as [40, 0.5], found 40"),
    ("scoring_point_text", 4, 'values.accuracy[0][0]: must be a number, found the text "low"'),
    ("scoring_turned_round", 4, "`worst` is no number (the figure comes first, its score after it"),
    ("scoring_value_number", 4, "must be a mapping of figures to scores, or a list of pairs, found 55"),
    ("scoring_accuracy_as_share", 4, "accuracies are percent: write 55, not 0.55"),
]


@pytest.mark.parametrize(("name", "line", "text"), FAULTS, ids=[row[0] for row in FAULTS])
def test_fault_is_named_at_its_line(name: str, line: int, text: str) -> None:
    """The fault is reported with its line, in words without jargon."""
    with pytest.raises(ProblemError) as caught:
        load_problem(BROKEN / f"{name}.yaml", WORDS)
    found = [fault for fault in caught.value.faults if text in str(fault)]
    assert found, str(caught.value)
    assert found[0].line == line, str(caught.value)
    messages = " ".join(fault.message + fault.hint for fault in caught.value.faults)
    assert not re.search(r"pydantic|http|Input should|type=|\b(union|tuple|dict|instance|str|int)\b", messages)


def test_every_broken_file_is_in_the_table() -> None:
    """No file lies there unread."""
    assert {path.stem for path in BROKEN.glob("*.yaml")} == {row[0] for row in FAULTS} | {"ten_faults"}


@pytest.mark.parametrize(("name", "line", "text"), FAULTS, ids=[row[0] for row in FAULTS])
def test_one_slip_gives_one_fault(name: str, line: int, text: str) -> None:
    """A file with one slip is not buried under faults that follow from it."""
    with pytest.raises(ProblemError) as caught:
        load_problem(BROKEN / f"{name}.yaml", WORDS)
    assert len(caught.value.faults) <= 2, f"{line} {text}: {caught.value}"


def test_ten_faults_are_reported_together() -> None:
    """Text, schema, rules and names are judged in one go, and sorted by line."""
    with pytest.raises(ProblemError) as caught:
        load_problem(BROKEN / "ten_faults.yaml", WORDS)
    faults = caught.value.faults
    assert [fault.line for fault in faults] == list(range(2, 12)), str(caught.value)


def test_alias_bomb_ends_quickly() -> None:
    """A few lines that stand for a thousand million values are refused at once."""
    start = time.perf_counter()
    with pytest.raises(ProblemError, match="aliases stand for"):
        load_problem(BROKEN / "alias_bomb.yaml")
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "is empty"),
        (b"\x00\x01\x02", "binary"),
        (b"\xff\xfea\x00", "binary"),
        (b"name: caf\xe9\n", "the byte 0xe9 is not UTF-8"),
        (b"name: a\x07b\n", "control character"),
        (b"a: " + b"x" * 5_000_001, "is larger than 5 MB"),
        (b"a: [" + b"x," * 400_000 + b"]", "more than 300000 values"),
    ],
)
def test_what_is_no_text_file(tmp_path: Path, content: bytes, text: str) -> None:
    """Files that are not YAML text are refused with the reason."""
    path = tmp_path / "p.yaml"
    path.write_bytes(content)
    with pytest.raises(ProblemError, match=text):
        load_problem(path)


def test_place_of_a_byte_that_is_not_utf8(tmp_path: Path) -> None:
    """The wrong byte is found by line and column."""
    path = tmp_path / "p.yaml"
    path.write_bytes(b"version: 1\nname: caf\xe9\n")
    with pytest.raises(ProblemError, match=r"p\.yaml:2:10: the byte"):
        load_problem(path)


def test_missing_file_and_directory(tmp_path: Path) -> None:
    """A path that leads to no file is an input error."""
    with pytest.raises(ProblemError, match="there is no such file"):
        load_problem(tmp_path / "none.yaml")
    with pytest.raises(ProblemError, match="is a directory"):
        load_problem(tmp_path)
    with pytest.raises(ProblemError, match="cannot be read"):
        load_problem("a\0b")


def test_deep_nesting_never_exhausts_the_stack() -> None:
    """A hundred thousand brackets are a fault, not a crash."""
    with pytest.raises(ProblemError, match=r"nested|not closed|not valid"):
        parse_problem("a: " + "[" * 100_000)


def test_every_rule_has_a_sentence() -> None:
    """The registry names its rules, and each says what it demands."""
    assert len(RULES) >= 19
    assert all(rule.__doc__ and rule.__doc__.endswith(".") for rule in RULES.values())
