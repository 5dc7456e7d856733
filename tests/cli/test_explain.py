"""``dse explain`` as a user meets it: words, JSON, exit codes; and the last lines of ``dse solve`` without a design."""

from __future__ import annotations

import pytest

LOCK = """\
tasks:
  - {name: look, task: image-classification, rate_hz: 10, deadline_ms: %s, overhead_ms: 10, min_accuracy: %s}
search: {chips: [rk3588, jetson-nano], boards: {exclude: ["*"]}}
limits: {power_w: 12}
"""


@pytest.fixture
def lock(tmp_path):
    def write(deadline_ms, accuracy):
        (tmp_path / "lock.yaml").write_text(LOCK % (deadline_ms, accuracy), encoding="utf-8")
        return "lock.yaml"

    return write


def words(out):
    return " ".join(out.split())


def test_an_explained_clash_is_code_3(dse, lock):
    """As of solve: a script that asks why can tell a problem without a design from one with a winner."""
    found = dse("explain", lock(14, 84), "--no-remedies", "--json")
    assert found.code == 3
    clashes = [set(one["limits"]) for one in found.data["infeasible"]["clashes"]]
    assert clashes
    assert all(one["to"] is None or one["text"] for one in found.data["infeasible"]["relaxations"])
    shown = dse("explain", lock(14, 84), "--no-remedies")
    assert "limits that clash, all sets" in shown.out
    assert "(lock.yaml:2)" in words(shown.out)
    assert max(map(len, shown.out.splitlines())) <= 80
    solved = dse("solve", lock(14, 84))
    assert solved.code == 3
    assert "more: dse explain lock.yaml" in words(solved.out)
    assert found.data["infeasible"]["clashes"][0]["text"] in words(solved.out)


def test_solving_again_with_the_relaxation_finds_the_design_it_names(dse, lock):
    (relaxed,) = (
        one
        for one in dse("explain", lock(11, 70), "--no-remedies", "--json").data["infeasible"]["relaxations"]
        if one["limit"] == "deadline_ms"
    )
    assert dse("solve", lock(repr(relaxed["to"]), 70)).code == 0
    assert dse("solve", lock(repr(round(relaxed["to"] - 0.0001, 4)), 70)).code == 3


def test_a_choice_and_a_chip(dse, lock):
    found = dse("explain", lock(100, 70), "--chip", "jetson-nano", "--json")
    assert found.code == 0
    assert found.data["infeasible"] is None
    assert found.data["feasible"]["winner"]["chip"] in ("rk3588", "jetson-nano")
    (chip,) = found.data["chips"]
    assert (chip["chip"], chip["chosen"]) == ("jetson-nano", found.data["feasible"]["winner"]["chip"] == "jetson-nano")
    assert "over which values this design stays first" in dse("explain", lock(100, 70), "--no-remedies").out


def test_a_chip_of_no_such_name_is_a_wrong_input(dse, lock):
    found = dse("explain", lock(100, 70), "--chip", "jetson-nanno")
    assert found.code == 2
    assert "did you mean `jetson-nano`?" in found.err


def test_several_tasks_come_later(dse, problems):
    found = dse("explain", problems / "plates.yaml")
    assert found.code == 2
    assert "explanations of problems with several tasks are not built yet" in found.err
