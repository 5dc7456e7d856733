"""Mean times, batches and work of a budget as cells of tables, and the lines that say how to read them."""

from __future__ import annotations

from collections import Counter

from dse.report.budget_figures import UNKNOWN, left, macs, ranged
from dse.report.text import JsonObject, number

NO_LIMIT = "-"
BATCH_COLUMNS = ("a whole batch of", "by rate", "by deadline, at once", "by deadline, filling")
BATCH_WORDS = "at once: its items come together; filling: the first waits until the last is there"
WORK_COLUMNS = ("unit", "TOPS", "GMAC/s", "MAC", "at most", "MB moved")


def mean_cells(means: list[JsonObject]) -> list[str]:
    """Mean time on every class of unit, and how much longer its slow runs take."""
    cells = []
    for mean in means:
        value = mean["mean_ms"]
        cells.append(f"{mean['tail_class']:<14}{UNKNOWN if value is None else left(value)} (× {mean['factor']:g})")
    return cells


def batch_cells(batch: JsonObject) -> list[str]:
    """What a whole batch may take, slowest run: by rate, by deadline, and when its first item waits for its last."""
    by_deadline = [NO_LIMIT if batch[key] is None else left(batch[key]) for key in ("at_once_ms", "counted_ms")]
    return [str(batch["batch"]), left(batch["rate_ms"]), *by_deadline]


def work_cells(work: JsonObject) -> list[str]:
    """Unit, usable peak, sustained rate, likely work with its range, and the limits of work and bytes."""
    return [
        f"{work['chip']} {work['unit']}",
        number(work["peak_tops"], digits=2),
        UNKNOWN if work["rate_gmacs"] is None else number(work["rate_gmacs"]["value"]),
        ranged(work["gmacs"]),
        macs(work["most_gmacs"]),
        number(work["most_mb"], digits=2),
    ]


def work_words(works: list[JsonObject]) -> list[str]:
    """How to read the table of work."""
    return [
        "work in that time; MAC: likely, from measured runs (their 5th to 95th percentile)",
        "  at most: by the rated peak; MB moved: 10^6 byte, by the rated memory bandwidth",
        f"  TOPS: of the rated peak what one inference can use{_precisions(works)}{_shares(works)}",
    ]


def _precisions(works: list[JsonObject]) -> str:
    """The precision of the peaks, and units with another one."""
    if not works:
        return ""
    usual = Counter(work["precision"] for work in works).most_common(1)[0][0]
    others = [f"{work['chip']} {work['unit']} {work['precision']}" for work in works if work["precision"] != usual]
    return f", at {usual}" + (f" ({', '.join(others)})" if others else "")


def _shares(works: list[JsonObject]) -> str:
    """Units of which one inference can use a part."""
    parts = [
        f"; {work['chip']} {work['unit']}: {number(work['peak_tops'])} of {number(work['peak_tops'] / work['share'])}"
        for work in works
        if work["share"] != 1
    ]
    return "".join(parts)
