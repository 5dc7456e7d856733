"""Whatever a file contains, the answer is a problem or a ProblemError."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import ProblemError
from dse.problem.defaults import defaults_used
from dse.problem.load import parse_problem, problem_of
from dse.problem.starter import STARTER
from dse.problem.supported import unsupported
from dse.yamlfile.reader import read_bytes, read_text

from .test_broken_files import WORDS

WHOLE = (Path(__file__).parent / "data" / "whole.yaml").read_text(encoding="utf-8")
ODD_VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 10**400, float("nan"), float("inf"), 1e-320, 1e308, "", "none", "all", "*", "[", "{}",
    [], [[]], {}, {"default": {}}, [None], [1, "a"], {"min": [], "max": {}}, {"name": {}}, "x" * 500, {"": ""},
]  # fmt: skip


def _take(document: Any) -> None:
    problem = problem_of(document, WORDS)
    defaults_used(problem)
    unsupported(problem)
    for task in problem.tasks:
        assert problem.period_ms(task) > 0
        problem.batches_of(task)


@given(st.binary(max_size=300))
@settings(max_examples=75, deadline=None)
def test_random_bytes(content: bytes) -> None:
    """Bytes without sense are an input error."""
    with suppress(ProblemError):
        _take(read_bytes(content, "f"))


@given(st.text(alphabet="a:-[]{}&*!|>'\"#%@,?\t\n 019.~\\<", max_size=60))
@settings(max_examples=150, deadline=None)
def test_random_yaml_signs(text: str) -> None:
    """Signs that mean something to YAML, in any order."""
    with suppress(ProblemError):
        _take(read_text(text, "f"))


def test_random_edits_of_valid_files() -> None:
    """Characters lost, doubled, exchanged or misplaced in a valid file."""
    draw = random.Random(7)
    for number in range(400):
        text = list(WHOLE if number % 4 == 0 else STARTER)
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(text))
            text[at : at + draw.randint(0, 3)] = draw.choice(
                ["", "\t", "*", ": ", "[", "}", "\n", "é", "-", '"', "&a ", "0"]
            )
        with suppress(ProblemError):
            _take(read_text("".join(text), "f"))


def _places(node: Any) -> list[tuple[Any, Any]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [place for key, item in items for place in [(node, key), *_places(item)]]


def test_odd_values_anywhere() -> None:
    """A value of any kind in the place of any other, and keys lost or misspelt."""
    draw = random.Random(11)
    for _ in range(500):
        document = read_text(WHOLE, "f")
        for _ in range(draw.randint(1, 3)):
            holder, key = draw.choice(_places(document.data))
            action = draw.random()
            if action < 0.7:
                holder[key] = draw.choice(ODD_VALUES)
            elif isinstance(holder, dict) and action < 0.85:
                holder[f"{key}x"] = holder.pop(key)
            else:
                del holder[key]
        with suppress(ProblemError):
            _take(document)


def test_surrogates_in_text() -> None:
    """Text that cannot be encoded is an input error as well."""
    for text in ("name: \ud800", 'name: "\\ud800"', 'name: "\\U00110000"'):
        with suppress(ProblemError):
            parse_problem(text)
