"""One broken file per rule: the message says where, what was found and what to do."""

from __future__ import annotations

import pytest

from dse.catalog.read import read_catalog
from dse.errors import CatalogError
from tests.catalog.folders import FILES, folder

CHIPS = FILES["chips/mine.yaml"]
SPEEDS = FILES["measurements/mine.csv"]
MODELS = FILES["models/models.csv"]
ACCURACIES = FILES["models/accuracies.csv"]


def broken(kind: str, old: str, new: str) -> dict[str, str]:
    text = {"chips": CHIPS, "speeds": SPEEDS, "models": MODELS, "accuracies": ACCURACIES}.get(kind)
    text = text if text is not None else FILES[f"{kind}.csv"]
    assert old in text, "the case does not break anything"
    return {kind: text.replace(old, new, 1)}


CHIP_CASES = [
    # what stands there, what replaces it, line, message
    ("vendor: Mine", "vender: Mine", 2, r"my-chip\.vender: unknown field \(did you mean `vendor`\?"),
    ("count: 2", "cuont: 2", 5, r"my-chip\.units\[0\]\.cuont: unknown field \(did you mean `count`\?"),
    ("bandwidth_gbs: 12.8", "bandwith_gbs: 12.8", 7, r"memory\.bandwith_gbs: unknown field .*`bandwidth_gbs`"),
    ("{usd: 20", "{eur: 20", 9, r"my-chip\.prices\[0\]\.eur: unknown field"),
    ("max_w: 5}\n  p", 'max_w: "5"}\n  p', 8, r"power\.max_w: found `5`, expected a number \(remove the quotes\)"),
    ("max_w: 5}\n  p", "max_w: five}\n  p", 8, r"power\.max_w: found `five`, expected a number \(use null"),
    ("max_w: 5}\n  p", "max_w: true}\n  p", 8, r"power\.max_w: found true, expected a number"),
    ("max_w: 5}\n  p", "max_w: .nan}\n  p", 8, r"power\.max_w: found nan, expected a finite number"),
    ("max_w: 5}\n  p", "max_w: -5}\n  p", 8, r"power\.max_w: found -5, expected at least 1e-06"),
    ("max_w: 5}\n  p", "max_w: 2}\n  p", 1, r"my-chip: typical_w 3 is above max_w 2"),
    ("int8: 4}", "int8: 0}", 5, r"units\[0\]\.peak_tops\.int8: found 0, expected more than 0"),
    ("int8: 4}", "int9: 4}", 5, r"peak_tops\.int9: unknown name `int9` \(did you mean `int8`"),
    ("precisions: [int8]", "precisions: [int9]", 5, r"precisions\[0\]: found `int9` \(did you mean `int8`"),
    ("precisions: [int8]", "precisions: int8", 5, r"precisions: found `int8`, expected a list"),
    ("capacity_gb: 4", "capacity_gb: -4", 7, r"capacity_gb: found -4, expected more than 0"),
    ("share: 0.5", "share: 1.5", 5, r"one_inference_share: found 1.5, expected more than 0 and at most 1"),
    ("count: 2", "count: 1.5", 5, r"count: found 1.5, expected a whole number"),
    ("id: npu", "id: npu, kind: tpu", 5, r"units\[0\]\.kind: found `tpu` \(did you mean `npu`"),
    ("id: npu", "id: engine", 1, r"the unit `engine` has no kind \(add kind: npu"),
    (
        "id: npu",
        "id: npu, tail_class: soc-npv",
        1,
        r"tail class `soc-npv`, which tails.csv lacks \(did you mean `soc-npu`",
    ),
    ("form: soc", "form: sock", 4, r"form: found `sock` \(did you mean `soc`"),
    ("class: camera-soc", "class: camera", 3, r"class: found `camera` \(did you mean `camera-soc`"),
    ("  units:", "  notes: x\n  modes2: []\n  units:", 6, r"my-chip\.modes2: unknown field \(did you mean `modes`"),
    ("  form: soc\n", "", 1, r"my-chip: missing form"),
    ("budget_w: 5}", "budget_w: 5}, {id: fast}", 6, r"modes\[1\]\.id: `fast` is listed twice"),
    ("{id: slow,", "{id: slow, reference: true,", 1, r"several reference modes: fast, slow"),
    ("reference: true", "reference: yes", 6, r"reference: found `yes` \(write true or false\)"),
    ("{id: slow, ", "{", 6, r"modes\[1\]: missing `id`"),
    ("date: 2026-01", "date: January", 9, r"date: found `January` \(write a date"),
    ("{usd: 20, ", "{", 1, r"a price without `usd`"),
    ("  power:", "  temperature: {min_c: 85, max_c: -40}\n  power:", 1, r"min_c 85 is above max_c -40"),
    ("id: my-chip", "id: 7", 1, r"an entry is a mapping with an `id` that is text"),
    ("- id: my-chip", "- just text\n- id: my-chip", 1, r"an entry is a mapping"),
    ("  form: soc", "  form: soc\n  form: soc", 5, r"the key `form` is given twice, first in line 4"),
    ("  form: soc", "  form: [soc", 5, r"a list is not closed, or lacks a comma|is not valid YAML|colon"),
    ("  form: soc", "\tform: soc", 4, r"a tab is used for indentation"),
    ("vendor: Mine", "vendor: 3", 2, r"vendor: found 3, expected text \(put quotes around it\)"),
    ("vendor: Mine", "vendor: ' '", 2, r"vendor: found empty text"),
    (
        "memory: {type: LPDDR4, bandwidth_gbs: 12.8, capacity_gb: 4}",
        "memory: 4",
        7,
        r"memory: found 4, expected a mapp",
    ),
]


@pytest.mark.parametrize(("old", "new", "line", "message"), CHIP_CASES)
def test_faults_of_a_chip_file_carry_their_line(tmp_path, old, new, line, message):
    root = folder(tmp_path, **broken("chips", old, new))
    with pytest.raises(CatalogError, match=message) as caught:
        read_catalog((root,))
    assert line in {fault.line for fault in caught.value.faults}
    assert all(fault.file.endswith("mine.yaml") for fault in caught.value.faults)


ROW_CASES = [
    # file, what stands there, what replaces it, line, message; all in a user's folder
    ("speeds", "224,224,int8,1", "224,224,int9,1", 2, r"precision: found `int9` \(did you mean `int8`"),
    ("speeds", "latency,4.5", "throughput,4.5", 2, r"quantity: found `throughput` \(allowed: latency, period\)"),
    ("speeds", "4.5,mean", "4.5,average", 2, r"statistic: found `average`"),
    ("speeds", "mean,chip", "mean,chips", 2, r"boundary: found `chips` \(did you mean `chip`"),
    ("speeds", "latency,4.5", "latency,0", 2, r"time_ms_per_item: found 0, expected more than 0"),
    ("speeds", "latency,4.5", "latency,-4.5", 2, r"time_ms_per_item: found -4.5, expected more than 0"),
    ("speeds", "latency,4.5", "latency,fast", 2, r"time_ms_per_item: found `fast`, expected a finite number"),
    ("speeds", "latency,4.5", "latency,nan", 2, r"time_ms_per_item: found `nan`, expected a finite number"),
    ("speeds", "latency,4.5", "latency,1_0", 2, r"found `1_0`, expected a finite number"),
    ("speeds", "latency,4.5", "latency,", 2, r"time_ms_per_item: the cell is empty"),
    ("speeds", "int8,4,latency", "int8,-4,latency", 4, r"batch: found -4, expected a whole number"),
    ("speeds", "int8,4,latency", "int8,0,latency", 4, r"batch: found 0: a run of unknown batch is never used"),
    ("speeds", "int8,4,latency", "int8,1.5,latency", 4, r"batch: found 1.5, expected a whole number"),
    ("speeds", "my-chip,slow", "mychip,slow", 3, r"chip: no chip file has `mychip` \(did you mean `my-chip`"),
    ("speeds", "my-chip,slow", "my-chip,slwo", 3, r"mode: `my-chip` has no mode `slwo` \(did you mean `slow`"),
    ("speeds", ",npu,1,1", ",gpu,1,1", 2, r"unit: `my-chip` has no unit `gpu` \(it has: npu\)"),
    ("speeds", ",npu,1,1", ",tpu,1,1", 2, r"unit: found `tpu`"),
    ("speeds", "mynet,224,224", "mynet2,224,224", 2, r"model: models.csv has no `mynet2` \(did you mean `mynet`"),
    ("speeds", "mynet,224,224", "mynet,192,192", 2, r"no `mynet` at 192x192 \(it has: 224x224\)"),
    ("speeds", "mynet,224,224", "mynet,224,", 2, r"only one side of the input is stated"),
    ("speeds", "2.5,board", "2.5,", 2, r"power_boundary: power without its boundary"),
    ("speeds", "2.5,board", "2.5,wall", 2, r"power_boundary: found `wall`"),
    ("speeds", "board,12,", "board,0,", 2, r"memory_mb: found 0, expected more than 0"),
    ("speeds", ",source_repo", ",source", 1, r"source: unknown column \(did you mean `source_repo`"),
    ("speeds", "time_ms_per_item", "time_ms", 1, r"time_ms_per_item: the required column is missing"),
    ("speeds", "chip,mode,", "chip,chip,", 1, r"chip: the column is there twice"),
    ("speeds", "12,my lab", "12,my lab,", 2, r"20 cells, but the header has 19"),
    ("speeds", "12,my lab", '12,"my lab', 4, r"is not valid CSV"),
    ("speeds", "12,my lab", "12,", 2, r"source_repo: the cell is empty"),
    ("models", "image-classification", "", 2, r"task: the cell is empty \(`dse catalog list tasks`"),
    ("models", "3.5,0.3", "3.5,0", 2, r"gmacs: found 0, expected more than 0"),
    ("models", "0.3,,", "0.3,0.4,", 2, r"binary_gmacs: found 0.4 of 0.3 MACs in all"),
    ("models", "my counter", "", 2, r"macs_source: MACs without a source"),
    ("models", "imagenet-1k,top1", "imagenet-1k,", 2, r"metric: a data set needs its metric"),
    ("models", "mynet,v1", "mynet,v1,image-classification,imagenet-1k,top1,224,224,3.5,0.3,,x\nmynet,v1", 3,
     r"`mynet` is listed twice, first in line 2"),
    ("accuracies", ",72,", ",0.72,", 2, r"accuracy: found 0.72, which is at most one percent .*write 72"),
    ("accuracies", ",72,", ",172,", 2, r"accuracy: found 172, expected a percentage of at most 100"),
    ("accuracies", ",72,71,", ",72,72.5,", 2, r"72 is outside \[72.5, 73\]"),
    ("accuracies", "int8,mytool", "unknown,mytool", 3, r"precision: found `unknown`"),
    ("accuracies", "False,my lab", "no,my lab", 2, r"subset: found `no` \(write True or False\)"),
    ("accuracies", "False,my lab", "False,", 2, r"accuracy_source: the cell is empty"),
    ("accuracies", "mynet,v1,", "mynet,v2,", 2, r"models.csv has no `mynet` with 224, 224, v2, imagenet-1k, top1"),
    ("accuracies", "mynet,v1,", "mynut,v1,", 2, r"models.csv has no `mynut` \(did you mean `mynet`"),
    ("tails", "1.6,1.2", "1.2,1.6", 2, r"found 1.6 and 1.2, expected 1 ≤ p99 ≤ p99.9"),
    ("tails", ",57,C", ",-57,C", 3, r"stall_ms: found -57, expected at least 0"),
    ("tails", ",57,C", ",57,F", 3, r"grade: found `F`"),
    ("toolchains", "mytool*,mine", "mytool*,", 2, r"group: the cell is empty"),
    ("toolchains", "pattern,group", "pattern;group", 1, r"the columns are separated by semicolons"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "old", "new", "line", "message"), ROW_CASES)
def test_faults_of_a_row_carry_their_line(tmp_path, kind, old, new, line, message):
    shipped = folder(tmp_path / "shipped")
    users = folder(tmp_path / "users", **broken(kind, old, new))
    with pytest.raises(CatalogError, match=message) as caught:
        read_catalog((shipped, users))
    assert line in {fault.line for fault in caught.value.faults}
    assert all("users" in fault.file for fault in caught.value.faults)


def test_the_sound_folder_has_no_fault(tmp_path):
    catalog = read_catalog((folder(tmp_path / "shipped"), folder(tmp_path / "users")))
    assert catalog.counts["chips"] == 1


def test_all_faults_come_at_once(tmp_path):
    root = folder(
        tmp_path,
        chips=CHIPS.replace("form: soc", "form: sock").replace("max_w: 5}\n", "max_w: -5}\n"),
        speeds=SPEEDS.replace("latency,4.5", "latency,0").replace("int8,4,", "int3,4,"),
        tails=FILES["tails.csv"].replace(",57,C", ",57,F"),
    )
    with pytest.raises(CatalogError) as caught:
        read_catalog((root,))
    assert len(caught.value.faults) == 5
    assert list(caught.value.faults) == sorted(caught.value.faults)


def test_dse_may_ship_what_a_user_may_not(tmp_path):
    """Measurements of chips nobody can buy, networks without a task, batches nobody printed."""
    root = folder(
        tmp_path,
        speeds=SPEEDS.replace("my-chip,slow", "some-phone,slow").replace("int8,4,", "int8,0,"),
        models=MODELS.replace("image-classification", ""),
    )
    assert len(read_catalog((root,)).measurements.chip) == 1


def test_lines_are_those_of_the_file(tmp_path):
    """Quoted cells that run over several lines and blank lines do not shift the numbers."""
    text = SPEEDS.replace("12,my lab", '12,"my\nlab"').replace("\nmy-chip,slow", "\n\nmy-chip,slow")
    root = folder(tmp_path, speeds=text.replace("int8,4,", "int3,4,"))
    with pytest.raises(CatalogError, match=r"mine.csv:6:1: precision"):
        read_catalog((root,))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"chip,\xff\n", "0xff is not UTF-8"),
        (b"PK\x03\x04\x00\x00", "unknown column|not valid CSV|is empty"),
    ],
)
def test_files_that_are_no_csv(tmp_path, content, message):
    root = folder(tmp_path)
    (root / "measurements" / "mine.csv").write_bytes(content)
    with pytest.raises(CatalogError, match=message):
        read_catalog((root,))


def test_an_empty_chip_file_is_said(tmp_path):
    with pytest.raises(CatalogError, match=r"mine\.yaml: is empty"):
        read_catalog((folder(tmp_path, chips="# nothing yet\n"),))


def test_the_same_chip_twice_in_one_folder(tmp_path):
    root = folder(tmp_path)
    (root / "chips" / "other.yaml").write_text(CHIPS)
    with pytest.raises(CatalogError, match=r"other.yaml:1:\d: my-chip: listed twice, first in .*mine.yaml:1"):
        read_catalog((root,))


@pytest.mark.parametrize(
    ("label", "hint"),
    [("mine.yaml", "chips"), ("models/model.csv", "models/models.csv"), ("tail.csv", "tails.csv")],
)
def test_files_in_the_wrong_place(tmp_path, label, hint):
    """A file that dse would not read is said, not passed over."""
    root = folder(tmp_path)
    (root / label).write_text("x")
    with pytest.raises(CatalogError, match=rf"no catalogue file is called `{label}` \(.*{hint}"):
        read_catalog((root,))


def test_a_folder_that_is_none(tmp_path):
    with pytest.raises(CatalogError, match="no such catalogue folder"):
        read_catalog((tmp_path / "nowhere",))


def test_a_file_that_cannot_be_read_does_not_blame_others(tmp_path):
    """When models.csv is broken, its networks are not reported missing as well."""
    users = folder(tmp_path / "users", models=MODELS.replace("id,weights", "name,weights"))
    with pytest.raises(CatalogError) as caught:
        read_catalog((folder(tmp_path / "shipped"), users))
    assert {fault.file.rpartition("/")[2] for fault in caught.value.faults} == {"models.csv"}
