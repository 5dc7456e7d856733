"""``dse catalog add-measurements``: measurements of one's own are weighed first, and kept whole or not at all.

All but the template's own test run over a small catalogue of three chips and six networks: every figure is known.
"""

from __future__ import annotations

import csv
import json
import os

import pytest

from dse import addition
from dse.api import knowledge_of

WORK = {"net-a": 0.3, "net-b": 0.5, "net-c": 1.0, "net-d": 2.0, "net-e": 4.0, "net-f": 8.0}
ACCURACY = {"net-a": 60, "net-b": 64, "net-c": 68, "net-d": 72, "net-e": 76, "net-f": 80}
CHIPS = """\
- {id: old-chip, vendor: A, class: camera-soc, form: soc, cpu_cores: 4, power: {max_w: 5},
   units: [{id: npu, peak_tops: {int8: 4}, precisions: [int8]}, {id: cpu, precisions: [int8]}],
   modes: [{id: fast, reference: true}, {id: slow, compute_scale: 0.5}],
   prices: [{usd: 40, quantity: 1, date: 2026-01, kind: chip}]}
- {id: other-chip, vendor: B, class: camera-soc, form: soc, cpu_cores: 4, power: {max_w: 6},
   units: [{id: npu, peak_tops: {int8: 2}, precisions: [int8]}],
   prices: [{usd: 50, quantity: 1, date: 2026-01, kind: chip}]}
- {id: new-chip, vendor: C, class: camera-soc, form: soc, cpu_cores: 4, power: {max_w: 4},
   units: [{id: npu, peak_tops: {int8: 8}, precisions: [int8]}],
   prices: [{usd: 30, quantity: 1, date: 2026-01, kind: chip}]}
"""
HEADER = (
    "chip,mode,unit,cores,runtime,model,input_h,input_w,precision,batch,quantity,time_ms_per_item,statistic,boundary,"
    "source_repo"
)
ROW = "{chip},{mode},{unit},,rt,{model},224,224,int8,1,{quantity},{ms},mean,chip,lab"
PROBLEM = """\
version: 1
name: Which chip
tasks:
  - {name: see, task: image-classification, rate_hz: 1, deadline_ms: DEADLINE, overhead_ms: 0}
"""


def line(chip="new-chip", model="net-a", ms=1.0, mode="", unit="npu", quantity="latency"):
    return ROW.format(chip=chip, model=model, ms=ms, mode=mode, unit=unit, quantity=quantity)


def law(model, scale):
    """The time of a unit that keeps the law of the field, `scale` ms for 1 GMAC."""
    return round(scale * WORK[model] ** 0.75, 4)


def speeds(*lines):
    return "\n".join((HEADER, *lines)) + "\n"


FILES = {
    "chips/a.yaml": CHIPS,
    "models/models.csv": "id,weights,family,task,dataset,metric,input_h,input_w,params_m,gmacs,activations_m,source\n"
    + "".join(f"{m},v1,f,image-classification,imagenet-1k,top1,224,224,{3 * g},{g},5,lab\n" for m, g in WORK.items()),
    "models/accuracies.csv": "id,weights,dataset,metric,input_h,input_w,precision,toolchain,accuracy,accuracy_source\n"
    + "".join(f"{m},v1,imagenet-1k,top1,224,224,int8,t,{figure},lab\n" for m, figure in ACCURACY.items()),
    "measurements/a.csv": speeds(
        *(line("old-chip", model, law(model, 10)) for model in WORK if model != "net-c"),
        *(line("other-chip", model, law(model, 30)) for model in WORK),
    ),
    "tails.csv": "class,p999_over_mean,p99_over_mean,stall_ms,grade,source\n"
    "soc-npu,1.5,1.2,,E,assumed\ncpu-arm,2,1.5,,E,assumed\n",
    "toolchains.csv": "pattern,group\nt*,t\n",
}
NEWS = speeds(*(line("new-chip", model, law(model, 5)) for model in ("net-a", "net-c", "net-e")))


@pytest.fixture
def small(tmp_path, monkeypatch, dse):
    """The command over the small catalogue, in place of the one that comes with dse."""
    root = tmp_path / "shipped"
    for label, text in FILES.items():
        (root / label).parent.mkdir(parents=True, exist_ok=True)
        (root / label).write_text(text, encoding="utf-8")
    monkeypatch.setattr("dse.estimate.store.shipped_root", lambda: root)
    monkeypatch.setenv("DSE_CACHE_DIR", str(tmp_path / "cache"))
    knowledge_of.cache_clear()
    yield lambda *arguments: dse("catalog", "add-measurements", *arguments)
    knowledge_of.cache_clear()


@pytest.fixture
def write(tmp_path):
    def run(name, text):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return run


def cells(file):
    return list(csv.reader(file.read_text(encoding="utf-8").splitlines()))


def test_the_template_is_written_once(dse, tmp_path):
    written = dse("catalog", "add-measurements", "runs.csv", "--template")
    assert (written.code, written.err) == (0, "")
    assert written.out == "wrote runs.csv: replace the example row with your own\n"
    assert (tmp_path / "runs.csv").read_text(encoding="utf-8") == addition.template()
    (tmp_path / "runs.csv").write_text("mine", encoding="utf-8")
    refused = dse("catalog", "add-measurements", "runs.csv", "--template")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "error: runs.csv exists; the template is not written over it\n"
    assert (tmp_path / "runs.csv").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(("name", "match"), [("no/runs.csv", "cannot be written: no such file"), (".", "exists")])
def test_a_template_that_cannot_be_written(dse, name, match):
    refused = dse("catalog", "add-measurements", name, "--template")
    assert (refused.code, refused.out) == (2, "")
    assert match in refused.err


def test_the_row_of_the_template_is_accepted(dse, tmp_path):
    """The example is a row one could send: over the shipped catalogue, no fault and no key unknown."""
    dse("catalog", "add-measurements", "runs.csv", "--template")
    outcome = dse("catalog", "add-measurements", "runs.csv", "--json")
    knowledge_of.cache_clear()
    assert outcome.code == 0
    (one,) = outcome.data["measurements"]
    assert (one["where"], one["model"], one["input_h"]) == ("rk3588 npu 1 cores rknn-1core int8", "mobilenet_v2", 224)
    assert one["measured_ms"] == 2.1
    assert one["estimated_ms"] > 0
    assert not (tmp_path / "measurements").exists()


def test_json_has_everything_by_name(small, write):
    """What was measured, what it changes, who wins: `null` where nothing was known."""
    file, problem = write("runs.csv", NEWS), write("p.yaml", PROBLEM.replace("DEADLINE", "40"))
    outcome = small(file, "--problem", problem, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    found = outcome.data
    assert set(found) == {"measurements", "estimates", "winners", "warnings"}
    assert found["measurements"][0] == {
        "where": "new-chip npu rt int8", "model": "net-a", "input_h": 224, "input_w": 224,
        "measured_ms": law("net-a", 5), "estimated_ms": None, "low_ms": None, "high_ms": None, "grade": None,
        "ratio": None, "inside": None,
    }  # fmt: skip
    assert set(found["estimates"][0]) == {
        "where", "networks", "new", "time_factor", "interval_before", "interval_after"
    }  # fmt: skip
    (winner,) = found["winners"]
    assert set(winner) == {"problem", "changed", "before", "after"}
    assert winner["problem"] == str(problem)
    assert set(winner["before"]) == set(winner["after"]) == {
        "status", "chip", "board", "mode", "unit", "runtime", "model", "weights", "input_h", "input_w", "precision",
        "batch", "accuracy", "worst_case_ms", "grade",
    }  # fmt: skip


def test_a_measurement_near_its_estimate_narrows_or_keeps(small, write):
    """Network c in 10.4 ms where the law of the unit says 10: inside, no warning, and no interval gets wider."""
    found = small(write("runs.csv", speeds(line("old-chip", "net-c", 10.4))), "--json").data
    (one,) = found["measurements"]
    assert one["estimated_ms"] == pytest.approx(10, rel=0.05)
    assert one["low_ms"] < 10.4 < one["high_ms"]
    assert (one["grade"], one["inside"], found["warnings"]) == ("C", True, [])
    for shift in found["estimates"]:
        assert shift["new"] == 0
        assert shift["interval_after"] <= shift["interval_before"]


@pytest.mark.parametrize(("ms", "words"), [(200, "20.* times"), (0.5, "1/20.* of")])
def test_a_measurement_twenty_times_off_is_doubted_and_named(small, write, ms, words):
    """Still an answer: the warning goes to stderr, and into JSON."""
    file = write("runs.csv", speeds(line("old-chip", "net-c", ms), line("old-chip", "net-d", law("net-d", 10))))
    outcome = small(file)
    assert outcome.code == 0
    (warning,) = [text for text in outcome.err.splitlines() if "check unit" in text]
    assert warning.startswith(f"warning: old-chip fast npu rt int8 net-c@224x224: {ms} ms is ")
    assert "what was known, " in warning
    assert warning.endswith("check unit, batch and boundary")
    listed = small(file, "--json").data
    assert [f"warning: {text}" for text in listed["warnings"] if "check unit" in text] == [warning]
    assert any("net-d@224x224" in text and "is in the catalogue already" in text for text in listed["warnings"])
    ratio = listed["measurements"][0]["ratio"]
    assert ratio == pytest.approx(ms / 10, rel=0.05)
    assert listed["measurements"][0]["inside"] is False
    assert f"{ratio:.1f} times" in warning if ms > 10 else f"1/{1 / ratio:.1f} of" in warning


def test_a_unit_is_calibrated_after_three_networks(small, write):
    """Beside the three, the other three networks are estimated on a chip nobody had measured, at grade C."""
    found = small(write("runs.csv", NEWS), "--json").data
    of_unit = next(one for one in found["estimates"] if one["where"] == "new-chip npu rt int8")
    assert (of_unit["networks"], of_unit["new"]) == (3, 3)
    assert (of_unit["time_factor"], of_unit["interval_before"]) == (None, None)
    assert of_unit["interval_after"] > 1
    after = knowledge_of((write("runs.csv", NEWS),)).speeds
    row = after.calibrations.chip.tolist().index("new-chip")
    assert ["ABCDE"[after.grade[row, net]] for net in (1, 3, 5)] == ["C", "C", "C"]  # b, d and f, estimated
    assert after.typical_ms[row, 1] == pytest.approx(law("net-b", 5), rel=0.1)


def test_the_winner_changes_and_is_named_before_and_after(small, write):
    """40 ms: the old chip runs net-c or net-d in time; the new one, twice as fast and cheaper, a larger network."""
    file, problem = write("runs.csv", NEWS), write("p.yaml", PROBLEM.replace("DEADLINE", "40"))
    (winner,) = small(file, "--problem", problem, "--json").data["winners"]
    assert winner["changed"] is True
    assert (winner["before"]["chip"], winner["after"]["chip"]) == ("old-chip", "new-chip")
    assert winner["after"]["accuracy"] > winner["before"]["accuracy"]
    assert winner["before"]["worst_case_ms"] <= 40
    assert winner["after"]["worst_case_ms"] <= 40
    shown = small(file, "--problem", problem)
    row = next(text for text in shown.out.splitlines() if text.startswith(str(problem)))
    _, before, after = row.split("\t")
    assert before.startswith("old-chip fast, net-")
    assert "@224x224 int8 on npu, rt, " in before
    assert after.startswith("new-chip, net-")


def test_the_winner_stays_where_the_new_chip_is_slow(small, write):
    """Three times slower than the old one, and dearer limits: nothing to gain, and it is said so."""
    slow = speeds(*(line("new-chip", model, law(model, 300)) for model in ("net-a", "net-c", "net-f")))
    problems = [write(f"p{ms}.yaml", PROBLEM.replace("DEADLINE", str(ms))) for ms in (40, 1)]
    arguments = [part for problem in problems for part in ("--problem", problem)]
    found = small(write("runs.csv", slow), *arguments, "--json").data["winners"]
    assert [one["changed"] for one in found] == [False, False]
    assert found[0]["before"] == found[0]["after"]
    assert found[1]["before"]["status"] == found[1]["after"]["status"] == "infeasible"
    assert found[1]["before"]["chip"] is None


def test_a_first_design_and_another_runtime_are_changes(small, write):
    """From infeasible to an answer; and the same network on the same chip, run by something else."""
    fast = speeds(*(line("old-chip", model, law(model, 1)).replace(",rt,", ",rt2,") for model in WORK))
    tight, wide = (write(f"p{ms}.yaml", PROBLEM.replace("DEADLINE", str(ms))) for ms in (3, 5000))
    found = small(write("runs.csv", fast), "--problem", tight, "--problem", wide, "--json").data["winners"]
    assert (found[0]["before"]["status"], found[0]["after"]["status"]) == ("infeasible", "optimal")
    assert found[0]["changed"] is True
    before, after = found[1]["before"], found[1]["after"]
    assert before["model"] == after["model"] == "net-f"
    assert found[1]["changed"] is (before["chip"] != after["chip"] or before["runtime"] != after["runtime"])
    assert (before["runtime"], after["runtime"]) == ("rt", "rt2")


def test_into_creates_appends_and_never_repeats(small, write, tmp_path):
    """Twice the same file is once its rows; a longer one adds what is new, columns too; then dse reads the folder."""
    mine, file = tmp_path / "mine", write("runs.csv", NEWS)
    kept = mine / "measurements" / "runs.csv"
    first = small(file, "--into", mine)
    assert first.code == 0
    assert f"kept in {kept}; use them with `--catalog {mine}`" in first.err
    assert kept.read_text(encoding="utf-8") == NEWS
    assert small(file, "--into", mine).code == 0
    assert kept.read_text(encoding="utf-8") == NEWS
    header, *rows = NEWS.splitlines()
    more = [f"{header},notes", f"{rows[1].replace(',mean,', ' , mean ,')},", f"{line(model='net-b', ms=3)},warm"]
    assert small(write("runs.csv", "\ufeff" + "\r\n".join(more) + "\r\n"), "--into", mine).code == 0
    assert cells(kept) == [
        [*HEADER.split(","), "notes"],
        *([*row.split(","), ""] for row in rows),
        [*line(model="net-b", ms=3).split(","), "warm"],
    ]
    other = write("more.csv", speeds(line("old-chip", "net-c", 10)))
    assert small(other, "--into", mine, "--catalog", mine, "--json").code == 0
    assert sorted(path.name for path in kept.parent.iterdir()) == ["more.csv", "runs.csv"]
    assert len(knowledge_of((mine,)).catalog.measurements.chip) == 11 + 4 + 1


def test_without_into_nothing_is_kept(small, write, tmp_path):
    file = write("runs.csv", NEWS)
    before = sorted(path for path in tmp_path.rglob("*") if "cache" not in path.parts)
    outcome = small(file)
    assert outcome.err == "nothing is kept: add `--into DIR` for that\n"
    assert "3 new measurements" in outcome.out
    assert sorted(path for path in tmp_path.rglob("*") if "cache" not in path.parts) == before


def test_an_edited_file_is_weighed_anew_in_the_same_session(small, write):
    counts = [len(small(write("runs.csv", text), "--json").data["measurements"]) for text in (NEWS, NEWS + line())]
    assert counts == [3, 4]


def test_a_file_is_kept_under_a_name_that_is_read(small, write, tmp_path):
    """RUNS.CSV is taken, and would be overlooked in a folder under that name."""
    assert small(write("RUNS.CSV", NEWS), "--into", tmp_path / "mine").code == 0
    assert len(knowledge_of((tmp_path / "mine",)).catalog.measurements.chip) == 11 + 3


def test_a_faulty_file_leaves_the_old_one_whole(small, write, tmp_path):
    mine, kept = tmp_path / "mine", tmp_path / "mine" / "measurements" / "runs.csv"
    assert small(write("runs.csv", NEWS), "--into", mine).code == 0
    refused = small(write("runs.csv", NEWS.replace("net-c", "net-z")), "--into", mine)
    assert (refused.code, refused.out) == (2, "")
    assert kept.read_text(encoding="utf-8") == NEWS


def test_a_kept_file_that_is_no_measurements_is_left_alone(small, write, tmp_path):
    mine = tmp_path / "mine"
    kept = write("mine/measurements/runs.csv", "colour,taste\nred,sour\n")
    refused = small(write("runs.csv", NEWS), "--into", mine)
    assert refused.code == 2
    assert f"{kept}:1:1: colour: unknown column" in refused.err
    assert kept.read_text(encoding="utf-8") == "colour,taste\nred,sour\n"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs file modes")
def test_a_folder_that_cannot_be_written(small, write, tmp_path, monkeypatch):
    """A file where the folder should be; a folder nobody may write to; a disk that is full half-way."""
    file, blocked = write("runs.csv", NEWS), write("blocked", "")
    refused = small(file, "--into", blocked)
    assert refused.code == 2
    assert "blocked/measurements/runs.csv: cannot be written: " in refused.err
    locked = write("locked/measurements/runs.csv", NEWS.replace("net-a", "net-b")).parent
    text = (locked / "runs.csv").read_text(encoding="utf-8")
    locked.chmod(0o555)
    if os.geteuid():
        refused = small(file, "--into", tmp_path / "locked")
        assert (refused.code, "cannot be written: permission denied" in refused.err) == (2, True)
    locked.chmod(0o755)

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    refused = small(file, "--into", tmp_path / "locked")
    assert (refused.code, "cannot be written: no space left on device" in refused.err) == (2, True)
    assert [path.name for path in locked.iterdir()] == ["runs.csv"]
    assert (locked / "runs.csv").read_text(encoding="utf-8") == text


FAULTS = [
    ("new-chip,,npu,,rt,net-c", "new-chop,,npu,,rt,net-c", r":3:1: chip: no chip file has `new-chop` .*`new-chip`"),
    ("new-chip,,npu,,rt,net-c", "new-chip,,gpu,,rt,net-c", r":3:1: unit: `new-chip` has no unit `gpu` (it has: npu)"),
    ("new-chip,,npu,,rt,net-c", "new-chip,,npv,,rt,net-c", r":3:1: unit: found `npv` (did you mean `npu`?"),
    ("new-chip,,npu,,rt,net-c", "old-chip,slou,npu,,rt,net-c", r":3:1: mode: .* no mode `slou` .*`slow`"),
    ("net-c", "net-cc", r":3:1: model: models.csv has no `net-cc` .*`net-c`"),
    ("net-c,224,224", "net-c,320,320", r":3:1: input_h: .* no `net-c` at 320x320 (it has: 224x224)"),
    ("net-c,224,224", "net-c,224,", r":3:1: input_h: only one side of the input is stated"),
    (",5.0,", ",-5.0,", r":3:1: time_ms_per_item: found -5, expected more than 0"),
    (",5.0,", ",0,", r":3:1: time_ms_per_item: found 0, expected more than 0"),
    (",5.0,", ",fast,", r":3:1: time_ms_per_item: found `fast`, expected a finite number"),
    (",5.0,", ",,", r":3:1: time_ms_per_item: the cell is empty"),
    (",5.0,", ",5.0,,", r":3:1: 16 cells, but the header has 15"),
    (",1,latency,5.0", ",0,latency,5.0", r":3:1: batch: found 0: a run of unknown batch is never used"),
    (",time_ms_per_item", ",time_ms", r":1:1: time_ms_per_item: the required column is missing"),
    (",time_ms_per_item", ",time_ms", r":1:1: time_ms: unknown column (did you mean `time_ms_per_item`?)"),
    (",statistic", ",statistic,statistic", r":1:1: statistic: the column is there twice"),
    (NEWS, "", r"runs.csv:1:1: is empty (begin with the columns chip, "),
    (NEWS, HEADER + "\n", r"runs.csv: holds no measurement that can be used"),
    (NEWS, HEADER.replace(",", ";"), r":1:1: the columns are separated by semicolons"),
    (NEWS, "\udcff", r"runs.csv: the byte 0xff is not UTF-8"),
]


@pytest.mark.parametrize(("old", "new", "message"), FAULTS)
def test_faults_name_the_file_the_line_and_what_to_do(small, tmp_path, old, new, message):
    """Exit code 2, nothing on stdout, no traceback, nothing kept."""
    import re

    assert old in NEWS, "the case does not break anything"
    file = tmp_path / "runs.csv"
    file.write_bytes(NEWS.replace(old, new, 1).encode("utf-8", "surrogateescape"))
    outcome = small(file, "--into", tmp_path / "mine", "--json")
    assert (outcome.code, outcome.out) == (2, "")
    assert re.search(re.escape(message).replace(r"\.\*", ".*"), outcome.err), outcome.err
    assert all(text.startswith("error: ") for text in outcome.err.splitlines())
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.csv", "missing.csv: no such file (`--template` writes one to start from)"),
        ("cache", "cache: no such file"),
        ("runs.txt", "runs.txt: is no CSV file (save it with a name that ends in .csv)"),
    ],
)
def test_what_is_no_measurement_file(small, write, tmp_path, name, message):
    write("runs.txt", NEWS)
    (tmp_path / "cache").mkdir()
    outcome = small(name)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_a_problem_or_catalogue_that_does_not_exist(small, write, tmp_path):
    file = write("runs.csv", NEWS)
    for option, name in (("--problem", "nowhere.yaml"), ("--catalog", "nowhere")):
        outcome = small(file, option, name, "--into", tmp_path / "mine")
        assert (outcome.code, outcome.out) == (2, "")
        assert name in outcome.err
        assert not (tmp_path / "mine").exists()


def test_excluded_rows_and_batches_say_what_they_can(small, write):
    """A row marked as unused is none; a batch of four is shown, and has no estimate to stand beside."""
    text = speeds(line("old-chip", "net-c", 10)).replace("source_repo", "source_repo,excluded").rstrip("\n") + ",cold\n"
    assert "holds no measurement that can be used" in small(write("runs.csv", text)).err
    batch = speeds(line("old-chip", "net-c", 4).replace(",1,latency", ",4,latency"))
    (one,) = json.loads(small(write("four.csv", batch), "--json").out)["measurements"]
    assert (one["measured_ms"], one["estimated_ms"]) == (16, None)


def test_a_second_measurement_stands_beside_the_first(small, write):
    """Net-d was measured in the shipped files: grade A, no interval to be inside of."""
    (one,) = small(write("runs.csv", speeds(line("old-chip", "net-d", 20))), "--json").data["measurements"]
    assert (one["grade"], one["inside"]) == ("A", None)
    assert one["estimated_ms"] == one["low_ms"] == one["high_ms"] == law("net-d", 10)
