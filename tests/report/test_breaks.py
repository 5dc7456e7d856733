"""What a design fails and by how much, in figures worked out by hand and in words."""

from __future__ import annotations

import pytest

from dse.api import load_problem
from dse.compare.comparison import compare_chips
from dse.report.breaks import failed_and_lacking
from dse.report.compared import comparison_object

PROBLEM = """
version: 1
tasks:
  - name: look
    task: image-classification
    rate_hz: 30
    deadline_ms: 40
    overhead_ms: 5
    min_accuracy: %(floor)s
search: {chips: [rk3588, esp32-s3, jetson-orin-nano-8gb], boards: {exclude: ["*"]}}
limits: {power_w: %(power)s, %(more)s}
"""


@pytest.fixture
def compared(tmp_path, knowledge):
    def compare(*, floor=70, power=12, more=""):
        file = tmp_path / "look.yaml"
        file.write_text(PROBLEM % {"floor": floor, "power": power, "more": more})
        return compare_chips(load_problem(file), knowledge)

    return compare


def by_limit(comparison, chip):
    row = next(row for row in comparison.rows if row.chip == chip)
    failed, lacking = failed_and_lacking(comparison.context, row.candidates, row.row)
    return {item["limit"]: item for item in failed}, {item["figure"]: item for item in lacking}


def test_a_limit_on_a_figure_is_missed_by_a_share_of_its_bound(compared):
    """The lowest mode of the Orin Nano has a budget of 7 W: 40 % over 5 W."""
    failed, _ = by_limit(compared(power=5), "jetson-orin-nano-8gb")
    found = failed["power_w"]
    assert (found["value"], found["bound"], found["unit"], found["share"]) == (7, 5, "W", 0.4)
    assert found["text"] == "power_w: 7 > 5 W (40 % over)"


def test_a_range_of_temperatures_is_met_or_not(compared):
    """Its range begins at 0 °C, and -20 is asked: no share says how much of a limit that is."""
    failed, _ = by_limit(compared(more="ambient_c: [-20, 60]"), "rk3588")
    assert failed["ambient_c"]["share"] is None
    assert failed["ambient_c"]["value"].startswith("0 to 80 °C")
    assert failed["ambient_c"]["bound"] == "-20 to 60 °C"


def test_a_floor_is_missed_from_below(compared):
    failed, _ = by_limit(compared(floor=99), "rk3588")
    found = failed["min_accuracy"]
    assert found["share"] == pytest.approx((99 - found["value"]) / 99, rel=1e-5)
    assert "short" in found["text"]


def test_every_row_that_fails_says_so_and_none_else(compared):
    """Rows with a design break nothing; rows that fail break something, each in words."""
    rows = comparison_object(compared())["rows"]
    assert {row["status"] for row in rows} >= {"fails"}
    for row in rows:
        assert bool(row["breaks"]) == (row["status"] == "fails"), row["chip"]
        assert all(item["text"] for item in row["breaks"])
