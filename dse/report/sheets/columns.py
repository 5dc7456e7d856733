"""Columns of the sheet of candidates: in which order, under which title, with which unit and how many digits."""

from __future__ import annotations

from typing import Any

from dse.report.compared_row import COLUMNS
from dse.report.sheets.cells import NOTHING

JsonObject = dict[str, Any]
LISTS = ("breaks", "lacks", "differs_in")
"""Lists of a row that are shown as text beside its `COLUMNS`."""
SCORES = ("score", "score_low", "score_high")
"""Columns of a comparison whose figures are weighed."""
BANDS = (
    ("Standing", ("rank", "chip", "status", "kind", "label", *SCORES)),
    ("Product", ("name", "vendor", "form", "board", "host", "mode", "link", "devices")),
    (
        "Design",
        (
            *("unit", "cores", "runtime", "model", "weights", "input_h", "input_w"),
            *("precision", "batch", "policy", "timeout_ms", "buffers"),
        ),
    ),
    ("Accuracy", ("accuracy", "accuracy_low", "accuracy_high", "accuracy_grade")),
    (
        "Latency",
        (
            *("worst_case_ms", "deadline_ms", "slack_ms", "typical_ms", "low_ms", "high_ms"),
            *("latency_grade", "latency_boundary", "realtime_class"),
        ),
    ),
    ("Load", ("rate_required_hz", "rate_hz", "rate_headroom", "utilization", "bottleneck", "memory_mb")),
    ("Power and energy", ("power_w", "power_boundary", "power_basis", "power_grade", "energy_mj", "energy_grade")),
    (
        "Price of one system",
        (
            *("price_usd", "price_kind", "price_date", "price_quantity", "price_grade"),
            *("supplier", "mpn", "valid_until", "lead_time_weeks"),
        ),
    ),
    (
        "Cost over the years, money of today (moves with the sheet of assumptions)",
        ("fleet_price_usd", "spares_usd", "engineering_usd", "energy_usd", "cost_usd", "cost_per_stream_usd"),
    ),
    ("Why", ("reason", "breaks", "lacks", "wins_at_price_usd", "wins_at_text")),
    (
        "Surroundings and life",
        (
            *("temperature_min_c", "temperature_max_c", "temperature_at"),
            *("lifecycle_status", "lifecycle_until", "last_buy", "lifecycle_as_of"),
        ),
    ),
    ("Software", ("toolchain", "license")),
    ("How sure", ("weakest_grade", "weakest_figure", "comparable", "differs_in")),
)
REST = "More"
"""The band of columns that have no other."""
FROZEN = 3
"""Columns that stay in sight: rank, chip, status."""
UNITS = {
    "accuracy": "points",
    "accuracy_low": "points",
    "accuracy_high": "points",
    "rate_headroom": "% of the rate asked",
    "utilization": "%",
    "lead_time_weeks": "weeks",
    "input_h": "pixels",
    "input_w": "pixels",
    "price_quantity": "systems",
}
TITLES = {
    "worst_case_ms": "worst case",
    "rate_required_hz": "rate asked",
    "rate_hz": "rate possible",
    "cost_usd": "cost over the years",
    "cost_per_stream_usd": "cost per stream",
    "fleet_price_usd": "price of all systems",
    "energy_usd": "energy over the years",
    "price_usd": "price of one system",
    "wins_at_price_usd": "wins at a price of",
    "wins_at_text": "when it would win",
    "energy_mj": "energy of one item",
    "breaks": "limits it fails",
    "lacks": "figures it lacks",
    "differs_in": "not comparable with the first in",
    "mpn": "part number",
    "low_ms": "typical, low",
    "high_ms": "typical, high",
}
_SUFFIXES = {"ms": "ms", "usd": "USD", "w": "W", "mj": "mJ", "mb": "MB", "hz": "1/s", "c": "°C"}
_COUNTS = ("rank", "devices", "cores", "input_h", "input_w", "batch", "buffers", "price_quantity", "lead_time_weeks")
_NUMBERS = {
    "USD": "#,##0.00",
    "ms": "#,##0.000",
    "W": "#,##0.00",
    "mJ": "#,##0.0",
    "MB": "#,##0.0",
    "1/s": "#,##0.0",
    "points": "0.00",
    "°C": "0",
}
_PERCENT = "#,##0.0%"
_NEEDS_NOTHING = frozenset(
    (
        *("rank", "label", "reason", "board", "host", "link", "cores", "deadline_ms", "comparable"),
        *("wins_at_price_usd", "wins_at_text"),
    )
)
_OF_A_DESIGN = frozenset((*BANDS[2][1], "mode", "devices"))


def bands_of(*, scored: bool) -> list[tuple[str, list[str]]]:
    """Bands of columns, left to right; what no band knows is in the last."""
    shown = {*COLUMNS, *LISTS, *(SCORES if scored else ())}
    bands = [(title, [name for name in names if name in shown]) for title, names in BANDS]
    placed = {name for _, names in bands for name in names}
    rest = [name for name in COLUMNS if name not in placed]
    return [*bands, (REST, rest)] if rest else bands


def unit_of(name: str) -> str:
    """The unit of a column, empty where it has none."""
    return UNITS.get(name) or (_SUFFIXES.get(name.rsplit("_", 1)[-1], "") if "_" in name else "")


def title_of(name: str) -> str:
    """The head of a column with its unit.

    Examples
    --------
    >>> title_of("typical_ms"), title_of("utilization"), title_of("vendor")
    ('Typical (ms)', 'Utilization (%)', 'Vendor')
    """
    unit = unit_of(name)
    words = TITLES.get(name)
    if words is None:
        stem = name.rsplit("_", 1)[0] if unit and name not in UNITS else name
        words = stem.removesuffix("_weeks").replace("_", " ")
    words = words[0].upper() + words[1:]
    return f"{words} ({unit})" if unit else words


def number_of(name: str) -> str:
    """The number format of a column."""
    if name in _COUNTS:
        return "#,##0"
    if name in SCORES:
        return "0.000"
    unit = unit_of(name)
    return _PERCENT if unit.startswith("%") else _NUMBERS.get(unit, "General")


def align_of(name: str) -> dict[str, object]:
    """Grades in the middle, numbers to the right, text as it comes."""
    if name.endswith("_grade") or name == "rank":
        return {"align": "center"}
    return {"align": "left", "indent": 1} if number_of(name) == "General" else {"align": "right"}


def shown(row: JsonObject, name: str) -> object:
    """What a cell says: a figure, text, None for an unknown one, a dash where there is nothing to know."""
    value = row.get(name)
    if name in LISTS:
        said = [one if isinstance(one, str) else one["text"] for one in value or ()]
        return "; ".join(said) or NOTHING
    if value is not None:
        return value
    nothing = (
        name in _NEEDS_NOTHING
        or name.endswith("_grade")
        or (name in _OF_A_DESIGN and row["model"] is None)
        or (name == "slack_ms" and row["deadline_ms"] is None)
        or (name == "realtime_class" and row["worst_case_ms"] is not None)
    )
    return NOTHING if nothing else None
