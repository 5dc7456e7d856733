"""The law: exact worlds come back, tables equal pairs, and a prediction is the product of its factors."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dse.estimate.estimator import TABLES, fit, rows_of
from dse.estimate.evidence import LEVELS, Seen
from dse.estimate.law import COLUMNS, factors, kinds, predict
from dse.estimate.networks import KnownNetworks, SizeModel, words_of
from dse.estimate.statistics import TO_MEAN, to_mean
from tests.estimate import tiny

GMACS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4]


def world(chips, gmacs=GMACS, *, leave_out=(), factor=None, **changes):
    """Times c x G^0.75 x a factor of the network's own, for every chip and network but those left out."""
    factor = np.ones(len(gmacs)) if factor is None else factor
    return [
        {"chip": chip, "net": net, "time_ms": scale * work**0.75 * factor[net], **changes}
        for chip, scale in chips.items()
        for net, work in enumerate(gmacs)
        if (chip, net) not in leave_out
    ]


def row_of(speeds, chip):
    return int(np.flatnonzero(speeds.calibrations.chip == chip)[0])


def test_an_exact_law_comes_back():
    """t = c x G^0.75 on three chips: the network left out is found within 3 %."""
    rows = world({"a": 10, "b": 3, "c": 0.5}, leave_out={("a", 3)})
    speeds = tiny.knowledge(tiny.nets(GMACS), rows).speeds
    assert speeds.typical_ms[row_of(speeds, "a"), 3] == pytest.approx(10 * 0.8**0.75, rel=0.03)


def test_what_a_network_costs_beyond_the_law_is_learnt_on_other_chips():
    """A network 2 x slower than the law on four chips: nearly as much slower on the fifth, never more."""
    factor = np.ones(7)
    factor[3] = 2
    rows = world({"a": 10, "b": 3, "c": 0.5, "d": 1, "e": 6}, leave_out={("a", 3)}, factor=factor)
    speeds = tiny.knowledge(tiny.nets(GMACS), rows).speeds
    found = speeds.typical_ms[row_of(speeds, "a"), 3] / (10 * 0.8**0.75)
    assert 1.3 < found < 2.1


def test_a_runtime_of_its_own_is_learnt_with_every_row():
    """The more networks were measured on a slow runtime, the nearer its estimates come to it."""
    found = []
    for shown in (0, 1, 2, 5):
        hidden = {("slow", net) for net in range(shown, 7)}
        rows = world({"a": 10, "b": 3, "c": 1}) + [
            {**row, "chip": "a", "runtime": "other"} for row in world({"slow": 40}, leave_out=hidden)
        ]
        knowledge = tiny.knowledge(tiny.nets(GMACS), rows)
        where = np.flatnonzero(knowledge.speeds.calibrations.runtime == "other")
        if shown:
            found.append(float(knowledge.speeds.typical_ms[where[0], 6]) / (40 * 6.4**0.75))
    assert found == sorted(found)
    assert found[-1] == pytest.approx(1, abs=0.15)


@pytest.fixture(scope="module")
def noisy():
    """A catalogue of 12 chips and 30 networks with noise, and the station fitted to it."""
    random = np.random.default_rng(3)
    gmacs = np.exp(random.uniform(-2, 2, 30))
    rows = world({f"c{k}": float(np.exp(random.normal())) for k in range(12)}, gmacs)
    rows = [{**row, "time_ms": row["time_ms"] * np.exp(random.normal(0, 0.2))} for row in rows if random.random() < 0.7]
    catalog = tiny.catalog(tiny.nets(gmacs), rows)
    return catalog, fit(catalog)


def test_a_table_equals_its_pairs(noisy):
    catalog, station = noisy
    (conditions, _), (networks, _) = (part.distinct() for part in rows_of(catalog))
    c, n = np.arange(len(conditions.unit)), np.arange(len(networks.model))
    table = station.estimate(conditions, networks, c[:, None], n[None, :])
    pairs = station.estimate(conditions, networks, np.repeat(c, len(n)), np.tile(n, len(c)))
    for name in ("log_ms", "half_width", "level"):
        assert getattr(table, name).ravel() == pytest.approx(getattr(pairs, name)), name


def test_a_row_alone_equals_itself_in_company(noisy):
    """What else is asked changes nothing: a network without known operators beside one that has three."""
    catalog, station = noisy
    conditions, networks = rows_of(catalog)
    two = networks.take(np.array([0, 1]))
    two = dataclasses.replace(two, operators=tiny.texts("", "attention conv dense"), model=tiny.texts("unheard", "of"))
    for network in (two.take(np.array([0])), two):
        found = station.estimate(conditions.take(np.array([0])), network, np.array([0]), np.array([0]))
        if network is not two:
            alone = found
    assert found.log_ms == pytest.approx(alone.log_ms)
    assert found.half_width == pytest.approx(alone.half_width)


def test_the_factors_multiply_to_the_prediction(noisy):
    catalog, station = noisy
    conditions, networks = rows_of(catalog)
    rows = np.arange(len(networks.model))
    base, parts = factors(station.laws["known"], conditions, networks, rows, rows)
    assert set(parts) == set(COLUMNS)
    whole = predict(station.laws["known"], conditions, networks, rows, rows).log_ms
    assert base + sum(parts.values()) == pytest.approx(whole, abs=1e-9)


def test_the_order_of_rows_does_not_matter():
    rows = world({"a": 10, "b": 3, "c": 0.5}, leave_out={("a", 3)}, factor=np.linspace(1, 2, 7))
    one, other = (tiny.knowledge(tiny.nets(GMACS), each).speeds for each in (rows, rows[::-1]))
    assert np.array_equal(one.typical_ms, other.typical_ms)
    assert np.array_equal(one.spread, other.spread)


def test_every_kind_of_effect_is_known_to_the_law():
    """A misspelt column of the table of spreads would drop an effect without a word."""
    for table in TABLES:
        listed = kinds(table)
        assert len({(kind.group, kind.name, kind.slope) for kind in listed}) == len(listed) > 40
        assert {column for kind in listed for column in kind.group} <= set(COLUMNS)
        assert all(kind.spread > 0 for kind in listed)


def test_missing_sizes_are_those_of_the_line(noisy):
    """A network of a line whose others have 1 and 4 GMACs (mean of the logs: 2) and nothing else known has 2."""
    nets = tiny.nets([1.0, 4.0, np.nan], params=[1, 1, np.nan])
    rows = [{"chip": "a", "net": net, "time_ms": 1} for net in range(3)]
    _, networks = rows_of(tiny.catalog(nets, rows))
    filled = SizeModel.fitted(networks).fill(networks)
    assert np.exp(filled["macs"][2]) == pytest.approx(2)


def test_words_of_a_name():
    assert words_of("yolov8n_seg") == ["n", "seg", "yolov", "yolov8"]
    assert words_of("resnet50_v1.5") == ["resnet", "resnet50", "v", "v1.5"]


def test_levels_by_hand():
    """Networks 0 to 2 on a, 0 on b, nothing on c; the rows of a are int8 at 224 pixels."""
    rows = [{"chip": "a", "net": net, "time_ms": 1} for net in range(3)] + [{"chip": "b", "net": 0, "time_ms": 1}]
    rows += [{"chip": "d", "net": 3, "time_ms": 1}]
    catalog = tiny.catalog(tiny.nets([1, 2, 3, 4, 5, np.nan]), rows)
    conditions, _place = rows_of(catalog)[0].distinct()
    networks = KnownNetworks(catalog).of_catalog()
    seen = Seen.of(*rows_of(catalog))
    asked = conditions.take(np.array([0, 1]))
    half = dataclasses.replace(asked, precision=tiny.texts("fp16", "fp16"))
    nowhere = dataclasses.replace(asked, device=tiny.texts("c", "c"))
    n = np.arange(6)[None, :]

    def words(places):
        return [[LEVELS[k] for k in row] for row in seen.levels(places, networks, np.arange(2)[:, None], n).tolist()]

    assert words(asked)[0] == ["B=", "B=", "B=", "C1", "C2", "C2-"]
    assert words(asked)[1] == ["B=", "K1", "K1", "K1", "K2", "K2-"]
    assert words(half)[0] == ["B", "B", "B", "C1", "C2", "C2-"]
    assert words(nowhere)[0] == ["D1", "D1", "D1", "D1", "D2", "D2-"]
    elsewhere = dataclasses.replace(asked, runtime=tiny.texts("other", "other"))
    assert words(elsewhere)[0] == ["R1", "R1", "R1", "R1", "R2", "R2-"]


@pytest.mark.parametrize(("word", "factor"), TO_MEAN.items())
def test_statistics_to_the_mean(word, factor):
    """The minimum lies about 5 % below the mean, the 90th percentile 1 % above it; the rest stands as printed."""
    assert to_mean(tiny.texts(word, "mean")).tolist() == [factor, 1.0]
    assert factor == {"min": 1.05, "p90": 0.99}.get(word, 1.0)


def test_an_unknown_statistic_is_refused():
    with pytest.raises(KeyError, match="average"):
        to_mean(tiny.texts("mean", "average"))
