"""The comparison of chips as one HTML file for those who buy: tables, charts and the evidence of every figure.

What needs no script is written into the page: the answer, what is asked, what is not known. Tables that sort and
charts are made by the page's own script from the data in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dse.report.compare_more import product_line, reasons, swings, weighed
from dse.report.compare_page_words import TITLES, asked, tiles, winner_words
from dse.report.page_file import as_data, hashes_of, part, require_file, script_of, templates, write_text

JsonObject = dict[str, Any]
SCRIPTS = (
    "base.js",
    "compare/figures.js",
    "compare/verdicts.js",
    "compare/evidence.js",
    "compare/details.js",
    "compare/columns.js",
    "compare/table.js",
    "compare/svg.js",
    "compare/scatter.js",
    "compare/bars.js",
    "compare/main.js",
)
"""Parts of the page's own script, in the order in which they need each other."""
STATUSES = {
    "feasible": "meets every limit",
    "unknown": "lacks a figure a limit is on",
    "fails": "fails a limit",
    "no design": "nothing known to run on it",
}
_VARYING = ("wall_s", "workers")


def require_compare_page(target: Path) -> None:
    """Refuse a page that cannot be written, before any work is done.

    Raises
    ------
    InputError
        The ending is neither ``.html`` nor ``.htm``, the folder is missing, or jinja2 is not installed.
    """
    require_file(target, ("jinja2",))


def write_compare_page(data: JsonObject, target: Path) -> None:
    """Write the page of a comparison, whole or not at all.

    Raises
    ------
    InputError
        As `require_compare_page`.
    """
    require_compare_page(target)
    write_text(page_of(data), target)


def page_of(data: JsonObject) -> str:
    """The page as text; the same comparison gives the same text, whenever and by however many processes it was made."""
    from markupsafe import Markup

    script = script_of(SCRIPTS)
    comparisons = [_worded(one) for one in data["comparisons"]]
    shown = {
        "comparisons": [_drawn(one) for one in data["comparisons"]],
        "evidence": data.get("evidence") or {},
        "titles": TITLES,
        "statuses": STATUSES,
    }
    return (
        templates()
        .from_string(part("compare/page.html.j2"))
        .render(
            comparisons=comparisons,
            line=product_line(data),
            statuses=STATUSES,
            versions=data.get("versions") or {},
            style=Markup(part("base.css") + part("compare/compare.css")),
            script=Markup(script),
            hashes=Markup(hashes_of((script,))),
            data=Markup(as_data(shown)),
        )
    )


def _worded(comparison: JsonObject) -> JsonObject:
    """What is written into the page before any script runs."""
    counts = dict.fromkeys(STATUSES, 0)
    for row in comparison["rows"]:
        if row["kind"] != "baseline":
            counts[row["status"]] += 1
    search = {key: value for key, value in (comparison.get("search") or {}).items() if key not in _VARYING}
    return {
        "name": comparison["problem"].get("name") or comparison["problem"]["file"],
        "task": comparison["task"],
        "at": comparison["at"]["text"],
        "headline": comparison["headline"],
        "scope": comparison["scope"],
        "metric": f"{comparison['metric']} on {comparison['dataset']}",
        "winner": winner_words(comparison),
        "tiles": tiles(comparison),
        "asked": asked(comparison),
        "counts": counts,
        "reasons": reasons(comparison),
        "swings": swings(comparison),
        "scores": weighed(comparison),
        "proof": comparison.get("proof") or [],
        "assumptions": comparison.get("assumptions") or [],
        "search": search,
    }


def _drawn(comparison: JsonObject) -> JsonObject:
    """What the script needs of a comparison: rows with a design or in use today, without the figures nobody knows."""
    rows = [row for row in comparison["rows"] if row["status"] != "no design" or row["kind"] == "baseline"]
    known = [{key: value for key, value in row.items() if value not in (None, [])} for row in rows]
    taken = ("guarantee", "procurement", "metric")
    return {**{name: comparison[name] for name in taken}, "scored": bool(comparison.get("scoring")), "rows": known}
