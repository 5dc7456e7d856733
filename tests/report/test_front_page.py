"""The page of a front in a real browser: what it draws, what its controls do, and that it asks nothing of a network."""

from __future__ import annotations

import json
import re

import pytest

from dse.errors import InputError
from dse.report.front_page import page_of, write_page
from dse.report.page_file import as_data
from tests.report.browser import Loaded
from tests.report.front_example import HOSTILE_MODEL, HOSTILE_WEIGHTS, empty, estimated, example

POINTS = "#scatter .scatterlayer .points path.point"
REFUSED = "example.invalid"
ROWS = len(example()["rows"])


@pytest.fixture(scope="module")
def loaded(browser, tmp_path_factory):
    target = tmp_path_factory.mktemp("page") / "front.html"
    write_page(example(), target)
    one = Loaded(browser, target)
    one.page.wait_for_selector(POINTS)
    yield one
    # After all the tests, so that it is true of what each of them did.
    assert [text for text in one.said if REFUSED not in text] == []
    assert {url.split(":")[0] for url in one.requests if REFUSED not in url} <= {"file", "data", "blob"}


@pytest.fixture
def page(loaded):
    """The page as it was when it opened."""
    loaded.page.set_viewport_size({"width": 1280, "height": 900})
    loaded.page.evaluate("document.getElementById('filter').open = true")
    loaded.page.click("button[type=reset]")
    for choice, value in (("x", "worst_case_ms"), ("y", "accuracy"), ("colour", "power_w")):
        if loaded.page.input_value(f"#{choice}") != value:
            loaded.page.select_option(f"#{choice}", value)
    until(loaded.page, lambda: loaded.page.locator(POINTS).count() == ROWS)
    return loaded.page


def until(page, holds):
    """Wait for the page; what playwright offers for it evaluates text, which the policy of the page forbids."""
    for _ in range(200):
        if holds():
            return
        page.wait_for_timeout(25)
    pytest.fail("the page did not get there in 5 s")


def column(page, key, table="known"):
    """The cells of one column, from the top."""
    headers = page.locator(f"#{table} th")
    place = headers.evaluate_all("cells => cells.map(cell => cell.dataset.key)").index(key)
    return page.locator(f"#{table} tbody tr td:nth-child({place + 1})").all_text_contents()


def test_every_row_with_both_figures_is_a_point_and_every_row_a_line_of_the_table(page):
    assert page.locator(POINTS).count() == ROWS  # the row without its power has both figures of these axes
    assert len(column(page, "chip")) == 6
    assert column(page, "chip", "unknown") == ["delta"]
    assert "power_w ≤ 12" in page.locator("header").inner_text()
    assert "lower is better" in page.locator("#scatter").inner_text()


def test_a_figure_nobody_knows_is_a_word_and_a_tiny_one_is_not_zero(page):
    assert column(page, "power_w", "unknown") == ["unknown"]
    assert "5.00e-4" in column(page, "power_w")


def test_another_axis_draws_only_the_rows_that_have_its_figure(page):
    page.select_option("#x", "power_w")
    assert page.locator(POINTS).count() == ROWS - 1
    assert "1 of the designs shown has no known power [W]" in page.locator("#scatter-note").inner_text()
    assert "power [W]" in page.locator("#scatter .xtitle").text_content()


def test_a_logarithmic_axis_is_marked_as_one(page):
    page.check("#x-log")
    assert page.evaluate("document.getElementById('scatter').layout.xaxis.type") == "log"
    page.uncheck("#x-log")
    assert page.evaluate("document.getElementById('scatter').layout.xaxis.type") == "linear"


def test_hovering_over_a_point_says_the_whole_design(page):
    best = page.evaluate(
        """() => {
            const plot = document.getElementById("scatter");
            plot.scrollIntoView({block: "center"});
            const box = plot.getBoundingClientRect();
            const {xaxis, yaxis} = plot._fullLayout;
            return [box.x + xaxis._offset + xaxis.d2p(40), box.y + yaxis._offset + yaxis.d2p(80.5)];
        }"""
    )
    page.mouse.move(*best, steps=4)
    page.wait_for_selector("#tip:not([hidden])")
    said = page.locator("#tip").inner_text().replace("\n", " ")
    for words in (
        "alpha, 15w, on alpha-kit",
        "resnet50@224 [V2]",
        "int8, batch 1, on npu, rt",
        "40 ms (lower is better)",
        "power_w 17 %",  # 1 − 10 / 12
        "infer on npu, 25 % loaded",
        "time B, accuracy C",
        "feasible if estimates hold",
    ):
        assert words in said
    page.mouse.move(5, 5)


def test_the_design_chosen_says_every_figure_with_its_unit(page):
    page.locator("#known tbody tr", has_text="resnet34").locator("button").press("Enter")
    pairs = page.locator("#chosen dl div").evaluate_all(
        "all => Object.fromEntries(all.map(one => [...one.children].map(part => part.textContent)))"
    )
    expected = {
        "accuracy at least": "74 points",
        "slack": "59 ms",
        "typical time": "20.5 ms",
        "rate": "24.39 per second",
        "rate to spare": "150 %",
        "load of the busiest resource": "25 %",
        "energy": "12.5 mJ",
        "price": "unknown",
        "memory": "30 MB",
        "ties": "no other design is equal on every axis",
    }
    assert expected.items() <= pairs.items()


def test_what_does_not_exist_is_empty_and_not_unknown(page):
    assert set(column(page, "board")) == {"alpha-kit", ""}
    page.locator("#known tbody tr", has_text="mobilenet_v2").locator("button").press("Enter")
    assert "gamma" in page.locator("#chosen dl div").nth(1).inner_text()
    assert "unknown" not in page.locator("#chosen dl div").nth(1).inner_text()


def test_the_network_is_seen_without_scrolling_sideways(page):
    box = page.locator("#known th[data-key=model]").bounding_box()
    frame = page.locator("#designs .scroll").bounding_box()
    assert box["x"] + box["width"] <= frame["x"] + frame["width"]
    keys = page.locator("#known th").evaluate_all("cells => cells.map(cell => cell.dataset.key)")
    assert keys[keys.index("chip") + 1] == "model"


def test_the_dotted_line_claims_nothing_about_unknown_figures(page):
    note = page.locator("#scatter-note").inner_text()
    assert "not beaten on these two axes by a design shown whose figures are all known" in note


def test_a_p99_is_never_called_a_worst_case(browser, tmp_path):
    target = tmp_path / "front.html"
    write_page(estimated(), target)
    one = Loaded(browser, target)
    one.page.wait_for_selector(POINTS)
    header = one.page.locator("header").inner_text()
    assert "p99 estimate, no bound" in "".join(header.splitlines()[:4])
    assert "p99 estimate [ms], lower is better: estimate of the p99 of the latency" in header
    one.page.locator("#known tbody tr").first.locator("button").press("Enter")
    assert "worst case" not in one.page.inner_text("body")
    assert one.said == []


def test_signs_that_are_nowhere_drawn_are_not_explained(browser, tmp_path):
    target = tmp_path / "front.html"
    front = example()
    write_page({**front, "axes": [front["axes"][0], front["axes"][2]]}, target)  # accuracy and the power one lacks
    one = Loaded(browser, target)
    one.page.wait_for_selector(POINTS)
    assert "a figure is unknown" not in one.page.inner_text("#legend")
    assert "near the front" in one.page.inner_text("#legend")


def test_a_point_and_a_row_of_the_table_are_one_design(page):
    page.locator("#known tbody tr", has_text="resnet18").locator("button").press("Enter")
    assert "3 designs are equal on every axis" in page.locator("#chosen").inner_text()
    assert page.locator("#known tr[aria-current=true]").count() == 1
    assert page.evaluate("document.activeElement.className") == "pick"


def test_filtering_by_chip_changes_points_and_table(page):
    page.click("#chips-none")
    assert page.locator(POINTS).count() == 0
    assert column(page, "chip") == []
    page.fill("#chip-search", "ALP")
    page.click("#chips-all")  # of those the search leaves in the list
    assert page.locator(POINTS).count() == 3
    assert column(page, "chip") == ["alpha"] * 3
    assert page.locator("#shown").inner_text() == f"3 of {ROWS} shown"


def test_filtering_by_network_bound_and_kind(page):
    page.fill("#model-search", "resnet50")
    assert page.locator(POINTS).count() == 3
    page.fill("[data-bound=power_w]", "4")
    assert column(page, "power_w") == ["4"]
    assert column(page, "chip", "unknown") == []  # it does not meet a bound on the figure it lacks
    page.click("button[type=reset]")
    page.uncheck("[data-kind=near]")
    assert "near" not in column(page, "kind")


def test_a_click_on_a_header_sorts_best_first_and_a_second_one_turns_it(page):
    header = page.locator("#known th[data-key=worst_case_ms]")
    header.locator("button").click()
    assert column(page, "worst_case_ms") == ["22", "35", "40", "41", "60", "90"]
    assert header.get_attribute("aria-sort") == "ascending"
    header.locator("button").click()
    assert column(page, "worst_case_ms") == ["90", "60", "41", "40", "35", "22"]
    assert page.locator("#known th[aria-sort=descending]").count() == 1


def test_a_name_that_tries_to_be_markup_is_text(page):
    assert f"{HOSTILE_MODEL}@224" in column(page, "model")
    assert HOSTILE_WEIGHTS in column(page, "weights")
    page.select_option("#colour", "model")
    assert HOSTILE_MODEL in page.locator("#legend").text_content()
    assert page.locator("img").count() == 0
    assert page.title().startswith("Recorder")


def test_every_axis_has_a_place_in_the_profile(page):
    titles = page.locator("#profile .xtick text").all_text_contents()
    names = ["accuracy [points]", "worst case [ms]", "power [W]", "chip.memory.bandwidth_gbs[GB/s]"]
    assert [title[:-1] for title in titles] == names  # the last one is broken into lines
    figures = "document.getElementById('profile').data.flatMap(line => line.y.filter(place => place !== null)).length"
    assert page.evaluate(figures) == 4 * ROWS - 1


def test_a_narrow_window_does_not_scroll_sideways(page):
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, lambda: page.locator("#scatter .main-svg").first.bounding_box()["width"] < 390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_dark_and_light_are_both_drawn(page):
    for scheme, ink in (("dark", "#e8edf3"), ("light", "#1c2430")):
        page.emulate_media(color_scheme=scheme)
        until(page, lambda ink=ink: page.evaluate("document.getElementById('scatter').layout.font.color") == ink)


def test_no_button_sends_a_plot_anywhere(page):
    titles = page.locator("#scatter .modebar-btn").evaluate_all("all => all.map(one => one.dataset.title)")
    assert titles == ["Download plot", "Zoom", "Pan", "Zoom in", "Zoom out", "Reset axes"]


def test_the_page_is_not_allowed_to_ask_a_network(page, loaded):
    page.evaluate(f"fetch('https://{REFUSED}/').catch(() => document.body.dataset.refused = 'yes')")
    until(page, lambda: page.locator("body[data-refused=yes]").count() == 1)
    assert any("Content Security Policy" in text and REFUSED in text for text in loaded.said)


def test_an_empty_front_says_why(browser, tmp_path):
    target = tmp_path / "front.html"
    write_page(empty(), target)
    one = Loaded(browser, target)
    assert "The front is empty: no candidate keeps power_w <= 0.1 & the deadline" in one.page.inner_text("body")
    assert one.page.locator("table").count() == 0
    assert one.said == []


def test_the_data_cannot_end_its_element():
    text = as_data({"name": HOSTILE_MODEL, "line": "\u2028 &amp;"})
    assert not re.search("[<>&\u2028]", text)
    assert json.loads(text) == {"name": HOSTILE_MODEL, "line": "\u2028 &amp;"}


def test_the_same_front_gives_the_same_page():
    page = page_of(example())
    assert page == page_of(example())
    assert not re.search(r"<(script|link|img|iframe)[^>]*\s(src|href)=[\"']?(https?:)?//", page)


def test_a_page_needs_its_ending(tmp_path):
    with pytest.raises(InputError, match=r"is no page dse can write \(end in \.html or \.htm\)"):
        write_page(example(), tmp_path / "front.txt")


def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch):
    monkeypatch.setattr("dse.report.page_file.find_spec", lambda name: None if name == "plotly" else object())
    with pytest.raises(InputError, match=r'needs plotly \(install it: pip install "dse\[report\]"\)'):
        write_page(example(), tmp_path / "front.html")
    assert list(tmp_path.iterdir()) == []
