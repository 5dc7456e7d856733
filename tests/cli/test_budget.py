"""``dse budget`` as a user meets it: the hundred streams in words and as JSON, and a deadline nothing can keep."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

SEE = "tasks: {{name: see, task: visual-wake-words, rate_hz: 1, deadline_ms: {}, overhead_ms: 60}}\n"


def shown(data) -> str:
    from dse.report.budget_terminal import show_budget

    out = io.StringIO()
    show_budget(data, Console(file=out, width=80, highlight=False))
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
        "weak chips: mobilenet_v2, mobilenet_v1, mobilenet_v3 fit; squeezenet,",
        "middle chips: 12 more families",
        "best 59.9: tinynet_e, ",
        "best 80.0 (+20.1): levit_128, ",
        "raspberry-pi-4, the fastest, takes 12.1 of 0.411 ms: too slow",
    ):
        assert said in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_a_deadline_below_what_is_fixed(dse, tmp_path):
    """60 ms of overhead and a deadline of 60: nothing is left, which is an answer and no error."""
    (tmp_path / "late.yaml").write_text(SEE.format(60), encoding="utf-8")
    outcome = dse("budget", "late.yaml")
    assert outcome.code == 0
    assert "deadline: 60 ms less 60 ms delays: nothing is left" in outcome.out
    assert "→ nothing is left for the network: no design on one server can do this; the" in outcome.out


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
