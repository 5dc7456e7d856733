"""One random problem whose front is compared with the definition, over the exported candidate table."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from dse.api import vocabulary_of
from dse.candidates.context import prepare
from dse.estimate.store import Knowledge
from dse.front.axes import parse_axes
from dse.frontier import front_of_problem
from dse.problem.load import parse_problem
from dse.report.front_data import columns_of, csv_rows, front_object
from dse.report.table import write_candidates
from tests import oracles

AXES = {
    "accuracy": True,
    "accuracy_low": True,
    "worst_case_ms": False,
    "typical_ms": False,
    "rate_hz": True,
    "utilization": False,
    "power_w": False,
    "price_usd": False,
    "memory_mb": False,
    "batch": True,
}
"""Columns of the exported table, and whether more of them is better (`batch` has no natural direction)."""
Vector = tuple[Decimal, ...]


def check_front(rng: random.Random, knowledge: Knowledge, folder: Path) -> str:
    """Compare one front, what is near it and what lacks figures; returns what the problem had."""
    spec = oracles.random_spec(rng, sorted(knowledge.catalog.chips))
    # Looser than those of single answers: a front wants many feasible rows, and figures that nobody knows.
    spec["limits"] = {name: {"max": limit["max"], "unknown": "flag"} if isinstance(limit, dict) else limit
                      for name, limit in spec["limits"].items() if rng.random() < 0.4}  # fmt: skip
    spec["tasks"][0]["deadline_ms"] *= rng.choice([1, 5, 20])
    if rng.random() < 0.8:
        spec["tasks"][0].pop("min_accuracy", None)
    names = rng.sample(sorted(AXES), rng.randint(2, 4))
    axes = parse_axes(",".join(f"{name}:max" if name == "batch" else name for name in names))
    share = rng.choice([0.0, 0.0, 0.02, 0.1, 0.57])
    problem = parse_problem(yaml.safe_dump(spec), "random", vocabulary_of(knowledge.catalog))
    shown = front_object(front_of_problem(problem, knowledge, axes, share))
    target = folder / "candidates.csv"
    write_candidates([prepare(problem, problem.tasks[0], knowledge)], target)
    rows = [row for row in oracles.read_rows(target) if oracles.is_feasible(row, spec)]
    known = [row for row in rows if all(row[name] for name in names)]
    assert {row["kind"] for row in shown["rows"]} <= {"front", "near", "unknown"}
    assert shown["search"]["feasible"] == len(rows)
    ties = Counter(vector(row, names) for row in known)
    best = brute_force(ties)
    columns = columns_of(shown)
    read = {kind: [dict(zip(columns, cells, strict=True)) for cells in csv_rows(shown, kind)]
            for kind in ("front", "near", "unknown")}  # fmt: skip
    written = [name if name != "batch" else "result.batch" for name in names]
    found = [vector(row, names, written) for row in read["front"]]
    assert len(found) == len(set(found)), "a tie appears twice"
    assert set(found) == best
    assert {v: int(row["ties"]) for v, row in zip(found, read["front"], strict=True)} == {v: ties[v] for v in best}
    nearly = {v for v in ties if share and v not in best and any(is_near(v, b, share) for b in best)}
    assert {vector(row, names, written) for row in read["near"]} == nearly
    lacking = [row for row in rows if not all(row[name] for name in names)]
    _check_apart(lacking, read["unknown"], names, written)
    return "empty" if not best else "with unknowns" if lacking else "plain"


def vector(row: dict[str, str], names: list[str], written: list[str] | None = None) -> Vector:
    """Costs of a row whose figures are known, less being better."""
    cells = [row[column] for column in written or names]
    return tuple(-Decimal(cell) if AXES[name] else Decimal(cell) for name, cell in zip(names, cells, strict=True))


def dominates(one: Vector, other: Vector) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and one != other


def brute_force(vectors: Counter[Vector]) -> set[Vector]:
    """The definition: whatever no other vector dominates. Only those before it in order can."""
    best: list[Vector] = []
    for candidate in sorted(vectors):
        if not any(dominates(one, candidate) for one in best):
            best.append(candidate)
    return set(best)


def is_near(cost: Vector, best: Vector, share: float) -> bool:
    """Worse by at most a share of the figure, everywhere."""
    return all(c <= b + Decimal(repr(share)) * abs(b) for c, b in zip(cost, best, strict=True))


def _check_apart(lacking: list[Any], shown: list[Any], names: list[str], written: list[str]) -> None:
    """Each row without a figure is shown, or one of its chip, board and mode that lacks the same is no worse."""

    def group(row: dict[str, str], columns: list[str]) -> tuple[Any, ...]:
        return row["chip"], row["board"], row["mode"], tuple(row[column] == "" for column in columns)

    def figures(row: dict[str, str], columns: list[str]) -> Vector:
        pairs = [(name, row[column]) for name, column in zip(names, columns, strict=True) if row[column]]
        return tuple(-Decimal(cell) if AXES[name] else Decimal(cell) for name, cell in pairs)

    wanted: dict[tuple[Any, ...], Counter[Vector]] = {}
    for row in lacking:
        wanted.setdefault(group(row, names), Counter())[figures(row, names)] += 1
    found: dict[tuple[Any, ...], dict[Vector, int]] = {}
    for row in shown:
        found.setdefault(group(row, written), {})[figures(row, written)] = int(row["ties"])
    assert set(found) == set(wanted)
    for key, vectors in wanted.items():
        assert found[key] == {v: vectors[v] for v in brute_force(vectors)}
