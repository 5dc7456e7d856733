"""Named rules on single rows of the CSV catalogues: each gets a whole file, yields its faults and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import get_args

import numpy as np

from dse.catalog.csvfile import CsvTable
from dse.catalog.keys import cells_of, entry_keys
from dse.catalog.metrics import PERCENT
from dse.errors import Fault
from dse.patterns import name_hint
from dse.words import PRECISIONS, Boundary, Grade, Statistic, UnitKind, is_precision

QUANTITIES = ("latency", "period")
POWER_BOUNDARIES = ("rail", "module", "board", "system")


Rule = Callable[[CsvTable], Iterator[Fault]]


def precision_is_known(table: CsvTable) -> Iterator[Fault]:
    """Precisions are canonical words; a measurement may say `unknown`, an accuracy may not."""
    extra = ("unknown",) if "statistic" in table.texts else ()
    for row, word in cells_of(table, "precision"):
        if not is_precision(word) and word not in extra:
            yield table.fault(row, "precision", f"found `{word}`", name_hint(word, (*PRECISIONS, "mixed-…", *extra)))


def words_are_known(table: CsvTable) -> Iterator[Fault]:
    """Closed choices hold one of their words."""
    choices = {
        "quantity": QUANTITIES,
        "statistic": get_args(Statistic),
        "boundary": (*get_args(Boundary), "unknown"),
        "unit": get_args(UnitKind),
        "power_boundary": POWER_BOUNDARIES,
    }
    for column, words in choices.items():
        for row, word in cells_of(table, column):
            if word not in words:
                yield table.fault(row, column, f"found `{word}`", name_hint(word, words))


def figures_are_positive(table: CsvTable) -> Iterator[Fault]:
    """Times, powers, energies and sizes are above zero: what is not known stays empty."""
    columns = ("time_ms_per_item", "power_w", "energy_mj", "memory_mb", "params_m", "gmacs", "activations_m")
    for column in columns:
        for row in np.flatnonzero(table.numbers.get(column, np.zeros(0)) <= 0):
            found = table.numbers[column][row]
            hint = "a run without its time is no row" if column == "time_ms_per_item" else "leave it empty if unknown"
            yield table.fault(int(row), column, f"found {found:g}, expected more than 0", hint)


def figures_are_plausible(table: CsvTable) -> Iterator[Fault]:
    """No run takes less than a nanosecond, nor more than a day; no meter reads a megawatt."""
    for column, (least, most) in {"time_ms_per_item": (1e-6, 1e8), "power_w": (1e-9, 1e6)}.items():
        values = table.numbers.get(column, np.zeros(0))
        with np.errstate(invalid="ignore"):
            odd = np.flatnonzero((values > 0) & ((values < least) | (values > most)))
        for row in odd.tolist():
            message = f"found {values[row]:g}, expected {least:g} to {most:g}"
            yield table.fault(row, column, message, "check the unit in the column's name")


def counts_are_whole(table: CsvTable) -> Iterator[Fault]:
    """Counts and pixels are whole and not negative."""
    for column in ("batch", "cores", "streams", "input_h", "input_w"):
        values = table.numbers.get(column, np.zeros(0))
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero((values < 0) | (np.isfinite(values) & (values != np.floor(values))))
        for row in wrong:
            yield table.fault(int(row), column, f"found {values[row]:g}, expected a whole number of at least 0")


def input_size_is_whole(table: CsvTable) -> Iterator[Fault]:
    """Height and width are both stated or both not."""
    height, width = (np.nan_to_num(table.numbers[side]) for side in ("input_h", "input_w"))
    for row in np.flatnonzero((height > 0) != (width > 0)):
        yield table.fault(int(row), "input_h", "only one side of the input is stated", "give input_h and input_w")


def power_has_a_boundary(table: CsvTable) -> Iterator[Fault]:
    """Rail, board and whole-system power differ by 2 to 10 times: a figure without its boundary says nothing."""
    measured = np.isfinite(table.numbers["power_w"]) & (table.texts["power_boundary"] == "")
    for row in np.flatnonzero(measured):
        yield table.fault(int(row), "power_boundary", "power without its boundary", ", ".join(POWER_BOUNDARIES))


def binary_is_a_part(table: CsvTable) -> Iterator[Fault]:
    """Binary MACs are among all MACs."""
    all_macs, binary = table.numbers["gmacs"], table.numbers["binary_gmacs"]
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero((binary < 0) | (binary > all_macs * (1 + 1e-6)))
    for row in wrong:
        yield table.fault(int(row), "binary_gmacs", f"found {binary[row]:g} of {all_macs[row]:g} MACs in all")


def dataset_has_a_metric(table: CsvTable) -> Iterator[Fault]:
    """An accuracy means nothing without both."""
    for row, (dataset, metric) in enumerate(zip(table.texts["dataset"], table.texts["metric"], strict=True)):
        if bool(dataset) != bool(metric):
            yield table.fault(row, "metric", "a data set needs its metric, and a metric its data set")


def rows_are_listed_once(table: CsvTable) -> Iterator[Fault]:
    """One row per architecture, input, weights, data set and metric."""
    first: dict[tuple[str | int, ...], int] = {}
    for row, key in enumerate(entry_keys(table)):
        if first.setdefault(key, row) != row:
            line = table.lines[first[key]]
            yield table.fault(row, "id", f"`{key[0]}` is listed twice, first in line {line}", "keep one of the two")


def macs_have_a_source(table: CsvTable) -> Iterator[Fault]:
    """Every figure says where it was read."""
    known, source = np.isfinite(table.numbers["gmacs"]), table.texts["macs_source"] + table.texts["source"]
    for row in np.flatnonzero(known & (source == "")):
        yield table.fault(int(row), "macs_source", "MACs without a source", "say where they were read or counted")


def percent_is_not_a_share(table: CsvTable) -> Iterator[Fault]:
    """Percent metrics run 0–100; nothing that works is at or below one percent."""
    for row, metric in cells_of(table, "metric"):
        value = table.numbers["accuracy"][row]
        if metric in PERCENT and 0 <= value <= 1:
            hint = f"accuracies are percent: write {value * 100:g}"
            yield table.fault(row, "accuracy", f"found {value:g}, which is at most one percent", hint)
        elif metric in PERCENT and not 0 <= value <= 100:
            yield table.fault(row, "accuracy", f"found {value:g}, expected a percentage of at most 100")


def interval_holds_the_figure(table: CsvTable) -> Iterator[Fault]:
    """The figure lies between low and high."""
    low, value, high = (table.numbers[column] for column in ("low", "accuracy", "high"))
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero((low > value) | (high < value))
    for row in wrong:
        yield table.fault(int(row), "low", f"{value[row]:g} is outside [{low[row]:g}, {high[row]:g}]")


def subset_is_a_truth_value(table: CsvTable) -> Iterator[Fault]:
    """The column subset holds True, False or nothing."""
    for row, word in cells_of(table, "subset"):
        if word.casefold() not in ("true", "false"):
            yield table.fault(row, "subset", f"found `{word}`", "write True or False")


def tails_are_above_the_mean(table: CsvTable) -> Iterator[Fault]:
    """1 ≤ p99/mean ≤ p99.9/mean, no negative stall, a grade."""
    p99, p999, stall = (table.numbers[column] for column in ("p99_over_mean", "p999_over_mean", "stall_ms"))
    for row, grade in cells_of(table, "grade"):
        if not 1 <= p99[row] <= p999[row]:
            yield table.fault(row, "p99_over_mean", f"found {p99[row]:g} and {p999[row]:g}, expected 1 ≤ p99 ≤ p99.9")
        if stall[row] < 0:
            yield table.fault(row, "stall_ms", f"found {stall[row]:g}, expected at least 0")
        if grade not in get_args(Grade):
            yield table.fault(row, "grade", f"found `{grade}`", "A, B, C, D or E")


RULES: Mapping[str, tuple[Rule, ...]] = {
    "models": (
        figures_are_positive,
        counts_are_whole,
        input_size_is_whole,
        binary_is_a_part,
        dataset_has_a_metric,
        rows_are_listed_once,
        macs_have_a_source,
    ),
    "accuracies": (
        precision_is_known,
        counts_are_whole,
        input_size_is_whole,
        percent_is_not_a_share,
        interval_holds_the_figure,
        subset_is_a_truth_value,
    ),
    "measurements": (
        precision_is_known,
        words_are_known,
        figures_are_positive,
        figures_are_plausible,
        counts_are_whole,
        input_size_is_whole,
        power_has_a_boundary,
    ),
    "tails": (tails_are_above_the_mean,),
}
"""Rules on every file, by kind."""
