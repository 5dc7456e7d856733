"""Every rule catches an example of what it is for, stays silent on a sound folder, and on the shipped catalogue."""

from __future__ import annotations

import shutil

import pytest

from dse.audit.check import RULES, check
from dse.audit.finding import rule_name
from dse.catalog.paths import shipped_root
from tests.catalog.folders import FILES, folder

CHIP = """\
- id: my-chip
  vendor: Mine
  class: camera-soc
  form: soc
  units: [{id: npu, count: 2, peak_tops: {int8: 4}, precisions: [int8]}]
  modes: [{id: fast, reference: true, budget_w: 5, source: 'read: my manual'}]
  memory: {type: LPDDR4, bandwidth_gbs: 12.8, capacity_gb: 4}
  power: {max_w: 5, boundary: rail}
  prices: [{usd: 20, quantity: 1000, date: 2026-01, kind: chip}]
  sources:
    npu: 'read 2026-01: my data sheet'
    memory: recalled 2026-01
    power: recalled 2026-01
    prices: recalled 2026-01
"""
BOARD = """\
- id: my-board
  vendor: Mine
  chip: my-chip
  form: m2-card
  links: [{id: pcie, kind: pcie, generation: '3', lanes: 2, gbs: 1.97}]
  power: {max_w: 7, boundary: board}
  temperature: {min_c: 0, max_c: 50, at: ambient}
  prices: [{usd: 70, quantity: 1, date: 2026-02, kind: board}]
  mpn: M-1
  lifecycle: {status: active, as_of: 2026-02}
  sources: {links: recalled 2026-02, power: recalled 2026-02, temperature: recalled 2026-02, prices: recalled 2026-02,
            mpn: recalled 2026-02, lifecycle: recalled 2026-02}
"""
LINKS = "  links: [{id: pcie, kind: pcie, generation: '3', lanes: 2, gbs: 1.97}]\n"
SECOND = BOARD.replace("id: my-board", "id: my-other-board")
NET = "mynet,v1,my,my_v1,image-classification,imagenet-1k,top1,224,224,3.5,0.3,my counter,my page\n"
MODELS = (
    "id,weights,stem,family,task,dataset,metric,input_h,input_w,params_m,gmacs,macs_source,source\n"
    + NET
    + NET.replace("mynet", "bignet").replace("0.3,", "0.9,")
    + "adnet,v1,ad,ad,anomaly-detection,toyadmos,auc-0-1,,,0.3,0.001,my counter,my page\n"
)
ACCURACIES = FILES["models/accuracies.csv"] + "adnet,v1,toyadmos,auc-0-1,,,fp32,,0.86,,,False,my lab\n"
ROW = "my-chip,,npu,1,1,myrt,mynet,224,224,int8,1,latency,4.5,mean,chip,2.5,board,11,12,my lab\n"
SPEEDS = (
    "chip,mode,unit,cores,streams,runtime,model,input_h,input_w,precision,batch,quantity,time_ms_per_item,statistic,"
    "boundary,power_w,power_boundary,energy_mj,memory_mb,source_repo\n"
) + ROW
PERIODS = "".join(
    f"my-chip,,npu,1,1,stream,mynet,224,224,int8,{batch},period,2,mean,chip,,,,,my lab\n" for batch in range(1, 12)
)
LABELS = {"chips": "chips/mine.yaml", "boards": "boards/mine.yaml", "models": "models/models.csv",
          "accuracies": "models/accuracies.csv", "speeds": "measurements/mine.csv"}  # fmt: skip
SOUND = {"chips": CHIP, "boards": BOARD, "models": MODELS, "accuracies": ACCURACIES, "speeds": SPEEDS}  # fmt: skip

# Rule, file, what is replaced in it, what stands there instead, and a word of the finding.
BROKEN = [
    ("missing-source", "chips", "    power: recalled 2026-01\n", "", "my-chip power.max_w"),
    ("undated-source", "chips", "power: recalled 2026-01", "power: recalled", "my-chip power.max_w"),
    ("source-of-nothing", "chips", "    memory: rec", "    links: recalled 2026-01\n    memory: rec", "my-chip links"),
    ("power-without-boundary", "chips", ", boundary: rail", "", "my-chip power"),
    ("price-without-date-or-kind", "chips", "date: 2026-01, kind: chip", "kind: chip", "without date"),
    ("price-without-date-or-kind", "boards", "date: 2026-02, kind: board", "date: 2026-02", "without kind"),
    ("temperature-without-reference", "boards", ", at: ambient", "", "my-board temperature"),
    ("lifecycle-without-date", "boards", ", as_of: 2026-02", "", "my-board lifecycle"),
    ("card-without-link", "boards", LINKS, "", "my-board links"),
    ("two-entries-for-one-thing", "boards", BOARD, BOARD + SECOND, "the same as `my-board`"),
    ("peak-without-support", "chips", "peak_tops: {int8: 4}", "peak_tops: {int8: 4, fp16: 2}", "fp16 has a peak"),
    ("speed-above-peak", "speeds", ",4.5,mean", ",0.1,mean", "6 of 4 TOPS"),
    ("smaller-net-far-slower", "speeds", ROW, ROW + ROW.replace("mynet", "bignet").replace("4.5", "1.1"), "bignet"),
    ("split-over-contexts", "speeds", ROW, ROW + ROW.replace("mynet", "bignet").replace("4.5", "1.1"), "3 times the"),
    ("period-filed-as-latency", "speeds", ROW, ROW + ROW.replace("latency,4.5", "period,9"), "below the period"),
    ("period-filed-as-latency", "speeds", ROW, ROW.replace("myrt", "stream") + PERIODS, "are periods"),
    ("runs-disagree", "speeds", ROW, ROW + ROW.replace("4.5", "45"), "elsewhere 45 ms"),
    ("measured-twice", "speeds", ROW, ROW + ROW, "there already"),
    ("energy-against-power", "speeds", ",board,11,", ",board,99,", "power x time is 11.25 mJ"),
    ("power-above-maximum", "speeds", ",2.5,board,11,", ",7.5,rail,33,", "the maximum is 5 W"),
    ("accuracy-scale", "accuracies", "fp32,,0.86", "fp32,,86", "86 is no auc-0-1"),
    ("quantized-above-float", "accuracies", "mytool,71", "mytool,79", "the float network has 72"),
    ("work-differs", "models", NET, NET + NET.replace("v1", "v2").replace("0.3,", "0.6,"), "gmacs from 0.3 to 0.6"),
    ("one-network-under-two-names", "models", NET, NET + NET.replace("mynet", "my_net"), "the same as `mynet`"),
    ("model-without-source", "models", NET, NET + NET.replace("mynet", "lonely").replace("my page", ""), "lonely"),
]  # fmt: skip


def sound(root, **changes):
    """The small folder, with (old, new) replaced in the files that are named."""
    root = folder(root, speeds=None)
    for name, text in SOUND.items():
        old, new = changes.get(name, ("", ""))
        assert old in text, f"{name} lacks {old!r}"
        path = root / LABELS[name]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace(old, new) if old else text, encoding="utf-8")
    return root


def found(root):
    return check((root,)).open


def test_a_sound_folder_has_no_finding(tmp_path):
    assert [str(finding) for finding in found(sound(tmp_path))] == []


@pytest.mark.parametrize(("rule", "file", "old", "new", "said"), BROKEN)
def test_a_rule_catches_what_it_is_for(tmp_path, rule, file, old, new, said):
    root = sound(tmp_path, **{file: (old, new)})
    caught = [finding for finding in found(root) if finding.rule == rule]
    assert caught, f"{rule} found nothing"
    assert any(said in f"{finding.thing} {finding.message}" for finding in caught)


def test_every_rule_has_a_broken_example():
    assert {rule for rule, *_ in BROKEN} == {rule_name(rule) for rule in RULES}


def test_an_explanation_silences_its_finding_and_no_other(tmp_path):
    root = sound(tmp_path, speeds=(ROW, ROW + ROW))
    (thing,) = {finding.thing for finding in found(root)}
    (root / "explained.csv").write_text(f"rule,thing,reason\nmeasured-twice,{thing},two runs\n", encoding="utf-8")
    report = check((root,))
    assert report.open == ()
    assert [(finding.rule, reason) for finding, reason in report.explained] == [("measured-twice", "two runs")]
    (root / "explained.csv").write_text(f"rule,thing,reason\nspeed-above-peak,{thing},no\n", encoding="utf-8")
    assert {finding.rule for finding in found(root)} == {"measured-twice", "explanation-without-finding"}


def test_nothing_in_the_shipped_catalogue_stands_unexplained():
    assert [str(finding) for finding in check((shipped_root(),)).open] == []


def test_three_planted_faults_are_all_found(tmp_path):
    """In a copy of the whole catalogue: a figure without a source, a pipelined rate as a latency, too short a time."""
    root = tmp_path / "copy"
    shutil.copytree(shipped_root(), root, ignore=shutil.ignore_patterns("importer", "*.py", "*.npz", "__pycache__"))

    def plant(label, old, new):
        path = root / label
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    plant("chips/hailo.yaml", "- id: hailo-8\n", "- id: hailo-8\n  runtimes: [{id: hailo-stream, base_mb: 1234}]\n")
    plant("measurements/npu-hailo.csv", ",period,", ",latency,")
    plant(
        "measurements/npu-sophgo.csv", "resnet50,224,224,int8,1,latency,3.93", "resnet50,224,224,int8,1,latency,0.00393"
    )
    rules = {finding.rule for finding in check((root,)).open}
    assert {"missing-source", "period-filed-as-latency", "speed-above-peak"} <= rules
