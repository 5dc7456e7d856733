"""Coverage of the catalogue as rows of text: totals, and measurements by chip and task."""

from __future__ import annotations

from collections import Counter
from typing import Any

COLUMNS = 6
"""Tasks with a column of their own; the rest is summed."""


def summary_rows(found: dict[str, Any]) -> list[list[object]]:
    """What is counted and how many there are."""
    by_power, by_price = found["chips_with_power_by"], found["chips_with_price_by"]
    rows: list[list[object]] = [["what", "count", ""]]
    rows += [[name.replace("_", " "), found[name], ""] for name in ("chips", "vendors", "boards", "models")]
    rows += [
        ["measurements", found["measurements"], f"{found['measurements_of_chips_on_sale']:,} of chips on sale"],
        ["measured devices", found["devices_measured"], "units of a chip with 10 measurements or more"],
        ["chips with power", found["chips_with_power"], _by(by_power)],
        ["chips with a dated price", found["chips_with_price"], _by(by_price)],
        ["figures", found["figures"], f"{found['sourced_share']:.1%} with a source"],
        ["deciding figures confirmed", f"{found['confirmed_share']:.1%}", "read in a document, or derived from one"],
    ]
    rows += [
        [f"  {name}", f"{part['share']:.1%}", f"of {part['figures']}"] for name, part in found["confirmed"].items()
    ]
    return rows


def matrix_rows(found: dict[str, Any]) -> list[list[object]]:
    """Measurements of each chip by task, most measured tasks first."""
    totals: Counter[str] = Counter()
    for of_chip in found["matrix"].values():
        totals.update(of_chip)
    tasks = [task for task, _count in totals.most_common(COLUMNS)]
    rows: list[list[object]] = [["chip", *tasks, "all others"]]
    for chip, of_chip in found["matrix"].items():
        others = sum(count for task, count in of_chip.items() if task not in tasks)
        rows.append([chip, *(of_chip.get(task, 0) or "" for task in tasks), others or ""])
    return rows


def _by(counts: dict[str, int]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counts.items())
