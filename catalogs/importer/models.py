"""Networks: one row per architecture, weights tag and input size; accuracies per precision and toolchain."""

from pathlib import Path

import numpy as np
import pandas as pd

KEY = ["id", "input_h", "input_w"]
# A metric nobody named cannot be compared with anything.
UNUSABLE_METRICS = {"as-printed", "map", "ap"}
# Figures of these toolchains were taken on a subset of the data set (at most 1,000 samples).
SUBSET_TOOLCHAINS = r"samples|bmrt|hrt-bpu"
# Sources fill in "resnet8 on cifar-10" and the like; a percent metric above this is a unit slip.
PERCENT_METRICS = {"top1", "map50-95", "map50", "accuracy", "miou", "oks-map50-95", "mask-map50-95", "wider-hard-ap"}

# Named like a line of networks and unlike it: AI Benchmark does not publish the layers of its "ResNet", which takes
# 0.23 ms where ResNet-50 takes 5 at the rated peak. As one of that line it made each of them 20 times too fast there.
UNLIKE_THEIR_NAMES = ("resnet_aibench5",)

FACTS = ["params_m", "gmacs", "binary_gmacs", "activations_m", "macs_source"]
FACT_COLUMNS = ["model", "input_h", "input_w", *FACTS, "rank", "task_canonical"]
# How the MACs beside a measurement were found, best first.
MACS_SOURCES = (
    "row",
    "models.csv",
    "other public table",
    "other vendor's row",
    "scaled by area",
    "same name, size unknown",
)


def write(folder: Path, target: Path) -> None:
    """Write ``models.csv`` and ``accuracies.csv`` below `target`."""
    target.mkdir(parents=True, exist_ok=True)
    accuracies = read_accuracies(folder)
    facts = read_facts(folder)
    entries = accuracies[[*KEY, "weights", "task", "dataset", "metric"]].drop_duplicates()
    measured_only = facts[~facts.id.isin(set(entries.id))]
    entries = pd.concat([entries, measured_only[[*KEY, "task"]].assign(weights="", dataset="", metric="")])
    table = entries.merge(facts.drop(columns="task"), on=KEY, how="left")
    table = scale_by_area(table)
    table["input_c"] = np.where(table.task.isin(["keyword-spotting", "anomaly-detection"]), 1, 3)
    columns = [
        "id",
        "weights",
        "family",
        "stem",
        "task",
        "dataset",
        "metric",
        "input_h",
        "input_w",
        "input_c",
        "params_m",
        "gmacs",
        "binary_gmacs",
        "activations_m",
        "macs_source",
        "operators",
        "license",
        "source",
    ]
    table = table.assign(operators="", license="").reindex(columns=columns)
    table = table.sort_values(["task", "id", "weights", "input_h", "input_w"]).drop_duplicates(
        ["id", "weights", "input_h", "input_w", "dataset", "metric"]
    )
    table.to_csv(target / "models.csv", index=False, lineterminator="\n", float_format="%.6g")
    accuracies.sort_values(["task", *KEY, "weights", "precision", "toolchain"]).drop(columns="task").to_csv(
        target / "accuracies.csv", index=False, lineterminator="\n", float_format="%.6g"
    )


def read_accuracies(folder: Path) -> pd.DataFrame:
    """Every accuracy with a stated data set and metric, percent metrics on 0–100."""
    read = pd.read_csv(folder / "model_accuracy.csv")
    read = read[
        read.metric.notna() & read.dataset.notna() & ~read.metric.isin(UNUSABLE_METRICS) & read.accuracy.notna()
    ]
    percent = read.metric.isin(PERCENT_METRICS)
    read = read[~percent | read.accuracy.between(1, 100)]
    names = {"model": "id", "weights_tag": "weights"}
    read = read.rename(columns=names).assign(weights=lambda t: t.weights.fillna(""))
    read["toolchain"] = read.toolchain.fillna("")
    read["subset"] = read.toolchain.str.contains(SUBSET_TOOLCHAINS, regex=True)
    # The float figure a subset toolchain is compared with comes from the same subset.
    on_subset = set(map(tuple, read.loc[read.subset, ["id", "weights"]].drop_duplicates().to_numpy()))
    read["subset"] = [pair in on_subset for pair in zip(read.id, read.weights, strict=True)]
    read["chip"] = read.chip.map(chip_ids(folder)).fillna("")
    read["accuracy_source"] = read.source_repo.fillna("") + ":" + read.source_path.fillna("")
    fill_inputs(read)
    columns = [
        *KEY,
        "weights",
        "task",
        "dataset",
        "metric",
        "precision",
        "toolchain",
        "chip",
        "accuracy",
        "low",
        "high",
        "subset",
        "accuracy_source",
    ]
    return read[columns].drop_duplicates()


def chip_ids(folder: Path) -> dict[str, str]:
    """Catalogue id of every device name of the measurements."""
    names = pd.read_csv(folder / "chip_names.csv").drop_duplicates("slug")
    return dict(zip(names.slug, names.id, strict=True))


def fill_inputs(table: pd.DataFrame) -> None:
    """A missing input size becomes 0: "not stated", never a guess."""
    for side in ("input_h", "input_w"):
        table[side] = table[side].fillna(0).astype(int)


def read_facts(folder: Path) -> pd.DataFrame:
    """MACs, parameters and activations per architecture and input size, from the best source of each."""
    names = pd.read_csv(folder / "model_names.csv")
    stems = names.sort_values("source_file").drop_duplicates("model").set_index("model")
    every = pd.concat([binarized_facts(folder), listed_facts(folder, names), measured_facts(folder)])
    fill_inputs(every)
    tasks = every[every.task_canonical.fillna("") != ""].groupby("model").task_canonical.agg(lambda s: s.mode().iloc[0])
    # groupby.first skips missing values, so each figure comes from the best source that prints it.
    best_first = every.sort_values("rank", kind="stable")
    facts = best_first.groupby(["model", "input_h", "input_w"], as_index=False)[FACTS].first()
    facts["params_m"] = facts.params_m.fillna(facts.groupby("model").params_m.transform("median"))
    facts["task"] = facts.model.map(tasks).fillna("")
    facts["family"] = facts.model.map(stems.family_corrected).fillna("other")
    facts["stem"] = facts.model.map(stems.stem).fillna(facts.model)
    unlike = facts.model.isin(UNLIKE_THEIR_NAMES)
    facts["family"], facts["stem"] = facts.family.mask(unlike, "other"), facts.stem.mask(unlike, facts.model)
    facts["source"] = facts.macs_source.str.split(" (", regex=False).str[0]
    return facts.rename(columns={"model": "id"})


def listed_facts(folder: Path, names: pd.DataFrame) -> pd.DataFrame:
    """What tables of models print."""
    of_file = names[names.source_file == "models.csv"][["source_name", "source_group", "model"]]
    listed = pd.read_csv(folder / "models.csv").merge(
        of_file,
        left_on=["model", "source_repo"],
        right_on=["source_name", "source_group"],
        suffixes=("_raw", ""),
    )
    listed["rank"] = 0
    listed["macs_source"] = listed.source_repo + ":" + listed.source_path
    listed["task_canonical"] = ""
    return listed.reindex(columns=FACT_COLUMNS)


def measured_facts(folder: Path) -> pd.DataFrame:
    """What stands beside measurements, the sources nearest to the row first."""
    measured = pd.read_csv(folder / "measurements.csv.gz", low_memory=False)
    measured["rank"] = 1 + measured.gmacs_source.map({word: k for k, word in enumerate(MACS_SOURCES)}).fillna(9)
    said = measured.source_repo.fillna("") + " (" + measured.gmacs_source.fillna("") + ")"
    measured["macs_source"] = said.where(measured.gmacs.notna(), "")
    return measured[FACT_COLUMNS]


def binarized_facts(folder: Path) -> pd.DataFrame:
    """Binarized networks, binary and full-precision MACs apart."""
    binary = pd.read_csv(folder / "binarized.csv")
    facts = pd.DataFrame(
        {
            "model": binary.model,
            "input_h": 224,
            "input_w": 224,
            "params_m": binary.params_m,
            "gmacs": (binary.mmacs_float + binary.mmacs_binary) / 1e3,
            "binary_gmacs": binary.mmacs_binary / 1e3,
            "rank": -1,
            "macs_source": binary.source_repo + ":" + binary.source_path,
            "task_canonical": "",
        }
    )
    return facts[binary.dataset == "imagenet"]


def scale_by_area(table: pd.DataFrame) -> pd.DataFrame:
    """MACs and activations of a known network at another input size, in proportion to its pixels (said so)."""
    table = table.copy()
    area = table.input_h * table.input_w
    known = table[table.gmacs.notna() & (area > 0)].assign(area=area)
    by_id = {str(name): rows for name, rows in known.groupby("id")}
    for row in table.index[table.gmacs.isna() & (area > 0)]:
        others = by_id.get(str(table.at[row, "id"]))
        if others is None:
            continue
        nearest = others.loc[(np.log(others.area / area[row])).abs().idxmin()]
        ratio = area[row] / nearest.area
        table.at[row, "gmacs"] = nearest.gmacs * ratio
        table.at[row, "activations_m"] = nearest.activations_m * ratio
        table.at[row, "macs_source"] = f"scaled by area from {nearest.input_h}x{nearest.input_w}"
    facts = ["params_m", "family", "stem"]
    table[facts] = table[facts].fillna(table.groupby("id")[facts].transform("first"))
    table["family"] = table.family.fillna("other")
    table["stem"] = table.stem.fillna(table.id)
    return table
