"""Rules on networks: scale of accuracies, one network under two names, work that differs between its rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dse.audit.finding import Evidence, Finding, Rule, row_findings
from dse.catalog.metrics import PERCENT, UNIT

FLOAT_PRECISIONS = ("fp32", "fp16", "bf16", "float")
GAIN_POINTS = 3.0  # quantization that improves a network by more is a mixed-up row
WORK_FACTOR = 1.5  # MACs of one network at one size; 2 is a FLOP count in the place of MACs


def accuracy_scale(evidence: Evidence) -> Iterator[Finding]:
    """A metric on 0-1 given in percent; the other way round no file is accepted at all."""
    rows = evidence.accuracies
    odd = rows.metric.isin(UNIT) & (rows.accuracy > 1)
    messages = [
        f"{value:g} is no {metric}, which runs 0-1"
        for value, metric in zip(rows.accuracy[odd], rows.metric[odd], strict=True)
    ]
    yield from row_findings(rows[odd], accuracy_scale, messages)


def quantized_above_float(evidence: Evidence) -> Iterator[Finding]:
    """An integer network clearly better than its float original, of the same weights and tool chain."""
    rows = evidence.accuracies
    rows = rows[rows.metric.isin(PERCENT)]
    is_float = rows.precision.isin(FLOAT_PRECISIONS)
    key = [rows[name] for name in ("id", "input_h", "input_w", "weights", "dataset", "metric")]
    best = rows.accuracy.where(is_float).groupby(key, dropna=False).transform("max")
    odd = ~is_float & (rows.accuracy > best + GAIN_POINTS)
    messages = [
        f"{got:.4g}, the float network has {top:.4g}" for got, top in zip(rows.accuracy[odd], best[odd], strict=True)
    ]
    yield from row_findings(rows[odd], quantized_above_float, messages)


def work_differs(evidence: Evidence) -> Iterator[Finding]:
    """Rows of one network and input size that disagree on MACs or parameters."""
    rows = evidence.models
    for column in ("gmacs", "params_m"):
        groups = rows.groupby(["id", "input_h", "input_w"], dropna=False)[column]
        least, most = groups.transform("min"), groups.transform("max")
        odd = (most > WORK_FACTOR * least) & (rows[column] == most)
        messages = [f"{column} from {low:.4g} to {high:.4g}" for low, high in zip(least[odd], most[odd], strict=True)]
        yield from row_findings(rows[odd], work_differs, messages)


def one_network_under_two_names(evidence: Evidence) -> Iterator[Finding]:
    """Names that differ in case, dashes and underscores alone."""
    names: dict[str, str] = {}
    rows = evidence.models.drop_duplicates("id")
    plain = rows.id.str.casefold().str.replace(r"[-_ ]", "", regex=True)
    first = [names.setdefault(word, name) for word, name in zip(plain, rows.id, strict=True)]
    odd = np.array(first, dtype=object) != rows.id.to_numpy()
    messages = [f"the same as `{name}`" for name, is_odd in zip(first, odd, strict=True) if is_odd]
    yield from row_findings(rows[odd], one_network_under_two_names, messages)


def model_without_source(evidence: Evidence) -> Iterator[Finding]:
    """A network nobody says where it is from, neither its own row nor a measurement or an accuracy of it."""
    rows = evidence.models
    odd = (rows.source == "") & ~rows.id.isin(evidence.speeds.model) & ~rows.id.isin(evidence.accuracies.id)
    yield from row_findings(rows[odd], model_without_source, ["the row has no source"] * int(odd.sum()))


RULES: tuple[Rule, ...] = (
    accuracy_scale,
    quantized_above_float,
    work_differs,
    one_network_under_two_names,
    model_without_source,
)
