"""A user's folder over the shipped one: field by field, row by row, measurements add."""

from __future__ import annotations

import numpy as np
import pytest

from dse.catalog.csvfile import read_csv
from dse.catalog.figures import chip_figures
from dse.catalog.paths import catalogue_files, shipped_root
from dse.catalog.read import read_catalog, toolchain_group
from dse.errors import CatalogError
from dse.estimate.store import load
from tests.catalog.folders import CHIP, FILES, folder
from tests.compiled import own_cache

TEN_LINES = """\
id: lab-npu
vendor: Lab
class: camera-soc
form: soc
cpu_cores: 4
units: [{id: npu, peak_tops: {int8: 4}, precisions: [int8]}]
memory: {bandwidth_gbs: 12.8, capacity_gb: 4}
power: {max_w: 5}
prices: [{usd: 25, quantity: 1000, date: 2026-05, kind: chip}]
sources: {npu: "read 2026-05: our data sheet", power: recalled 2026-05}
"""


def write(root, label, text):
    (root / label).parent.mkdir(parents=True, exist_ok=True)
    (root / label).write_text(text, encoding="utf-8")


def test_a_new_chip_one_model_and_three_measurements(tmp_path, knowledge, monkeypatch):
    """The shipped catalogues with ten lines of YAML, a network and three runs of one's own."""
    monkeypatch.setenv("DSE_CACHE_DIR", str(own_cache(tmp_path / "cache", knowledge)))
    mine = tmp_path / "mine"
    write(mine, "chips/lab.yaml", TEN_LINES)
    write(
        mine,
        "models/models.csv",
        "id,weights,family,task,dataset,metric,input_h,input_w,params_m,gmacs,source\n"
        "labnet,2026,mobilenet_v2,image-classification,imagenet-1k,top1,224,224,3.4,0.31,our counter\n",
    )
    write(
        mine,
        "measurements/lab.csv",
        "chip,unit,runtime,model,input_h,input_w,precision,batch,quantity,time_ms_per_item,statistic,boundary,"
        "source_repo\n"
        "lab-npu,npu,labrt,labnet,224,224,int8,1,latency,3.2,mean,chip,our lab\n"
        "lab-npu,npu,labrt,mobilenet_v2,224,224,int8,1,latency,3.0,mean,chip,our lab\n"
        "lab-npu,npu,labrt,resnet50,224,224,int8,1,latency,20.0,mean,chip,our lab\n",
    )
    found = load((mine,))
    catalog = found.catalog
    assert found.rebuilt
    assert len(catalog.chips) == len(knowledge.catalog.chips) + 1
    assert len(catalog.measurements.chip) == len(knowledge.catalog.measurements.chip) + 3
    chip = catalog.chips["lab-npu"]
    assert (chip.units[0].tail_class, chip.reference_mode.id, chip.file) == ("soc-npu", "default", "chips/lab.yaml")
    assert set(catalog.measurements.mode[catalog.measurements.chip == "lab-npu"]) == {"default"}
    # Three measured networks calibrate the unit: the others are estimated at grade C where they are near.
    row = int(np.flatnonzero(found.speeds.calibrations.chip == "lab-npu")[0])
    v1 = int(np.flatnonzero((catalog.nets.id == "mobilenet_v1") & (catalog.nets.input_h == 224))[0])
    assert "ABCDE"[found.speeds.grade[row, v1]] == "C"
    assert 3 < found.speeds.typical_ms[row, v1] < 20
    assert not load((mine,)).rebuilt


def test_chips_override_field_by_field(tmp_path):
    shipped = folder(tmp_path / "shipped")
    write(
        tmp_path / "mine",
        "chips/a.yaml",
        "- id: my-chip\n  power: {max_w: 8}\n  memory: {type: null}\n"
        "  units: [{id: npu, sram_kib: 512}, {id: cpu, peak_tops: {fp32: 0.1}}]\n"
        "  modes: [{id: fast, budget_w: 9}]\n  prices: []\n",
    )
    chip = read_catalog((shipped, tmp_path / "mine")).chips["my-chip"]
    assert (chip.power.idle_w, chip.power.typical_w, chip.power.max_w) == (1, 3, 8)
    assert (chip.memory_type, chip.capacity_gb) == (None, 4)
    assert [(unit.id, unit.count, unit.sram_kib) for unit in chip.units] == [("npu", 2, 512), ("cpu", 1, None)]
    assert [(mode.id, mode.budget_w, mode.reference) for mode in chip.modes] == [
        ("fast", 9, True),
        ("slow", None, False),
    ]
    assert chip.prices == ()


def test_rows_override_row_by_row(tmp_path):
    """A row with the same key takes the place of the shipped one, the others stay."""
    accuracies = FILES["models/accuracies.csv"]
    shipped = folder(
        tmp_path / "shipped", accuracies=accuracies + accuracies.splitlines()[2].replace("71", "69") + "\n"
    )
    mine = tmp_path / "mine"
    header, _float_row, int8_row = accuracies.splitlines()
    write(mine, "models/accuracies.csv", f"{header}\n{int8_row.replace('71', '70.5')}\n")
    write(mine, "models/models.csv", FILES["models/models.csv"].replace("3.5,0.3", "3.5,0.32"))
    write(mine, "tails.csv", FILES["tails.csv"].splitlines()[0] + "\nmcu,1.2,1.1,,D,ours\n")
    write(mine, "toolchains.csv", "pattern,group\nmytool 9*,new\n")
    assert sorted(read_catalog((shipped,)).accuracies.accuracy) == [69, 71, 72]
    catalog = read_catalog((shipped, mine))
    assert sorted(catalog.accuracies.accuracy) == [70.5, 72]
    assert catalog.nets.gmacs.tolist() == [0.32]
    assert (catalog.tails["mcu"].p999_over_mean, catalog.tails["soc-npu"].p999_over_mean) == (1.2, 1.6)
    assert toolchain_group("MyTool 9.1", catalog.toolchains) == "new"
    assert toolchain_group("mytool 8", catalog.toolchains) == "mine"


def test_a_users_macs_count_for_all_weights_of_the_network(tmp_path):
    """Time belongs to the architecture: a corrected figure in one row holds for every tag."""
    models = FILES["models/models.csv"]
    shipped = folder(tmp_path / "shipped", models=models + models.splitlines()[1].replace("v1", "v2") + "\n")
    write(tmp_path / "mine", "models/models.csv", models.replace("v1", "v2").replace("3.5,0.3", "3.5,0.4"))
    assert read_catalog((shipped, tmp_path / "mine")).nets.gmacs.tolist() == [0.4]


def test_measurements_add(tmp_path):
    shipped, mine = folder(tmp_path / "shipped"), tmp_path / "mine"
    write(mine, "measurements/mine.csv", FILES["measurements/mine.csv"])
    catalog = read_catalog((shipped, mine))
    assert len(catalog.measurements.chip) == 6
    # A batch of 4 at 4 ms an item takes 16 ms; the mode that is not named is the reference.
    assert sorted(catalog.measurements.time_ms) == [4.5, 4.5, 9, 9, 16, 16]
    assert sorted(catalog.measurements.mode) == ["fast"] * 4 + ["slow"] * 2
    assert catalog.measurements.input_stated.tolist() == [True, False, True] * 2


def test_a_lone_chip_needs_no_list(tmp_path):
    shipped = folder(tmp_path / "shipped", chips=CHIP.replace("- id", "  id").replace("\n  ", "\n").lstrip())
    assert set(read_catalog((shipped,)).chips) == {"my-chip"}


def test_a_folder_without_catalogue_files_is_a_mistake(tmp_path):
    """The wrong folder would change nothing, silently."""
    (tmp_path / "mine").mkdir()
    with pytest.raises(CatalogError, match="mine: the folder holds no catalogue file"):
        read_catalog((folder(tmp_path / "shipped"), tmp_path / "mine"))


@pytest.mark.parametrize("extra", ["\ufeff", ""])
def test_what_spreadsheets_write(tmp_path, extra):
    """A byte order mark, Windows line ends and spaces around cells change nothing."""
    text = extra + FILES["measurements/mine.csv"].replace("\n", "\r\n").replace(",mean,", ", mean ,")
    catalog = read_catalog((folder(tmp_path, speeds=text),))
    assert set(catalog.measurements.statistic) == {"mean"}


def test_every_shipped_column_is_declared():
    """The header of every shipped file is known, so a typo in a user's file is found."""
    from dse.catalog.columns import SHEETS

    sheets = {sheet.name: sheet for sheet in SHEETS}
    for file in catalogue_files((shipped_root(),)):
        if file.path.suffix == ".csv":
            folder_name = file.label.partition("/")[0]
            name = "measurements" if folder_name == "measurements" else file.path.stem
            faults = []
            assert read_csv(file, sheets[name], faults) is not None
            assert not faults


def test_a_figure_that_is_overridden_loses_its_old_source(tmp_path):
    """The document that was read does not say what the user's file says."""
    shipped = folder(tmp_path / "shipped")
    write(tmp_path / "mine", "chips/a.yaml", "- id: my-chip\n  power: {max_w: 8}\n  units: [{id: npu, sram_kib: 64}]\n")
    chip = read_catalog((shipped, tmp_path / "mine")).chips["my-chip"]
    source = {figure.path: figure.source for figure in chip_figures(chip)}
    assert (source["power.max_w"], source["npu.sram_kib"]) == (None, None)
    assert source["power.typical_w"] == "recalled 2026-01"
    assert source["npu.peak_tops.int8"] == "read 2026-01: my data sheet"
    write(tmp_path / "mine", "chips/a.yaml", "- id: my-chip\n  power: {max_w: 8}\n  sources: {power: 'read: bench'}\n")
    chip = read_catalog((shipped, tmp_path / "mine")).chips["my-chip"]
    assert {f.source for f in chip_figures(chip) if f.path.startswith("power.")} == {"read: bench"}
