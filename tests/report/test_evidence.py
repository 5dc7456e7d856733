"""Every figure of a design leads to the file and line where it stands, opened here by other means than dse's own."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from dse.api import knowledge_of, load_problem
from dse.candidates.context import prepare
from dse.candidates.run_table import ESTIMATED, KNOWN, MEASURED, SCALED
from dse.candidates.table import evaluate_all
from dse.estimate.evidence import GRADES
from dse.problem.load import parse_problem
from dse.report.evidence import evidence_object, evidence_of
from dse.schema import QUANTITIES, UNKNOWN

ROOT = Path(__file__).parents[2]
PROBLEM = """\
version: 1
name: Traced
tasks:
  - {name: detect, task: object-detection, rate_hz: 5, deadline_ms: 1000, models: [yolov8s, yolov5s, mine],
     stages: [{name: decode, on: video-decoder}, {name: infer}]}
search:
  chips: [rk3588, hailo-8, jetson-xavier-nx]
  modes: [all]
host: {cpu_cores: 4, power_w: 5, price_usd: 80}
reserve: {power_w: 0.5}
guard: {evidence: E}
known:
  - model: yolov8s
    chip: rk3588
    precision: int8
    input: 640
    latency_ms: 31.5
    power_w: 6.25
    accuracy: 44.1
    source: bench of 2026-11-02
  - {model: mine, like: yolov5s, chip: rk3588, precision: int8, latency_ms: 12.5}
"""
FIGURES = {
    "accuracy": "accuracy",
    "power_w": "power",
    "price_usd": "price",
    "memory_mb": "memory",
    "energy_mj": "energy",
}
PARTS_OF_ROWS = ("time_ms_per_item", "power_w", "energy_mj", "memory_mb", "accuracy", "params_m", "activations_m",
                 "license", "p999_over_mean", "p99_over_mean", "stall_ms")  # fmt: skip


@pytest.fixture(scope="module")
def traced():
    problem = parse_problem(PROBLEM, "lab/traced.yaml")
    context = prepare(problem, problem.tasks[0], knowledge_of())
    return context, evaluate_all(context)


@cache
def rows_by_line(path):
    """Cells of a CSV file by the line each row begins at."""
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        begin, rows = reader.reader.line_num + 2, {}
        for row in reader:
            rows[begin] = row
            begin = reader.line_num + 1
    return rows


@cache
def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


@cache
def things_of(path):
    listed = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {thing["id"]: thing for thing in (listed if isinstance(listed, list) else [listed])}


def in_yaml(path, thing, figure):
    """A value by its path, an item of a list by its id or number, and the key it stands under."""
    value, rest = things_of(path)[thing], figure
    while rest:
        if isinstance(value, dict):
            key = next(key for key in value if rest == key or rest.startswith(f"{key}."))
            value = value[key]
        else:
            names = [str(item.get("id", k)) for k, item in enumerate(value)]
            key = next(name for name in names if rest.startswith(f"{name}."))
            value = value[names.index(key)]
        rest = rest[len(key) + 1 :]
    return value, key


def stands(record):
    """Whether the value of a record is what stands at its place."""
    name, _, line = record.place.rpartition(":")
    path, line = ROOT / name, int(line)
    if path.suffix == ".csv":
        cell = rows_by_line(path)[line][record.figure]
        return (
            cell == record.value
            if isinstance(record.value, str)
            else float(cell) == pytest.approx(record.value, rel=1e-9)
        )
    thing = record.id.partition("#")[2].removesuffix(f".{record.figure}")
    value, key = in_yaml(path, thing, record.figure)
    if f"{key}:" not in lines_of(path)[line - 1]:
        return False
    if isinstance(value, dict):  # a range or a life in words
        return all(f"{part:g}" if isinstance(part, float) else str(part) in record.value for part in value.values())
    return value == record.value


def is_of_catalogue(record):
    return record.place.startswith("catalogs/") and not record.id.startswith("derived:")


def designs_of(traced, chosen):
    """Candidates of runs that are chosen, one for each run and basis of accuracy."""
    context, candidates = traced
    runs = np.flatnonzero(chosen(context))
    rows = np.flatnonzero(np.isin(candidates.run, runs))
    keys = zip(candidates.run[rows].tolist(), candidates.accuracy_basis[rows].tolist(), strict=True)
    return list(dict(zip(keys, rows.tolist(), strict=True)).values())


def board_of(context, candidates, row):
    return context.lanes.board[context.lane_of(int(candidates.run[row]))]


def of_lanes(chosen):
    """Runs on the lanes whose chip, as it is bought, is chosen."""
    return lambda c: np.array([chosen(chip) for chip in c.lanes.chips(c.catalog)])[c.runs.lane]


KINDS = {
    "measured": lambda c: c.runs.origin == MEASURED,
    "estimated": lambda c: c.runs.origin == ESTIMATED,
    "scaled": lambda c: c.runs.origin == SCALED,
    "known": lambda c: c.runs.origin == KNOWN,
    "board with a host": of_lanes(lambda chip: len(chip.taken.get("power", ())) > 1),
    "card in a stated host": of_lanes(lambda chip: chip.needs_host),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_stands_at_its_place(traced, kind):
    """Files are opened at the line a record names; nothing it rests on is missing, and no known figure is without."""
    context, candidates = traced
    rows = designs_of(traced, KINDS[kind])
    assert rows
    opened = 0
    for row in rows[:: max(1, len(rows) // 60)]:
        found = evidence_of(context, candidates, row)
        ids = {record.id for record in found.values()}
        assert all(set(record.rests_on) <= ids for record in found.values())
        for record in found.values():
            if is_of_catalogue(record):
                assert stands(record), record
                opened += 1
        for column, figure in FIGURES.items():
            known = int(getattr(candidates, column)[row]) != UNKNOWN
            assert (figure in found) == known, (figure, found)
        assert {"latency", "toolchain"} <= set(found)
    assert opened >= 8


def test_values_and_grades_are_those_of_the_table(traced):
    """Power, energy, memory and price are the sums of the table; accuracy has its grade there."""
    context, candidates = traced
    for row in range(0, len(candidates), 97):
        found = evidence_of(context, candidates, row)
        for column, figure in FIGURES.items():
            if figure in found:
                expected = float(QUANTITIES[column].value(int(getattr(candidates, column)[row])))
                assert found[figure].value == pytest.approx(expected, abs=2e-6), (figure, found[figure])
        if "accuracy" in found:
            assert found["accuracy"].grade == GRADES[int(candidates.accuracy_grade[row])]
        run = int(candidates.run[row])
        if "service" in found:
            assert (
                found["service"].value == pytest.approx(context.service.service_ms[run])
                or found["service"] == found["latency"]
            )


def test_own_measurements_lead_to_the_problem_file(traced):
    """Lines counted in the text above: the first entry begins at line 13, its latency stands at 17, its power at 18."""
    context, candidates = traced
    rows = [row for row in designs_of(traced, KINDS["known"]) if not board_of(context, candidates, row)]
    found = [evidence_of(context, candidates, row) for row in rows]
    times = {one["latency"].id: one for one in found}
    assert set(times) == {"traced.yaml:17#latency_ms", "traced.yaml:21#latency_ms"}
    first, second = times["traced.yaml:17#latency_ms"], times["traced.yaml:21#latency_ms"]
    lines = PROBLEM.splitlines()
    assert [lines[16].strip(), lines[17].strip(), lines[12].strip()] == [
        "latency_ms: 31.5", "power_w: 6.25", "- model: yolov8s"]  # fmt: skip
    assert (first["latency"].value, first["latency"].kind, first["latency"].grade) == (31.5, "measured", "A")
    assert first["latency"].source == "bench of 2026-11-02"
    own = first["own_power"]
    assert (own.id, own.place, own.value) == ("traced.yaml:18#power_w", "traced.yaml:18", 6.25)
    assert first["power"].value == pytest.approx(6.25 + 0.5)  # the reserve of line 10
    assert first["power"].rests_on == ("traced.yaml:18#power_w", "traced.yaml:10#power_w")
    assert (first["accuracy"].place, first["accuracy"].value) == ("traced.yaml:13", 44.1)
    assert second["latency"].source == "own measurement"
    assert second["accuracy"].grade == "D"
    assert second["accuracy"].kind == "derived"
    assert "its own was not stated" in second["accuracy"].basis


def test_a_stated_host_is_part_of_power_and_price(traced):
    """The host of line 9 draws 5 W and costs 80 USD, beside 0.5 W in reserve."""
    context, candidates = traced
    rows = designs_of(traced, KINDS["card in a stated host"])
    found = next(one for row in rows if "price" in (one := evidence_of(context, candidates, row)) and "power" in one)
    parts = {record.id: record for record in found.values()}
    assert {"traced.yaml:9#power_w", "traced.yaml:10#power_w"} <= set(found["power"].rests_on)
    assert "traced.yaml:9#price_usd" in found["price"].rests_on
    for figure in ("power", "price"):
        assert found[figure].kind == "derived"
        assert found[figure].value == pytest.approx(sum(parts[one].value for one in found[figure].rests_on))


def test_an_estimate_lists_the_rows_of_its_neighbours(traced):
    """A time nobody measured is told from the rows nearest to it, on the same chip and unit."""
    context, candidates = traced
    for row in designs_of(traced, KINDS["estimated"])[::20]:
        found = evidence_of(context, candidates, row)
        parts, time = {record.id: record for record in found.values()}, found["latency"]
        run = int(candidates.run[row])
        assert time.kind == "estimated"
        assert time.id.startswith(f"estimate:{context.chip_of(run).id}/{context.lanes.unit[context.lane_of(run)]}/")
        assert time.value == pytest.approx(context.runs.typical_ms[run])
        assert 1 <= len(time.rests_on) <= 3
        assert all(parts[one].kind == "measured" and context.chip_of(run).id in parts[one].of for one in time.rests_on)
        assert found["guard"].value == pytest.approx(context.service.guard[run], rel=1e-5)


def test_a_scaled_time_leads_to_the_mode_it_was_measured_in(traced):
    """First the time in the measured mode, then the rates of the two modes in the chip's file."""
    context, candidates = traced
    for row in designs_of(traced, KINDS["scaled"])[::40]:
        found = evidence_of(context, candidates, row)
        parts, time = {record.id: record for record in found.values()}, found["latency"]
        base, *rates = [parts[one] for one in time.rests_on]
        mode = context.lanes.mode[context.lane_of(int(candidates.run[row]))]
        assert base.id == found["latency"].id.partition(" from ")[2]
        assert any(f"modes.{mode}." in rate.id for rate in rates)


def test_equal_ids_are_equal_records_in_two_real_problems():
    """Designs of all chips of two problems share records; those that differ in a figure have ids of their own."""
    designs, each = [], []
    for name in ("smart-speaker", "plates"):
        problem = load_problem(ROOT / "problems" / f"{name}.yaml")
        context = prepare(problem, problem.tasks[0], knowledge_of())
        candidates = evaluate_all(context)
        lane = context.runs.lane[candidates.run]
        of_lane = zip(context.platforms[lane].tolist(), context.runs.origin[candidates.run].tolist(), strict=True)
        rows = dict(zip(of_lane, range(len(candidates)), strict=True)).values()
        designs += [evidence_of(context, candidates, row) for row in rows]
        each.append(len(rows))
    assert min(each) > 20
    by_id = {}
    for record in (record for design in designs for record in design.values()):
        assert by_id.setdefault(record.id, record) == record
    records, figures = evidence_object(designs)
    assert set(records) == set(by_id)
    assert [set(names.values()) <= set(records) for names in figures] == [True] * len(designs)
    assert figures[0]["latency"] == designs[0]["latency"].id
    assert all(part in records for record in records.values() for part in record["from"])


def test_records_of_one_name_that_differ_are_told_apart(traced):
    """Two files may have one name: the later record takes a number, and what rests on it follows."""
    context, candidates = traced
    known = designs_of(traced, KINDS["known"])
    row = next(row for row in known if not board_of(context, candidates, row))
    other = parse_problem(PROBLEM.replace("power_w: 6.25", "power_w: 7.25"), "elsewhere/traced.yaml")
    there = prepare(other, other.tasks[0], knowledge_of())
    pair = [evidence_of(context, candidates, row), evidence_of(there, candidates, row)]
    records, (first, second) = evidence_object(pair)
    assert first["own_power"] == "traced.yaml:18#power_w"
    assert second["own_power"] == "traced.yaml:18#power_w (2)"
    assert second["power"] == f"{first['power']} (2)"
    assert records[second["power"]]["from"] == ["traced.yaml:18#power_w (2)", "traced.yaml:10#power_w"]
    assert first["latency"] == second["latency"]
