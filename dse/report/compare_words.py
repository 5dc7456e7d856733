"""Words of a comparison that the terminal and Markdown share: what a row is, its figures, why it is not chosen."""

from __future__ import annotations

from typing import Any

from dse.report.text import LATENCY_WORDS, UNKNOWN_TEXT, number

JsonObject = dict[str, Any]
IN_USE = "in use today"
SHOWN_MISSES = 8
"""Chips that fail a limit which the terminal shows, the nearest first."""


SHOWN_BARS = 3
"""Inputs of the cost that are told beside those that change which chip is cheapest."""


def design_words(row: JsonObject) -> str:
    """``jetson-orin-nx-16gb 40W on seeed-recomputer-j4012 · yolov8l@640 [ultralytics] · int8 on gpu, tensorrt``."""
    mode = "" if row["mode"] in (None, "", "default") else f" {row['mode']}"
    board = f" on {row['board']}" if row["board"] else ""
    host = f" in {row['host']}" if row["host"] and row["host"] not in ("on the board", row["board"]) else ""
    if row["model"] is None:
        return f"{row['chip']}{mode}{board}"
    batch = "" if row["batch"] == 1 else f" batch {row['batch']}"
    return f"{row['chip']}{mode}{board}{host} · {network_words(row)} · {row['precision']}{batch} on {row['unit']}"


def grade_words(row: JsonObject) -> str:
    """The weakest grade of the figures that decide, and whose it is; `dse solve` shows that of the time alone."""
    return f"weakest grade {row['weakest_grade']} ({row['weakest_figure']})"


def network_words(row: JsonObject) -> str:
    """``yolov8l@640 [ultralytics]``."""
    size = f"@{row['input_h']}" if row["input_h"] else ""
    return f"{row['model']}{size} [{row['weights'] or 'no tag'}]"


def money_words(usd: float | None) -> str:
    """``1,030 USD``: whole dollars from a thousand on, cents below, and what is less than a cent as it is."""
    if usd is None:
        return UNKNOWN_TEXT
    if abs(usd) >= 1000:
        return f"{usd:,.0f} USD"
    return f"{usd:.3g} USD" if 0 < abs(usd) < 0.01 else f"{usd:.2f} USD".replace(".00 ", " ")


def price_words(row: JsonObject, asked: int) -> str:
    """A price with what it is of, when it was read or who quoted it, and whether it is for more pieces than `asked`."""
    if row["price_usd"] is None:
        return UNKNOWN_TEXT
    pieces = row["price_quantity"] or 1
    parts = [row["price_kind"], row["price_date"], row["supplier"]]
    parts += [f"at {pieces:,} pieces"] if pieces > asked else []
    parts += [f"until {row['valid_until']}"] if row["valid_until"] else []
    said = ", ".join(str(part) for part in parts if part)
    return money_words(row["price_usd"]) + (f" ({said})" if said else "")


def power_words(row: JsonObject) -> str:
    """A power with what it covers."""
    boundary = f" ({row['power_boundary']})" if row["power_boundary"] and row["power_w"] is not None else ""
    return number(row["power_w"], "W") + boundary


def share_words(share: float | None) -> str:
    """A share in percent."""
    return UNKNOWN_TEXT if share is None else f"{100 * share:.0f} %"


def latency_words(row: JsonObject, guarantee: str) -> str:
    """The worst case and what it leaves of the deadline."""
    slack = "" if row["slack_ms"] is None else f", slack {number(row['slack_ms'], 'ms')}"
    return f"{LATENCY_WORDS[guarantee]} {number(row['worst_case_ms'], 'ms')}{slack}"


def cost_words(row: JsonObject, procurement: JsonObject) -> str:
    """The cost over the years, or which part of it nobody knows."""
    if row["cost_usd"] is None:
        lacking = [name for name in ("price", "power") if row[f"{name}_{'usd' if name == 'price' else 'w'}"] is None]
        return f"cost unknown: {' and '.join(lacking)} unknown"
    streams = "" if procurement["streams"] == 1 else f", {money_words(row['cost_per_stream_usd'])} a stream"
    return f"{procurement['years']:g} years {money_words(row['cost_usd'])}{streams}"


def why_words(row: JsonObject, *, short: bool = False) -> str:
    """Why a row is no design: what it fails, what it lacks, or that nothing is known to run there.

    `short` leaves out what a missed rate brings with it, and unknown figures of a row that fails anyway.
    """
    broken = row["breaks"]
    if short and any(item["limit"] == "rate" for item in broken):
        broken = [item for item in broken if item["limit"] != "utilization" and item["value"] is not None]
    lacking = [] if short and broken else row["lacks"]
    return "; ".join(item["text"] for item in (*broken, *lacking)) or row["reason"] or ""


def asked_words(comparison: JsonObject) -> str:
    """The conditions of purchase in one line."""
    p = comparison["procurement"]
    spares = f" + {p['spares']:,} spares" if p["spares"] else ""
    work = f", work {money_words(p['engineering_usd'])} once" if p["engineering_usd"] else ""
    systems = "system" if p["quantity"] == 1 else "systems"
    return (
        f"{p['quantity']:,}{spares} {systems} over {p['years']:g} years, {p['hours_per_day']:g} h a day, "
        f"{p['energy_usd_per_kwh']:g} USD/kWh, discount {100 * p['discount_rate']:g} %{work}"
    )


def score_words(scoring: JsonObject | None) -> list[str]:
    """The order by score, and the range of each weight over which its winner stays first."""
    if scoring is None:
        return []
    ranges = ", ".join(
        f"{one['figure']} {one['low']:.3g} to {'any' if one['high'] is None else format(one['high'], '.3g')} "
        f"(now {one['weight']:g})"
        for one in scoring["stability"]
    )
    stays = f"; stays first for weights {ranges}" if ranges else ""
    return [f"by score: {', '.join(scoring['order']) or 'no design'}{stays}"]


def tornado_words(bars: list[JsonObject]) -> list[str]:
    """The inputs that move the cost of the winner most, and all that change which chip is cheapest."""
    if bars and all(bar["cost_low"] is None for bar in bars):
        return ["what the winner costs is unknown, and so is what moves it"]
    told = [bar for k, bar in enumerate(bars) if k < SHOWN_BARS or bar["moves"]]
    return [_bar_words(bar) for bar in told]


def _bar_words(bar: JsonObject) -> str:
    whose = "" if bar["chip"] is None else f" of {bar['chip']}"
    costs = f"the winner costs {money_words(bar['cost_low'])} to {money_words(bar['cost_high'])}"
    cheapest = f"; cheapest: {bar['cheapest_low']}, then {bar['cheapest_high']}" if bar["moves"] else ""
    return f"{bar['factor']}{whose} {number(bar['low_value'])} to {number(bar['high_value'])}: {costs}{cheapest}"


def of_status(comparison: JsonObject, status: str) -> list[JsonObject]:
    """Rows of one standing without the baseline."""
    return [row for row in comparison["rows"] if row["kind"] == "design" and row["status"] == status]


def baseline_row(comparison: JsonObject) -> JsonObject | None:
    """The row of what is in use."""
    return next((row for row in comparison["rows"] if row["kind"] == "baseline"), None)
