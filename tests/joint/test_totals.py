"""What a combination takes of its device: power, memory and energy by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dse.catalog.types import text_array
from dse.joint.totals import Shares, totals
from dse.schema import UNKNOWN


def shares(power=5, *, added=0, rated=0, memory=100, runtime="npu|rknn", base=20, energy=10, content=(0, 0), **more):
    """One row of one task; whole numbers of any unit."""
    figures = {"power": power, "added": added, "rated": rated, "price": 60, "lead_time": 4, "energy": energy,
               "memory": memory, "least_memory": memory, "base": base,
               "capacity": more.get("capacity", 1000)}  # fmt: skip
    column = {name: np.array([value], dtype=np.int64) for name, value in figures.items()}
    regions = np.array([[value] for value in more.get("region", (UNKNOWN, UNKNOWN))])
    return Shares(
        **column, runtime=text_array([runtime]), content=np.array([[need] for need in content]), region=regions
    )


def together(*tasks, units=("npu", "npu"), items=(1, 1)):
    return totals(tasks, units, [0] * len(tasks), items)


def test_networks_on_one_measured_unit_draw_what_the_hungrier_does():
    assert together(shares(5), shares(7)).power == 7


def test_measured_units_add_up_and_the_host_counts_once():
    assert together(shares(5, added=3), shares(7, added=3), units=("npu", "gpu")).power == 5 + 7 + 3


def test_a_rated_figure_covers_the_whole_chip():
    assert together(shares(5), shares(20, rated=1), units=("npu", "gpu")).power == 20
    assert (
        together(shares(12), shares(9), shares(20, rated=1), units=("npu", "gpu", "cpu"), items=(1, 1, 1)).power == 21
    )


def test_power_is_unknown_as_soon_as_one_is():
    assert together(shares(5), shares(UNKNOWN)).power == UNKNOWN
    assert together(shares(5, added=UNKNOWN), shares(5, added=UNKNOWN)).power == UNKNOWN


def test_a_runtime_is_loaded_once():
    assert together(shares(), shares(memory=50)).memory == 100 + 50 + 20
    assert together(shares(), shares(memory=50, runtime="gpu|trt", base=800)).memory == 100 + 50 + 20 + 800


def test_memory_just_fits_and_just_does_not():
    assert together(shares(capacity=220), shares(capacity=220)).spare == 0
    assert together(shares(capacity=219), shares(capacity=219)).spare == -1


def test_the_tighter_region_decides():
    roomy = {"region": (100, 50)}
    found = together(shares(content=(60, 20), **roomy), shares(content=(30, 40), **roomy))
    assert (found.region, found.region_spare) == (50, 50 - 60)


@pytest.mark.parametrize(("needs", "spare"), [((60, UNKNOWN), UNKNOWN), ((120, UNKNOWN), -20)])
def test_an_unknown_content_refuses_only_where_the_known_ones_overflow(needs, spare):
    tasks = [shares(content=(need, 0), region=(100, 50)) for need in needs]
    assert together(*tasks).region_spare == spare


def test_energy_is_the_mean_over_items():
    # Two items of 10 for each of 40: 60 / 3.
    assert together(shares(energy=10), shares(energy=40), items=(2, 1)).energy == 20
