"""Limits that are not plain bounds on a column: attributes of chip, network and result, dates, temperatures, lists."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from pydantic_core import PydanticCustomError

from dse.candidates.context import Context
from dse.candidates.names import CHIP, MODEL, Value
from dse.catalog.parts import Lifecycle
from dse.catalog.types import Chip, IntArray
from dse.estimate.evidence import GRADES
from dse.patterns import normalise
from dse.problem.fields import last_day
from dse.problem.limits import Limit
from dse.schema import QUANTITIES, UNKNOWN

ENTRY_QUANTITIES = ("accuracy", "accuracy_low")


def run_verdicts(context: Context, run: IntArray, columns: Mapping[str, IntArray]) -> dict[str, IntArray]:
    """Verdicts on limits of chips and runs that are not plain bounds on a column: 1 met, 0 broken, `UNKNOWN`.

    Chips are judged once per lane of a block, results once per distinct value.
    """
    lane = context.runs.lane[run]
    found = {}
    for limit in context.problem.limits.values():
        if limit.is_of_chip:
            verdicts = [chip_verdict(limit, chip) for chip in context.lanes.chips(context.catalog)]
            found[f"verdict:{limit.name}"] = np.array(verdicts, dtype=np.int64)[lane]
        elif _is_of_result(limit) and not _is_of_entry(limit):
            found[f"verdict:{limit.name}"] = _result_verdict(context, limit, run, columns)
    return found


def entry_verdicts(
    context: Context, run: IntArray, entry: IntArray, columns: Mapping[str, IntArray]
) -> dict[str, IntArray]:
    """The same for limits of networks, judged once per entry, and of accuracy."""
    found = {}
    for limit in context.problem.limits.values():
        if limit.name.startswith("model."):
            unique, back = np.unique(entry, return_inverse=True)
            read = MODEL[limit.name.removeprefix("model.")]
            verdicts = [value_verdict(limit, read(context.catalog, one)) for one in unique.tolist()]
            found[f"verdict:{limit.name}"] = np.array(verdicts, dtype=np.int64)[back]
        elif _is_of_result(limit) and _is_of_entry(limit):
            found[f"verdict:{limit.name}"] = _result_verdict(context, limit, run, columns)
    return found


def _is_of_result(limit: Limit) -> bool:
    """Whether a limit on a figure of the answer is more than a bound on a column."""
    named = limit.is_attribute or bool(limit.one_of or limit.none_of)
    return named and not limit.is_of_chip and not limit.name.startswith("model.")


def _is_of_entry(limit: Limit) -> bool:
    """Whether the figure depends on the weights, and not on the run alone."""
    return limit.name.removeprefix("result.") in ENTRY_QUANTITIES


def _result_verdict(context: Context, limit: Limit, run: IntArray, columns: Mapping[str, IntArray]) -> IntArray:
    """A limit on ``result.``, or a plain one with a list of values."""
    name = limit.name.removeprefix("result.")
    if name in QUANTITIES:
        numbers, back = np.unique(columns[name], return_inverse=True)
        exact_values = [QUANTITIES[name].value(number) for number in numbers.tolist()]
        values: list[Value] = [None if value is None else float(value) for value in exact_values]
    elif name in ("batch", "grade"):
        numbers, back = np.unique(getattr(context.runs, name)[run], return_inverse=True)
        values = [GRADES[number] if name == "grade" else float(number) for number in numbers.tolist()]
    else:
        back = context.runs.lane[run]
        values = getattr(context.lanes, name).tolist()
    return np.array([value_verdict(limit, value) for value in values], dtype=np.int64)[back]


def chip_verdict(limit: Limit, chip: Chip) -> int:
    """Whether a chip meets a limit it alone decides."""
    if limit.name == "ambient_c":
        if chip.temperature.min_c is None or chip.temperature.max_c is None:
            return UNKNOWN
        low = chip.temperature.min_c if limit.minimum is None else limit.minimum
        high = chip.temperature.max_c if limit.maximum is None else limit.maximum
        return int(chip.temperature.min_c <= low and high <= chip.temperature.max_c)
    if limit.name == "lifecycle_until":
        return _lifecycle_verdict(limit, chip.lifecycle)
    return value_verdict(limit, CHIP[limit.name.removeprefix("chip.")](chip))


def _lifecycle_verdict(limit: Limit, lifecycle: Lifecycle) -> int:
    """Whether a part can be bought long enough; what has ended cannot, whatever date was promised once."""
    if lifecycle.status == "discontinued":
        return 0
    end = lifecycle.last_buy or lifecycle.until
    return UNKNOWN if end is None else int(_last_day(end) >= (limit.until or ""))


def _last_day(date: str) -> str:
    """A catalogue date as the last day of its month or year."""
    try:
        return last_day(date)
    except PydanticCustomError:
        return date


def value_verdict(limit: Limit, value: Value) -> int:
    """1 when a value meets the limit, 0 when it breaks it, `UNKNOWN` when it is missing (None or NaN)."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return UNKNOWN
    if isinstance(value, frozenset):  # all of a network's operators must be listed, none of the others may be
        words = {normalise(word) for word in value}
        only = limit.one_of is None or words <= {normalise(str(word)) for word in limit.one_of}
        return int(only and not words & {normalise(str(word)) for word in limit.none_of or ()})
    if isinstance(value, str):
        text = normalise(value)
        bounded = limit.minimum is not None or limit.maximum is not None
        inside = limit.one_of is None or text in {normalise(str(word)) for word in limit.one_of}
        return int(inside and not bounded and text not in {normalise(str(word)) for word in limit.none_of or ()})
    fits = (limit.minimum is None or value >= limit.minimum) and (limit.maximum is None or value <= limit.maximum)
    return int(fits and (limit.one_of is None or value in limit.one_of) and value not in (limit.none_of or ()))
