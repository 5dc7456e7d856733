"""Tail of the run time per class of chip: p99 and p99.9 over the mean, and the stall."""

from pathlib import Path

import pandas as pd

# Class of dse -> class of the collected runs. A class without runs carries an assumed figure, grade E.
CLASSES = {
    "jetson-gpu": "Jetson (GPU, TensorRT)",
    "discrete-gpu": "discrete GPU",
    "npu-pcie-card": "NPU card (Cloud AI 100 PCIe)",
    "npu-m2-card": "NPU card (Cloud AI 100 DM.2)",
    "soc-gpu": "mobile GPU (Arm Mali, OpenCL)",
    "cpu-x86": "CPU x86",
    "cpu-arm": "CPU Arm",
    "fpga": "FPGA",
}
ASSUMED = {
    "soc-npu": (
        1.6,
        1.2,
        None,
        "assumed as for an M.2 accelerator: no fixed-work runs published for NPUs inside a SoC",
    ),
    "mcu": (1.05, 1.03, None, "assumed: bare metal without an operating system; no tail published"),
}
# Fixed work per sample, one query at a time: only these say something about one inference.
SCENARIOS = ("SingleStream", "loop, batch 1")


def write(folder: Path, target: Path) -> None:
    """Write ``tails.csv``: medians over runs of each class, with the number of runs."""
    runs = pd.read_csv(folder / "tails.csv.gz", low_memory=False)
    runs = runs[runs.scenario.isin(SCENARIOS)]
    rows = []
    for name, source_class in CLASSES.items():
        of_class = runs[runs.chip_class == source_class]
        medians = of_class[["p999_over_mean", "p99_over_mean", "stall_ms"]].median().round(4)
        repositories = " ".join(sorted(of_class.source_repo.unique())[:3])
        rows.append([name, *medians, len(of_class), "C", f"median of {len(of_class)} runs: {repositories} …"])
    rows += [[name, p999, p99, stall, 0, "E", why] for name, (p999, p99, stall, why) in ASSUMED.items()]
    columns = ["class", "p999_over_mean", "p99_over_mean", "stall_ms", "runs", "grade", "source"]
    pd.DataFrame(rows, columns=columns).to_csv(target, index=False, lineterminator="\n")
