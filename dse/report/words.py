"""Small words that several reports share."""

from __future__ import annotations

from dse.candidates.context import Context
from dse.candidates.table import Candidates


def counted(count: int, reason: str) -> str:
    """``1 chip dropped: …`` or ``7 chips dropped: …``."""
    if count == 1:
        for plural in ("chips", "cards", "runs", "networks"):
            reason = reason.replace(plural, plural[:-1], 1) if reason.startswith(plural) else reason
    return f"{count:,} {reason}"


def flagged(context: Context, candidates: Candidates, row: int) -> list[str]:
    """Limits a design passes only because a missing figure is flagged, not rejected."""
    bits = int(candidates.unknown[row]) & ~int(candidates.violated[row])
    return [rule.name for k, rule in enumerate(context.rules) if bits >> k & 1 and rule.name in context.problem.limits]
