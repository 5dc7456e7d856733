"""Waits over random phases: published forms against numbers by hand and against chance itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.timing.arrivals import Arrivals
from dse.timing.quantile import bridge_wait_quantile, formation_quantile, wait_quantile, wait_tail
from dse.timing.ticks import INFINITE

CAMERAS = Arrivals(16, 400_000, 400_000)  # 16 streams, 40 ms


def test_sixteen_streams_at_a_load_of_four_fifths():
    # s = 2 ms: 8.3 ms exact and 8.8 ms by the bridge, of at most 15·2 = 30 ms.
    assert wait_quantile(CAMERAS, 20_000, 0.99) == pytest.approx(83_000, abs=500)
    assert bridge_wait_quantile(CAMERAS, np.array([20_000]), 0.99)[0] == pytest.approx(88_000, abs=500)
    # By hand: exp(-2x(x/16 + 1/4)) = 0.01 for x = -2 + sqrt(4 + 8·ln 100) = 4.3906.
    assert bridge_wait_quantile(CAMERAS, np.array([20_000]), 0.99)[0] == 87_815


def test_two_streams_by_hand():
    # An item waits more than x services when the other came at most 1 - x services before: (1 - x)/D, D = 2/0.5.
    assert wait_tail(2, 0.5, 0.25) == pytest.approx(0.75 / 4)
    # One of ten: (1 - x)/4 = 0.1 at x = 0.6.
    assert wait_quantile(Arrivals(2, 400, 400), 100, 0.9) == pytest.approx(60, abs=1)
    assert wait_quantile(Arrivals(1, 400, 400), 100, 0.9) == 0
    assert wait_quantile(Arrivals(2, 400, 400), 0, 0.9) == 0
    assert wait_quantile(Arrivals(2, 400, 400), 201, 0.9) == INFINITE


@pytest.mark.parametrize(("streams", "load"), [(4, 0.9), (12, 0.6), (24, 0.95)])
def test_the_exact_tail_against_chance(streams, load):
    # 20 000 sets of phases: the wait of one item behind the others of two periods, by the recursion of the server.
    dice, period = np.random.default_rng(1), streams / load
    source, ticks = Arrivals(streams, round(period * 1e4), round(period * 1e4)), 10_000
    last = dice.random((20_000, 1)) * period
    others = np.sort((dice.random((20_000, streams - 1)) * period - last) % period, axis=1)
    ahead = np.concatenate([others - period, others, np.full((20_000, 1), period)], axis=1)
    wait = np.zeros(len(ahead))
    for k in range(1, ahead.shape[1]):
        wait = np.maximum(0, wait + 1 - (ahead[:, k] - ahead[:, k - 1]))
    assert wait_quantile(source, ticks, 0.95) / ticks == pytest.approx(np.quantile(wait, 0.95), rel=0.1, abs=0.05)


@pytest.mark.parametrize(("streams", "batch"), [(8, 2), (8, 5), (8, 8)])
def test_formation_against_chance(streams, batch):
    dice = np.random.default_rng(2)
    phases = np.sort(dice.random((20_000, streams)), axis=1)
    around = np.concatenate([phases, phases + 1], axis=1)
    first = dice.integers(0, streams, 20_000)
    spans = np.take_along_axis(around, (first + batch - 1)[:, None], 1) - np.take_along_axis(around, first[:, None], 1)
    found = formation_quantile(Arrivals(streams, 10_000, 10_000), batch, 0.9)
    assert found / 10_000 == pytest.approx(np.quantile(spans, 0.9), rel=0.05)


def test_formation_by_hand():
    # Of two streams the second is uniform in the period; a single item waits for nobody.
    assert formation_quantile(Arrivals(2, 10_000, 10_000), 2, 0.75) == pytest.approx(7_500, abs=1)
    assert formation_quantile(Arrivals(2, 10_000, 10_000), 1, 0.75) == 0
    with pytest.raises(ValueError, match="batch of 3 items from 2 streams: expected 1 to 2"):
        formation_quantile(Arrivals(2, 10_000, 10_000), 3, 0.75)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.floats(0.05, 1.0), st.floats(0.5, 0.999))
def test_quantiles_stay_within_the_worst_case_and_grow(streams, load, level):
    source = Arrivals(streams, 400_000, 400_000)
    service = max(1, int(load * 400_000 / streams))
    exact, bridge = wait_quantile(source, service, level), bridge_wait_quantile(source, np.array([service]), level)[0]
    assert 0 <= exact <= (streams - 1) * service
    assert 0 <= bridge <= (streams - 1) * service
    assert wait_quantile(source, service, level + (1 - level) / 2) >= exact
    assert wait_quantile(source, max(1, service // 2), level) <= exact


def test_rows_that_are_not_stable_have_none():
    found = bridge_wait_quantile(CAMERAS, np.array([25_000, 25_001, 0]), 0.99)
    assert (found >= INFINITE).tolist() == [False, True, False]
    assert found[2] == 0


@pytest.mark.parametrize("level", [0.0, 1.0, 99.0])
def test_levels_are_shares(level):
    with pytest.raises(ValueError, match="expected a share between 0 and 1"):
        wait_quantile(CAMERAS, 1, level)
