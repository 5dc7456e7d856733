"""Quotations go before list prices wherever a price is used; what is wrong with their file is said all at once.

The prices of the small catalogue stand in ``conftest.py``; every expected one is worked out beside the test.
"""

from __future__ import annotations

import dataclasses
import pickle

import pytest

import dse
from dse.api import knowledge_of, load_problem
from dse.candidates.context import prepare
from dse.candidates.table import evaluate_all
from dse.catalog.parts import Price, price_at
from dse.errors import InputError, ProblemError, VerificationError
from dse.quotes.choose import choose
from dse.quotes.priced import quotes_of
from dse.quotes.sheet import Quote, form, written
from dse.schema import QUANTITIES, UNKNOWN
from dse.verify import verify_rows

QUOTE = Quote("old-chip", "A", "", 10.0, "USD", 10.0, 1, 1, None, "", "q.csv", 2)


def quote(line=2, **changes):
    return dataclasses.replace(QUOTE, line=line, **({"usd": changes["price"]} if "price" in changes else {}), **changes)


def table(path):
    """Price [USD] and delivery time [week] of everything that can be bought; every row passes the second road."""
    problem = load_problem(path)
    context = prepare(problem, problem.tasks[0], knowledge_of(()))
    candidates = evaluate_all(context)
    verify_rows(context, candidates.take(candidates.violated == 0))
    found = {}
    for row, run in enumerate(candidates.run.tolist()):
        lane = context.lane_of(run)
        figures = [QUANTITIES[name].value(getattr(candidates, name)[row]) for name in ("price_usd", "lead_time_weeks")]
        found[context.lanes.board[lane] or context.lanes.chip[lane]] = tuple(
            None if value is None else float(value) for value in figures
        )
    return found


@pytest.mark.parametrize(
    ("pieces", "usd"),
    [(1, 40.0), (99, 40.0), (100, 36.0), (5000, 36.0)],
)
def test_a_list_price_is_that_of_the_quantity(shop, pieces, usd):
    """40 USD (the newest at one piece; not stated counts as one) up to 99 pieces, from 100 on the break at 36 USD."""
    assert table(shop(procurement=f"quantity: {pieces}"))["old-chip"] == (usd, None)


def test_a_price_for_more_pieces_than_asked_stands_in_and_says_so(shop):
    """other-chip has a price at 1,000 pieces alone; of several breaks above the smallest counts."""
    path = shop(rest="search: {chips: [other-chip], boards: {exclude: ['*']}}\n")
    device = dse.solve(load_problem(path)).data["devices"][0]
    assert device["price_usd"] == 50
    assert device["price"] == "chip, 2026-01, at 1,000 pieces, 1 asked, source not stated"
    above = [Price(5.0, 1000, "2026", "chip"), Price(7.0, 500, "2020", "chip"), Price(6.0, 500, "2021", "chip")]
    assert price_at(above, 499, "soc") == above[2]


def test_a_quotation_changes_the_winner(shop):
    """By list prices old-chip wins at 40 USD; quoted at 30 USD other-chip does."""
    assert dse.solve(load_problem(shop())).data["devices"][0]["chip"] == "old-chip"
    path = shop("Other_Chip,ACME,OC-1,30,,,,6,2026-12-31", procurement="as_of: 2026-12-31")
    answer = dse.solve(load_problem(path))
    device = answer.data["devices"][0]
    assert (device["chip"], device["price_usd"], device["lead_time_weeks"]) == ("other-chip", 30, 6)
    assert (device["supplier"], device["mpn"], device["valid_until"]) == ("ACME", "OC-1", "2026-12-31")
    assert device["price"] == "chip, at 1 pieces, quotation of ACME, valid until 2026-12-31, q.csv:2"
    front = dse.pareto(load_problem(path), "price_usd,typical_ms").data["rows"]
    assert [(row["chip"], row["price_usd"]) for row in front] == [("other-chip", 30)]
    swept = dse.sweep(path, {"procurement.as_of": ["2026-12-31", "2027-01-01"]}).data["points"]
    assert [point["device"]["chip"] for point in swept] == ["other-chip", "old-chip"]


def test_a_quotation_for_a_board_or_its_host_replaces_that_part_alone(shop):
    """acc-sbc costs 25 + 60 = 85 USD; with the host at 45.5: 70.5, with the card at 20: 80, with both: 65.5.

    The delivery time of the whole is the longer one, and unknown while one part has none.
    """
    host, card = "sbc,ACME,,45.5,,,,9,", ",ACME,acc-9,20,,,,4.5,"
    assert table(shop())["acc-sbc"] == (85, None)
    assert table(shop(host))["acc-sbc"] == (70.5, None)
    assert table(shop(card))["acc-sbc"] == (80, None)
    both = table(shop(host, card))
    assert both["acc-sbc"] == (65.5, 9)
    assert both["sbc"] == (45.5, 9)


def test_a_host_that_is_owned_is_waited_for_by_nobody(shop):
    """The bare card: 70 USD and 3 weeks in a host that is there; with one that is to be bought the time is unknown."""
    row, alone = "acc,ACME,,,,,,3,", "search: {boards: {exclude: ['*']}}\n"
    assert table(shop(row, rest=alone + "host: {owned: true, cpu_cores: 4}\n"))["acc"] == (70, 3)
    assert table(shop(row, rest=alone + "host: {price_usd: 100, power_w: 5, cpu_cores: 4}\n"))["acc"] == (170, None)
    assert table(shop(row, "sbc,X,,,,,,8,", rest=alone + "host: sbc\n"))["acc"] == (130, 8)


@pytest.mark.parametrize(("most", "feasible"), [("9", True), ("8", True), ("7.999999", False)])
def test_a_limit_on_the_delivery_time_holds_to_its_edge(shop, most, feasible):
    """A part quoted with 8 weeks meets 8 weeks and not a millionth less; parts without a quotation are unknown."""
    answer = dse.solve(load_problem(shop("other-chip,A,,90,,,,8,", rest=f"limits: {{lead_time_weeks: {most}}}\n")))
    assert [one["chip"] for one in answer.data["devices"]] == (["other-chip"] if feasible else [])
    flagged = dse.solve(load_problem(shop(rest="limits: {lead_time_weeks: {max: 8, unknown: flag}}\n"))).data
    assert flagged["devices"][0]["chip"] == "old-chip"


def test_the_delivery_time_can_be_an_objective(shop):
    """other-chip comes in 5 weeks, old-chip in 6; what is not quoted wins nothing."""
    path = shop("other-chip,A,,90,,,,5,", "old-chip,A,,1,,,,6,")
    path.write_text(path.read_text(encoding="utf-8").replace("price_usd}", "lead_time_weeks}"), encoding="utf-8")
    assert dse.solve(load_problem(path)).data["devices"][0]["chip"] == "other-chip"


def test_several_tasks_pay_and_wait_for_their_device_once(shop):
    path = shop("other-chip,A,,30,,,,8,", rest="limits: {lead_time_weeks: 8}\n")
    text = path.read_text(encoding="utf-8")
    task = next(line for line in text.splitlines() if "name: see" in line)
    path.write_text(text.replace(task, f"{task}\n{task.replace('see', 'look')}"), encoding="utf-8")
    answer = dse.solve(load_problem(path)).data
    device = answer["devices"][0]
    assert (device["chip"], device["price_usd"], device["lead_time_weeks"]) == ("other-chip", 30, 8)


def test_another_currency_needs_its_rate_and_is_rounded_up(shop):
    """10.01 EUR x 1.0833333 = 10.844166333, rounded up to 10.844167 USD: within a limit, the quoted price is too."""
    path = shop("old-chip,A,,10.01,eur,,,,", procurement="usd_per: {EUR: 1.0833333}")
    assert table(path)["old-chip"] == (10.844167, None)
    assert "10.01 EUR" in dse.solve(load_problem(path)).data["devices"][0]["price"]
    with pytest.raises(ProblemError, match=r"q.csv:2:1: currency: found EUR, .*usd_per: {EUR: 1.08}"):
        load_problem(shop("old-chip,A,,10.01,EUR,,,,"))


def test_which_quotation_counts():
    """Of what holds for 200 pieces: the largest quantity, then the cheapest, then the supplier's name."""
    rows = [
        quote(2, quantity_from=1, price=5.0),
        quote(3, quantity_from=100, price=9.0, supplier="B"),
        quote(4, quantity_from=100, price=9.0, supplier="A"),
        quote(5, quantity_from=100, price=9.5),
        quote(6, quantity_from=201, price=1.0),
        quote(7, moq=201, price=1.0),
        quote(8, quantity_from=150, price=1.0, valid_until="2026-08-31"),
        dataclasses.replace(QUOTE, line=9, price=None, usd=None, quantity_from=200, lead_time_weeks=1.0),
    ]
    found = choose(rows, 200, "2026-09-01")
    assert found.used == {"old-chip": rows[2]}
    assert [(one.quote.line, one.reason) for one in found.unused] == [
        (2, "q.csv:4 is for 100 pieces on"),
        (3, "q.csv:4 comes first by the name of its supplier"),
        (5, "q.csv:4 is cheaper"),
        (6, "it holds from 201 pieces on, 200 are bought"),
        (7, "at least 201 pieces must be ordered, 200 are bought"),
        (8, "it was valid until 2026-08-31, the day asked for is 2026-09-01"),
        (9, "q.csv:4 states a price"),
    ]
    assert choose(rows, 200, None).used == {"old-chip": rows[6]}
    assert choose(rows, 200, None).remarks()[-1].startswith("no quotation counts as expired")
    assert choose(rows, 200, "2026-08-31").used == {"old-chip": rows[6]}


def test_an_answer_names_the_quotations_it_did_not_use(shop):
    answer = dse.solve(load_problem(shop("old-chip,ACME,,1,,500,,,", procurement="quantity: 20"))).data
    reason = "at least 500 pieces must be ordered, 20 are bought"
    assert f"q.csv:2: the quotation of ACME for old-chip is not used: {reason}" in answer["assumptions"]
    assert answer["devices"][0]["price_usd"] == 40


FAULTS = {
    "item": ("nothing,A,,1,,,,,", r"q.csv:2:1: item: there is no chip or board `nothing`"),
    "item misspelt": ("old-chp,A,,1,,,,,", r"item: there is no chip or board `old-chp` \(did you mean `old-chip`\?\)"),
    "no item": (",A,,1,,,,,", r"item: the cell is empty \(it holds: id of a chip or board"),
    "mpn": (",A,SBC-2,1,,,,,", r"no board of the catalogue has the part number `SBC-2` \(did you mean `sbc-1`\?\)"),
    "price text": ("old-chip,A,,cheap,,,,,", r"price: found `cheap`, expected a finite number"),
    "price of nothing": ("old-chip,A,,0,,,,,", r"price: found 0 \(from 1e-06 to 1,000,000,000\)"),
    "price beyond": ("old-chip,A,,1e10,,,,,", r"price: found 1e\+10"),
    "price in millions": ("old-chip,A,,1e9,KWD,,,,", r"price: found 3,000,000,000 USD \(at most"),
    "currency": ("old-chip,A,,1,€,,,,", r"currency: found `€` \(an ISO code"),
    "rate": ("old-chip,A,,1,CHF,,,,", r"currency: found CHF, and what it is worth is not stated"),
    "moq": ("old-chip,A,,1,,0,,,", r"moq: found 0 \(a whole number of pieces from 1"),
    "half a piece": ("old-chip,A,,1,,,1.5,,", r"quantity_from: found 1.5 \(a whole number"),
    "lead time": ("old-chip,A,,1,,,,-1,", r"lead_time_weeks: found -1 \(from 0 to 1,000\)"),
    "date": ("old-chip,A,,1,,,,,31.12.2026", r"valid_until: found `31.12.2026` \(a day such as 2026-11-30\)"),
    "no day": ("old-chip,A,,1,,,,,2026-02-30", r"valid_until: found `2026-02-30`"),
    "cells": ("old-chip,A", r"q.csv:2:1: 2 cells, but the header has 9"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_says_where_and_what_to_do(shop, fault):
    row, match = FAULTS[fault]
    with pytest.raises(ProblemError, match=match):
        load_problem(shop(row, procurement="usd_per: {KWD: 3.0}"))


def test_all_faults_come_at_once(shop):
    rows = [row for name, (row, _match) in FAULTS.items() if name != "cells"]
    with pytest.raises(ProblemError) as caught:
        load_problem(shop(*rows, procurement="usd_per: {KWD: 3.0}"))
    assert [fault.line for fault in caught.value.faults] == list(range(2, len(rows) + 2))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", r"q.csv:1:1: is empty"),
        ("old-chip,A,,1,,,,,\n", r"q.csv:1:1: item: the required column is missing"),
        ("Item,supplier,mpn,price,currency,moq,quantity_from,lead_time_weeks,valid_until\n", r"your column `Item`"),
        ("item;supplier\n", "separated by semicolons"),
    ],
)
def test_a_file_without_its_columns_is_refused(shop, text, match):
    with pytest.raises(ProblemError, match=match):
        load_problem(shop(text=text))


def test_a_file_that_is_not_there_is_a_fault_of_the_problem(shop, tmp_path):
    path = shop()
    (tmp_path / "q.csv").unlink()
    with pytest.raises(ProblemError, match=r"p.yaml:6:15: procurement.quotes: there is no file .*--template FILE"):
        load_problem(path)
    (tmp_path / "q.csv").mkdir()
    with pytest.raises(ProblemError, match=r"q.csv is no regular file"):
        load_problem(path)


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ("as_of: 2026-13-01", "must be a date"),
        ("as_of: 2026-11", "must be a day such as 2026-11-30"),
        ("usd_per: {EURO: 1.08}", "found `EURO`"),
        ("usd_per: {USD: 1.08}", "one USD is one USD"),
        ("usd_per: {EUR: 0}", "greater than 0|more than 0"),
    ],
)
def test_days_and_rates_of_a_problem_are_checked(shop, fields, match):
    with pytest.raises(ProblemError, match=match):
        load_problem(shop(procurement=fields))


def test_a_form_reads_back(shop):
    """Rows nobody filled in are skipped, and columns for people ignored; what is written is what is read."""
    path = shop(text=form([("old-chip", ""), ("sbc", "SBC-1")]))
    problem, catalog = load_problem(path), knowledge_of(()).catalog
    assert quotes_of(problem, catalog)[0].rows == ()
    asked = "question," + form([("sbc", "SBC-1")]).replace("sbc,,SBC-1,", "when?,sbc,A,SBC-1,7.25")
    assert [one.usd for one in quotes_of(load_problem(shop(text=asked)), catalog)[0].rows] == [7.25]
    rows = ["old-chip,A,,12.5,EUR,5,10,2.5,2026-12-31", 'sbc,"B, C",SBC-1,0.1,,,,,', "acc,,,,,,,3,"]
    path = shop(*rows, procurement="usd_per: {EUR: 1.1}")
    first, none = quotes_of(load_problem(path), catalog)
    path.with_name("q.csv").write_text(written(first.rows), encoding="utf-8")
    assert quotes_of(load_problem(path), catalog)[0].rows == first.rows
    assert (none, len(first.rows)) == ([], 3)


def test_a_wrong_price_in_the_table_is_found_by_the_second_road(shop):
    """A catalogue that kept the list price is contradicted by the quotation itself."""
    problem = load_problem(shop("old-chip,A,,30,,,,,"))
    context = prepare(problem, problem.tasks[0], knowledge_of(()))
    wrong = context.resources.price_usd + 1
    broken = dataclasses.replace(context, resources=dataclasses.replace(context.resources, price_usd=wrong))
    candidates = evaluate_all(broken)
    with pytest.raises(VerificationError, match=r"price_usd: 30.0 recomputed, 31.0 in the table"):
        verify_rows(context, candidates.take(candidates.price_usd != UNKNOWN))


def test_a_worker_with_other_quotations_is_found(shop, tmp_path):
    """A part of a front that was cut for other quotations is not answered."""
    from dse.front.axes import parse_axes
    from dse.frontier import Part, front_part

    problem = load_problem(shop("old-chip,A,,30,,,,,"))
    key = prepare(problem, problem.tasks[0], knowledge_of(())).quotes.key
    part = Part(pickle.dumps(problem), (), knowledge_of(()).key, key, parse_axes("price_usd,power_w"), range(1))
    assert len(front_part(part).best)
    (tmp_path / "q.csv").write_text((tmp_path / "q.csv").read_text().replace("30", "31"))
    with pytest.raises(InputError, match="a worker has other quotations"):
        front_part(dataclasses.replace(part, quotes="other", catalogue=part.catalogue))
