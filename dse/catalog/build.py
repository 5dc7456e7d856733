"""Sound rows of all folders to the parallel columns of a `Catalog`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from dse.catalog.columns import ENTRY_KEY, NET_KEY, SHEETS
from dse.catalog.csvfile import CsvTable
from dse.catalog.license_facts import license_facts
from dse.catalog.places import place_of
from dse.catalog.trials import trials
from dse.catalog.types import Accuracies, Board, Catalog, Chip, Entries, FloatArray, Measurements, Nets, Tail, TextArray

Index = dict[tuple[Hashable, ...], int]
_PLACED = ("params_m", "gmacs", "activations_m")
_NET_FACTS = ["family", "stem", "params_m", "gmacs", "binary_gmacs", "activations_m"]


def frame(kind: str, tables: Sequence[CsvTable]) -> pd.DataFrame:
    """All files of one kind as one table; a later folder's row takes the place of those with its key.

    Rows of one folder that share a key are several figures of one thing and stay.
    """
    sheet = next(sheet for sheet in SHEETS if sheet.name == kind)
    kept = [column for column in sheet.columns if column.kept]
    parts = [
        pd.DataFrame(
            {
                **table.texts,
                **table.numbers,
                "depth": table.file.depth,
                "place": [place_of(table.file.number, line) for line in table.lines],
            },
            index=range(len(table)),
        )
        for table in tables
    ]
    if not parts:
        return pd.DataFrame(
            {c.name: np.zeros(0, float if c.number else object) for c in kept}
            | {"depth": [], "place": np.zeros(0, np.int64)}
        )
    rows = pd.concat(parts, ignore_index=True)
    for side in ("input_h", "input_w"):
        if side in sheet.key:
            rows[side] = rows[side].fillna(0).astype(np.int64)
    if sheet.key and len({table.file.depth for table in tables}) > 1:
        newest = rows.groupby(list(sheet.key)).depth.transform("max")
        rows = rows[rows.depth == newest].reset_index(drop=True)
    return rows


def catalog(chips: dict[str, Chip], boards: dict[str, Board], tables: dict[str, pd.DataFrame]) -> Catalog:
    """The catalogue of chips, boards and of the tables of every kind."""
    models, speeds = tables["models"], tables["measurements"]
    nets, net_of = _nets(models)
    entries, entry_of = _entries(models, net_of, tables["facts"])
    # The first pattern that fits decides: a user's come before those of dse.
    toolchains = tables["toolchains"].sort_values("depth", ascending=False, kind="stable")
    return Catalog(
        chips=chips,
        boards=boards,
        nets=nets,
        entries=entries,
        accuracies=_accuracies(tables["accuracies"], entry_of),
        measurements=_measurements(speeds, chips, nets, net_of),
        trials=trials(speeds, chips),
        tails={row["class"]: _tail(row) for row in tables["tails"].to_dict("records")},
        toolchains=tuple(zip(toolchains.pattern, toolchains.group, strict=True)),
        counts={"measured_rows": len(speeds), "model_entries": len(models), "chips": len(chips)},
    )


def _tail(row: dict[Hashable, Any]) -> Tail:
    stall = None if np.isnan(row["stall_ms"]) else float(row["stall_ms"])
    return Tail(
        float(row["p999_over_mean"]), float(row["p99_over_mean"]), stall, row["grade"], row["source"], row["place"]
    )


def _keys(table: pd.DataFrame, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Hashable keys; a missing input size is 0."""
    parts = [table[c].fillna(0).astype(int) if c.startswith("input_") else table[c] for c in columns]
    return list(zip(*parts, strict=True))


def _nets(models: pd.DataFrame) -> tuple[Nets, Index]:
    """One net per architecture and input size; a figure missing in one row may stand in another.

    Where several rows of a net have a figure, that of the latest folder counts.
    """
    newest_first = models.sort_values("depth", ascending=False, kind="stable")
    known = newest_first.assign(**{c: newest_first[c].replace("", None) for c in ("family", "stem")})
    flat = known.groupby(list(NET_KEY), sort=True)[_NET_FACTS].first().reset_index()
    standing = {f"{c}_place": known.place.where(known[c].notna()) for c in _PLACED}
    placed = known.assign(**standing).groupby(list(NET_KEY), sort=True)[[*standing]].first().fillna(0)
    flat["family"] = flat.family.fillna("other")
    flat["stem"] = flat.stem.fillna(flat.id)
    nets = Nets(
        id=_texts(flat, "id"),
        family=_texts(flat, "family"),
        stem=_texts(flat, "stem"),
        input_h=flat.input_h.to_numpy(np.int64),
        input_w=flat.input_w.to_numpy(np.int64),
        params_m=_numbers(flat, "params_m"),
        gmacs=_numbers(flat, "gmacs"),
        binary_gmacs=_numbers(flat, "binary_gmacs"),
        activations_m=_numbers(flat, "activations_m"),
        params_place=placed.params_m_place.to_numpy(np.int64),
        gmacs_place=placed.gmacs_place.to_numpy(np.int64),
        activations_place=placed.activations_m_place.to_numpy(np.int64),
    )
    return nets, {key: row for row, key in enumerate(_keys(flat, NET_KEY))}


def _entries(models: pd.DataFrame, net_of: Index, facts: pd.DataFrame) -> tuple[Entries, Index]:
    """One entry per net, weights tag, data set and metric."""
    net = np.array([net_of[key] for key in _keys(models, NET_KEY)], dtype=np.int64)
    words = (field.name for field in fields(Entries) if field.name in models)
    columns = {name: models[name].to_numpy() for name in words}
    source, place = license_facts(models, facts)
    entries = Entries(net=net, license_source=source, license_place=place, **columns)
    return entries, {key: row for row, key in enumerate(_keys(models, ENTRY_KEY))}


def _accuracies(figures: pd.DataFrame, entry_of: Index) -> Accuracies:
    accuracy = _numbers(figures, "accuracy")
    low, high = _numbers(figures, "low"), _numbers(figures, "high")
    return Accuracies(
        entry=np.array([entry_of[key] for key in _keys(figures, ENTRY_KEY)], dtype=np.int64),
        precision=_texts(figures, "precision"),
        toolchain=_texts(figures, "toolchain"),
        chip=_texts(figures, "chip"),
        accuracy=accuracy,
        low=np.where(np.isnan(low), accuracy, low),
        high=np.where(np.isnan(high), accuracy, high),
        subset=np.array([word.casefold() == "true" for word in figures.subset], dtype=bool),
        source=_texts(figures, "accuracy_source"),
        place=figures.place.to_numpy(np.int64),
    )


def _measurements(speeds: pd.DataFrame, chips: dict[str, Chip], nets: Nets, net_of: Index) -> Measurements:
    """Rows a product can use: a chip one can buy, one stream, a stated batch and precision, a known network.

    A row that does not state its input size is taken at the network's only size, or where it has several at the
    largest: the slower reading, and marked.
    """
    largest = {}
    for net in np.argsort(nets.input_h * nets.input_w, kind="stable"):
        largest[nets.id[net]] = int(net)
    keys = _keys(speeds, ("model", "input_h", "input_w"))
    stated = np.array([key[1] > 0 for key in keys], dtype=bool)
    found = np.array([net_of.get(key, -1) if key[1] else largest.get(key[0], -1) for key in keys], dtype=np.int64)
    usable = (found >= 0) & speeds.chip.isin(set(chips)).to_numpy(bool) & (speeds.batch >= 1).to_numpy(bool)
    usable &= (speeds.streams.fillna(1) <= 1).to_numpy(bool) & (speeds.precision != "unknown").to_numpy(bool)
    usable &= (speeds.excluded == "").to_numpy(bool)
    kept = speeds[usable]
    reference = {chip.id: chip.reference_mode.id if chip.reference_mode else "" for chip in chips.values()}
    mode = [mode or reference[chip] for chip, mode in zip(kept.chip, kept["mode"], strict=True)]
    batch = kept.batch.to_numpy(np.int64)
    parts = zip(kept.source_repo, kept.source_commit, kept.source_path, strict=True)
    source = [" ".join(filter(None, (repo, commit[:10], path))) for repo, commit, path in parts]
    return Measurements(
        chip=_texts(kept, "chip"),
        mode=np.array(mode, dtype=object),
        unit=_texts(kept, "unit"),
        cores=kept.cores.fillna(0).to_numpy(np.int64),
        runtime=_texts(kept, "runtime"),
        net=found[usable],
        input_stated=stated[usable],
        precision=_texts(kept, "precision"),
        batch=batch,
        quantity=_texts(kept, "quantity"),
        time_ms=_numbers(kept, "time_ms_per_item") * batch,
        statistic=_texts(kept, "statistic"),
        boundary=_texts(kept, "boundary"),
        power_w=_numbers(kept, "power_w"),
        power_boundary=_texts(kept, "power_boundary"),
        energy_mj=_numbers(kept, "energy_mj"),
        memory_mb=_numbers(kept, "memory_mb"),
        source=np.array(source, dtype=object),
        place=kept.place.to_numpy(np.int64),
    )


def _texts(table: pd.DataFrame, column: str) -> TextArray:
    result: TextArray = table[column].to_numpy(dtype=object)
    return result


def _numbers(table: pd.DataFrame, column: str) -> FloatArray:
    result: FloatArray = table[column].to_numpy(dtype=np.float64)
    return result
