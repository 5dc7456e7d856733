"""The page about budgets: its numbers are those of the program, and every key of the JSON stands in its table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dse import api
from dse.problem import parse_problem

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "budget.md").read_text(encoding="utf-8")
ALIKE = (
    (r"^tasks\[\]\.tiers\[\]\.work\.", "tasks[].works[]."),
    (r"^tasks\[\]\.families\[\]\.(likely|perhaps)\.(weak|middle|strong)\.", "MEMBER."),
    (r"^tasks\[\]\.reach\.(weakest\[\]|one_bit|families\[\]\.(weakest|fastest))\.", "RUN."),
)
"""Objects of one form that stand in several places; the page describes each form once."""


@pytest.fixture(scope="module")
def answers(knowledge) -> list[dict[str, Any]]:
    """The budgets of the page's own problem, and of one with several tasks and a chain."""
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    problems = [parse_problem(text), api.load_problem(ROOT / "problems" / "plates.yaml")]
    return [api.budget(problem).data for problem in problems]


def keys(value: Any, path: str = "") -> Iterator[str]:
    """Paths of all leaves; an empty list stands for its parts."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from keys(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for part in value:
            yield from keys(part, f"{path}[]")
        if not value:
            yield f"{path}[]"
    else:
        yield path


def test_every_key_is_in_the_page(answers):
    listed = set(re.findall(r"`([A-Za-z_.\[\]]+)`", PAGE.split("## Keys")[1]))
    found = {key for data in answers for key in keys(data)}
    for pattern, name in ALIKE:
        found = {re.sub(pattern, name, key) for key in found}
    found = {key for key in found if not any(other.startswith((f"{key}.", f"{key}[]")) for other in found)}
    assert found - listed == set()
    rows = {key for row in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE) for key in re.findall(r"`(.*?)`", row)}
    # A row without a key is of an object that is `null` in neither, or of one that is described by its parts.
    assert {key for key in rows - found if not any(other.startswith((f"{key}.", f"{key}[]")) for other in found)} <= {
        "tasks[].tiers[].work", "tasks[].families[].likely", "tasks[].families[].perhaps", "tasks[].reach.weakest[]",
        "tasks[].reach.families[].weakest", "tasks[].reach.families[].fastest", "tasks[].reach.one_bit",
    }  # fmt: skip


def test_the_numbers_by_hand_are_those_of_the_program(answers):
    """1000/100 ms; 0.95 of it; (40 - 12 - 2)/4 ms; /1.6; 0.4 · 10¹² · 4.0625 ms; 8.4 · 4.0625."""
    (task,) = answers[0]["tasks"]
    times, means = task["times"], {mean["tail_class"]: mean["mean_ms"] for mean in task["means"]}
    (npu,) = [work for work in task["works"] if work["chip"] == "rk3566"]
    assert (times["items_per_s"], times["bare_ms"], times["capped_ms"]) == (100, 10, 9.5)
    assert (times["left_ms"], times["burst"]["items"], times["network_ms"], times["binds"]) == (26, 4, 6.5, "deadline")
    assert (means["soc-npu"], npu["most_gmacs"], npu["most_mb"]) == (4.0625, 1.625, 34.125)
    for said in ("= 10.000 ms", "= 9.500 ms", "= 26 ms", "= 6.500 ms", "= 4.0625 ms", "= 1.625 G MAC", "= 34.125 MB"):
        assert said in PAGE.replace("\n  ", " ")
