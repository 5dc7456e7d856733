"""Hand-made measured rows, small enough to work out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dse.fidelity.rows import COLUMNS, Predictions

PLAIN = {
    "vendor": "v", "chip": "c", "mode": "", "unit": "npu", "cores": 0, "streams": 1, "runtime": "rt", "model": "m",
    "family": "f", "input_h": 224.0, "input_w": 224.0, "precision": "int8", "batch": 1, "quantity": "latency",
    "log_ms": 0.0, "gmacs": 1.0, "params_m": 1.0, "peak_tops": 1.0, "accuracy": np.nan, "accuracy_metric": "",
}  # fmt: skip


def rows(*changes):
    """One measured row per argument, each `PLAIN` but for its changes; ``ms`` is a time, turned into its log."""
    made = []
    for change in changes:
        row = {**PLAIN, **change}
        if "ms" in row:
            row["log_ms"] = np.log(row.pop("ms"))
        made.append(row)
    return pd.DataFrame(made, columns=list(COLUMNS))


def predictions(ms, *, factor=np.nan, level="B"):
    """Predicted times, all with one factor of half-width and one level."""
    return Predictions(
        np.log(np.array(ms, dtype=float)), np.full(len(ms), np.log(factor)), np.full(len(ms), level, dtype=object)
    )


def random_rows(n, seed, *, chips=6, models=12):
    """Rows with times spread over two decades."""
    random = np.random.default_rng(seed)
    return rows(
        *(
            {
                "chip": f"c{random.integers(chips)}",
                "model": f"m{random.integers(models)}",
                "unit": str(random.choice(["npu", "gpu", "cpu", "mcu"])),
                "family": str(random.choice(["f", "g"])),
                "batch": int(random.choice([1, 4])),
                "precision": str(random.choice(["int8", "fp16", "mixed-int8-int16"])),
                "ms": float(np.exp(random.normal(0, 2))),
                "gmacs": float(random.choice([0.5, 2.0, 8.0, np.nan])),
                "params_m": float(random.choice([1.0, 5.0, np.nan])),
            }
            for _ in range(n)
        )
    )
