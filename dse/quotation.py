"""``dse quotes``: a form for the suppliers of what a problem admits, and what the filled-in one says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from dse.api import knowledge_of, load_problem, roots_of
from dse.candidates.context import prepare
from dse.catalog.parts import price_at
from dse.catalog.types import Catalog
from dse.problem.raw import get
from dse.problem.spec import Problem
from dse.quotes.choose import Quotes
from dse.quotes.priced import quotes_of
from dse.quotes.sheet import form
from dse.solving import checked_problem, vocabulary_of
from dse.yamlfile.reader import read_file

JsonObject = dict[str, Any]


def template(file: Path, catalogs: tuple[Path, ...] = ()) -> tuple[str, int]:
    """A form with a row for every chip and board among the candidates of a problem, hosts included; and their number.

    Quotations that the problem names are not read: their file may be the one that is about to be written.

    Raises
    ------
    ProblemError
        The problem cannot be used.
    """
    knowledge = knowledge_of(roots_of(file, catalogs))
    document = read_file(file)
    if isinstance(document.data, dict) and get(document.data, "procurement", "quotes") is not None:
        bare = {key: value for key, value in document.data["procurement"].items() if key != "quotes"}
        document = replace(document, data={**document.data, "procurement": bare})
    problem = checked_problem(document, knowledge, vocabulary_of(knowledge.catalog))
    found: set[str] = set()
    for task in problem.tasks:
        context = prepare(problem, task, knowledge)
        lanes = context.lanes
        used = {(lanes.chip[lane], lanes.board[lane]) for lane in set(context.runs.lane.tolist())}
        found |= _bought(sorted(used), context.catalog)
    boards = knowledge.catalog.boards
    return form((name, (boards[name].mpn or "") if name in boards else "") for name in sorted(found)), len(found)


def _bought(lanes: list[tuple[str, str]], catalog: Catalog) -> set[str]:
    """What is bought for lanes: the chip alone or its board, and the board that this one is plugged into."""
    found = set()
    for chip, name in lanes:
        board = catalog.boards.get(name)
        found.add(chip if board is None else name)
        host = None if board is None else board.host_board
        if host is None and catalog.platform(chip, name).plugged and (board is None or board.cpu_cores is None):
            host = catalog.host
        found |= set() if host is None else {host}
    return found


def read(file: Path, catalogs: tuple[Path, ...] = ()) -> JsonObject:
    """Which quotation counts for each item of a problem's file, and why the others do not.

    Raises
    ------
    ProblemError
        The problem or its file of quotations cannot be used: every fault.
    """
    problem: Problem = load_problem(file, catalogs)
    catalog = knowledge_of(roots_of(file, catalogs)).catalog
    quotes, _no_faults = quotes_of(problem, catalog)
    return {
        "file": problem.procurement.quotes,
        "quantity": quotes.quantity,
        "as_of": quotes.as_of,
        "used": _used(quotes, catalog),
        "unused": [
            {"item": one.quote.item, "supplier": one.quote.supplier or None, "place": one.quote.place,
             "reason": one.reason}
            for one in quotes.unused
        ],
    }  # fmt: skip


def _used(quotes: Quotes, catalog: Catalog) -> list[JsonObject]:
    rows = []
    for item, quote in quotes.used.items():
        thing = catalog.boards.get(item) or catalog.chips[item]
        listed = price_at(thing.prices, quotes.quantity, thing.form)
        rows.append(
            {
                "item": item,
                "supplier": quote.supplier or None,
                "mpn": quote.mpn or None,
                "price_usd": quote.usd,
                "list_price_usd": None if listed is None else listed.usd,
                "quantity_from": quote.quantity_from,
                "moq": quote.moq,
                "lead_time_weeks": quote.lead_time_weeks,
                "valid_until": quote.valid_until or None,
                "place": quote.place,
            }
        )
    return rows
