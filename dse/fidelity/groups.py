"""Which rows are scored together: a figure over all rows would hide a bad half behind a good one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dse.catalog.types import BoolArray, TextArray
from dse.fidelity.rows import is_accelerator


def groups(rows: pd.DataFrame, level: TextArray) -> Iterator[tuple[str, BoolArray]]:
    """Name and rows (n,) of every group that is not empty.

    Accelerators and CPUs are apart, and each again by whether the MACs are known and by the level (n,) of evidence.
    An empty level makes no group.
    """
    accelerated = is_accelerator(rows)
    known = np.isfinite(rows["gmacs"].to_numpy(dtype=np.float64))
    for name, here in (("accelerators", accelerated), ("CPU and MCU", ~accelerated)):
        parts = {name: here, f"{name}, MACs known": here & known, f"{name}, MACs unknown": here & ~known}
        parts |= {f"{name}, level {word}": here & (level == word) for word in sorted(set(level.tolist()) - {""})}
        yield from ((group, mask) for group, mask in parts.items() if mask.any())
