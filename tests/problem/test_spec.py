"""A valid file becomes a problem with every default, exact numbers and one form for each limit."""

from __future__ import annotations

import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import ProblemError
from dse.patterns import matches, nearest, normalise
from dse.problem import load_problem, parse_problem
from dse.problem.defaults import defaults_used
from dse.problem.fields import exact
from dse.problem.limits import Limit
from dse.problem.load import peek_catalogs
from dse.problem.spec import Problem
from dse.problem.starter import STARTER, json_schema
from dse.problem.supported import RULES, unsupported

from .test_broken_files import BROKEN, WORDS

WHOLE = Path(__file__).parent / "data" / "whole.yaml"
SHORT = "tasks: {name: a, task: object-detection, rate_hz: 30, deadline_ms: 60}\n"


def test_starter_loads_and_is_supported() -> None:
    """What a new user starts from works as it is."""
    problem = parse_problem(STARTER, vocabulary=WORDS)
    task = problem.tasks[0]
    assert (task.streams, task.rate_hz, task.deadline_ms, task.overhead_ms, task.min_accuracy) == (1, 30, 60, 15, 30)
    assert problem.limits["power_w"] == Limit("power_w", maximum=10)
    assert unsupported(problem) == []


def test_starter_remarks_are_valid_too() -> None:
    """The commented lines work when the marks are removed."""
    text = STARTER.replace("# known", "known").replace("# baseline", "baseline")
    problem = parse_problem(text, vocabulary=WORDS)
    assert problem.known[0].latency_ms == 20.7
    assert problem.baseline is not None


def test_whole_format_loads() -> None:
    """A file that uses every field is taken, and says what it means."""
    problem = load_problem(WHOLE, WORDS)
    detect, plate = problem.tasks
    # 29.97 Hz is 2997/100 Hz; every third frame: 3 * 1000 * 100 / 2997 ms.
    assert problem.period_ms(detect) == Fraction(300_000, 2997)
    assert problem.period_ms(plate) == problem.period_ms(detect)
    assert problem.source_of(plate).name == "cam"
    assert problem.batches_of(detect) == (2,)
    assert problem.search_of(detect).precisions == ("int8",)
    assert problem.search_of(detect).modes == ("named",)
    assert problem.limits["power_w"].maximum == 45.5
    assert problem.limits["memory_mb"].maximum == 1.024
    assert problem.limits["lifecycle_until"].until == "2031-02-28"
    assert problem.limits["utilization"].maximum == 0.95
    assert (problem.limits["ambient_c"].minimum, problem.limits["ambient_c"].maximum) == (-10, 50)
    assert problem.unknown_policy(problem.limits["price_usd"]) == "flag"
    assert problem.unknown_policy(Limit("model.license")) == "flag"
    assert problem.unknown_policy(Limit("chip.x")) == "flag"
    resize = detect.stages[0].time_ms
    assert resize is not None
    assert [resize.on(chip) for chip in ("RK3588", "rk3568", "hailo-8")] == [3, 4, 5]
    assert [stage.resource for stage in detect.stages] == ["cpu", "dma", "", "tracker"]
    assert problem.known[0].input == (640, 480)


def test_whole_format_names_what_is_not_solved() -> None:
    """Each feature that cannot be solved yet is refused once, at its line."""
    found = {(fault.where, fault.line) for fault in unsupported(load_problem(WHOLE, WORDS))}
    assert found == {("search.devices.max", 55)}


@pytest.mark.parametrize(
    ("extra", "place"),
    [
        ("search: {devices: {mixed: true}}", "search.devices.mixed"),
        ("search: {devices: {spare: 1}}", "search.devices.spare"),
    ],
)
def test_unsupported_settings(extra: str, place: str) -> None:
    """Settings of the format that are not solved yet are refused, not ignored."""
    faults = unsupported(parse_problem(SHORT + extra))
    assert [(fault.where, fault.line) for fault in faults] == [(place, 2)]


def test_paths_of_one_task_are_supported() -> None:
    """A decoder with a fallback, a source at its own rate, overlap anywhere, closing batches, an estimate."""
    text = """
sources: {name: cam, rate_hz: 5, stages: [{name: copy, mbytes: 3, overlap: 0.5},
  {name: decode, on: video-decoder, else: {time_ms: 9}}]}
tasks: {name: a, task: x, source: cam, every_nth: 2, deadline_ms: 9, guarantee: p99}
search: {batching: {policy: [dynamic, timeout-close]}}
"""
    assert unsupported(parse_problem(text)) == []


def test_source_with_delay_and_own_stage_is_supported() -> None:
    """Plain stages of a source are solved."""
    text = """
sources: {name: cam, rate_hz: 5, stages: [{name: net, delay_ms: 3}, {name: isp, on: isp, time_ms: 4}]}
tasks: {name: a, task: x, source: cam, deadline_ms: 9, stages: [{name: infer}, {name: nms, time_ms: 1}]}
"""
    assert unsupported(parse_problem(text)) == []


def test_tasks_that_share_a_device_are_supported() -> None:
    """Tasks that follow each other, several items a frame with or without that, chains and every order of service."""
    text = """
sources: {name: cam, rate_hz: 5}
tasks:
  - {name: a, task: x, source: cam, items_per_frame: {mean: 1.5, max: 2}}
  - {name: b, task: x, after: a, items_per_frame: 3}
  - {name: c, task: x, after: [a, b], priority: 1}
  - {name: d, task: x, rate_hz: 2, deadline_ms: none}
chains: [{name: whole, tasks: [a, b, c], deadline_ms: 90}, {name: ends, tasks: [a, c], deadline_ms: 90}]
search: {scheduling: fixed-priority}
"""
    assert unsupported(parse_problem(text)) == []


def test_an_estimate_among_several_tasks_is_refused() -> None:
    """A guarantee that may fail now and then is solved for one task alone."""
    text = """
tasks:
  - {name: a, task: x, rate_hz: 5, deadline_ms: 9}
  - {name: b, task: x, rate_hz: 5, deadline_ms: 9, guarantee: p99}
"""
    faults = unsupported(parse_problem(text))
    assert [fault.where for fault in faults] == ["tasks[1].guarantee"]
    assert len(RULES) == 2


def test_scalars_stand_for_lists_and_words_for_everything() -> None:
    """A lone item needs no brackets; `all` and `none` are words."""
    text = """
tasks: {name: a, task: x, period_ms: 40, deadline_ms: none, models: yolo*, streams: 4}
search: {chips: all, boards: rpi*, units: npu, precisions: int8, modes: all, batching: count}
host: none
guard: {unknown: flag, confidence: 0.9}
limits: {chip.ecc: true, model.license: [mit, bsd], lifecycle_until: 2030, ambient_c: 40}
"""
    problem = parse_problem(text.replace("streams: 4", "streams: 4, may_stop: false"))
    search, task = problem.search, problem.tasks[0]
    assert (search.units, search.precisions, search.modes) == (("npu",), ("int8",), ("all",))
    assert search.chips.admits("anything")
    assert search.boards.admits("RPi_5")
    assert not search.boards.admits("jetson")
    assert task.models.admits("v5s", "YOLO-5")
    assert task.deadline_ms is None
    assert task.period_ms == 40
    assert problem.batches_of(task) == (1, 2, 4, 8, 16)
    assert problem.host is not None
    assert problem.host.absent
    assert problem.limits["chip.ecc"].one_of == (True,)
    assert problem.limits["model.license"].one_of == ("mit", "bsd")
    assert problem.limits["lifecycle_until"].until == "2030-12-31"
    assert problem.limits["ambient_c"].covers
    assert problem.guard.policy("price_usd") == "flag"


def test_model_introduced_by_a_measurement_may_be_named() -> None:
    """A measured model that says what it is like counts as known."""
    text = SHORT.replace("60}", "60, models: mine}")
    known = "known: {model: mine, like: yolov5s, chip: rk3588, precision: int8, latency_ms: 3}\n"
    assert parse_problem(text + known, vocabulary=WORDS).tasks[0].models.include == ("mine",)


def test_defaults_are_told() -> None:
    """What was left out is listed; what was written is not, and absent things make no noise."""
    used = dict(defaults_used(parse_problem(STARTER)))
    assert used["tasks[0].jitter_ms"] == "0"
    assert used["tasks[0].search.batches"] == "1"
    assert used["limits.utilization"] == "at most 0.95"
    assert used["guard.unknown.price_usd"] == "flag"
    assert used["objectives"].startswith("maximize accuracy within 0.1, minimize price_usd")
    assert not {"tasks[0].streams", "baseline", "chains", "version"} & used.keys()
    whole = dict(defaults_used(load_problem(WHOLE)))
    assert not any("streams" in path for path in whole)
    assert whole["guard.unknown.license"] == "flag"
    assert "guard.unknown.price_usd" not in whole


def test_network_only_is_told() -> None:
    """Without stages and overhead, the listing says that only the network counts."""
    assert "network only" in dict(defaults_used(parse_problem(SHORT)))["tasks[0].stages"]


def _objects(node: object) -> list[dict[str, object]]:
    if isinstance(node, list):
        return [found for item in node for found in _objects(item)]
    if isinstance(node, dict):
        return [node, *(found for item in node.values() for found in _objects(item))]
    return []


def test_json_schema_describes_every_field() -> None:
    """Editors show a description for each field, its name in the file, and no null."""
    schema = json_schema()
    assert schema["additionalProperties"] is False
    assert "period_ms" in schema["$defs"]["Task"]["properties"]
    assert "else" in schema["$defs"]["Stage"]["properties"]
    for name, definition in schema["$defs"].items():
        for field, content in definition.get("properties", {}).items():
            # A field that says the same as the definition it refers to leaves it to that definition.
            target = schema["$defs"].get(content.get("$ref", "").rpartition("/")[2], {})
            assert content.get("description") or target.get("description"), f"{name}.{field}"
    assert {"type": "null"} not in _objects(schema)
    assert "[W]" in schema["properties"]["limits"]["properties"]["power_w"]["description"]


def test_catalogs_can_be_read_beforehand() -> None:
    """Extra catalogue folders are found, relative to the file; a broken file names none."""
    assert peek_catalogs(WHOLE) == [WHOLE.parent / "ours"]
    for path in (*BROKEN.glob("*.yaml"), BROKEN, BROKEN / "missing"):
        assert peek_catalogs(path) == []


def test_problem_is_frozen_compares_and_travels() -> None:
    """Worker processes get the same problem, places included."""
    problem = parse_problem(SHORT)
    again = pickle.loads(pickle.dumps(problem))
    assert again == problem
    assert again.place(("tasks", "deadline_ms")) == (1, 55)
    assert parse_problem("# a remark\n" + SHORT) == problem
    with pytest.raises(ValueError, match="frozen"):
        problem.name = "other"  # type: ignore[misc]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_exact_keeps_the_decimal(value: float) -> None:
    """The fraction gives back the float, and equals the decimal that prints."""
    assert float(exact(value)) == value
    assert exact(value) == Fraction(str(value))
    assert exact(-value) == -exact(value)


@given(st.decimals(min_value="0.001", max_value=1000, places=3))
def test_exact_period_of_a_typed_rate(rate: object) -> None:
    """Rate times period is exactly a thousand, whatever decimal was typed."""
    problem = parse_problem(SHORT.replace("rate_hz: 30", f"rate_hz: {rate}"))
    assert problem.period_ms(problem.tasks[0]) * Fraction(str(rate)) == 1000


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("yolo*", "YOLOv5s", True),
        ("Tiny_YOLOv4", "tiny-yolov4", True),
        ("yolo", "yolov5s", False),
        ("*[", "a[", True),
        ("[z-a]", "b", False),
    ],
)
def test_patterns(pattern: str, name: str, fits: bool) -> None:
    """Case and the kind of dash do not matter; without a star the whole name must fit."""
    assert matches(pattern, name) is fits
    assert normalise(normalise(name)) == normalise(name)


def test_nearest_name() -> None:
    """A misspelt name leads to the one meant, and nonsense to none."""
    assert nearest("Jetson_Nanno", {"jetson-nano", "rk3588"}) == "jetson-nano"
    assert nearest("zzz", {"jetson-nano"}) == ""


def test_import_is_fast() -> None:
    """Loading the station pulls in neither solver nor tables."""
    code = "import sys, dse.problem; print([m for m in ('ortools', 'pandas', 'numpy', 'typer') if m in sys.modules])"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_problem_type_is_public() -> None:
    """The station offers its type under its own name."""
    assert isinstance(parse_problem(SHORT), Problem)


def test_amounts_beyond_any_product_are_refused() -> None:
    """The tables hold millionths: beyond 10^9 they would round, and below one of them show a known figure as 0."""
    text = """
tasks: {name: see, task: visual-wake-words, rate_hz: 1, deadline_ms: 60}
reserve: {power_w: 1e11, memory_mb: 1e300}
host: {price_usd: 1e10}
known: [{model: mcunet, chip: stm32h7, precision: int8, latency_ms: 1e-9, power_w: 1e-300}]
"""
    with pytest.raises(ProblemError) as caught:
        parse_problem(text)
    assert [fault.where for fault in caught.value.faults] == [
        "reserve.power_w",
        "reserve.memory_mb",
        "host.price_usd",
        "known[0].latency_ms",
        "known[0].power_w",
    ]
