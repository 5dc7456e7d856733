"""Stages of a source on every frame, the network on some: the two waits add, and no replay exceeds their sum."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dse.simulate.plant import Batch, Delay, Plant, Resource, Serve, Source, Task
from dse.simulate.search import search
from dse.timing.arrivals import Arrivals
from dse.timing.load import Load
from dse.timing.path import Path, worst_case
from dse.timing.servers import tandem_exact

CHECKED = range(14)


def system(dice: random.Random) -> tuple[Plant, int | None]:
    """A camera whose frames are decoded, and a network on every n-th of them or on several items of one."""
    period, streams, nth = dice.randint(200, 1500), dice.choice([1, 2, 4, 6]), dice.choice([1, 2, 5])
    items = dice.choice([1, 1, 2]) if nth > 1 else 2
    jitter, varies = dice.choice([0, dice.randint(0, 2 * period)]), dice.choice([0, dice.randint(0, period)])
    decode = max(1, int(dice.uniform(0.1, 0.95) * period / streams))
    rate = streams * items / (nth * period)
    batch = dice.choice([1, 1, 2, 3]) if items == 1 else 1
    full = max(1, int(dice.uniform(0.1, 0.95) * batch / rate))
    resize = int(dice.choice([0.0, dice.uniform(0, 0.9)]) / rate)
    per_item = full if batch == 1 else full // (2 * batch)
    fixed = 0 if batch == 1 else full - per_item * batch
    steps: list[Serve | Batch] = [Serve("resize", "core", resize)] if resize else []
    run = Serve("infer", "npu", full) if batch == 1 else Batch("infer", "npu", batch, "count", 0, fixed, per_item)
    before = (Delay("wire", 0, varies, "stream"), Serve("decode", "decoder", decode))
    source = Source("cam", streams, period, jitter, False, False, before)
    task = Task("t", "cam", (), nth, items, 0, (*steps, run))
    plant = Plant((Resource("decoder"), Resource("core"), Resource("npu")), (source,), (task,))
    response = tandem_exact(Load(0, streams, period, jitter + varies), [(decode, 1)])
    arrivals = Arrivals(streams * items, nth * period, nth * period, jitter, may_stop=items > 1)
    path = Path(
        delay=varies + int(response or 0), variation=varies, before=[resize] if resize else [], after=[], overlap=0,
        batch=np.array([batch]), fixed=fixed, per_item=per_item, timeout=0, dynamic=batch == 1,
    )  # fmt: skip
    parts = worst_case(arrivals, path)
    return plant, int(parts.total[0]) if parts.stable[0] and response is not None else None


@pytest.mark.parametrize("seed", CHECKED)
def test_no_replay_exceeds_the_sum_of_both_waits(seed):
    plant, bound = system(random.Random(seed))
    if bound is None:
        return
    seen = search(plant, seed, phasings=12, climbs=24)
    assert 0 < seen.tasks["t"].latency <= bound


def test_most_of_them_have_a_bound():
    """A check of bounds that are not there would check nothing."""
    assert sum(system(random.Random(seed))[1] is not None for seed in CHECKED) >= 9
