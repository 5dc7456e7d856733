"""``dse compare`` and ``dse ask``: files, streams and exit codes."""

from __future__ import annotations

import csv
import json

import pytest

from dse.report.compare_table import EVIDENCE, HEADER

CHIPS = "rk3588,jetson-orin-nx-16gb,jetson-agx-xavier,jetson-agx-orin-64gb,hailo-8,bm1684"
LOCK = """\
tasks:
  - {name: look, task: image-classification, rate_hz: 10, deadline_ms: 100, overhead_ms: 10, min_accuracy: %s}
search: {chips: [rk3588, jetson-nano, esp32-s3], boards: {exclude: ["*"]}}
limits: {power_w: 12}
procurement: {quantity: 10, years: 2, energy_usd_per_kwh: 0.1, discount_rate: 0.25}
baseline: {chip: jetson-nano, model: resnet50, precision: fp16, owned: true}
scoring: {weights: {accuracy: 2, cost_usd: 1}}
"""


@pytest.fixture
def recorder(dse, problems):
    files = ("--csv", "c.csv", "--md", "c.md")
    return dse("compare", problems / "surveillance.yaml", "--chips", CHIPS, *files, "--json")


@pytest.fixture
def locks(tmp_path):
    (tmp_path / "lock.yaml").write_text(LOCK % 70, encoding="utf-8")
    (tmp_path / "gate.yaml").write_text(LOCK % 99, encoding="utf-8")
    return tmp_path


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_chip_has_one_row_with_its_standing(recorder, tmp_path):
    """Six chips, six rows: with a design, too dear, too slow, too inaccurate, without a figure."""
    assert recorder.code == 0
    (comparison,) = recorder.data["comparisons"]
    rows = {row["chip"]: row for row in comparison["rows"]}
    assert sorted(rows) == sorted(CHIPS.split(","))
    assert comparison["winner"] == "jetson-orin-nx-16gb"
    assert [row["rank"] for row in comparison["rows"] if row["rank"]] == [1, 2]
    assert [item["limit"] for item in rows["jetson-agx-orin-64gb"]["breaks"]] == ["price_usd"]
    assert "min_accuracy" in [item["limit"] for item in rows["rk3588"]["breaks"]]
    assert rows["hailo-8"]["status"] == "no design"
    assert rows["hailo-8"]["accuracy"] is None
    table = read(tmp_path / "c.csv")
    assert tuple(table[0]) == HEADER
    assert [row["chip"] for row in table] == [row["chip"] for row in comparison["rows"]]
    assert [row["cost_usd"] == "" for row in table] == [row["cost_usd"] is None for row in comparison["rows"]]
    with (tmp_path / "c.evidence.csv").open(encoding="utf-8", newline="") as file:
        assert tuple(next(csv.reader(file))) == EVIDENCE


def test_unknown_figures_are_words_or_empty_and_never_nought(recorder, tmp_path):
    """No figure of a row without a design is 0, in no file."""
    (empty,) = [row for row in read(tmp_path / "c.csv") if row["status"] == "no design"]
    assert {empty[name] for name in ("accuracy", "worst_case_ms", "power_w", "price_usd", "cost_usd")} == {""}
    text = (tmp_path / "c.md").read_text(encoding="utf-8")
    assert "hailo-8" in text
    assert "| 0 |" not in text


def test_rows_that_do_not_mean_the_same_say_in_what(recorder):
    rows = {row["chip"]: row for row in recorder.data["comparisons"][0]["rows"]}
    assert rows["jetson-orin-nx-16gb"]["comparable"] is True
    assert rows["jetson-agx-xavier"]["comparable"] is False
    assert rows["jetson-agx-xavier"]["differs_in"] == ["price: module against kit"]
    assert rows["hailo-8"]["comparable"] is None


def test_the_same_input_gives_the_same_bytes(dse, problems, tmp_path):
    arguments = (
        "compare",
        problems / "surveillance.yaml",
        "--chips",
        "rk3588,hailo-8",
        "--csv",
        "c.csv",
        "--md",
        "c.md",
    )
    dse(*arguments)
    first = [(tmp_path / name).read_bytes() for name in ("c.csv", "c.md", "c.evidence.csv")]
    dse(*arguments)
    assert [(tmp_path / name).read_bytes() for name in ("c.csv", "c.md", "c.evidence.csv")] == first


def test_costs_and_scores_of_a_small_comparison(dse, locks):
    """Energy of 10 systems over two years at 25 %: 8.76 kWh a watt and year at 0.1 USD, times 4/5 + 16/25."""
    (comparison,) = dse("compare", "lock.yaml", "--json").data["comparisons"]
    for row in comparison["rows"]:
        if row["power_w"] is not None:
            assert row["energy_usd"] == pytest.approx(10 * row["power_w"] * 8.76 * 0.1 * 1.44)
    assert comparison["scoring"]["winner"] in {row["chip"] for row in comparison["rows"]}
    assert {one["figure"] for one in comparison["scoring"]["stability"]} == {"accuracy", "cost_usd"}


def test_what_is_in_use_is_always_a_row(dse, locks):
    """The baseline is owned: neither its price nor work is paid, its energy is."""
    rows = dse("compare", "lock.yaml", "--chips", "rk3588", "--json").data["comparisons"][0]["rows"]
    (used,) = [row for row in rows if row["kind"] == "baseline"]
    assert (used["chip"], used["model"], used["reason"]) == ("jetson-nano", "resnet50", "owned")
    assert used["fleet_price_usd"] == 0
    assert used["cost_usd"] == used["energy_usd"]


def test_one_chip_for_a_line_of_products(dse, locks):
    """At 99 points no chip serves the gate, so none serves both."""
    found = dse("compare", "lock.yaml", "gate.yaml", "--json")
    assert found.code == 0
    line = found.data["line"]
    assert line["one_for_all"] is None
    assert {tuple(entry["serves"]) for entry in line["chips"]} == {("lock.yaml",)}
    assert "no chip has a design for all 2 problems" in line["text"]


def test_no_design_at_all_ends_with_three(dse, locks):
    found = dse("compare", "gate.yaml")
    assert found.code == 3
    assert "infeasible" in found.out
    assert "✗" in found.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--chips", "rk3589"), "did you mean"),
        (("--at", "same-model", "--model", "no-such"), "is no network of the task look"),
        (("--accuracy", "70"), "goes with same-accuracy alone"),
        (("--at", "same-accuracy", "--accuracy", "170"), "at most 100"),
        (("--csv", "nowhere/c.csv"), "there is no folder"),
        (("--csv", "a.csv", "--md", "a.csv"), "another option writes the same file"),
        (("--md", "lock.yaml"), "is the problem file"),
    ],
)
def test_what_cannot_be_asked_is_refused(dse, locks, words, said):
    found = dse("compare", "lock.yaml", *words)
    assert found.code == 2
    assert said in found.err
    assert found.out == ""


def test_questions_come_with_forms_that_read_back(dse, problems, tmp_path):
    """The form for suppliers has the columns of quotations, and tells no supplier which price would win."""
    chips = (problems / "surveillance.yaml").read_text(encoding="utf-8") + f"search: {{chips: [{CHIPS}]}}\n"
    (tmp_path / "p.yaml").write_text(chips, encoding="utf-8")
    found = dse("ask", "p.yaml", "--csv", "q.csv", "--json")
    assert found.code == 0
    questions = found.data["questions"]
    assert [row["figure"] for row in questions if row["chip"] == "jetson-agx-orin-64gb"][:1] == ["price_usd"]
    form = read(tmp_path / "q.quotes.csv")
    assert {"jetson-agx-orin-64gb-module", "seeed-recomputer-j4012"} == {row["item"] for row in form}
    assert not any("1500" in cell or "999" in cell for row in form for cell in row.values())
    bench = read(tmp_path / "q.measurements.csv")
    assert all(row["time_ms_per_item"] == "" and row["quantity"] == "latency" for row in bench)
    assert json.dumps(found.data)


def test_a_form_for_the_bench_reads_back(dse, locks, tmp_path):
    """Of the runs asked for one is measured: the others are skipped, and the one counts as measured."""
    assert dse("ask", "lock.yaml", "--csv", "q.csv").code == 0
    form = tmp_path / "q.measurements.csv"
    rows = read(form)
    assert len(rows) > 1
    rows[0] |= {"time_ms_per_item": "9.5", "statistic": "mean", "boundary": "host", "source_repo": "our bench"}
    with form.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    found = dse("catalog", "add-measurements", "q.measurements.csv", "--into", "mine", "--json")
    assert found.code == 0, found.err
    assert len(found.data["measurements"]) == 1
    assert found.data["measurements"][0]["measured_ms"] == 9.5
    kept = read(tmp_path / "mine" / "measurements" / "q.measurements.csv")
    assert [row["time_ms_per_item"] for row in kept] == ["9.5"]


def test_an_empty_form_holds_no_measurement(dse, locks):
    assert dse("ask", "lock.yaml", "--csv", "q.csv").code == 0
    found = dse("catalog", "add-measurements", "q.measurements.csv")
    assert found.code == 2
    assert "no measurement that can be used" in found.err


def test_a_quotation_as_low_as_asked_makes_the_loser_win(dse, problems, tmp_path):
    """The price a loser is told to need does win, and a cent above it does not: solved again with both."""
    text = (problems / "surveillance.yaml").read_text(encoding="utf-8") + f"search: {{chips: [{CHIPS}]}}\n"
    text = text.replace("price_usd: 1500", "price_usd: 2000")
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    rows = dse("compare", "p.yaml", "--at", "same-accuracy", "--json").data["comparisons"][0]["rows"]
    loser = next(row for row in rows if row["rank"] is None and row["wins_at_price_usd"])
    floor = min(row["accuracy_low"] for row in rows if row["rank"])
    text = text.replace("min_accuracy: 40", f"min_accuracy: {floor}")
    text += "procurement: {quotes: q.csv}\nobjectives: [{minimize: price_usd}, {minimize: power_w}]\n"
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    winners = []
    for price in (loser["wins_at_price_usd"], loser["wins_at_price_usd"] + 0.01):
        item = loser["board"] or loser["chip"]
        line = f"{item},us,,{price:.2f},,,,,\n"
        head = "item,supplier,mpn,price,currency,moq,quantity_from,lead_time_weeks,valid_until\n"
        (tmp_path / "q.csv").write_text(head + line, encoding="utf-8")
        winners.append(dse("solve", "p.yaml", "--json").data["devices"][0]["chip"] == loser["chip"])
    assert winners == [True, False]


@pytest.mark.parametrize("command", ["compare", "ask", "pareto", "solve"])
def test_nothing_is_written_over_what_is_read(dse, locks, tmp_path, command):
    """The quotations a problem names and the files of the user's catalogue are inputs like the problem file."""
    head = "item,supplier,mpn,price,currency,moq,quantity_from,lead_time_weeks,valid_until\n"
    (tmp_path / "q.csv").write_text(head, encoding="utf-8")
    chips = tmp_path / "mine" / "chips"
    chips.mkdir(parents=True)
    (chips / "extra.yaml").write_text("- {id: rk3588, cpu_cores: 8}\n", encoding="utf-8")
    text = (LOCK % 70).replace("quantity: 10", "quotes: q.csv, quantity: 10") + "catalogs: [mine]\n"
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    for target, what in (("q.csv", "is the file of quotations"), ("mine/chips/extra.yaml", "is the catalogue file")):
        before = (tmp_path / target).read_bytes()
        found = dse(command, "p.yaml", "--csv", target)
        assert found.code == 2
        assert what in found.err
        assert (tmp_path / target).read_bytes() == before


def test_a_mode_that_a_better_one_of_its_board_beats_wins_at_no_price(dse, problems):
    """All modes of a board cost the same: where accuracy comes first, a slower mode is never chosen for its price."""
    found = dse("compare", problems / "surveillance.yaml", "--each", "mode", "--chips", "jetson-orin-nx-16gb", "--json")
    rows = [row for row in found.data["comparisons"][0]["rows"] if row["rank"]]
    best = {row["board"]: row["accuracy"] for row in reversed(rows)}
    worse = [row for row in rows if row["accuracy"] < best[row["board"]] - 0.1]
    assert worse
    assert all(row["wins_at_price_usd"] is None and row["wins_at_text"].startswith("at no price") for row in worse)
