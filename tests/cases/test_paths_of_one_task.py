"""Paths around one network: decoders and what stands in for them, sources at their own rate, overlap, servers, p99.

Two chips run one network in 10 ms (``statistic: max``, so nothing is added); one has a decoder of 16 streams 1080p30,
that is 1000/(30·16) = 2.0833… ms a frame, the other none and four CPU cores, one of which is kept.
"""

from __future__ import annotations

from math import log, sqrt

import pytest
from rich.console import Console

from dse.api import load_problem
from dse.errors import ProblemError
from dse.report.text import show_answer
from tests.cases.folders import catalogue, solved

CHIP = """\
- id: {chip}
  vendor: Case
  name: {chip}
  class: camera-soc
  form: soc
  cpu_cores: {cores}
  units: [{{id: npu, precisions: [int8]}}]
  {decoder}
"""
DECODER_MS = 1000 / (30 * 16)
NET_MS = 10
TASK = "task: image-classification, models: [case_net]"
TICK_MS = 1e-4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    chips = CHIP.format(chip="case-dec", cores=4, decoder="video_decode: {streams_1080p30: 16}")
    chips += CHIP.format(chip="case-bare", cores=4, decoder="")
    chips += CHIP.format(chip="case-one", cores=2, decoder="")
    runs = [
        {"chip": chip, "unit": "npu", "runtime": "case-rt", "model": "case_net", "time_ms_per_item": NET_MS}
        for chip in ("case-dec", "case-bare", "case-one")
    ]
    runs += [run | {"batch": 4, "time_ms_per_item": 5} for run in runs]  # 20 ms a batch of four
    models = [{"id": "case_net", "params_m": 3.5, "gmacs": 0.3, "accuracy": 71}]
    return catalogue(tmp_path_factory.mktemp("paths"), chips=chips, models=models, runs=runs)


@pytest.fixture(scope="module")
def ask(folder):
    """Answer on one chip; `source` is a source named cam, without one the task states its own rate."""

    def asked(task, *, chip="case-dec", source="", search="batches: [1]", limits="utilization: 1"):
        rest = f"search: {{chips: [{chip}], {search}}}\nlimits: {{{limits}}}"
        if source:
            rest += f"\nsources: {{name: cam, {source}}}"
            task = f"source: cam, {task}"
        return solved(folder, f"{TASK}, {task}", rest)

    return asked


def latency_of(result):
    assert result.status == "optimal", result.data["killed_by"]
    return result.data["assignments"][0]["latency"]


def parts_of(result):
    """Parts of the worst case by stage and part; they add up to it."""
    latency = latency_of(result)
    assert sum(part["ms"] for part in latency["parts"]) == pytest.approx(latency["worst_case_ms"], abs=1e-9)
    return {(part["stage"], part["part"]): part["ms"] for part in latency["parts"]}


def loads_of(result):
    return {load["resource"]: load["utilization"] for load in result.data["bottleneck"]["loads"]}


def printed(result):
    """The answer as the terminal shows it."""
    console = Console(record=True, width=200)
    show_answer(result.data, console)
    return console.export_text()


SOURCE = "streams: 4, rate_hz: 10, stages: [{name: decode, on: video-decoder, else: {on: cpu, time_ms: 6}}]"


def test_a_decoder_takes_its_time_from_the_catalogue(ask):
    """Four frames at once: 2.0833 + 10 + 3·10; without a size they count as 1920 x 1080, and the answer says so."""
    result = ask("deadline_ms: none", source=SOURCE)
    assert latency_of(result)["worst_case_ms"] == pytest.approx(DECODER_MS + 4 * NET_MS, abs=2 * TICK_MS)
    assert parts_of(result)["decode", "service"] == pytest.approx(DECODER_MS, abs=TICK_MS)
    assert loads_of(result)["video-decoder"] == pytest.approx(4 * DECODER_MS / 100, abs=1e-5)
    assert any("1920 x 1080: their size is not stated" in line for line in result.data["assumptions"])


def test_its_time_goes_with_the_pixels(ask):
    """1280 x 720 is 4/9 of 1920 x 1080."""
    result = ask("deadline_ms: none", source=f"width: 1280, height: 720, {SOURCE}")
    assert parts_of(result)["decode", "service"] == pytest.approx(DECODER_MS * 4 / 9, abs=TICK_MS)
    assert not any("size is not stated" in line for line in result.data["assumptions"])


def test_a_chip_without_a_decoder_runs_the_fallback(ask):
    """6 ms on a core of its own: 6 + 4·10."""
    result = ask("deadline_ms: none", chip="case-bare", source=SOURCE)
    assert latency_of(result)["worst_case_ms"] == 6 + 4 * NET_MS
    assert loads_of(result) == {"npu": 0.4, "cpu": 0.24}
    assert any("states no video-decoder: decode runs on cpu" in line for line in result.data["assumptions"])


def test_a_time_on_the_stage_overrides_the_catalogue(ask):
    timed = SOURCE.replace("on: video-decoder,", "on: video-decoder, time_ms: 3,")
    assert parts_of(ask("deadline_ms: none", source=timed))["decode", "service"] == 3
    # Of a chip that states none, a time for all chips says nothing; one for this chip does.
    assert parts_of(ask("deadline_ms: none", chip="case-bare", source=timed))["decode", "service"] == 6
    named = timed.replace("time_ms: 3", "time_ms: {case-bare: 4}")
    assert parts_of(ask("deadline_ms: none", chip="case-bare", source=named))["decode", "service"] == 4


def test_without_fallback_the_design_is_left_out(ask):
    alone = SOURCE.replace(", else: {on: cpu, time_ms: 6}", "")
    assert ask("deadline_ms: none", source=alone).status == "optimal"
    result = ask("deadline_ms: none", chip="case-bare", source=alone)
    assert result.status == "infeasible"
    assert result.data["killed_by"]["rate"]["candidates"] == result.data["search"]["candidates"] > 0


def test_wanted_cores_depend_on_the_chip(ask):
    """case-one has one core free: enough for the resize, not for a decoder on the CPU too: 4·(6 + 1 + 10) in series."""
    stages = "stages: [{name: resize, time_ms: 1}, {name: infer}]"
    two = ask(f"deadline_ms: none, {stages}", chip="case-one", source=SOURCE)
    assert latency_of(two)["worst_case_ms"] == 4 * (6 + 1 + NET_MS)
    own = ask(f"deadline_ms: none, {stages}", chip="case-dec", source=SOURCE)
    assert latency_of(own)["worst_case_ms"] == pytest.approx(DECODER_MS + 1 + 4 * NET_MS, abs=2 * TICK_MS)


EVERY = "streams: 4, rate_hz: 50, jitter_ms: 2, stages: [{name: net, delay_ms: 5, variation_ms: 1}, {name: isp, on: isp, time_ms: 3}]"  # noqa: E501


def test_stages_of_a_source_run_on_every_frame(ask):
    """Four streams at 50 Hz, the network on every fifth frame.

    isp: 3 + 3·3 = 12, with jitter 3 < 20 no second frame. Behind it 6 of delay and jitter 2 + 1 + 12 = 15 < 100: four
    items of 10. In all 2 + 6 + 12 + 40. The isp is loaded 4·3/20, the network 4·10/100.
    """
    result = ask("every_nth: 5, deadline_ms: none", source=EVERY)
    assert latency_of(result)["worst_case_ms"] == 2 + 6 + 12 + 4 * NET_MS
    parts = parts_of(result)
    assert (parts["isp", "service"], parts["isp", "queue"], parts["net", "delay"]) == (3, 9, 6)
    assert loads_of(result) == {"npu": 0.4, "isp": 0.6}
    assert result.data["bottleneck"]["stage"] == "isp"
    assert result.data["bottleneck"]["text"] == "isp first to fill up (60 %) while the npu idles (40 %)"
    assert result.data["assignments"][0]["rate"]["utilization"] == 0.6


def test_jitter_behind_a_source_may_bring_a_second_item(ask):
    """The isp may see 98 ms of jitter at a period of 20, the network as much at its period of 100.

    isp: six frames of four within 5·20 - 98 = 2 ms, so 3 + 23·3 - 2 = 70. Behind it items keep the order of their
    release: two of each stream were released within 100 - 98 = 2 ms, so 10 + 7·10 - 2 = 78.
    """
    late = EVERY.replace("jitter_ms: 2", "jitter_ms: 97")
    result = ask("every_nth: 5, deadline_ms: none", source=late)
    assert latency_of(result)["worst_case_ms"] == 97 + 6 + 70 + 78


def test_an_overloaded_source_stage_has_no_bound(ask):
    """4·6 ms in 20 ms."""
    slow = EVERY.replace("time_ms: 3", "time_ms: 6")
    result = ask("every_nth: 5, deadline_ms: none", source=slow)
    assert result.status == "infeasible"
    assert result.data["overloaded"] == [{"stage": "isp", "resource": "isp", "utilization": 1.2}]


def test_stages_of_a_source_that_lack_cores_share_one(ask):
    """Three cores: two for the source's three stages and the network's server. The three are one stage of 3 ms."""
    names = ", ".join(f"{{name: {name}, time_ms: 1}}" for name in "abc")
    source = f"streams: 4, rate_hz: 50, stages: [{names}]"
    result = ask(
        "every_nth: 5, deadline_ms: none, stages: [{name: d, time_ms: 1}, {name: infer}]",
        chip="case-bare",
        source=source,
    )
    assert latency_of(result)["worst_case_ms"] == 4 * 3 + 4 * (1 + NET_MS)
    assert loads_of(result) == {"npu": 0.44, "cpu": 0.6}
    assert "one server for the stages of the source that lack their own: a, b, c" in result.data["assumptions"]


def test_one_server_for_frames_and_items_counts_every_frame(ask):
    """One core free for decoding on every frame and a resize on every fifth: all in series, 2·(6 + 1 + 10) at 10 Hz."""
    stages = "stages: [{name: resize, time_ms: 1}, {name: infer}]"
    source = SOURCE.replace("streams: 4", "streams: 2")
    result = ask(f"every_nth: 5, deadline_ms: none, {stages}", chip="case-one", source=source)
    assert latency_of(result)["worst_case_ms"] == 2 * (6 + 1 + NET_MS)
    assert parts_of(result)["infer", "queue"] == 6 + 1 + NET_MS
    assert loads_of(result) == {"npu": 0.34}
    assert any("as if the network ran on every frame, which is loose" in line for line in result.data["assumptions"])
    # Batches have no known time there, and with cores for all the two rates are apart.
    alone = ask(f"every_nth: 5, deadline_ms: none, {stages}", chip="case-one", source=source, search="batches: [4]")
    assert alone.status == "infeasible"
    apart = ask(f"every_nth: 5, deadline_ms: none, {stages}", chip="case-bare", source=source)
    assert latency_of(apart)["worst_case_ms"] == 2 * 6 + 1 + 2 * NET_MS


def test_overlap_with_any_stage_that_follows(ask):
    """Half of the shorter of each two neighbours: 4 + 6 + 10 + 2 less 2, 3 and 1."""
    stages = (
        "stages: [{name: a, on: x, time_ms: 4, overlap: 0.5}, {name: b, on: y, time_ms: 6, overlap: 0.5}, "
        "{name: infer, overlap: 0.5}, {name: c, on: z, time_ms: 2}]"
    )
    result = ask(f"rate_hz: 10, deadline_ms: none, {stages}")
    assert latency_of(result)["worst_case_ms"] == 4 + 6 + NET_MS + 2 - 2 - 3 - 1
    assert parts_of(result)["infer", "overlap"] == -6


def test_no_stage_hides_more_than_itself(ask):
    """a hides all of b's time: then b has nothing left to hide behind the network. 4 + 4 + 10 - 4."""
    stages = (
        "stages: [{name: a, on: x, time_ms: 4, overlap: 1}, {name: b, on: y, time_ms: 4, overlap: 1}, {name: infer}]"
    )
    result = ask(f"rate_hz: 10, deadline_ms: none, {stages}")
    assert latency_of(result)["worst_case_ms"] == 4 + 4 + NET_MS - 4
    assert "b: overlap counts as 0, no stage hides more than itself" in result.data["assumptions"]


def test_stages_in_series_hide_nothing(ask):
    """Both on one engine: one after the other, on the network's server."""
    stages = "stages: [{name: a, on: x, time_ms: 4, overlap: 0.5}, {name: b, on: x, time_ms: 6}, {name: infer}]"
    assert latency_of(ask(f"rate_hz: 10, deadline_ms: none, {stages}"))["worst_case_ms"] == 4 + 6 + NET_MS


@pytest.mark.parametrize(("servers", "slowest"), [(1, 24), (2, 12), (3, 10)])
def test_servers_of_a_private_resource(ask, servers, slowest):
    """Four items together: 10 + 24 and three times the slowest of 10 and 24/c."""
    stages = f"stages: [{{name: infer}}, {{name: track, on: tracker, time_ms: 24, servers: {servers}}}]"
    result = ask(f"streams: 4, rate_hz: 10, deadline_ms: none, {stages}")
    assert latency_of(result)["worst_case_ms"] == NET_MS + 24 + 3 * slowest
    assert loads_of(result)["tracker"] == pytest.approx(0.96 / servers)


def test_batches_that_close_at_a_time_out(ask):
    """Four streams at 10 Hz, batches of up to four in 20 ms whatever their size, closed 15 ms after their first item.

    N·T = 60 < P = 100: each item may be a batch of its own, so the load is 4·20/100. In 105 ms eight items come, the
    own one among them: one batch of three or fewer was closed before, the seven others are ahead one by one, 15 ms
    apart: 8·20 - 105 = 55, and the own batch 20.
    """
    search = "batches: [4], batching: {policy: timeout-close, timeout_ms: [0, 15]}"
    task = "streams: 4, rate_hz: 10, deadline_ms: none"
    alone = ask(task, search=search)
    assert latency_of(alone)["worst_case_ms"] == 55 + 20
    assert alone.data["assignments"][0]["policy"] == "timeout-close"
    assert alone.data["assignments"][0]["timeout_ms"] == 15
    assert alone.data["assignments"][0]["rate"]["utilization"] == 0.8
    # The crop takes 1 + 3·1 and so adds 4 ms of jitter, which changes nothing at the batcher: 7·20 - 96 is less.
    # The tracker sees a jitter of 4 + 75 < 100: four items at once, 2 + 3·2.
    stages = "stages: [{name: crop, on: c, time_ms: 1}, {name: infer}, {name: track, on: t, time_ms: 2}]"
    around = ask(f"{task}, {stages}", search=search)
    assert latency_of(around)["worst_case_ms"] == 4 + 75 + 8
    parts = parts_of(around)
    assert (parts["crop", "service"], parts["track", "service"], parts["infer", "queue"]) == (1, 2, 3 + 55 + 6)


def test_batches_that_pile_up_have_no_bound(ask):
    """At 13 Hz each item may be a batch of its own: 4·13·20 ms a second are more than one."""
    search = "batches: [4], batching: {policy: timeout-close, timeout_ms: 15}"
    assert ask("streams: 4, rate_hz: 13, deadline_ms: none", search=search).status == "infeasible"
    assert ask("streams: 4, rate_hz: 13, deadline_ms: none", search="batches: [4]").status == "optimal"


def test_a_batch_closed_at_once_is_one_item(ask):
    """No time-out above 0: only single items make sense, and they are a queue of 10 each."""
    result = ask("streams: 4, rate_hz: 10, deadline_ms: none", search="batches: [1, 4], batching: timeout-close")
    assert latency_of(result)["worst_case_ms"] == 4 * NET_MS


def test_p99_is_an_estimate_and_says_so(ask):
    """16 streams at 5 Hz of 10 ms: rho = 0.8. x = N/2·(sqrt(i² + 2·ln 100/N) - i), i = 1/rho - 1 = 0.25: 4.39 services.

    The bound waits for 15 others.
    """
    task = "streams: 16, rate_hz: 5, deadline_ms: 130"
    hard = ask(task)
    assert hard.status == "infeasible"
    assert "near miss: case-dec with case_net, worst case 160 ms" in printed(hard)
    late = ask(f"{task.replace('130', '50')}, guarantee: p99")
    assert "near miss: case-dec with case_net, p99 (an estimate) 53.9 ms" in printed(late)
    result = ask(f"{task}, guarantee: p99")
    wait = 8 * (sqrt(0.25**2 + 2 * log(100) / 16) - 0.25) * NET_MS
    assert latency_of(result)["worst_case_ms"] == pytest.approx(wait + NET_MS, abs=2 * TICK_MS)
    assert latency_of(result)["guarantee"] == "p99"
    assert "p99 (an estimate) 53.9" in printed(result)
    assert "(p99 estimate, no bound)" in printed(result)
    assert "worst case" not in printed(result)
    assert result.data["label"] == "p99 estimate, no bound"
    assert "by a p99 estimate" in result.data["headline"]
    assert any("phases are fixed in one installation" in line for line in result.data["assumptions"])
    assert any("p99/mean" in line for line in result.data["assumptions"])


def test_p99_keeps_what_jitter_adds(ask):
    """Two streams of 10 ms at 5 Hz with 195 ms of jitter: two items of each at once, 20 ms more than two alone."""
    task = "streams: 2, rate_hz: 5, deadline_ms: none, guarantee: p99"
    plain = latency_of(ask(task))["worst_case_ms"]
    jittered = latency_of(ask(f"{task}, jitter_ms: 200"))["worst_case_ms"]
    assert jittered == pytest.approx(plain + 200 + 2 * NET_MS, abs=TICK_MS)


def test_p99_of_batches_is_their_bound(ask):
    """Measured as maxima, so that the tail changes nothing."""
    task, search = "streams: 16, rate_hz: 5, deadline_ms: none", "batches: [4]"
    soft = ask(f"{task}, guarantee: p99", search=search)
    assert latency_of(soft)["worst_case_ms"] == latency_of(ask(task, search=search))["worst_case_ms"]
    assert soft.data["label"] == "p99 estimate, no bound"


def test_the_answer_says_what_idles(ask):
    """Decoder and tracker full while the network's unit has little to do."""
    stages = "stages: [{name: infer}, {name: track, on: tracker, time_ms: 19}]"
    source = "rate_hz: 50, stages: [{name: decode, on: video-decoder, time_ms: 18}]"
    result = ask(f"deadline_ms: none, every_nth: 1, {stages}", source=source)
    text = result.data["bottleneck"]["text"]
    assert text == "tracker and video-decoder full (95 %, 90 %) while the npu has time left (50 %)"
    assert [load["resource"] for load in result.data["bottleneck"]["loads"]] == ["npu", "video-decoder", "tracker"]
    assert f"loads: {text}" in printed(result)
    # Where the network's unit is full first, nothing else needs saying.
    assert "loads:" not in printed(ask("rate_hz: 50, deadline_ms: none"))


def test_an_else_without_a_time_is_a_fault(folder):
    file = folder.parent / "fault.yaml"
    file.write_text(
        f"tasks: [{{name: see, {TASK}, source: cam, deadline_ms: none}}]\n"
        "sources: {name: cam, rate_hz: 5, stages: [{name: decode, on: video-decoder, else: {on: cpu}}]}\n"
    )
    with pytest.raises(ProblemError, match="else"):
        load_problem(file, (folder,))
