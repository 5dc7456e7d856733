"""Catalogue files to typed rows; later folders override earlier ones, field by field."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dse.catalog import chips
from dse.catalog.paths import catalogue_files
from dse.catalog.types import Accuracies, Catalog, Entries, Measurements, Nets, Tail
from dse.errors import CatalogError, Fault

NET_KEY = ["id", "input_h", "input_w"]
ENTRY_KEY = [*NET_KEY, "weights", "dataset", "metric"]
MODEL_COLUMNS = {"id", "weights", "family", "stem", "task", "dataset", "metric", "input_h", "input_w", "params_m",
                 "gmacs", "binary_gmacs", "activations_m", "macs_source", "license", "source"}
ACCURACY_COLUMNS = {*ENTRY_KEY, "precision", "toolchain", "accuracy", "low", "high", "subset", "accuracy_source"}
MEASUREMENT_COLUMNS = {"chip", "mode", "unit", "cores", "streams", "runtime", "model", "input_h", "input_w", "precision",
                       "batch", "quantity", "time_ms_per_item", "statistic", "boundary", "power_w", "power_boundary",
                       "energy_mj", "memory_mb", "source_repo", "source_path", "source_commit"}
NUMBERS = {"input_h", "input_w", "params_m", "gmacs", "binary_gmacs", "activations_m", "accuracy", "low", "high", "cores",
           "streams", "batch", "time_ms_per_item", "power_w", "energy_mj", "memory_mb", "p999_over_mean",
           "p99_over_mean", "stall_ms"}


def read_catalog(roots: tuple[Path, ...]) -> Catalog:
    """Read every catalogue below `roots`.

    Raises
    ------
    CatalogError
        Files that cannot be read, columns that are missing, text where a number belongs: all of them at once.
    """
    files = catalogue_files(roots)
    faults: list[Fault] = []
    of_chips = chips.read_chips([file for file in files if file.suffix == ".yaml"], faults)
    models = _concat(files, "models.csv", MODEL_COLUMNS, faults)
    figures = _concat(files, "accuracies.csv", ACCURACY_COLUMNS, faults)
    speeds = _concat([file for file in files if file.parent.name == "measurements"], "*.csv", MEASUREMENT_COLUMNS, faults)
    tails = _concat(files, "tails.csv", {"class", "p999_over_mean", "p99_over_mean", "stall_ms", "grade", "source"}, faults)
    toolchains = _concat(files, "toolchains.csv", {"pattern", "group"}, faults)
    if faults:
        raise CatalogError(faults)
    models = models.drop_duplicates(ENTRY_KEY, keep="last").reset_index(drop=True)
    nets, net_of = _nets(models)
    entries, entry_of = _entries(models, net_of)
    return Catalog(
        chips=of_chips, nets=nets, entries=entries, accuracies=_accuracies(figures, entry_of),
        measurements=_measurements(speeds, of_chips, nets, net_of),
        tails={row["class"]: Tail(row["p999_over_mean"], row["p99_over_mean"],
                                  None if np.isnan(row["stall_ms"]) else row["stall_ms"], row["grade"], row["source"])
               for row in tails.to_dict("records")},
        toolchains=tuple((row["pattern"], row["group"]) for row in toolchains.to_dict("records")),
        counts={"measured_rows": len(speeds), "model_entries": len(models), "chips": len(of_chips)},
    )


def toolchain_group(word: str, toolchains: tuple[tuple[str, str], ...]) -> str:
    """The group of tool versions whose quantization is alike; a word no pattern knows is its own group."""
    lowered = word.lower()
    return next((group for pattern, group in toolchains if fnmatch.fnmatchcase(lowered, pattern)), lowered)


def _concat(files: list[Path], pattern: str, columns: set[str], faults: list[Fault]) -> pd.DataFrame:
    """All files of one name as one table of text and numbers."""
    tables = [_read_csv(file, columns, faults) for file in files if fnmatch.fnmatchcase(file.name, pattern)]
    tables = [table for table in tables if table is not None]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=sorted(columns))


def _read_csv(file: Path, columns: set[str], faults: list[Fault]) -> pd.DataFrame | None:
    """One file; a column the file lacks is empty, an unknown number is a fault with its line."""
    try:
        table = pd.read_csv(file, dtype=str, keep_default_na=False, encoding="utf-8")
    except (OSError, ValueError, pd.errors.ParserError) as error:
        faults.append(Fault(str(file), 0, 0, "", f"cannot be read as CSV: {error}"))
        return None
    kept = {}
    for column in sorted(columns):
        text = table[column] if column in table else pd.Series("", index=table.index, dtype=object)
        if column in NUMBERS:
            numbers = pd.to_numeric(text.replace("", np.nan), errors="coerce").astype(float)
            bad = text[(text != "") & ~np.isfinite(numbers)]
            faults += [Fault(str(file), int(row) + 2, 0, column, f"{value!r} is not a finite number")
                       for row, value in bad.items()]
            kept[column] = numbers
        else:
            kept[column] = text.astype(object)
    return pd.DataFrame(kept)


def _keys(table: pd.DataFrame, columns: list[str]) -> list[tuple[Any, ...]]:
    """Hashable keys; a missing input size is 0."""
    parts = [table[c].fillna(0).astype(int) if c.startswith("input_") else table[c] for c in columns]
    return list(zip(*parts, strict=True))


def _nets(models: pd.DataFrame) -> tuple[Nets, dict[tuple[Any, ...], int]]:
    """One net per architecture and input size; a figure missing in one row may stand in another."""
    sized = models.assign(input_h=models.input_h.fillna(0).astype(int), input_w=models.input_w.fillna(0).astype(int))
    grouped = sized.groupby(NET_KEY, sort=True)[["family", "stem", "params_m", "gmacs", "binary_gmacs", "activations_m"]].first()
    index = {key: position for position, key in enumerate(grouped.index)}
    flat = grouped.reset_index()
    numbers = {c: flat[c].to_numpy(float) for c in ("params_m", "gmacs", "binary_gmacs", "activations_m")}
    texts = {c: flat[c].to_numpy(object) for c in ("id", "family", "stem")}
    sizes = {c: flat[c].to_numpy(np.int64) for c in ("input_h", "input_w")}
    return Nets(**texts, **sizes, **numbers), index


def _entries(models: pd.DataFrame, net_of: dict[tuple[Any, ...], int]) -> tuple[Entries, dict[tuple[Any, ...], int]]:
    """One entry per net, weights tag, data set and metric."""
    net = np.array([net_of[key] for key in _keys(models, NET_KEY)], dtype=np.int64)
    texts = {c: models[c].to_numpy(object) for c in ("weights", "task", "dataset", "metric", "license", "source")}
    return Entries(net=net, **texts), {key: row for row, key in enumerate(_keys(models, ENTRY_KEY))}


def _accuracies(figures: pd.DataFrame, entry_of: dict[tuple[Any, ...], int]) -> Accuracies:
    """Accuracies of known entries."""
    entry = np.array([entry_of.get(key, -1) for key in _keys(figures, ENTRY_KEY)], dtype=np.int64)
    kept = figures[entry >= 0]
    accuracy = kept.accuracy.to_numpy(float)
    return Accuracies(
        entry=entry[entry >= 0], precision=kept.precision.to_numpy(object), toolchain=kept.toolchain.to_numpy(object),
        accuracy=accuracy, low=kept.low.fillna(kept.accuracy).to_numpy(float),
        high=kept.high.fillna(kept.accuracy).to_numpy(float), subset=(kept.subset == "True").to_numpy(bool),
        source=kept.accuracy_source.to_numpy(object))


def _measurements(speeds: pd.DataFrame, of_chips: dict[str, chips.Chip], nets: Nets, net_of: dict[tuple[Any, ...], int]) -> Measurements:
    """Rows a product can use: a chip one can buy, one stream, a stated batch and precision, a known network.

    A row that does not state its input size is taken at the network's only size, or where it has several at the
    largest: the slower reading, and marked.
    """
    only = {}
    for net in np.argsort(nets.input_h * nets.input_w, kind="stable"):
        only[nets.id[net]] = int(net)
    keys = [(str(i), h, w) for i, h, w in _keys(speeds, ["model", "input_h", "input_w"])]
    stated = np.array([h > 0 for _, h, _ in keys], dtype=bool)
    net = np.array([net_of.get(key, -1) if key[1] else only.get(key[0], -1) for key in keys], dtype=np.int64)
    usable = (net >= 0) & speeds.chip.isin(set(of_chips)).to_numpy() & (speeds.batch >= 1).to_numpy()
    usable &= (speeds.streams.fillna(1) == 1).to_numpy() & (speeds.precision != "unknown").to_numpy()
    usable &= (speeds.time_ms_per_item > 0).to_numpy()
    kept = speeds[usable]
    reference = {chip.id: chip.reference_mode.id if chip.reference_mode else "" for chip in of_chips.values()}
    mode = kept["mode"].where(kept["mode"] != "", kept.chip.map(reference))
    batch = kept.batch.to_numpy(np.int64)
    texts = {c: kept[c].to_numpy(object) for c in ("chip", "unit", "runtime", "precision", "quantity", "statistic",
                                                   "boundary", "power_boundary")}
    source = kept.source_repo.str.cat([kept.source_commit.str[:10], kept.source_path], sep=" ")
    return Measurements(
        **texts, mode=mode.to_numpy(object), cores=kept.cores.fillna(0).to_numpy(np.int64), net=net[usable],
        input_stated=stated[usable], batch=batch, time_ms=kept.time_ms_per_item.to_numpy(float) * batch,
        power_w=kept.power_w.to_numpy(float), energy_mj=kept.energy_mj.to_numpy(float),
        memory_mb=kept.memory_mb.to_numpy(float), source=source.to_numpy(object))
