"""Designs on boards, over the shipped catalogue with a laboratory's own chips and boards, worked out by hand.

Every answer passes the second road: `dse.solve` raises where `verify` disagrees with the table.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from fnmatch import fnmatch

import numpy as np
import pytest

import dse
from dse.api import knowledge_of, load_problem
from dse.candidates.context import prepare
from dse.candidates.resources import sustained_w
from dse.candidates.run_table import NO_BOARD, NO_HOST
from dse.candidates.table import evaluate_all
from dse.errors import ProblemError
from dse.problem.load import parse_problem
from dse.report.table import COLUMNS, rows_of
from dse.report.text import design_rows, show_answer
from tests.candidates.test_candidates import broken

CHIPS = """\
- id: lab-npu
  vendor: Lab
  class: card
  form: m2-card
  units: [{id: npu, peak_tops: {int8: 4}, precisions: [int8]}]
  runtimes: [{id: over-usb2, link: usb-2}, {id: over-usb3, link: usb-3}, {id: over-pcie, link: pcie}]
  links: [{id: pcie, kind: pcie, generation: '2', lanes: 1, gbs: 0.5}]
  power: {typical_w: 2, max_w: 3, boundary: module}
  prices: [{usd: 50, quantity: 1, date: 2026-01, kind: card}]
- id: lab-soc
  vendor: Lab
  class: camera-soc
  form: soc
  cpu_cores: 4
  units: [{id: npu, peak_tops: {int8: 4}, precisions: [int8]}]
  memory: {bandwidth_gbs: 12.8, capacity_gb: 4}
  power: {max_w: 5, boundary: rail}
  prices: [{usd: 20, quantity: 1, date: 2026-01, kind: chip}]
- id: lab-mcu
  vendor: Lab
  class: mcu
  form: mcu
  cpu_cores: 1
  units: [{id: mcu, precisions: [int8]}]
  prices: [{usd: 4, quantity: 1, date: 2026-01, kind: chip}]
"""
BOARDS = """\
- {id: lab-pi, vendor: Lab, chip: raspberry-pi-5, form: sbc, host: {cpu_cores: 6}, memory_gb: 8,
   power: {typical_w: 7, max_w: 12, boundary: board}, temperature: {min_c: 0, max_c: 50, at: ambient},
   prices: [{usd: 80, quantity: 1, date: 2026-01, kind: board}]}
- {id: lab-stick-2, vendor: Lab, chip: lab-npu, form: usb-stick, host: {board: lab-pi},
   links: [{id: usb-2, kind: usb, generation: '2.0', gbs: 0.06}], power: {typical_w: 2, max_w: 4.5, boundary: module},
   temperature: {min_c: -20, max_c: 70, at: ambient}, prices: [{usd: 60, quantity: 1, date: 2026-02, kind: card}]}
- {id: lab-stick-3, vendor: Lab, chip: lab-npu, form: usb-stick, host: {board: lab-pi},
   links: [{id: usb-3, kind: usb, generation: '3.0', gbs: 0.5}], power: {typical_w: 2, max_w: 4.75, boundary: module},
   temperature: {min_c: -20, max_c: 70, at: ambient}, prices: [{usd: 65, quantity: 1, date: 2026-02, kind: card}]}
- {id: lab-hat, vendor: Lab, chip: lab-npu, form: hat, host: {board: lab-pi},
   links: [{id: pcie, kind: pcie, generation: '2', lanes: 1, gbs: 0.5}], power: {max_w: 4, boundary: module},
   prices: [{usd: 70, quantity: 1, date: 2026-02, kind: card}]}
- {id: lab-card, vendor: Lab, chip: lab-npu, form: m2-card,
   links: [{id: pcie, kind: pcie, generation: '3', lanes: 1, gbs: 1}], power: {max_w: 3.5, boundary: module},
   prices: [{usd: 55, quantity: 1, date: 2026-02, kind: card}]}
- {id: lab-kit, vendor: Lab, chip: lab-npu, form: devkit, host: {cpu_cores: 2}, memory_gb: 1,
   links: [{id: pcie, kind: pcie, generation: '2', lanes: 1, gbs: 0.5}],
   prices: [{usd: 99, quantity: 1, date: 2026-02, kind: devkit}]}
- {id: lab-two, vendor: Lab, chip: lab-npu, chips_count: 2, form: m2-card, host: {board: lab-pi},
   links: [{id: pcie, kind: pcie, gbs: 1}], prices: [{usd: 90, quantity: 1, date: 2026-02, kind: card}]}
- {id: lab-small, vendor: Lab, chip: lab-soc, form: sbc, host: {cpu_cores: 4}, memory_gb: 0.6,
   power: {max_w: 8, boundary: board}, prices: [{usd: 30, quantity: 1, date: 2026-02, kind: board}]}
- {id: lab-large, vendor: Lab, chip: lab-soc, form: sbc, host: {cpu_cores: 4}, memory_gb: 2,
   power: {max_w: 9, boundary: board}, prices: [{usd: 45, quantity: 1, date: 2026-02, kind: board}]}
- {id: lab-dot, vendor: Lab, chip: lab-mcu, form: devkit, host: {cpu_cores: 1}, memory_gb: 0.008,
   prices: [{usd: 15, quantity: 1, date: 2026-02, kind: devkit}]}
"""
SPEEDS = """\
chip,unit,runtime,model,input_h,input_w,precision,batch,quantity,time_ms_per_item,statistic,boundary,power_w,power_boundary,memory_mb,source_repo
lab-npu,npu,over-usb2,labnet,224,224,int8,1,latency,40,mean,host,2.5,module,20,lab
lab-npu,npu,over-usb3,labnet,224,224,int8,1,latency,20,mean,host,2.6,board,20,lab
lab-npu,npu,over-pcie,labnet,224,224,int8,1,latency,10,mean,host,2.7,module,20,lab
lab-npu,npu,anywhere,labnet,224,224,int8,1,latency,80,mean,host,9.5,system,20,lab
lab-soc,npu,labrt,labnet,224,224,int8,1,latency,5,mean,chip,1.5,rail,100,lab
lab-soc,npu,labrt,labbig,224,224,int8,1,latency,25,mean,chip,1.75,rail,100.001,lab
lab-soc,npu,meter,labnet,224,224,int8,1,latency,6,mean,chip,6.5,board,20,lab
lab-mcu,mcu,tiny,labnet,224,224,int8,1,latency,300,mean,chip,0.1,rail,,lab
"""
MODELS = """\
id,weights,family,task,dataset,metric,input_h,input_w,params_m,gmacs,activations_m,source
labnet,ours,lab,image-classification,imagenet-1k,top1,224,224,3.5,0.3,6.7,lab
labbig,ours,lab,image-classification,imagenet-1k,top1,224,224,25.6,4.1,11.1,lab
"""
ACCURACIES = """\
id,weights,dataset,metric,input_h,input_w,precision,toolchain,accuracy,accuracy_source
labnet,ours,imagenet-1k,top1,224,224,int8,ours,70,lab
labbig,ours,imagenet-1k,top1,224,224,int8,ours,76,lab
"""
FILES = {
    "chips/a.yaml": CHIPS,
    "boards/a.yaml": BOARDS,
    "measurements/a.csv": SPEEDS,
    "models/models.csv": MODELS,
    "models/accuracies.csv": ACCURACIES,
}
PROBLEM = """\
version: 1
name: lab
tasks:
  - {{name: see, task: image-classification, rate_hz: 1, deadline_ms: {deadline}, models: [{models}], {task}}}
search: {{chips: [{chips}], {search}}}
{rest}
"""
TAIL = 1.6093  # p99.9 over mean of NPUs on cards, tails.csv
PI_W, PI_USD, PI_CORES = 12, 80, 6


@pytest.fixture(scope="module")
def lab(tmp_path_factory, knowledge):
    """A catalogue folder of three chips, their boards, two networks and eight measurements."""
    root = tmp_path_factory.mktemp("lab")
    for label, text in FILES.items():
        (root / label).parent.mkdir(exist_ok=True)
        (root / label).write_text(text, encoding="utf-8")
    yield root
    knowledge_of.cache_clear()


@pytest.fixture(scope="module")
def labs(lab):
    return knowledge_of((lab,))


def text_of(*, chips="lab-npu", models="labnet", deadline=1000, search="units: [npu]", task="", rest=""):
    task = task or "overhead_ms: 0"
    return PROBLEM.format(chips=chips, models=models, deadline=deadline, search=search, task=task, rest=rest)


def table(labs, **kwargs):
    """Context and candidates of one small problem."""
    problem = parse_problem(text_of(**kwargs), "test", dse.api.vocabulary_of(labs.catalog))
    context = prepare(problem, problem.tasks[0], labs)
    return context, evaluate_all(context)


def rows(labs, **kwargs):
    """The candidates as the CSV has them."""
    context, candidates = table(labs, **kwargs)
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows_of(context, candidates)]


def boards_in(labs, **kwargs):
    return {row["board"] for row in rows(labs, **kwargs)}


@pytest.fixture
def solve(lab, tmp_path):
    """Solve a small problem with the laboratory's folder; verification is inside."""

    def run(**kwargs):
        file = tmp_path / "problem.yaml"
        file.write_text(text_of(**kwargs), encoding="utf-8")
        return dse.solve(load_problem(file, (lab,)), catalogs=(lab,))

    return run


HOSTED = {"lab-stick-2", "lab-stick-3", "lab-hat", "lab-kit"}


def test_without_a_host_a_card_is_a_design_on_boards_that_have_one(labs):
    """The chip and the bare card are none; a board with two chips is never one."""
    context, _ = table(labs)
    assert boards_in(labs) == HOSTED
    assert NO_HOST not in context.space.dropped


def test_with_a_host_the_bare_card_and_the_chip_are_designs(labs):
    """The m2-card is listed in the board files, so the chip is bought as they say and not alone."""
    assert boards_in(labs, rest="host: {owned: true, cpu_cores: 4}") == {*HOSTED, "lab-card"}
    only = 'units: [npu], boards: {exclude: ["lab-card"]}'
    assert boards_in(labs, search=only, rest="host: {owned: true, cpu_cores: 4}") == {*HOSTED, ""}


@pytest.mark.parametrize("host", ["", "host: none", "host: lab-pi"])
@pytest.mark.parametrize(
    ("include", "exclude"),
    [
        ("", ""),
        ("lab-*", ""),
        ("lab-stick-?", ""),
        ("LAB_STICK_3", ""),
        ("lab-hat, lab-small, lab-pi, raspberry-pi-*", ""),
        ("", "lab-*"),
        ("", "*"),
        ("", "raspberry-pi-5-*"),
        ("lab-*", "*-stick-*"),
        ("lab-card", ""),
    ],
)
def test_boards_by_pattern_against_enumeration(labs, host, include, exclude):
    """Every chip with every board of the catalogue, by the sentences of the manual."""
    named = f"include: [{quoted(include)}], " if include else ""
    search = f"units: [npu, cpu], boards: {{{named}exclude: [{quoted(exclude)}]}}"
    catalog, chips = labs.catalog, ("lab-npu", "lab-soc", "raspberry-pi-5")
    expected = set()
    for chip in (catalog.chips[name] for name in chips):
        is_card = chip.form == "m2-card"
        found = {
            board.id
            for board in catalog.boards.values()
            if (board.chip, board.chips_count) == (chip.id, 1)
            and (not include or fits(board.id, include))
            and not fits(board.id, exclude)
            and (not is_card or host or board.cpu_cores or board.host_board)
        }
        listed = chip.form == "devkit" or any(catalog.boards[name].form == chip.form for name in found)
        alone = not include and not (found and listed) and (not is_card or host)
        expected |= {(chip.id, name) for name in found | ({""} if alone else set())}
    where = {"chips": ", ".join(chips), "search": search, "rest": host, "deadline": 60000}
    assert {(row["chip"], row["board"]) for row in rows(labs, **where)} == expected


def quoted(words):
    return ", ".join(f'"{word.strip()}"' for word in words.split(",") if word)


def fits(name, patterns):
    return any(fnmatch(name, word.strip().lower().replace("_", "-")) for word in patterns.split(",") if word)


def test_a_pattern_that_matches_no_board_is_an_error(labs):
    with pytest.raises(
        ProblemError,
        match=r"test:5:37: search\.boards\[0\]: there is no board `lab-stik-3` \(did you mean `lab-stick-3`",
    ):
        table(labs, search="boards: [lab-stik-3]")


def test_a_card_on_no_board_with_a_host_is_an_input_error(labs):
    for search in ('boards: {exclude: ["*"]}', "boards: [lab-card]"):
        with pytest.raises(ProblemError, match="every chip the search admits is a card: lab-npu"):
            table(labs, search=search)


@pytest.mark.parametrize(
    ("board", "power", "price", "cores", "link", "host", "ms"),
    [
        ("lab-stick-2", 4.5 + PI_W, 60 + PI_USD, PI_CORES, "usb 2.0", "lab-pi", 40),
        ("lab-stick-3", 4.75 + PI_W, 65 + PI_USD, PI_CORES, "usb 3.0", "lab-pi", 20),
        ("lab-hat", 4 + PI_W, 70 + PI_USD, PI_CORES, "pcie 2 x1", "lab-pi", 10),
        ("lab-kit", None, 99, 2, "pcie 2 x1", "on the board", 10),
    ],
)
def test_the_design_is_card_and_host_together(solve, board, power, price, cores, link, host, ms):
    """Sums of both, and the one runtime whose link the board has: 40, 20 or 10 ms x 1.6093."""
    result = solve(search=f"units: [npu], boards: [{board}], runtimes: [over-*]")
    assert result.status == "optimal"
    device, task = result.data["devices"][0], result.data["assignments"][0]
    assert (device["chip"], device["board"], device["host"], device["link"]) == ("lab-npu", board, host, link)
    assert (device["power_w"], device["price_usd"]) == (power, price)
    assert result.data["totals"] == {"power_w": power, "price_usd": price}
    assert task["latency"]["worst_case_ms"] == pytest.approx(ms * TAIL, abs=1e-4)
    assert task["latency"]["typical_ms"] == ms


def test_every_way_of_saying_it_names_board_host_and_link(solve, labs):
    """JSON, the candidates' CSV, the designs' CSV and the terminal."""
    from rich.console import Console

    search = "units: [npu], boards: [lab-stick-3], runtimes: [over-*]"
    result = solve(search=search)
    device = json.loads(result.to_json())["devices"][0]
    (row,) = rows(labs, search=search)
    assert [device[name] for name in ("board", "host", "link")] == ["lab-stick-3", "lab-pi", "usb 3.0"]
    assert [row[name] for name in ("board", "host", "link")] == ["lab-stick-3", "lab-pi", "usb 3.0"]
    assert (float(row["power_w"]), float(row["price_usd"]), row["feasible"]) == (16.75, 145, "true")
    assert design_rows(result.data)[0]["board"] == "lab-stick-3"
    assert result.to_frame().board.tolist() == ["lab-stick-3"]
    out = io.StringIO()
    show_answer(result.data, Console(file=out, width=100))
    assert "→ lab-npu on lab-stick-3 · labnet@224" in out.getvalue()
    assert "power 16.8 W, grade C: maximum of the chip (system); price 145 USD: kit, 2026-01" in out.getvalue()


def test_the_candidates_file_is_readable_csv(lab, tmp_path, monkeypatch, capsys):
    """The command line takes the folder, and writes what the table holds."""
    from dse.cli.main import main

    (tmp_path / "p.yaml").write_text(text_of(search="runtimes: [over-*]"), encoding="utf-8")
    arguments = ["candidates", str(tmp_path / "p.yaml"), "--csv", str(tmp_path / "c.csv"), "--catalog", str(lab)]
    monkeypatch.setattr("sys.argv", ["dse", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code
    capsys.readouterr()
    found = list(csv.DictReader((tmp_path / "c.csv").read_text(encoding="utf-8").splitlines()))
    assert {(row["board"], row["host"], row["link"], row["runtime"]) for row in found} >= {
        ("lab-stick-2", "lab-pi", "usb 2.0", "over-usb2"),
        ("lab-stick-3", "lab-pi", "usb 3.0", "over-usb3"),
        ("lab-hat", "lab-pi", "pcie 2 x1", "over-pcie"),
    }


def test_runtimes_run_only_behind_their_link(labs):
    """Three links, three times; a runtime whose link nobody states runs anywhere."""
    found = {(row["board"], row["runtime"]): float(row["typical_ms"]) for row in rows(labs)}
    assert found == {
        ("lab-stick-2", "over-usb2"): 40,
        ("lab-stick-3", "over-usb3"): 20,
        ("lab-hat", "over-pcie"): 10,
        ("lab-kit", "over-pcie"): 10,
        **{(board, "anywhere"): 80 for board in HOSTED},
    }


@pytest.mark.parametrize(
    ("deadline", "boards"),
    [
        (64.3720, {"lab-stick-2", "lab-stick-3", "lab-hat"}),  # 40 x 1.6093 = 64.372
        (64.3719, {"lab-stick-3", "lab-hat"}),
        (32.1860, {"lab-stick-3", "lab-hat"}),
        (32.1859, {"lab-hat"}),
        (16.0930, {"lab-hat"}),
        (16.0929, set()),
    ],
)
def test_a_deadline_tells_the_links_apart(labs, deadline, boards):
    found = rows(labs, search='runtimes: [over-*], boards: {exclude: ["lab-kit"]}', deadline=deadline)
    assert {row["board"] for row in found if row["feasible"] == "true"} == boards


def test_the_cheapest_board_that_meets_the_deadline_wins(solve):
    """One network, so price decides: 140 USD over USB 2; with 50 ms, 145 over USB 3; with 20, 99 on the kit."""
    search = 'units: [npu], runtimes: [over-*], boards: {exclude: ["lab-kit"]}'
    boards = [solve(search=search, deadline=ms).data["devices"][0]["board"] for ms in (100, 50, 20)]
    assert boards == ["lab-stick-2", "lab-stick-3", "lab-hat"]
    kit = solve(search="units: [npu], runtimes: [over-*]", deadline=20).data
    assert kit["devices"][0]["board"] == "lab-kit"
    limited = solve(search="units: [npu], runtimes: [over-*]", deadline=20, rest="limits: {power_w: 30}").data
    assert limited["devices"][0]["board"] == "lab-hat"  # nobody says what the kit draws
    assert solve(search=search, deadline=16).status == "infeasible"


@pytest.mark.parametrize(("limit", "feasible"), [(100, True), (16, True), (15.999, False), (1, False)])
def test_power_of_card_and_host_in_threes(solve, limit, feasible):
    """Hat 4 W + computer 12 W."""
    found = solve(search="boards: [lab-hat], runtimes: [over-*]", rest=f"limits: {{power_w: {limit}}}")
    assert found.status == ("optimal" if feasible else "infeasible")


@pytest.mark.parametrize(("limit", "feasible"), [(1000, True), (150, True), (149.99, False)])
def test_price_of_card_and_host_in_threes(solve, limit, feasible):
    """Hat 70 USD + computer 80 USD."""
    found = solve(search="boards: [lab-hat], runtimes: [over-*]", rest=f"limits: {{price_usd: {limit}}}")
    assert found.status == ("optimal" if feasible else "infeasible")


@pytest.mark.parametrize(
    ("limit", "feasible"), [("[0, 50]", True), ("[10, 40]", True), ("[-1, 50]", False), ("[0, 51]", False)]
)
def test_temperatures_of_card_and_host_in_threes(solve, limit, feasible):
    """The stick stands -20 to 70 °C, the computer 0 to 50."""
    found = solve(search="boards: [lab-stick-3], runtimes: [over-*]", rest=f"limits: {{ambient_c: {limit}}}")
    assert found.status == ("optimal" if feasible else "infeasible")


@pytest.mark.parametrize("stages", [5, 6])
def test_the_cores_are_those_of_the_host(labs, stages):
    """Six cores less one in reserve: five stages have one each, six run in series with the network."""
    text = ", ".join(f"{{name: s{k}, on: cpu, time_ms: 7}}" for k in range(stages))
    search = "boards: [lab-hat], runtimes: [over-*]"
    (plain,) = rows(labs, search=search)
    (staged,) = rows(labs, search=search, task=f"stages: [{text}, {{name: infer}}]")
    in_series = float(staged["utilization"]) > float(plain["utilization"])
    assert in_series is (stages == 6)


def test_a_named_host_is_added_to_a_bare_card(labs, solve):
    """Card 3.5 W and 55 USD; the Raspberry Pi 5 of the shipped files, whatever they say of it today."""
    pi = labs.catalog.boards["raspberry-pi-5-8gb"]
    kwargs = {"search": "boards: [lab-card], runtimes: [over-*]", "rest": "host: raspberry-pi-5-8gb"}
    device = solve(**kwargs).data["devices"][0]
    assert (device["board"], device["host"], device["link"]) == (
        "lab-card",
        "raspberry-pi-5-8gb",
        "pcie 2 x1",
    )  # the slot of the Pi
    assert device["power_w"] == pytest.approx(3.5 + sustained_w(pi.power)[0])
    assert device["price_usd"] == pytest.approx(55 + pi.latest_price.usd)
    context, _ = table(labs, **kwargs)
    assert set(context.resources.cores_left.tolist()) == {pi.cpu_cores - 1}
    own = solve(search="boards: [lab-card], runtimes: [over-*]", rest="host: {owned: true, cpu_cores: 3}")
    assert own.data["devices"][0] | {"power_w": 3.5, "price_usd": 55, "host": "owned"} == own.data["devices"][0]


def test_a_named_host_adds_nothing_to_a_card_that_has_one(labs):
    """The stick keeps its own computer: the host of the problem is for cards without."""
    kwargs = {"search": "boards: [lab-stick-3], runtimes: [over-*]"}
    (alone,), (beside,) = rows(labs, **kwargs), rows(labs, rest="host: raspberry-pi-5-8gb", **kwargs)
    assert beside == alone


def test_the_same_card_in_the_same_computer_is_the_same_by_either_road(labs):
    """A hat with `host: {board: lab-pi}` or a bare card with `host: lab-pi`: what differs is the card alone."""
    (hat,) = rows(labs, search="boards: [lab-hat], runtimes: [over-*]")
    (card,) = rows(labs, search="boards: [lab-card], runtimes: [over-*]", rest="host: lab-pi")
    assert float(hat["power_w"]) - 4 == float(card["power_w"]) - 3.5 == PI_W
    assert float(hat["price_usd"]) - 70 == float(card["price_usd"]) - 55 == PI_USD
    assert hat["host"] == card["host"] == "lab-pi"


@pytest.mark.parametrize(
    ("host", "match"), [("lab-stick-3", "has no CPU of its own"), ("lab-py", "did you mean `lab-pi`")]
)
def test_a_host_that_is_no_computer(labs, host, match):
    with pytest.raises(ProblemError, match=match):
        table(labs, rest=f"host: {host}")


@pytest.mark.parametrize(
    ("board", "runtime", "watts"),
    [
        ("", "labrt", 1.5),  # measured at the rail of the chip, and the chip alone is the design
        ("lab-small", "labrt", 8),  # the board's maximum: the rail says nothing of it
        ("lab-large", "labrt", 9),
        ("", "meter", 6.5),
        ("lab-small", "meter", 6.5),  # measured at a whole board
    ],
)
def test_power_of_a_chip_is_not_that_of_a_board(labs, board, runtime, watts):
    found = rows(labs, chips="lab-soc", search=f"units: [npu], runtimes: [{runtime}]")
    assert {float(row["power_w"]) for row in found if row["board"] == board} == {watts}


def test_power_measured_at_a_card_is_not_that_of_its_computer(labs):
    """2.5 W at the module and 2.6 at the card's board are not used; 9.5 W of the whole system is."""
    found = {(row["board"], row["runtime"]): row["power_w"] for row in rows(labs)}
    assert found["lab-stick-2", "over-usb2"] == "16.5"
    assert found["lab-stick-3", "over-usb3"] == "16.75"
    assert found["lab-kit", "over-pcie"] == ""  # its own power is stated nowhere
    assert {found[board, "anywhere"] for board in HOSTED} == {"9.5"}


def test_power_of_ones_own_is_that_of_the_chip(labs):
    """Whatever the rows of the catalogue say: `known` does not tell where the meter was."""
    known = "{model: labnet, chip: lab-soc, precision: int8, latency_ms: 4, power_w: 1.25}"
    found = rows(labs, chips="lab-soc", rest=f"known: [{known}]")
    assert {row["board"]: row["power_w"] for row in found} == {"": "1.25", "lab-small": "8", "lab-large": "9"}
    everywhere = np.full_like(labs.catalog.measurements.power_boundary, "system")
    measurements = replace(labs.catalog.measurements, power_boundary=everywhere)
    others = replace(labs, catalog=replace(labs.catalog, measurements=measurements))
    assert rows(others, chips="lab-soc", rest=f"known: [{known}]") == found


def test_memory_of_a_board_decides_what_fits(labs):
    """600 MB less 500 in reserve: 100 MB just fit, 100.001 do not; 2 GB hold both."""
    kwargs = {"chips": "lab-soc", "models": "labnet, labbig", "search": "runtimes: [labrt]"}
    found = {(row["board"], row["model"]): row for row in rows(labs, **kwargs) if row["grade"] in "AB"}
    assert {key: row["violated"] for key, row in found.items()} == {
        ("", "labnet"): "",
        ("", "labbig"): "",
        ("lab-small", "labnet"): "",
        ("lab-small", "labbig"): "memory capacity",
        ("lab-large", "labnet"): "",
        ("lab-large", "labbig"): "",
    }


def test_the_larger_board_is_bought_for_the_larger_network(solve):
    """The larger is more accurate and fits on the dearer board alone."""
    kwargs = {"chips": "lab-soc", "search": "boards: [lab-small, lab-large], runtimes: [labrt]"}
    both = solve(models="labnet, labbig", **kwargs).data
    assert (both["devices"][0]["board"], both["assignments"][0]["model"]) == ("lab-large", "labbig")
    small = solve(models="labnet", **kwargs).data
    assert (small["devices"][0]["board"], small["devices"][0]["price_usd"]) == ("lab-small", 30)
    unfit = solve(models="labbig", chips="lab-soc", search="boards: [lab-small], runtimes: [labrt]").data
    assert (unfit["status"], unfit["killed_by"]["memory capacity"]["alone"] > 0) == ("infeasible", True)


def test_a_microcontroller_on_a_board_keeps_its_memory(labs):
    """8 MB on the board, 3.5 MB of weights: no Linux takes 500 MB of them."""
    context, candidates = table(labs, chips="lab-mcu", search="units: [mcu], boards: [lab-dot]", deadline=60000)
    assert len(candidates) > 0
    assert "memory capacity" not in broken(context, candidates)
    spare = context.resources.capacity_mb - context.resources.least_memory_mb
    assert set(context.resources.capacity_mb.tolist()) == {8}
    assert spare.tolist() == pytest.approx([8 - 3.5 - 0.25 * 6.7])


def test_chips_on_no_board_of_the_search_are_counted(solve, labs):
    """The Raspberry Pi and the accelerator have a board that is named, the SoC has none."""
    kwargs = {"chips": "lab-npu, lab-soc, raspberry-pi-5", "search": "boards: [lab-pi, lab-hat]", "deadline": 60000}
    context, _ = table(labs, **kwargs)
    assert context.space.names[NO_BOARD] == {"lab-soc"}
    assert context.space.dropped[NO_BOARD] == 1
    data = solve(**kwargs).data
    assert "1 chip dropped: on no board that the search takes" in data["headline"]
    assert data["dropped_chips"][NO_BOARD] == ["lab-soc"]
    assert data["dropped"][NO_BOARD] == 1
    assert NO_BOARD not in solve(chips="lab-soc", search="units: [npu]").data["dropped"]


def test_a_chip_whose_link_no_board_has_is_on_none(labs):
    """Only the USB 2 runtime is admitted and only the hat: nothing is left, and it is said why."""
    context, candidates = table(labs, search="boards: [lab-hat], runtimes: [over-usb2]")
    assert len(candidates) == 0
    assert context.space.names[NO_BOARD] == {"lab-npu"}


def test_boards_multiply_runs_and_change_nothing_else(labs):
    """Each run of the chip alone stands once more on each board, with the same times."""
    kwargs = {"chips": "lab-soc", "models": "'*'", "deadline": 60000}
    context, candidates = table(labs, **kwargs)
    alone, only = table(labs, **kwargs | {"search": 'units: [npu], boards: {exclude: ["*"]}'})
    assert len(candidates) == 3 * len(only) > 0
    of = context.lanes.board[context.runs.lane[candidates.run]]
    for board in ("", "lab-small", "lab-large"):
        part = candidates.worst_case_ms[of == board]
        assert np.array_equal(np.sort(part), np.sort(only.worst_case_ms))
    assert set(alone.lanes.board.tolist()) == {""}


def test_limits_of_a_chip_see_the_board(labs):
    """`chip.` attributes are those of what is bought."""
    limit = "limits: {chip.memory.capacity_gb: {min: 1}}"
    found = rows(labs, chips="lab-soc", search="runtimes: [labrt]", rest=limit)
    assert {row["board"] for row in found if row["feasible"] == "true"} == {"", "lab-large"}
