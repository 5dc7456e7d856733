"""One random problem solved by the package and by the oracle."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import yaml

from dse.answer import solve_problem
from dse.api import vocabulary_of
from dse.candidates.context import prepare
from dse.estimate.store import Knowledge
from dse.problem.load import parse_problem
from dse.report.summary import summarise
from dse.report.table import write_candidates
from dse.verify import exact_worst_case_ms
from tests import oracles

IDENTITY = (
    "chip",
    "board",
    "mode",
    "unit",
    "runtime",
    "model",
    "weights",
    "precision",
    "batch",
    "policy",
    "timeout_ms",
    "buffers",
)


def check_one(rng: random.Random, knowledge: Knowledge, folder: Path) -> str:
    """Solve, compare with brute force, check limits exactly; returns the status."""
    spec = oracles.random_spec(rng, sorted(knowledge.catalog.chips))
    problem = parse_problem(yaml.safe_dump(spec), "random", vocabulary_of(knowledge.catalog))
    answer = solve_problem(problem, knowledge, workers=1, top=4, different="none")
    target = folder / "candidates.csv"
    write_candidates([prepare(problem, problem.tasks[0], knowledge)], target)
    rows = oracles.read_rows(target)
    assert len(rows) == answer.survey.total
    for row in rows:
        assert (row["feasible"] == "true") == oracles.is_feasible(row, spec), row
    best = oracles.best_rows(rows, spec)
    data = summarise(answer)
    if not best:
        assert answer.status.value == "infeasible"
        return "infeasible"
    assert answer.status.value == "optimal"
    found = _identity(data)
    assert found in [tuple(row[name] for name in IDENTITY) for row in best]
    deadline = Fraction(repr(spec["tasks"][0]["deadline_ms"]))
    for position in (answer.row, *answer.alternatives):
        worst = exact_worst_case_ms(answer.context, answer.candidates, position)
        assert worst is not None
        assert worst <= deadline
    return "optimal"


def _identity(data: dict) -> tuple[str, ...]:
    """The winner's name, in the words of the CSV file."""
    assignment, device = data["assignments"][0], data["devices"][0]
    flat = {**assignment, "chip": device["chip"], "board": device["board"] or "", "mode": device["mode"]}
    return tuple(f"{flat[name]:g}" if name == "timeout_ms" else str(flat[name]) for name in IDENTITY)
