"""The law of times: exact where the world is exact, honest where it is noisy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dse.estimate import speed
from dse.estimate.law import Constants, calibrations_of, features_of, predict
from dse.estimate.speed import GRADES, fit
from dse.estimate.statistics import TO_MEAN, to_mean
from tests.estimate import tiny

E = Constants().work_exponent
GMACS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4]


def world(chips, gmacs, *, leave_out=(), factor=None, **changes):
    """Times c · G^e · model factor for every chip and network but those left out."""
    factor = np.ones(len(gmacs)) if factor is None else factor
    return [
        {"chip": chip, "net": net, "time_ms": scale * work**E * factor[net], **changes}
        for chip, scale in chips.items()
        for net, work in enumerate(gmacs)
        if (chip, net) not in leave_out
    ]


def row_of(speeds, chip):
    return int(np.flatnonzero(speeds.calibrations.chip == chip)[0])


def test_an_exact_law_is_recovered():
    """t = c · G^e on three chips: the network left out comes back within rounding."""
    rows = world({"a": 10, "b": 3, "c": 0.5}, GMACS, leave_out={("a", 3)})
    speeds = fit(tiny.catalog(tiny.nets(GMACS), rows))
    assert speeds.typical_ms[row_of(speeds, "a"), 3] == pytest.approx(10 * 0.8**E, rel=1e-9)
    # Measured networks are estimated without themselves, and the law still holds.
    assert speeds.typical_ms[row_of(speeds, "b")] == pytest.approx([3 * g**E for g in GMACS], rel=1e-9)


def test_the_models_own_efficiency_is_learned_on_other_chips():
    """A network 2 × slower than the law on two of three chips: shrunk towards 1 by one pseudo-chip.

    Its residual is ln 2 on each of the two, the effect 2 ln 2 / (2 + 1), the estimate 2^(2/3) times the law.
    """
    factor = np.ones(7)
    factor[3] = 2
    rows = world({"a": 10, "b": 3, "c": 0.5}, GMACS, leave_out={("a", 3)}, factor=factor)
    speeds = fit(tiny.catalog(tiny.nets(GMACS), rows))
    expected = 10 * 0.8**E * 2 ** (2 / 3)
    # Its neighbours on b and c are pulled along by it a little, and that reaches a: 3 %.
    assert speeds.typical_ms[row_of(speeds, "a"), 3] == pytest.approx(expected, rel=0.03)
    assert speeds.known_elsewhere[row_of(speeds, "a"), 3]


def test_nothing_of_a_network_on_a_chip_enters_its_own_estimate_there():
    """Left out means: out of every runtime of the chip. Ten times slower runs on the chip change nothing there."""

    def typical(slow):
        rows = world({"a": 10, "b": 3, "c": 0.5}, GMACS)
        rows += [{**row, "runtime": "second"} for row in rows if row["chip"] == "a"]
        for row in rows:
            if row["chip"] == "a" and row["net"] == 3:
                row["time_ms"] *= slow
        return fit(tiny.catalog(tiny.nets(GMACS), rows))

    before, after = typical(1), typical(10)
    of_a = before.calibrations.chip == "a"
    assert of_a.sum() == 2
    assert after.typical_ms[of_a, 3] == pytest.approx(before.typical_ms[of_a, 3], rel=1e-12)
    assert np.all(after.typical_ms[~of_a, 3] > 1.5 * before.typical_ms[~of_a, 3])


def test_a_chip_with_many_runtimes_counts_once():
    """Residuals are averaged per chip: copying one chip's rows under other runtimes changes no estimate elsewhere."""
    factor = np.array([1, 1, 1, 2, 1, 1, 1.0])
    rows = world({"a": 10, "b": 3, "c": 0.5}, GMACS, leave_out={("a", 3)}, factor=factor)
    more = rows + [{**row, "runtime": f"rt{k}"} for row in rows if row["chip"] == "b" for k in range(5)]
    once, often = (fit(tiny.catalog(tiny.nets(GMACS), each)) for each in (rows, more))
    assert often.typical_ms[row_of(often, "a")] == pytest.approx(once.typical_ms[row_of(once, "a")], rel=1e-9)


def test_small_networks_are_not_faster_than_the_fastest_run():
    """Below the smallest measured network the time stays at the fastest measured run: launches are not free."""
    rows = world({"a": 10, "b": 3}, GMACS, leave_out={("a", 0), ("a", 1)})
    speeds = fit(tiny.catalog(tiny.nets(GMACS), rows))
    a = row_of(speeds, "a")
    fastest = 10 * 0.4**E
    assert speeds.typical_ms[a, :2] == pytest.approx([fastest, fastest])
    assert speeds.typical_ms[a, 3] == pytest.approx(10 * 0.8**E)
    # A measured network is never held back, and above the largest the law goes on.
    assert speeds.typical_ms[row_of(speeds, "b"), 0] == pytest.approx(3 * 0.1**E)


def test_small_networks_on_a_cpu_follow_the_law():
    """A CPU has next to no fixed costs: there the law goes on below the smallest measured network."""
    rows = [{**row, "unit": "cpu"} for row in world({"a": 10, "b": 3}, GMACS, leave_out={("a", 0)})]
    speeds = fit(tiny.catalog(tiny.nets(GMACS), rows))
    assert speeds.typical_ms[row_of(speeds, "a"), 0] == pytest.approx(10 * 0.1**E)


def test_the_fastest_run_need_not_be_the_smallest_network():
    """Networks of 0.4 and 0.8 GMACs ran in 9 and 5 ms: one of 0.1 is not estimated below 5 ms."""
    rows = [{"chip": "a", "net": 2, "time_ms": 9}, {"chip": "a", "net": 3, "time_ms": 5}]
    assert fit(tiny.catalog(tiny.nets(GMACS), rows)).typical_ms[0, 0] == pytest.approx(5)


def test_larger_networks_follow_the_law():
    rows = world({"a": 10}, GMACS, leave_out={("a", 6)})
    assert fit(tiny.catalog(tiny.nets(GMACS), rows)).typical_ms[0, 6] == pytest.approx(10 * 6.4**E)


def test_no_estimate_without_macs_or_far_from_everything():
    """Unknown MACs, and a network e^4 times larger in MACs than any measured one: grade E and no number."""
    gmacs = [0.1, 0.2, 0.4, np.nan, 0.4 * np.exp(4)]
    rows = world({"a": 10}, gmacs, leave_out={("a", 3), ("a", 4)})
    speeds = fit(tiny.catalog(tiny.nets(gmacs), rows))
    assert np.isnan(speeds.typical_ms[0, 3:]).all()
    assert [GRADES[g] for g in speeds.grade[0, 3:]] == ["E", "E"]


@pytest.mark.parametrize(
    ("measured", "elsewhere", "grade"),
    [(3, True, "C"), (3, False, "C"), (2, True, "D"), (1, True, "D"), (2, False, "E"), (1, False, "E")],
)
def test_grades_follow_the_evidence(measured, elsewhere, grade):
    """Three measured networks calibrate a unit; with fewer the network must be known elsewhere."""
    rows = [{"chip": "a", "net": net, "time_ms": 1 + net} for net in range(measured)]
    rows += [{"chip": "b", "net": net, "time_ms": 1 + net} for net in range(4) if elsewhere or net < 3]
    speeds = fit(tiny.catalog(tiny.nets([1.0, 1.1, 1.2, 1.3]), rows))
    assert GRADES[speeds.grade[row_of(speeds, "a"), 3]] == grade


def test_far_networks_are_a_grade_lower():
    """Distance |ln 8| = 2.08 to the nearest: beyond 1.8, within 3.5."""
    rows = world({"a": 10}, [0.1, 0.11, 0.12, 0.96], leave_out={("a", 3)})
    assert GRADES[fit(tiny.catalog(tiny.nets([0.1, 0.11, 0.12, 0.96]), rows)).grade[0, 3]] == "D"


def test_distance_is_the_sum_that_is_written_down():
    """|Δln G| + 0.5 |Δln P| + 0.3 |Δln area| + 0.4 [line] + 0.4 [family], by hand: e apart in MACs and parameters."""
    nets = tiny.nets([1, np.e], params=[1, np.e], stem=["s", "t"], family=["f", "g"])
    nets = dataclasses.replace(nets, input_h=np.array([224, 448]), input_w=np.array([224, 448]))
    known = calibrations_of(tiny.measurements([{"chip": "a", "net": 0, "time_ms": 1}]))[0]
    found = predict(features_of(nets), np.array([1]), known, Constants(), left_out=False)
    assert found.distance[0] == pytest.approx(1 + 0.5 + 0.3 * np.log(4) + 0.4 + 0.4)
    assert found.log_ms[0] == pytest.approx(E)
    assert found.nearest[0].tolist() == [0, -1, -1]


def test_nearer_networks_weigh_more():
    """Two measured networks at distances 0.35 and 0.7 on either side: weights 1 and 1/e after the nearest's own."""
    gmacs = [np.exp(-0.35), 1.0, np.exp(0.7)]
    known = calibrations_of(
        tiny.measurements([{"chip": "a", "net": 0, "time_ms": 1}, {"chip": "a", "net": 2, "time_ms": 4}])
    )[0]
    found = predict(features_of(tiny.nets(gmacs)), np.array([1]), known, Constants(distance_scale=0.35), left_out=False)
    moved = np.array([0 + E * 0.35, np.log(4) - E * 0.7])
    weight = np.array([1, np.exp(-1)])
    assert found.log_ms[0] == pytest.approx((weight * moved).sum() / weight.sum())


def test_only_latencies_at_batch_one_calibrate():
    rows = [
        {"chip": "a", "net": 0, "time_ms": 5},
        {"chip": "a", "net": 1, "time_ms": 1, "quantity": "period"},
        {"chip": "a", "net": 1, "time_ms": 9, "batch": 8},
        {"chip": "a", "net": 0, "time_ms": 7},
        {"chip": "a", "net": 0, "time_ms": 6, "statistic": "min"},
    ]
    (known,) = calibrations_of(tiny.measurements(rows))
    # Three rows of one network: 5, 7 and 6 × 1.05 = 6.3; the median counts.
    assert (known.net.tolist(), np.exp(known.log_ms)) == ([0], pytest.approx([6.3]))


def test_intervals_cover_nine_in_ten():
    """Synthetic noise of 20 %: fresh runs, never shown to the fit, lie within the stated interval about 90 % of the
    time."""
    rng = np.random.default_rng(7)
    gmacs = np.exp(rng.uniform(np.log(0.1), np.log(10), 80))
    chips = {f"chip{k}": float(scale) for k, scale in enumerate(rng.uniform(1, 20, 12))}
    model = np.exp(rng.normal(0, 0.25, 80))
    rows = world(chips, gmacs, factor=model)
    for row in rows:
        row["time_ms"] *= np.exp(rng.normal(0, 0.2))
    hidden = rng.random(len(rows)) < 0.25
    speeds = fit(tiny.catalog(tiny.nets(gmacs), [row for row, h in zip(rows, hidden, strict=True) if not h]))
    inside = []
    for row, is_hidden in zip(rows, hidden, strict=True):
        if is_hidden:
            cell = row_of(speeds, row["chip"]), row["net"]
            ratio = row["time_ms"] / speeds.typical_ms[cell]
            inside.append(1 / speeds.spread[cell] <= ratio <= speeds.spread[cell])
    assert len(inside) > 200
    assert np.mean(inside) == pytest.approx(0.9, abs=0.05)


def test_a_group_without_enough_errors_takes_the_widest_factor():
    error = np.array([[0.1] * 30 + [0.5] * 5])
    group = np.array([["many"] * 30 + ["few"] * 5], dtype=object)
    factors = speed._conformal(error, np.full((1, 35), 0.05), group)
    # All 30 errors are 0.1 / 0.05 = 2 spreads.
    assert factors == {"many": pytest.approx(2), "few": pytest.approx(2)}


def test_the_order_of_rows_does_not_matter():
    rows = world({"a": 10, "b": 3, "c": 0.5}, GMACS, leave_out={("a", 3)}, factor=np.linspace(1, 2, 7))
    one, other = (fit(tiny.catalog(tiny.nets(GMACS), each)) for each in (rows, rows[::-1]))
    assert np.array_equal(one.typical_ms, other.typical_ms, equal_nan=True)
    assert one.conformal == other.conformal


@pytest.mark.parametrize(("word", "factor"), TO_MEAN.items())
def test_statistics_to_the_mean(word, factor):
    """The minimum lies about 5 % below the mean, the 90th percentile 1 % above it; the rest stands as printed."""
    assert to_mean(tiny.texts(word, "mean")).tolist() == [factor, 1.0]
    assert factor == {"min": 1.05, "p90": 0.99}.get(word, 1.0)


def test_an_unknown_statistic_is_refused():
    with pytest.raises(KeyError, match="average"):
        to_mean(tiny.texts("mean", "average"))


def test_estimates_of_the_shipped_catalogue(knowledge):
    """Half of the left-out accelerator runs are within 16 %, half of the CPU runs within 10 %, and the stated 90 %
    intervals hold 90 %."""
    known = calibrations_of(knowledge.catalog.measurements)
    error = {True: [], False: []}
    inside = []
    for c, of_unit in enumerate(known):
        ratio = np.log(knowledge.speeds.typical_ms[c, of_unit.net]) - of_unit.log_ms
        answered = np.isfinite(ratio)
        error[of_unit.key[2] in ("cpu", "mcu")] += np.abs(ratio[answered]).tolist()
        inside += (np.abs(ratio) <= np.log(knowledge.speeds.spread[c, of_unit.net]))[answered].tolist()
    assert np.expm1(np.median(error[False])) < 0.17
    assert np.expm1(np.median(error[True])) < 0.10
    assert np.exp(np.quantile(error[False], 0.9)) < 2.0
    assert np.exp(np.quantile(error[True], 0.9)) < 1.5
    assert np.mean(inside) == pytest.approx(0.9, abs=0.01)
