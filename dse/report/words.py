"""Small words that several reports share."""

from __future__ import annotations

from dse.candidates.context import Context
from dse.candidates.table import Candidates
from dse.catalog.types import Chip

BETWEEN = " | "
"""Between several names in one cell."""
ON_THE_BOARD = "on the board"


def counted(count: int, reason: str) -> str:
    """``1 chip dropped: …`` or ``7 chips dropped: …``."""
    if count == 1:
        for plural in ("chips", "cards", "devices", "runs", "networks"):
            reason = reason.replace(plural, plural[:-1], 1) if reason.startswith(plural) else reason
    return f"{count:,} {reason}"


def flagged(context: Context, candidates: Candidates, row: int) -> list[str]:
    """Limits a design passes only because a missing figure is flagged, not rejected."""
    bits = int(candidates.unknown[row]) & ~int(candidates.violated[row])
    return [rule.name for k, rule in enumerate(context.rules) if bits >> k & 1 and rule.name in context.problem.limits]


def host_word(context: Context, chip: Chip, board: str) -> str | None:
    """What a card is plugged into: the problem's word for it, a board, or the CPU beside it; None for other chips."""
    host = context.problem.host
    if chip.needs_host:
        return None if host is None else "none" if host.absent else "owned" if host.owned else "stated"
    if not chip.plugged:
        return None
    own = context.catalog.boards.get(board)
    if own is not None and own.cpu_cores is not None:
        return ON_THE_BOARD
    return (own.host_board if own is not None else None) or context.catalog.host
