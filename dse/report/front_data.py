"""What to say about a front: one plain structure for JSON, CSV, pictures and the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dse.candidates.context import Context
from dse.candidates.limits import Rule, names_of
from dse.candidates.service import is_soft
from dse.candidates.table import Candidates
from dse.front.axes import Axis
from dse.front.points import Points
from dse.frontier import FrontAnswer
from dse.report.bottleneck import busiest_of, loads_of_runs
from dse.report.summary import SOFT_LABEL, cell, drops, label_of, looked_at, versions
from dse.report.table import COLUMNS, NUMBERS, rows_of, safe, write_csv
from dse.schema import QUANTITIES, UNKNOWN

JsonObject = dict[str, Any]
ADDED_FIGURES = ("slack_ms", "rate_headroom", "energy_mj")
ADDED = (
    "kind",
    "ties",
    "label",
    *ADDED_FIGURES,
    "tightest_limit",
    "tightest_margin",
    "bottleneck",
    "bottleneck_load",
)
"""Columns of a front behind those of the candidate table."""


def front_object(answer: FrontAnswer) -> JsonObject:
    """The front as one JSON object; None means unknown. All but ``search.wall_s`` and ``workers`` repeats exactly."""
    front, dropped = answer.front, _dropped(answer)
    lists = {"front": front.best, "near": answer.near, "unknown": front.apart}
    return {
        "problem": {"name": answer.context.problem.name, "file": answer.file},
        "task": answer.context.task.name,
        "axes": [
            {"name": axis.name, "sense": axis.sense, "unit": axis.unit, "meaning": _meaning(answer, axis)}
            for axis in answer.axes
        ],
        "guarantee": answer.context.task.guarantee,
        "headline": headline(answer, dropped),
        "reason": reason(answer),
        "limits": [{"name": rule.name, "text": text} for rule in answer.context.rules if (text := bound_words(rule))],
        "near_share": answer.share,
        "rows": [record for kind, points in lists.items() for record in _records(answer, points, kind)],
        "dropped": dropped,
        "proof": list(answer.proofs),
        "search": {
            "candidates": answer.candidates,
            "feasible": front.feasible,
            **{kind: int(points.ties.sum()) for kind, points in lists.items()},
            "wall_s": round(answer.wall_s, 3),
            "workers": answer.workers,
        },
        "versions": versions(answer.context),
    }


def headline(answer: FrontAnswer, dropped: Mapping[str, int]) -> str:
    """The first line: how much was looked at, what is on the front, and what lacks a figure."""
    front, context = answer.front, answer.context
    parts = [
        *looked_at(context, answer.candidates, dropped),
        f"{front.feasible:,} feasible" + (f" by a {SOFT_LABEL}" if is_soft(context.task) else ""),
        f"{len(front.best):,} on the front" + _tied(front.best),
    ]
    if answer.share:
        parts.append(f"{len(answer.near):,} within {100 * answer.share:g} % of it")
    lacking = [
        f"{count:,} without {axis.name}"
        for axis, count in zip(answer.axes, front.lacking.tolist(), strict=True)
        if count
    ]
    if lacking:
        parts.append(f"{' and '.join(lacking)}, the best {len(front.apart):,} of them apart")
    return "; ".join(parts)


def _tied(points: Points) -> str:
    designs = int(points.ties.sum())
    return f" ({designs:,} with their equals)" if designs > len(points) else ""


def _dropped(answer: FrontAnswer) -> dict[str, int]:
    """Chips without a design for want of data, by reason."""
    rules = answer.context.rules
    unknown = Counter(
        name for _, name in {(chip, name) for chip, bits in answer.front.dropped for name in names_of(bits, rules)}
    )
    return drops(answer.context, unknown)


def _meaning(answer: FrontAnswer, axis: Axis) -> str:
    """What an axis means; times of a p99 are no bounds."""
    if axis.name in ("worst_case_ms", "slack_ms") and is_soft(answer.context.task):
        return f"{axis.meaning.replace('bound on', 'value for')}: a {SOFT_LABEL}"
    return axis.meaning


def reason(answer: FrontAnswer) -> str | None:
    """Why a front is empty; None when it is not."""
    if len(answer.front.best):
        return None
    if answer.front.feasible:
        names = [axis.name for axis, count in zip(answer.axes, answer.front.lacking.tolist(), strict=True) if count]
        return f"every feasible design lacks {' or '.join(names)}"
    if not answer.candidates:
        return "there is no candidate: `dse check` says what the search admits"
    broken = sorted(answer.broken.items(), key=lambda item: -item[1])[:3]
    said = ", ".join(f"{name} by {count:,}" for name, count in broken)
    return f"no candidate meets every requirement; broken most: {said}; `dse solve` shows the nearest misses"


def _records(answer: FrontAnswer, points: Points, kind: str) -> Iterator[JsonObject]:
    """One object per row: the axes first, then the columns of the candidate table, then what a front adds."""
    context, candidates = answer.context, points.candidates
    limiting = _bottlenecks(context, candidates)
    for row, cells in enumerate(rows_of(context, candidates)):
        values: dict[str, Any] = {
            name: _number(text) if name in NUMBERS else text or None for name, text in zip(COLUMNS, cells, strict=True)
        }
        values["feasible"] = values["feasible"] == "true"
        axes = {axis.name: axis.shown(cost) for axis, cost in zip(answer.axes, points.costs[row].tolist(), strict=True)}
        margins = margins_of(context, candidates, row)
        known = {name: share for name, share in margins.items() if share is not None}
        tightest = min(known, key=lambda name: known[name], default=None)
        words, load = limiting[row]
        yield (
            axes
            | {name: value for name, value in values.items() if name not in axes}
            | {"kind": kind, "ties": int(points.ties[row]), "label": label_of(context, candidates, row)}
            | {name: cell(candidates, name, row) for name in ADDED_FIGURES if name not in axes}
            | {
                "tightest_limit": tightest,
                "tightest_margin": None if tightest is None else known[tightest],
                "bottleneck": words,
                "bottleneck_load": load,
                "margins": margins,
            }
        )


def _number(text: str) -> float | int | None:
    if not text:
        return None
    value = float(text)
    return int(value) if value.is_integer() and "." not in text else value


def _bottlenecks(context: Context, candidates: Candidates) -> list[tuple[str, float]]:
    """Of every row the stage that is full first, with its resource, and its load as a share of one."""
    found: list[tuple[str, float]] = [("", 0.0)] * len(candidates)
    for option in np.unique(candidates.option).tolist():
        rows = np.flatnonzero(candidates.option == option)
        for row, loads in zip(rows.tolist(), loads_of_runs(context, candidates.run[rows], option), strict=True):
            busiest = busiest_of(loads)
            found[row] = f"{busiest['stage']} on {busiest['resource']}", busiest["utilization"]
    return found


def margins_of(context: Context, candidates: Candidates, row: int) -> dict[str, float | None]:
    """What each limit on a figure leaves, as a share of its bound, of two bounds the tighter; None where unknown.

    A bound of zero leaves no share to speak of and is left out.
    """
    found: dict[str, float | None] = {}
    for rule in context.rules:
        bounds = [(bound, sign) for bound, sign in ((rule.minimum, 1), (rule.maximum, -1)) if bound]
        if rule.column not in QUANTITIES or not bounds:
            continue
        value = int(getattr(candidates, rule.column)[row])
        shares = [sign * (value - bound) / abs(bound) for bound, sign in bounds]
        found[rule.name] = None if value == UNKNOWN else min(shares)
    return found


def bound_words(rule: Rule) -> str | None:
    """``≤ 60 ms`` of a rule that bounds a figure."""
    if rule.column not in QUANTITIES:
        return None
    quantity = QUANTITIES[rule.column]
    signs = [("≥", rule.minimum), ("≤", rule.maximum)]
    said = [f"{sign} {bound / quantity.scale:g}" for sign, bound in signs if bound is not None]
    return f"{' and '.join(said)} {quantity.unit}"


def columns_of(answer: JsonObject) -> list[str]:
    """Columns of the CSV file: the axes, the candidate table, what a front adds; each name once."""
    axes = [axis["name"] for axis in answer["axes"]]
    return [*axes, *(name for name in (*COLUMNS, *ADDED) if name not in axes)]


def csv_rows(answer: JsonObject, *kinds: str) -> Iterator[list[str]]:
    """Rows of the CSV file; unknown figures are empty, and no cell is a formula to a spreadsheet."""
    names = columns_of(answer)
    for record in answer["rows"]:
        if record["kind"] in kinds:
            yield [cell_text(record[name]) for name in names]


def write_front(answer: JsonObject, target: Path, *, excel: bool = False) -> list[Path]:
    """Write the front and what is near it as CSV, what lacks a figure to ``NAME.unknown.csv`` beside it.

    Returns the files written. A pipe or a device takes all rows, those that lack a figure last.
    """
    names = columns_of(answer)
    if target.exists() and not target.is_file():
        write_csv(target, names, csv_rows(answer, "front", "near", "unknown"), bom=excel)
        return [target]
    write_csv(target, names, csv_rows(answer, "front", "near"), bom=excel)
    apart = beside(target)
    if not answer["search"]["unknown"] and not apart.exists():
        return [target]
    write_csv(apart, names, csv_rows(answer, "unknown"), bom=excel)  # never one that an earlier front left
    return [target, apart]


def is_of_a_front(file: Path) -> bool:
    """Whether a file holds the table of a front, and may be replaced by another."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        header = stream.readline().decode("utf-8-sig", "replace").strip().split(",")
    return {"kind", "ties", *COLUMNS} <= set(header)


def beside(target: Path) -> Path:
    """The second file of a front: designs that lack a figure of an axis."""
    return target.with_name(f"{target.stem}.unknown{target.suffix}")


def cell_text(value: object) -> str:
    """A plain value as a cell: unknown is empty, numbers are never in powers of ten, text is no formula."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return np.format_float_positional(value, trim="-") if isinstance(value, float) else str(value)
    return "" if value is None else safe(str(value))
