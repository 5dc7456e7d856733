"""What the shipped catalogue covers, against what it promises; and each count worked out by hand on a small folder."""

from __future__ import annotations

import pytest

from dse.audit.coverage import coverage, power_evidence, price_evidence
from dse.catalog.read import read_catalog
from tests.audit.test_check import sound


@pytest.fixture(scope="module")
def shipped(knowledge):
    return coverage(knowledge.catalog)


@pytest.mark.parametrize(
    ("name", "least"),
    [("chips", 130), ("vendors", 25), ("devices_measured", 100), ("models", 900), ("measurements", 23_000),
     ("boards", 25), ("chips_with_power", 80), ("chips_with_price", 60)],
)  # fmt: skip
def test_the_shipped_catalogue_is_large_enough(shipped, name, least):
    assert shipped[name] >= least


def test_every_figure_has_a_source_and_most_deciding_ones_a_document(shipped):
    assert shipped["sourced_share"] == 1
    assert {name for name, part in shipped["confirmed"].items() if part["share"] < 0.6} == set()


def test_chips_themselves_have_power_not_only_boards_with_them(knowledge):
    of_the_chip = [
        words for words in power_evidence(knowledge.catalog).values() if words & {"chip", "mode", "measured"}
    ]
    assert len(of_the_chip) >= 80


def test_the_matrix_holds_every_chip_and_every_usable_measurement(shipped, knowledge):
    assert set(shipped["matrix"]) == set(knowledge.catalog.chips)
    total = sum(count for of_chip in shipped["matrix"].values() for count in of_chip.values())
    assert total == len(knowledge.catalog.measurements.chip)


def test_counts_of_a_small_folder(tmp_path):
    """Chip: int8 peak, precisions, three memory figures, power, one budget, one price; board: eight figures more."""
    catalog = read_catalog((sound(tmp_path),))
    found = coverage(catalog)
    assert (found["chips"], found["vendors"], found["boards"], found["models"]) == (1, 1, 1, 3)
    assert (found["measurements"], found["devices_measured"]) == (1, 0)
    assert found["matrix"] == {"my-chip": {"image-classification": 1}}
    assert power_evidence(catalog) == {"my-chip": {"chip", "mode", "board", "measured"}}
    assert price_evidence(catalog) == {"my-chip": {"chip", "board"}}
    # 1 of 1 peaks read; 0 of 1 bandwidths; of 3 powers the mode's budget; 0 of 2 prices: 2 of 7.
    assert [part["figures"] for part in found["confirmed"].values()] == [1, 1, 3, 2]
    assert found["confirmed_share"] == pytest.approx(2 / 7, abs=1e-4)


def test_a_power_without_its_boundary_does_not_count(tmp_path):
    catalog = read_catalog((sound(tmp_path, chips=(", boundary: rail", "")),))
    assert power_evidence(catalog)["my-chip"] == {"mode", "board", "measured"}
