"""The candidate table: figures by hand, limits in threes, unknown figures, stages, batches and the user's own data."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dse.api import vocabulary_of
from dse.candidates.context import prepare
from dse.candidates.run_table import NO_HOST
from dse.candidates.table import chunks, concatenate, evaluate_all
from dse.errors import ProblemError
from dse.estimate.evidence import GRADES
from dse.problem.load import parse_problem
from dse.schema import UNKNOWN
from dse.timing.ticks import INFINITE

BASE = """
version: 1
name: test
tasks:
  - {{name: t, task: {kind}, rate_hz: {rate}, deadline_ms: {deadline}, models: ["{model}"], {task}}}
search: {{chips: [{chip}], boards: {{exclude: ["*"]}}, {search}}}
{rest}
"""


OWN = "known: [{{model: yolov5s, chip: rk3588, precision: int8, latency_ms: 9, {}}}]"


def table(
    knowledge,
    *,
    chip="rk3588",
    model="yolov5s",
    rate=10,
    deadline=100,
    task="overhead_ms: 0",
    search="units: [npu], precisions: [int8]",
    rest="",
    kind="object-detection",
):
    """Context and candidates of one small problem."""
    text = BASE.format(
        chip=chip, model=model, rate=rate, deadline=deadline, task=task, search=search, rest=rest, kind=kind
    )
    problem = parse_problem(text, "test", vocabulary_of(knowledge.catalog))
    context = prepare(problem, problem.tasks[0], knowledge)
    return context, evaluate_all(context)


def broken(context, candidates):
    """Names of the rules every candidate breaks."""
    from dse.candidates.limits import names_of

    return {name for bits in candidates.violated.tolist() for name in names_of(bits, context.rules)}


def test_worst_case_of_a_measured_network_by_hand(knowledge):
    """RK3588, YOLOv5s, one core: 1000/48.4 fps = 20.661157 ms, statistic not stated, so grade B with a guard.

    Guard: 1.09 ** (z(0.8) / z(0.95)) = exp(0.0861777 x 0.841621 / 1.644854) = 1.0450811; tail of NPUs in SoCs 1.6.
    20.661157 x 1.0450811 x 1.6 = 34.548136 ms, rounded up to a tick of 0.0001 ms.
    """
    _, candidates = table(knowledge)
    assert set(candidates.worst_case_ms.tolist()) == {345_482}


def test_streams_wait_for_each_other(knowledge):
    """Two streams may release at once: the second waits for the first, so the bound doubles."""
    _, one = table(knowledge, rate=5)
    _, two = table(knowledge, rate=5, task="overhead_ms: 0, streams: 2", search="units: [npu], batches: [1]")
    assert two.worst_case_ms[0] == 2 * one.worst_case_ms[0]


@pytest.mark.parametrize(("deadline", "feasible"), [(1000, True), (34.5482, True), (34.5481, False), (1, False)])
def test_deadline_in_threes(knowledge, deadline, feasible):
    """Far away, exactly on the bound, one tick short, hopeless. Bound: 34.5482 ms (see above)."""
    context, candidates = table(knowledge, deadline=deadline)
    assert candidates.worst_case_ms[0] == 345_482
    assert bool((candidates.violated == 0).any()) is feasible
    assert ("deadline_ms" in broken(context, candidates)) is not feasible


@pytest.mark.parametrize(("limit", "feasible"), [(1000, True), (399, True), (398.99, False)])
def test_price_in_threes(knowledge, limit, feasible):
    """Jetson Orin Nano 8 GB: newest list price of the module 399 USD."""
    context, candidates = table(
        knowledge,
        chip="jetson-orin-nano-8gb",
        model="yolo11n",
        search="units: [gpu]",
        rest=f"limits: {{price_usd: {limit}}}",
    )
    assert set(candidates.price_usd.tolist()) == {399_000_000}
    assert bool((candidates.violated == 0).any()) is feasible
    assert ("price_usd" in broken(context, candidates)) is not feasible


@pytest.mark.parametrize(("limit", "feasible"), [(60, True), (7, True), (6.999, False)])
def test_power_in_threes(knowledge, limit, feasible):
    """Jetson Orin Nano 8 GB in its 7 W mode: the mode's budget is the power."""
    _, candidates = table(
        knowledge,
        chip="jetson-orin-nano-8gb",
        model="yolo11n",
        rate=1,
        deadline=1000,
        search="units: [gpu], modes: [7W]",
        rest=f"limits: {{power_w: {limit}}}",
    )
    assert set(candidates.power_w.tolist()) == {7_000_000}
    assert bool((candidates.violated == 0).any()) is feasible


@pytest.mark.parametrize(("floor", "feasible"), [(0, True), (33.16, True), (33.17, False)])
def test_accuracy_in_threes(knowledge, floor, feasible):
    """The limit is on the lower end of the interval: the best of YOLOv5s at int8 ends at 33.1625.

    Float 37.4 points less the largest published int8 loss of the network, widened by half of what losses scatter.
    """
    task = f"overhead_ms: 0, min_accuracy: {floor}"
    context, candidates = table(knowledge, task=task)
    assert int(candidates.accuracy_low.max()) == 33_162_500
    assert bool((candidates.violated == 0).any()) is feasible
    assert ("min_accuracy" in broken(context, candidates)) is (floor > 0)


@pytest.mark.parametrize(("most", "feasible"), [(50, True), (34.5482, True), (34.5481, False)])
def test_stage_limit_in_threes(knowledge, most, feasible):
    """A limit on the network alone looks at its service, not at queues and other stages."""
    stages = f"stages: [{{name: capture, delay_ms: 20}}, {{name: infer, max_ms: {most}}}]"
    context, candidates = table(knowledge, task=stages)
    assert bool((candidates.violated == 0).any()) is feasible
    assert ("stage infer" in broken(context, candidates)) is not feasible


@pytest.mark.parametrize(("policy", "feasible"), [("flag", True), ("reject", False)])
def test_unknown_power_is_never_zero(knowledge, policy, feasible):
    """Nobody published the QCS9075's power: rejected or flagged, but never taken as nothing."""
    context, candidates = table(
        knowledge,
        chip="qcs9075",
        model="yolo*",
        deadline=500,
        rest=f"limits: {{power_w: {{max: 5, unknown: {policy}}}}}",
    )
    assert set(candidates.power_w.tolist()) == {UNKNOWN}
    assert bool((candidates.violated == 0).any()) is feasible
    bit = [rule.name for rule in context.rules].index("power_w")
    assert (candidates.unknown >> bit & 1).all()


def test_a_period_is_not_a_latency(knowledge):
    """Hailo-8 prints pipelined frames per second: left out by default, and widened to 8 periods when asked for."""
    host = "host: {owned: true, cpu_cores: 4}"
    context, candidates = table(knowledge, chip="hailo-8", model="yolov5s*", search="units: [npu]", rest=host)
    assert len(candidates) == 0
    assert any("pipelined rate" in reason for reason in context.space.dropped)
    context, candidates = table(
        knowledge, chip="hailo-8", model="yolov5s*", search="units: [npu]", rest=host + "\nguard: {evidence: E}"
    )
    period_ms = context.runs.period_ms[candidates.run[0]]
    assert candidates.worst_case_ms[0] / 1e4 >= 8 * period_ms
    assert candidates.rate_hz[0] / 1e3 > 4 * 1000 / (candidates.worst_case_ms[0] / 1e4)


def test_a_card_needs_a_host(knowledge):
    """Without a host a card is not a design; with an owned one nothing is added, with a stated one its figures are."""
    with pytest.raises(ProblemError, match="every chip the search admits is a card: nvidia-t4"):
        table(knowledge, chip="nvidia-t4", model="*", search="units: [gpu]", deadline=500)
    context, candidates = table(knowledge, chip="nvidia-t4, jetson-nano", model="*", search="units: [gpu]", rate=1)
    assert {context.lanes.chip[context.lane_of(run)] for run in candidates.run.tolist()} == {"jetson-nano"}
    assert context.space.names[NO_HOST] == {"nvidia-t4"}
    _, owned = table(
        knowledge, chip="nvidia-t4", model="*", search="units: [gpu]", deadline=500, rest="host: {owned: true}"
    )
    host = "host: {power_w: 30, price_usd: 400, cpu_cores: 8}"
    _, stated = table(knowledge, chip="nvidia-t4", model="*", search="units: [gpu]", deadline=500, rest=host)
    assert set((stated.power_w - owned.power_w).tolist()) == {30_000_000}


def test_cpu_stages_without_cores_run_in_series(knowledge):
    """A network on all CPU cores leaves none: two stages of 5 ms join its own time on one server, per stream."""
    stages = "stages: [{name: a, on: cpu, time_ms: 5}, {name: infer}, {name: b, on: cpu, time_ms: 5}]"
    search = "units: [cpu], precisions: [int8]"
    kwargs = {"chip": "raspberry-pi-4", "model": "*", "rate": 0.5, "deadline": 5000, "search": search}
    _, plain = table(knowledge, **kwargs)
    _, staged = table(knowledge, task=stages, **kwargs)
    _, twice = table(knowledge, task=stages + ", streams: 2", **kwargs)
    bounded = twice.worst_case_ms < INFINITE
    assert bounded.sum() > 10
    assert set((staged.worst_case_ms - plain.worst_case_ms)[bounded].tolist()) == {100_000}
    in_series = staged.utilization > plain.utilization
    assert (twice.worst_case_ms == 2 * staged.worst_case_ms)[bounded & in_series].all()
    assert (bounded & in_series).any()


def test_overlap_saves_latency_of_one_frame(knowledge):
    """By hand: 8 ms copy + service - half of 8 ms, in series with one buffer; the period shrinks with it."""
    task = "stages: [{name: copy, on: dma, time_ms: 8, overlap: 0.5}, {name: infer}]"
    _, plain = table(knowledge)
    _, overlapped = table(knowledge, task=task)
    assert overlapped.worst_case_ms[0] - plain.worst_case_ms[0] == 40_000
    _, double = table(knowledge, task=task, search="units: [npu], buffers: [2]")
    assert double.worst_case_ms[0] == overlapped.worst_case_ms[0]
    assert double.utilization[0] == plain.utilization[0] < overlapped.utilization[0]


def test_own_measurement_goes_before_the_catalogue(knowledge):
    """14 ms, the largest of the runs: no guard, no tail, and the catalogue's row of this key is gone."""
    own = "model: yolov5s, chip: rk3588, unit: npu, precision: int8, latency_ms: 14, statistic: max, power_w: 4.5"
    rest = f"known: [{{{own}}}]"
    context, candidates = table(knowledge, rest=rest)
    assert set(candidates.worst_case_ms.tolist()) == {140_000}
    assert set(candidates.power_w.tolist()) == {4_500_000}
    assert {context.lanes.runtime[context.lane_of(run)] for run in candidates.run.tolist()} == {"known"}


def test_a_network_like_another_borrows_accuracy_not_time(knowledge):
    """The new name runs only where it was measured, and its accuracy is grade D."""
    rest = "known: [{model: mine, like: yolov5s, chip: rk3588, unit: npu, precision: int8, latency_ms: 9}]"
    _, candidates = table(knowledge, model="mine", rest=rest)
    assert len(candidates) > 0
    assert (candidates.accuracy_grade >= 3).all()
    _, elsewhere = table(knowledge, model="mine", chip="rk3576", rest=rest)
    assert len(elsewhere) == 0


def test_stated_accuracy_of_an_own_network_is_used(knowledge):
    """An accuracy the user measured is grade A and exact."""
    rest = "known: [{model: mine, like: yolov5s, chip: rk3588, precision: int8, latency_ms: 9, accuracy: 33.3}]"
    _, candidates = table(knowledge, model="mine", rest=rest)
    assert set(candidates.accuracy.tolist()) == {33_300_000}
    assert set(candidates.accuracy_grade.tolist()) == {0}


def test_modes_scale_the_reference_by_hand(knowledge):
    """Jetson Nano, 5 W mode: clock 640 of 921.6 MHz, same memory clock; the compute share grows by 1/0.6944."""
    context, _ = table(knowledge, chip="jetson-nano", model="*", search="units: [gpu]", deadline=5000, rate=0.1)
    modes = {context.lanes.mode[lane] for lane in context.runs.lane.tolist()}
    assert modes == {"MAXN", "5W"}
    runs = context.runs
    by_mode = {
        mode: {
            (int(net), context.lanes.runtime[lane], context.lanes.precision[lane]): time
            for net, lane, time in zip(runs.net.tolist(), runs.lane.tolist(), runs.typical_ms.tolist(), strict=True)
            if context.lanes.mode[lane] == mode
        }
        for mode in modes
    }
    ratios = np.array([by_mode["5W"][key] / by_mode["MAXN"][key] for key in by_mode["5W"]])
    assert (ratios > 1).all()
    assert (ratios <= 1 / 0.6944 + 1e-3).all()


def test_chunks_do_not_change_the_table(knowledge):
    """Small chunks give the same rows in the same order as large ones."""
    context, whole = table(knowledge, chip='"rk35*"', model="*", search="units: [npu, cpu]")
    parts = concatenate(list(chunks(context, size=500)))
    for field in dataclasses.fields(whole):
        assert np.array_equal(getattr(whole, field.name), getattr(parts, field.name)), field.name


def test_batches_of_one_appear_once_per_buffering(knowledge):
    """Policies and time-outs change nothing at batch 1."""
    search = "units: [npu], batches: [1, 4], batching: {policy: dynamic, timeout_ms: [0, 5, 10]}, buffers: [1, 2]"
    context, candidates = table(knowledge, chip="bm1684x", model="centernet", task="streams: 4", search=search)
    batch = context.runs.batch[candidates.run]
    lanes = len(
        set(
            zip(
                context.runs.lane[candidates.run[batch == 1]].tolist(),
                candidates.entry[batch == 1].tolist(),
                strict=True,
            )
        )
    )
    assert (batch == 1).sum() == 2 * lanes
    assert (batch == 4).sum() % 6 == 0
    assert (batch == 4).any()


@pytest.mark.parametrize(
    ("limit", "feasible"),
    [
        ("chip.vendor: rockchip", True),
        ("chip.vendor: {not_in: [Rockchip]}", False),
        ("chip.memory.bandwidth_gbs: {min: 43.8}", True),
        ("chip.memory.bandwidth_gbs: {min: 43.81}", False),
        ("chip.sram_kib: {min: 1152}", True),
        ("chip.power.typical_w: {max: 100}", False),
        ("chip.power.typical_w: {max: 100, unknown: flag}", True),
        ("model.params_m: {max: 7.3}", True),
        ("model.params_m: {max: 7}", False),
        ("result.precision: {in: [int8]}", True),
        ("result.grade: {in: [A]}", False),
        ("result.worst_case_ms: {max: 34.55}", True),
        ("ambient_c: {min: 0, max: 40, unknown: flag}", True),
        ("ambient_c: [0, 40]", True),
        ("ambient_c: [-20, 40]", False),
        ("flash_mb: 100", False),
        ("model.operators: {not_in: [attention, recurrent]}", True),
        ("model.operators: {not_in: [conv]}", False),
        ("chip.os: linux", True),
        ("chip.temperature.at: junction", False),
    ],
)
def test_any_attribute_can_be_limited(knowledge, limit, feasible):
    """Attributes of chip, network and result; a missing figure follows the policy."""
    _, candidates = table(knowledge, rest=f"limits: {{{limit}}}")
    assert bool((candidates.violated == 0).any()) is feasible


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"rest": "limits: {chip.colour: {max: 3}}"}, "no attribute `colour` of a chip"),
        ({"task": "dataset: pascal-voc, metric: miou"}, "has an accuracy on pascal-voc as miou"),
        ({"rest": "objectives: [{minimize: flash_mb}]"}, "cannot optimise `flash_mb`"),
        ({"rest": "limits: {ambient_c: {in: [20]}}"}, "limits.ambient_c: takes no list"),
        ({"rest": "limits: {flash_mb: {not_in: [20]}}"}, "limits.flash_mb: takes no list"),
        ({"task": "input: {min_px: 5000}"}, "no object-detection network with an accuracy on coco-2017"),
        ({"rate": "5e-324"}, "a period of 1e.300 ms is out of range"),
        (
            {"task": "stages: [{name: a, on: cpu, time_ms: {rk3588: 1.0e+300}}, {name: infer}]"},
            "stage a: 1e.300 ms is out of range",
        ),
        ({"rest": OWN.format("unit: dla")}, "rk3588 has no unit `dla` .known: cpu, gpu, npu"),
        ({"rest": OWN.format("mode: MAXN")}, "rk3588 has no mode `MAXN`"),
    ],
)
def test_what_the_table_cannot_hold_is_an_input_error(knowledge, kwargs, match):
    """Names nobody checked before are refused with the possible ones."""
    with pytest.raises(ProblemError, match=match):
        table(knowledge, **kwargs)


def test_memory_capacity_is_checked_unasked(knowledge):
    """A reserve as large as the memory leaves nothing: every design breaks the capacity, sizes known or not."""
    context, candidates = table(
        knowledge,
        chip="jetson-agx-orin-64gb",
        model="yolo*",
        search="units: [gpu]",
        deadline=5000,
        rate=0.1,
        rest="reserve: {memory_mb: 64000}",
    )
    bit = [rule.name for rule in context.rules].index("memory capacity")
    assert len(candidates) > 100
    assert (candidates.violated >> bit & 1).all()


def test_two_stages_on_one_engine_run_in_series(knowledge):
    """By hand: upload 3 ms and download 2 ms on one DMA engine join the network: two streams wait 2 x (s + 5)."""
    task = "streams: 2, stages: [{name: up, on: dma, time_ms: 3}, {name: infer}, {name: down, on: dma, time_ms: 2}]"
    _, alone = table(knowledge, rate=5)
    _, both = table(knowledge, rate=5, task=task, search="units: [npu], batches: [1], buffers: [2]")
    assert both.worst_case_ms[0] == 2 * (alone.worst_case_ms[0] + 50_000)


def test_contention_of_the_network_adds_to_its_service(knowledge):
    """4 ms of waiting for the memory bus, once per inference."""
    _, plain = table(knowledge)
    _, contended = table(knowledge, task="stages: [{name: infer, contention_ms: 4}]")
    assert contended.worst_case_ms[0] - plain.worst_case_ms[0] == 40_000


def test_streams_can_be_capped(knowledge):
    """A cap below the streams asked refuses every design, by its own name."""
    search = "units: [npu], devices: {max_streams_each: 3}"
    context, candidates = table(knowledge, rate=1, task="streams: 4", search=search)
    assert "max_streams_each" in broken(context, candidates)


def test_default_weights_are_one_per_network(knowledge):
    """The best tag with a public int8 figure stands for its architecture."""
    context, every = table(knowledge, model="yolov8n")
    _, default = table(knowledge, model="yolov8n", search="units: [npu], weights: default")
    tags = {context.catalog.entries.weights[entry] for entry in every.entry.tolist()}
    assert len(tags) > 1
    assert len({int(entry) for entry in default.entry.tolist()}) == 1


def test_an_estimate_never_undercuts_a_measurement(knowledge):
    """YOLO26s fp16 was measured on the T4 with one runtime: no estimate for another runtime stands beside it."""
    context, candidates = table(
        knowledge,
        chip="nvidia-t4",
        model="yolo26s",
        search="units: [gpu], precisions: [fp16]",
        rest="host: {owned: true}",
    )
    grades = {GRADES[context.runs.grade[run]] for run in candidates.run.tolist()}
    assert grades <= {"A", "B"}
    assert len(candidates) > 0


def test_an_own_measurement_at_any_batch_ends_estimates(knowledge):
    """Measured at batch 8 by the user: the estimate at batch 1 is gone, not a cheaper way out."""
    rest = "known: [{model: yolo26s, chip: rk3588, unit: npu, precision: int8, batch: 8, latency_ms: 400}]"
    search = "units: [npu], precisions: [int8], batches: [1, 8]"
    context, plain = table(knowledge, model="yolo26s", search=search, deadline=5000, rate=1)
    assert {int(context.runs.batch[run]) for run in plain.run.tolist()} == {1}
    context, own = table(knowledge, model="yolo26s", search=search, rest=rest, deadline=5000, rate=1)
    assert {int(context.runs.batch[run]) for run in own.run.tolist()} == {8}


def test_batches_restrict_the_search(knowledge):
    """`batches: 8` leaves nothing at batch 1."""
    context, candidates = table(knowledge, chip="bm1688", model="*", search="batches: [4]", task="streams: 4", rate=1)
    assert {int(context.runs.batch[run]) for run in candidates.run.tolist()} == {4}


def test_modes_are_scaled_from_whichever_was_measured(knowledge):
    """TensorRT on the Orin Nano was measured in MAXN_SUPER alone: its times in the 15 W mode follow from there."""
    search = "units: [gpu], runtimes: [ultra-tensorrt]"
    context, _ = table(knowledge, chip="jetson-orin-nano-8gb", model="yolo11s", search=search, deadline=1000)
    modes = {context.lanes.mode[lane] for lane in context.runs.lane.tolist()}
    assert {"MAXN_SUPER", "25W", "15W", "7W"} <= modes
    times = {
        context.lanes.mode[lane]: time
        for lane, time in zip(context.runs.lane.tolist(), context.runs.typical_ms.tolist(), strict=True)
        if context.lanes.precision[lane] == "fp16"
    }
    # Clocks 1020, 918, 624.8 and 408 MHz; the slowest mode also gates half of the GPU.
    assert times["MAXN_SUPER"] < times["25W"] < times["15W"] < times["7W"]
    assert 1.4 < times["15W"] / times["MAXN_SUPER"] < 1.7


def test_the_worst_case_starts_from_the_slowest_row(knowledge):
    """Two rows of one key differ: the slower one decides and is the one that is cited."""
    runs_of, _ = table(knowledge, chip="efr32mg24", model="*", search="units: [mcu]", deadline=5000, rate=0.1,
                       kind="visual-wake-words")  # fmt: skip
    several = np.flatnonzero(runs_of.runs.measurements > 1)
    assert len(several)
    for run in several:
        row = int(runs_of.runs.row[run])
        assert runs_of.catalog.measurements.time_ms[row] == pytest.approx(runs_of.runs.base_ms[run])


def stages(text):
    """The task part of a problem with these stages."""
    return f"stages: [{text}]"


def test_what_lies_between_two_stages_in_series_is_in_series_too(knowledge):
    """Two stages on one engine with 6 ms of delay between them: an item holds the server through the delay."""
    copies = (
        "{name: up, on: dma, time_ms: 3}, {name: infer}, {name: wait, delay_ms: 6}, {name: down, on: dma, time_ms: 2}"
    )
    search = "units: [npu], batches: [1], buffers: [2]"
    _, alone = table(knowledge, rate=5)
    _, both = table(knowledge, rate=5, task=f"streams: 2, {stages(copies)}", search=search)
    assert both.worst_case_ms[0] == 2 * (alone.worst_case_ms[0] + 110_000)


def test_a_delay_beside_the_server_is_waited_for_once(knowledge):
    """A delay after the last stage in series occupies nothing: every item pays it once."""
    text = "{name: infer}, {name: wait, delay_ms: 6, variation_ms: 1}"
    search = "units: [npu], batches: [1]"
    _, alone = table(knowledge, rate=5, task="overhead_ms: 0, streams: 2", search=search)
    _, late = table(knowledge, rate=5, task=f"streams: 2, {stages(text)}", search=search)
    assert late.worst_case_ms[0] - alone.worst_case_ms[0] == 70_000


def test_overlap_of_a_stage_in_series_saves_nothing(knowledge):
    """Two crowded stages run to completion one after the other: what they say of overlap cannot happen."""
    text = "{{name: a, on: dma, time_ms: 3, overlap: {}}}, {{name: infer}}, {{name: b, on: dma, time_ms: 2}}"
    search = "units: [npu], buffers: [2]"
    _, none = table(knowledge, task=stages(text.format(0)), search=search)
    _, full = table(knowledge, task=stages(text.format(1)), search=search)
    assert none.worst_case_ms.tolist() == full.worst_case_ms.tolist()


def test_a_delay_between_copy_and_network_does_not_part_them(knowledge):
    """With one buffer the copy waits for the network, a delay between them or not."""
    copy, wait = "{name: copy, on: dma, time_ms: 8}", "{name: wait, delay_ms: 1}"
    _, near = table(knowledge, task=stages(f"{copy}, {{name: infer}}"))
    _, far = table(knowledge, task=stages(f"{copy}, {wait}, {{name: infer}}"))
    assert (far.utilization > near.utilization).all()


def test_stated_megabytes_are_always_charged(knowledge):
    """Behind a link, 30 MB the user states take their time even where the measured figure contains the upload."""
    kwargs = {"chip": "nvidia-t4", "model": "yolo26s", "search": "units: [gpu]", "deadline": 1000}
    kwargs["rest"] = "host: {owned: true, cpu_cores: 8}"
    _, plain = table(knowledge, task=stages("{name: infer}"), **kwargs)
    _, charged = table(knowledge, task=stages("{name: copy, mbytes: 30}, {name: infer}"), **kwargs)
    # PCIe 3.0 x16 is 15.8 GB/s, of which three quarters are usable: 2.53165 ms.
    assert set((charged.worst_case_ms - plain.worst_case_ms).tolist()) == {25_317}


def test_a_stage_of_the_source_can_be_limited(knowledge):
    """`max_ms` counts wherever the stage is written."""
    text = """
sources: [{name: cam, rate_hz: 10, stages: [{name: decode, on: cpu, time_ms: 5, max_ms: 4}]}]
tasks: [{name: t, task: object-detection, source: cam, deadline_ms: 200, models: [yolov5s]}]
search: {chips: [rk3588], units: [npu]}
"""
    problem = parse_problem(text, "test", vocabulary_of(knowledge.catalog))
    context = prepare(problem, problem.tasks[0], knowledge)
    assert "stage decode" in broken(context, evaluate_all(context))


@pytest.mark.parametrize(("chip", "cores"), [("rk3588", 8), ("sa7255p", None)])
def test_unknown_cores_are_none(knowledge, chip, cores):
    """A chip whose CPU cores nobody published has no core for a stage: it runs in series with the network."""
    assert knowledge.catalog.chips[chip].cpu_cores == cores
    kwargs = {
        "chip": chip,
        "model": "yolo*",
        "search": "units: [npu], precisions: [int8], batches: [1]",
        "rate": 1,
        "deadline": 5000,
    }
    _, plain = table(knowledge, **kwargs)
    _, staged = table(knowledge, task=stages("{name: a, on: cpu, time_ms: 5}, {name: infer}"), **kwargs)
    assert len(plain) > 0
    busy = plain.utilization >= 5_000  # beside a shorter run the CPU's own 5 ms would be the bottleneck
    longer = (staged.utilization - plain.utilization)[busy].tolist()
    assert set(longer) == ({0} if cores else {5_000})  # 5 ms of a period of 1 s, in millionths


def test_every_nth_frame_of_synchronous_streams_is_not_synchronous(knowledge):
    """Streams may count their frames from different ones, so the batch need not gather at once."""
    task = "streams: 2, phase: synchronous, overhead_ms: 0, every_nth: {}"
    context, _ = table(knowledge, task=task.format(2), rate=4)
    assert not context.arrivals.synchronous
    context, _ = table(knowledge, task=task.format(1), rate=4)
    assert context.arrivals.synchronous


def test_a_stated_accuracy_is_one_of_its_data_set(knowledge):
    """YOLOv3 has figures on COCO and on Pascal VOC: only the data set the task is judged on is replaced."""
    rest = "known: [{model: yolov3, chip: rk3588, unit: npu, precision: int8, latency_ms: 90, accuracy: 44.4}]"
    context, _ = table(knowledge, model="yolov3", rest=rest)
    entries, figures = context.catalog.entries, context.catalog.accuracies
    of_net = {
        entries.dataset[k] for k in range(len(entries.net)) if context.catalog.nets.id[entries.net[k]] == "yolov3"
    }
    own = figures.entry[figures.toolchain == "known"]
    assert of_net == {"coco-2017", "pascal-voc"}
    assert set(zip(entries.dataset[own].tolist(), entries.metric[own].tolist(), strict=True)) == {
        ("coco-2017", "map50-95")
    }


def test_an_own_accuracy_for_another_task_changes_nothing(knowledge):
    """`task:` says what the figure is of."""
    context, _ = table(knowledge, rest=OWN.format("accuracy: 33.3, task: depth-estimation"))
    assert "known" not in context.catalog.accuracies.toolchain


def test_an_own_rate_does_not_remove_usable_figures(knowledge):
    """A pipelined rate is grade E: the latency of the catalogue stays."""
    _, plain = table(knowledge)
    _, own = table(knowledge, rest="known: [{model: yolov5s, chip: rk3588, unit: npu, precision: int8, period_ms: 9}]")
    assert len(own) == len(plain) > 0
