"""One random problem without a design: clashing sets and relaxations against the exported table and re-solving."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml

from dse.answer import solve_problem
from dse.api import vocabulary_of
from dse.candidates.context import prepare
from dse.candidates.table import blocks
from dse.estimate.store import Knowledge
from dse.explaining.explain import explain_problem
from dse.problem.load import parse_problem
from dse.problem.spec import Problem
from dse.report.explained import explanation_object
from dse.report.summary import alternative_of
from dse.report.table import write_candidates
from tests import oracles

GIVEN = "accuracy unknown"
MOST_LIMITS = 12
TIGHTER = {"deadline_ms": "-0.0001", "min_accuracy": "0.000001", "power_w": "-0.000001", "price_usd": "-0.000001",
           "utilization": "-0.000001"}  # fmt: skip
"""One step of the column's resolution back towards the bound that was asked."""
DEMANDS = {"rate": Decimal("0.001"), "streams": Decimal(1)}
NAMES = ("chip", "board", "mode", "unit", "runtime", "model", "weights", "input_h", "input_w", "precision", "batch")
ENDLESS = {"deadline_ms": 3_000_000, "min_accuracy": None, "power_w": 10**9, "price_usd": 10**9, "utilization": 1.0}
"""As loose as a bound can be."""
COLUMNS = {"deadline_ms": "worst_case_ms", "min_accuracy": "accuracy_low"}


def check_explanation(rng: random.Random, knowledge: Knowledge, folder: Path) -> str:
    """Explain, then ask the oracle; returns what there was to see."""
    spec = oracles.random_spec(rng, sorted(knowledge.catalog.chips))
    spec = harder(rng, spec) if rng.random() < 0.5 else spec
    problem = parsed(spec, knowledge)
    explained = explanation_object(explain_problem(problem, knowledge, remedies=False))
    target = folder / "candidates.csv"
    write_candidates([prepare(problem, problem.tasks[0], knowledge)], target)
    if explained["feasible"] is not None:
        seen = check_ranges(explained["feasible"], oracles.read_rows(target), spec)
        seen += check_demands(explained["feasible"], spec, knowledge)
        return "ranges" if seen else "winner"
    broken = [frozenset(name for name in row["violated"].split(" | ")) for row in oracles.read_rows(target)]
    check_clashes(explained["infeasible"], broken)
    check_cheapest(explained["infeasible"], spec, knowledge)
    relaxed = check_relaxations(rng, explained["infeasible"], spec, knowledge, oracles.read_rows(target))
    return "relaxed" if relaxed else "several" if broken else "empty"


def harder(rng: random.Random, spec: dict[str, Any]) -> dict[str, Any]:
    """The same problem with some of its limits made tighter, so that most have no design."""
    task = spec["tasks"][0]
    task["deadline_ms"] = rng.choice([1, 3, 8, 20, 60, 200])
    task["min_accuracy"] = round(min(99.0, (task.get("min_accuracy") or 40) * rng.choice([0.7, 1.0, 1.25])), 1)
    for name, least in (("power_w", [0.3, 2, 6, 12]), ("price_usd", [5, 40, 120])):
        if rng.random() < 0.7:
            spec["limits"][name] = {"max": rng.choice(least), "unknown": rng.choice(["reject", "flag"])}
    return spec


def check_clashes(found: dict[str, Any], broken: list[frozenset[str]]) -> None:
    """Exactly the minimal sets of limits that every candidate with an accuracy breaks one of, by trying all sets."""
    usable = [names for names in broken if GIVEN not in names]
    if not usable:
        assert found["clashes"] == []
        assert found["text"]
        return
    expected = set(minimal_sets(usable))
    assert {frozenset(clash["limits"]) for clash in found["clashes"]} == expected
    assert len(found["clashes"]) == len(expected)
    assert found["complete"]
    assert {frozenset([one["limit"]]) for one in found["contradictions"]} <= expected


def minimal_sets(broken: list[frozenset[str]]) -> Iterator[frozenset[str]]:
    """All subsets of the limits, the small ones first."""
    names = sorted(set().union(*broken))
    assert len(names) <= MOST_LIMITS
    distinct, kept = set(broken), list[frozenset[str]]()
    for size in range(len(names) + 1):
        for chosen in map(frozenset, combinations(names, size)):
            if all(chosen & one for one in distinct) and not any(one <= chosen for one in kept):
                kept.append(chosen)
                yield chosen


def check_relaxations(
    rng: random.Random, found: dict[str, Any], spec: dict[str, Any], knowledge: Knowledge, rows: list[oracles.Row]
) -> int:
    """With a limit moved to where it was said to be enough there is a design, one step before there is none.

    Of the limits that are said not to help alone, one is tried without any bound.
    """
    moved = {one["limit"]: one for one in found["relaxations"]}
    count, tried = 0, rng.choice(sorted(TIGHTER))
    for name, step in TIGHTER.items():
        relaxed = moved.get(name)
        if relaxed is None or relaxed["to"] is None:
            assert name != tried or not feasible(changed(spec, name, ENDLESS[name]), knowledge), f"{name} would do"
            continue
        count += 1
        value = Decimal(repr(relaxed["to"]))
        cells = [row[COLUMNS.get(name, name)] for row in rows if row["violated"] == name]
        figures = [Decimal(cell) for cell in cells if cell]
        assert value in figures, name
        assert feasible(changed(spec, name, float(value)), knowledge), (name, value)
        assert not feasible(changed(spec, name, float(value + Decimal(step))), knowledge), (name, value)
    for name, step in DEMANDS.items():
        relaxed = moved.get(name)
        if relaxed is not None and relaxed["to"] is not None:
            count += 1
            back = step if relaxed["to"] < relaxed["from"] else -step
            assert feasible(changed(spec, name, relaxed["to"]), knowledge), name
            nearer = Decimal(repr(relaxed["to"])) + back
            assert not feasible(changed(spec, name, number(name, nearer)), knowledge), name
    return count


def check_cheapest(found: dict[str, Any], spec: dict[str, Any], knowledge: Knowledge) -> None:
    """All that the least relaxation changes, changed at once, admits a design; no single relaxation is cheaper."""
    cheapest = found["cheapest"]
    if cheapest is None:
        return
    shares = [one["share"] for one in found["relaxations"] if one["share"] is not None]
    assert not shares or cheapest["total_share"] <= min(shares) + 1e-9
    for one in (cheapest, *cheapest["keeping"]):
        assert one.get("keeps") not in [change["limit"] for change in one["changes"]]
        assert feasible(together(spec, one["changes"]), knowledge), one["text"]


def together(spec: dict[str, Any], changes: list[dict[str, Any]]) -> dict[str, Any]:
    for change in changes:
        spec = changed(spec, change["limit"], change["to"])
    return spec


def check_ranges(found: dict[str, Any], rows: list[oracles.Row], spec: dict[str, Any]) -> int:
    """At both ends of the range of every limit the oracle chooses the winner, and one step beyond it another row."""
    winner = identity(found["winner"])
    count = 0
    for one in found["limits"]:
        name = one["limit"]
        if name not in TIGHTER:
            continue
        tighter = Decimal(TIGHTER[name])
        ends = (("tightest", tighter, 0.000001), ("loosest", -tighter, ENDLESS[name]))
        for end, step, farthest in ends:
            value = one[end]
            if value is None:  # whatever the bound
                best = oracles.best_rows(rows, changed(spec, name, farthest))
                assert winner in map(row_identity, best), (name, end, "for ever")
                continue
            count, beyond = count + 1, Decimal(repr(value)) + step
            best = oracles.best_rows(rows, changed(spec, name, value))
            assert winner in map(row_identity, best), (name, value)
            if name == "utilization" and beyond > 1:
                continue
            best = oracles.best_rows(rows, changed(spec, name, float(beyond)))
            assert len(best) > 1 or winner not in map(row_identity, best), (name, beyond)
    return count


def check_demands(found: dict[str, Any], spec: dict[str, Any], knowledge: Knowledge) -> int:
    """At both ends of the rates and of the streams solving anew chooses the winner, one step beyond another design."""
    count, winner = 0, identity(found["winner"])
    for one in found["demands"]:
        step = DEMANDS[one["demand"]]
        for value, outwards, design in ((one["lowest"], -step, one["below"]), (one["highest"], step, one["above"])):
            if value is None or (design is not None and identity(design) == winner):
                continue  # none, or what comes next differs in what no column of the file says
            count, beyond = count + 1, number(one["demand"], Decimal(repr(value)) + outwards)
            assert chosen(changed(spec, one["demand"], value), knowledge) == winner, (one["demand"], value)
            if beyond > 0:
                assert chosen(changed(spec, one["demand"], beyond), knowledge) != winner, (one["demand"], beyond)
    return count


def chosen(spec: dict[str, Any], knowledge: Knowledge) -> tuple[str, ...] | None:
    answer = solve_problem(parsed(spec, knowledge), knowledge)
    if answer.row is None:
        return None
    return identity(alternative_of(answer.context, answer.candidates, answer.row))


def row_identity(row: oracles.Row) -> tuple[str, ...]:
    return tuple(row[name] for name in NAMES)


def identity(design: dict[str, Any]) -> tuple[str, ...]:
    """A design of the explanation in the words of the CSV file, as far as both say it."""
    return tuple("" if design[name] is None else str(design[name]) for name in NAMES)


def number(name: str, value: Decimal) -> float | int:
    """As the file holds it."""
    return int(value) if name == "streams" else float(value)


def changed(spec: dict[str, Any], name: str, value: float | None) -> dict[str, Any]:
    """The problem file with one bound replaced; None takes the limit out."""
    other = copy.deepcopy(spec)
    task = other["tasks"][0]
    if name in DEMANDS:
        own = other["sources"][0] if "sources" in other else task
        own["rate_hz" if name == "rate" else name] = value
    elif name in ("deadline_ms", "min_accuracy"):
        task[name] = value
        if value is None:
            del task[name]
    elif name in other["limits"] and isinstance(other["limits"][name], dict):
        other["limits"][name]["max"] = value
    elif name in other["limits"] or name == "utilization":
        other["limits"][name] = value
    return other


def feasible(spec: dict[str, Any], knowledge: Knowledge) -> bool:
    """Whether any candidate of the table breaks nothing."""
    problem = parsed(spec, knowledge)
    context = prepare(problem, problem.tasks[0], knowledge)
    return any(bool((block.violated == 0).any()) for block in blocks(context, feasible_only=True))


def parsed(spec: dict[str, Any], knowledge: Knowledge) -> Problem:
    return parse_problem(yaml.safe_dump(spec), "random", vocabulary_of(knowledge.catalog))
