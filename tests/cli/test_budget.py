"""``dse budget`` as a user meets it: the hundred streams in words and as JSON, and a deadline nothing can keep."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

SEE = "tasks: {{name: see, task: visual-wake-words, rate_hz: 1, deadline_ms: {}, overhead_ms: 60}}\n"


def shown(data, width: int = 80) -> str:
    from dse.report.budget_terminal import show_budget

    out = io.StringIO()
    show_budget(data, Console(file=out, width=width, highlight=False))
    return out.getvalue()


def test_a_hundred_streams(dse, problems):
    """1.000 ms bare, 0.950 at the cap, 0.806 on average on a Jetson; families of weak and stronger chips by name."""
    outcome = dse("budget", problems / "hundred-streams.yaml", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    data = outcome.data
    (task,) = data["tasks"]
    assert (task["times"]["bare_ms"], task["times"]["capped_ms"], task["times"]["network_ms"]) == (1.0, 0.95, 0.95)
    means = {mean["tail_class"]: mean["mean_ms"] for mean in task["means"]}
    assert means["jetson-gpu"] == pytest.approx(0.95 / 1.1784, rel=1e-12)
    assert data["headline"] == "classify: 0.950 ms for one inference on one server, bound by the rate"
    assert (data["together"], data["chains"]) == (None, [])
    text = shown(data)
    for said in (
        "1.000 ms per inference on one server, bare",
        "0.950 ms at 95 % load",
        "jetson-gpu    0.806 ms (× 1.1784)",
        "100 ms are left for queue and network",
        "→ 0.950 ms for the slowest run of the network: the rate binds",
        "1.000 ms: if 100 come together, the last waits for the others",
        "upload: takes time on chips behind a link alone, such as cards; none is taken",
        "at once: its items come together; filling: the first waits until the last is",
        "MAC: likely, from measured runs (their 5th to 95th",
        "MB moved: 10^6 byte, by the rated memory bandwidth",
        "best published top1 [%] on imagenet-1k within it; asked",
        "weak chips: within their work mobilenet_v2, mobilenet_v1, mobilenet_v3;",
        "none of 3 reach 65.0 as published; below it: mobilenet_v2,",
        "middle chips: 12 more families",
        "14 of 15 reach 65.0 as published; below it: yolov5",
        "best published: 59.9 fp32, tinynet_e, ",
        "best published: 80.0 (+20.1) fp32, levit_128, ",
        "raspberry-pi-4, the fastest, takes 12.1 of 0.411 ms: too slow",
        "power and price: no limit is stated",
    ):
        assert said in text
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "…" in text.split("\nfamily ")[1].split("\n  ( )")[0]  # names are cut where there is no room, and only there
    wide = shown(data, 200)
    assert "…" not in wide.split("\nfamily ")[1].split("\n  ( )")[0]
    assert "TexasInstruments/edgeai-tensorlab:edgeai-modelzoo/reports/accuracy_report_20250310-190344_pc.csv\n" in wide


def test_a_deadline_below_what_is_fixed(dse, tmp_path):
    """60 ms of overhead and a deadline of 60: nothing is left, which is an answer and no error."""
    (tmp_path / "late.yaml").write_text(SEE.format(60), encoding="utf-8")
    outcome = dse("budget", "late.yaml")
    assert outcome.code == 0
    assert "deadline: 60 ms less 60 ms delays: nothing is left" in outcome.out
    assert "→ nothing is left for the network: no design on one server can do this; the" in outcome.out


def test_ten_million_a_second_are_no_zero(dse, tmp_path):
    """10,000 streams of 1,000 a second: 1/10,000 ms bare, 0.95 of it at the cap."""
    fast = "tasks: {name: see, task: visual-wake-words, streams: 10000, rate_hz: 1000, deadline_ms: 1}\n"
    (tmp_path / "fast.yaml").write_text(fast, encoding="utf-8")
    outcome = dse("budget", "fast.yaml")
    assert outcome.code == 0
    assert "0.0001 ms per inference on one server, bare" in outcome.out
    assert "0.000095 ms at 95 % load" in outcome.out
    assert "0.000 ms" not in outcome.out


def test_no_upload_where_no_chip_is_behind_a_link(dse, tmp_path):
    """The NPU of a system on chip reads its input where it is; a card gets it over its slot.

    All times of the DX-M1 were taken at the host, the transfer included: there is nothing to add to them.
    """
    see = "tasks: {{name: see, task: object-detection, rate_hz: 1, deadline_ms: 900}}\nsearch: {{chips: [{}]}}\n"
    for chip, told in (("rk3588", False), ("nvidia-t4", True), ("dx-m1", False)):
        (tmp_path / "see.yaml").write_text(see.format(chip) + "host: {owned: true}\n", encoding="utf-8")
        outcome = dse("budget", "see.yaml", "--json")
        assert outcome.code == 0, outcome.err
        around = outcome.data["tasks"][0]["times"]["around"]
        assert (around["open"], around["by_link"]) == ((["upload"],) * 2 if told else ([], []))
        assert ("upload" in shown(outcome.data)) == told


def test_several_tasks(dse, problems):
    """Each alone, then their common load and the chain: 20·t + 80·t <= 950, 549 ms."""
    outcome = dse("budget", problems / "plates.yaml")
    assert outcome.code == 0
    assert "all tasks on one server, times in ms: 20·t(detect) + 80·t(classify) ≤ 950" in outcome.out
    assert "with equal times 9.500 ms each" in outcome.out
    assert "chain frame-to-reading: 549.000 ms are left" in outcome.out
    assert "deadline: none; the rate alone decides" in outcome.out


def test_a_problem_with_a_fault_is_refused_with_its_line(dse, tmp_path):
    (tmp_path / "wrong.yaml").write_text(SEE.format(100).replace("visual-wake-words", "visual-wake-wrds"), "utf-8")
    outcome = dse("budget", "wrong.yaml")
    assert (outcome.code, outcome.out) == (2, "")
    assert "wrong.yaml:1:" in outcome.err
    assert "visual-wake-words" in outcome.err


def test_from_python(knowledge, problems):
    """One row a task: what it asks, and what it leaves."""
    import dse

    frame = dse.budget(dse.load_problem(problems / "smart-lock.yaml")).to_frame()
    assert list(frame.columns[:2]) == ["task", "items_per_s"]
    assert (frame["network_ms"] > 0).all()
