"""Two bundles are compared down to the one change that moved the winner, which is solved again to be sure."""

from __future__ import annotations

import json

import pytest

from dse.bundle.archive import unpacked
from dse.bundle.diff import diff
from dse.bundle.request import Request
from dse.errors import InputError
from tests.bundle.examples import QUICK, bundle_of, forged


@pytest.fixture
def told(tmp_path):
    """What is said of two bundles."""

    def tell(old: bytes, new: bytes, **how):
        files = tmp_path / "old.zip", tmp_path / "new.zip"
        for file, content in zip(files, (old, new), strict=True):
            file.write_bytes(content)
        return diff(*files, **how)

    return tell


def test_a_bundle_and_itself(bundle, told):
    data = told(bundle, bundle)
    assert data["same"]
    assert not data["comparisons"][0]["moved"]
    assert data["inputs"] == data["options"] == data["versions"] == data["catalogue"] == []


def test_the_limit_that_moved_the_winner_is_found_twice(bundle, told, tmp_path):
    """At 0.03 W the first two chips, with boards of which no power is known, are out; the name is of no matter."""
    new = bundle_of(tmp_path / "new", QUICK.replace("power_w: 1", "power_w: 0.03").replace("Quick", "Quicker"))
    data = told(bundle, new)
    assert [change["text"] for change in data["inputs"]] == ["name: Quick → Quicker", "limits.power_w: 1 → 0.03"]
    (one,) = data["comparisons"]
    assert (one["winner_old"], one["winner_new"]) == ("stm32h7", "stm32u575")
    assert [change["text"] for change in one["standings"]][-1] == "stm32u575: feasible, rank 3 → feasible, rank 1"
    assert [(tried["text"], tried["moves"]) for tried in one["cause"]["solved"]] == [("limits.power_w: 1 → 0.03", True)]
    assert [swap["name"] for swap in one["cause"]["alone"]] == ["power_w"]
    assert one["cause"]["text"][0] == "limits.power_w: 1 → 0.03 alone moves it (solved again)"


def test_a_change_that_cannot_stand_alone_says_why(bundle, told, tmp_path):
    """A network named for a task whose network it is not is no problem that has an answer."""
    text = QUICK.replace("power_w: 1", "power_w: 0.03, chip.colour: red")
    answer = unpacked(bundle_of(tmp_path / "new", QUICK.replace("power_w: 1", "power_w: 0.03")), "")["answer.json"]
    new = forged(bundle, {"answer.json": answer, "inputs/1/quick.yaml": text.encode()})
    tried = told(bundle, new)["comparisons"][0]["cause"]["solved"]
    assert [one["moves"] for one in tried] == [True, False]
    assert tried[1]["error"].startswith("no answer with it alone: limits.chip.colour")


def test_a_figure_that_moved_the_winner_is_named_with_its_source(bundle, told):
    """The power of the first chip rises beyond the limit of 1 W; everything else stays."""
    data = json.loads(unpacked(bundle, "")["answer.json"])
    first, second = data["comparisons"][0]["rows"][:2]
    first.update(power_w=1.4, rank=None, status="fails", evidence={"power": "p1"})
    second["rank"] = 1
    data["evidence"] = {"p1": {"value": 1.4, "unit": "W", "grade": "A", "source": "our bench"}}
    text = (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()
    found = told(bundle, forged(bundle, {"answer.json": text}))
    assert "p1: new, 1.4 W grade A our bench" in [change["text"] for change in found["catalogue"]]
    (one,) = found["comparisons"]
    assert one["figures"] == [
        {
            "row": "stm32h7",
            "figure": "power_w",
            "old": 0.58,
            "new": 1.4,
            "evidence": ["chips/stmicroelectronics.yaml#stm32h7.power.max_w", "p1"],
        }
    ]
    assert one["cause"]["text"] == ["power_w of stm32h7: 0.58 → 1.4 W (our bench) alone moves it (judged on the rows)"]


def test_bundles_of_another_version_are_judged_on_the_rows_alone(bundle, told, tmp_path):
    new = bundle_of(tmp_path / "new", QUICK.replace("power_w: 1", "power_w: 0.03"))
    versions = json.loads(unpacked(new, "")["manifest.json"])["versions"]
    data = told(bundle, forged(new, {}, {"versions": {**versions, "ortools": "1.0"}}))
    assert [change["name"] for change in data["versions"]] == ["ortools"]
    cause = data["comparisons"][0]["cause"]
    assert cause["solved"] == []
    assert cause["text"][-1].startswith("nothing was solved again: ortools was 1.0, here ")


def test_best_designs_are_compared_by_solving_again(knowledge, told, tmp_path):
    request = Request("solve")
    old = bundle_of(tmp_path / "old", request=request)
    new = bundle_of(tmp_path / "new", QUICK.replace("stm32h7, ", ""), request)
    data = told(old, new)
    assert data["comparisons"][0]["winner_old"] == "stm32h7"
    assert data["comparisons"][0]["cause"]["text"] == [
        'search.chips: ["stm32h7", "nrf5340", "stm32u575"] → ["nrf5340", "stm32u575"] alone moves it (solved again)'
    ]
    without = told(old, new, solve=False)["comparisons"][0]["cause"]["text"]
    assert without == ["no single change moves it, and the rows do not explain it: only solving again tells"]


def test_an_altered_bundle_is_not_compared(bundle, told):
    place = bundle.index(b"power_w: 1") + len("power_w: ")
    with pytest.raises(InputError, match=r"new.zip: was altered: inputs/1/quick.yaml is not the file .*dse verify"):
        told(bundle, bundle[:place] + b"2" + bundle[place + 1 :])


@pytest.mark.parametrize("answer", [b"{}", b'{"comparisons": []}', b'{"comparisons": [{"rows": 3}]}'])
def test_an_answer_that_is_none_is_an_error_in_words(bundle, told, answer):
    with pytest.raises(InputError, match="the answers cannot be compared"):
        told(bundle, forged(bundle, {"answer.json": answer}))
