"""A file of pairs: one row out per row in, what is not known stays empty, and every fault of a file at once."""

from __future__ import annotations

import csv
import io
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest

from dse.catalog.paths import shipped_root
from dse.errors import InputError
from dse.estimation import ADDED, LAW, estimate_file, read_pairs

HEADER = "chip,model,precision,unit,input_h,input_w"
# As the collected measurements have them: nothing in it may be taken for a misspelt column.
COLLECTED = (
    "vendor,chip,board,mode,unit,cores,streams,runtime_group,model,family,task,task_canonical,input_h,input_w,"
    "precision,batch,quantity,time_ms_per_item,statistic,boundary,params_m,gmacs,gmacs_source,activations_m,"
    "binary_gmacs,fallback_layers,accuracy,accuracy_metric,accuracy_basis,source_group,source_repo,source_model,"
    "power_w,accuracy_float,accuracy_measured,metric,metric_canonical,dataset,dataset_canonical,source_path,"
    "source_commit,notes,memory_mb_min,memory_mb_max,software,model_size_mb,board_source,energy_mj,ram_kib,flash_kib"
)


@pytest.fixture
def estimated(knowledge, tmp_path):
    """Rows of the answer to a text or to bytes, as a list of dicts."""

    def run(text, **options):
        content = text if isinstance(text, bytes) else text.encode()
        (tmp_path / "pairs.csv").write_bytes(content)
        estimate_file(tmp_path / "pairs.csv", tmp_path / "out.csv", (), **options)
        with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    return run


def text_of(rows):
    """Dicts as a CSV file with every column that any of them has."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def figures(row):
    return tuple(row[name] for name in ADDED)


def test_rows_and_columns_keep_their_order(estimated, tmp_path):
    """What is not understood is carried through to the letter: spaces, formulas, quotes, line ends inside a cell."""
    cells = ["  spaced ", "=1+1", 'a "word"', "two\nlines", "two\r\nlines", "größer, 大", "-3", ""]
    rows = [
        {"remark": cell, "chip": chip, "my id": str(k), "model": "resnet50", "precision": "int8", "": "x"}
        for k, (cell, chip) in enumerate(zip(cells, ["rk3588", "hailo-8", "nosuchchip", "rk3588"] * 2, strict=True))
    ]
    found = estimated(text_of(rows))
    assert [{name: row[name] for name in rows[0]} for row in found] == rows
    assert list(found[0]) == [*rows[0], *ADDED]
    raw = (tmp_path / "out.csv").read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert all(figures(found[k]) == figures(found[k + 4]) for k in range(4))


def test_a_measured_time_is_ignored_and_not_written_back(estimated):
    plain = estimated(f"{HEADER}\nrk3588,yolov5s,int8,npu,640,640\n")
    timed = estimated(f"time_ms_per_item,{HEADER},grade\n12345,rk3588,yolov5s,int8,npu,640,640,Z\n")
    assert timed == plain
    odd = estimated(f"{HEADER},time_ms_per_item\nrk3588,yolov5s,int8,npu,640,640,soon\n")
    assert odd == plain


@pytest.mark.parametrize("law", [False, True])
def test_an_answer_can_be_asked_again(estimated, tmp_path, law):
    """Figures of an earlier run are replaced, those of the law dropped where nobody asks for them."""
    estimated(f"{HEADER}\nrk3588,yolov5s,int8,npu,640,640\nrk3588,yolov5s,int4,npu,640,640\n", law=law)
    first = (tmp_path / "out.csv").read_bytes()
    estimated(first, law=law)
    assert (tmp_path / "out.csv").read_bytes() == first
    assert not set(LAW) & set(estimated(first)[0])


def test_a_file_may_be_answered_in_its_own_place(knowledge, tmp_path):
    (tmp_path / "pairs.csv").write_text("chip,model,precision\nrk3588,resnet50,int8\n", encoding="utf-8")
    assert sum(estimate_file(tmp_path / "pairs.csv", tmp_path / "pairs.csv", ()).values()) == 1
    assert (tmp_path / "pairs.csv").read_text(encoding="utf-8").startswith("chip,model,precision,time_ms_per_item,")


def test_no_rows_are_no_fault(estimated, tmp_path):
    assert estimated("chip,model,precision,mine\n") == []
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == f"chip,model,precision,mine,{','.join(ADDED)}\n"
    assert estimated("chip,model,precision", law=True) == []


REFUSED = {  # what is asked: (row, part of the reason)
    "unknown chip": ("rk3589x,resnet50,int8,,,", "no chip or device is called `rk3589x`: did you mean `rk358"),
    "no such unit": ("rk3588,resnet50,int8,mcu,,", "rk3588 has no mcu: cpu, gpu, npu"),
    "no such kind of unit": ("rk3588,resnet50,int8,tpu,,", "rk3588 has no tpu"),
    "precision the unit lacks": ("rv1126,resnet50,bf16,npu,,", "the npu of rv1126 executes fp16, int8, not bf16"),
    "no such precision": ("rk3588,resnet50,int9,npu,,", "no precision is called `int9`: fp32"),
    "binarized": ("rk3588,resnet50,binary,npu,,", "binary networks run only where a runtime has kernels"),
    "a formula": ("=A1,resnet50,int8,npu,,", "no chip or device is called `=A1`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_said_is_refused(estimated, name):
    line, reason = REFUSED[name]
    (row,) = estimated(f"{HEADER}\n{line}\n", law=True)
    assert row["basis"].startswith("refused: ")
    assert reason in row["basis"]
    assert {row[column] for column in (*ADDED[:-1], *LAW)} == {""}


def test_levels_are_counted(knowledge, tmp_path):
    text = f"{HEADER}\nrk3588,yolov5s,int8,npu,640,640\nrk3588,brandnewnet,int8,npu,,\nnosuch,yolov5s,int8,npu,,\n"
    (tmp_path / "pairs.csv").write_text(text, encoding="utf-8")
    counts = estimate_file(tmp_path / "pairs.csv", tmp_path / "out.csv", ())
    assert counts == {"A": 1, "C2-": 1, "refused": 1}


KEY = ["device", "mode", "unit", "cores", "streams", "runtime", "model", "input_h", "input_w", "precision", "batch",
       "quantity"]  # fmt: skip


@pytest.fixture(scope="module")
def measured():
    """The shipped measurements that are used, as text: read here with pandas alone."""
    files = sorted((shipped_root() / "measurements").glob("*.csv"))
    rows = pd.concat([pd.read_csv(file, dtype=str, keep_default_na=False) for file in files])
    return rows.fillna("")[lambda rows: rows.get("excluded", "") == ""]


def test_what_was_measured_is_answered_by_its_median(estimated, measured):
    """Every 40th key, asked by the source's word for the device: level A, median and spread of the rows of the key."""
    times_of = defaultdict(list)
    for *key, time_ms in measured[[*KEY, "time_ms_per_item"]].itertuples(index=False):
        times_of[tuple(key)].append(float(time_ms))
    groups = [(key, np.array(times)) for key, times in sorted(times_of.items())][::40]
    assert len(groups) > 300
    asked = [dict(zip(["chip", *KEY[1:]], key, strict=True)) for key, _ in groups]
    for (key, times), row in zip(groups, estimated(text_of(asked)), strict=True):
        assert (row["level"], row["grade"]) == ("A", "A"), key
        # Of an even number of rows the geometric mean of the two in the middle.
        assert float(row["time_ms_per_item"]) == pytest.approx(np.exp(np.median(np.log(times))), rel=1e-5), key
        assert float(row["low_ms"]) < times.min() * 1.0001, key
        assert float(row["high_ms"]) > times.max() * 0.9999, key
        assert f"{len(times)} row" in row["basis"], key


def test_a_file_of_measurements_is_a_file_of_pairs(estimated, measured):
    """The chip may stand beside the device: of the variants of one card, the one that was measured answers."""
    rows = measured[measured.chip == "alveo-u50lv"].drop_duplicates(KEY)
    assert rows.device.nunique() > 2
    found = estimated(text_of(rows[["chip", *KEY]].to_dict("records")[:60]))
    assert {row["level"] for row in found} == {"A"}


def test_a_slower_precision_is_not_estimated_below_a_measured_faster_one(estimated):
    """RK3588 is rated 6 TOPS in int8 and half of that in fp16; YOLOv5s was measured in int8 alone."""
    rows = [{"chip": "rk3588", "model": "yolov5s", "input_h": "640", "input_w": "640", "precision": precision}
            for precision in ("int8", "fp16")]  # fmt: skip
    int8, fp16 = estimated(text_of(rows))
    assert int8["grade"] == "A"
    assert float(fp16["time_ms_per_item"]) >= float(int8["time_ms_per_item"])
    assert "rated faster" in fp16["basis"]
    assert float(fp16["low_ms"]) < float(fp16["time_ms_per_item"]) < float(fp16["high_ms"])


def test_no_estimate_runs_beyond_the_rated_peak(estimated):
    """Nothing was measured on the NPU of RK3568, rated 1 TOPS: ResNet-50 of 4.089 GMACs takes at least 8.178 ms."""
    row = {"chip": "rk3568", "model": "resnet50", "input_h": "224", "input_w": "224", "precision": "int8"}
    (found,) = estimated(text_of([row]))
    assert float(found["time_ms_per_item"]) == pytest.approx(2 * 4.089 / 1.0, rel=1e-3)
    assert float(found["low_ms"]) < 1, "the doubt stays"
    assert float(found["high_ms"]) > 50


@pytest.mark.parametrize(("chip", "tops"), [("vs640", 1.6), ("vs680", 7.9)])
def test_a_toy_that_is_named_like_a_line_does_not_make_it_fast(estimated, chip, tops):
    """AI Benchmark's "ResNet" takes 0.23 and 0.12 ms there: of the line of ResNets it would promise 0.2 ms for each.

    Nobody states the work of resnet50_v2, so no peak holds it back; its twin has 4.089 GMACs.
    """
    row = {"chip": chip, "model": "resnet50_v2", "input_h": "224", "input_w": "224", "precision": "int8"}
    (found,) = estimated(text_of([row]))
    assert float(found["time_ms_per_item"]) > 2 * 4.089 / tops / 2


def test_the_runtime_has_an_alias(estimated):
    lines = [f"rk3588,yolov5s,int8,640,640,{runtime}\n" for runtime in ("rknn-1core", "")]
    header = "chip,model,precision,input_h,input_w"
    named, alias = (estimated(f"{header},{name}\n" + "".join(lines)) for name in ("runtime", "runtime_group"))
    assert [figures(row) for row in named] == [figures(row) for row in alias]
    assert named[0]["level"] == "A"
    # Where both stand, a cell of the first that is empty is filled by the second.
    (both,) = estimated(f"{header},runtime,runtime_group\nrk3588,yolov5s,int8,640,640,,rknn-1core\n")
    assert figures(both) == figures(named[0])


def test_a_device_may_be_named_in_three_ways(estimated):
    """By the source's word, by the catalogue's id, and by the source's word in a column of its own."""
    rest = "yolov4_tiny,fp32,cpu,416,416"
    header = "model,precision,unit,input_h,input_w"
    slug = estimated(f"chip,{header}\nbcm2711-cortex-a72-cpu,{rest}\n")[0]
    word = estimated(f"device,{header}\nbcm2711-cortex-a72-cpu,{rest}\n")[0]
    id_ = estimated(f"chip,{header}\nraspberry-pi-4,{rest}\n")[0]
    board = estimated(f"chip,device,{header}\nRaspberry_Pi_4,the one on my desk,{rest}\n")[0]
    assert figures(slug) == figures(word) == figures(id_) == figures(board)
    assert slug["time_ms_per_item"]


def test_capitals_of_closed_words_do_not_matter(estimated):
    lower = estimated(f"{HEADER},quantity\nrk3588,yolov5s,int8,npu,640,640,latency\n")[0]
    upper = estimated(f"{HEADER},quantity\nRK3588,YOLOv5s,INT8,NPU,640,640,Latency\n")[0]
    assert figures(lower) == figures(upper)
    assert upper["precision"] == "INT8"


def test_what_is_not_said_is_what_most_measurements_used(estimated, measured):
    """Unit, runtime, mode and cores that are left out: the answer is that to the commonest ones."""
    rows = measured[(measured.device == "rk3588") & (measured.precision == "int8") & (measured.unit == "npu")]
    runtime = rows.runtime.mode()[0]
    used = measured[(measured.device == "rk3588") & (measured.unit == "npu") & (measured.runtime == runtime)]
    cores = min(used.cores.mode(), key=int)
    header = "chip,model,precision,input_h,input_w"
    plain = estimated(f"{header}\nrk3588,mobilenet_v2,int8,224,224\n")[0]
    full = estimated(
        f"{header},unit,runtime,mode,cores,streams,batch,quantity\n"
        f"rk3588,mobilenet_v2,int8,224,224,npu,{runtime},{used['mode'].mode()[0]},{cores},1,1,latency\n"
    )[0]
    assert figures(plain) == figures(full)


# Rated: RK3588 6 TOPS over three cores, one of which runs a network, 2 bytes of fp16; RV1126 2 TOPS.
LAW_ROWS = ["rk3588,yolov5s,int8,640,640", "rk3588,resnet50,fp16,224,224", "rk3588,mobilenet_v2,int8,224,224",
            "hailo-8,resnet50,int8,224,224", "rv1126,mobilenet_v1,int8,224,224", "rk3588,labnet,int8,320,320",
            "hailo-8,labnet,int8,320,320"]  # fmt: skip
BYTES = {"int8": 1, "fp16": 2}


def test_the_law_gives_the_time_again(estimated, knowledge):
    """t = max(2 G/peak, bytes/bandwidth)/(e_m e_h) within 1 %; bytes = (weights + 2 activations) x width."""
    nets, seen = knowledge.catalog.nets, set()
    rows = estimated(
        "chip,model,precision,input_h,input_w,unit,gmacs,params_m\n"
        + "".join(f"{row},npu,{'2,3' if 'labnet' in row else ','}\n" for row in LAW_ROWS),
        law=True,
    )
    for row in rows:
        chip = knowledge.catalog.chips[row["chip"]]
        unit = chip.unit("npu")
        peak = unit.peak_tops.get(row["precision"]) or unit.peak_tops["int8"] / 4
        peak *= unit.one_inference_share or 1
        there = np.flatnonzero((nets.id == row["model"]) & (nets.input_h == int(row["input_h"])))
        gmacs, params, activations = 2.0, 3.0, 0.0
        if len(there):
            gmacs, params, activations = (
                float(getattr(nets, name)[there[0]]) for name in ("gmacs", "params_m", "activations_m")
            )
        moved_gb = (params + 2 * np.nan_to_num(activations)) * BYTES[row["precision"]] / 1e3
        time_ms = float(row["time_ms_per_item"])
        roof_ms = compute_ms = 2 * gmacs / peak  # 10^9 MAC over 10^12 operation/s
        assert float(row["compute_utilization"]) == pytest.approx(compute_ms / time_ms, rel=1e-3)
        if chip.bandwidth_gbs:
            memory_ms = moved_gb / chip.bandwidth_gbs * 1e3
            assert float(row["bandwidth_utilization"]) == pytest.approx(memory_ms / time_ms, rel=1e-3)
            assert row["bound_by"] == ("compute" if compute_ms >= memory_ms else "bandwidth")
            roof_ms = max(roof_ms, memory_ms)
        else:
            unknown = ("bandwidth_utilization", "bound_by", "hardware_efficiency")
            assert [row[name] for name in unknown] == [""] * 3
            seen.add("")
            continue
        seen.add(row["bound_by"])
        product = float(row["model_efficiency"]) * float(row["hardware_efficiency"])
        assert roof_ms / product == pytest.approx(time_ms, rel=0.01)
    assert seen == {"compute", "bandwidth", ""}


def test_what_the_law_does_not_know_is_empty(estimated):
    """Sizes of the network, rated figures of the chip, both: never 0, never a number out of nothing."""
    net, chip, both = estimated(
        f"{HEADER},gmacs,params_m\nrk3588,brandnewnet,int8,npu,,,0,\nrk3288,resnet50,int8,cpu,224,224,,\n"
        "rk3288,brandnewnet,int8,cpu,,,,\n",
        law=True,
    )
    assert [net[name] for name in LAW] == [""] * 5
    assert [both[name] for name in LAW] == [""] * 5
    assert [chip[name] for name in LAW if name != "model_efficiency"] == [""] * 4
    assert float(chip["model_efficiency"]) > 0
    assert all(float(row["time_ms_per_item"]) > 0 for row in (net, chip, both))


GOOD = "rk3588,resnet50,int8,npu,224,224\n"
FAULTS = {  # name: (text or bytes, parts of the message)
    "empty": ("", ["pairs.csv: is empty (begin with the columns chip, model, precision)"]),
    "only a line end": ("\n", ["is empty"]),
    "only a mark": (b"\xef\xbb\xbf", ["is empty"]),
    "latin 1": ("chip,model,precision\nrk3588,gr\xf6\xdfer,int8\n".encode("latin-1"), ["0xf6 is not UTF-8"]),
    "utf 16": ("chip,model,precision\n".encode("utf-16"), ["is not UTF-8"]),
    "workbook": (b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xc9\xfe\x9b", ["is not UTF-8"]),
    "nothing": (b"\x00" * 50, [":1:1: chip: the required column is missing"]),
    "semicolons": (f"{HEADER}\n{GOOD}".replace(",", ";"), [":1:1: the columns are separated by semicolons"]),
    "tabs": (f"{HEADER}\n{GOOD}".replace(",", "\t"), [":1:1: model: the required column is missing"]),
    "missing column": ("chip,model\nrk3588,resnet50\n", [":1:1: precision: the required column is missing"]),
    "misspelt column": ("chip,modle,precision\na,b,int8\n", [":1:1: modle: unknown column (did you mean `model`?)"]),
    "capitals": ("Chip,model,precision\nrk3588,b,int8\n", [":1:1: Chip: unknown column (did you mean `chip`?)"]),
    "misspelt choice": (f"{HEADER},core\n", [":1:1: core: unknown column (did you mean `cores`?)"]),
    "longer name": (f"{HEADER},batch_size\n", [":1:1: batch_size: unknown column (did you mean `batch`?)"]),
    "other unit": (f"{HEADER},mmacs\n", [":1:1: mmacs: unknown column (did you mean `gmacs`?)"]),
    "column twice": (f"{HEADER},unit\n{GOOD[:-1]},npu\n", [":1:1: unit: the column is there twice (keep one"]),
    "cell too many": (f"{HEADER}\n{GOOD}{GOOD[:-1]},7\n", [":3:1: 7 cells, but the header has 6"]),
    "cell too few": (f"{HEADER}\nrk3588,resnet50\n", [":2:1: 2 cells, but the header has 6"]),
    "open quote": (f'{HEADER}\n"rk3588,resnet50,int8,npu,224,224\n', ["is not valid CSV", "check the quotes"]),
    "stray quote": (f'{HEADER}\n"rk"3588,resnet50,int8,npu,224,224\n', [":2:1: is not valid CSV"]),
    "no chip": (f"{HEADER}\n,resnet50,int8,npu,,\n", [":2:1: chip: the cell is empty (every row needs chip, model"]),
    "no device": ("device,model,precision\n ,resnet50,int8\n", [":2:1: device: the cell is empty"]),
    "no model": (f"{HEADER}\nrk3588,  ,int8,npu,,\n", [":2:1: model: the cell is empty"]),
    "no precision": (f"{HEADER}\nrk3588,resnet50,,npu,,\n", [":2:1: precision: the cell is empty"]),
    "only commas": (f"{HEADER}\n{GOOD},,,,,\n", [":3:1: chip: the cell is empty", ":3:1: model: the cell is empty"]),
    "other quantity": (f"{HEADER},quantity\n{GOOD[:-1]},rate\n", [":2:1: quantity: found `rate`", "latency, period"]),
}  # fmt: skip
NUMBERS = {
    "cores": ["one", "-1", "1.5", "nan", "inf", "1e300", "1000001", "1_0"],
    "streams": ["two", "-2", "NaN"],
    "batch": ["x8", "-8", "0.5", "Infinity", "9" * 400],
    "input_h": ["224px", "-224", "nan"],
    "input_w": ["0x10", "=224", "1,5"],
    "params_m": ["3M", "-3", "nan", "inf", "-inf", "1e300", "1e-300"],
    "gmacs": ["4.1G", "-4", "nan", "1e300", "1e-300", "1e999"],
}


def fault_lines(tmp_path, content):
    (tmp_path / "pairs.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=r"pairs\.csv") as caught:
        read_pairs(tmp_path / "pairs.csv")
    return [str(fault).removeprefix(f"{tmp_path}/") for fault in caught.value.faults]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_place(tmp_path, name):
    content, parts = FAULTS[name]
    found = "\n".join(fault_lines(tmp_path, content))
    for part in parts:
        assert part in found


@pytest.mark.parametrize(("column", "word"), [(column, word) for column, words in NUMBERS.items() for word in words])
def test_a_cell_that_is_no_such_number(tmp_path, column, word):
    text = text_of([{"chip": "rk3588", "model": "resnet50", "precision": "int8", column: cell} for cell in ("", word)])
    (found,) = fault_lines(tmp_path, text)
    assert found.startswith(f"pairs.csv:3:1: {column}: found `{word[:40]}`, expected ")
    assert found.endswith("(leave it empty if it is not known)")


def test_all_faults_come_at_once_in_the_order_of_their_lines(tmp_path):
    """Two lines of a quoted cell and a blank one count: the row after them begins in line 6."""
    text = (
        f"{HEADER},batch,remark\n"
        f'{GOOD[:-1]},none,"two\nlines"\n'
        "\n"
        f"{GOOD[:-1]},-1\n"
        ",resnet50,,npu,tall,224,1,\n"
        f"{GOOD[:-1]},none,\n"
    )  # fmt: skip
    found = fault_lines(tmp_path, text)
    assert [(int(line.split(":")[1]), line.split(": ")[1]) for line in found] == [
        (2, "batch"),
        (5, "7 cells, but the header has 8 (check commas and quotes)"),
        (6, "chip"),
        (6, "input_h"),
        (6, "precision"),
        (7, "batch"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_marks_do_not_matter(estimated, tmp_path, end, mark):
    text = f"{HEADER}\n{GOOD}\n{GOOD}".replace("\n", end)
    one, two = estimated(mark + text)
    assert one == two == estimated(f"{HEADER}\n{GOOD}")[0]
    wrong = mark + f"{HEADER},batch\n{GOOD[:-1]},1\n{GOOD[:-1]},x\n".replace("\n", end)
    assert fault_lines(tmp_path, wrong)[0].startswith("pairs.csv:3:1: batch")


def test_columns_of_other_tables_are_carried_through(estimated):
    """A header of collected measurements, and names that only begin like one that is there."""
    names = COLLECTED.split(",")
    given = {"chip": "rk3588", "model": "yolov5s", "precision": "int8"}
    row = dict.fromkeys(names, "x") | dict.fromkeys(
        ["cores", "streams", "input_h", "input_w", "batch", "params_m", "gmacs", "quantity", "unit", "mode"], ""
    )
    (found,) = estimated(text_of([row | given]))
    assert list(found) == [name for name in names if name != "time_ms_per_item"] + list(ADDED)
    more = dict.fromkeys(["chip_id", "model_name", "note", "truth_ms", "time", "id", "fold", "version", "source"], "x")
    (found,) = estimated(text_of([given | more]))
    assert {name: found[name] for name in more} == more


def test_names_nobody_would_expect(estimated):
    """Very long, in other alphabets, with signs: an estimate as for any network never measured, or a refusal."""
    models = ["m" * 100_000, "ネットワーク", "a\nb", "=cmd|'/c calc'!A0", "résnet50", "9" * 500, "*", "x" + "-1" * 2000]
    rows = estimated(text_of([{"chip": "rk3588", "model": model, "precision": "int8"} for model in models]))
    assert [row["model"] for row in rows] == models
    for row in rows:
        low, middle, high = (float(row[name]) for name in ("low_ms", "time_ms_per_item", "high_ms"))
        assert 0 < low < middle < high < float("inf")
    strange = estimated(text_of([{"chip": chip, "model": "resnet50", "precision": "int8"} for chip in models]))
    assert all(row["basis"].startswith("refused: ") for row in strange)


def test_the_largest_and_smallest_figures_still_give_numbers(estimated):
    edges = [("1e7", "1e7"), ("1e-6", "1e-6"), ("1e7", "1e-6"), ("1e-6", "1e7"), ("0", "0"), ("-0", "1e3")]
    rows = [
        {"chip": chip, "model": model, "precision": "int8", "gmacs": gmacs, "params_m": params, "batch": batch,
         "input_h": side, "input_w": side, "cores": batch, "streams": batch}
        for chip in ("rk3588", "raspberry-pi-4") for model in ("resnet50", "labnet") for gmacs, params in edges
        for batch, side in (("1", "1"), ("1000000", "1000000"))
    ]  # fmt: skip
    for row in estimated(text_of(rows), law=True):
        low, middle, high = (float(row[name]) for name in ("low_ms", "time_ms_per_item", "high_ms"))
        assert 0 < low < middle < high < float("inf"), row


def test_what_fails_leaves_nothing_behind(knowledge, tmp_path):
    (tmp_path / "pairs.csv").write_text(f"{HEADER}\n{GOOD}", encoding="utf-8")
    with pytest.raises(FileNotFoundError, match="no such folder"):
        estimate_file(tmp_path / "pairs.csv", tmp_path / "no" / "out.csv", ())
    with pytest.raises(IsADirectoryError):
        estimate_file(tmp_path / "pairs.csv", tmp_path, ())
    (tmp_path / "out.csv").write_text("mine", encoding="utf-8")
    (tmp_path / "pairs.csv").write_text(f"{HEADER}\n{GOOD},,,,,\n", encoding="utf-8")
    with pytest.raises(InputError, match="the cell is empty"):
        estimate_file(tmp_path / "pairs.csv", tmp_path / "out.csv", ())
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "mine"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.csv", "pairs.csv"]
