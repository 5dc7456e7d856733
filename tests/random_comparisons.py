"""One random problem compared by the package and by the oracle: order of chips, standings, prices that would win."""

from __future__ import annotations

import random
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from dse.api import vocabulary_of
from dse.candidates.context import prepare
from dse.compare.comparison import Comparison, Row, Standing, compare_chips
from dse.compare.standing import HIGHEST
from dse.estimate.store import Knowledge
from dse.problem.load import parse_problem
from dse.report.table import COLUMNS, rows_of, write_candidates
from tests import oracles
from tests.random_problems import IDENTITY

CENT = Decimal("0.01")
MOST_PRICES = 4
"""Prices asked about per problem: each makes the oracle choose from the whole table twice."""


def check_comparison(rng: random.Random, knowledge: Knowledge, folder: Path) -> str:
    """Compare, then ask the oracle; returns what there was to see."""
    spec = oracles.random_spec(rng, sorted(knowledge.catalog.chips))
    problem = parse_problem(yaml.safe_dump(spec), "random", vocabulary_of(knowledge.catalog))
    comparison = compare_chips(problem, knowledge)
    target = folder / "candidates.csv"
    write_candidates([prepare(problem, problem.tasks[0], knowledge)], target)
    rows = oracles.read_rows(target)
    check_standings(comparison, rows, spec)
    check_order(comparison, rows, spec)
    prices = check_prices(comparison, rows, spec)
    return "prices" if prices else "designs" if comparison.rows and comparison.rows[0].rank else "none"


def check_standings(comparison: Comparison, rows: list[oracles.Row], spec: Mapping[str, Any]) -> None:
    """A chip is feasible where one of its candidates is, fails where each breaks a limit, and every chip has a row."""
    feasible = {row["chip"] for row in rows if oracles.is_feasible(row, dict(spec))}
    assert {row.chip for row in comparison.rows if row.standing is Standing.FEASIBLE} == feasible
    assert {row["chip"] for row in rows} <= {row.chip for row in comparison.rows}
    assert len({row.chip for row in comparison.rows}) == len(comparison.rows)
    for row in comparison.rows:
        if row.candidates is not None and row.standing is not Standing.FEASIBLE:
            assert not oracles.is_feasible(cells_of(comparison, row), dict(spec))


def check_order(comparison: Comparison, rows: list[oracles.Row], spec: Mapping[str, Any]) -> None:
    """Each design is the best of what the chips before it leave."""
    for row in comparison.rows:
        if row.rank is None:
            break
        best = oracles.best_rows(rows, dict(spec))
        assert identity(cells_of(comparison, row)) in [identity(one) for one in best], row.rank
        rows = [one for one in rows if one["chip"] != row.chip]
    assert not oracles.best_rows(rows, dict(spec))


def check_prices(comparison: Comparison, rows: list[oracles.Row], spec: Mapping[str, Any]) -> int:
    """With the price it was given an item is chosen, a cent above it is not; returns how many were asked about."""
    asked = 0
    for row in comparison.rows:
        threshold = row.wins_at
        if threshold is None or threshold.quantity != "price_usd" or asked == MOST_PRICES:
            continue
        asked += 1
        own = cells_of(comparison, row)
        item = (own["chip"], own["board"])
        if threshold.value is None:
            assert not all(winners(rows, spec, item, CENT)), (item, "wins at a cent")
            continue
        price = Decimal(repr(threshold.value))
        found = winners(rows, spec, item, price)
        assert any(found), (item, price)
        if threshold.any:
            assert price == HIGHEST["price_usd"]
        else:
            assert not (above := winners(rows, spec, item, price + CENT)) or not all(above), (item, price)
    return asked


def winners(rows: list[oracles.Row], spec: Mapping[str, Any], item: tuple[str, str], price: Decimal) -> list[bool]:
    """Of the best rows, where one chip on its board costs so much, whether each is of it."""
    changed = [
        {**row, "price_usd": str(price), "violated": without_price(row["violated"])}
        if (row["chip"], row["board"]) == item
        else row
        for row in rows
    ]
    return [(row["chip"], row["board"]) == item for row in oracles.best_rows(changed, dict(spec))]


def without_price(violated: str) -> str:
    return " | ".join(name for name in violated.split(" | ") if name and name != "price_usd")


def cells_of(comparison: Comparison, row: Row) -> oracles.Row:
    """A row of the comparison as the candidate file shows it."""
    assert row.candidates is not None
    chosen = row.candidates.take([row.row])  # type: ignore[arg-type]
    return dict(zip(COLUMNS, next(iter(rows_of(comparison.context, chosen))), strict=True))


def identity(cells: oracles.Row) -> tuple[str, ...]:
    return tuple(cells[name] for name in IDENTITY)
