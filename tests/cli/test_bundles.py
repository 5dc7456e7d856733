"""``--bundle``, ``dse verify`` and ``dse diff`` as a user meets them: files, streams, exit codes."""

from __future__ import annotations

import json

import pytest

from dse.bundle.archive import unpacked
from tests.bundle.examples import QUICK, forged


@pytest.fixture(autouse=True)
def problem(tmp_path):
    (tmp_path / "quick.yaml").write_text(QUICK, encoding="utf-8")


def test_a_comparison_is_written_checked_and_compared(dse, tmp_path):
    outcome = dse("compare", "quick.yaml", "--bundle", "old.zip", "--workers", "1")
    assert (outcome.code, outcome.err) == (0, "wrote old.zip\n")
    assert outcome.out.startswith("44 candidates")
    outcome = dse("verify", "old.zip")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "old.zip: the same to the last byte"
    (tmp_path / "quick.yaml").write_text(QUICK.replace("power_w: 1", "power_w: 0.03"), encoding="utf-8")
    assert dse("compare", "quick.yaml", "--bundle", "new.zip", "--json").code == 0
    outcome = dse("diff", "old.zip", "new.zip")
    assert outcome.code == 0
    assert outcome.out.splitlines()[:5] == [
        "old.zip → new.zip",
        "quick.yaml: stm32h7 → stm32u575",
        "  limits.power_w: 1 → 0.03 alone moves it (solved again)",
        "  limit power_w: ≤ 1 W → ≤ 0.03 W alone moves it (judged on the rows)",
        "inputs:",
    ]
    assert dse("diff", "old.zip", "new.zip", "--json", "--no-solve").data["comparisons"][0]["cause"]["solved"] == []
    assert dse("diff", "old.zip", "old.zip").out == "old.zip → old.zip\nthe same file: nothing moved\n"


def test_what_was_altered_is_code_2_and_another_version_code_4(dse, tmp_path):
    outcome = dse("solve", "quick.yaml", "--bundle", "a.zip", "--workers", "1", "--json")
    assert (outcome.code, outcome.err, outcome.data["status"]) == (0, "wrote a.zip\n", "optimal")
    content = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "b.zip").write_bytes(content.replace(b"power_w: 1}", b"power_w: 2}"))
    outcome = dse("verify", "b.zip", "--json")
    assert (outcome.code, outcome.data["outcome"]) == (2, "altered")
    assert outcome.data["checks"][1]["passed"] is False
    versions = json.loads(unpacked(content, "")["manifest.json"])["versions"]
    (tmp_path / "c.zip").write_bytes(forged(content, {}, {"versions": {**versions, "numpy": "0.1"}}))
    outcome = dse("verify", "c.zip")
    assert outcome.code == 4
    assert outcome.out.startswith("c.zip: unaltered, but made by another version: it cannot be proven here\n")
    assert "numpy was 0.1, here " in " ".join(outcome.out.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("verify", "quick.yaml"), "quick.yaml: is no bundle: it is not a zip file"),
        (("verify", "missing.zip"), "missing.zip: cannot be read: no such file or directory"),
        (("verify", "."), ".: cannot be read: is a directory"),
        (("diff", "quick.yaml", "quick.yaml"), "is no bundle"),
        (("solve", "quick.yaml", "--bundle", "quick.yaml"), "--bundle quick.yaml: is the problem file itself"),
        (("compare", "quick.yaml", "--bundle", "quick.yaml"), "--bundle quick.yaml: is the problem file"),
        (("solve", "quick.yaml", "--bundle", "a.zip", "--time-limit", "1"), "leave out --time-limit"),
        (("solve", "quick.yaml", "--bundle", "no/a.zip"), "error: no: no such folder"),
    ],
)
def test_what_cannot_be_is_code_2_in_one_line(dse, words, message):
    outcome = dse(*words)
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert "Traceback" not in outcome.err
