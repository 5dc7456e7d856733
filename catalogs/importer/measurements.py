"""Measurements: the collected rows in canonical words, one file per source."""

import re
from pathlib import Path

import pandas as pd

from catalogs.importer import row_rules

# Longest common words first; what the sources spell in dozens of ways.
STATISTICS = [("minimum", "min"), ("latency at 20 threads", "not-stated"), ("mean", "mean"), ("median", "median")]
MODES = {
    "MAXN with jetson_clocks recommended on the page": "MAXN",
    "nvpmodel 0 (MAX-N)": "MAXN",
    "15W 6CORE, jetson_clocks": "MODE_15W_6CORE",
    "maxq": "MaxQ (MLPerf)",
}
# The same silicon under a second name is a power mode of the first.
SAME_HARDWARE = {"jetson-orin-nano-8gb-super": ("jetson-orin-nano-8gb", "MAXN_SUPER")}
COLUMNS = [
    "chip",
    "device",
    "board",
    "mode",
    "unit",
    "cores",
    "streams",
    "runtime",
    "model",
    "input_h",
    "input_w",
    "precision",
    "batch",
    "quantity",
    "time_ms_per_item",
    "statistic",
    "boundary",
    "power_w",
    "power_boundary",
    "energy_mj",
    "memory_mb",
    "vendor",
    "family",
    "task",
    "params_m",
    "gmacs",
    "gmacs_source",
    "activations_m",
    "binary_gmacs",
    "software",
    "source_repo",
    "source_path",
    "source_commit",
    "excluded",
    "notes",
]


def write(folder: Path, target: Path) -> None:
    """Write one CSV per group of sources below `target`."""
    target.mkdir(parents=True, exist_ok=True)
    rows = pd.read_csv(folder / "measurements.csv.gz", low_memory=False)
    names = pd.read_csv(folder / "chip_names.csv").rename(columns={"mode": "named_mode", "board": "named_board"})
    rows = rows.merge(
        names[["slug", "unit", "id", "unit_kind", "named_mode", "named_board"]],
        left_on=["chip", "unit"],
        right_on=["slug", "unit"],
        how="left",
        validate="many_to_one",
    )
    rows["device"] = rows.chip
    rows["mode"] = rows["mode"].fillna(rows.named_mode).fillna("").map(lambda mode: MODES.get(mode, mode))
    rows["board"] = rows.board.fillna(rows.named_board)
    for name, (chip, mode) in SAME_HARDWARE.items():
        of_name = rows.id == name
        rows.loc[of_name, "id"] = chip
        rows.loc[of_name, "mode"] = mode
    rows["chip"] = rows.id
    rows["unit"] = rows.unit_kind
    rows["runtime"] = rows.runtime_group
    rows["runtime"] = row_rules.usb_generation(rows)
    rows["excluded"] = row_rules.excluded(rows)
    rows["task"] = rows.task_canonical
    rows["statistic"] = rows.statistic.map(statistic_word)
    # Some sources round to whole megabytes: 0 there is "less than a half", which is not a figure.
    rows["memory_mb"] = rows.memory_mb_max.where(rows.memory_mb_max > 0)
    rows["power_boundary"] = power_boundary(rows, folder)
    for group, of_group in rows.groupby(
        rows.source_group.str.replace(r"[^A-Za-z0-9]+", "-", regex=True).str.strip("-")
    ):
        of_group.reindex(columns=COLUMNS).to_csv(
            target / f"{group.lower()}.csv", index=False, lineterminator="\n", float_format="%.9g"
        )


def statistic_word(said: object) -> str:
    """One of ``min mean median not-stated``."""
    for fragment, word in STATISTICS:
        if re.search(fragment, str(said)):
            return word
    return "not-stated"


def power_boundary(rows: pd.DataFrame, folder: Path) -> pd.Series:
    """What the power meter of each row saw (rail, module, board, system); empty without a power figure."""
    power = pd.read_csv(folder / "power.csv")
    power = power[power.kind == "measured"]
    of_slug = power.groupby(["slug", "unit"]).power_boundary.agg(lambda s: s.mode().iloc[0])
    keys = pd.MultiIndex.from_frame(rows[["slug", "unit_kind"]])
    by_slug = pd.Series(of_slug.reindex(keys).to_numpy(), index=rows.index)
    default = rows.source_group.map(lambda group: "system" if "mlperf" in group and "tiny" not in group else "rail")
    return by_slug.fillna(default).where(rows.power_w.notna(), "")
