"""Limits out of reach by construction are named before anything is solved, and only those."""

from __future__ import annotations

import pytest

from dse.answer import solve_problem
from dse.api import vocabulary_of
from dse.candidates.context import prepare
from dse.explaining.clashes import clashes_of
from dse.explaining.construction import contradictions_of
from dse.problem.load import parse_problem

PROBLEM = """
tasks:
  - name: look
    task: image-classification
    models: ["mobilenet_v2", "resnet50"]
    {task}
    stages:
      - {{name: camera, delay_ms: 20, variation_ms: 5}}
      - {{name: crop, on: cpu, time_ms: {{rk3588: 3, default: 9}}}}
      - {{name: infer}}
search: {{chips: [rk3588, jetson-nano], boards: {{exclude: ["*"]}}}}
limits: {{{limits}}}
"""
EASY = "rate_hz: 5, deadline_ms: 500"


@pytest.fixture(scope="module")
def context(knowledge):
    def make(task="", limits="", other="jetson-nano"):
        given = dict(part.split(": ") for part in f"{EASY}, {task}".split(", ") if part)
        lines = "\n    ".join(f"{name}: {value}" for name, value in given.items())
        text = PROBLEM.format(task=lines, limits=limits).replace("jetson-nano", other)
        problem = parse_problem(text, "p.yaml", vocabulary_of(knowledge.catalog))
        return prepare(problem, problem.tasks[0], knowledge)

    return make


@pytest.mark.parametrize(
    ("task", "limits", "limit"),
    [
        ("deadline_ms: 27.9", "", "deadline_ms"),  # 20 + 5 + 3 ms on the quicker chip, before any network
        ("deadline_ms: 28", "", "deadline_ms"),  # the stages just fit, the network has no time left
        ("rate_hz: 100000", "", "rate"),
        ("min_accuracy: 99.9", "", "min_accuracy"),
        ("", "power_w: 0.1", "power_w"),
        ("", "price_usd: {max: 1, unknown: reject}", "price_usd"),
    ],
)
def test_what_no_design_could_meet_is_named(knowledge, context, task, limits, limit):
    """Each is also a clash of its own, found from the table without knowing of this."""
    made = context(task, limits)
    assert limit in [one.requirement.name for one in contradictions_of(made)]
    answer = solve_problem(made.problem, knowledge)
    assert (limit,) in [
        tuple(member.name for member in clash.members) for clash in clashes_of(made, answer.survey.patterns).found
    ]


def test_the_words_say_what_is_out_of_reach(context):
    (one,) = contradictions_of(context("deadline_ms: 27.9"))
    assert one.best == 28
    assert one.text == "deadline_ms 27.9: delays and stated times around the network alone take 28 ms on rk3588"


@pytest.mark.parametrize(("task", "limits"), [("", ""), ("min_accuracy: 70", "power_w: 15")])
def test_what_some_design_meets_is_not(context, task, limits):
    assert contradictions_of(context(task, limits)) == ()


def test_a_price_nobody_knows_may_be_low_enough(context):
    """rk3588 costs 88 USD; of qcs8550 no price is known, which is flagged or refused as the file says."""
    flagged, refused = (f"price_usd: {{max: 1, unknown: {policy}}}" for policy in ("flag", "reject"))
    assert contradictions_of(context("", flagged, "qcs8550")) == ()
    (one,) = contradictions_of(context("", refused, "qcs8550"))
    assert (one.requirement.name, one.best) == ("price_usd", 88)


def test_the_edge_of_the_best_accuracy_is_no_contradiction(context):
    """The best there is may be asked for; a millionth of a point more may not."""
    (one,) = contradictions_of(context("min_accuracy: 99.9"))
    assert contradictions_of(context(f"min_accuracy: {one.best!r}")) == ()
    assert len(contradictions_of(context(f"min_accuracy: {one.best + 1e-6:.6f}"))) == 1
