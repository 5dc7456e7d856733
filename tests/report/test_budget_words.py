"""A budget in words: figures with digits enough, families below what is asked are marked, peaks say whose they are."""

from __future__ import annotations

import pytest

from dse.report.budget_families import family_rows, gain_words, heading, legend
from dse.report.budget_figures import time, wrapped
from dse.report.budget_words import deadline_words, reach_words, run_words
from dse.report.budget_work import work_words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.95, "0.950 ms"),
        (12.5, "12.500 ms"),
        (0.0001, "0.0001 ms"),
        (0.000095, "0.000095 ms"),
        (0.01234567, "0.0123 ms"),
        (0.05, "0.050 ms"),
        (0.0, "0.000 ms"),
        (1e-12, "1e-12 ms"),
        (2.5e12, "2.5e+12 ms"),
        (-1e300, "-1e+300 ms"),
    ],
)
def test_a_time_has_three_decimals_or_three_digits(value, text):
    assert time(value) == text


def test_a_line_breaks_at_spaces_and_a_long_path_at_its_parts():
    """A name that fits a line is not broken; the path of 39 letters is, behind `/` and `_`; the rest is indented."""
    line = "  best: net_a, owner/tools:folder/long_report_2025.csv"
    assert wrapped(line, 24) == ["  best: net_a, owner/", "    tools:folder/long_", "    report_2025.csv"]
    assert wrapped(line, 40) == ["  best: net_a, owner/tools:folder/long_", "    report_2025.csv"]
    assert wrapped(line, 100) == [line]
    assert wrapped("one two_three", 9) == ["one", "  two_three"]


def member(model: str, accuracy: float | None, precision: str = "fp32") -> dict:
    return {
        "model": model, "accuracy": accuracy, "low": accuracy, "high": accuracy, "precision": precision,
        "source": "paper", "gmacs": 0.1,
    }  # fmt: skip


def family(name: str, likely: dict, perhaps: dict | None = None) -> dict:
    return {"name": name, "binarized": False, "least_gmacs": 0.05, "likely": likely, "perhaps": perhaps or likely}


def task(asked: float | None = 65.0) -> dict:
    """Two families within the work of weak chips, below and at 65; a third within that of strong ones alone."""
    weak = {"tiny": member("a_rather_long_name", 59.9), "even": member("net_b", 65.0, "int8")}
    strong = {"tiny": member("net_c", 70.0), "even": member("net_b", 65.0, "int8"), "late": member("net_d", None)}
    return {
        "min_accuracy": asked,
        "metric": "top1",
        "dataset": "imagenet-1k",
        "tiers": [{"name": "weak"}, {"name": "strong"}],
        "families": [
            family("tiny", {"weak": weak["tiny"], "strong": strong["tiny"]}),
            family("even", {"weak": weak["even"], "strong": strong["even"]}),
            family("late", {"strong": strong["late"]}, {"weak": member("net_e", 64.9), "strong": strong["late"]}),
        ],
        "reach": {"families": [{"family": "tiny", "chips": 7}]},
    }


def test_families_below_what_is_asked_are_marked_and_counted():
    """59.9 is below 65, 65.0 is not; without a minimum nothing is marked."""
    found = task()
    assert family_rows(found["families"], found, 200) == [
        ["tiny", "50 M", "(59.9) a_rather_long_name", "70.0 net_c", "7"],
        ["even", "50 M", "65.0 net_b", "65.0 net_b", "0"],
        ["late", "50 M", "?(64.9) net_e", "unknown net_d", "0"],
    ]
    words = gain_words(found)
    assert words == [
        "weak chips: within their work tiny, even; late perhaps",
        "  1 of 2 reach 65.0 as published: even; below it: tiny",
        "  best published: 65.0 int8, net_b, paper",
        "strong chips: 1 more family: late",
        "  2 of 3 reach 65.0 as published: tiny, even; unknown: late",
        "  best published: 70.0 (+5.0) fp32, net_c, paper",
    ]
    assert legend(found).startswith("  ( ) published below the 65.0 asked for; ")
    assert "what runs on a chip may be less accurate" in heading(found)[1]
    free = task(None)
    assert family_rows(free["families"], free, 200)[0][2] == "59.9 a_rather_long_name"
    assert not any("reach" in line for line in gain_words(free))
    assert "( )" not in legend(free)


def test_names_are_cut_to_what_the_width_leaves():
    """60 letters less 6 + 8 + 5 of outer columns and 4 + 2 spaces: 35; figures of 7 leave ten a name: 18 a cell."""
    found = task()
    assert family_rows(found["families"], found, 60)[0][2] == "(59.9) a_rather_l…"
    assert family_rows(found["families"], found, 20)[0][2] == "(59.9) a_rather…"  # no fewer than eight and a mark


RUN = {
    "chip": "rk3588", "unit": "npu", "peak_tops": 1.9998, "share": 0.3333, "peak_precision": "int8", "model": "net",
    "accuracy": 42.84, "accuracy_low": 40.3, "mean_ms": 13.0, "budget_ms": 24.2, "grade": "B",
}  # fmt: skip


def test_a_peak_says_of_which_unit_and_how_much_one_inference_can_use():
    assert run_words(RUN) == ("rk3588 npu (2.00 of 6.00 TOPS int8): net 42.8 (at least 40.3), 13.0 of 24.2 ms, B")
    whole = RUN | {"unit": "cpu", "peak_tops": 0.58, "share": 1, "accuracy_low": 42.84}
    assert run_words(whole) == "rk3588 cpu (0.580 TOPS int8): net 42.8, 13.0 of 24.2 ms, B"
    assert run_words(whole | {"peak_tops": None, "peak_precision": "", "share": None}).startswith("rk3588 cpu: net")
    works = [RUN | {"precision": "int8"}, whole | {"precision": "fp16"}, RUN | {"precision": "int8"}]
    assert work_words(works[:2])[2].endswith("at int8 (rk3588 cpu fp16); rk3588 npu: 2.00 of 6.00")


def reached(**changes) -> list[str]:
    found = {
        "chips": 9, "with_runs": 12, "sure": 8, "accurate": 5, "within": 2, "within_unknown": 1, "kept": 1,
        "kept_unknown": 0, "weakest": [RUN], "weakest_of": "kept",
        "limited": [
            {"name": "power_w", "minimum": None, "maximum": 5.0},
            {"name": "price_usd", "minimum": None, "maximum": 60.0},
        ],
    }  # fmt: skip
    return reach_words({"reach": found | changes, "min_accuracy": 40.0})


def test_chips_are_told_step_by_step():
    lines = reached()
    assert lines[:5] == [
        "chips with a run in time, by its likely time: 9 of 12 with any",
        "  8 of them with the guard's margin on estimates as well",
        "  5 of them with a network that reaches 40.0, by the lower end of its accuracy there",
        "  2 of them within power_w up to 5 W and price_usd up to 60 USD "
        "(1 only because a figure nobody knows is let pass)",
        "  1 of them within everything else too: feasible on one device, item by item",
    ]
    assert "  power and price: no limit is stated" in reached(within=None, limited=[])


def test_stages_that_depend_on_the_chip_say_how_they_count():
    around = {"delay_ms": 0.0, "jitter_ms": 0.0, "stages_ms": 4.0, "contention_ms": 0.0, "by_link": ["upload"]}
    times = {"due_ms": 50.0, "left_ms": 46.0, "follows": [], "around": around | {"open": ["decode", "upload"]}}
    assert deadline_words(times) == [
        "deadline: 50 ms less 4 ms stages: 46 ms are left for queue and network",
        "  decode: how long depends on the chip; the shortest time on any of them is taken",
        "  upload: takes time on chips behind a link alone, such as cards; none is taken",
    ]
    assert len(deadline_words(times | {"around": around | {"open": [], "by_link": []}})) == 1
