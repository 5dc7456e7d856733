"""The page of a comparison in a real browser: what a buyer reads, what its controls do, and that anybody can use it."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from dse.errors import InputError
from dse.report.compare_page import page_of, write_compare_page
from dse.report.compare_page_words import price, usd, winner_words, within
from tests.report.browser import Loaded
from tests.report.compare_example import HALF, HOSTILE, comparison, example

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
KNOWN, FAILS = "#p0-known", "#p0-fails"


@pytest.fixture(scope="module")
def loaded(browser, tmp_path_factory):
    target = tmp_path_factory.mktemp("page") / "chips.html"
    write_compare_page(example(), target)
    one = Loaded(browser, target)
    yield one
    # After all the tests, so that it is true of what each of them did.
    assert one.said == []
    assert {url.split(":")[0] for url in one.requests} <= {"file", "data"}
    assert one.page.title().startswith("Chips for 2 problems")


@pytest.fixture
def page(loaded):
    loaded.page.keyboard.press("Escape")
    return loaded.page


def cells(page, key, table=KNOWN):
    """The first line of every cell of one column, from the top, what is in use left out."""
    found = page.locator(f"{table} tbody.rows tr:not(.more) > [data-key={key}] .value > :first-child")
    return found.all_text_contents()


def test_the_answer_and_what_is_asked_are_said_in_words(page):
    header = page.locator("#problem-0 header").inner_text()
    assert "Alpha kit comes first: its accuracy of 52.1 points is the highest" in header
    assert f"before the 50.2 points of the next, {HOSTILE}" in header
    assert "it stays first if one system costs ≤ 999 USD (800 USD today)" in header
    assert "Its weakest figure is the accuracy, grade C" in header
    asked = page.locator("#problem-0 section.asked").inner_text()
    assert "200 systems of 16 streams, 6 spares, 12,000 USD of engineering, 5 years at 24 hours a day" in asked
    assert "latency ≤ 500 ms" in asked
    second = page.locator("#problem-1")
    assert "No chip meets every limit." in second.locator("header").inner_text()
    assert "p99 estimate, no bound" in second.locator("header").inner_text()
    assert "worst case" not in second.inner_text().casefold()  # of a p99
    assert page.locator("#line tbody tr").all_inner_texts() == [
        "Alpha kit\t✓ serves it\t✗ fails\tunknown",
        "Gamma\t✓ serves it\t? unknown\t395,571 USD",
    ]


def test_every_chip_has_its_row_and_what_it_lacks_or_fails_in_words(page):
    assert cells(page, "rank") == ["1", "2", "3", "–"]
    assert cells(page, "verdict")[:2] == ["✓ meets every limit", "? if price ≤ 1,500 USD"]
    assert cells(page, "comparable") == ["reference", "no: price", "yes", "no: price"]
    assert cells(page, "price") == ["800", "unknown", "399.50", "unknown"]
    assert cells(page, "power")[3] == "unknown"
    # 2999 / 1500 = 1.999; the endless worst case of a chip that cannot keep up is said with the load, once
    assert cells(page, "broken", FAILS) == [
        "✗ price 2,999 USD, asked ≤ 1,500 USD, 100 % over",
        "✗ cannot keep up with the rate: loaded 6 times its capacity",
    ]
    assert cells(page, "worst", FAILS) == ["400 ms", "no bound"]
    nothing = page.locator("#problem-0 details.nothing")
    assert nothing.get_attribute("open") is None
    assert nothing.locator("li").all_text_contents() == [HOSTILE, "Eta"]
    used = page.locator(f"{KNOWN} tbody.used tr:not(.more)").inner_text()
    assert "in use today" in used
    assert "latency 520 ms, asked ≤ 500 ms, 4 % over" in used


def test_unknown_figures_sort_last_in_either_direction(page):
    header = page.locator(f"{KNOWN} th[data-key=price]")
    header.locator("button").click()
    assert cells(page, "price") == ["399.50", "800", "unknown", "unknown"]
    assert header.get_attribute("aria-sort") == "ascending"
    header.locator("button").click()
    assert cells(page, "price") == ["800", "399.50", "unknown", "unknown"]
    page.locator(f"{KNOWN} th[data-key=accuracy] button").click()
    assert cells(page, "accuracy") == ["52.1", "50.2", "50.0", "45.0"]  # the best first
    page.locator(f"{KNOWN} th[data-key=rank] button").click()


def test_a_filter_leaves_what_is_in_use(page):
    article = page.locator("#problem-0")
    article.locator("[data-find]").fill("GAMMA")
    assert cells(page, "chip") == ["Gamma"]
    assert cells(page, "chip", FAILS) == []
    assert article.locator(".shown").inner_text() == "1 of 6 chips with a design shown"
    article.locator("[data-find]").fill("")
    article.locator("[data-status=feasible]").uncheck()
    assert cells(page, "chip") == [HALF]
    article.locator("[data-status=fails]").uncheck()
    assert article.locator("[data-part=fails]").is_hidden()
    assert page.locator(f"{KNOWN} tbody.used").inner_text().count("Old box") == 1
    for status in ("feasible", "fails"):
        article.locator(f"[data-status={status}]").check()


def test_the_evidence_of_a_figure_shows_by_pointer_and_by_keyboard(page):
    tip = page.locator("#tip")
    first = page.locator(f"{KNOWN} tbody.rows tr:not(.more)").first
    accuracy = first.locator("[data-key=accuracy] button")
    accuracy.hover()
    for words in (
        "52.12 points",
        "51.1–53.1",
        "estimated",
        "catalogs/models/accuracy.csv:118",
        "scaled from fp32",
        HOSTILE,
    ):
        assert words in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    accuracy.focus()
    assert accuracy.get_attribute("aria-describedby") == "tip"
    page.keyboard.press("Tab")  # worst case
    page.keyboard.press("Tab")  # rate to spare
    page.keyboard.press("Tab")
    assert "maximum of the chip" in tip.inner_text()
    assert accuracy.get_attribute("aria-describedby") is None
    first.locator("[data-key=cost] button").focus()
    # 800 × 200, 800 × 6, and what the file states; their sum
    for words in ("160,000 USD", "4,800 USD", "12,000 USD", "20,986 USD", "197,786 USD"):
        assert words in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_all_figures_of_a_chip_open_by_keyboard(page):
    button = page.locator(f"{KNOWN} tbody.rows button.open").first
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    more = page.locator(f"#{button.get_attribute('aria-controls')}")
    for words in ("4.5 ms (2.3–10.5) a batch", "alpha-board", "Where the figures come from", "lead time", "unknown"):
        assert words in more.inner_text()
    button.press("Enter")
    assert more.is_hidden()


def test_charts_say_in_words_what_they_draw(page):
    said = page.locator("#problem-0 figure svg > desc").all_text_contents()
    assert "Alpha kit: 52.1 points (51.1–53.1), 197,786 USD" in said[0]
    assert "energy 20,986 USD" in said[1]
    assert "Old box: 520 ms, 20 ms late" in said[2]
    assert page.locator("#problem-0 figure svg[role=img]").count() == 3
    missing = page.locator("#problem-0 [data-chart=cost] ~ .hint").inner_text()
    assert "because it is unknown" in missing
    page.locator("#problem-0 [data-across]").select_option("power_w")
    assert "20 W" in page.locator("#problem-0 figure svg > desc").first.text_content()
    assert "yes: Alpha kit at the low end, Gamma at the high end" in page.locator("#problem-0").inner_text()
    assert "1.25 and more" in page.locator("#problem-0").inner_text()  # the weight of accuracy may grow for ever


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_wide_and_narrow(page, scheme):
    axe = pytest.importorskip("axe_playwright_python")
    page.emulate_media(color_scheme=scheme)
    if not page.evaluate("'axe' in window"):
        page.evaluate((files(axe) / "axe.min.js").read_text(encoding="utf-8"))
    # What is where depends on the width, colours on the scheme: each of both is looked at once, contrast in all four.
    for size, whole in ((WIDE, scheme == "light"), (NARROW, scheme == "dark")):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        rules = "" if whole else ", runOnly: {type: 'rule', values: ['color-contrast']}"
        found = page.evaluate(f"axe.run(document, {{resultTypes: ['violations']{rules}}})")["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []
    page.set_viewport_size(WIDE)


def test_paper_has_the_table_and_no_controls(page):
    page.emulate_media(media="print")
    assert page.locator(f"{KNOWN} tbody.rows tr:not(.more)").first.is_visible()
    for control in (".filter", "button.open", "button.all", "#tip"):
        assert not any(one.is_visible() for one in page.locator(control).all())
    page.emulate_media(media="screen")


def test_the_same_comparison_gives_the_same_page_whatever_the_clock():
    slower = example()
    slower["comparisons"][0]["search"] |= {"wall_s": 99.0, "workers": 8}
    page = page_of(example())
    assert page == page_of(slower)
    assert "<img" not in page
    start = page.index('id="comparison-data">') + len('id="comparison-data">')
    assert json.loads(page[start : page.index("</script>", start)])["comparisons"][0]["rows"][1]["name"] == HOSTILE


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (within(52.12, 51.12, 53.12), "52.1 (51.1–53.1)"),  # a tenth of the width of 2
        (within(84.3, 70.0, 99.0), "84 (70–99)"),
        (within(None, 1.0, 2.0), "unknown"),
        (usd(1030.16), "1,030 USD"),
        (usd(0.437), "0.44 USD"),
        (usd(None), "unknown"),
        (price(141.39), "141.39 USD"),
        (price(899.0), "899 USD"),
    ],
)
def test_figures_are_as_long_as_they_are_known(said, expected):
    assert said == expected


def test_why_a_chip_comes_first_is_the_first_objective_that_decides():
    one = comparison()
    alpha, beta = one["rows"][:2]
    beta["accuracy"] = alpha["accuracy"] - 0.05  # within 0.1 counts as equal
    assert "its price is 800 USD, that of the next" in winner_words(one)["why"]
    beta["price_usd"] = 900.0
    assert "price of 800 USD is the lowest of those equal before it, before the 900 USD" in winner_words(one)["why"]
    one["rows"] = [alpha]
    assert "it is the only chip that meets every limit" in winner_words(one)["why"]


def test_a_page_needs_its_ending_and_jinja2(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="is no page dse can write"):
        write_compare_page(example(), tmp_path / "chips.txt")
    monkeypatch.setattr("dse.report.page_file.find_spec", lambda name: None if name == "jinja2" else object())
    with pytest.raises(InputError, match="needs jinja2"):
        write_compare_page(example(), tmp_path / "chips.html")
