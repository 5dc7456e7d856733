"""Whoever has a bundle can tell whether it is what dse writes: any byte that is another one is noticed and named."""

from __future__ import annotations

import csv
import json
import random

import pytest

from dse.bundle.answers import answer_of
from dse.bundle.archive import unpacked
from dse.bundle.extract import extract
from dse.bundle.inputs import gather
from dse.bundle.pack import pack
from dse.bundle.request import Request
from dse.bundle.verify import Outcome, verify
from dse.catalog.paths import shipped_root
from dse.errors import InputError
from tests.bundle.examples import bundle_of, forged


@pytest.fixture
def checked(tmp_path, remembered):
    """The outcome for bytes that somebody sent."""

    def check(content: bytes, **how):
        file = tmp_path / "sent.zip"
        file.write_bytes(content)
        return verify(file, **{"answering": remembered, **how})

    return check


def test_the_same_inputs_give_the_same_bytes_in_any_folder(bundle, checked, tmp_path):
    assert bundle_of(tmp_path / "another folder") == bundle
    found = checked(bundle, workers=2, answering=answer_of)
    assert found.outcome is Outcome.SAME
    assert [check.passed for check in found.checks] == [True] * 4
    assert f"all {len(bundle):,} bytes are the same" in found.checks[-1].text


def test_a_bundle_of_one_best_design_is_checked_too(knowledge, checked, tmp_path):
    content = bundle_of(tmp_path / "p", request=Request("solve", {"top": 2}))
    assert checked(content, answering=answer_of).outcome is Outcome.SAME
    assert len(json.loads(unpacked(content, "")["answer.json"])["alternatives"]) == 1


def test_nothing_of_the_clock_or_the_machine_is_in_it(bundle, tmp_path_factory):
    entries = unpacked(bundle, "")
    answer = json.loads(entries["answer.json"])
    assert set(answer["comparisons"][0]["search"]) == {"candidates", "feasible", "seed"}
    for name, content in entries.items():
        assert str(tmp_path_factory.getbasetemp()).encode() not in content, name
        assert b"dse-bundle-" not in content, name


def test_it_holds_what_the_catalogues_say_of_every_chip_of_a_row(bundle):
    entries = unpacked(bundle, "")
    rows = json.loads(entries["answer.json"])["comparisons"][0]["rows"]
    for row in rows:
        text = entries[f"catalogue/chips/{row['chip']}.yaml"].decode()
        assert text.startswith("# catalogs/chips/")
        assert f"id: {row['chip']}\n" in text
        assert "source" in text
    assert entries["answer.csv"].decode().count("\n") == 1 + len(rows)


def test_every_changed_byte_is_noticed(bundle, checked):
    """All bytes of the records of the archive at its end, and a sample of all others; nothing is worked out again."""

    def never(*_):
        raise AssertionError("a changed byte went unnoticed")

    dice = random.Random(7)
    start = bundle.index(b"PK\x01\x02")
    places = {*range(start, len(bundle), 11), *range(0, 60, 2), *(dice.randrange(len(bundle)) for _ in range(150))}
    for place in sorted(places):
        content = bytearray(bundle)
        content[place] ^= 1 << dice.randrange(8)
        try:
            found = checked(bytes(content), answering=never)
        except InputError:
            continue
        assert found.outcome is Outcome.ALTERED, place
        assert found.differences


@pytest.mark.parametrize("cut", [1, 100, 5000])
def test_a_bundle_that_is_cut_short_is_refused(bundle, checked, cut):
    with pytest.raises(InputError, match="cut short"):
        checked(bundle[:-cut])


def test_an_entry_that_is_another_one_is_named(bundle, checked):
    place = bundle.index(b"limits: {power_w: 1}") + len("limits: {power_w: ")
    found = checked(bundle[:place] + b"2" + bundle[place + 1 :])
    assert found.outcome is Outcome.ALTERED
    assert found.differences == ("inputs/1/quick.yaml is not the file whose SHA-256 is in manifest.json",)


def test_a_figure_with_its_hash_made_right_again_is_found_by_its_path(bundle, checked):
    answer = unpacked(bundle, "")["answer.json"]
    data = json.loads(answer)
    price = data["comparisons"][0]["rows"][0]["price_usd"]
    data["comparisons"][0]["rows"][0]["price_usd"] = 1.5
    text = (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()
    found = checked(forged(bundle, {"answer.json": text}))
    assert found.outcome is Outcome.ALTERED
    assert found.differences[0] == f"answer.json: comparisons[0].rows[0].price_usd: 1.5 in the bundle, {price} rebuilt"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"answer.csv": b"chip\n"}, "answer.csv: line 1: chip in the bundle, problem,kind,"),
        ({"README.txt": None}, "README.txt: is missing in the bundle"),
        ({"inputs/1/more.yaml": b"a: 1\n"}, "inputs/1/more.yaml: is in the bundle alone"),
        ({"catalogue/evidence.csv": b"id\n"}, "catalogue/evidence.csv: line 1: id in the bundle, id,figure,"),
    ],
)
def test_other_files_with_their_hashes_made_right_again_are_named(bundle, checked, changes, said):
    found = checked(forged(bundle, changes))
    assert found.outcome is Outcome.ALTERED
    assert found.differences[0].startswith(said)


def test_a_problem_that_has_no_answer_is_no_answer_s_problem(bundle, checked):
    found = checked(forged(bundle, {"inputs/1/quick.yaml": b"tasks: 3\n"}), answering=answer_of)
    assert found.outcome is Outcome.ALTERED
    assert found.checks[-1].text.startswith("its inputs have no answer: quick.yaml")


@pytest.mark.parametrize("path", ["../../../secret", "/etc"])
def test_a_problem_that_looks_outside_of_the_bundle_is_not_read(bundle, checked, path):
    text = f"catalogs: ['{path}']\n".encode()
    with pytest.raises(InputError, match=r"outside of the bundle|one machine"):
        checked(forged(bundle, {"inputs/1/quick.yaml": text}))


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ({"format": 2}, "is of format 2; this dse reads format 1"),
        ({"command": "rm"}, "there is no command `rm`"),
        ({"options": {"at": "worst"}}, "the option `at` cannot be 'worst'"),
        ({"options": {"workers": 8}}, "has no option `workers`"),
        ({"problems": []}, "names no problem file"),
        ({"problems": ["inputs/2/quick.yaml"]}, "is no problem file of the bundle"),
        ({"catalogs": ["inputs/catalogs/../.."]}, "is no catalogue folder of the bundle"),
        ({"versions": [1]}, "`versions` is no table of texts"),
    ],
)
def test_a_manifest_that_cannot_be_is_refused(bundle, checked, manifest, message):
    with pytest.raises(InputError, match=message):
        checked(forged(bundle, {}, manifest))


def test_what_is_missing_or_more_than_listed_is_named(bundle, checked):
    said = json.loads(unpacked(bundle, "")["manifest.json"])["sha256"]
    fewer = {name: digest for name, digest in said.items() if name != "README.txt"}
    assert checked(forged(bundle, {}, {"sha256": fewer})).differences == ("README.txt is not listed in manifest.json",)
    more = said | {"more.txt": "0"}
    assert checked(forged(bundle, {}, {"sha256": more})).differences == (
        "more.txt is listed in manifest.json and is not in the bundle",
    )


def test_another_version_is_no_proof_and_says_what_it_would_answer(bundle, checked):
    versions = json.loads(unpacked(bundle, "")["manifest.json"])["versions"]
    found = checked(forged(bundle, {}, {"versions": {**versions, "dse": "9.9"}}))
    assert found.outcome is Outcome.OTHER_VERSION
    assert found.differences[0].startswith("dse was 9.9, here ")
    assert [check.passed for check in found.checks] == [True, True, None, None]
    assert found.checks[-1].text.endswith("what is here gives the same answer")


def test_other_catalogues_are_another_version(bundle, checked):
    found = checked(forged(bundle, {}, {"catalogue": ["0" * 32]}))
    assert found.outcome is Outcome.OTHER_VERSION
    assert found.differences[0].startswith(f"the catalogues were {'0' * 32}, here ")


def test_own_catalogues_go_with_it_and_places_are_named_as_in_the_bundle(checked, tmp_path, monkeypatch):
    """Wherever a folder lay, the answer says where it lies in the bundle; reading such folders is tried elsewhere."""
    for module in ("pack", "verify"):
        monkeypatch.setattr(f"dse.bundle.{module}.catalogue_keys", lambda asked: ["key"] * len(asked))

    def answering(asked, _request, _workers):
        (one,) = asked
        places = [f"{root}/tails.csv:2" for root in one.roots] + [f"{one.document.name}:1"]
        return {"comparisons": [], "evidence": {f"e{k}": {"place": place} for k, place in enumerate(places)}}

    for name in ("mine", "hers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tails.csv").write_text("class\n", encoding="utf-8")
    file = tmp_path / "p.yaml"
    file.write_text("catalogs: mine\n", encoding="utf-8")
    content = pack(gather([file], (tmp_path / "hers",)), Request(), answering=answering).content
    evidence = json.loads(unpacked(content, "")["answer.json"])["evidence"]
    assert [one["place"] for one in evidence.values()] == [
        "inputs/catalogs/1/tails.csv:2",
        "inputs/1/mine/tails.csv:2",
        "inputs/1/p.yaml:1",
    ]
    assert checked(content, answering=answering).outcome is Outcome.SAME


def test_evidence_comes_with_the_rows_it_names():
    """The line of a shipped table that a figure was read at is in the bundle, with the header of its table."""
    place = {"figure": "latency", "value": 7.5, "place": "catalogs/tails.csv:2", "source": "=a source"}
    found = extract({"comparisons": [], "evidence": {"e1": place}})
    header, row = csv.reader(found["catalogue/tails.csv"].decode().splitlines())
    shipped = (shipped_root() / "tails.csv").read_text(encoding="utf-8").splitlines()
    assert (header, row) == (["line", *next(csv.reader(shipped))], ["2", *next(csv.reader(shipped[1:]))])
    assert (
        found["catalogue/evidence.csv"].decode().splitlines()[1]
        == "e1,latency,,7.5,,,,catalogs/tails.csv:2,'=a source,,"
    )
