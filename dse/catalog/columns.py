"""Every column of the CSV catalogues once: name, kind, unit and meaning; ``catalogs/README.md`` shows the same lists.

A column that is not ``kept`` is for people who read the file; dse checks its name and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One column; `required` ones must stand in every file, `filled` ones in every row too."""

    name: str
    meaning: str
    number: bool = False
    required: bool = False
    filled: bool = False
    kept: bool = True


@dataclass(frozen=True)
class Sheet:
    """One kind of CSV file; rows are one thing when their `key` is, and a later folder's row takes its place.

    Columns beside those of an `open` one are people's own: nobody reads them. A row that is empty in all of the
    `answers` is a form nobody filled in: it is skipped.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    open: bool = False
    answers: tuple[str, ...] = ()

    @property
    def by_name(self) -> Mapping[str, Column]:
        """Columns by name."""
        return {column.name: column for column in self.columns}


def _text(name: str, meaning: str, *, required: bool = False, filled: bool = False, kept: bool = True) -> Column:
    return Column(name, meaning, required=required or filled, filled=filled, kept=kept)


def _number(name: str, meaning: str, *, required: bool = False, filled: bool = False, kept: bool = True) -> Column:
    return Column(name, meaning, number=True, required=required or filled, filled=filled, kept=kept)


NET_KEY = ("id", "input_h", "input_w")
ENTRY_KEY = (*NET_KEY, "weights", "dataset", "metric")

MODELS = Sheet(
    "models",
    (
        _text("id", "architecture, the name measurements use", filled=True),
        _text("weights", "tag of the trained weights; may be empty", required=True),
        _text("family", "family for selection patterns and estimates"),
        _text("stem", "architecture line, narrower than the family"),
        _text("task", "what the network does", required=True),
        _text("dataset", "data set its accuracies are of", required=True),
        _text("metric", "metric its accuracies are in", required=True),
        _number("input_h", "height of the input [pixel]; 0 or empty: not stated"),
        _number("input_w", "width of the input [pixel]; 0 or empty: not stated"),
        _number("input_c", "channels of the input", kept=False),
        _number("params_m", "parameters [10^6]"),
        _number("gmacs", "multiply-accumulates of one run [10^9], binary ones included"),
        _number("binary_gmacs", "binary multiply-accumulates among them [10^9]"),
        _number("activations_m", "elements of all layer outputs [10^6]"),
        _text("macs_source", "where the MACs were read"),
        _text("operators", "classes of operators the network needs; empty: not known"),
        _text("license", "licence of the weights"),
        _text("weights_url", "where to get the weights"),
        _text("source", "where the row was read"),
    ),
    ENTRY_KEY,
)
ACCURACIES = Sheet(
    "accuracies",
    (
        _text("id", "architecture, as in models.csv", filled=True),
        _number("input_h", "height of the input [pixel]; 0 or empty: not stated"),
        _number("input_w", "width of the input [pixel]; 0 or empty: not stated"),
        _text("weights", "tag of the trained weights, as in models.csv", required=True),
        _text("dataset", "data set", filled=True),
        _text("metric", "metric", filled=True),
        _text("precision", "precision of the weights when the accuracy was taken", filled=True),
        _text("toolchain", "what quantized and ran the network; empty: the float model", required=True),
        _text("chip", "chip it ran on, as in the chip files; empty: not one chip"),
        _number("accuracy", "the figure, percent metrics on 0–100", filled=True),
        _number("low", "lowest of several published figures; empty: the figure"),
        _number("high", "highest of several published figures; empty: the figure"),
        _text("subset", "True where only part of the data set was run"),
        _text("accuracy_source", "where it was read", filled=True),
    ),
    (*ENTRY_KEY, "precision", "toolchain"),
)
MEASUREMENTS = Sheet(
    "measurements",
    (
        _text("chip", "id of the chip", filled=True),
        _text("device", "the source's own word for the device"),
        _text("board", "board it was on", kept=False),
        _text("mode", "power mode; empty: the chip's reference mode"),
        _text("unit", "kind of unit that ran the network", filled=True),
        _number("cores", "cores of the unit in use; 0 or empty: not stated, or all"),
        _number("streams", "networks running at the same time; empty: 1"),
        _text("runtime", "what executed it; rows of one word are comparable", filled=True),
        _text("model", "architecture, as in models.csv", filled=True),
        _number("input_h", "height of the input [pixel]; empty: not stated"),
        _number("input_w", "width of the input [pixel]; empty: not stated"),
        _text("precision", "precision; `unknown` rows are never selected", filled=True),
        _number("batch", "items of one run; 0: chosen by the submitter and not printed", filled=True),
        _text("quantity", "latency (one run, alone) or period (1000/rate of a loaded device)", filled=True),
        _number("time_ms_per_item", "time of one item [ms]; a batch of b takes b times it", filled=True),
        _text("statistic", "which statistic of the runs", filled=True),
        _text("boundary", "where the clock starts and stops", filled=True),
        _number("power_w", "mean power while it ran [W]"),
        _text("power_boundary", "what the power meter saw: rail, module, board or system"),
        _number("energy_mj", "energy of one item [mJ]"),
        _number("memory_mb", "peak memory [10^6 byte]; of a microcontroller the RAM alone"),
        _text("vendor", "vendor of the chip"),
        _text("family", "coarse family of the network", kept=False),
        _text("task", "task of the network", kept=False),
        _number("params_m", "parameters [10^6], as in models.csv"),
        _number("gmacs", "MACs [10^9], as in models.csv"),
        _text("gmacs_source", "how the MACs were found", kept=False),
        _number("activations_m", "elements of all layer outputs [10^6]"),
        _number("binary_gmacs", "binary MACs among them [10^9]", kept=False),
        _text("software", "versions of the software", kept=False),
        _text("source_repo", "repository or page it was read from; your laboratory for your own", filled=True),
        _text("source_path", "file in it"),
        _text("source_commit", "commit"),
        _text("excluded", "why the row is kept and never used; empty: it is used"),
        _text("date", "when it was measured", kept=False),
        _text("notes", "anything else", kept=False),
    ),
    answers=("time_ms_per_item", "statistic", "boundary", "source_repo"),
)
TAILS = Sheet(
    "tails",
    (
        _text("class", "class of unit, named by chip files", filled=True),
        _number("p999_over_mean", "99.9th percentile of the run time over its mean", filled=True),
        _number("p99_over_mean", "99th percentile over the mean", filled=True),
        _number("stall_ms", "longest run less the mean [ms]; empty: not known"),
        _number("runs", "published runs behind the row", kept=False),
        _text("grade", "grade of the evidence, A to E", filled=True),
        _text("source", "where it was read", filled=True),
    ),
    ("class",),
)
TOOLCHAINS = Sheet(
    "toolchains",
    (
        _text("pattern", "pattern on the word of accuracies.csv, in lower case", filled=True),
        _text("group", "group of tool versions whose quantization is alike", filled=True),
    ),
    ("pattern",),
)
EXPLAINED = Sheet(
    "explained",
    (
        _text("rule", "name of the rule of `dse catalog check`", filled=True),
        _text("thing", "pattern on what the finding is about", filled=True),
        _text("reason", "why the figures stand as they are", filled=True),
    ),
)
FACTS = Sheet(
    "facts",
    (
        _text(
            "pattern",
            "pattern on the id of a network; of the lines that fit, the first that fills a cell decides it",
            filled=True,
        ),
        _text("source_pattern", "pattern on the source of its row; empty: any"),
        _text("weights_pattern", "pattern on the tag of its weights; empty: any"),
        _text("operators", "classes of operators that decide support"),
        _text("operators_source", "where they were read"),
        _text("license", "licence of the weights"),
        _text("license_source", "where it was read"),
        _text("weights_url", "where to get the weights"),
    ),
)
SHEETS = (MODELS, ACCURACIES, MEASUREMENTS, TAILS, TOOLCHAINS, EXPLAINED, FACTS)
