"""Rules on what a chip holds of a network: a small one that is far slower than a large one of its kind.

Accelerators that keep a network on the chip fall off a cliff where it does not fit, or where the compiler split it into
several contexts that are loaded one after the other: the published rate is then that of the loading.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dse.audit.finding import LANE, Evidence, Finding, Rule, row_findings
from dse.catalog.operators import operators_of

# Of the work of the other one. MobileNetV2 has 0.52 of MobileNetV1's.
HALF_THE_WORK = 0.6
# Times as slow. Depthwise networks reach a third of the work rate of plain ones on many accelerators, so that half the
# work may well take 1.5 times as long; beyond three the shipped rows are nearly all cliffs that their source knows of.
CLIFF_FACTOR = 3.0
ON_CHIP_UNITS = ("npu", "dla", "fpga")


def split_over_contexts(evidence: Evidence) -> Iterator[Finding]:
    """A network of half the work and no more weights, several times slower than another one of its kind.

    Of a kind are networks of one task and input size, from families of one name (``mobilenet_v1``, ``mobilenet_v2``),
    with the same classes of operators where both state them.
    """
    rows = _accelerated(evidence)
    together = [*LANE, "batch", "quantity", "boundary", "statistic", "source_repo", "h", "w", "task_of", "line_of"]
    for _key, group in rows.groupby(together, dropna=False, sort=True):
        if len(group) == 1:
            continue
        work, weights, time = (group[name].to_numpy() for name in ("gmacs", "params_m", "time_ms_per_item"))
        outrun = (work[:, None] <= HALF_THE_WORK * work) & (weights[:, None] <= weights)
        outrun &= (time[:, None] > CLIFF_FACTOR * time) & _alike(group.operators_of.tolist())
        for row in np.flatnonzero(outrun.any(axis=1)).tolist():
            fastest = int(np.argmin(np.where(outrun[row], time, np.inf)))
            other = group.iloc[fastest]
            message = (
                f"{time[row]:.4g} ms, but {other.model} with {work[fastest] / work[row]:.2g} times the work takes "
                f"{time[fastest]:.4g} ms: split over several contexts, or not on the chip as a whole?"
            )
            yield from row_findings(group.iloc[[row]], split_over_contexts, [message])


def _accelerated(evidence: Evidence) -> pd.DataFrame:
    """Measurements on accelerators of networks with known work, with task, operators and line of their family."""
    entries, nets = evidence.catalog.entries, evidence.catalog.nets
    names = nets.id[entries.net].tolist()
    task_of = dict(zip(names, entries.task.tolist(), strict=True))
    operators = {name: text for name, text in zip(names, entries.operators.tolist(), strict=True) if text}
    line_of = {name: _line(family) for name, family in zip(nets.id.tolist(), nets.family.tolist(), strict=True)}
    rows = evidence.speeds
    rows = rows[rows.gmacs.notna() & rows.params_m.notna() & rows.unit.isin(ON_CHIP_UNITS)]
    facts = {"task_of": task_of, "operators_of": operators, "line_of": line_of}
    rows = rows.assign(
        **{
            column: np.array([of.get(model, "") for model in rows.model.tolist()], dtype=object)
            for column, of in facts.items()
        }
    )
    return rows[rows.line_of != ""]


def _line(family: str) -> str:
    """Name of a family without its version; empty for networks of no family.

    Examples
    --------
    >>> _line("mobilenet_v2"), _line("yolov5"), _line("other")
    ('mobilenet', 'yolo', '')
    """
    letters = family[: next((k for k, letter in enumerate(family) if not letter.isalpha()), len(family))]
    return "" if family == "other" else letters.removesuffix("v")


def _alike(operators: list[str]) -> np.ndarray:
    """Whether two networks have the same classes of operators; one that states none is like any. Shape (n, n)."""
    classes = [operators_of(text) for text in operators]
    return np.array([[not one or not other or one == other for other in classes] for one in classes], dtype=np.bool_)


RULES: tuple[Rule, ...] = (split_over_contexts,)
