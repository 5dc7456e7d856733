"""What a user's own measurements change: their devices, as far as the rows go, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from dse.catalog.paths import shipped_root
from dse.estimate.estimator import rows_of
from dse.estimate.networks import KnownNetworks
from dse.estimate.pairs import Named, PairEstimator
from dse.estimate.places import Asked
from dse.estimate.store import compile_catalogues, content_key
from dse.estimate.update import fit_more, updated

# Networks at 224 pixels whose times on a Hailo-8 are in the shipped catalogue; the new chips need SLOWER times more.
NETS = ["resnet18", "resnet50", "mobilenet_v1", "mobilenet_v2", "squeezenet1_1", "efficientnet_lite0", "inception_v1"]
SHOWN = {"lab-one": ["resnet50"], "lab-three": ["resnet50", "mobilenet_v2", "resnet18"]}
SLOWER, WORSE = 5.0, 2.0
# At 640 pixels on an RK3588, where they were not measured; on other chips of its vendor and runtime they were: what
# vendor and runtime make of them is known, and stays.
OWN, OWN_SIDE = ["ppyoloe_s", "yolo11n", "yolov8m", "yolox_m"], 640
CHIP = """\
- id: {chip}
  vendor: Lab
  class: camera-soc
  form: soc
  cpu_cores: 4
  units: [{{id: npu, peak_tops: {{int8: 5}}, precisions: [int8]}}]
"""
HEADER = (
    "chip,unit,cores,runtime,model,input_h,input_w,precision,batch,quantity,time_ms_per_item,statistic,boundary,"
    "source_repo"
)


def asked(station, chip, models, side=224, **place):
    """Answers for networks at one input size."""
    named = [Named(model, side, side) for model in models]
    return station.answer([Asked(**{"chip": chip, "unit": "npu", "precision": "int8"} | place)] * len(named), named)


@pytest.fixture(scope="module")
def before(knowledge):
    return PairEstimator(knowledge.catalog, knowledge.estimator)


@pytest.fixture(scope="module")
def truth(before):
    """What the new chips take: `SLOWER` times a Hailo-8."""
    return dict(zip(NETS, SLOWER * asked(before, "hailo-8", NETS).time_ms, strict=True))


@pytest.fixture(scope="module")
def mine(before, truth, tmp_path_factory):
    """One folder with everything: rows of a shipped device that was thought faster, two chips of one's own."""
    root = tmp_path_factory.mktemp("update")
    rows = [
        f"{chip},npu,,labrt,{model},224,224,int8,1,latency,{truth[model]:.6g},mean,chip,lab"
        for chip, models in SHOWN.items()
        for model in models
    ]
    found = asked(before, "rk3588", OWN, OWN_SIDE, runtime="rknn-1core")
    rows += [
        f"rk3588,npu,1,rknn-1core,{model},640,640,int8,1,latency,{WORSE * time_ms:.6g},mean,chip,lab"
        for model, time_ms in zip(OWN, found.time_ms, strict=True)
    ]
    for label, text in {
        "chips/lab.yaml": "".join(CHIP.format(chip=chip) for chip in SHOWN),
        "measurements/lab.csv": "\n".join((HEADER, *rows)) + "\n",
    }.items():
        (root / "mine" / label).parent.mkdir(parents=True)
        (root / "mine" / label).write_text(text, encoding="utf-8")
    roots = (shipped_root(), root / "mine")
    # As `load` does, without a file that pushes another one out of the cache.
    return compile_catalogues(roots, content_key(roots))


@pytest.fixture(scope="module")
def after(mine):
    return PairEstimator(mine.catalog, mine.estimator)


def test_without_new_rows_it_is_the_same_station(knowledge):
    assert fit_more(knowledge.catalog, knowledge.catalog.trials, knowledge.estimator) is knowledge.estimator
    none = np.zeros(len(knowledge.catalog.trials.log_ms), dtype=np.bool_)
    again = updated(knowledge.estimator, *rows_of(knowledge.catalog), knowledge.catalog.trials.log_ms, none)
    assert again is knowledge.estimator


def test_what_was_measured_answers_for_itself(after, before):
    found = asked(after, "rk3588", OWN, OWN_SIDE, runtime="rknn-1core")
    assert set(found.level) == {"A"}
    assert found.time_ms == pytest.approx(
        WORSE * asked(before, "rk3588", OWN, OWN_SIDE, runtime="rknn-1core").time_ms, rel=1e-4
    )


def test_estimates_of_the_device_move_towards_the_rows(after, before, knowledge):
    """Four rows that are twice as slow beside forty that are not: other networks move a little, these more.

    None moves by more than what was measured.
    """

    def moved(models, side):
        now, was = (asked(station, "rk3588", models, side, runtime="rknn-1core") for station in (after, before))
        return now.time_ms / was.time_ms

    t = knowledge.catalog.trials
    known = set(t.model[(t.device == "rk3588") & (t.unit == "npu")])
    others = [model for model in sorted(set(t.model[t.input_h == OWN_SIDE])) if model not in {*known, *OWN}][:100]
    assert len(others) > 50
    assert 1.01 < np.median(moved(others, OWN_SIDE)) < 1.2
    assert (moved(others, OWN_SIDE) > 1).mean() > 0.9
    assert moved(others, OWN_SIDE).max() < WORSE
    at_half = moved(OWN, OWN_SIDE // 2)
    assert np.median(moved(others, OWN_SIDE)) < np.median(at_half) < WORSE
    assert at_half.min() > 1.02


def test_other_devices_stay_as_they_were(mine, knowledge):
    """Bit for bit, under every measured condition of theirs and for every network of the catalogue."""
    conditions, _place = rows_of(knowledge.catalog)[0].distinct()
    conditions = conditions.take(conditions.device != "rk3588")
    assert len(conditions.unit) > 900
    networks = KnownNetworks(knowledge.catalog).of_catalog()
    seen = knowledge.estimator.seen.anywhere(networks)
    networks = networks.take(np.flatnonzero(seen == mine.estimator.seen.anywhere(networks))[::7])
    c, n = np.arange(0, len(conditions.unit), 7)[:, None], np.arange(len(networks.model))[None, :]
    was, now = (station.estimate(conditions, networks, c, n) for station in (knowledge.estimator, mine.estimator))
    assert np.array_equal(was.log_ms, now.log_ms)
    assert np.array_equal(was.level, now.level)
    assert np.array_equal(was.half_width, now.half_width)


@pytest.mark.parametrize(("chip", "level", "factor"), [("lab-one", "K1", 2.0), ("lab-three", "C1", 1.5)])
def test_a_new_chip(after, truth, chip, level, factor):
    """One measured network and three: the others are found within a factor in the median, and nine in ten inside."""
    hidden = [model for model in NETS if model not in SHOWN["lab-three"]]
    found = asked(after, chip, hidden)
    assert set(found.level) == {level}
    wanted = np.array([truth[model] for model in hidden])
    assert np.median(np.abs(np.log(found.time_ms / wanted))) < np.log(factor)
    assert ((found.low_ms <= wanted) & (wanted <= found.high_ms)).mean() >= 0.75
    shown = asked(after, chip, SHOWN[chip], runtime="labrt")
    assert set(shown.level) == {"A"}


def test_every_row_more_makes_the_interval_narrower(after):
    hidden = [model for model in NETS if model not in SHOWN["lab-three"]]
    one, three = (asked(after, chip, hidden) for chip in SHOWN)
    assert np.median(three.high_ms / three.low_ms) < np.median(one.high_ms / one.low_ms)


def test_networks_nobody_measured_on_a_new_chip(after):
    found = [asked(after, chip, ["never_heard_of"]) for chip in SHOWN]
    assert [answer.level[0] for answer in found] == ["K2-", "C2-"]
    assert all(0 < answer.low_ms[0] < answer.time_ms[0] < answer.high_ms[0] for answer in found)
