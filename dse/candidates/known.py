"""The user's own measurements (`known:`) joined to the catalogue: new networks, new figures, runs of grade A."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from dse.candidates.data_sets import main_data_set
from dse.candidates.lanes import LaneRow
from dse.candidates.run_table import (
    KNOWN,
    PERIOD_DEPTH_HIGH,
    PERIOD_DEPTH_TYPICAL,
    WHOLE_COLUMNS,
    OwnRuns,
    Runs,
)
from dse.catalog.places import place_of
from dse.catalog.types import Accuracies, Catalog, Chip, Entries, Nets
from dse.estimate.evidence import GRADES, LEVELS, REPEATS
from dse.estimate.statistics import to_mean
from dse.estimate.store import Knowledge
from dse.patterns import normalise
from dse.problem.settings import Known
from dse.problem.spec import Problem, Task
from dse.words import UnitKind

# Order in which the unit of a measurement is guessed when the user does not name it.
UNIT_ORDER: tuple[UnitKind, ...] = ("npu", "gpu", "dla", "dsp", "fpga", "cpu", "mcu")
BORROWED = "accuracy of the network it is like; its own was not stated"
OWN_MEASUREMENT = "own measurement"
"""Source of a figure of `known:` that names none."""
Table = TypeVar("Table", Nets, Entries, Accuracies)


@dataclass(frozen=True)
class Extended:
    """The catalogue with the user's networks in it, and the runs the user measured."""

    knowledge: Knowledge
    own: OwnRuns | None


def with_known(problem: Problem, task: Task, knowledge: Knowledge) -> Extended:
    """Join every `known` entry; the problem's names were checked before.

    A stated accuracy is one on the data set and metric the task is judged on, and says nothing of others.
    """
    rows = []
    judged_on = main_data_set(task, knowledge.catalog)
    first = len(knowledge.catalog.files)
    knowledge = _with_files(problem, knowledge)
    for number, known in enumerate(problem.known):
        knowledge, nets = _with_network(known, knowledge)
        if known.accuracy is not None and known.task in (None, task.name, task.task):
            place = place_of(first + number, problem.place(("known", number))[0])
            catalog = _with_accuracy(knowledge.catalog, known, place, nets, judged_on)
            knowledge = replace(knowledge, catalog=catalog)
        chip = _chip(known, knowledge.catalog)
        if chip is not None:
            rows += [_run(known, number, chip, net) for net in nets]
    return Extended(knowledge, _as_runs(rows) if rows else None)


def _with_files(problem: Problem, knowledge: Knowledge) -> Knowledge:
    """The catalogue with the problem file among its files, once per entry of ``known:``.

    An entry of a problem that was not read from a file has no line: there its number is part of the name.
    """
    name = Path(problem.file).name
    has_line = [problem.place(("known", number))[0] > 0 for number in range(len(problem.known))]
    names = (name if lined else f"{name} known[{number}]" for number, lined in enumerate(has_line))
    catalog = knowledge.catalog
    return replace(knowledge, catalog=replace(catalog, files=(*catalog.files, *names)))


def _with_network(known: Known, knowledge: Knowledge) -> tuple[Knowledge, list[int]]:
    """Nets the entry speaks of, added first where it is `like` another one."""
    catalog = knowledge.catalog
    nets = _nets_named(catalog.nets, known.model, known.input)
    if not len(nets) and known.like is not None:
        knowledge, nets = _copied(known, knowledge, _nets_named(catalog.nets, known.like, known.input))
    return knowledge, list(nets)


def _nets_named(nets: Nets, name: str, size: tuple[int, int] | None) -> list[int]:
    """Positions of a network, at one input size if that is stated."""
    same = np.array([normalise(net) == normalise(name) for net in nets.id], dtype=bool)
    if size is not None:
        same &= (nets.input_h == size[0]) & (nets.input_w == size[1])
    return np.flatnonzero(same).tolist()


def _copied(known: Known, knowledge: Knowledge, originals: list[int]) -> tuple[Knowledge, list[int]]:
    """The catalogue with copies of `originals` under the new name.

    Time is not copied; accuracy is, and is marked as borrowed.
    """
    catalog, speeds = knowledge.catalog, knowledge.speeds
    nets, entries, figures = catalog.nets, catalog.entries, catalog.accuracies
    first_net = len(nets.id)
    new_nets = _append(nets, np.array(originals), id=known.model)
    position = {net: first_net + k for k, net in enumerate(originals)}
    copied = np.flatnonzero(np.isin(entries.net, originals))
    new_entries = _append(entries, copied, source=BORROWED)
    new_entries.net[len(entries.net) :] = [position[net] for net in entries.net[copied].tolist()]
    entry_position = {entry: len(entries.net) + k for k, entry in enumerate(copied.tolist())}
    rows = np.flatnonzero(np.isin(figures.entry, copied))
    new_figures = _append(figures, rows)
    new_figures.entry[len(figures.entry) :] = [entry_position[entry] for entry in figures.entry[rows].tolist()]
    catalog = replace(catalog, nets=new_nets, entries=new_entries, accuracies=new_figures)
    pad = ((0, 0), (0, len(originals)))
    speeds = replace(
        speeds,
        typical_ms=np.pad(speeds.typical_ms, pad, constant_values=np.nan),
        spread=np.pad(speeds.spread, pad, constant_values=1),
        level=np.pad(speeds.level, pad, constant_values=LEVELS.index("D2-")),
    )
    return replace(knowledge, catalog=catalog, speeds=speeds), list(position.values())


def _append(table: Table, rows: np.ndarray, **override: str) -> Table:
    """The table with copies of `rows` at its end, some columns replaced."""
    columns = {}
    for field in fields(table):
        column = getattr(table, field.name)
        added = column[rows]
        if field.name in override:
            added = np.full(len(rows), override[field.name], dtype=object)
        columns[field.name] = np.concatenate([column, added])
    return type(table)(**columns)


def _with_accuracy(catalog: Catalog, known: Known, place: int, nets: list[int], judged_on: tuple[str, str]) -> Catalog:
    """A stated accuracy replaces every figure of these networks at the precision, on that data set and metric."""
    entries, figures = catalog.entries, catalog.accuracies
    dataset, metric = judged_on
    of_nets = np.flatnonzero(np.isin(entries.net, nets) & (entries.dataset == dataset) & (entries.metric == metric))
    kept = ~(np.isin(figures.entry, of_nets) & (figures.precision == known.precision))
    count = len(of_nets)
    new = {
        "entry": of_nets,
        "precision": [known.precision] * count,
        "toolchain": ["known"] * count,
        "chip": [known.chip or ""] * count,
        "accuracy": [known.accuracy] * count,
        "low": [known.accuracy] * count,
        "high": [known.accuracy] * count,
        "subset": [False] * count,
        "source": [known.source or OWN_MEASUREMENT] * count,
        "place": [place] * count,
    }
    columns = {
        name: np.concatenate([getattr(figures, name)[kept], np.array(values, dtype=getattr(figures, name).dtype)])
        for name, values in new.items()
    }
    source = entries.source.copy()
    source[of_nets] = known.source or OWN_MEASUREMENT
    return replace(catalog, accuracies=Accuracies(**columns), entries=replace(entries, source=source))


def _chip(known: Known, catalog: Catalog) -> Chip | None:
    wanted = normalise(known.chip or known.board or "")
    return next((chip for chip in catalog.chips.values() if normalise(chip.id) == wanted), None)


def _run(known: Known, number: int, chip: Chip, net: int) -> tuple[LaneRow, dict[str, float]]:
    """The lane and the figures of one own measurement."""
    kinds = {unit.kind for unit in chip.units}
    unit: str = known.unit or next((kind for kind in UNIT_ORDER if kind in kinds), "npu")
    stated = (mode.id for mode in chip.modes if normalise(mode.id) == normalise(known.mode or ""))
    lane = LaneRow(
        chip=chip.id,
        mode=next(stated, chip.reference_mode.id if chip.reference_mode else ""),
        unit=unit,
        cores=known.cores or 0,
        runtime=known.runtime or "known",
        precision=known.precision,
        boundary=known.boundary,
        statistic=known.statistic,
    )
    factor = float(to_mean(np.array([known.statistic], dtype=np.object_))[0])
    period = known.period_given_ms
    time_ms = factor * (known.latency_ms if known.latency_ms is not None else period or 0.0)
    return lane, {
        "net": net,
        "batch": known.batch,
        "typical_ms": time_ms * (PERIOD_DEPTH_TYPICAL if period else 1),
        "base_ms": time_ms * (PERIOD_DEPTH_HIGH if period else 1),
        "low_ms": time_ms,
        "spread": REPEATS,
        "period_ms": time_ms if period else np.nan,
        "grade": GRADES.index("E" if period else "A"),
        "known_elsewhere": 1,
        "power_w": np.nan if known.power_w is None else known.power_w,
        "energy_mj": np.nan,
        "memory_mb": np.nan,
        "measurements": 1,
        "origin": KNOWN,
        "base_origin": KNOWN,
        "row": number,
    }


def _as_runs(rows: list[tuple[LaneRow, dict[str, float]]]) -> OwnRuns:
    """Columns from rows; every run has a lane row of its own."""
    figures = [figure for _, figure in rows]
    kinds: dict[str, type] = dict.fromkeys(WHOLE_COLUMNS, np.int64)
    kinds["known_elsewhere"] = np.bool_
    columns: dict[str, Any] = {
        name: np.array([figure[name] for figure in figures]).astype(kinds.get(name, np.float64)) for name in figures[0]
    }
    return OwnRuns(Runs(lane=np.arange(len(rows)), **columns), tuple(lane for lane, _ in rows))
