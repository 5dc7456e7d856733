"""The ladder of accuracy estimates, each rung with a number worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dse.estimate.accuracy import BASES, GRADES, HALF_LOSS, SUBSET_HALF_WIDTH, AccuracyEstimator
from tests.estimate import tiny


def estimate(figures, precision, toolchain="", *, n=2, entry=0, family="f", ids=None):
    """Value, low, high, grade and basis of one entry."""
    catalog = tiny.catalog(
        tiny.nets([1.0] * n, family=family, ids=ids), figures=figures, toolchains=[("tool *", "tool")]
    )
    table = AccuracyEstimator(catalog, np.arange(n)).table(precision, toolchain)
    return (
        table.value[entry],
        table.low[entry],
        table.high[entry],
        GRADES[table.grade[entry]],
        BASES[table.basis[entry]],
    )


def test_float_is_its_own_figure():
    value, low, high, grade, basis = estimate([(0, "fp32", "", 70, 69, 71, False)], "fp32")
    assert (value, low, high, grade) == (70, 69, 71, "A")
    assert basis == "figure of these weights with this tool chain"


def test_float_of_an_unknown_kind_counts_as_fp32():
    assert estimate([(0, "float", "", 70)], "fp32")[0] == 70


def test_several_figures_give_the_median_and_the_range():
    """70, 71 and 75: median 71, from 70 to 75."""
    figures = [(0, "fp32", "a", 70), (0, "fp32", "b", 75), (0, "fp32", "c", 71)]
    assert estimate(figures, "fp32")[:3] == (71, 70, 75)


def test_a_subset_widens_and_costs_a_grade():
    value, low, high, grade, _ = estimate([(0, "fp32", "", 70, 70, 70, True)], "fp32")
    assert (value, low, high, grade) == (70, 70 - SUBSET_HALF_WIDTH, 70 + SUBSET_HALF_WIDTH, "B")


def test_half_precision_loses_nothing_measurable():
    value, low, high, grade, basis = estimate([(0, "fp32", "", 70)], "fp16")
    assert (value, grade, basis) == (70, "B", "float figure; fp16 loses nothing measurable")
    assert (low, high) == pytest.approx((70 - HALF_LOSS, 70 + HALF_LOSS))


def test_own_int8_figure_with_this_tool_chain():
    """The figure of another tool chain does not disturb it."""
    figures = [(0, "fp32", "", 70), (0, "int8", "tool 1", 69), (0, "int8", "other", 60)]
    assert estimate(figures, "int8", "tool")[::4] == (69, "figure of these weights with this tool chain")
    assert estimate(figures, "int8", "tool")[3] == "A"


def test_int8_by_the_loss_of_the_same_network_elsewhere():
    """Other tool chains lost 1 and 3 points on this network: 70 less 2, between 3 and 1, and half their spread.

    All losses are 1 and 3, their median 2, every deviation 1: the 0.8 quantile is 1, half of it 0.5.
    """
    figures = [(0, "fp32", "", 70), (0, "int8", "a", 69), (0, "int8", "b", 67)]
    value, low, high, grade, basis = estimate(figures, "int8", "tool")
    assert (value, grade) == (68, "C")
    assert (low, high) == pytest.approx((70 - 3.5, 70 - 0.5))
    assert basis == "float figure less the loss of the same network with other tool chains"


def losses(group, values, first=1):
    """Float 70 and int8 70 - loss for one entry per value."""
    return [
        figure
        for k, loss in enumerate(values, first)
        for figure in ((k, "fp32", "", 70), (k, "int8", group, 70 - loss))
    ]


TEN = [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]  # median 2.75; 5 % quantile 0.725, 95 % 4.775


def test_int8_by_the_usual_loss_of_the_tool_chain():
    figures = [(0, "fp32", "", 80), *losses("tool 1", TEN)]
    value, low, high, grade, basis = estimate(figures, "int8", "tool", n=11)
    assert (value, low, high) == pytest.approx((80 - 2.75, 80 - 4.775, 80 - 0.725))
    assert (grade, basis) == ("C", "float figure less the usual loss of the task with this tool chain")


def test_int8_by_the_usual_loss_of_the_family():
    """Ten losses of the family and ten larger ones of another: only the family's count."""
    family = ["f"] * 11 + ["g"] * 10
    figures = [(0, "fp32", "", 80), *losses("other", TEN), *losses("other", [10] * 10, first=11)]
    value, _low, _high, grade, basis = estimate(figures, "int8", "tool", n=21, family=family)
    assert value == pytest.approx(80 - 2.75)
    assert (grade, basis) == ("D", "float figure less the usual loss of the family")


def test_int8_by_the_usual_loss_of_the_task():
    """The network's own family has no figures at all."""
    figures = [(0, "fp32", "", 80), *losses("other", TEN)]
    value, _low, _high, grade, basis = estimate(figures, "int8", "tool", n=11, family=["h"] + ["f"] * 10)
    assert value == pytest.approx(80 - 2.75)
    assert (grade, basis) == ("D", "float figure less the usual loss of the task")


def test_nine_losses_are_too_few():
    figures = [(0, "fp32", "", 80), *losses("other", TEN[:9])]
    assert np.isnan(estimate(figures, "int8", "tool", n=10)[0])


def test_a_figure_of_another_tool_chain_where_no_float_is_known():
    """Nothing to subtract a loss from: the figure itself, a grade lower."""
    figures = [(0, "int8", "other", 66), (1, "fp32", "", 70)]
    value, _low, _high, grade, basis = estimate(figures, "int8", "tool")
    assert (value, grade, basis) == (66, "C", "figure of these weights with another tool chain")


@pytest.mark.parametrize("precision", ["binary", "int4", "mixed-int4-int8"])
def test_precisions_that_need_training_are_never_estimated(precision):
    figures = [(0, "fp32", "", 80), *losses("tool 1", TEN)]
    value, low, high, grade, basis = estimate(figures, precision, "tool", n=11)
    assert np.isnan([value, low, high]).all()
    assert (grade, basis) == ("E", "")


def test_trained_binary_weights_run_the_same_everywhere():
    """A figure without a tool chain is that of the weights; one of another tool chain is a grade lower."""
    assert estimate([(0, "binary", "", 58)], "binary", "tool")[::3] == (58, "A")
    assert estimate([(0, "binary", "larq", 58)], "binary", "tool")[::3] == (58, "B")


def test_weights_of_one_architecture_share_their_loss():
    """Two tags of one network: the loss of one is the loss of the other."""
    figures = [(0, "fp32", "", 70), (1, "fp32", "", 74), (1, "int8", "a", 73)]
    assert estimate(figures, "int8", "tool", ids=["same", "same"])[0] == pytest.approx(69)
