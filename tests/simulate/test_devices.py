"""Some whole devices with several tasks: nothing that a search can provoke exceeds a bound.

``benchmarks/devices.py`` does the same for thousands.
"""

from __future__ import annotations

import random

import pytest

from dse.simulate.search import search
from tests.devices import random_device


@pytest.mark.parametrize("seed", range(6))
def test_no_latency_exceeds_its_bound(seed):
    device = random_device(random.Random(seed))
    bounds = device.bounds()
    if bounds is None:
        return
    chains = device.chain_bounds()
    seen = search(device.plant, seed, chains=list(chains), phasings=8, climbs=8)
    for name, worst in seen.tasks.items():
        assert 0 < worst.latency <= bounds[name]
    for chain, worst in seen.chains.items():
        assert 0 < worst.latency <= chains[chain]


def test_most_devices_have_a_bound():
    """A check of bounds that are not there would check nothing."""
    assert sum(random_device(random.Random(seed)).bounds() is not None for seed in range(12)) >= 5


def test_a_bound_that_forgets_the_others_is_caught():
    """Each task bounded as if it were alone: on some device the replay shows the waiting."""
    caught = 0
    for seed in range(12):
        device = random_device(random.Random(seed))
        if device.bounds() is None:
            continue
        seen = search(device.plant, seed, phasings=8, climbs=8)
        for flow in device.flows:
            alone = sum(visit.service for visit in flow.visits) + flow.delay + flow.jitter
            caught += flow.name in seen.tasks and not flow.after and seen.tasks[flow.name].latency > alone
    assert caught > 0
