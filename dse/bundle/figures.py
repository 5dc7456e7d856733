"""What is different between two answers: rows, standings, figures, and the catalogue entries behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dse.bundle.cause import design_words, evidence_id
from dse.bundle.fields import MISSING, Change, field_changes
from dse.bundle.standing import rows_of
from dse.report.compared_row import COLUMNS

JsonObject = dict[str, Any]
_APART = ("kind", "status", "rank", "reason", "comparable", "wins_at_price_usd", "wins_at_text")
FIGURES = tuple(name for name in COLUMNS if name not in _APART)
"""Columns that say something of a design itself, not of how it does beside others."""


def row_changes(old: JsonObject, new: JsonObject) -> JsonObject:
    """Rows that came and went, standings and figures that are others."""
    before, after = rows_of(old), rows_of(new)
    both = [key for key in before if key in after]
    return {
        "appeared": [" ".join(key) for key in after if key not in before],
        "vanished": [" ".join(key) for key in before if key not in after],
        "standings": [
            {
                "row": " ".join(key),
                "old": _standing(before[key]),
                "new": _standing(after[key]),
                "design": [design_words(before[key]), design_words(after[key])],
                "text": f"{' '.join(key)}: {_standing(before[key])} → {_standing(after[key])}{_why(after[key])}",
            }
            for key in both
            if _standing(before[key]) != _standing(after[key])
        ],
        "figures": [change for key in both for change in _figures(" ".join(key), before[key], after[key])],
    }


def evidence_changes(old: JsonObject, new: JsonObject) -> list[Change]:
    """Figures of the catalogues that an answer rests on, whose value or source is another one."""
    found = []
    before, after = (side.get("evidence") or {} for side in (old, new))
    for name in dict.fromkeys([*before, *after]):
        said, says = (_said(side[name]) if name in side else MISSING for side in (before, after))
        if said != says:
            found.append(Change("evidence", name, said, says))
    return found


def entry_changes(folder: str, old: dict[str, bytes], new: dict[str, bytes]) -> Iterator[Change]:
    """Fields of shipped chips and boards that differ; only entries that both bundles hold."""
    for name in sorted(old.keys() & new.keys()):
        if name.startswith(f"{folder}/") and name.endswith(".yaml") and old[name] != new[name]:
            yield from field_changes(name, old[name], new[name])


def _figures(row: str, old: JsonObject, new: JsonObject) -> Iterator[JsonObject]:
    for name in FIGURES:
        if old.get(name) != new.get(name):
            yield {
                "row": row,
                "figure": name,
                "old": old.get(name),
                "new": new.get(name),
                "evidence": [evidence_id(old, name), evidence_id(new, name)],
            }


def _standing(row: JsonObject) -> str:
    return str(row["status"]) + (f", rank {row['rank']}" if row["rank"] else "")


def _why(row: JsonObject) -> str:
    said = [item["text"] for item in (*row["breaks"], *row["lacks"])] if row["status"] != "feasible" else []
    text = said[0] if said else row["reason"] or ""
    return f" ({text})" if text else ""


def _said(evidence: JsonObject) -> str:
    value = "unknown" if evidence.get("value") is None else evidence["value"]
    words = (value, evidence.get("unit") or "", f"grade {evidence.get('grade')}", evidence.get("source") or "")
    return " ".join(str(word) for word in words if word != "")
