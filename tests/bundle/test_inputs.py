"""A bundle takes exactly the files an answer is worked out from, under names that say nothing of the machine."""

from __future__ import annotations

import os

import pytest

from dse.bundle import inputs
from dse.bundle.inputs import gather, layout_of, unpack
from dse.errors import InputError

TASK = "tasks: {name: see, task: visual-wake-words, rate_hz: 1, deadline_ms: 1000}\n"
CHIP = "id: lab\nvendor: Lab\n"


def folder(root, name: str) -> None:
    for label in ("chips/lab.yaml", "notes.txt", "chips/old.bak"):
        (root / name / label).parent.mkdir(parents=True, exist_ok=True)
        (root / name / label).write_text(CHIP, encoding="utf-8")


def test_problem_files_keep_their_place_beside_what_they_name(tmp_path):
    folder(tmp_path, "shared/mine")
    folder(tmp_path, "hers")
    (tmp_path / "shared/q.csv").write_text("part\n", encoding="utf-8")
    (tmp_path / "lab.csv").write_text("chip\n", encoding="utf-8")
    (tmp_path / "deep").mkdir()
    one, two = tmp_path / "deep/one.yaml", tmp_path / "two.yaml"
    # Byte for byte: with Windows line ends, a byte order mark and comments.
    one.write_bytes(b"\xef\xbb\xbf# mine\r\ncatalogs: [../shared/mine]\r\nprocurement: {quotes: ../shared/q.csv}\r\n")
    two.write_text(TASK, encoding="utf-8")
    found = gather([one, two], (tmp_path / "hers", tmp_path / "lab.csv"))
    assert sorted(found.entries) == [
        "inputs/1/_/one.yaml",
        "inputs/1/shared/mine/chips/lab.yaml",  # what dse does not read is nobody's business
        "inputs/1/shared/q.csv",
        "inputs/2/two.yaml",
        "inputs/catalogs/1/chips/lab.yaml",
        "inputs/catalogs/2/lab.csv",
    ]
    assert found.entries["inputs/1/_/one.yaml"] == one.read_bytes()
    assert (found.problems, found.catalogs) == (
        ("inputs/1/_/one.yaml", "inputs/2/two.yaml"),
        ("inputs/catalogs/1", "inputs/catalogs/2/lab.csv"),
    )
    assert gather(*unpack(found, tmp_path / "elsewhere")) == found


@pytest.mark.parametrize("path", ["/home/me/mine", "C:\\mine", "~/mine", "a/../../mine"])
def test_paths_of_one_machine_are_refused_with_their_line(path):
    with pytest.raises(InputError, match=r"p.yaml:2:\d+: catalogs.*cannot go into a bundle"):
        layout_of(f"{TASK}catalogs: ['{path}']\n".encode(), "p.yaml", 1, "p.yaml")


def test_a_link_out_of_a_catalogue_folder_is_not_followed(tmp_path):
    folder(tmp_path, "mine")
    (tmp_path / "secret.yaml").write_text("id: secret\n", encoding="utf-8")
    os.symlink(tmp_path / "secret.yaml", tmp_path / "mine/chips/secret.yaml")
    problem = tmp_path / "p.yaml"
    problem.write_text(TASK, encoding="utf-8")
    with pytest.raises(InputError, match=r"secret.yaml: is a link out of the folder .* \(put a copy"):
        gather([problem], (tmp_path / "mine",))


def test_files_have_a_largest_size_each_and_together(tmp_path, monkeypatch):
    folder(tmp_path, "mine")
    problem = tmp_path / "p.yaml"
    problem.write_text(TASK, encoding="utf-8")
    monkeypatch.setattr(inputs, "MAX_ALL", len(TASK) + len(CHIP))
    gather([problem], (tmp_path / "mine",))  # just as much as is allowed
    monkeypatch.setattr(inputs, "MAX_ALL", len(TASK) + len(CHIP) - 1)
    with pytest.raises(InputError, match=r"have more than .* MB"):
        gather([problem], (tmp_path / "mine",))
    monkeypatch.setattr(inputs, "MAX_FILE", len(TASK) - 1)
    with pytest.raises(InputError, match=r"p.yaml: is larger than the .* MB a bundle takes of one file"):
        gather([problem])


def test_a_name_that_other_systems_cannot_hold_is_refused(tmp_path):
    problem = tmp_path / "what?.yaml"
    problem.write_text(TASK, encoding="utf-8")
    with pytest.raises(InputError, match=r"the name 'inputs/1/what\?.yaml' cannot stand in a bundle"):
        gather([problem])
