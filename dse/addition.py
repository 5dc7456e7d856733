"""Measurements of one's own before they are kept: beside their estimates, with what they change."""

from __future__ import annotations

import csv
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dse.api import knowledge_of, load_problem, solve
from dse.catalog.columns import MEASUREMENTS
from dse.catalog.csvfile import is_filled, read_csv
from dse.catalog.paths import CatalogueFile
from dse.errors import CatalogError, Fault, InputError
from dse.estimate.change import Arrival, Shift, arrivals, shifts
from dse.report.table import write_csv

JsonObject = dict[str, Any]
LARGEST_MB = 20
"""A larger file of measurements is refused: its rows would fill the memory of a small computer."""
_TEMPLATE_COLUMNS = ("chip", "mode", "unit", "cores", "runtime", "model", "input_h", "input_w", "precision", "batch",
                     "quantity", "time_ms_per_item", "statistic", "boundary", "power_w", "power_boundary", "memory_mb",
                     "software", "source_repo", "date", "notes")  # fmt: skip
_EXAMPLE = ("rk3588", "", "npu", "1", "rknn-1core", "mobilenet_v2", "224", "224", "int8", "1", "latency", "2.1", "mean",
            "host", "", "", "", "RKNN-Toolkit2 2.3", "our laboratory", "2026-11-30", "an example")  # fmt: skip
_CHOICES = ("chip", "board", "mode", "unit", "runtime", "model", "weights", "input_h", "input_w", "precision", "batch")


def template() -> str:
    """A file with the columns people fill in, and one example row."""
    return f"{','.join(_TEMPLATE_COLUMNS)}\n{','.join(_EXAMPLE)}\n"


def assess(file: Path, roots: tuple[Path, ...], problems: tuple[Path, ...]) -> JsonObject:
    """What the measurements of a file say and change, over the catalogues below `roots`.

    Parameters
    ----------
    file : Path
        Measurements in the columns of ``measurements/*.csv``.
    roots : tuple of Path
        The user's catalogue folders.
    problems : tuple of Path
        Problem files that are solved without and with the file.

    Raises
    ------
    CatalogError
        The file cannot be used: every fault with its line.
    ProblemError
        A problem file cannot be used.
    """
    if not file.is_file():
        raise CatalogError([Fault(str(file), 0, 0, "", "no such file", "`--template` writes one to start from")])
    if file.suffix.lower() != ".csv":
        raise CatalogError([Fault(str(file), 0, 0, "", "is no CSV file", "save it with a name that ends in .csv")])
    if file.stat().st_size > LARGEST_MB * 1_000_000:
        message = f"has more than {LARGEST_MB} MB: all measurements that come with dse have 10"
        raise CatalogError([Fault(str(file), 0, 0, "", message, "split the file")])
    knowledge_of.cache_clear()  # in one session the file is edited and weighed again under the same name
    before, after = knowledge_of(roots), knowledge_of((*roots, file))
    new, moved = arrivals(before, after), shifts(before, after)
    if not new:
        raise CatalogError([Fault(str(file), 0, 0, "", "holds no measurement that can be used")])
    warnings = [
        f"{_said(one)} is in the catalogue already"
        for one in new
        if one.grade == "A" and one.measured_ms in (one.low_ms, one.high_ms)
    ]
    warnings += [
        f"{_said(one)} is {_times(one)} what was known, {one.estimated_ms:.4g} ms: check unit, batch and boundary"
        for one in new
        if one.surprising
    ]
    return {
        "measurements": [_arrival(one) for one in new],
        "estimates": [_shift(one) for one in moved],
        "winners": [_winner(path, roots, file) for path in problems],
        "warnings": warnings,
    }


def _said(one: Arrival) -> str:
    return f"{one.where} {one.model}@{one.input_h}x{one.input_w}: {one.measured_ms:.4g} ms"


def _times(one: Arrival) -> str:
    ratio = one.ratio or 1.0
    return f"{ratio:.1f} times" if ratio > 1 else f"1/{1 / ratio:.1f} of"


def _arrival(one: Arrival) -> JsonObject:
    return {**asdict(one), "ratio": one.ratio, "inside": one.inside}


def _shift(one: Shift) -> JsonObject:
    return {
        "where": one.where,
        "networks": one.networks,
        "new": one.new,
        "time_factor": one.time_factor,
        "interval_before": one.spread_before,
        "interval_after": one.spread_after,
    }


def _winner(path: Path, roots: tuple[Path, ...], file: Path) -> JsonObject:
    """The chosen design without and with the new measurements."""
    designs = []
    for extra in (roots, (*roots, file)):
        answer = solve(load_problem(path, extra), catalogs=extra).data
        designs.append(_design(answer))
    before, after = designs
    same = all(before[name] == after[name] for name in _CHOICES)
    return {"problem": str(path), "changed": not same, "before": before, "after": after}


def _design(answer: JsonObject) -> JsonObject:
    names = (*_CHOICES, "accuracy", "worst_case_ms", "grade")
    if not answer["assignments"]:
        return dict.fromkeys(names) | {"status": answer["status"]}
    device, task = answer["devices"][0], answer["assignments"][0]
    figures = {"worst_case_ms": task["latency"]["worst_case_ms"], "grade": task["latency"]["grade"]}
    return {name: {**task, **device, **figures}[name] for name in names} | {"status": answer["status"]}


def keep(file: Path, folder: Path) -> Path:
    """Add the rows of a file to ``measurements/`` of a user's folder, whole or not at all.

    A file of that name that is there keeps its rows; rows it already holds are not written twice.

    Raises
    ------
    InputError
        The folder cannot be written, or holds a file of other columns under this name.
    """
    target = folder / "measurements" / f"{file.stem}.csv"  # no other spelling of the ending is read
    faults: list[Fault] = []
    header, rows = _cells(file)
    if target.exists():
        if read_csv(CatalogueFile(target, f"measurements/{file.name}", 1), MEASUREMENTS, faults) is None:
            raise CatalogError(faults)
        old_header, old_rows = _cells(target)
        columns = [*old_header, *(name for name in header if name not in old_header)]
        known = {tuple(row.get(name, "") for name in columns) for row in old_rows}
        fresh = [row for row in rows if tuple(row.get(name, "") for name in columns) not in known]
        header, rows = columns, old_rows + fresh
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_csv(target, header, [[row.get(name, "") for name in header] for row in rows])
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError([Fault(str(target), 0, 0, "", f"cannot be written: {reason}")]) from error
    knowledge_of.cache_clear()
    return target


def _cells(file: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Header and rows as text; blank rows and forms nobody filled in are left out."""
    with file.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        header = [name.strip() for name in reader.fieldnames or []]
        rows = [dict(zip(header, ((cell or "").strip() for cell in row.values()), strict=False)) for row in reader]
    return header, [row for row in rows if any(row.values()) and is_filled(row, MEASUREMENTS)]
