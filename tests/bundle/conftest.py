"""The bundle of a small problem, made once, and its answer for those who would work it out again."""

from __future__ import annotations

import copy

import pytest

from dse.bundle.answers import answer_of, questions_of
from dse.bundle.request import Request
from tests.bundle.examples import QUICK, bundle_of


@pytest.fixture(scope="session")
def bundle(knowledge, tmp_path_factory) -> bytes:
    return bundle_of(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="session")
def remembered(knowledge, tmp_path_factory):
    """Answers what was answered before: for tests that are not about the answer."""
    file = tmp_path_factory.mktemp("once") / "quick.yaml"
    file.write_text(QUICK, encoding="utf-8")
    answer = answer_of(questions_of([file]), Request())
    return lambda *_: copy.deepcopy(answer)
