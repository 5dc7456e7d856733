"""One figure, one limit or one objective at a time becomes the newer one; what alone moves the winner is the cause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dse.bundle.cause import IDENTITY, causes
from dse.bundle.standing import Field
from dse.candidates.limits import rules_of
from dse.candidates.preference import goals_of
from dse.problem.load import parse_problem
from dse.report.compared_row import COLUMNS

PROBLEM = """\
tasks: {name: see, task: object-detection, rate_hz: 30, deadline_ms: 60}
limits: {power_w: 10, price_usd: {max: 500}}
objectives: [{maximize: accuracy, within: 1}, {minimize: price_usd}]
"""
BASE = {"accuracy": 50.0, "power_w": 5.0, "price_usd": 100.0, "worst_case_ms": 40.0, "utilization": 0.5}


def row(**figures):
    """A design; the evidence of its power has an id."""
    empty = dict.fromkeys((*COLUMNS, *IDENTITY)) | {"breaks": [], "lacks": [], "model": "net"}
    return {**empty, **BASE, "evidence": {"power": "e9"}, **figures}


def field(text=PROBLEM, **rows):
    problem = parse_problem(text)
    rules = {rule.name: rule for rule in rules_of(problem, problem.tasks[0])}
    return Field({(name,): one for name, one in rows.items()}, rules, goals_of(problem))


def found(old, new):
    return causes(old, new, old.winner(), new.winner(), {"e9": "a data sheet"}.get)


A, B = row(power_w=6.98), row(accuracy=49.2, price_usd=150.0)


def test_the_winner_is_found_by_limits_and_objectives_in_their_order():
    """b is within 1 point of a and dearer; c is cheapest and 1.1 points away: out of reach of the second objective."""
    assert field(b=B, a=A, c=row(accuracy=48.9, price_usd=1.0)).winner() == ("a",)
    assert field(b=B, a=row(power_w=10.0)).winner() == ("a",)  # the edge itself is allowed
    assert field(b=B, a=row(power_w=10.000001)).winner() == ("b",)
    assert field(b=B, a=row(power_w=None)).winner() == ("b",)  # a limit rejects what is unknown
    assert field(b=B, a=row(price_usd=None)).winner() == ("b",)  # a price may be unknown, and then costs most
    assert field(a=row(price_usd=None)).winner() == ("a",)
    assert field(z=row(), a=row()).winner() == ("z",)  # of equals the one that stood first
    broken = row(breaks=[{"limit": "chip.os", "text": ""}])
    assert field(b=B, a=broken).winner() == ("b",)  # what the figures do not show goes on
    assert field(a=row(model=None)).winner() is None


def test_one_figure_alone():
    changed = found(field(a=A, b=B, c=row(accuracy=1.0)), field(a=A | {"power_w": 10.2}, b=B, c=row(accuracy=2.0)))
    (swap,) = changed.alone
    assert swap.text == "power_w of a: 6.98 → 10.2 W (a data sheet)"
    assert (swap.kind, swap.chip, swap.name, swap.evidence) == ("figure", "a", "power_w", ("e9", "e9"))


def test_a_figure_that_is_not_known_any_more():
    (swap,) = found(field(a=A, b=B), field(a=A | {"power_w": None}, b=B)).alone
    assert swap.text == "power_w of a: 6.98 → unknown (a data sheet)"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("power_w: 10", "power_w: 6", "limit power_w: ≤ 10 W → ≤ 6 W"),
        ("within: 1}, {minimize: price_usd}", "within: 1}, {minimize: power_w}",
         "objectives: maximize accuracy within 1, minimize price_usd → maximize accuracy within 1, minimize power_w"),
        ("power_w: 10", "power_w: 10, energy_mj: {max: 9}", "limit energy_mj: none → ≤ 9 mJ"),
    ],
)  # fmt: skip
def test_one_limit_or_the_objectives_alone(old, new, text):
    rows = {"a": A, "b": B | {"energy_mj": 8.0}}
    changed = found(field(**rows), field(PROBLEM.replace(old, new), **rows))
    assert [swap.text for swap in changed.alone] == [text]


def test_two_prices_that_only_together_move_it():
    """100 and 150 become 140 and 120: either alone leaves a the cheaper one; the power of c has no part in it."""
    old = field(a=A, b=B, c=row(accuracy=30.0))
    new = field(a=A | {"price_usd": 140.0}, b=B | {"price_usd": 120.0}, c=row(accuracy=30.0, power_w=4.0))
    changed = found(old, new)
    assert changed.alone == ()
    assert [swap.text for swap in changed.together] == [
        "price_usd of a: 100.0 → 140.0 USD",
        "price_usd of b: 150.0 → 120.0 USD",
    ]


def test_another_design_a_new_row_and_a_limit_beside_the_figures():
    dearer = row(model="other", price_usd=160.0, input_h=320)
    (swap,) = found(field(a=A, b=B), field(a=dearer, b=B)).alone
    assert swap.text == "design on a: net → other@320"
    (swap,) = found(field(a=A, b=B), field(a=A, b=B, c=row(price_usd=9.0))).alone
    assert swap.text == "c: new among the rows"
    cold = A | {"breaks": [{"limit": "ambient_c", "text": ""}]}
    (swap,) = found(field(a=A, b=B), field(a=cold, b=B)).alone
    assert swap.text == "a and ambient_c: not met any more"


def test_rows_that_do_not_explain_their_own_winner_explain_nothing():
    old, new = field(a=A, b=B), field(a=A | {"power_w": 11.0}, b=B)
    assert not causes(old, new, ("b",), ("b",), str).explained
    assert not causes(old, replace(new, rows=old.rows), ("a",), ("b",), str).explained
